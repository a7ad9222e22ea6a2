/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Whether a server has an RDMA device. On a host that is also a client, client.device reports
 * it. */
#include "plugin/checks/internal.h"

int check_server_device(struct check_run *run)
{
	if (run->target->roles & CHECK_CLIENT)
		return check_say(run, FINDING_SKIP, "client.device shows it");
	return device_check(run);
}
