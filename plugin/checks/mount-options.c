/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Whether the options of mounts over RDMA suit it. */
#include "plugin/checks/internal.h"

int check_mount_options(struct check_run *run)
{
	return mounts_check(run, MOUNT_OPTIONS);
}
