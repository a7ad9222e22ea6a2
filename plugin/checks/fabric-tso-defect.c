/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Mellanox's first ConnectX, revision a0 (MT25418 and others), offer TSO and send corrupt IP
 * fragments: this breaks IPoIB, and TCP over it. */
#include "plugin/checks/internal.h"

#define MELLANOX    0x15b3
#define REVISION_A0 0xa0

/* The first ConnectX (mlx4_core's table; ConnectX-3 begins at 0x1003). */
static bool tso_defect_is_in(const struct rdma_device *device)
{
	return device->pci_vendor == MELLANOX && device->pci_revision == REVISION_A0 &&
	       device->pci_device >= 0x6340 && device->pci_device <= 0x6778;
}

int check_fabric_tso_defect(struct check_run *run)
{
	const struct rdma_devices *rdma;
	const struct rdma_device *first = NULL;
	struct words words = { 0 };
	int rc = facts_rdma(run, &rdma);
	unsigned int i;

	if (rc)
		return rc;
	for (i = 0; i < rdma->count; i++) {
		if (!tso_defect_is_in(&rdma->list[i]))
			continue;
		words_add(&words, "%s (%04x:%04x)", rdma->list[i].name, rdma->list[i].pci_vendor,
			  rdma->list[i].pci_device);
		first = first ? first : &rdma->list[i];
	}
	if (!first)
		return check_say(run, FINDING_SKIP, "no first-generation ConnectX of revision a0");
	if (first->nports)
		port_evidence(run, &(const struct port_at){ first, &first->ports[0] });
	return check_say_why(run, FINDING_WARN, "revision-a0",
			     "a first-generation ConnectX of revision a0: %s", words_text(&words));
}
