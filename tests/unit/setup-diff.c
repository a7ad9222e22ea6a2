/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Differences, as diff -u prints them. */
#include "plugin/setup/internal.h"
#include "tests/unit/suite.h"

static char *diff(const char *before, const char *after)
{
	char *text = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&text, &len);

	diff_print(out, "etc/f", before, after);
	fclose(out);
	return text;
}

static void expect(const char *before, const char *after, const char *want)
{
	char *got = diff(before, after);

	CU_ASSERT_STRING_EQUAL(got, want);
	free(got);
}

static void a_new_file_is_compared_with_an_empty_one(void)
{
	expect(NULL, "a\nb\n", "--- /dev/null\n+++ /etc/f\n@@ -0,0 +1,2 @@\n+a\n+b\n");
	expect("a\n", NULL, "--- /etc/f\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n");
}

static void a_change_has_three_lines_of_context(void)
{
	expect("1\n2\n3\n4\n5\n6\n7\n8\n9\n", "1\n2\n3\n4\nx\n6\n7\n8\n9\n",
	       "--- /etc/f\n+++ /etc/f\n@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+x\n 6\n 7\n 8\n");
}

static void distant_changes_are_two_hunks(void)
{
	expect("1\n2\n3\n4\n5\n6\n7\n8\n9\n", "0\n1\n2\n3\n4\n5\n6\n7\n8\n",
	       "--- /etc/f\n+++ /etc/f\n@@ -1,3 +1,4 @@\n+0\n 1\n 2\n 3\n"
	       "@@ -6,4 +7,3 @@\n 6\n 7\n 8\n-9\n");
}

static void near_changes_are_one_hunk(void)
{
	expect("1\n2\n3\n4\n5\n6\n7\n8\n", "x\n2\n3\n4\n5\n6\n7\ny\n",
	       "--- /etc/f\n+++ /etc/f\n@@ -1,8 +1,8 @@\n-1\n+x\n 2\n 3\n 4\n 5\n 6\n 7\n-8\n+y\n");
}

static void common_lines_are_kept(void)
{
	expect("a\nb\nc\n", "b\nx\nc\n",
	       "--- /etc/f\n+++ /etc/f\n@@ -1,3 +1,3 @@\n-a\n b\n+x\n c\n");
}

static void a_missing_newline_is_reported(void)
{
	expect("a", "a\n",
	       "--- /etc/f\n+++ /etc/f\n@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+a\n");
}

static void control_characters_are_escaped(void)
{
	expect("", "\033[2J\ta\xff\n",
	       "--- /etc/f\n+++ /etc/f\n@@ -0,0 +1 @@\n+\\x1b[2J\ta\\xff\n");
}

/* Too large for the table: replaced as a whole, at once. */
static void large_texts_are_bounded(void)
{
	enum { LINES = 20000 };
	char *a = calloc(LINES + 1, 8), *b = calloc(LINES + 1, 8), *got;
	unsigned int i;

	for (i = 0; i < LINES; i++) {
		sprintf(a + strlen(a), "%u\n", i % 10);
		sprintf(b + strlen(b), "%u\n", (i + 5) % 7);
		if (i % 1000 == 0)
			i += 400;
	}
	got = diff(a, b);
	ASSERT_MORE(strlen(got), 10000);
	free(got);
	free(a);
	free(b);
}

SUITE_MAIN("setup-diff", TEST(a_new_file_is_compared_with_an_empty_one),
	   TEST(a_change_has_three_lines_of_context), TEST(distant_changes_are_two_hunks),
	   TEST(near_changes_are_one_hunk), TEST(common_lines_are_kept),
	   TEST(a_missing_newline_is_reported), TEST(control_characters_are_escaped),
	   TEST(large_texts_are_bounded))
