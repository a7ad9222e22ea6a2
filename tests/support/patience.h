/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* How long a test waits, and how it judges time.
 *
 * On a busy machine every program is late, without limit. So a test that waits for an event waits
 * PATIENCE_MS, which only ends what hangs. A bound on time is a claim about the program: it is
 * judged where the tests run alone and optimised (meson's setup "alone", which sets
 * NFSRDMA_MEASURED), and against what a processor gives this process at that moment. */
#ifndef TESTS_SUPPORT_PATIENCE_H
#define TESTS_SUPPORT_PATIENCE_H

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "rpcrdma/base/base.h"

#define PATIENCE_MS 120000

static inline bool time_is_judged(void)
{
	return getenv("NFSRDMA_MEASURED");
}

/* How many times longer than alone a computation takes now: half a second of it is timed. */
static inline double slowdown(void)
{
	const uint64_t sample_ns = 500000000;
	uint64_t start = now_ns(), used = 0, first = 0;
	struct timespec ts;

	while (used < first + sample_ns) {
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
		used = (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
		if (!first)
			first = used;
	}
	return (double)(now_ns() - start) / (double)sample_ns;
}

/* Whether @elapsed_ms is less than @bound_ms, where that is judged. */
static inline bool within_ms(uint64_t elapsed_ms, unsigned int bound_ms)
{
	if (!time_is_judged())
		return elapsed_ms < PATIENCE_MS;
	return elapsed_ms < bound_ms || (double)elapsed_ms < bound_ms * slowdown();
}

/* Whether all children of this process have ended and were waited for. The program waits 100 to
 * 500 ms for one that it has killed, and then leaves it to init: a busy machine needs longer, for
 * those of the tests before, too. */
static inline bool no_child_is_left(void)
{
	uint64_t deadline = deadline_in(PATIENCE_MS);
	pid_t left;

	while ((left = waitpid(-1, NULL, WNOHANG)) >= 0 && deadline_left(deadline)) {
		if (left > 0 && time_is_judged())
			return false;
		if (!left)
			usleep(1000);
	}
	return left < 0 && errno == ECHILD;
}

#endif
