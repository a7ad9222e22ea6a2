/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The mount on a pool's target. */
#include "plugin/libvirt/internal.h"

const struct view_mount *pool_target_mount(const struct view *view, const char *target)
{
	const struct nfs_mounts *mounts = view_nfs(view);
	unsigned int i;

	for (i = mounts->count; i > 0; i--)
		/* Strings of a mount are truncated to their size. */
		if (!strncmp(mounts->list[i - 1].target, target, sizeof(mounts->list->target) - 1))
			return view_mount(view, i - 1);
	return NULL;
}

int pool_target_resolve(const struct host *host, const char *target, char *buf, size_t cap)
{
	_cleanup_(host_mounts_fini) struct host_mounts mounts = { .count = 0 };
	struct host_path found;
	int rc = host_mounts(host, &mounts);

	if (!rc)
		rc = host_path_resolve(host, &mounts, target, &found);
	if (!rc && !str_copy(buf, cap, found.path))
		rc = err_set(ENAMETOOLONG, "the target's path has %zu bytes", strlen(found.path));
	return rc;
}
