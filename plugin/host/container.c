/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Detects a container by the files that its manager creates: systemd's
 * (https://systemd.io/CONTAINER_INTERFACE), and those of Kubernetes, Podman and Docker.
 * Docker's is in the root file system, and remains when a virtual machine boots from a
 * container image: so a system with its root on a disk is not a container. */
#include <stdio.h>

#include "plugin/host/internal.h"

#define KIND_FILE "run/systemd/container"

static const struct {
	const char *path, *kind;
	bool image; /* it may be in the root file system of a virtual machine */
} container_marks[] = {
	{ "run/secrets/kubernetes.io", "Kubernetes", false },
	{ "var/run/secrets/kubernetes.io", "Kubernetes", false },
	{ "run/.containerenv", "podman", false },
	{ ".dockerenv", "docker", true },
};

/* Returns false also if mountinfo does not show it. */
static bool container_root_is_disk(const struct host *host)
{
	struct host_mounts mounts;
	bool disk = false;
	size_t i;

	if (host_mounts(host, &mounts))
		return false;
	/* The last mount on "/" is the visible one. */
	for (i = 0; i < mounts.count; i++)
		if (!strcmp(mounts.list[i].target, "/"))
			disk = !strncmp(mounts.list[i].source, "/dev/", 5);
	host_mounts_fini(&mounts);
	return disk;
}

bool host_container(const struct host *host, char kind[HOST_CONTAINER_MAX])
{
	_cleanup_(host_text_fini) struct host_text text = { NULL, 0 };
	char *cursor, *word = NULL;
	bool known;
	size_t i;

	/* The first word of systemd's file: "lxc". */
	if (!host_read(host, KIND_FILE, HOST_FILE_MAX, &text)) {
		cursor = text.text;
		cursor = line_next(&cursor);
		word = cursor ? word_next(&cursor) : NULL;
	}
	text_copy(kind, HOST_CONTAINER_MAX, word ? word : "");
	known = *kind;
	for (i = 0; i < ARRAY_SIZE(container_marks); i++) {
		if (host_exists(host, container_marks[i].path) || known)
			continue;
		if (container_marks[i].image && container_root_is_disk(host))
			continue;
		text_copy(kind, HOST_CONTAINER_MAX, container_marks[i].kind);
		known = true;
	}
	return known;
}
