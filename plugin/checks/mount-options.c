/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Whether the options of mounts over RDMA suit it. */
#include "plugin/checks/internal.h"

static int mount_options_check_run(struct check_run *run)
{
	return mounts_check(run, MOUNT_OPTIONS);
}

const struct check check_mount_options = {
	.id = "mount.options",
	.roles = CHECK_CLIENT,
	.run = mount_options_check_run,
};
