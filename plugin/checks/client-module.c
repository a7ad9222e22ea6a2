/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Whether a mount gets the module rpcrdma. */
#include "plugin/checks/internal.h"

int check_client_module(struct check_run *run)
{
	return module_check(run, CHECK_CLIENT);
}
