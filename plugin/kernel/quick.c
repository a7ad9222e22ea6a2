/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

#include "plugin/kernel/quick.h"

#include "plugin/kernel/internal.h"

/* Each is asked for. */
#define QUICK_NAMES 64

static void take(const struct kernel_quick_place *place, struct kernel_quick *out,
		 const struct kernel_record *r)
{
	uint32_t length;
	size_t i;

	if (r->index >= KERNEL_RANGES)
		return;
	length = kernel_lengths[r->index];
	for (i = 0; i < place->nlengths && place->lengths[i] != length; i++)
		;
	if (i == place->nlengths)
		return;
	out->tried++;
	if (!r->error && r->length == length) {
		out->right++;
		out->largest_right = length;
	} else if (r->error == EIO) {
		out->smallest_lost = out->smallest_lost ? out->smallest_lost : length;
	} else {
		out->otherwise = true;
	}
}

void kernel_quick_read(const struct kernel_quick_place *place, struct kernel_quick *out)
{
	struct kernel_reader_task task = {
		.target = place->target,
		.dev = place->dev,
		.path = place->path,
		.uid = geteuid(),
		.gid = getegid(),
		.lengths = place->lengths,
		.nlengths = place->nlengths,
		.most_names = QUICK_NAMES,
	};
	const struct child_function function = { .kind = CHILD_TOUCH,
						 .name = "the process that reads",
						 .run = kernel_reader,
						 .arg = &task };
	uint64_t deadline = deadline_in(place->ms);
	union {
		struct kernel_chosen chosen;
		struct kernel_record record;
	} body;
	struct child_end end;
	struct child child;
	int type, passed;
	ssize_t n;

	memset(out, 0, sizeof(*out));
	if (child_start(&child, &function))
		return;
	do {
		n = child_receive(&child, &type, &body, sizeof(body), &passed, deadline);
		if (type != CHANNEL_ANSWER || n != sizeof(body.record))
			continue;
		take(place, out, &body.record);
		channel_send(child.channel, CHANNEL_ANSWER, NULL, 0, -1);
	} while (n >= 0 || n == -EINTR);
	child_finish(&child, 0, &end);
	out->left = end.fate == CHILD_LEFT ? end.pid : 0;
}
