/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Decides from the mounts that were seen which records to write or remove: pure. A record
 * is kept as long as its mount exists; a pending one while a helper is working on its
 * directory.
 *
 * Whether a helper is alive cannot be determined: it may run in another PID namespace. So
 * after mounting it has half a minute to write its record, which normally takes
 * milliseconds. The record that the watcher then writes says what the kernel says of the
 * mount, as the helper's would. So a helper that unmounts a mount over TCP is never
 * reported as a lost mount. */
#include "plugin/watch/internal.h"

struct renewing {
	const struct renew_input *input;
	struct renewal *list;
	size_t count;
};

static void add(struct renewing *plan, enum renew_action action,
		const struct record *record, unsigned int mount)
{
	plan->list[plan->count++] = (struct renewal){ action, *record, mount };
}

const struct record *renew_record(const struct renew_input *input,
				  const struct nfs_mount *mount)
{
	size_t i;

	for (i = 0; i < input->records->count; i++) {
		const struct record *record = &input->records->list[i];

		if (record_is_of(record, mount, input->now) &&
		    !strcmp(record->boot_id, input->boot_id))
			return record;
	}
	return NULL;
}

static bool of_this_boot(const struct renewing *plan, const struct record *record)
{
	return !strcmp(record->boot_id, plan->input->boot_id);
}

static const struct record *find_pending(const struct renewing *plan, const char *target)
{
	const struct record_list *records = plan->input->records;
	size_t i;

	for (i = 0; i < records->count; i++)
		if (!records->list[i].id && of_this_boot(plan, &records->list[i]) &&
		    !strcmp(records->list[i].target, target))
			return &records->list[i];
	return NULL;
}

/* It may have been written after the scan began; a time further in the future is invalid. */
static bool younger_than(const struct renewing *plan, const struct record *record,
			 uint64_t ms)
{
	uint64_t now = plan->input->now, then = record->checked_ms;

	return then > now ? then - now < RECORD_PERIOD_MS : now - then < ms;
}

bool renew_is_helpers(const struct renew_input *input, const struct nfs_mount *mount)
{
	struct renewing plan = { .input = input };
	const struct record *pending = find_pending(&plan, mount->target),
			    *own = renew_record(input, mount);

	if (!pending || (own && own->checked_ms > pending->checked_ms))
		return false;
	/* If one export has several mounts, the age is that of the first. */
	return younger_than(&plan, pending, RENEW_HELPER_MS) ||
	       (mount->age * 1000 < RENEW_HELPER_MS &&
		younger_than(&plan, pending, RENEW_PENDING_MS));
}

static enum record_state state_of(enum view_run run)
{
	static const enum record_state states[] = {
		[RUN_UNKNOWN] = RECORD_UNPROVEN, [RUN_RDMA] = RECORD_PROVEN,
		[RUN_CLAIMED] = RECORD_PROVEN,   [RUN_MIXED] = RECORD_UNPROVEN,
		[RUN_OTHER] = RECORD_TCP,
	};

	return states[run];
}

/* It already says what would be written, and is recent. */
static bool is_fresh(const struct renewing *plan, const struct record *own,
		     const struct record *record)
{
	return own && own->state == record->state &&
	       !strcmp(own->wanted, record->wanted) &&
	       !strcmp(own->effective, record->effective) &&
	       younger_than(plan, own, RECORD_PERIOD_MS / 3);
}

static void write_one(struct renewing *plan, unsigned int index, const struct record *own)
{
	const struct renew_input *input = plan->input;
	const struct view_mount *seen = input->seen[index];
	struct record record = { .state = state_of(seen->run), .checked_ms = input->now };

	record_of_mount(&record, &input->mounts->list[index]);
	text_copy(record.boot_id, sizeof(record.boot_id), input->boot_id);
	strcpy(record.by, WATCH_NAME);
	if (own) {
		strcpy(record.wanted, own->wanted);
		strcpy(record.policy, own->policy);
	}
	if (seen->wanted.rdma && seen->wanted.lasting)
		strcpy(record.wanted, "rdma");
	if (!is_fresh(plan, own, &record))
		add(plan, RENEW_WRITE, &record, index);
}

static void plan_mount(struct renewing *plan, unsigned int index)
{
	const struct renew_input *input = plan->input;
	const struct nfs_mount *mount = &input->mounts->list[index];
	const struct record *own = renew_record(input, mount);
	enum view_run run = input->seen[index]->run;
	bool rdma = run == RUN_RDMA || run == RUN_CLAIMED || run == RUN_MIXED;

	if (renew_is_helpers(input, mount))
		return;
	if (rdma || own || input->seen[index]->wanted.rdma ||
	    find_pending(plan, mount->target))
		write_one(plan, index, own);
}

static bool is_mounted(const struct renewing *plan, const struct record *record)
{
	const struct nfs_mounts *mounts = plan->input->mounts;
	unsigned int i;

	for (i = 0; i < mounts->count; i++)
		if (record->id ? record_is_of(record, &mounts->list[i], plan->input->now)
			       : !strcmp(mounts->list[i].target, record->target))
			return true;
	return false;
}

/* The helper made the mount on this directory, and it is recorded by now, unless the helper
 * is still working on it. */
static bool is_done(const struct renewing *plan, const struct record *pending)
{
	const struct nfs_mounts *mounts = plan->input->mounts;
	unsigned int i;

	for (i = 0; i < mounts->count; i++)
		if (!strcmp(mounts->list[i].target, pending->target) &&
		    renew_is_helpers(plan->input, &mounts->list[i]))
			return false;
	return true;
}

static void plan_record(struct renewing *plan, const struct record *record)
{
	const struct nfs_mounts *mounts = plan->input->mounts;
	bool mounted = is_mounted(plan, record);

	if (!of_this_boot(plan, record))
		add(plan, RENEW_DROP, record, 0);
	/* The list of mounts is incomplete. */
	else if (mounts->cut || mounts->unreadable)
		return;
	else if (record->id && !mounted)
		add(plan, RENEW_GONE, record, 0);
	else if (!record->id && (mounted ? is_done(plan, record)
					 : !younger_than(plan, record, RENEW_PENDING_MS)))
		add(plan, RENEW_DROP, record, 0);
}

int renew_plan(const struct renew_input *input, struct renewal **out, size_t *count)
{
	const struct record_list *records = input->records;
	struct renewing plan = { .input = input };
	unsigned int i;
	size_t j;

	plan.list = calloc(input->mounts->count + records->count + 1, sizeof(*plan.list));
	if (!plan.list)
		return err_set(ENOMEM, "no memory");
	for (i = 0; i < input->mounts->count; i++)
		plan_mount(&plan, i);
	for (j = 0; j < records->count; j++)
		plan_record(&plan, &records->list[j]);
	*out = plan.list;
	*count = plan.count;
	return 0;
}
