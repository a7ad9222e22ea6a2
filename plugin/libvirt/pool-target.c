/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The mount on a pool's target. A path is never looked at beyond the first NFS mount on its way:
 * where the server is gone, whoever does so waits for it. */
#include <limits.h>

#include "plugin/libvirt/internal.h"

#define LINKS_MAX 40

const struct nfs_mount *pool_target_mount(const struct nfs_mounts *mounts,
					  const char *target)
{
	unsigned int i;

	for (i = mounts->count; i > 0; i--)
		/* Texts of a mount are cut at their size. */
		if (!strncmp(mounts->list[i - 1].target, target,
			     sizeof(mounts->list->target) - 1))
			return &mounts->list[i - 1];
	return NULL;
}

/* Puts the link's target in the place of path[0..end]. */
static int follow(char *path, size_t cap, size_t start, size_t end, const char *link)
{
	char next[PATH_MAX];
	int n = *link == '/' ? snprintf(next, sizeof(next), "%s%s", link, path + end)
			     : snprintf(next, sizeof(next), "%.*s/%s%s", (int)start, path,
					link, path + end);

	if (n >= (int)sizeof(next) || (size_t)n >= cap)
		return err_set(ENAMETOOLONG,
			       "the path has more than %zu bytes behind its links", cap);
	memcpy(path, next, (size_t)n + 1);
	return 0;
}

/* Takes the component that begins at *@at out of the path; *@at is then before it. */
static void cut(char *path, size_t *at, size_t end)
{
	memmove(path + *at, path + end, strlen(path + end) + 1);
}

/* ".." takes the component before it along. */
static void climb(char *path, size_t *at, size_t end)
{
	size_t before = *at;

	while (before > 0 && path[--before] != '/')
		;
	memmove(path + before, path + end, strlen(path + end) + 1);
	*at = before;
}

int pool_target_resolve(const struct host *host, const struct nfs_mounts *mounts,
			const char *target, char *buf, size_t cap)
{
	unsigned int links = 0;
	char link[PATH_MAX], prefix[PATH_MAX];
	size_t at = 0, end;
	int rc;

	if (strlen(target) >= cap || strlen(target) >= sizeof(prefix))
		return err_set(ENAMETOOLONG, "the target's path has %zu bytes",
			       strlen(target));
	strcpy(buf, target);
	/* path[0..at] is walked; path[at] is '/' */
	while (buf[at]) {
		end = at + 1 + strcspn(buf + at + 1, "/");
		if (end == at + 1 || (end == at + 2 && buf[at + 1] == '.')) {
			cut(buf, &at, end);
			continue;
		}
		if (end == at + 3 && buf[at + 1] == '.' && buf[at + 2] == '.') {
			climb(buf, &at, end);
			continue;
		}
		snprintf(prefix, sizeof(prefix), "%.*s", (int)end, buf);
		if (pool_target_mount(mounts, prefix))
			return 0;
		/* No link, or not there: as it stands. */
		if (host_link(host, prefix + 1, link, sizeof(link))) {
			at = end;
			continue;
		}
		if (++links > LINKS_MAX)
			return err_set(ELOOP, "%.200s goes through too many links",
				       target);
		rc = follow(buf, cap, at, end, link);
		if (rc)
			return rc;
		if (*link == '/')
			at = 0;
	}
	return 0;
}
