/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* libvirt on this host: how its pools are given mount options. */
#include "plugin/checks/internal.h"

int check_platform_libvirt(struct check_run *run)
{
	const struct host_platform *platform;
	int rc = facts_platform(run, &platform);

	if (rc)
		return rc;
	if (!platform->libvirt)
		return check_say(run, FINDING_SKIP, "libvirt is not installed");
	if (platform->vdsm)
		return check_say(run, FINDING_SKIP, "VDSM mounts storage here");
	check_note(run);
	return check_say(run, FINDING_PASS,
			 "pools of type netfs take mount options in fs:mount_opts");
}
