/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Who wants an NFS mount over RDMA: its options, the pool on it, the policy, the record of who
 * mounted it, and what plugin/mounts finds besides. Pure. */
#include "plugin/watch/internal.h"

static void say(struct wanted *out, bool lasting, const char *by)
{
	out->rdma = true;
	out->lasting = lasting;
	snprintf(out->by, sizeof(out->by), "%s", by);
}

const struct record *wanted_record(const struct wanted_sources *sources,
				   const struct nfs_mount *mount)
{
	size_t i;

	for (i = 0; i < sources->records->count; i++) {
		const struct record *record = &sources->records->list[i];

		if (record_is_of(record, mount, sources->now) &&
		    !strcmp(record->boot_id, sources->boot_id))
			return record;
	}
	return NULL;
}

static const struct wanted_pool *find_pool(const struct wanted_sources *sources,
					   const struct nfs_mount *mount)
{
	size_t i;

	for (i = 0; i < sources->npools; i++)
		/* A mount's target is cut. */
		if (!strncmp(sources->pools[i].target, mount->target,
			     sizeof(mount->target) - 1))
			return &sources->pools[i];
	return NULL;
}

/* False: it is nobody's but [default]'s, which covers no mount of its own. */
static bool get_policy(const struct wanted_sources *sources,
		       const struct nfs_mount *mount, struct policy *out)
{
	struct spec spec;

	if (spec_parse(mount->fs_spec, &spec))
		return false;
	policy_get(sources->policies, &spec, mount->target, out);
	return out->scope >= POLICY_OF_SERVER;
}

void wanted_mount(const struct wanted_sources *sources,
		  const struct mount_verdict *verdict, struct wanted *out)
{
	const struct nfs_mount *mount = verdict->mount;
	const struct wanted_pool *pool = find_pool(sources, mount);
	const struct record *record = wanted_record(sources, mount);
	struct policy policy;
	bool covered = get_policy(sources, mount, &policy);

	bool asked = record && mounts_is_rdma(record->wanted);

	*out = (struct wanted){ .rdma = false };
	if (covered && policy.mode == POLICY_OFF)
		return;
	if (verdict->wish == WISH_RDMA && !strcmp(verdict->wish_by, "its options"))
		say(out, true, verdict->wish_by);
	else if (pool)
		say(out, true, pool->by);
	else if (asked)
		say(out, true, "its record");
	else if (covered)
		say(out, false, policy.mode_from);
	else if (verdict->wish == WISH_RDMA)
		say(out, false, verdict->wish_by);
	out->tolerated = covered ? policy.mode == POLICY_PREFER
			 : asked ? record_is_lenient(record)
				 : !pool && verdict->lenient;
}
