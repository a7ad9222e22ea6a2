/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* mount.nfs of nfs-utils, without which mount(8) says "bad option; you might need a helper
 * program". */
#include "plugin/checks/internal.h"

int check_client_helper(struct check_run *run)
{
	static const char *const places[] = { "sbin/mount.nfs", "usr/sbin/mount.nfs",
					      "usr/bin/mount.nfs" };
	size_t i;
	int rc;

	for (i = 0; i < ARRAY_SIZE(places); i++) {
		rc = host_exists(run->host, places[i]);
		if (!rc)
			return check_say(run, FINDING_PASS, "/%s is installed", places[i]);
		if (rc != -ENOENT)
			return rc;
	}
	return check_say_why(run, FINDING_FAIL, "not-installed", "mount.nfs is not installed");
}
