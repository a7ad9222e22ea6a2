/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

#include "plugin/kernel/quick.h"

#include "plugin/kernel/internal.h"

/* Each is asked for. */
#define QUICK_NAMES 64

struct quick_reads {
	const struct kernel_quick_request *request;
	struct kernel_quick *out;
};

static void quick_on_record(void *arg, const struct kernel_record *r)
{
	const struct kernel_quick_request *request = ((struct quick_reads *)arg)->request;
	struct kernel_quick *out = ((struct quick_reads *)arg)->out;
	uint32_t length = kernel_lengths[r->index];
	size_t i;

	for (i = 0; i < request->nlengths && request->lengths[i] != length; i++)
		;
	if (i == request->nlengths)
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

void kernel_quick_read(const struct kernel_quick_request *request, struct kernel_quick *out)
{
	struct kernel_reader_task task = {
		.target = request->target,
		.dev = request->dev,
		.path = request->path,
		.uid = geteuid(),
		.gid = getegid(),
		.lengths = request->lengths,
		.nlengths = request->nlengths,
		.most_names = QUICK_NAMES,
	};
	const struct child_function function = { .kind = CHILD_TOUCH,
						 .name = "the process that reads",
						 .run = kernel_reader,
						 .arg = &task };
	struct quick_reads reads = { .request = request, .out = out };
	struct kernel_chosen chosen;
	const struct kernel_receiver receiver = { .record = quick_on_record,
						  .arg = &reads,
						  .chosen = &chosen,
						  .deadline = deadline_in(request->ms),
						  .step_ms = request->ms };
	struct child_end end;
	struct child child;

	memset(out, 0, sizeof(*out));
	if (child_start(&child, &function))
		return;
	kernel_receive(&receiver, &child);
	child_finish(&child, 0, &end);
	out->left = end.fate == CHILD_LEFT ? end.pid : 0;
}
