/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Whether the services that NFSv3 needs of a server can start. */
#include "plugin/checks/internal.h"

int check_server_nfs3(struct check_run *run)
{
	if (ganesha_serves(run))
		return check_skip(run, "server.ganesha");
	return nfs3_check(run, CHECK_SERVER);
}
