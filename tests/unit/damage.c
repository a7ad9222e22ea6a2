/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The kind of corruption: a bit, pages, or anything else. */
#include "rpcrdma/probe/internal.h"

#include "tests/unit/suite.h"

#define SIZE (3 * 4096)

static uint8_t want[SIZE], got[SIZE];
static struct damage d;

/* A file whose words are their own offsets, from @offset. */
static void begin(uint64_t offset)
{
	uint8_t word[8];
	size_t i;

	for (i = 0; i < SIZE; i++) {
		put_be64(word, (offset + i) & ~UINT64_C(7));
		want[i] = word[(offset + i) & 7];
	}
	memcpy(got, want, sizeof(got));
}

static void look(uint64_t offset, size_t len)
{
	damage_count(&d, offset, got, want, len);
}

static void correct_data_has_no_damage(void)
{
	begin(0);
	look(0, SIZE);
	CU_ASSERT_EQUAL(d.bytes + d.bits + d.pages + d.whole_pages, 0);
	CU_ASSERT_EQUAL(damage_kind(&d), DAMAGE_NONE);
	look(0, 0);
	CU_ASSERT_EQUAL(damage_kind(&d), DAMAGE_NONE);
}

static void a_flipped_bit_is_found_anywhere(void)
{
	static const size_t at[] = { 0, 7, 8, 4095, 4096, SIZE - 1 };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(at); i++) {
		SUITE_ROW("%zu", at[i]);
		begin(4097);
		got[at[i]] ^= 0x40;
		look(4097, SIZE);
		CU_ASSERT_EQUAL(d.bytes, 1);
		CU_ASSERT_EQUAL(d.bits, 1);
		CU_ASSERT_EQUAL(damage_kind(&d), DAMAGE_BIT);
	}
}

/* Most of their bytes are zeros in the file as well. */
static void zeroed_pages_are_reported_as_pages(void)
{
	begin(4096);
	memset(got + 4096, 0, 8192);
	look(4096, SIZE);
	CU_ASSERT_EQUAL(d.pages, 2);
	CU_ASSERT_EQUAL(d.whole_pages, 2);
	CU_ASSERT_EQUAL(damage_kind(&d), DAMAGE_PAGES);
	ASSERT_LESS(d.bytes, 8192);
}

/* Pages of the file, not of the READ. */
static void pages_are_aligned_in_the_file(void)
{
	begin(4096 + 100);
	memset(got + 3996, 0, 4096);
	look(4096 + 100, SIZE);
	CU_ASSERT_EQUAL(d.pages, 1);
	CU_ASSERT_EQUAL(damage_kind(&d), DAMAGE_PAGES);
	begin(4096 + 100);
	memset(got + 3000, 0, 4096);
	look(4096 + 100, SIZE);
	CU_ASSERT_EQUAL(d.pages, 2);
	CU_ASSERT_EQUAL(d.whole_pages, 1);
	CU_ASSERT_EQUAL(damage_kind(&d), DAMAGE_BYTES);
}

static void a_few_wrong_bytes_are_reported_as_bytes(void)
{
	begin(0);
	got[100] ^= 0x03;
	look(0, SIZE);
	CU_ASSERT_EQUAL(d.bytes, 1);
	CU_ASSERT_EQUAL(d.bits, 2);
	CU_ASSERT_EQUAL(damage_kind(&d), DAMAGE_BYTES);
}

SUITE_MAIN("damage", TEST(correct_data_has_no_damage), TEST(a_flipped_bit_is_found_anywhere),
	   TEST(zeroed_pages_are_reported_as_pages), TEST(pages_are_aligned_in_the_file),
	   TEST(a_few_wrong_bytes_are_reported_as_bytes))
