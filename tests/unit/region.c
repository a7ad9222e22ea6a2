/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The STag table: exact bounds, no overflow, rights, names that cannot be guessed. */
#include "rpcrdma/transport/internal.h"
#include "tests/unit/suite.h"

#define W TRANSPORT_REMOTE_WRITE
#define R TRANSPORT_REMOTE_READ

static void bounds_are_exact(void)
{
	const struct region r = { .to = 0x1000, .length = 100, .access = W };

	CU_ASSERT_EQUAL(region_check(&r, 0x1000, 100, W), REGION_OK);
	CU_ASSERT_EQUAL(region_check(&r, 0x1000, 101, W), REGION_BOUNDS);
	CU_ASSERT_EQUAL(region_check(&r, 0x0fff, 1, W), REGION_BOUNDS);
	CU_ASSERT_EQUAL(region_check(&r, 0x0fff, 0, W), REGION_BOUNDS);
	CU_ASSERT_EQUAL(region_check(&r, 0x1063, 1, W), REGION_OK);
	CU_ASSERT_EQUAL(region_check(&r, 0x1064, 0, W), REGION_OK);
	CU_ASSERT_EQUAL(region_check(&r, 0x1064, 1, W), REGION_BOUNDS);
	CU_ASSERT_EQUAL(region_check(&r, 0x1001, 100, W), REGION_BOUNDS);
	CU_ASSERT_EQUAL(region_check(&r, 0, UINT32_MAX, W), REGION_BOUNDS);
}

static void nothing_overflows_at_the_end_of_64_bits(void)
{
	const struct region last = { .to = UINT64_MAX - 99, .length = 100, .access = W };
	const struct region first = { .to = 0, .length = 100, .access = W };

	CU_ASSERT_EQUAL(region_check(&last, UINT64_MAX - 99, 100, W), REGION_OK);
	CU_ASSERT_EQUAL(region_check(&last, UINT64_MAX, 1, W), REGION_OK);
	CU_ASSERT_EQUAL(region_check(&last, UINT64_MAX, 2, W), REGION_WRAP);
	CU_ASSERT_EQUAL(region_check(&last, UINT64_MAX - 98, 100, W), REGION_WRAP);
	CU_ASSERT_EQUAL(region_check(&first, UINT64_MAX, 2, W), REGION_WRAP);
	CU_ASSERT_EQUAL(region_check(&first, UINT64_MAX, UINT64_MAX, W), REGION_WRAP);
	CU_ASSERT_EQUAL(region_check(&first, 1, UINT64_MAX, W), REGION_BOUNDS);
	CU_ASSERT_EQUAL(region_check(&first, (uint64_t)1 << 32, 1, W), REGION_BOUNDS);
}

static void rights_are_those_granted(void)
{
	const struct region r = { .to = 0, .length = 4, .access = R };
	const struct region both = { .to = 0, .length = 4, .access = R | W };
	const struct region none = { .to = 0, .length = 4 };

	CU_ASSERT_EQUAL(region_check(&r, 0, 4, R), REGION_OK);
	CU_ASSERT_EQUAL(region_check(&r, 0, 4, W), REGION_NO_RIGHT);
	CU_ASSERT_EQUAL(region_check(&both, 0, 4, R), REGION_OK);
	CU_ASSERT_EQUAL(region_check(&both, 0, 4, W), REGION_OK);
	CU_ASSERT_EQUAL(region_check(&none, 0, 4, R), REGION_NO_RIGHT);
}

static void a_region_is_found_until_it_is_removed(void)
{
	struct region_table table = { 0 };
	struct transport_region all[1000];
	uint8_t memory[64];
	size_t i, bad = 0;

	for (i = 0; i < ARRAY_SIZE(all); i++)
		bad += region_add(&table, memory, 64, W, &all[i]) != 0;
	for (i = 0; i < ARRAY_SIZE(all); i += 3)
		bad += !region_remove(&table, all[i].handle);
	for (i = 0; i < ARRAY_SIZE(all); i++)
		bad += (region_find(&table, all[i].handle) != NULL) != (i % 3 != 0);
	CU_ASSERT_EQUAL(bad, 0);
	CU_ASSERT_FALSE(region_remove(&table, all[0].handle));
	CU_ASSERT_TRUE(region_was_released(&table, all[ARRAY_SIZE(all) - 1].handle));
	CU_ASSERT_FALSE(region_was_released(&table, 0));
	CU_ASSERT_PTR_NULL(region_find(&table, 0));
	region_fini(&table);
	CU_ASSERT_PTR_NULL(region_find(&table, all[1].handle));
}

static void names_and_offsets_are_random(void)
{
	struct region_table table = { 0 };
	struct transport_region r;
	uint32_t names = 0;
	uint64_t offsets = 0;
	_Alignas(4096) uint8_t memory[4096];
	int i;

	/* Each bit that may vary does, in one of 64: 1 in 2^58 that this fails. */
	for (i = 0; i < 64; i++) {
		SUITE_ROW("%d", i);
		CU_ASSERT_EQUAL(region_add(&table, memory + 5, 100, W, &r), 0);
		CU_ASSERT_NOT_EQUAL(r.handle, 0);
		CU_ASSERT_EQUAL(r.offset & 0xfff, 5);
		CU_ASSERT_EQUAL(r.offset >> 47, 0);
		names |= r.handle;
		offsets |= r.offset;
	}
	CU_ASSERT_EQUAL(names, UINT32_MAX);
	CU_ASSERT_EQUAL(offsets, 0x7ffffffff005);
	region_fini(&table);
}

static void a_region_longer_than_32_bits_is_refused(void)
{
	struct region_table table = { 0 };
	struct transport_region r = { .handle = 7 };

	/* Where there are such sizes. */
	if (SIZE_MAX > UINT32_MAX)
		CU_ASSERT_EQUAL(region_add(&table, NULL, (size_t)UINT32_MAX + 1, W, &r), -EINVAL);
	CU_ASSERT_EQUAL(r.handle, 7);
	CU_ASSERT_EQUAL(region_add(&table, NULL, UINT32_MAX, W, &r), 0);
	CU_ASSERT_EQUAL(r.length, UINT32_MAX);
	region_fini(&table);
}

SUITE_MAIN("region", TEST(bounds_are_exact), TEST(nothing_overflows_at_the_end_of_64_bits),
	   TEST(rights_are_those_granted), TEST(a_region_is_found_until_it_is_removed),
	   TEST(names_and_offsets_are_random), TEST(a_region_longer_than_32_bits_is_refused))
