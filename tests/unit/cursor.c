/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* rpcrdma/wire/cursor.c: a cursor stays within its buffer, and stays bad after an overrun. */
#include "rpcrdma/wire/wire.h"
#include "tests/unit/suite.h"

static const uint8_t count[] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11 };

static void words_are_big_endian(void)
{
	struct reader r;

	reader_init(&r, count, sizeof(count));
	CU_ASSERT_EQUAL(reader_u32(&r), 0x00010203);
	CU_ASSERT_EQUAL(reader_u64(&r), 0x0405060708090a0b);
	CU_ASSERT_EQUAL(reader_left(&r), 0);
	CU_ASSERT_FALSE(r.bad);
}

static void overrun_reader_stays_bad_and_reads_zeros(void)
{
	struct reader r;
	uint32_t len;

	reader_init(&r, count, 7);
	CU_ASSERT_EQUAL(reader_u64(&r), 0);
	CU_ASSERT_TRUE(r.bad);
	CU_ASSERT_EQUAL(reader_left(&r), 0);
	CU_ASSERT_EQUAL(reader_u32(&r), 0);
	CU_ASSERT_FALSE(reader_bool(&r));
	CU_ASSERT_PTR_NULL(reader_bytes(&r, 0));
	CU_ASSERT_PTR_NULL(reader_opaque(&r, 100, &len));
	CU_ASSERT_EQUAL(len, 0);
	CU_ASSERT_TRUE(r.bad);
}

static void bytes_are_borrowed_up_to_the_end(void)
{
	struct reader r;

	reader_init(&r, count, sizeof(count));
	CU_ASSERT_PTR_EQUAL(reader_bytes(&r, 5), count);
	CU_ASSERT_PTR_EQUAL(reader_bytes(&r, 7), count + 5);
	CU_ASSERT_PTR_EQUAL(reader_bytes(&r, 0), count + sizeof(count));
	CU_ASSERT_FALSE(r.bad);
	CU_ASSERT_PTR_NULL(reader_bytes(&r, 1));
	CU_ASSERT_TRUE(r.bad);

	reader_init(&r, count, sizeof(count));
	CU_ASSERT_PTR_NULL(reader_bytes(&r, SIZE_MAX));
	CU_ASSERT_TRUE(r.bad);
}

static void bool_is_zero_or_one(void)
{
	static const struct {
		uint32_t word;
		bool value, bad;
	} cases[] = {
		{ 0, false, false },    { 1, true, false },          { 2, false, true },
		{ 0x100, false, true }, { 0x01000000, false, true }, { 0xffffffff, false, true },
	};
	uint8_t buf[4];
	struct reader r;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		SUITE_ROW("%zu", i);
		put_be32(buf, cases[i].word);
		reader_init(&r, buf, sizeof(buf));
		CU_ASSERT_EQUAL(reader_bool(&r), cases[i].value);
		CU_ASSERT_EQUAL(r.bad, cases[i].bad);
	}
}

static void opaque_data_is_read_with_its_padding(void)
{
	static const uint8_t buf[] = { 0, 0, 0, 5, 'h', 'e', 'l', 'l', 'o', 0, 0, 0, 9 };
	struct reader r;
	uint32_t len;

	reader_init(&r, buf, sizeof(buf));
	CU_ASSERT_PTR_EQUAL(reader_opaque(&r, 5, &len), buf + 4);
	CU_ASSERT_EQUAL(len, 5);
	CU_ASSERT_EQUAL(reader_left(&r), 1);
}

static void too_long_or_truncated_opaque_data_is_bad(void)
{
	static const struct {
		uint32_t word;
		size_t total, max;
	} cases[] = {
		{ 5, 12, 4 },                 /* over the bound */
		{ 5, 11, 5 },                 /* padding cut */
		{ 5, 8, 5 },                  /* bytes cut */
		{ 5, 3, 5 },                  /* length cut */
		{ 0x7fffffff, 12, SIZE_MAX }, /* would be negative */
		{ 0x80000000, 12, SIZE_MAX },
		{ 0xfffffffd, 12, SIZE_MAX }, /* would round up to 0 in 32 bits */
		{ 0xffffffff, 12, SIZE_MAX },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		_cleanup_free_ uint8_t *buf = calloc(1, 4 + cases[i].total);
		struct reader r;
		uint32_t len = 1;
		SUITE_ROW("%zu", i);

		put_be32(buf, cases[i].word);
		reader_init(&r, buf, cases[i].total);
		CU_ASSERT_PTR_NULL(reader_opaque(&r, cases[i].max, &len));
		CU_ASSERT_EQUAL(len, 0);
		CU_ASSERT_TRUE(r.bad);
	}
}

static void empty_opaque_data_is_not_an_error(void)
{
	static const uint8_t buf[4];
	struct reader r;
	uint32_t len = 1;

	reader_init(&r, buf, sizeof(buf));
	CU_ASSERT_PTR_NOT_NULL(reader_opaque(&r, 0, &len));
	CU_ASSERT_EQUAL(len, 0);
	CU_ASSERT_FALSE(r.bad);
}

static void empty_buffer_may_be_null(void)
{
	struct reader r;

	reader_init(&r, NULL, 0);
	CU_ASSERT_EQUAL(reader_left(&r), 0);
	CU_ASSERT_PTR_NOT_NULL(reader_bytes(&r, 0));
	CU_ASSERT_EQUAL(reader_u32(&r), 0);
	CU_ASSERT_TRUE(r.bad);
}

static void writer_writes_what_the_reader_reads(void)
{
	static const uint8_t want[] = { 0xde, 0xad, 0xbe, 0xef, 0,   0, 0, 1, 0,   0,
					0,    2,    0,    0,    0,   1, 0, 0, 0,   5,
					'h',  'e',  'l',  'l',  'o', 0, 0, 0, 'a', 'b' };
	uint8_t buf[sizeof(want)];
	struct writer w;

	memset(buf, 0xaa, sizeof(buf));
	writer_init(&w, buf, sizeof(buf));
	writer_u32(&w, 0xdeadbeef);
	writer_u64(&w, 0x100000002);
	writer_bool(&w, true);
	writer_opaque(&w, "hello", 5);
	writer_bytes(&w, "ab", 2);
	CU_ASSERT_FALSE(w.bad);
	CU_ASSERT_EQUAL(w.len, sizeof(want));
	ASSERT_BYTES(buf, want, sizeof(want));
}

static void overrun_writer_stays_bad_and_writes_nothing(void)
{
	uint8_t buf[8];
	struct writer w;

	memset(buf, 0xaa, sizeof(buf));
	writer_init(&w, buf, 7);
	writer_u64(&w, 0);
	CU_ASSERT_TRUE(w.bad);
	writer_u32(&w, 0);
	writer_bytes(&w, "x", 1);
	writer_bytes(&w, NULL, 0);
	CU_ASSERT_PTR_NULL(writer_reserve(&w, 1));
	CU_ASSERT_EQUAL(w.len, 0);
	CU_ASSERT_TRUE(w.bad);
	ASSERT_BYTES(buf, "\xaa\xaa\xaa\xaa\xaa\xaa\xaa\xaa", 8);
}

static void reserved_space_is_bounded_and_counted(void)
{
	uint8_t buf[8];
	struct writer w;

	writer_init(&w, buf, sizeof(buf));
	CU_ASSERT_PTR_EQUAL(writer_reserve(&w, 3), buf);
	CU_ASSERT_PTR_EQUAL(writer_reserve(&w, 5), buf + 3);
	CU_ASSERT_PTR_EQUAL(writer_reserve(&w, 0), buf + 8);
	CU_ASSERT_FALSE(w.bad);
	CU_ASSERT_PTR_NULL(writer_reserve(&w, SIZE_MAX));
	CU_ASSERT_TRUE(w.bad);
}

SUITE_MAIN("cursor", TEST(words_are_big_endian), TEST(overrun_reader_stays_bad_and_reads_zeros),
	   TEST(bytes_are_borrowed_up_to_the_end), TEST(bool_is_zero_or_one),
	   TEST(opaque_data_is_read_with_its_padding),
	   TEST(too_long_or_truncated_opaque_data_is_bad), TEST(empty_opaque_data_is_not_an_error),
	   TEST(empty_buffer_may_be_null), TEST(writer_writes_what_the_reader_reads),
	   TEST(overrun_writer_stays_bad_and_writes_nothing),
	   TEST(reserved_space_is_bounded_and_counted))
