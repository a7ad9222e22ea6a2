/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* rxe and siw are RDMA in software, for testing: they work, but are no faster than TCP. */
#include "plugin/checks/internal.h"

static int run_check(struct check_run *run)
{
	const struct rdma_devices *rdma;
	struct words software = { 0 };
	int rc = facts_rdma(run, &rdma);
	unsigned int i;

	if (rc)
		return rc;
	for (i = 0; i < rdma->count; i++)
		if (rdma->list[i].software)
			words_add(&software, "%s (%s)", rdma->list[i].name,
				  rdma->list[i].driver);
	if (!software.count)
		return check_say(run, FINDING_SKIP, "all devices are adapters");
	check_note(run);
	return check_say(run, FINDING_PASS,
			 "for testing: %s, RDMA in software, no faster than TCP",
			 words_text(&software));
}

const struct check check_fabric_software_device = {
	.id = "fabric.software-device",
	.roles = CHECK_BOTH,
	.needs = { "client.device", "server.device" },
	.run = run_check,
};
