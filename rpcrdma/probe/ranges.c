/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Which ranges of a file are read, by level: sizes and offsets at which the behaviour of servers
 * or clients changes, page boundaries, around the largest READ, and around the end of the file.
 * Pure. */
#include "rpcrdma/probe/internal.h"

static const uint32_t sizes[] = {
	0,    1,    3,    4,    5,    787,  788,   789,   811,   812,    813,     815,     816,
	817,  855,  856,  857,  868,  869,  1023,  1024,  1025,  3863,   3864,    3940,    3941,
	4095, 4096, 4097, 8191, 8192, 8193, 65535, 65536, 65537, 262144, 1048575, 1048576,
};
static const uint32_t quick_sizes[] = { 1, 788, 812, 813, 856, 1024, 4096, 4097, 65536 };
static const uint32_t tail_sizes[] = { 813, 4097, 65536 };
static const uint32_t offsets[] = { 1, 3, 4, 4095, 4096, 4097 };
/* Odd and whole words, below and above a page: what fails by its length fails at some of them only. */
static const uint32_t offset_sizes[] = { 813, 816, 4097, 65536 };

void ranges_add(struct range_set *r, uint64_t offset, uint32_t count)
{
	if (r->n == RANGES_MAX)
		r->left_out++;
	else
		r->list[r->n++] = (struct range){ offset, count };
}

static void ranges_add_offsets(struct range_set *r, uint32_t rtmax, const uint32_t *counts,
			       size_t n)
{
	size_t i, j;

	for (i = 0; i < ARRAY_SIZE(offsets); i++)
		for (j = 0; j < n; j++)
			if (counts[j] <= rtmax)
				ranges_add(r, offsets[i], counts[j]);
}

void ranges_head(struct range_set *r, enum probe_level level, uint32_t rtmax)
{
	const uint32_t *list = level == PROBE_QUICK ? quick_sizes : sizes;
	size_t i, n = level == PROBE_QUICK ? ARRAY_SIZE(quick_sizes) : ARRAY_SIZE(sizes);

	for (i = 0; i < n; i++)
		if (list[i] + 1 < rtmax)
			ranges_add(r, 0, list[i]);
	if (level != PROBE_QUICK)
		ranges_add(r, 0, rtmax - 1);
	ranges_add(r, 0, rtmax);
	if (level != PROBE_QUICK)
		ranges_add(r, 0, rtmax + 1);
	if (level == PROBE_QUICK) {
		ranges_add(r, 4097, 813);
		/* Whole words there: so a missing pad is not taken for more. */
		ranges_add(r, 4097, 856);
	} else if (level == PROBE_STANDARD)
		ranges_add_offsets(r, rtmax, offset_sizes, ARRAY_SIZE(offset_sizes));
	else
		ranges_add_offsets(r, rtmax, sizes, ARRAY_SIZE(sizes));
}

void ranges_tail(struct range_set *r, enum probe_level level, uint32_t most, uint64_t size)
{
	bool full = level == PROBE_FULL;
	const uint32_t *list = full ? sizes : tail_sizes;
	size_t i, n = full ? ARRAY_SIZE(sizes) : ARRAY_SIZE(tail_sizes);

	if (!size)
		return;
	for (i = 0; i < n; i++)
		if (list[i] <= most && list[i] <= size)
			ranges_add(r, size - list[i], list[i]);
	ranges_add(r, size - 1, 4096);
	ranges_add(r, size, 4096);
	ranges_add(r, size + 1, 4096);
	ranges_add(r, size, 0);
}

void ranges_large(struct range_set *r, uint32_t above, uint32_t most)
{
	uint64_t size;

	for (size = 2 * (uint64_t)above; size < most; size *= 2) {
		ranges_add(r, 0, (uint32_t)size - 1);
		ranges_add(r, 0, (uint32_t)size);
	}
	if (most <= above)
		return;
	if (most - 1 > above)
		ranges_add(r, 0, most - 1);
	ranges_add(r, 0, most);
}

void ranges_keep(struct range_set *r, uint32_t from, uint32_t to)
{
	unsigned int i, n = 0;

	for (i = 0; i < r->n; i++)
		if (!r->list[i].offset && r->list[i].count >= from && r->list[i].count <= to)
			r->list[n++] = r->list[i];
	r->n = n;
}
