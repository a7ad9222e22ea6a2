/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Mounts over RDMA that are configured and missing: lines of fstab, libvirt's pools,
 * sections of directories. A guest with a disk there is refused. It is a failure only if it
 * should be mounted now. Pure. */
#include <stdio.h>

#include "plugin/mounts/internal.h"

static bool came_before(const struct view *view, size_t index)
{
	const char *path = view_spot(view, index)->path;
	size_t i;

	for (i = 0; i < index; i++)
		if (view_spot(view, i)->wanted.rdma &&
		    !strcmp(view_spot(view, i)->path, path))
			return true;
	return false;
}

/* The place that expects a mount there now, or NULL. */
static const struct view_place *find_expected(const struct view *view, const char *path)
{
	size_t i;

	for (i = 0; i < view_nspots(view); i++)
		if (view_spot(view, i)->place->expected &&
		    !strcmp(view_spot(view, i)->path, path))
			return view_spot(view, i)->place;
	return NULL;
}

/* A line of mountinfo without a type is malformed. */
static bool is_unknown_there(const struct view_spot *spot)
{
	return spot->there == THERE_LOST ||
	       (spot->there == THERE_STRANGER && !*spot->on->type);
}

static const char *what_is_there(const struct view_spot *spot, char buf[160])
{
	if (is_unknown_there(spot))
		snprintf(buf, 160, "unknown what is mounted there");
	else if (spot->there == THERE_STRANGER)
		snprintf(buf, 160, "%.80s (%s) is mounted there", spot->on->source,
			 spot->on->type);
	else if (spot->there == THERE_ON_DEMAND)
		snprintf(buf, 160, "mounted on demand, not mounted now");
	else
		snprintf(buf, 160, "not mounted");
	return buf;
}

const char *mounts_misfit(const struct view_place *place, char **options)
{
	_cleanup_(plan_free_p) struct plan *plan = NULL;
	const struct plan_request request = { .spec = place->fs_spec,
					      .options = place->options,
					      .dir = place->target };
	unsigned int i;

	*options = NULL;
	if (!place->plain || !place->fs_spec || !place->options)
		return NULL;
	if (plan_make(&plan, &request))
		return strcmp(err_reason(), "ipv4") ? NULL : "ipv4";
	for (i = 0; i < plan->nchanges; i++) {
		if (plan->changes[i].kind != PLAN_REPLACED ||
		    strcmp(plan->changes[i].after, "proto=rdma6"))
			continue;
		*options = take_ptr(plan->options);
		return "ipv6";
	}
	return NULL;
}

static const char *reason_of(const struct mount_missing *missing)
{
	bool pool = missing->by && missing->by->kind == PLACE_POOL;
	_cleanup_free_ char *options = NULL;
	const char *misfit;

	if (is_unknown_there(missing->spot))
		return "unreadable";
	if (missing->spot->there == THERE_STRANGER)
		return pool ? "pool-occupied" : "occupied";
	misfit = missing->by ? mounts_misfit(missing->by, &options) : NULL;
	return misfit ? misfit : pool ? "pool" : "fstab";
}

static void judge(const struct view *view, const struct view_spot *spot,
		  struct mount_missing *out)
{
	const struct view_wanted *wanted = &spot->wanted;
	const char *source = spot->place->fs_spec;
	char there[160];

	out->spot = spot;
	out->by = find_expected(view, spot->path);
	if (!out->by || spot->there == THERE_ON_DEMAND)
		out->status = FINDING_SKIP;
	else
		out->status = is_unknown_there(spot) ? FINDING_UNKNOWN : FINDING_FAIL;
	out->reason = out->status == FINDING_SKIP ? NULL : reason_of(out);
	snprintf(out->text, sizeof(out->text), "%s, %s %.160s %s %.100s%sRDMA",
		 what_is_there(spot, there), out->by ? "but" : "and", wanted->from,
		 view_verb(wanted), source ? source : "", source ? " over " : "");
}

void mounts_missing(const struct view *view, mount_missing_fn fn, void *arg)
{
	struct mount_missing missing;
	size_t i;

	for (i = 0; i < view_nspots(view); i++) {
		const struct view_spot *spot = view_spot(view, i);

		if (!spot->wanted.rdma || spot->there == THERE_NFS ||
		    came_before(view, i))
			continue;
		judge(view, spot, &missing);
		fn(arg, &missing);
	}
}
