/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Chooses the processor for the two ends of a benchmark on one host: see bench_place(). */
#include <sched.h>

#include "rpcrdma/probe/bench-internal.h"

/* The affinity before bench_place(). A fork inherits it, which is how the worker knows it. */
static cpu_set_t place_before;
static bool place_changed;

void bench_place(void)
{
	cpu_set_t one;
	int cpu = CPU_SETSIZE - 1;

	if (sched_getaffinity(0, sizeof(place_before), &place_before))
		return;
	/* The last processor: interrupts and other pinned work often use the first. */
	while (cpu > 0 && !CPU_ISSET(cpu, &place_before))
		cpu--;
	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	place_changed = !sched_setaffinity(0, sizeof(one), &one);
}

void bench_place_free(void)
{
	if (place_changed)
		sched_setaffinity(0, sizeof(place_before), &place_before);
}
