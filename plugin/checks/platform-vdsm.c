/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* oVirt's agent on this host, and whether somebody edited its file as was advised in 2014. */
#include "plugin/checks/internal.h"

static int run_check(struct check_run *run)
{
	const struct host_platform *platform;
	int rc = facts_platform(run, &platform);

	if (rc)
		return rc;
	if (!platform->vdsm)
		return check_say(run, FINDING_SKIP, "VDSM is not installed");
	if (platform->vdsm_patched[0])
		return check_say(
			run, FINDING_WARN,
			"/%s was edited to mount over RDMA: the next update undoes it",
			platform->vdsm_patched);
	check_note(run);
	return check_say(
		run, FINDING_PASS,
		"give the custom options of the storage domain: proto=rdma,port=20049");
}

const struct check check_platform_vdsm = {
	.id = "platform.vdsm",
	.roles = CHECK_CLIENT,
	.run = run_check,
};
