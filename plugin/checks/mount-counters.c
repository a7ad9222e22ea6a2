/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Whether the counters of mounts over RDMA show errors. */
#include "plugin/checks/internal.h"

int check_mount_counters(struct check_run *run)
{
	return mounts_check(run, MOUNT_COUNTERS);
}
