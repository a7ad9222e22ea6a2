/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Whether mounts that requested RDMA use it. */
#include "plugin/checks/internal.h"

int check_mount_transport(struct check_run *run)
{
	return mounts_check(run, MOUNT_TRANSPORT);
}
