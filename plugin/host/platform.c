/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Detects installed hypervisor management software by its packages' files: programs and
 * units. Directories do not count: other packages, including this one, create those for
 * hooks and configuration. Nothing below etc/pve is read here: that is a FUSE file
 * system, which can hang (proxmox.c). */
#include <stdio.h>

#include "plugin/host/internal.h"

static const struct {
	const char *path;
	size_t offset; /* of its bool */
} platform_files[] = {
	{ "usr/share/vdsm/vdsmd", offsetof(struct host_platform, vdsm) },
	{ "usr/bin/vdsm-tool", offsetof(struct host_platform, vdsm) },
	{ "usr/libexec/vdsm/daemonAdapter", offsetof(struct host_platform, vdsm) },
	{ "usr/lib/systemd/system/vdsmd.service", offsetof(struct host_platform, vdsm) },
	{ "etc/vdsm/vdsm.conf", offsetof(struct host_platform, vdsm) },
	{ "usr/sbin/libvirtd", offsetof(struct host_platform, libvirt) },
	{ "usr/sbin/virtqemud", offsetof(struct host_platform, libvirt) },
	{ "usr/sbin/virtstoraged", offsetof(struct host_platform, libvirt) },
	{ "usr/bin/pveversion", offsetof(struct host_platform, proxmox) },
	{ "usr/share/perl5/PVE/Storage/NFSPlugin.pm", offsetof(struct host_platform, proxmox) },
};

/* The wiki recommended in 2014: "DEFAULT_OPTIONS = ["soft", ..., "rdma"]" in VDSM's own
 * file. */
static int platform_find_patch(const struct host *host, const char *path, struct host_platform *out)
{
	_cleanup_(host_text_fini) struct host_text text = { NULL, 0 };
	int rc = host_read(host, path, HOST_FILE_MAX, &text);
	char *cursor, *line;

	if (rc)
		return rc == -ENOENT ? 0 : rc;
	for (cursor = text.text; (line = line_next(&cursor));)
		if (strstr(line, "DEFAULT_OPTIONS") && strstr(line, "rdma"))
			text_copy(out->vdsm_patched, sizeof(out->vdsm_patched), path);
	return 0;
}

int host_platform(const struct host *host, struct host_platform *out)
{
	_cleanup_(host_list_fini) struct host_list list = { NULL, 0, false };
	char path[HOST_PATH_MAX];
	size_t i;
	int rc;

	memset(out, 0, sizeof(*out));
	for (i = 0; i < ARRAY_SIZE(platform_files); i++) {
		rc = host_exists(host, platform_files[i].path);
		if (rc && rc != -ENOENT)
			return rc;
		if (!rc)
			*(bool *)((char *)out + platform_files[i].offset) = true;
	}
	if (!out->vdsm)
		return 0;
	rc = host_list(host, "usr/lib", &list);
	if (rc && rc != -ENOENT)
		return rc;
	for (i = 0; i < list.count; i++) {
		if (strncmp(list.names[i], "python", 6))
			continue;
		snprintf(path, sizeof(path),
			 "usr/lib/%.32s/site-packages/vdsm/storage/storageServer.py",
			 list.names[i]);
		rc = platform_find_patch(host, path, out);
		if (rc)
			return rc;
	}
	/* Before 4.0. */
	return platform_find_patch(host, "usr/share/vdsm/storage/storageServer.py", out);
}
