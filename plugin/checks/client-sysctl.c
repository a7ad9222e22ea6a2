/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The client's settings in /proc/sys/sunrpc, which are there once rpcrdma is loaded by a kernel
 * with CONFIG_SUNRPC_DEBUG (net/sunrpc/xprtrdma/transport.c). They hold for new mounts. */
#include <inttypes.h>
#include <stdio.h>

#include "plugin/checks/internal.h"

static const struct {
	const char *name;
	int64_t usual;
	int64_t least; /* below it something is amiss; 0: nothing is */
} settings[] = {
	/* So many calls may be under way; 128 since 4.15, 32 before. */
	{ "rdma_slot_table_entries", 128, 16 },
	{ "rdma_max_inline_read", 4096, 1024 },
	{ "rdma_max_inline_write", 4096, 1024 },
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
		snprintf(path, sizeof(path), "proc/sys/sunrpc/%s", settings[i].name);
		rc = host_attr_number(run->host, path, &value);
		if (rc == -ENOENT)
			continue;
		if (rc)
			return rc;
		found++;
		finding_number(&run->finding, settings[i].name, (double)value);
		if (value < settings[i].least)
			words_add(&low, "%s is %" PRId64, settings[i].name, value);
		else if (value != settings[i].usual)
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

const struct check check_client_sysctl = {
	.id = "client.sysctl",
	.roles = CHECK_CLIENT,
	.needs = { "client.module", "client.device" },
	.run = run_check,
};
