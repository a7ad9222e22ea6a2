/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The RDMA mode of network namespaces: all namespaces see all devices, or each device belongs to
 * one (rdma-system(8)). */
#include "plugin/checks/internal.h"

int check_fabric_netns(struct check_run *run)
{
	const struct rdma_devices *rdma;
	int rc = facts_rdma(run, &rdma);

	if (rc)
		return rc;
	if (!rdma->netns_shared)
		check_note(run);
	return check_say(
		run, FINDING_PASS,
		rdma->netns_shared
			? "every network namespace sees the devices"
			: "each device belongs to one network namespace: mounts in a container need theirs");
}
