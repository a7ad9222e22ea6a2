/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Whether sub-mounts and referrals below a mount over RDMA use it, too. */
#include "plugin/checks/internal.h"

int check_mount_submount(struct check_run *run)
{
	return mounts_check(run, MOUNT_SUBMOUNT);
}
