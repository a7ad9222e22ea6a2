/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The slots of a session: what each call is sent with, and how its result affects the next. */
#include "rpcrdma/probe/internal.h"

#include "tests/unit/suite.h"

static const uint8_t id[NFS4_SESSIONID_SIZE] = "one session here";
static const uint8_t other_id[NFS4_SESSIONID_SIZE] = "another session!";
static struct slots41 slots;
static struct nfs4_sequence sequence;

static void a_slot_starts_at_one_and_advances_with_each_answer(void)
{
	unsigned int i;

	slots41_init(&slots, id, 4);
	for (i = 1; i < 10; i++) {
		SUITE_ROW("%u", i);
		CU_ASSERT_TRUE_FATAL(slots41_take(&slots, &sequence));
		CU_ASSERT_EQUAL(sequence.slotid, 0);
		CU_ASSERT_EQUAL(sequence.sequenceid, i);
		CU_ASSERT_EQUAL(sequence.highest_slotid, 0);
		ASSERT_BYTES(sequence.sessionid, id, sizeof(id));
		slots41_answered(&slots, &sequence, true);
	}
}

static void a_rejected_call_does_not_advance_the_slot(void)
{
	slots41_init(&slots, id, 1);
	slots41_take(&slots, &sequence);
	slots41_answered(&slots, &sequence, false);
	CU_ASSERT_TRUE(slots41_take(&slots, &sequence));
	CU_ASSERT_EQUAL(sequence.sequenceid, 1);
}

static void calls_in_flight_have_their_own_slots(void)
{
	struct nfs4_sequence taken[3], one;
	unsigned int i;

	slots41_init(&slots, id, 3);
	for (i = 0; i < 3; i++) {
		SUITE_ROW("%u", i);
		CU_ASSERT_TRUE(slots41_take(&slots, &taken[i]));
		CU_ASSERT_EQUAL(taken[i].slotid, i);
		CU_ASSERT_EQUAL(taken[i].highest_slotid, i);
	}
	CU_ASSERT_FALSE(slots41_take(&slots, &one));
	CU_ASSERT_EQUAL(slots41_in(&slots, SLOT41_BUSY), 3);
	slots41_answered(&slots, &taken[1], true);
	CU_ASSERT_TRUE(slots41_take(&slots, &one));
	CU_ASSERT_EQUAL(one.slotid, 1);
	CU_ASSERT_EQUAL(one.sequenceid, 2);
	/* Slot 2 still has a call in flight. */
	CU_ASSERT_EQUAL(one.highest_slotid, 2);
}

static void a_slot_whose_reply_was_lost_is_not_used_again(void)
{
	unsigned int i;

	slots41_init(&slots, id, 2);
	slots41_take(&slots, &sequence);
	slots41_lost(&slots, &sequence);
	/* Nor by a late reply. */
	slots41_answered(&slots, &sequence, true);
	CU_ASSERT_EQUAL(slots41_in(&slots, SLOT41_LOST), 1);
	for (i = 0; i < 5; i++) {
		SUITE_ROW("%u", i);
		CU_ASSERT_TRUE(slots41_take(&slots, &sequence));
		CU_ASSERT_EQUAL(sequence.slotid, 1);
		slots41_answered(&slots, &sequence, true);
	}
	slots41_take(&slots, &sequence);
	slots41_lost(&slots, &sequence);
	CU_ASSERT_FALSE(slots41_take(&slots, &sequence));
}

static void calls_of_another_session_change_no_slot(void)
{
	struct nfs4_sequence before;

	slots41_init(&slots, id, 2);
	slots41_take(&slots, &before);
	slots41_init(&slots, other_id, 2);
	slots41_take(&slots, &sequence);
	slots41_lost(&slots, &before);
	slots41_answered(&slots, &before, true);
	CU_ASSERT_EQUAL(slots41_in(&slots, SLOT41_BUSY), 1);
	slots41_answered(&slots, &sequence, true);
	CU_ASSERT_EQUAL(slots41_in(&slots, SLOT41_FREE), 2);
}

static void slots_above_the_maximum_are_not_used(void)
{
	unsigned int n = 0;

	slots41_init(&slots, id, UINT32_MAX);
	CU_ASSERT_EQUAL(slots.count, SLOTS41_MAX);
	while (slots41_take(&slots, &sequence))
		n++;
	CU_ASSERT_EQUAL(n, SLOTS41_MAX);
	sequence.slotid = UINT32_MAX;
	slots41_answered(&slots, &sequence, true);
	slots41_lost(&slots, &sequence);
	CU_ASSERT_EQUAL(slots41_in(&slots, SLOT41_BUSY), SLOTS41_MAX);
}

static void without_a_session_there_is_no_slot(void)
{
	memset(&slots, 0, sizeof(slots));
	CU_ASSERT_FALSE(slots41_take(&slots, &sequence));
}

SUITE_MAIN("slots41", TEST(a_slot_starts_at_one_and_advances_with_each_answer),
	   TEST(a_rejected_call_does_not_advance_the_slot),
	   TEST(calls_in_flight_have_their_own_slots),
	   TEST(a_slot_whose_reply_was_lost_is_not_used_again),
	   TEST(calls_of_another_session_change_no_slot),
	   TEST(slots_above_the_maximum_are_not_used), TEST(without_a_session_there_is_no_slot))
