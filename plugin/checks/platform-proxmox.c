/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Proxmox VE on this host: how its storages are given mount options. etc/pve is not looked at (see
 * plugin/host/platform.c). */
#include "plugin/checks/internal.h"

static int run_check(struct check_run *run)
{
	const struct host_platform *platform;
	int rc = facts_platform(run, &platform);

	if (rc)
		return rc;
	if (!platform->proxmox)
		return check_say(run, FINDING_SKIP, "Proxmox VE is not installed");
	check_note(run);
	return check_say(
		run, FINDING_PASS,
		"set options of a storage with 'pvesm set NAME --options proto=rdma'; leave port= out, because Proxmox pings that port over TCP");
}

const struct check check_platform_proxmox = {
	.id = "platform.proxmox",
	.roles = CHECK_CLIENT,
	.run = run_check,
};
