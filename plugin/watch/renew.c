/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Decides from the mounts that were seen which records to write or remove: pure. A record
 * is kept as long as its mount exists; a pending one while a helper is working on its
 * directory.
 *
 * Whether a helper is alive cannot be determined: it may run in another PID namespace. So
 * after mounting over another transport than RDMA it has half a minute to undo or record that,
 * which normally takes milliseconds, and is never reported as a lost mount meanwhile. A mount
 * over RDMA is recorded at once: the record says what the kernel says of it, as the helper's
 * would. */
#include "plugin/watch/internal.h"

struct renew_actions {
	const struct renew_input *input;
	struct renewal *list;
	size_t count;
};

static void renew_add(struct renew_actions *plan, enum renew_action action,
		      const struct record *record, unsigned int mount)
{
	plan->list[plan->count++] = (struct renewal){ action, *record, mount };
}

const struct record *renew_record(const struct renew_input *input, const struct nfs_mount *mount)
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

static const struct record *renew_find_pending(const struct renew_actions *plan, const char *target)
{
	const struct record_list *records = plan->input->records;
	size_t i;

	for (i = 0; i < records->count; i++)
		if (!records->list[i].id &&
		    !strcmp(records->list[i].boot_id, plan->input->boot_id) &&
		    !strcmp(records->list[i].target, target))
			return &records->list[i];
	return NULL;
}

/* It may have been written after the scan began; a time further in the future is invalid. */
static bool renew_is_younger(const struct renew_actions *plan, const struct record *record,
			     uint64_t ms)
{
	uint64_t now = plan->input->now, then = record->checked_ms;

	return then > now ? then - now < RECORD_PERIOD_MS : now - then < ms;
}

bool renew_is_helpers(const struct renew_input *input, const struct nfs_mount *mount)
{
	struct renew_actions plan = { .input = input };
	const struct record *pending = renew_find_pending(&plan, mount->target),
			    *own = renew_record(input, mount);

	if (!pending || (own && own->checked_ms > pending->checked_ms))
		return false;
	/* If one export has several mounts, the age is that of the first. */
	return renew_is_younger(&plan, pending, RENEW_HELPER_MS) ||
	       (mount->age * 1000 < RENEW_HELPER_MS &&
		renew_is_younger(&plan, pending, RENEW_PENDING_MS));
}

static void renew_plan_mount(struct renew_actions *plan, unsigned int index)
{
	static const enum record_state states[] = {
		[RUN_UNKNOWN] = RECORD_UNPROVEN, [RUN_RDMA] = RECORD_PROVEN,
		[RUN_CLAIMED] = RECORD_PROVEN,   [RUN_MIXED] = RECORD_UNPROVEN,
		[RUN_OTHER] = RECORD_TCP,
	};
	const struct renew_input *input = plan->input;
	const struct nfs_mount *mount = &input->mounts->list[index];
	const struct view_mount *seen = input->seen[index];
	const struct record *own = renew_record(input, mount), *told = own;
	struct record record = { .state = states[seen->run], .checked_ms = input->now };

	if (!view_run_is_rdma(seen->run) && renew_is_helpers(input, mount))
		return;
	if (seen->run != RUN_RDMA && seen->run != RUN_CLAIMED && seen->run != RUN_MIXED && !own &&
	    !seen->wanted.rdma && !renew_find_pending(plan, mount->target))
		return;
	record_of_mount(&record, mount);
	text_copy(record.boot_id, sizeof(record.boot_id), input->boot_id);
	str_copy(record.by, sizeof(record.by), WATCH_NAME);
	/* Its helper did not record it. */
	if (!told)
		told = renew_find_pending(plan, mount->target);
	if (told && view_same_source(told->fs_spec, mount->fs_spec)) {
		str_copy(record.wanted, sizeof(record.wanted), told->wanted);
		str_copy(record.policy, sizeof(record.policy), told->policy);
	}
	if (seen->wanted.rdma && seen->wanted.lasting)
		str_copy(record.wanted, sizeof(record.wanted), "rdma");
	/* It already says what would be written, and is recent. */
	if (own && own->state == record.state && !strcmp(own->wanted, record.wanted) &&
	    !strcmp(own->effective, record.effective) &&
	    renew_is_younger(plan, own, RECORD_PERIOD_MS / 3))
		return;
	renew_add(plan, RENEW_WRITE, &record, index);
}

static void renew_plan_record(struct renew_actions *plan, const struct record *record)
{
	const struct renew_input *input = plan->input;
	const struct nfs_mounts *mounts = input->mounts;
	bool mounted = false, helpers = false;
	unsigned int i;

	if (strcmp(record->boot_id, input->boot_id) != 0) {
		renew_add(plan, RENEW_DROP, record, 0);
		return;
	}
	/* The list of mounts is incomplete. */
	if (mounts->cut || mounts->unreadable)
		return;
	for (i = 0; i < mounts->count; i++) {
		if (record->id) {
			mounted |= record_is_of(record, &mounts->list[i], input->now);
		} else if (!strcmp(mounts->list[i].target, record->target)) {
			mounted = true;
			helpers |= !view_run_is_rdma(input->seen[i]->run) &&
				   renew_is_helpers(input, &mounts->list[i]);
		}
	}
	/* The helper made the mount on a pending record's directory, and it is recorded by now,
	 * unless the helper is still working on it. Where nothing is mounted, its helper may have
	 * been killed: the request stays, and no guest is to use the directory. A time in the future
	 * is invalid. */
	if (record->id && !mounted)
		renew_add(plan, RENEW_GONE, record, 0);
	else if (!record->id && (mounted ? !helpers : !renew_is_younger(plan, record, UINT64_MAX)))
		renew_add(plan, RENEW_DROP, record, 0);
}

int renew_plan(const struct renew_input *input, struct renewal **out, size_t *count)
{
	const struct record_list *records = input->records;
	struct renew_actions plan = { .input = input };
	unsigned int i;
	size_t j;

	plan.list = calloc(input->mounts->count + records->count + 1, sizeof(*plan.list));
	if (!plan.list)
		return err_no_memory();
	for (i = 0; i < input->mounts->count; i++)
		renew_plan_mount(&plan, i);
	for (j = 0; j < records->count; j++)
		renew_plan_record(&plan, &records->list[j]);
	*out = plan.list;
	*count = plan.count;
	return 0;
}
