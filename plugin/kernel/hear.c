/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The parent's side: each record of a child is checked here, once. */
#include "plugin/kernel/internal.h"

static int take_record(const struct kernel_hearing *h, const struct child *child,
		       const struct kernel_record *r)
{
	if (r->step >= KERNEL_STEPS || r->index >= KERNEL_RANGES)
		return err_set(EPROTO, "%s sent a record of step %u, range %u",
			       child->name, r->step, r->index);
	h->record(h->arg, r);
	/* The next range. That a child has ended is seen at the next record. */
	if (r->step == KERNEL_READ)
		channel_send(child->channel, CHANNEL_ANSWER, NULL, 0, -1);
	return 0;
}

static int take_chosen(const struct kernel_hearing *h, const struct child *child,
		       struct kernel_chosen *chosen)
{
	if (!h->chosen)
		return err_set(EPROTO, "%s chose a file, unasked", child->name);
	chosen->path[sizeof(chosen->path) - 1] = '\0';
	chosen->why[sizeof(chosen->why) - 1] = '\0';
	*h->chosen = *chosen;
	return 0;
}

int kernel_hear(const struct kernel_hearing *h, const struct child *child)
{
	union {
		struct kernel_chosen chosen;
		struct kernel_record record;
	} body;
	int type, passed, rc = 0;
	ssize_t n;

	while (!rc) {
		n = child_receive(child, &type, &body, sizeof(body), &passed,
				  deadline_min(h->deadline, deadline_in(h->step_ms)));
		if (n == -EPIPE)
			return 0;
		if (n == -EINTR && !(h->interrupted && *h->interrupted))
			continue;
		if (n < 0)
			return (int)n;
		if (type == CHANNEL_ANSWER && n == sizeof(body.record))
			rc = take_record(h, child, &body.record);
		else if (type == KERNEL_CHOSEN && n == sizeof(body.chosen))
			rc = take_chosen(h, child, &body.chosen);
		else
			rc = err_set(EPROTO, "%s sent a record of %zd bytes", child->name,
				     n);
	}
	return rc;
}
