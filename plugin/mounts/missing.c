/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Mounts over RDMA that are configured and missing: lines of fstab, libvirt's pools,
 * sections of directories. A guest with a disk there is refused. It is a failure only if it
 * should be mounted now. Pure. */
#include <stdio.h>

#include "plugin/mounts/internal.h"

static bool mounts_missing_came_before(const struct view *view, size_t index)
{
	const char *path = view_dir(view, index)->path;
	size_t i;

	for (i = 0; i < index; i++)
		if (view_dir(view, i)->wanted.rdma && !strcmp(view_dir(view, i)->path, path))
			return true;
	return false;
}

/* The place that expects a mount there now, or NULL. */
static const struct view_place *mounts_missing_expected(const struct view *view, const char *path)
{
	size_t i;

	for (i = 0; i < view_ndirs(view); i++)
		if (view_dir(view, i)->place->expected && !strcmp(view_dir(view, i)->path, path))
			return view_dir(view, i)->place;
	return NULL;
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

static void mounts_missing_judge(const struct view *view, const struct view_dir *dir,
				 struct mount_missing *out)
{
	const struct view_place *by = mounts_missing_expected(view, dir->path);
	const struct view_wanted *wanted = &dir->wanted;
	const char *source = dir->place->fs_spec, *misfit;
	_cleanup_free_ char *options = NULL;
	bool pool = by && by->kind == PLACE_POOL;
	/* A line of mountinfo without a type is malformed. */
	bool unknown = dir->mounted == DIR_UNKNOWN ||
		       (dir->mounted == DIR_OTHER && !*dir->on->type);
	static const char *const reasons[] = {
		[PLACE_POOL] = "pool",   [PLACE_FSTAB] = "fstab",        [PLACE_UNIT] = "unit",
		[PLACE_DOMAIN] = "vdsm", [PLACE_PENDING] = "unfinished",
	};
	char what[124];

	out->dir = dir;
	out->by = by;
	out->status = unknown ? FINDING_UNKNOWN : FINDING_FAIL;
	if (!by || dir->mounted == DIR_AUTOMOUNT)
		out->status = FINDING_SKIP;
	out->reason = NULL;
	if (out->status != FINDING_SKIP && unknown) {
		out->reason = "unreadable";
	} else if (out->status != FINDING_SKIP && dir->mounted == DIR_OTHER &&
		   by->kind != PLACE_PENDING) {
		out->reason = pool ? "pool-occupied" : "occupied";
	} else if (out->status != FINDING_SKIP) {
		misfit = mounts_misfit(by, &options);
		out->reason = misfit ? misfit : reasons[by->kind];
	}
	if (unknown)
		snprintf(what, sizeof(what), "unknown what is mounted there");
	else if (dir->mounted == DIR_OTHER)
		snprintf(what, sizeof(what), "%.70s (%s) is mounted there", dir->on->source,
			 dir->on->type);
	else if (dir->mounted == DIR_AUTOMOUNT)
		snprintf(what, sizeof(what), "mounted on demand, not mounted now");
	else
		snprintf(what, sizeof(what), "not mounted");
	snprintf(out->text, sizeof(out->text), "%s, %s %.160s %s %.100s%sRDMA", what,
		 by ? "but" : "and", wanted->from, view_verb(wanted), source ? source : "",
		 source ? " over " : "");
}

void mounts_missing(const struct view *view, mount_missing_fn fn, void *arg)
{
	struct mount_missing missing;
	size_t i;

	for (i = 0; i < view_ndirs(view); i++) {
		const struct view_dir *dir = view_dir(view, i);

		if (!dir->wanted.rdma || dir->mounted == DIR_NFS ||
		    mounts_missing_came_before(view, i))
			continue;
		mounts_missing_judge(view, dir, &missing);
		fn(arg, &missing);
	}
}

bool mounts_missing_lost(const struct view *view, struct finding *finding)
{
	struct view_lost lost;

	if (!view_lost(view, NULL, &lost))
		return false;
	finding_init(finding, "mount.missing", FINDING_UNKNOWN,
		     "what mount.nfsrdma was to mount is not all known: %s", lost.why);
	finding_reason(finding, "request");
	finding_text(finding, "request", "%s", lost.file);
	return true;
}
