/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* rpcrdma/base/clock.c. Nothing here waits for a time that a busy machine could miss. */
#include <limits.h>

#include "rpcrdma/base/base.h"
#include "tests/unit/suite.h"

static void time_does_not_run_backwards(void)
{
	uint64_t before = now_ns();
	uint64_t after = now_ns();

	ASSERT_AT_LEAST(after, before);
	ASSERT_AT_LEAST(now_ms(), before / 1000000);
}

static void deadline_is_absolute(void)
{
	uint64_t before = now_ms();
	uint64_t deadline = deadline_in(60000);

	ASSERT_AT_LEAST(deadline, before + 60000);
	ASSERT_AT_MOST(deadline, now_ms() + 60000);
	ASSERT_AT_MOST(deadline_left(deadline), 60000);
	ASSERT_MORE(deadline_left(deadline), 0);
}

static void passed_deadline_has_nothing_left(void)
{
	CU_ASSERT_EQUAL(deadline_left(0), 0);
	CU_ASSERT_EQUAL(deadline_left(now_ms()), 0);
	CU_ASSERT_EQUAL(deadline_left(deadline_in(0)), 0);
}

/* poll(2) takes an int, and a negative timeout means forever. */
static void far_deadline_fits_an_int(void)
{
	CU_ASSERT_EQUAL(deadline_left(UINT64_MAX), INT_MAX);
	CU_ASSERT_EQUAL(deadline_left(deadline_in(UINT_MAX)), INT_MAX);
}

static void earlier_deadline_wins(void)
{
	CU_ASSERT_EQUAL(deadline_min(1, 2), 1);
	CU_ASSERT_EQUAL(deadline_min(UINT64_MAX, 2), 2);
}

static void deadline_is_split_into_seconds_and_nanoseconds(void)
{
	struct timespec ts = deadline_timespec(12999);

	CU_ASSERT_EQUAL(ts.tv_sec, 12);
	CU_ASSERT_EQUAL(ts.tv_nsec, 999000000);
}

SUITE_MAIN("clock", TEST(time_does_not_run_backwards), TEST(deadline_is_absolute),
	   TEST(passed_deadline_has_nothing_left), TEST(far_deadline_fits_an_int),
	   TEST(earlier_deadline_wins), TEST(deadline_is_split_into_seconds_and_nanoseconds))
