/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The server's settings in /proc/sys/sunrpc/svc_rdma, which exist once rpcrdma is loaded
 * (net/sunrpc/xprtrdma/svc_rdma.c). They apply to new connections. */
#include "plugin/checks/internal.h"

static const struct sysctl_setting settings[] = {
	/* Calls that a client may have outstanding. */
	{ "max_requests", 64, 32, 16 },
	{ "max_req_size", 4096, 4096, 4096 },
	/* Concurrent RDMA Reads, which fetch the data of WRITEs. */
	{ "max_outbound_read_requests", 16, 16, 4 },
	{ NULL, 0, 0, 0 },
};

int check_server_sysctl(struct check_run *run)
{
	return sysctls_judge(run, "proc/sys/sunrpc/svc_rdma", settings);
}
