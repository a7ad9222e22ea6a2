/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Whether this system is a container, by what its manager leaves in it: systemd's file
 * (https://systemd.io/CONTAINER_INTERFACE), and those of Kubernetes, Podman and Docker. The last is in the
 * root file system, and stays there where a virtual machine boots from an image of a container: a
 * system whose root is a disk is none. */
#include <stdio.h>

#include "plugin/host/internal.h"

#define KIND_FILE "run/systemd/container"

static const struct {
	const char *path, *kind;
	bool image; /* it may be in the root file system of a virtual machine */
} marks[] = {
	{ "run/secrets/kubernetes.io", "Kubernetes", false },
	{ "var/run/secrets/kubernetes.io", "Kubernetes", false },
	{ "run/.containerenv", "podman", false },
	{ ".dockerenv", "docker", true },
};

/* The first word that systemd's file has: "lxc". */
static bool read_kind(const struct host *host, char kind[HOST_CONTAINER_MAX])
{
	_cleanup_(host_text_fini) struct host_text text = { NULL, 0 };
	char *cursor, *word;

	if (host_read(host, KIND_FILE, HOST_FILE_MAX, &text))
		return false;
	cursor = text.text;
	cursor = line_next(&cursor);
	word = cursor ? word_next(&cursor) : NULL;
	text_copy(kind, HOST_CONTAINER_MAX, word ? word : "");
	return *kind;
}

/* False also where mountinfo does not tell. */
static bool root_is_disk(const struct host *host)
{
	struct host_mounts mounts;
	bool disk = false;
	size_t i;

	if (host_mounts(host, &mounts))
		return false;
	/* The last on "/" is the one that is seen. */
	for (i = 0; i < mounts.count; i++)
		if (!strcmp(mounts.list[i].target, "/"))
			disk = !strncmp(mounts.list[i].source, "/dev/", 5);
	host_mounts_fini(&mounts);
	return disk;
}

bool host_container(const struct host *host, char kind[HOST_CONTAINER_MAX])
{
	bool known = read_kind(host, kind);
	size_t i;

	for (i = 0; i < ARRAY_SIZE(marks); i++) {
		if (host_exists(host, marks[i].path) || known)
			continue;
		if (marks[i].image && root_is_disk(host))
			continue;
		text_copy(kind, HOST_CONTAINER_MAX, marks[i].kind);
		known = true;
	}
	return known;
}
