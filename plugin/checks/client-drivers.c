/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Adapters that could do RDMA and show no RDMA device: the RDMA half of their driver is not
 * loaded. Where there is another RDMA device this may be meant so. */
#include "plugin/checks/internal.h"

#define NAMES_MAX 16

static int run_check(struct check_run *run)
{
	const struct rdma_devices *rdma;
	char names[NAMES_MAX][96];
	struct words words = { 0 };
	int rc = facts_rdma(run, &rdma), count, i;

	if (rc)
		return rc;
	count = host_rdma_missing(run->host, names, NAMES_MAX);
	if (count < 0)
		return count;
	for (i = 0; i < count; i++)
		words_add(&words, "%s", names[i]);
	finding_number(&run->finding, "adapters_without", count);
	if (!count && !rdma->count)
		return check_say(run, FINDING_SKIP,
				 "there is no adapter that is known to do RDMA");
	if (!count)
		return check_say(run, FINDING_PASS,
				 "no adapter lacks the RDMA half of its driver");
	if (!rdma->count)
		return check_say(
			run, FINDING_FAIL,
			"an adapter is there, but not its RDMA device, for want of %s",
			words_text(&words));
	check_note(run);
	return check_say(run, FINDING_PASS,
			 "besides the RDMA devices there could be more: %s",
			 words_text(&words));
}

const struct check check_client_drivers = {
	.id = "client.drivers",
	.roles = CHECK_BOTH,
	.at_mount = CHECK_MOUNT_DEVICE,
	.run = run_check,
};
