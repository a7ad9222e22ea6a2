/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The receive buffers: as many as posted, in order of arrival. */
#include "rpcrdma/transport/internal.h"
#include "tests/unit/suite.h"

static void slots_match_the_posted_buffers(void)
{
	struct slots s = { 0 };
	int i;

	CU_ASSERT_EQUAL_FATAL(slots_init(&s, 3, 16), 0);
	for (i = 0; i < 3; i++) {
		SUITE_ROW("%d", i);
		ASSERT_AT_LEAST(slots_fill(&s), 0);
	}
	CU_ASSERT_EQUAL(slots_fill(&s), -ENOBUFS);
	slots_fini(&s);
}

static void messages_are_returned_in_order_of_arrival(void)
{
	struct transport_msg msg, first = { .len = 1 }, second = { .len = 2 };
	struct slots s = { 0 };
	int round;

	CU_ASSERT_EQUAL_FATAL(slots_init(&s, 3, 16), 0);
	for (round = 0; round < 7; round++) {
		SUITE_ROW("round %d", round);
		first.slot = (uint32_t)slots_fill(&s);
		second.slot = (uint32_t)slots_fill(&s);
		CU_ASSERT_NOT_EQUAL(first.slot, second.slot);
		memset(slots_memory(&s, first.slot), 'a', 16);
		memset(slots_memory(&s, second.slot), 'b', 16);
		CU_ASSERT_FALSE(slots_lend(&s, &msg));
		slots_deliver(&s, &first);
		slots_deliver(&s, &second);
		CU_ASSERT_TRUE(slots_lend(&s, &msg));
		CU_ASSERT_EQUAL(msg.len, 1);
		CU_ASSERT_EQUAL(msg.data[15], 'a');
		slots_repost(&s, &msg);
		CU_ASSERT_TRUE(slots_lend(&s, &msg));
		CU_ASSERT_EQUAL(msg.len, 2);
		CU_ASSERT_EQUAL(msg.data[15], 'b');
		slots_repost(&s, &msg);
		CU_ASSERT_FALSE(slots_lend(&s, &msg));
	}
	slots_fini(&s);
}

static void zero_buffers_are_refused(void)
{
	struct slots s = { 0 };

	CU_ASSERT_EQUAL(slots_init(&s, 0, 16), -EINVAL);
	CU_ASSERT_EQUAL(slots_init(&s, 16, 0), -EINVAL);
	slots_fini(&s);
}

SUITE_MAIN("slots", TEST(slots_match_the_posted_buffers),
	   TEST(messages_are_returned_in_order_of_arrival), TEST(zero_buffers_are_refused))
