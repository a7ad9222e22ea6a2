/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The configuration of nfs-utils; errors are handled as nfs-utils does. */
#include <strings.h>

#include "tests/unit/host-tree.h"

static struct tree tree;
static struct conf *conf;

static void parse(const char *text)
{
	char *copy = strdup(text);

	conf = conf_new();
	CU_ASSERT_EQUAL_FATAL(conf_add(conf, NULL, "f", copy), 0);
	free(copy);
}

static const char *get(const char *section, const char *arg, const char *key)
{
	const struct conf_value *value = conf_get(conf, section, arg, key);

	return value ? value->value : "(unset)";
}

static void done(void)
{
	conf_close(conf);
	conf = NULL;
}

static void names_are_case_insensitive_and_values_are_not(void)
{
	parse("[ NFSD ]\n RDMA-Port = 20050 \n[Server \"Nas1\"]\nProto=Rdma\n");
	CU_ASSERT_STRING_EQUAL(get("nfsd", NULL, "rdma-port"), "20050");
	CU_ASSERT_STRING_EQUAL(get("server", "nas1", "proto"), "Rdma");
	CU_ASSERT_STRING_EQUAL(get("server", NULL, "proto"), "(unset)");
	CU_ASSERT_STRING_EQUAL(get("nfsd", "x", "rdma-port"), "(unset)");
	CU_ASSERT_EQUAL(conf_get(conf, "nfsd", NULL, "rdma-port")->line, 2);
	CU_ASSERT_STRING_EQUAL(conf_get(conf, "nfsd", NULL, "rdma-port")->file, "f");
	CU_ASSERT_PTR_NULL(conf_problem(conf));
	done();
}

static void comments_and_quotes_end_a_value(void)
{
	parse("[s]\n# c\n; c\na=1 # x\nb=\"1 # x\" y\nc='a;b'\nd=a;b\ne=\nf=x=y\n"
	      "g=\"\"\nh=one \\\n two\n");
	CU_ASSERT_STRING_EQUAL(get("s", NULL, "a"), "1");
	CU_ASSERT_STRING_EQUAL(get("s", NULL, "b"), "1 # x");
	CU_ASSERT_STRING_EQUAL(get("s", NULL, "c"), "a;b");
	CU_ASSERT_STRING_EQUAL(get("s", NULL, "d"), "a");
	CU_ASSERT_STRING_EQUAL(get("s", NULL, "e"), "(unset)");
	CU_ASSERT_STRING_EQUAL(get("s", NULL, "f"), "x=y");
	CU_ASSERT_STRING_EQUAL(get("s", NULL, "g"), "(unset)");
	CU_ASSERT_STRING_EQUAL(get("s", NULL, "h"), "one    two");
	done();
}

static void the_later_setting_wins_within_its_section(void)
{
	parse("[Server \"a\"]\nproto=rdma\n[Server \"b\"]\nproto=tcp\n[server \"A\"]\n"
	      "proto=rdma6\n");
	CU_ASSERT_STRING_EQUAL(get("Server", "a", "proto"), "rdma6");
	CU_ASSERT_STRING_EQUAL(get("Server", "b", "proto"), "tcp");
	done();
}

static void a_syntax_error_is_skipped_and_recorded(void)
{
	static const struct {
		const char *text, *problem;
	} rows[] = {
		{ "a=1\n[s]\n", "f:1: a line outside every section is ignored" },
		{ "[s]\nwhat\n", "f:2: neither a section nor \"key = value\"" },
		{ "[s]\na=\"x\n", "f:2: a quote without its second" },
		{ "[s\na=1\n", "f:1: a section without \"]\"; its lines are ignored" },
		{ "[s]\n=1\n", "f:2: a value without a key" },
		{ "[ Server \"[::1]\" ]\na=1\n",
		  "f:1: the section's argument has no second quote" },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		SUITE_ROW("%zu: %s", i, rows[i].text);
		parse(rows[i].text);
		CU_ASSERT_PTR_NOT_NULL_FATAL(conf_problem(conf));
		CU_ASSERT_STRING_EQUAL(conf_problem(conf), rows[i].problem);
		CU_ASSERT_STRING_EQUAL(get("s", NULL, "a"), "(unset)");
		done();
	}
	/* It matches every IPv6 literal: the server name ends at the first colon. */
	parse("[ Server \"[\" ]\nproto=rdma\n");
	CU_ASSERT_STRING_EQUAL(get("server", "[", "proto"), "rdma");
	done();
}

static void a_setting_after_an_open_quote_is_fatal(void)
{
	static const struct {
		const char *text, *deadly;
	} rows[] = {
		{ "[ Server \"[::1]\" ]\n\n# a\nproto=rdma6\nport=1\n", "f:4" },
		{ "[ Server \"nas ]\nport=1\n[ Server \"b ]\nport=2\n", "f:2" },
		{ "[ Server \"[::1]\" ]\n[s]\na=1\n", NULL },
		{ "[ Server \"[::1]\" ]\n", NULL },
		{ "[s]\na=\"x\n", NULL },
	};
	const char *deadly;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		SUITE_ROW("%zu: %s", i, rows[i].text);
		parse(rows[i].text);
		deadly = conf_crash(conf);
		CU_ASSERT_EQUAL(!deadly, !rows[i].deadly);
		if (deadly && rows[i].deadly)
			CU_ASSERT_STRING_EQUAL(deadly, rows[i].deadly);
		done();
	}
}

static void a_last_line_without_newline_is_dropped(void)
{
	parse("[nfsd]\nrdma=y\nrdma-port=20049");
	CU_ASSERT_STRING_EQUAL(get("nfsd", NULL, "rdma"), "y");
	CU_ASSERT_STRING_EQUAL(get("nfsd", NULL, "rdma-port"), "(unset)");
	CU_ASSERT_STRING_EQUAL(conf_cut_file(conf), "f");
	done();
	parse("[nfsd]\nrdma=y\n# end");
	CU_ASSERT_PTR_NULL(conf_cut_file(conf));
	done();
	parse("[nfsd]\nrdma=y\\\n");
	CU_ASSERT_STRING_EQUAL(get("nfsd", NULL, "rdma"), "(unset)");
	CU_ASSERT_STRING_EQUAL(conf_cut_file(conf), "f");
	done();
}

static void a_value_may_come_from_the_environment_section(void)
{
	tree_machine(&tree, "irdma-iwarp-sles15");
	CU_ASSERT_EQUAL_FATAL(conf_open(&conf, tree.host, "etc/nfs.conf"), 0);
	CU_ASSERT_STRING_EQUAL(get("nfsd", NULL, "rdma"), "n");
	CU_ASSERT_STRING_EQUAL(conf_get(conf, "nfsd", NULL, "rdma")->file, "etc/sysconfig/nfs");
	CU_ASSERT_PTR_NULL(conf_problem(conf));
	done();
	tree_free(&tree);
	parse("[environment]\na=$b\nb=$a\n[s]\nx=$a\ny=$none\n");
	CU_ASSERT_NOT_EQUAL(get("s", NULL, "x")[0], '\0');
	CU_ASSERT_STRING_EQUAL(get("s", NULL, "y"), "(unset)");
	done();
}

static void drop_ins_come_after_in_version_order(void)
{
	tree_machine(&tree, "mlx5-ib-rhel8");
	tree_write(&tree, "etc/nfs.conf.d/9.conf", "[nfsd]\nthreads=9\n");
	tree_write(&tree, "etc/nfs.conf.d/10.conf", "[nfsd]\nthreads=10\n");
	tree_write(&tree, "etc/nfs.conf.d/99.rpmsave", "[nfsd]\nthreads=99\n");
	tree_write(&tree, "etc/nfs.conf.d/.x.conf", "[nfsd]\nthreads=98\n");
	CU_ASSERT_EQUAL_FATAL(conf_open(&conf, tree.host, "etc/nfs.conf"), 0);
	CU_ASSERT_STRING_EQUAL(get("nfsd", NULL, "rdma"), "y");
	CU_ASSERT_STRING_EQUAL(get("nfsd", NULL, "threads"), "10");
	CU_ASSERT_STRING_EQUAL(conf_get(conf, "nfsd", NULL, "rdma-port")->file,
			       "etc/nfs.conf.d/rdma.conf");
	CU_ASSERT_EQUAL(conf_bool(conf_get(conf, "nfsd", NULL, "rdma"), -1), 1);
	CU_ASSERT_EQUAL(conf_bool(conf_get(conf, "nfsd", NULL, "threads"), -1), -1);
	CU_ASSERT_EQUAL(conf_bool(conf_get(conf, "nfsd", NULL, "none"), 0), 0);
	done();
	tree_free(&tree);
}

static void files_in_usr_apply_if_etc_has_none(void)
{
	tree_new(&tree);
	tree_write(&tree, "usr/etc/nfs.conf", "[nfsd]\nrdma=y\nthreads=1\n");
	CU_ASSERT_EQUAL_FATAL(conf_open(&conf, tree.host, "etc/nfs.conf"), 0);
	CU_ASSERT_STRING_EQUAL(get("nfsd", NULL, "rdma"), "y");
	done();
	tree_write(&tree, "etc/nfs.conf", "[nfsd]\nthreads=2\n");
	CU_ASSERT_EQUAL_FATAL(conf_open(&conf, tree.host, "etc/nfs.conf"), 0);
	CU_ASSERT_STRING_EQUAL(get("nfsd", NULL, "rdma"), "(unset)");
	done();
	tree_free(&tree);
}

static void an_include_that_cannot_be_read_is_an_error(void)
{
	tree_new(&tree);
	tree_write(&tree, "etc/nfs.conf", "[nfsd]\ninclude=more\n");
	CU_ASSERT_EQUAL_FATAL(conf_open(&conf, tree.host, "etc/nfs.conf"), 0);
	CU_ASSERT_STRING_EQUAL(conf_problem(conf), "etc/nfs.conf:2: it includes etc/more, "
						   "which is not there");
	done();
	tree_write(&tree, "etc/more", "rdma=y\n[other]\n");
	CU_ASSERT_EQUAL_FATAL(conf_open(&conf, tree.host, "etc/nfs.conf"), 0);
	CU_ASSERT_STRING_EQUAL(get("nfsd", NULL, "rdma"), "y");
	done();
	tree_write(&tree, "etc/more", "include=nfs.conf\n");
	CU_ASSERT_EQUAL(conf_open(&conf, tree.host, "etc/nfs.conf"), -ELOOP);
	tree_fifo(&tree, "etc/more");
	CU_ASSERT_EQUAL(conf_open(&conf, tree.host, "etc/nfs.conf"), -EINVAL);
	tree_fifo(&tree, "etc/nfs.conf");
	CU_ASSERT_EQUAL(conf_open(&conf, tree.host, "etc/nfs.conf"), -EINVAL);
	tree_free(&tree);
}

static int count_proto(void *arg, const char *section_arg, const char *key,
		       const struct conf_value *value)
{
	unsigned int *count = arg;

	(void)value;
	*count += section_arg && !strcasecmp(key, "proto");
	return 0;
}

static void every_section_with_a_name_is_read(void)
{
	unsigned int count = 0;

	parse("[Server \"a\"]\nproto=rdma\nport=1\n[Server \"b\"]\nproto=rdma\n[x]\nproto=x\n");
	CU_ASSERT_EQUAL(conf_each(conf, "server", count_proto, &count), 0);
	CU_ASSERT_EQUAL(count, 2);
	done();
}

static void sizes_are_bounded(void)
{
	static char text[200000];
	size_t len, i;

	len = (size_t)sprintf(text, "[s]\n");
	for (i = 0; i < 5000; i++)
		len += (size_t)sprintf(text + len, "k%zu=v\n", i);
	conf = conf_new();
	CU_ASSERT_EQUAL(conf_add(conf, NULL, "f", text), -EFBIG);
	done();
	/* A line of 64 KiB. */
	memset(text, 'x', 65536);
	memcpy(text, "[s]\nlong=", 9);
	strcpy(text + 65536, "\n");
	parse(text);
	CU_ASSERT_EQUAL(strlen(get("s", NULL, "long")), 65536 - 9);
	done();
}

static const char *get_as(const char *file, const char *text)
{
	static char value[32];

	CU_ASSERT_EQUAL_FATAL(conf_open_as(&conf, tree.host, "etc/nfs.conf", file, text), 0);
	snprintf(value, sizeof(value), "%s", get("nfsd", NULL, "threads"));
	done();
	return value;
}

/* In its place among the others: added, replaced, or removed. */
static void the_text_of_a_file_can_be_substituted(void)
{
	static const char text[] = "[nfsd]\nthreads=1\n";

	tree_new(&tree);
	CU_ASSERT_STRING_EQUAL(get_as("etc/nfs.conf.d/5.conf", text), "1");
	tree_write(&tree, "etc/nfs.conf", "[nfsd]\nthreads=2\n");
	CU_ASSERT_STRING_EQUAL(get_as("etc/nfs.conf.d/5.conf", text), "1");
	tree_write(&tree, "etc/nfs.conf.d/10.conf", "[nfsd]\nthreads=10\n");
	CU_ASSERT_STRING_EQUAL(get_as("etc/nfs.conf.d/5.conf", text), "10");
	CU_ASSERT_STRING_EQUAL(get_as("etc/nfs.conf.d/20.conf", text), "1");
	CU_ASSERT_STRING_EQUAL(get_as("etc/nfs.conf.d/10.conf", text), "1");
	CU_ASSERT_STRING_EQUAL(get_as("etc/nfs.conf.d/10.conf", NULL), "2");
	CU_ASSERT_STRING_EQUAL(get_as("etc/nfs.conf.d/20.conf", NULL), "10");
	tree_free(&tree);
}

/* As mount.nfs does: not even a bracketed address is recognized as one. */
static void the_sections_of_a_mount_are_in_mount_nfs_order(void)
{
	struct conf_mount mount;

	conf_mount(&mount, "nas:/vm", "/srv/vm");
	CU_ASSERT_STRING_EQUAL(mount.sections[0].section, "MountPoint");
	CU_ASSERT_STRING_EQUAL(mount.sections[0].arg, "/srv/vm");
	CU_ASSERT_STRING_EQUAL(mount.sections[1].section, "Server");
	CU_ASSERT_STRING_EQUAL(mount.sections[1].arg, "nas");
	CU_ASSERT_STRING_EQUAL(mount.sections[2].section, "NFSMount_Global_Options");
	CU_ASSERT_PTR_NULL(mount.sections[2].arg);
	conf_mount(&mount, "[2001:db8::1]:/vm", "/srv/vm");
	CU_ASSERT_STRING_EQUAL(mount.sections[1].arg, "[2001");
}

SUITE_MAIN("host-conf", TEST(names_are_case_insensitive_and_values_are_not),
	   TEST(comments_and_quotes_end_a_value), TEST(the_later_setting_wins_within_its_section),
	   TEST(a_syntax_error_is_skipped_and_recorded),
	   TEST(a_setting_after_an_open_quote_is_fatal),
	   TEST(a_last_line_without_newline_is_dropped),
	   TEST(a_value_may_come_from_the_environment_section),
	   TEST(drop_ins_come_after_in_version_order), TEST(files_in_usr_apply_if_etc_has_none),
	   TEST(an_include_that_cannot_be_read_is_an_error),
	   TEST(every_section_with_a_name_is_read), TEST(sizes_are_bounded),
	   TEST(the_text_of_a_file_can_be_substituted),
	   TEST(the_sections_of_a_mount_are_in_mount_nfs_order))
