/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Whether mounts over RDMA have options that suit it. */
#include "plugin/checks/internal.h"

static int run_check(struct check_run *run)
{
	return mounts_check(run, MOUNT_OPTIONS);
}

const struct check check_mount_options = {
	.id = "mount.options",
	.roles = CHECK_CLIENT,
	.run = run_check,
};
