/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Whether a server that listens for RDMA gets the module rpcrdma. What a client lacks a server
 * lacks too, and one finding reports it. */
#include "plugin/checks/internal.h"

int check_server_module(struct check_run *run)
{
	if (ganesha_serves(run))
		return check_say(run, FINDING_SKIP,
				 "NFS-Ganesha serves here, and needs no NFS module");
	return module_check(run, CHECK_SERVER);
}
