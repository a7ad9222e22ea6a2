/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* A snapshot's index: what was not queried when it was taken is unknown, not absent. */
#include "plugin/host/snapshot-index.h"
#include "tests/unit/host-tree.h"

#define INDEX(members) "{\"schema\": \"nfsrdma-snapshot/1\", \"version\": \"0.1.0\", " members "}"
#define EMPTY          INDEX("\"listed\": [], \"absent\": [], \"errors\": {}")

static struct tree tree;
static char buf[256];

/* Opens the root again with this index. */
static int reopen(const char *index)
{
	tree_write(&tree, ".nfsrdma/index.json", index);
	host_close(tree.host);
	tree.host = NULL;
	return host_open(&tree.host, tree.root);
}

static void begin(const char *index)
{
	tree_new(&tree);
	CU_ASSERT_EQUAL_FATAL(reopen(index), 0);
}

static int list(const char *path)
{
	struct host_list names = { NULL, 0, false };
	int rc = host_list(tree.host, path, &names);

	host_list_fini(&names);
	return rc;
}

static void a_directory_without_an_index_is_a_machine(void)
{
	tree_new(&tree);
	CU_ASSERT_FALSE(host_is_snapshot(tree.host));
	CU_ASSERT_EQUAL(host_exists(tree.host, "etc/nfs.conf"), -ENOENT);
	tree_free(&tree);
	begin(EMPTY);
	CU_ASSERT_TRUE(host_is_snapshot(tree.host));
	tree_free(&tree);
}

static void unrecorded_questions_are_unknown(void)
{
	begin(INDEX("\"listed\": [\"etc/z\", \"etc/b\"], "
		    "\"absent\": [\"etc/x\", \"etc/a\"], \"errors\": {}"));
	tree_write(&tree, "etc/b/file", "text");
	tree_write(&tree, "etc/c/file", "text");
	CU_ASSERT_EQUAL(host_exists(tree.host, "etc/other"), -ENODATA);
	ASSERT_CONTAINS(err_text(), "the snapshot does not hold /etc/other");
	CU_ASSERT_EQUAL(host_attr(tree.host, "/etc/a", buf, sizeof(buf)), -ENOENT);
	CU_ASSERT_EQUAL(host_attr(tree.host, "etc/x/below/it", buf, sizeof(buf)), -ENOENT);
	CU_ASSERT_EQUAL(host_link(tree.host, "etc/xy", buf, sizeof(buf)), -ENODATA);
	/* All names of a listed directory are known. */
	CU_ASSERT_EQUAL(host_exists(tree.host, "etc/b/other"), -ENOENT);
	CU_ASSERT_EQUAL(host_exists(tree.host, "etc/b/other/below"), -ENOENT);
	CU_ASSERT_EQUAL(host_exists(tree.host, "etc/c/other"), -ENODATA);
	CU_ASSERT_EQUAL(list("etc/b"), 0);
	CU_ASSERT_EQUAL(list("etc/c"), -ENODATA);
	ASSERT_CONTAINS(err_text(), "the names in /etc/c");
	CU_ASSERT_EQUAL(list("etc/a"), -ENOENT);
	CU_ASSERT_EQUAL(list("etc/b/file"), -ENOTDIR);
	CU_ASSERT_EQUAL(host_attr(tree.host, "etc/c/file", buf, sizeof(buf)), 0);
	/* The record is complete by itself. */
	CU_ASSERT_EQUAL(host_exists(tree.host, ".nfsrdma/nft.json"), -ENOENT);
	tree_free(&tree);
}

static void an_unrecorded_link_target_is_unknown(void)
{
	begin(INDEX("\"listed\": [\"sys\"], \"absent\": [\"sys/dangling\"], "
		    "\"errors\": {}"));
	tree_link(&tree, "sys/eth0", "../devices/eth0");
	tree_link(&tree, "sys/dangling", "nowhere");
	CU_ASSERT_EQUAL(host_exists(tree.host, "sys/eth0/mtu"), -ENODATA);
	CU_ASSERT_EQUAL(host_exists(tree.host, "sys/dangling"), -ENOENT);
	CU_ASSERT_EQUAL(host_link(tree.host, "sys/eth0", buf, sizeof(buf)), 0);
	tree_free(&tree);
}

static void an_error_is_replayed_with_its_text(void)
{
	begin(INDEX("\"listed\": [], \"absent\": [], \"errors\": {"
		    "\"proc/p\": {\"error\": \"EACCES\", \"text\": \"/proc/p: no\"}, "
		    "\"proc/gone\": {\"error\": \"ELOOP\", \"text\": \"/proc/gone: loop\"}, "
		    "\"proc/d\": {\"error\": \"EIO\", \"text\": \"list /proc/d: bad\"}}"));
	tree_write(&tree, "proc/p", snapshot_index_unread);
	tree_mkdir(&tree, "proc/d");
	CU_ASSERT_EQUAL(host_exists(tree.host, "proc/p"), 0);
	CU_ASSERT_EQUAL(host_attr(tree.host, "proc/p", buf, sizeof(buf)), -EACCES);
	CU_ASSERT_STRING_EQUAL(err_text(), "/proc/p: no");
	CU_ASSERT_EQUAL(host_exists(tree.host, "proc/gone"), -ELOOP);
	CU_ASSERT_STRING_EQUAL(err_text(), "/proc/gone: loop");
	CU_ASSERT_EQUAL(list("proc/d"), -EIO);
	CU_ASSERT_EQUAL(host_exists(tree.host, "proc/d"), 0);
	tree_free(&tree);
}

static void a_file_recorded_by_name_only_has_no_content(void)
{
	begin(EMPTY);
	tree_write(&tree, "etc/a", snapshot_index_unread);
	CU_ASSERT_EQUAL(host_exists(tree.host, "etc/a"), 0);
	CU_ASSERT_EQUAL(host_attr(tree.host, "etc/a", buf, sizeof(buf)), -ENODATA);
	ASSERT_CONTAINS(err_text(), "the content of /etc/a");
	tree_bytes(&tree, "etc/a", snapshot_index_unread, strlen(snapshot_index_unread) - 1);
	CU_ASSERT_EQUAL(host_attr(tree.host, "etc/a", buf, sizeof(buf)), 0);
	tree_free(&tree);
}

static void unrecorded_packages_are_unknown(void)
{
	begin(EMPTY);
	tree_write(&tree, ".nfsrdma/packages", "nfs-utils 1:2.5.4-1.el9\nnfs-common\n");
	CU_ASSERT_EQUAL(host_package(tree.host, "nfs-utils", buf, sizeof(buf)), 0);
	CU_ASSERT_STRING_EQUAL(buf, "1:2.5.4-1.el9");
	CU_ASSERT_EQUAL(host_package(tree.host, "nfs-common", buf, sizeof(buf)), -ENOENT);
	CU_ASSERT_EQUAL(host_package(tree.host, "kernel", buf, sizeof(buf)), -ENODATA);
	tree_free(&tree);
}

static void an_invalid_index_is_refused(void)
{
	static const char *const bad[] = {
		"",
		"[]",
		"{",
		"{}",
		"{\"schema\": 1}",
		"{\"schema\": \"nfsrdma-snapshot/2\"}",
		INDEX("\"listed\": [], \"absent\": []"),
		INDEX("\"listed\": {}, \"absent\": [], \"errors\": {}"),
		INDEX("\"listed\": [], \"absent\": [1], \"errors\": {}"),
		INDEX("\"listed\": [null], \"absent\": [], \"errors\": {}"),
		INDEX("\"listed\": [], \"absent\": [], \"errors\": []"),
	};
	size_t i;

	tree_new(&tree);
	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		SUITE_ROW("%zu: %s", i, bad[i]);
		CU_ASSERT_EQUAL(reopen(bad[i]), -EBADMSG);
		CU_ASSERT_NOT_EQUAL(*err_text(), '\0');
	}
	tree_free(&tree);
	/* Only errors that are looked up are parsed. */
	begin(INDEX("\"listed\": [], \"absent\": [], \"errors\": {\"a\": 1, "
		    "\"b\": {\"error\": \"EPONY\", \"text\": \"\"}, "
		    "\"c\": {\"error\": \"EIO\", \"text\": \"a\\u0007b\"}, \"d\": null}"));
	CU_ASSERT_EQUAL(host_exists(tree.host, "a"), -EBADMSG);
	CU_ASSERT_EQUAL(host_exists(tree.host, "b"), -EBADMSG);
	CU_ASSERT_EQUAL(host_exists(tree.host, "c"), -EBADMSG);
	CU_ASSERT_EQUAL(host_exists(tree.host, "d"), -EBADMSG);
	tree_free(&tree);
}

SUITE_MAIN("host-index", TEST(a_directory_without_an_index_is_a_machine),
	   TEST(unrecorded_questions_are_unknown), TEST(an_unrecorded_link_target_is_unknown),
	   TEST(an_error_is_replayed_with_its_text),
	   TEST(a_file_recorded_by_name_only_has_no_content), TEST(unrecorded_packages_are_unknown),
	   TEST(an_invalid_index_is_refused))
