/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The most memory that is locked, which RLIMIT_MEMLOCK bounds for users other than root: the
 * receive and send buffers of a connection, and the memory of READs in flight. A benchmark has
 * the most: eight of the largest READs; the flights of a sweep have three of those and
 * smaller ones. A region may begin and end within a page, and both pages count in full. */
#include "rpcrdma/client/client.h"
#include "rpcrdma/probe/bench-internal.h"

#define BUFFERS       (RPCRDMA_CREDITS + 4)
#define WORK_REQUESTS 256  /* sends, receives and completions of a connection */
#define WORK_SIZE     1024 /* of a queue's entry, where the adapter's library locks it */
#define MIB           (1024 * 1024)

static uint64_t memlock_pages(uint64_t len, uint64_t page)
{
	return (len + page - 1) / page * page + page;
}

uint64_t probe_memlock_kib(void)
{
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE), all = 0, one;
	size_t i;

	for (i = 0; i < BENCH_CASES; i++) {
		one = bench_cases[i].depth * memlock_pages(bench_cases[i].length, page);
		all = one > all ? one : all;
	}
	all += 2 * memlock_pages(BUFFERS * RPCRDMA_INLINE_SIZE, page);
	all += memlock_pages(WORK_REQUESTS * WORK_SIZE, page);
	all = (all + MIB - 1) / MIB * MIB;
	return all / 1024;
}
