/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The server's settings in /proc/sys/sunrpc/svc_rdma, which are there once rpcrdma is loaded
 * (net/sunrpc/xprtrdma/svc_rdma.c). They hold for new connections. */
#include <inttypes.h>
#include <stdio.h>

#include "plugin/checks/internal.h"

static const struct {
	const char *name;
	int64_t usual, older; /* the defaults of kernels */
	int64_t least;        /* below it clients wait */
} settings[] = {
	/* Calls that a client may have under way. */
	{ "max_requests", 64, 32, 16 },
	{ "max_req_size", 4096, 4096, 4096 },
	/* RDMA Reads at once, by which WRITEs are fetched. */
	{ "max_outbound_read_requests", 16, 16, 4 },
};

static int run_check(struct check_run *run)
{
	struct words low = { 0 }, other = { 0 };
	unsigned int found = 0;
	char path[64];
	int64_t value;
	size_t i;
	int rc;

	for (i = 0; i < ARRAY_SIZE(settings); i++) {
		snprintf(path, sizeof(path), "proc/sys/sunrpc/svc_rdma/%s",
			 settings[i].name);
		rc = host_attr_number(run->host, path, &value);
		if (rc == -ENOENT)
			continue;
		if (rc)
			return rc;
		found++;
		finding_number(&run->finding, settings[i].name, (double)value);
		if (value < settings[i].least)
			words_add(&low, "%s is %" PRId64, settings[i].name, value);
		else if (value != settings[i].usual && value != settings[i].older)
			words_add(&other, "%s is %" PRId64, settings[i].name, value);
	}
	if (!found)
		return check_say(run, FINDING_SKIP,
				 "rpcrdma shows no settings before it is loaded");
	if (low.count)
		return check_say(run, FINDING_WARN, "%s", words_text(&low));
	if (other.count)
		return check_say(run, FINDING_PASS, "changed, within reason: %s",
				 words_text(&other));
	return check_say(run, FINDING_PASS, "as the kernel has them by default");
}

const struct check check_server_sysctl = {
	.id = "server.sysctl",
	.roles = CHECK_SERVER,
	.needs = { "server.module", "server.device" },
	.run = run_check,
};
