/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The table of paths: bounded, and the least recently used is evicted first. */
#include <inttypes.h>

#include "rpcrdma/server/internal.h"
#include "tests/unit/suite.h"

static struct path_table *table;
static char path[4096];

static void a_path_is_found_by_device_and_inode(void)
{
	table = path_table_new();
	CU_ASSERT_EQUAL(path_table_put(table, 1, 2, "one-two"), 0);
	CU_ASSERT_EQUAL(path_table_get(table, 1, 2, path, sizeof(path)), 0);
	CU_ASSERT_STRING_EQUAL(path, "one-two");
	CU_ASSERT_EQUAL(path_table_get(table, 2, 2, path, sizeof(path)), -ESTALE);
	CU_ASSERT_EQUAL(path_table_get(table, 1, 3, path, sizeof(path)), -ESTALE);
	path_table_free(table);
}

static void a_later_path_replaces_the_earlier(void)
{
	table = path_table_new();
	CU_ASSERT_EQUAL(path_table_put(table, 1, 2, "before"), 0);
	CU_ASSERT_EQUAL(path_table_put(table, 1, 2, "after"), 0);
	CU_ASSERT_EQUAL(path_table_get(table, 1, 2, path, sizeof(path)), 0);
	CU_ASSERT_STRING_EQUAL(path, "after");
	path_table_free(table);
}

static void a_path_that_does_not_fit_is_not_returned(void)
{
	table = path_table_new();
	CU_ASSERT_EQUAL(path_table_put(table, 1, 2, "12345678"), 0);
	CU_ASSERT_EQUAL(path_table_get(table, 1, 2, path, 8), -ESTALE);
	CU_ASSERT_EQUAL(path_table_get(table, 1, 2, path, 9), 0);
	path_table_free(table);
}

static void recently_used_paths_are_kept(void)
{
	uint64_t ino;

	table = path_table_new();
	for (ino = 0; ino < 100000; ino++) {
		SUITE_ROW("ino %" PRIu64, ino);
		CU_ASSERT_EQUAL(path_table_put(table, 7, ino, "p"), 0);
		CU_ASSERT_EQUAL(path_table_get(table, 7, 0, path, sizeof(path)), 0);
	}
	CU_ASSERT_EQUAL(path_table_get(table, 7, 1, path, sizeof(path)), -ESTALE);
	CU_ASSERT_EQUAL(path_table_get(table, 7, 99999 - 65536 + 1, path, sizeof(path)), -ESTALE);
	CU_ASSERT_EQUAL(path_table_get(table, 7, 99999 - 65536 + 2, path, sizeof(path)), 0);
	path_table_free(table);
}

static void long_paths_are_bounded_in_bytes(void)
{
	uint64_t ino;

	table = path_table_new();
	memset(path, 'x', sizeof(path) - 1);
	for (ino = 0; ino < 10000; ino++) {
		SUITE_ROW("ino %" PRIu64, ino);
		CU_ASSERT_EQUAL(path_table_put(table, 7, ino, path), 0);
	}
	CU_ASSERT_EQUAL(path_table_get(table, 7, 10000 - 4096 - 1, path, sizeof(path)), -ESTALE);
	CU_ASSERT_EQUAL(path_table_get(table, 7, 10000 - 4096, path, sizeof(path)), 0);
	path_table_free(table);
}

SUITE_MAIN("export-path", TEST(a_path_is_found_by_device_and_inode),
	   TEST(a_later_path_replaces_the_earlier), TEST(a_path_that_does_not_fit_is_not_returned),
	   TEST(recently_used_paths_are_kept), TEST(long_paths_are_bounded_in_bytes))
