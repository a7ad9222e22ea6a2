/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The children's records, and how one range is read. */
#include <stdio.h>

#include "plugin/kernel/internal.h"

int kernel_send_step(int channel, enum kernel_step step, int rc, uint64_t start_ms)
{
	struct kernel_record record = { .step = step, .wrong = UINT32_MAX };

	record.error = rc < 0 ? errno : 0;
	record.ms = (uint32_t)(now_ms() - start_ms);
	channel_send(channel, CHANNEL_ANSWER, &record, sizeof(record), -1);
	return rc;
}

int kernel_read_range(int channel, struct kernel_range_task *task)
{
	const struct probe_range *range = &task->range;
	const uint8_t *expected = task->expected;
	struct kernel_record record = { .step = KERNEL_READ,
					.index = task->index,
					.wrong = UINT32_MAX };
	uint8_t *buf = task->buf;
	uint64_t start = now_ms();
	uint8_t next[4];
	int type, passed;
	uint32_t i;
	ssize_t n;

	/* A part of the buffer that is not filled is wrong, too. */
	memset(buf, 0xa5, range->length);
	n = pread(task->fd, buf, range->length, (off_t)range->offset);
	record.error = n < 0 ? errno : 0;
	record.length = n < 0 ? 0 : (uint32_t)n;
	for (i = 0; expected && i < record.length && record.wrong == UINT32_MAX; i++)
		if (buf[i] != expected[i])
			record.wrong = i;
	task->failed += record.error || record.length != range->length ||
			record.wrong != UINT32_MAX;
	record.digest = bytes_digest(buf, record.length);
	record.ms = (uint32_t)(now_ms() - start);
	channel_send(channel, CHANNEL_ANSWER, &record, sizeof(record), -1);
	/* Before the next READ the parent counts what the server has sent of this one. */
	n = channel_receive(channel, &type, next, sizeof(next), &passed);
	return n < 0 ? (int)n : 0;
}

/* "Input/output error", "wrong data from byte 17 on", ... */
const char *kernel_wrong_text(const struct kernel_record *r, uint32_t length, char *buf, size_t cap)
{
	if (r->error)
		snprintf(buf, cap, "%s", strerrordesc_np(r->error));
	else if (r->length != length)
		snprintf(buf, cap, "%u bytes instead of %u", r->length, length);
	else if (r->wrong)
		snprintf(buf, cap, "wrong data from byte %u", r->wrong);
	else
		snprintf(buf, cap, "wrong data");
	return buf;
}
