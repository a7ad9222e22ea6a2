/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* What is wrong with a kernel's reads: pure.
 *
 * The 812-byte bug shows as READs that are right while they come inline, and end in EIO as soon as
 * the client offers a Write chunk: from 789 bytes in NFSv3 and 813 in NFSv4 (Linux 3.12.9, seen);
 * later clients change over below the inline threshold, which is 4096 bytes. EIO has other causes,
 * so it counts only where the server has sent the whole reply and no time-out has run out. */
#include "plugin/kernel/internal.h"

/* The largest inline threshold of a Linux client (RPCRDMA_MAX_INLINE). */
#define CHANGE_OVER_MAX 4096
/* Longer ones may fail for another reason too: by software iWARP of 2013, Linux 3.12.9 does not get
 * READs of 256 KiB at all. */
#define JUDGED_MAX 65536
/* One or two may have another reason. */
#define WRONG_MIN 3

/* Around where clients change over, around pages, and what guests read. */
const uint32_t kernel_lengths[KERNEL_RANGES] = {
	1,    2,    3,    4,    5,     8,     64,     511,    512,    787,
	788,  789,  811,  812,  813,   815,   816,    817,    855,    856,
	857,  860,  1023, 1024, 2048,  3000,  3800,   3900,   4000,   4095,
	4096, 4097, 8191, 8192, 12288, 65536, 131072, 262144, 524288, 1048576,
};

/* Each at a place of its own, so that what belongs elsewhere is seen. */
struct probe_range kernel_range(unsigned int index)
{
	return (struct probe_range){ (uint64_t)index * 8192, kernel_lengths[index] };
}

struct probe_range kernel_range_of(unsigned int index, uint64_t size)
{
	struct probe_range range = kernel_range(index);

	if (range.length > size)
		range.length = 0;
	else if (range.offset + range.length > size)
		range.offset = 0;
	return range;
}

bool kernel_read_is_twice(const struct kernel_record *r, uint64_t sent, unsigned int late_ms)
{
	return !r->error && r->ms >= KERNEL_TIMEO_MS && late_ms < KERNEL_TIMEO_MS / 2 &&
	       sent >= 2 * (uint64_t)kernel_lengths[r->index];
}

void kernel_judge(const struct kernel_read reads[KERNEL_RANGES], unsigned int wanted,
		  struct kernel_judgement *out)
{
	bool ordered = true, lost = true, enough = true;
	unsigned int i;

	memset(out, 0, sizeof(*out));
	for (i = 0; i < KERNEL_RANGES; i++) {
		const struct kernel_record *r = &reads[i].record;
		uint32_t length = kernel_lengths[i];

		if (!reads[i].tried) {
			enough = enough && length > JUDGED_MAX;
			continue;
		}
		out->tried++;
		if (!r->error && r->length == length && r->wrong == UINT32_MAX) {
			out->right++;
			out->stalled += reads[i].twice;
			if (reads[i].twice && r->ms > out->slowest_ms)
				out->slowest_ms = r->ms;
			out->largest_right = length;
			ordered = ordered && !out->smallest_wrong;
			continue;
		}
		if (!out->smallest_wrong) {
			out->smallest_wrong = length;
			out->first = i;
		}
		if (length <= JUDGED_MAX)
			lost = lost && reads[i].whole && r->error == EIO && r->ms < KERNEL_TIMEO_MS;
	}
	if (out->right == out->tried)
		out->fault = out->tried >= wanted ? KERNEL_RIGHT : KERNEL_CUT;
	else if ((out->tried >= wanted || enough) && ordered && lost && out->right &&
		 out->tried - out->right >= WRONG_MIN && out->largest_right < CHANGE_OVER_MAX)
		out->fault = KERNEL_BUG_812;
	else
		out->fault = KERNEL_WRONG;
}
