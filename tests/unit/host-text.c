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

static void spellings_of_one_host_are_one(void)
{
	static const struct {
		const char *source, *server;
		bool same;
	} rows[] = {
		{ "nas1:/vm", "nas1", true },
		{ "NAS1:/vm", "nas1", true },
		{ "nas1.example.com:/vm", "nas1", true },
		{ "nas1:/vm", "nas1.example.com", true },
		{ "nas1.example.com:/vm", "nas1.example.org", false },
		{ "nas10:/vm", "nas1", false },
		{ "nas:/vm", "nas1", false },
		{ "192.0.2.1:/vm", "192.0.2.1", true },
		{ "192.0.2.10:/vm", "192.0.2.1", false },
		{ "192:/vm", "192.0.2.1", false },
		{ "[2001:db8::1]:/vm", "2001:db8::1", true },
		{ "[2001:DB8:0::1]:/vm", "2001:db8::1", true },
		{ "[2001:db8::2]:/vm", "2001:db8::1", false },
		{ "nas1:/vm", "192.0.2.1", false },
		{ "/dev/sdb1", "nas1", false },
		{ "[2001:db8::1", "2001:db8::1", false },
		{ "", "", false },
	};
	char host[64];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		SUITE_ROW("%s, %s", rows[i].source, rows[i].server);
		text_host_of(rows[i].source, host, sizeof(host));
		CU_ASSERT_EQUAL(*host && text_is_host(host, rows[i].server), rows[i].same);
		CU_ASSERT_EQUAL(*host && text_is_host(rows[i].server, host), rows[i].same);
	}
}

static void a_number_is_digits_up_to_its_limit(void)
{
	static const struct {
		const char *text;
		uint64_t max;
		bool ok;
		uint64_t value;
	} rows[] = {
		{ "0", 0, true, 0 },
		{ "65535", 65535, true, 65535 },
		{ "65536", 65535, false, 0 },
		{ "007", 10, true, 7 },
		{ "18446744073709551615", UINT64_MAX, true, UINT64_MAX },
		{ "18446744073709551616", UINT64_MAX, false, 0 },
		{ "99999999999999999999999", UINT64_MAX, false, 0 },
		{ "", 10, false, 0 },
		{ "-1", UINT64_MAX, false, 0 },
		{ "+1", 10, false, 0 },
		{ " 1", 10, false, 0 },
		{ "1 ", 10, false, 0 },
		{ "0x1", 10, false, 0 },
	};
	uint64_t value;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		SUITE_ROW("%s", rows[i].text);
		value = 42;
		CU_ASSERT_EQUAL(
			text_number(rows[i].text, strlen(rows[i].text), rows[i].max, &value),
			rows[i].ok);
		CU_ASSERT_EQUAL(value, rows[i].ok ? rows[i].value : 42);
	}
	CU_ASSERT(text_number("2049/tcp", 4, 65535, &value));
	CU_ASSERT_EQUAL(value, 2049);
}

SUITE_MAIN("host-text", TEST(spellings_of_one_host_are_one), TEST(lines_end_with_the_text),
	   TEST(words_are_separated_by_blanks), TEST(joined_lines_are_counted),
	   TEST(a_copy_is_truncated_between_characters), TEST(trimming_removes_blanks_at_both_ends),
	   TEST(a_number_is_digits_up_to_its_limit))
