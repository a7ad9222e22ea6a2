/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The parent's side: each record of a child is checked here, once. */
#include "plugin/kernel/internal.h"

int kernel_receive(const struct kernel_receiver *receiver, const struct child *child)
{
	union {
		struct kernel_chosen chosen;
		struct kernel_record record;
	} body;
	struct kernel_record *r = &body.record;
	int type;
	ssize_t n;

	while (true) {
		/* A signal may come at any moment, not only while this waits. */
		if (receiver->interrupted && *receiver->interrupted)
			return -EINTR;
		n = child_receive(child, &type, &body, sizeof(body),
				  deadline_min(receiver->deadline, deadline_in(receiver->step_ms)));
		if (n == -EPIPE)
			return 0;
		if (n == -EINTR)
			continue;
		if (n < 0)
			return (int)n;
		if (type == KERNEL_CHOSEN && n == sizeof(body.chosen)) {
			if (!receiver->chosen)
				return err_set(EPROTO, "%s chose a file, unasked", child->name);
			body.chosen.path[sizeof(body.chosen.path) - 1] = '\0';
			body.chosen.why[sizeof(body.chosen.why) - 1] = '\0';
			*receiver->chosen = body.chosen;
			continue;
		}
		if (type != CHANNEL_ANSWER || n != sizeof(*r))
			return err_set(EPROTO, "%s sent a record of %zd bytes", child->name, n);
		if (r->step >= KERNEL_STEPS ||
		    r->index >= (r->step == KERNEL_WRITE ? KERNEL_WRITES : KERNEL_RANGES))
			return err_set(EPROTO, "%s sent a record of step %u, range %u", child->name,
				       r->step, r->index);
		receiver->record(receiver->arg, r);
		/* The next range, or row. That a child has ended is seen at the next record. */
		if (r->step == KERNEL_READ || r->step == KERNEL_WRITE)
			channel_send(child->channel, CHANNEL_ANSWER, NULL, 0, -1);
		if (receiver->until && r->step == receiver->until)
			return 0;
	}
}
