/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The client's settings in /proc/sys/sunrpc, which are there once rpcrdma is loaded by a kernel
 * with CONFIG_SUNRPC_DEBUG (net/sunrpc/xprtrdma/transport.c). They hold for new mounts. */
#include "plugin/checks/internal.h"

static const struct sysctl_setting settings[] = {
	/* So many calls may be under way; 128 since 4.15, 32 before. */
	{ "rdma_slot_table_entries", 128, 128, 16 },
	{ "rdma_max_inline_read", 4096, 4096, 1024 },
	{ "rdma_max_inline_write", 4096, 4096, 1024 },
	{ NULL, 0, 0, 0 },
};

int check_client_sysctl(struct check_run *run)
{
	return sysctls_judge(run, "proc/sys/sunrpc", settings);
}
