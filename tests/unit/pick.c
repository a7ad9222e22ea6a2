/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Which file is read: one that proves something before one that is at rest. */
#include "rpcrdma/probe/internal.h"

#include "tests/unit/suite.h"

#define NOW   1000000
#define RTMAX 1048576

struct candidate {
	uint64_t size, used;
	uint32_t changed; /* seconds ago */
};

static uint64_t worth(const struct candidate *c)
{
	struct nfs_attr a = {
		.size = c->size,
		.used = c->used,
		.mtime = { .sec = NOW - c->changed },
		.ctime = { .sec = NOW - c->changed },
	};

	return pick_worth(&a, RTMAX, NOW);
}

static void the_better_file_is_read(void)
{
	/* From the best to the worst. */
	static const struct candidate order[] = {
		{ 4 << 20, 4 << 20, 3600 }, /* at rest, for every READ */
		{ 1 << 20, 1 << 20, 3600 }, /* not for the largest at every offset */
		{ 65536, 65536, 3600 },     /* just enough */
		{ 4 << 20, 4096, 3600 },    /* sparse */
		{ 4 << 20, 4 << 20, 5 },    /* perhaps a live disk */
		{ 1 << 20, 1 << 20, 5 },    /* what step 1 of small-file creates */
		{ 65535, 65535, 3600 },     /* proves nothing */
		{ 1, 512, 3600 },           /* a README */
		{ 4000, 4096, 5 },
	};
	size_t i;

	for (i = 1; i < ARRAY_SIZE(order); i++)
		CU_ASSERT_TRUE(worth(&order[i - 1]) > worth(&order[i]));
}

static void both_times_count(void)
{
	struct nfs_attr a = { .size = 1 << 20, .used = 1 << 20 };

	a.mtime.sec = NOW - 5; /* written, with a ctime of another clock */
	CU_ASSERT_TRUE(pick_worth(&a, RTMAX, NOW) <
		       worth(&(struct candidate){ 1 << 20, 1 << 20, 3600 }));
	a.mtime.sec = 0;
	a.ctime.sec = NOW - 5; /* cp -p */
	CU_ASSERT_TRUE(pick_worth(&a, RTMAX, NOW) <
		       worth(&(struct candidate){ 1 << 20, 1 << 20, 3600 }));
}

SUITE_MAIN("pick", TEST(the_better_file_is_read), TEST(both_times_count))
