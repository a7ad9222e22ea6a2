/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Whether a server has an RDMA device. On a host that is also a client, client.device reports
 * it. */
#include "plugin/checks/internal.h"

static int server_device_check_run(struct check_run *run)
{
	if (run->target->roles & CHECK_CLIENT)
		return check_say(run, FINDING_SKIP, "client.device shows it");
	return device_check(run);
}

const struct check check_server_device = {
	.id = "server.device",
	.roles = CHECK_SERVER,
	.needs = { "client.device" },
	.run = server_device_check_run,
};
