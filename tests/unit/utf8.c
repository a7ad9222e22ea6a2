/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Escaping of foreign bytes, and wrapping of escaped text. */
#include "plugin/report/report.h"
#include "suite.h"

static const char *escaped(const char *text)
{
	static char buf[512];

	return utf8_clean(buf, sizeof(buf), text, UTF8_ESCAPE);
}

static const char *replaced(const char *text)
{
	static char buf[512];

	return utf8_clean(buf, sizeof(buf), text, UTF8_REPLACE);
}

static void good_text_is_left_alone(void)
{
	static const char good[] = "a~ \xc3\xa9 \xe2\x82\xac \xf0\x9f\x90\xa7 \xf4\x8f\xbf\xbf";

	CU_ASSERT_STRING_EQUAL(escaped(good), good);
	CU_ASSERT_STRING_EQUAL(replaced(good), good);
	CU_ASSERT_STRING_EQUAL(escaped(""), "");
}

static void controls_are_escaped(void)
{
	CU_ASSERT_STRING_EQUAL(escaped("a\nb\tc\033d\x7f"), "a\\x0a"
							    "b\\x09"
							    "c\\x1b"
							    "d\\x7f");
	CU_ASSERT_STRING_EQUAL(escaped("\xc2\x9b"
				       "2J"),
			       "\\xc2\\x9b2J");
	CU_ASSERT_STRING_EQUAL(replaced("\xc2\x9b\x01"), "\xef\xbf\xbd\xef\xbf\xbd");
}

static void marks_of_direction_are_escaped(void)
{
	CU_ASSERT_STRING_EQUAL(escaped("\xe2\x80\xae"), "\\xe2\\x80\\xae");
	CU_ASSERT_STRING_EQUAL(escaped("\xe2\x81\xa6"), "\\xe2\\x81\\xa6");
	CU_ASSERT_STRING_EQUAL(escaped("\xef\xbb\xbf"), "\\xef\\xbb\\xbf");
}

static void ill_formed_bytes_are_escaped_one_by_one(void)
{
	CU_ASSERT_STRING_EQUAL(escaped("\xff\x80"), "\\xff\\x80");
	CU_ASSERT_STRING_EQUAL(escaped("\xc0\xaf"), "\\xc0\\xaf");
	CU_ASSERT_STRING_EQUAL(escaped("\xe0\x80\xaf"), "\\xe0\\x80\\xaf");
	CU_ASSERT_STRING_EQUAL(escaped("\xed\xa0\x80"), "\\xed\\xa0\\x80");
	CU_ASSERT_STRING_EQUAL(escaped("\xf4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80");
	/* No character begins so, although the bits that follow would make U+10000. */
	CU_ASSERT_STRING_EQUAL(escaped("\xf8\x90\x80\x80"), "\\xf8\\x90\\x80\\x80");
	CU_ASSERT_STRING_EQUAL(escaped("\xe2\x82"), "\\xe2\\x82");
	CU_ASSERT_STRING_EQUAL(escaped("\xf0\x9f\x90"
				       "a"),
			       "\\xf0\\x9f\\x90"
			       "a");
}

static void truncation_falls_between_characters(void)
{
	char buf[6];

	CU_ASSERT_STRING_EQUAL(utf8_clean(buf, 6, "abcd\xc3\xa9", UTF8_ESCAPE), "abcd");
	CU_ASSERT_STRING_EQUAL(utf8_clean(buf, 6, "a\033b", UTF8_ESCAPE), "a\\x1b");
	CU_ASSERT_STRING_EQUAL(utf8_clean(buf, 5, "a\033b", UTF8_ESCAPE), "a");
	CU_ASSERT_STRING_EQUAL(utf8_clean(buf, 1, "abc", UTF8_ESCAPE), "");
}

static void a_character_takes_a_column(void)
{
	CU_ASSERT_EQUAL(utf8_width("a\xc3\xa9\xe2\x82\xac"), 3);
	CU_ASSERT_EQUAL(utf8_width(""), 0);
}

static bool wraps_to(const char *text, unsigned int indent, unsigned int width, const char *want)
{
	_cleanup_free_ char *got = NULL;
	size_t len = 0;
	FILE *mem = open_memstream(&got, &len);

	wrap_print(mem, text, indent, width);
	fclose(mem);
	suite_saw("%s", got);
	return !strcmp(got, want);
}

static void lines_break_at_blanks(void)
{
	CU_ASSERT(wraps_to("one two three", 0, 7, "one two\nthree\n"));
	CU_ASSERT(wraps_to("one two three", 2, 9, "one two\n  three\n"));
	CU_ASSERT(wraps_to("  one   two  ", 0, 80, "one two\n"));
	CU_ASSERT(wraps_to("", 4, 80, "\n"));
}

static void long_words_stay_whole(void)
{
	CU_ASSERT(wraps_to("a /long/path b", 2, 8, "a\n  /long/path\n  b\n"));
	CU_ASSERT(wraps_to("abc", 5, 1, "abc\n"));
	/* A shell would drop the end of the line and take the rest for another name. */
	CU_ASSERT(wraps_to("umount /a\\ b\\ c e", 0, 8, "umount\n/a\\ b\\ c\ne\n"));
	CU_ASSERT(wraps_to("/a\\\\ b", 0, 4, "/a\\\\\nb\n"));
	CU_ASSERT(wraps_to("a\\", 0, 4, "a\\\n"));
}

SUITE_MAIN("utf8", TEST(good_text_is_left_alone), TEST(controls_are_escaped),
	   TEST(marks_of_direction_are_escaped), TEST(ill_formed_bytes_are_escaped_one_by_one),
	   TEST(truncation_falls_between_characters), TEST(a_character_takes_a_column),
	   TEST(lines_break_at_blanks), TEST(long_words_stay_whole))
