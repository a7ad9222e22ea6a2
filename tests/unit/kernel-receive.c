/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* What the parent accepts from the child that reads through a mount: the child may be
 * compromised by a peer's bytes, and may send anything. */
#include "plugin/kernel/internal.h"

#include "suite.h"

struct sent {
	const char *name;
	int type;
	uint32_t step, index;
	size_t len; /* of the record, or of what was chosen */
	bool may_choose;
	int rc;
	unsigned int received;
};

static const struct sent rows[] = {
	{ "a step", CHANNEL_ANSWER, KERNEL_MOUNT, 0, sizeof(struct kernel_record), false, 0, 1 },
	{ "the last range", CHANNEL_ANSWER, KERNEL_READ, KERNEL_RANGES - 1,
	  sizeof(struct kernel_record), false, 0, 1 },
	{ "no such range", CHANNEL_ANSWER, KERNEL_READ, KERNEL_RANGES, sizeof(struct kernel_record),
	  false, -EPROTO, 0 },
	{ "no such write", CHANNEL_ANSWER, KERNEL_WRITE, KERNEL_WRITES,
	  sizeof(struct kernel_record), false, -EPROTO, 0 },
	{ "no such step", CHANNEL_ANSWER, KERNEL_STEPS, 0, sizeof(struct kernel_record), false,
	  -EPROTO, 0 },
	{ "a short record", CHANNEL_ANSWER, KERNEL_MOUNT, 0, sizeof(struct kernel_record) - 1,
	  false, -EPROTO, 0 },
	{ "nothing in it", CHANNEL_ANSWER, KERNEL_MOUNT, 0, 0, false, -EPROTO, 0 },
	{ "another type", 77, KERNEL_MOUNT, 0, sizeof(struct kernel_record), false, -EPROTO, 0 },
	{ "a file", KERNEL_CHOSEN, 0, 0, sizeof(struct kernel_chosen), true, 0, 0 },
	{ "a file, unasked", KERNEL_CHOSEN, 0, 0, sizeof(struct kernel_chosen), false, -EPROTO, 0 },
	{ "half a file", KERNEL_CHOSEN, 0, 0, sizeof(struct kernel_chosen) / 2, true, -EPROTO, 0 },
};

/* A child that sends one message; for a READ the parent lets it continue. */
static int send_one(void *arg, int channel)
{
	const struct sent *row = arg;
	union {
		struct kernel_record record;
		struct kernel_chosen chosen;
		uint8_t bytes[sizeof(struct kernel_chosen)];
	} body;
	int type, passed;

	/* Its texts have no terminator. */
	memset(&body, 'x', sizeof(body));
	if (row->type != KERNEL_CHOSEN) {
		body.record.step = row->step;
		body.record.index = row->index;
	}
	if (channel_send(channel, row->type, body.bytes, row->len, -1))
		return 1;
	if (!row->rc && row->step == KERNEL_READ && row->type == CHANNEL_ANSWER)
		return channel_receive(channel, &type, body.bytes, 4, &passed) < 0;
	return 0;
}

static int send_nothing(void *arg, int channel)
{
	(void)arg;
	(void)channel;
	pause();
	return 0;
}

static void count(void *arg, const struct kernel_record *r)
{
	(void)r;
	++*(unsigned int *)arg;
}

static void invalid_messages_end_the_child(void)
{
	struct kernel_chosen chosen;
	struct child_function function = { .kind = CHILD_TOUCH,
					   .name = "the child",
					   .run = send_one };
	unsigned int received;
	struct kernel_receiver receiver = { .record = count,
					    .arg = &received,
					    .deadline = deadline_in(PATIENCE_MS),
					    .step_ms = PATIENCE_MS };
	struct child_end end;
	struct child child;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		struct sent row = rows[i];

		SUITE_ROW("%zu: %s", i, row.name);
		memset(&chosen, 0, sizeof(chosen));
		received = 0;
		function.arg = &row;
		receiver.chosen = row.may_choose ? &chosen : NULL;
		CU_ASSERT_EQUAL_FATAL(child_start(&child, &function), 0);
		CU_ASSERT_EQUAL(kernel_receive(&receiver, &child), row.rc);
		CU_ASSERT_EQUAL(received, row.received);
		child_finish(&child, deadline_in(PATIENCE_MS), &end);
		CU_ASSERT_EQUAL(end.fate, CHILD_EXITED);
		CU_ASSERT_EQUAL(end.status, 0);
		CU_ASSERT_EQUAL(strnlen(chosen.path, sizeof(chosen.path)),
				row.may_choose && !row.rc ? sizeof(chosen.path) - 1 : 0);
	}
}

static void silence_does_not_end_the_child(void)
{
	const struct child_function function = { .kind = CHILD_TOUCH,
						 .name = "the child",
						 .run = send_nothing };
	unsigned int received = 0;
	const struct kernel_receiver receiver = { .record = count,
						  .arg = &received,
						  .deadline = deadline_in(PATIENCE_MS),
						  .step_ms = 20 };
	struct child child;

	CU_ASSERT_EQUAL_FATAL(child_start(&child, &function), 0);
	CU_ASSERT_EQUAL(kernel_receive(&receiver, &child), -ETIMEDOUT);
	CU_ASSERT_EQUAL(received, 0);
	child_finish(&child, 0, NULL);
}

SUITE_MAIN("kernel-receive", TEST(invalid_messages_end_the_child),
	   TEST(silence_does_not_end_the_child))
