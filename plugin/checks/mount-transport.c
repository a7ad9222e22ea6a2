/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Whether mounts that requested RDMA use it. */
#include "plugin/checks/internal.h"

static int mount_transport_check_run(struct check_run *run)
{
	return mounts_check(run, MOUNT_TRANSPORT);
}

const struct check check_mount_transport = {
	.id = "mount.transport",
	.roles = CHECK_CLIENT,
	.run = mount_transport_check_run,
};
