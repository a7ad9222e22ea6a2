/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Which ranges are read. */
#include "rpcrdma/probe/internal.h"

#include "tests/unit/suite.h"

static struct range_set r;

static bool has(uint64_t offset, uint32_t count)
{
	unsigned int i;

	for (i = 0; i < r.n; i++)
		if (r.list[i].offset == offset && r.list[i].count == count)
			return true;
	return false;
}

static void begin(void)
{
	memset(&r, 0, sizeof(r));
}

static void ranges_that_do_not_fit_are_counted_but_not_written(void)
{
	struct {
		struct range_set set;
		uint64_t canary[8];
	} x;
	unsigned int i;

	memset(&x, 0, sizeof(x));
	for (i = 0; i < RANGES_MAX + 7; i++)
		ranges_add(&x.set, i, UINT32_MAX);
	CU_ASSERT_EQUAL(x.set.n, RANGES_MAX);
	CU_ASSERT_EQUAL(x.set.left_out, 7);
	CU_ASSERT_EQUAL(x.set.list[RANGES_MAX - 1].offset, RANGES_MAX - 1);
	for (i = 0; i < ARRAY_SIZE(x.canary); i++)
		CU_ASSERT_EQUAL(x.canary[i], 0);
}

static void the_list_fits_every_level(void)
{
	static const enum probe_level levels[] = { PROBE_QUICK, PROBE_STANDARD, PROBE_FULL };
	static const uint32_t most[] = { 512, 1024, 4096, 65536, 1048576 };
	unsigned int before = 0;
	size_t i, j;

	for (i = 0; i < ARRAY_SIZE(levels); i++)
		for (j = 0; j < ARRAY_SIZE(most); j++) {
			SUITE_ROW("level %u, %u bytes", levels[i], most[j]);
			begin();
			ranges_head(&r, levels[i], most[j]);
			CU_ASSERT_EQUAL(r.left_out, 0);
			CU_ASSERT(has(0, most[j]));
			CU_ASSERT_EQUAL(has(0, most[j] + 1), levels[i] != PROBE_QUICK);
			if (most[j] == 1048576) {
				ASSERT_MORE(r.n, before);
				before = r.n;
			}
			begin();
			ranges_tail(&r, levels[i], most[j], 5000000);
			CU_ASSERT_EQUAL(r.left_out, 0);
			CU_ASSERT(has(4999999, 4096));
		}
}

/* With a small largest READ, and so fewer sizes before it, the same ones stay. */
static void reads_after_other_operations_are_chosen_by_size(void)
{
	static const uint32_t most[] = { 700, 813, 900, 2048, 4096, 65536, 1048576 };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(most); i++) {
		SUITE_ROW("%u bytes", most[i]);
		begin();
		ranges_head(&r, PROBE_QUICK, most[i]);
		ranges_keep(&r, 813, 4096);
		CU_ASSERT_EQUAL(has(0, 813), most[i] >= 813 && most[i] != 814);
		CU_ASSERT_EQUAL(has(0, 856), most[i] > 857);
		CU_ASSERT_EQUAL(has(0, 1024), most[i] > 1025);
		CU_ASSERT_EQUAL(has(0, 4096), most[i] == 4096 || most[i] > 4097);
		CU_ASSERT_FALSE(has(0, 812));
		CU_ASSERT_FALSE(has(4097, 813));
		CU_ASSERT_FALSE(has(0, 4097));
	}
	CU_ASSERT_EQUAL(r.n, 4);
}

/* So that a failure shows which of them is its cause: a length that needs a pad, more than a page, an offset within
 * a page. */
static void what_may_be_a_cause_varies_independently(void)
{
	unsigned int seen = 0, quick = 0, i;

	begin();
	ranges_head(&r, PROBE_STANDARD, 1048576);
	for (i = 0; i < r.n; i++)
		if (r.list[i].count > 812)
			seen |= 1u << ((r.list[i].count % 4 != 0) + 2 * (r.list[i].count > 4096) +
				       4 * (r.list[i].offset % 4096 != 0));
	CU_ASSERT_EQUAL(seen, 0xff);
	begin();
	ranges_head(&r, PROBE_QUICK, 1048576);
	for (i = 0; i < r.n; i++)
		if (r.list[i].count > 812 && r.list[i].count <= 4096)
			quick |= 1u << ((r.list[i].count % 4 != 0) +
					2 * (r.list[i].offset % 4096 != 0));
	CU_ASSERT_EQUAL(quick, 0xf);
}

static void ranges_around_the_end_do_not_start_before_the_file(void)
{
	unsigned int i;

	begin();
	ranges_tail(&r, PROBE_FULL, 1048576, 0);
	CU_ASSERT_EQUAL(r.n, 0);
	ranges_tail(&r, PROBE_FULL, 1048576, 100);
	for (i = 0; i < r.n; i++)
		ASSERT_AT_MOST(r.list[i].offset, 101);
	CU_ASSERT(has(95, 5));
	CU_ASSERT_FALSE(has(0, 787));
}

static void large_ranges_double_up_to_the_largest(void)
{
	static const struct {
		uint32_t above, most;
		unsigned int n;
	} rows[] = {
		{ 1048576, 1048576, 0 },        { 1048576, 1000, 0 },
		{ 1048576, 1048577, 1 },        { 1048576, 2097152, 2 },
		{ 1048576, 4194304, 4 },        { 1048576, 4194305, 6 },
		{ 1048576, 67108864, 12 },      { 1048576, UINT32_MAX, 24 },
		{ 2147483648u, UINT32_MAX, 2 },
	};
	unsigned int j;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		SUITE_ROW("%zu: %u", i, rows[i].most);
		begin();
		ranges_large(&r, rows[i].above, rows[i].most);
		CU_ASSERT_EQUAL(r.n, rows[i].n);
		CU_ASSERT_EQUAL(has(0, rows[i].most), rows[i].n > 0);
		for (j = 0; j < r.n; j++) {
			ASSERT_MORE(r.list[j].count, rows[i].above);
			ASSERT_AT_MOST(r.list[j].count, rows[i].most);
		}
	}
}

SUITE_MAIN("ranges", TEST(ranges_that_do_not_fit_are_counted_but_not_written),
	   TEST(the_list_fits_every_level), TEST(reads_after_other_operations_are_chosen_by_size),
	   TEST(what_may_be_a_cause_varies_independently),
	   TEST(ranges_around_the_end_do_not_start_before_the_file),
	   TEST(large_ranges_double_up_to_the_largest))
