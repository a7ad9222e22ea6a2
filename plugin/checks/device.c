/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Whether there is an RDMA device at all, of a kind that NFS over RDMA can use. */
#include <stdio.h>

#include "plugin/checks/internal.h"

/* Without devices: another check may have said why already. */
static int device_say_none(struct check_run *run, const struct rdma_devices *rdma, bool contained)
{
	static const char *const causes[] = { "client.module", "server.module", "client.drivers" };
	struct host_assigned assigned;
	char nodedev[32], *p;
	size_t i;
	int rc;

	for (i = 0; i < ARRAY_SIZE(causes); i++)
		if (check_failed(run, causes[i]))
			return check_skip(run, causes[i]);
	if (contained)
		return check_say_why(run, FINDING_FAIL, "container",
				     "this container (%s) has no RDMA device",
				     finding_evidence(&run->finding, "container"));
	if (!rdma->netns_shared)
		return check_say_why(
			run, FINDING_FAIL, "other-namespace",
			"this network namespace has no RDMA device, and each namespace has its own");
	rc = host_rdma_assigned(run->host, &assigned);
	if (rc)
		return rc;
	if (!*assigned.adapter)
		return check_say_why(run, FINDING_FAIL, "none", "this host has no RDMA device");
	/* libvirt's name of a PCI function: pci_0000_3b_00_0 */
	snprintf(nodedev, sizeof(nodedev), "pci_%.16s", assigned.adapter);
	for (p = nodedev; *p; p++)
		if (*p == ':' || *p == '.')
			*p = '_';
	finding_text(&run->finding, "adapter", "%s", assigned.adapter);
	finding_text(&run->finding, "driver", "%s", assigned.driver);
	finding_text(&run->finding, "nodedev", "%s", nodedev);
	return check_say_why(run, FINDING_FAIL, "assigned",
			     "this host has no RDMA device: the adapter at %s is bound to %s",
			     assigned.adapter, assigned.driver);
}

int device_check(struct check_run *run)
{
	const struct rdma_devices *rdma;
	/* Always, so that a snapshot has it. */
	bool contained = *container_reason(run, "");
	struct words good = { 0 }, bad = { 0 };
	int rc = facts_rdma(run, &rdma);
	unsigned int i;

	if (rc)
		return rc;
	/* A root directory that is not a running system: checks that need a device are skipped, too. */
	if (!rdma->count && host_exists(run->host, "sys/class") == -ENOENT) {
		run->stops = true;
		return check_say_why(
			run, FINDING_UNKNOWN, "image",
			"this root has no /sys/class: it is an image, not a running system, and shows no devices");
	}
	if (!rdma->count)
		return device_say_none(run, rdma, contained);
	for (i = 0; i < rdma->count; i++)
		words_add(port_usable(&rdma->list[i]) ? &good : &bad, "%s (%s, %s)",
			  rdma->list[i].name, rdma->list[i].driver, port_kind_name(&rdma->list[i]));
	finding_number(&run->finding, "devices", rdma->count);
	if (!good.count)
		return check_say_why(run, FINDING_FAIL, "unusable",
				     "NFS over RDMA can use none of this host's devices: %s",
				     words_text(&bad));
	check_note(run);
	return check_say(run, FINDING_PASS, "%s%s", words_text(&good),
			 rdma->cut ? "; there are more devices than are checked" : "");
}
