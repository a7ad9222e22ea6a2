/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Whether a mount gets the module rpcrdma. */
#include "plugin/checks/internal.h"

static int client_module_check_run(struct check_run *run)
{
	return module_check(run, CHECK_CLIENT);
}

const struct check check_client_module = {
	.id = "client.module",
	.roles = CHECK_CLIENT,
	.at_mount = CHECK_MOUNT_STOPS,
	.run = client_module_check_run,
};
