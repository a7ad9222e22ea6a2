/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Lines, words and texts. */
#include "plugin/host/internal.h"
#include "tests/unit/suite.h"

static void lines_end_with_the_text(void)
{
	char text[] = "a\n\nb", *cursor = text;

	CU_ASSERT_STRING_EQUAL(line_next(&cursor), "a");
	CU_ASSERT_STRING_EQUAL(line_next(&cursor), "");
	CU_ASSERT_STRING_EQUAL(line_next(&cursor), "b");
	CU_ASSERT_PTR_NULL(line_next(&cursor));
	CU_ASSERT_PTR_NULL(line_next(&cursor));
}

static void words_are_separated_by_blanks(void)
{
	char text[] = "  one\ttwo \n", *cursor = text;

	CU_ASSERT_STRING_EQUAL(word_next(&cursor), "one");
	CU_ASSERT_STRING_EQUAL(word_next(&cursor), "two");
	CU_ASSERT_PTR_NULL(word_next(&cursor));
	CU_ASSERT_PTR_NULL(word_next(&cursor));
}

static void joined_lines_are_counted(void)
{
	char text[] = "a \\\nb\nc\\\n", *cursor = text;
	unsigned int number = 0;

	CU_ASSERT_STRING_EQUAL(line_next_joined(&cursor, &number), "a   b");
	CU_ASSERT_EQUAL(number, 2);
	CU_ASSERT_STRING_EQUAL(line_next_joined(&cursor, &number), "c  ");
	CU_ASSERT_PTR_NULL(line_next_joined(&cursor, &number));
}

static void a_copy_is_truncated_between_characters(void)
{
	char buf[6];

	CU_ASSERT_STRING_EQUAL(text_copy(buf, sizeof(buf), "abcdefg"), "abcde");
	CU_ASSERT_STRING_EQUAL(text_copy(buf, sizeof(buf), "abcd\xc3\xa9"), "abcd");
	CU_ASSERT_STRING_EQUAL(text_copy(buf, sizeof(buf), "a\nb\xff"), "a?b?");
	CU_ASSERT_STRING_EQUAL(text_copy(buf, sizeof(buf), ""), "");
}

static void trimming_removes_blanks_at_both_ends(void)
{
	char text[] = " \t a b \r\n", blank[] = "  ";

	CU_ASSERT_STRING_EQUAL(text_trim(text), "a b");
	CU_ASSERT_STRING_EQUAL(text_trim(blank), "");
	CU_ASSERT_TRUE(text_ends_with("x.conf", ".conf"));
	CU_ASSERT_FALSE(text_ends_with("conf", ".conf"));
}

SUITE_MAIN("host-text", TEST(lines_end_with_the_text),
	   TEST(words_are_separated_by_blanks), TEST(joined_lines_are_counted),
	   TEST(a_copy_is_truncated_between_characters),
	   TEST(trimming_removes_blanks_at_both_ends))
