/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* A device whose node GUID is zero: librdmacm ignores it, and older versions crash. */
#include "plugin/checks/internal.h"

int check_fabric_node_guid(struct check_run *run)
{
	const struct rdma_devices *rdma;
	struct words zero = { 0 };
	int rc = facts_rdma(run, &rdma);
	const struct rdma_device *first = NULL;
	unsigned int i;

	if (rc)
		return rc;
	for (i = 0; i < rdma->count; i++) {
		if (strcmp(rdma->list[i].node_guid, "0000:0000:0000:0000"))
			continue;
		words_add(&zero, "%s", rdma->list[i].name);
		first = first ? first : &rdma->list[i];
	}
	if (first) {
		finding_text(&run->finding, "device", "%s", first->name);
		if (first->pci_address[0])
			finding_text(&run->finding, "pci", "%s", first->pci_address);
		return check_say_why(run, FINDING_WARN, first->virtual_function ? "vf" : "zero",
				     "the node GUID is zero: %s", words_text(&zero));
	}
	return check_say(run, FINDING_PASS, "every device has one");
}
