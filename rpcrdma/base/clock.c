/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Time for deadlines: CLOCK_MONOTONIC, because a wall clock may be set during a wait. */
#include <limits.h>

#include "rpcrdma/base/base.h"

uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

uint64_t now_ms(void)
{
	return now_ns() / 1000000u;
}

uint64_t deadline_in(unsigned int ms)
{
	return now_ms() + ms;
}

int deadline_left(uint64_t deadline)
{
	uint64_t now = now_ms();

	if (deadline <= now)
		return 0;
	return deadline - now > INT_MAX ? INT_MAX : (int)(deadline - now);
}

uint64_t deadline_min(uint64_t a, uint64_t b)
{
	return min_u64(a, b);
}

struct timespec deadline_timespec(uint64_t deadline)
{
	return (struct timespec){ .tv_sec = (time_t)(deadline / 1000),
				  .tv_nsec = (long)(deadline % 1000) * 1000000 };
}
