/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* In the place of reference-libnfs.c in a build without libnfs: there is no reference over TCP. */
#include <unistd.h>

#include "rpcrdma/nfs/internal.h"

bool reference_available(void)
{
	return false;
}

void reference_libnfs_read(const struct reference_task *task,
			   const struct reference_request *request)
{
	(void)task;
	(void)request;
	_exit(1);
}
