/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* A path, a NUL, and a mountinfo: whatever they are, the walk comes to an end, stays below the root,
 * ends on a mount of the list or on none, and looks at nothing that is at or below a mount of a
 * network. The host's root is /proc, where "mounts" and "self" are links. */
#include "plugin/host/internal.h"
#include "tests/fuzz/fuzz.h"

static const struct host_mounts *seen_mounts;

/* Of several one may hide another. */
static void watch(void *arg, const struct host_event *event)
{
	const struct host_mounts *mounts = seen_mounts;
	size_t len;

	(void)arg;
	if (!mounts || mounts->count != 1 || strcmp(mounts->list->type, "nfs4") != 0)
		return;
	len = strlen(mounts->list->target);
	FUZZ_CHECK(len < 2 || strncmp(event->path, mounts->list->target + 1, len - 1) ||
		   (event->path[len - 1] && event->path[len - 1] != '/'));
}

static struct host *open_host(void)
{
	struct host *host = NULL;

	FUZZ_CHECK(!host_open(&host, "/proc"));
	host_watch(host, watch, NULL);
	return host;
}

static void check_path(const struct host_mounts *mounts, const struct host_path *found)
{
	size_t len = strlen(found->path);

	FUZZ_CHECK(*found->path == '/' && len < sizeof(found->path));
	FUZZ_CHECK(len == 1 || found->path[len - 1] != '/');
	FUZZ_CHECK(!strstr(found->path, "//") && !strstr(found->path, "/../") &&
		   !strstr(found->path, "/./"));
	FUZZ_CHECK(!found->mount ||
		   (found->mount >= mounts->list && found->mount < mounts->list + mounts->count));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct host *host;
	_cleanup_(host_mounts_fini) struct host_mounts mounts = { .count = 0 };
	_cleanup_free_ char *text = fuzz_text(data, size);
	struct host_path found;
	char *mountinfo;

	host = host ? host : open_host();
	mountinfo = strlen(text) < size ? text + strlen(text) + 1 : text + size;
	if (mount_tree_parse(mountinfo, &mounts))
		return 0;
	FUZZ_CHECK(mounts.count <= HOST_MOUNTS_MAX);
	seen_mounts = &mounts;
	if (!host_path_resolve(host, &mounts, text, &found))
		check_path(&mounts, &found);
	seen_mounts = NULL;
	return 0;
}
