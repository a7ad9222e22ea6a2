/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The domains of a drop-in: written, read again, removed; a file that was changed is refused. */
#include "plugin/ovirt/ovirt.h"
#include "tests/unit/suite.h"

static struct ovirt_list list;

static void add(const char *spec)
{
	struct ovirt_domain domain;

	CU_ASSERT_EQUAL_FATAL(ovirt_domain(spec, NULL, &domain), 0);
	CU_ASSERT_EQUAL(ovirt_list_add(&list, &domain, domain.parsed.family == IP_V6, 20049), 0);
}

static void empty(enum ovirt_file file)
{
	ovirt_list_fini(&list);
	CU_ASSERT_EQUAL_FATAL(ovirt_list_read(&list, file, NULL), 0);
	CU_ASSERT_EQUAL(list.count, 0);
}

/* The resulting text; the caller frees it. */
static char *written(enum ovirt_form form)
{
	char *out = NULL;

	CU_ASSERT_EQUAL_FATAL(ovirt_list_write(&list, form, &out), 0);
	return out;
}

#define HEAD "# BEGIN nfsrdma ovirt policy; with --remove it goes. Written anew: do not edit.\n"
#define TAIL "# END nfsrdma ovirt policy\n"
#define VM                                                                   \
	HEAD "# domain nas1:/vm /rhev/data-center/mnt/nas1:_vm rdma 20049\n" \
	     "[ MountPoint \"/rhev/data-center/mnt/nas1:_vm\" ]\nproto=rdma\nport=20049\n" TAIL

static void a_file_is_a_section_for_each_domain(void)
{
	_cleanup_free_ char *text = NULL;

	empty(OVIRT_NFSMOUNT);
	add("nas1:/vm");
	text = written(OVIRT_BY_DIRECTORY);
	CU_ASSERT_STRING_EQUAL(text, VM);
}

static void servers_have_one_section_each(void)
{
	_cleanup_free_ char *text = NULL;

	empty(OVIRT_NFSMOUNT);
	add("nas1:/vm");
	add("NAS1:/iso");
	add("nas10:/vm");
	text = written(OVIRT_BY_SERVER);
	ASSERT_CONTAINS(text,
			"[ Server \"nas1\" ]\nproto=rdma\nport=20049\n[ Server \"nas10\" ]\n");
	ovirt_list_fini(&list);
	CU_ASSERT_EQUAL(ovirt_list_read(&list, OVIRT_NFSMOUNT, text), 0);
	CU_ASSERT_EQUAL(list.form, OVIRT_BY_SERVER);
	CU_ASSERT_EQUAL(list.count, 3);
}

static void the_policy_pattern_has_no_wildcards(void)
{
	_cleanup_free_ char *text = NULL;

	empty(OVIRT_GUARD);
	add("[2001:db8::1]:/a*b");
	text = written(OVIRT_BY_DIRECTORY);
	ASSERT_CONTAINS(
		text,
		"[directory /rhev/data-center/mnt/\\[2001:db8::1\\]:_a\\*b]\npolicy = require\n");
}

static void a_file_is_read_as_it_was_written(void)
{
	_cleanup_free_ char *again = NULL, *gone = NULL;

	ovirt_list_fini(&list);
	CU_ASSERT_EQUAL_FATAL(ovirt_list_read(&list, OVIRT_NFSMOUNT, VM), 0);
	CU_ASSERT_EQUAL(list.count, 1);
	CU_ASSERT_STRING_EQUAL(list.domains[0].spec, "nas1:/vm");
	again = written(OVIRT_BY_DIRECTORY);
	CU_ASSERT_STRING_EQUAL(again, VM);
	CU_ASSERT(ovirt_list_remove(&list, "/rhev/data-center/mnt/nas1:_vm"));
	CU_ASSERT_EQUAL(ovirt_list_remove(&list, "/rhev/data-center/mnt/nas1:_vm"), 0);
	gone = written(OVIRT_BY_DIRECTORY);
	CU_ASSERT_PTR_NULL(gone);
	ovirt_list_fini(&list);
	CU_ASSERT_EQUAL(ovirt_list_read(&list, OVIRT_NFSMOUNT, ""), 0);
	CU_ASSERT_EQUAL(list.count, 0);
}

static void a_changed_file_belongs_to_the_administrator(void)
{
	static const char *const texts[] = {
		HEAD,
		HEAD "proto=rdma\n",
		HEAD "# domain nas1:/vm\n" TAIL,
		HEAD "# domain\n" TAIL,
		HEAD "# domain  \n" TAIL,
		HEAD "# domain nas1:/vm /d rdma 0\n" TAIL,
		HEAD "# domain nas1:/vm /d tcp 20049\n" TAIL,
		HEAD "# domain nas1:/vm /d rdma 20049 more\n" TAIL,
		HEAD "# domain nas1:/vm /d\"x rdma 20049\n" TAIL,
		HEAD "# domain nas1:/vm /d rdma 20049\n"
		     "[ MountPoint \"/d\" ]\nproto=tcp\nport=20049\n" TAIL,
		VM HEAD TAIL,
		VM "[ Server \"x\" ]\nrsize=4096\n",
		"# mine\n" VM,
		"# mine\n",
		"\n",
		"# BEGIN nfsrdma ovirt policy\n",
		HEAD "# domain nas1:/vm /rhev/data-center/mnt/nas1:_vm rdma 20049\n"
		     "[ MountPoint \"/rhev/data-center/mnt/nas1:_vm\" ]\nproto=rdma\nport=20049\n"
		     "# more\n" TAIL,
	};
	struct ovirt_list mine;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(texts); i++) {
		SUITE_ROW("%zu: %s", i, texts[i]);
		CU_ASSERT_EQUAL(ovirt_list_read(&mine, OVIRT_NFSMOUNT, texts[i]), -EBADMSG);
		ASSERT_CONTAINS(err_text(), "is not as nfsrdma ovirt policy wrote it");
	}
}

static void files_that_nfs_utils_cannot_read_are_refused(void)
{
	static const char *const specs[] = { "[2001:db8::1]:/vm", "nas1:/a]b", "nas1:/a\"b",
					     "nas1:/a b" };
	struct ovirt_domain domain;
	size_t i;

	empty(OVIRT_NFSMOUNT);
	for (i = 0; i < ARRAY_SIZE(specs); i++) {
		SUITE_ROW("%zu: %s", i, specs[i]);
		CU_ASSERT_EQUAL_FATAL(ovirt_domain(specs[i], NULL, &domain), 0);
		CU_ASSERT_EQUAL(ovirt_list_add(&list, &domain, false, 20049), -EINVAL);
	}
	CU_ASSERT_EQUAL(list.count, 0);
}

static void adding_a_domain_again_replaces_it(void)
{
	_cleanup_free_ char *text = NULL;
	struct ovirt_domain domain;

	empty(OVIRT_NFSMOUNT);
	add("nas1:/vm");
	CU_ASSERT_EQUAL_FATAL(ovirt_domain("nas1:/vm/", NULL, &domain), 0);
	CU_ASSERT_EQUAL(ovirt_list_add(&list, &domain, true, 20050), 0);
	CU_ASSERT_EQUAL(list.count, 1);
	text = written(OVIRT_BY_DIRECTORY);
	ASSERT_CONTAINS(text, "proto=rdma6\nport=20050\n");
	ovirt_list_fini(&list);
}

SUITE_MAIN("ovirt-list", TEST(a_file_is_a_section_for_each_domain),
	   TEST(servers_have_one_section_each), TEST(the_policy_pattern_has_no_wildcards),
	   TEST(a_file_is_read_as_it_was_written),
	   TEST(a_changed_file_belongs_to_the_administrator),
	   TEST(files_that_nfs_utils_cannot_read_are_refused),
	   TEST(adding_a_domain_again_replaces_it))
