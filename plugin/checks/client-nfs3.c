/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Whether the services that NFSv3 needs of a client can start. */
#include "plugin/checks/internal.h"

int check_client_nfs3(struct check_run *run)
{
	return nfs3_check(run, CHECK_CLIENT);
}
