/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Our part of a file: written, found again, removed; the text around it is kept. */
#include "plugin/ovirt/ovirt.h"
#include "tests/unit/suite.h"

static struct ovirt_part part;

static void add(const char *spec)
{
	struct ovirt_domain domain;

	CU_ASSERT_EQUAL_FATAL(ovirt_domain(spec, NULL, &domain), 0);
	CU_ASSERT_EQUAL(ovirt_part_add(&part, &domain, domain.parsed.family == IP_V6, 20049), 0);
}

static void empty(enum ovirt_file file)
{
	ovirt_part_fini(&part);
	CU_ASSERT_EQUAL_FATAL(ovirt_part_read(&part, file, NULL), 0);
	CU_ASSERT_EQUAL(part.count, 0);
}

/* The resulting text; the caller frees it. */
static char *written(enum ovirt_form form, const char *text)
{
	char *out = NULL;

	CU_ASSERT_EQUAL_FATAL(ovirt_part_write(&part, form, text, &out), 0);
	return out;
}

#define HEAD "# BEGIN nfsrdma ovirt policy; with --remove it goes. Written anew: do not edit.\n"
#define TAIL "# END nfsrdma ovirt policy\n"
#define VM                                                                   \
	HEAD "# domain nas1:/vm /rhev/data-center/mnt/nas1:_vm rdma 20049\n" \
	     "[ MountPoint \"/rhev/data-center/mnt/nas1:_vm\" ]\nproto=rdma\nport=20049\n" TAIL

static void a_part_is_a_section_for_each_domain(void)
{
	_cleanup_free_ char *text = NULL;

	empty(OVIRT_NFSMOUNT);
	add("nas1:/vm");
	text = written(OVIRT_BY_DIRECTORY, NULL);
	CU_ASSERT_STRING_EQUAL(text, VM);
}

static void servers_have_one_section_each(void)
{
	_cleanup_free_ char *text = NULL;

	empty(OVIRT_NFSMOUNT);
	add("nas1:/vm");
	add("NAS1:/iso");
	add("nas10:/vm");
	text = written(OVIRT_BY_SERVER, NULL);
	ASSERT_CONTAINS(text,
			"[ Server \"nas1\" ]\nproto=rdma\nport=20049\n[ Server \"nas10\" ]\n");
	ovirt_part_fini(&part);
	CU_ASSERT_EQUAL(ovirt_part_read(&part, OVIRT_NFSMOUNT, text), 0);
	CU_ASSERT_EQUAL(part.form, OVIRT_BY_SERVER);
	CU_ASSERT_EQUAL(part.count, 3);
}

static void the_policy_pattern_has_no_wildcards(void)
{
	_cleanup_free_ char *text = NULL;

	empty(OVIRT_GUARD);
	add("[2001:db8::1]:/a*b");
	text = written(OVIRT_BY_DIRECTORY, NULL);
	ASSERT_CONTAINS(
		text,
		"[directory /rhev/data-center/mnt/\\[2001:db8::1\\]:_a\\*b]\npolicy = require\n");
}

static void text_of_others_is_kept(void)
{
	_cleanup_free_ char *first = NULL, *second = NULL, *third = NULL;

	empty(OVIRT_NFSMOUNT);
	add("nas1:/vm");
	first = written(OVIRT_BY_DIRECTORY, "# mine\n[ Server \"x\" ]\nrsize=4096");
	CU_ASSERT_STRING_EQUAL(first, "# mine\n[ Server \"x\" ]\nrsize=4096\n" VM);
	ovirt_part_fini(&part);
	CU_ASSERT_EQUAL_FATAL(ovirt_part_read(&part, OVIRT_NFSMOUNT, first), 0);
	CU_ASSERT_EQUAL(part.count, 1);
	CU_ASSERT_STRING_EQUAL(part.list[0].spec, "nas1:/vm");
	second = written(OVIRT_BY_DIRECTORY, first);
	CU_ASSERT_STRING_EQUAL(second, first);
	CU_ASSERT(ovirt_part_remove(&part, "/rhev/data-center/mnt/nas1:_vm"));
	CU_ASSERT_EQUAL(ovirt_part_remove(&part, "/rhev/data-center/mnt/nas1:_vm"), 0);
	third = written(OVIRT_BY_DIRECTORY, VM "# more\n\n[ Server \"y\" ]\nwsize=1\n");
	CU_ASSERT_STRING_EQUAL(third, "# more\n\n[ Server \"y\" ]\nwsize=1\n");
}

/* An editor that removes the newline at the end of a file. */
static void a_part_without_its_last_newline_is_ours(void)
{
	_cleanup_free_ char *cut = strdup("# mine\n" VM), *again = NULL, *gone = NULL;

	CU_ASSERT_PTR_NOT_NULL_FATAL(cut);
	cut[strlen(cut) - 1] = '\0';
	ovirt_part_fini(&part);
	CU_ASSERT_EQUAL_FATAL(ovirt_part_read(&part, OVIRT_NFSMOUNT, cut), 0);
	CU_ASSERT_EQUAL(part.count, 1);
	again = written(OVIRT_BY_DIRECTORY, cut);
	CU_ASSERT_STRING_EQUAL(again, "# mine\n" VM);
	ovirt_part_fini(&part);
	gone = written(OVIRT_BY_DIRECTORY, cut);
	CU_ASSERT_STRING_EQUAL(gone, "# mine\n");
	/* Truncated elsewhere it is not our part. */
	cut[strlen(cut) - 1] = '\0';
	CU_ASSERT_EQUAL(ovirt_part_read(&part, OVIRT_NFSMOUNT, cut), -EBADMSG);
}

/* The key would move to another section when our part is removed. */
static void a_key_directly_after_the_part_is_named(void)
{
	static const struct {
		const char *behind, *words; /* NULL: unchanged */
	} rows[] = {
		{ "retrans=5\n", "line 7, 'retrans=5', follows it directly" },
		{ "# a\n ; b\n\n\t\r\n  retrans=5", "line 11, 'retrans=5'" },
		{ "include = /etc/x\n", "line 7, 'include = /etc/x'" },
		{ "# retrans=5\n", NULL },
		{ "\n # a\n\t[ Server \"nas2\" ]\nretrans=5\n", NULL },
	};
	struct ovirt_part mine;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		_cleanup_free_ char *text = NULL;
		int rc;
		SUITE_ROW("%zu: %s", i, rows[i].behind);

		ASSERT_MORE_FATAL(asprintf(&text, VM "%s", rows[i].behind), 0);
		rc = ovirt_part_read(&mine, OVIRT_NFSMOUNT, text);
		CU_ASSERT_EQUAL(rc, rows[i].words ? -EBADMSG : 0);
		if (!rc) {
			ovirt_part_fini(&mine);
			continue;
		}
		ASSERT_CONTAINS(err_text(), "has changed");
		ASSERT_CONTAINS(err_text(), rows[i].words);
	}
}

static void an_empty_file_is_removed(void)
{
	char none[] = "", *text = none;

	empty(OVIRT_NFSMOUNT);
	CU_ASSERT_EQUAL(ovirt_part_write(&part, OVIRT_BY_DIRECTORY, VM "\n \n", &text), 0);
	CU_ASSERT_PTR_NULL(text);
}

/* A backslash joins the next line, which would be our first one. */
static void a_continued_line_is_ended(void)
{
	_cleanup_free_ char *one = NULL, *two = NULL;

	empty(OVIRT_NFSMOUNT);
	add("nas1:/vm");
	one = written(OVIRT_BY_DIRECTORY, "a=b\\\n");
	CU_ASSERT_STRING_EQUAL(one, "a=b\\\n\n" VM);
	two = written(OVIRT_BY_DIRECTORY, "a=b\\");
	CU_ASSERT_STRING_EQUAL(two, "a=b\\\n\n" VM);
}

static void a_changed_part_belongs_to_the_administrator(void)
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
		"# BEGIN nfsrdma ovirt policy\n",
		HEAD "# domain nas1:/vm /rhev/data-center/mnt/nas1:_vm rdma 20049\n"
		     "[ MountPoint \"/rhev/data-center/mnt/nas1:_vm\" ]\nproto=rdma\nport=20049\n"
		     "# more\n" TAIL,
	};
	struct ovirt_part mine;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(texts); i++) {
		SUITE_ROW("%zu: %s", i, texts[i]);
		CU_ASSERT_EQUAL(ovirt_part_read(&mine, OVIRT_NFSMOUNT, texts[i]), -EBADMSG);
		ASSERT_CONTAINS(err_text(), "has changed");
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
		CU_ASSERT_EQUAL(ovirt_part_add(&part, &domain, false, 20049), -EINVAL);
	}
	CU_ASSERT_EQUAL(part.count, 0);
}

static void adding_a_domain_again_replaces_it(void)
{
	_cleanup_free_ char *text = NULL;
	struct ovirt_domain domain;

	empty(OVIRT_NFSMOUNT);
	add("nas1:/vm");
	CU_ASSERT_EQUAL_FATAL(ovirt_domain("nas1:/vm/", NULL, &domain), 0);
	CU_ASSERT_EQUAL(ovirt_part_add(&part, &domain, true, 20050), 0);
	CU_ASSERT_EQUAL(part.count, 1);
	text = written(OVIRT_BY_DIRECTORY, VM);
	ASSERT_CONTAINS(text, "proto=rdma6\nport=20050\n");
	ovirt_part_fini(&part);
}

SUITE_MAIN("ovirt-part", TEST(a_part_is_a_section_for_each_domain),
	   TEST(servers_have_one_section_each), TEST(the_policy_pattern_has_no_wildcards),
	   TEST(text_of_others_is_kept), TEST(a_part_without_its_last_newline_is_ours),
	   TEST(a_key_directly_after_the_part_is_named), TEST(an_empty_file_is_removed),
	   TEST(a_continued_line_is_ended), TEST(a_changed_part_belongs_to_the_administrator),
	   TEST(files_that_nfs_utils_cannot_read_are_refused),
	   TEST(adding_a_domain_again_replaces_it))
