// SPDX-License-Identifier: LGPL-2.1-or-later
// Copyright (C) 2026 The nfsrdma authors

/* Assertions that fail on purpose, except those of passes(): suite.sh compares their output with
 * suite-fails.txt. */
#include <errno.h>

#include "tests/unit/suite.h"

static int calls;

static int next(void)
{
	return ++calls;
}

static void passes(void)
{
	uint64_t high = UINT64_C(1) << 40;
	const char *text = "a text";

	CU_ASSERT_EQUAL(next(), 1);
	CU_ASSERT(next());
	CU_ASSERT_FALSE(!next());
	ASSERT_LESS(next(), 5);
	CU_ASSERT_STRING_EQUAL(text + (next() - 5), "a text");
	ASSERT_BYTES(text + (next() - 6), "a text", 6);
	CU_ASSERT_EQUAL(calls, 6);
	/* From left to right. */
	CU_ASSERT_EQUAL(next(), next() - 1);
	/* Converted to int it is 0. */
	CU_ASSERT(high);
	ASSERT_BYTES(NULL, text, 0);
	ASSERT_CONTAINS(text, "");
	ASSERT_AT_MOST(-1, 1U * 0 + 0);
	ASSERT_AT_LEAST(UINT64_MAX, INT64_MAX);
	ASSERT_MORE(-1, -2);
}

static void integers(void)
{
	struct {
		unsigned int five;
		unsigned char byte;
		uint64_t size;
		const char *text;
	} s = { 5, 200, UINT64_MAX, "x" };
	int rc = -EPROTO;

	CU_ASSERT_EQUAL(rc, 0);
	CU_ASSERT_EQUAL(rc, -EINVAL);
	/* Equal to ==, which converts one to the type of the other. */
	CU_ASSERT_EQUAL(rc, (unsigned int)rc);
	CU_ASSERT_EQUAL(INT64_MIN, INT64_MAX);
	CU_ASSERT_EQUAL(s.five, 6);
	CU_ASSERT_EQUAL(s.byte, 0xa5);
	CU_ASSERT_EQUAL(s.size, 813);
	CU_ASSERT_EQUAL(s.text[0], 'y');
	CU_ASSERT_EQUAL(s.text[1], '\n');
	CU_ASSERT_EQUAL(s.byte == 200, false);
	CU_ASSERT_NOT_EQUAL(s.five, 5);
	CU_ASSERT_EQUAL(0.5, 0.25);
}

static void either(void)
{
	ASSERT_EITHER(next() * 0, -EPROTO, -ECONNRESET);
	ASSERT_EITHER(0, 0, 1);
	ASSERT_EITHER(1, 0, 1);
}

static bool is_even(int number)
{
	suite_saw("the number %d", number);
	return number % 2 == 0;
}

static void what_was_seen(void)
{
	CU_ASSERT(is_even(3));
	CU_ASSERT(is_even(4));
	CU_FAIL("this saw nothing");
	CU_ASSERT_FALSE(is_even(6));
}

static void limits(void)
{
	unsigned int took = 512;

	ASSERT_LESS(took, 512U);
	ASSERT_MORE(took, 512U);
	ASSERT_AT_MOST(took, 511U);
	ASSERT_AT_LEAST(took, 513U);
	ASSERT_AT_LEAST(-3, -2);
	ASSERT_WITHIN_MS(took, 513);
	ASSERT_WITHIN_MS(PATIENCE_MS, 1);
}

static void truths(void)
{
	bool flag = false;

	CU_ASSERT(flag);
	CU_ASSERT_TRUE(!next());
	CU_ASSERT_FALSE(12 + next() * 0);
	CU_FAIL("no row was found");
}

static void pointers(void)
{
	int *p = (int *)0x1000, *none = NULL;

	CU_ASSERT_PTR_NULL(p);
	CU_ASSERT_PTR_NOT_NULL(none);
	CU_ASSERT_PTR_EQUAL(p, NULL);
	CU_ASSERT_PTR_NOT_EQUAL(p, p);
	CU_ASSERT_EQUAL(p, p + 1);
}

static void strings(void)
{
	char x[1001], y[1001];

	CU_ASSERT_STRING_EQUAL("one\ttwo\n", "one\ttwo \"\x01\\");
	CU_ASSERT_STRING_EQUAL(NULL, "text");
	CU_ASSERT_STRING_EQUAL(NULL, NULL);
	CU_ASSERT_STRING_EQUAL("first\nsecond\n", "first\nsecond\nthird\n");
	CU_ASSERT_STRING_NOT_EQUAL("same", "same");
	CU_ASSERT_STRING_NOT_EQUAL(NULL, "same");
	memset(x, 'x', 1000);
	x[1000] = '\0';
	memcpy(y, x, sizeof(y));
	y[500] = 'y';
	CU_ASSERT_STRING_EQUAL(x, y);
}

static void parts(void)
{
	ASSERT_CONTAINS("probe of nas1: refused\n", "timed out");
	ASSERT_CONTAINS(NULL, "timed out");
	ASSERT_LACKS("probe of nas1: refused\n", "nas1");
	ASSERT_LACKS(NULL, "nas1");
	ASSERT_STARTS("probe of nas1", "probe of nas2");
	ASSERT_STARTS("probe", "probe of");
	ASSERT_STARTS(NULL, "probe of");
}

static void bytes(void)
{
	uint8_t x[64] = { 0 }, y[64] = { 0 };

	y[40] = 1;
	y[42] = 0xff;
	ASSERT_BYTES(x, y, sizeof(x));
	ASSERT_BYTES(x, y, 40);
	ASSERT_BYTES("abc", "xbc", 3);
	ASSERT_BYTES(NULL, y, 2);
	ASSERT_BYTES_DIFFER(x, y, 4);
	ASSERT_BYTES_DIFFER(x, y, sizeof(x));
}

static void rows(void)
{
	static const struct {
		const char *name;
		int half;
	} table[] = { { "two", 1 }, { "four", 3 }, { "six", 3 }, { "eight", 5 } };
	size_t i, j;

	for (i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		SUITE_ROW("%zu: \"%s\"\n", i, table[i].name);
		CU_ASSERT_EQUAL(table[i].half, (int)i + 1);
		for (j = 0; j < 2 && i == 3; j++) {
			SUITE_ROW("half %zu", j);
			ASSERT_LESS(j, 1U);
		}
	}
	/* Outside the table no row is named. */
	CU_ASSERT(i == 0);
}

static void fatal_in_a_row(void)
{
	SUITE_ROW("the first");
	{
		SUITE_ROW("the second");
		CU_ASSERT_EQUAL_FATAL(next(), 0);
	}
	CU_FAIL("the test went on after a fatal assertion");
}

static void row_ends_with_its_test(void)
{
	CU_ASSERT(false);
}

SUITE_MAIN("suite-fails", TEST(passes), TEST(integers), TEST(either), TEST(what_was_seen),
	   TIMED(limits), TEST(truths), TEST(pointers), TEST(strings), TEST(parts), TEST(bytes),
	   TEST(rows), TEST(fatal_in_a_row), TEST(row_ends_with_its_test))
