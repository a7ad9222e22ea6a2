/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The server's counters (svcrdma_counter_handler() in net/sunrpc/xprtrdma/svc_rdma.c). */
#include "plugin/host/internal.h"

#define COUNTER_LARGE 1000000

int host_counter(const struct host *host, const char *path, uint64_t *out, bool *large)
{
	int64_t value = 0;
	int rc = host_attr_number(host, path, &value);

	*large = rc == -EFAULT;
	if (*large) {
		*out = COUNTER_LARGE;
		return 0;
	}
	if (!rc)
		*out = value < 0 ? 0 : (uint64_t)value;
	return rc;
}
