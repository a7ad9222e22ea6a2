/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* What should be mounted over RDMA and is not: lines of fstab, libvirt's pools, sections of directories.
 * A guest with a disk there is refused; whether that is wrong now depends on whether it should be mounted
 * now. Pure. */
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

static bool is_expected(const struct view *view, const char *path)
{
	size_t i;

	for (i = 0; i < view_nspots(view); i++)
		if (view_spot(view, i)->place->expected &&
		    !strcmp(view_spot(view, i)->path, path))
			return true;
	return false;
}

static const char *what_is_there(const struct view_spot *spot, char buf[160])
{
	if (spot->there == THERE_STRANGER)
		snprintf(buf, 160, "%.80s (%s) is mounted there", spot->on->source,
			 spot->on->type);
	else if (spot->there == THERE_ON_DEMAND)
		snprintf(buf, 160, "mounted on demand, and not mounted now");
	else if (spot->there == THERE_LOST)
		snprintf(buf, 160, "what is mounted there could not be found out");
	else
		snprintf(buf, 160, "not mounted");
	return buf;
}

static void judge(const struct view *view, const struct view_spot *spot,
		  struct mount_missing *out)
{
	bool expected = is_expected(view, spot->path);
	const struct view_wanted *wanted = &spot->wanted;
	const char *source = spot->place->fs_spec;
	char there[160];

	out->spot = spot;
	if (!expected || spot->there == THERE_ON_DEMAND)
		out->status = FINDING_SKIP;
	else
		out->status = spot->there == THERE_LOST ? FINDING_UNKNOWN : FINDING_FAIL;
	snprintf(out->text, sizeof(out->text), "%s, %s %.160s %s %.100s%sRDMA",
		 what_is_there(spot, there), expected ? "though" : "and", wanted->from,
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
