/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Whether the counters of mounts over RDMA show errors. */
#include "plugin/checks/internal.h"

static int mount_counters_check_run(struct check_run *run)
{
	return mounts_check(run, MOUNT_COUNTERS);
}

const struct check check_mount_counters = {
	.id = "mount.counters",
	.roles = CHECK_CLIENT,
	.run = mount_counters_check_run,
};
