/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Whether there is an RDMA device at all, of a kind that NFS over RDMA can use. */
#include "plugin/checks/internal.h"

static int say_container(struct check_run *run)
{
	return check_say_why(run, FINDING_FAIL, "container",
			     "this container (%s) has no RDMA device",
			     finding_evidence(&run->finding, "container"));
}

/* Without devices: another check may have said why already. */
static int say_none(struct check_run *run, const struct rdma_devices *rdma,
		    bool contained)
{
	static const char *const causes[] = { "client.module", "server.module",
					      "client.drivers" };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(causes); i++)
		if (check_failed(run, causes[i]))
			return check_skip(run, causes[i]);
	if (contained)
		return say_container(run);
	if (!rdma->netns_shared)
		return check_say_why(
			run, FINDING_FAIL, "other-namespace",
			"this network namespace has no RDMA device, and each namespace has its own");
	return check_say_why(run, FINDING_FAIL, "none", "this host has no RDMA device");
}

/* A root directory that is no running system: what needs a device is not looked at either. */
static int say_image(struct check_run *run)
{
	run->stops = true;
	return check_say_why(
		run, FINDING_UNKNOWN, "image",
		"this root has no /sys/class: it is an image, not a running system, and shows no devices");
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
	if (!rdma->count && host_exists(run->host, "sys/class") == -ENOENT)
		return say_image(run);
	if (!rdma->count)
		return say_none(run, rdma, contained);
	for (i = 0; i < rdma->count; i++)
		words_add(port_usable(&rdma->list[i]) ? &good : &bad, "%s (%s, %s)",
			  rdma->list[i].name, rdma->list[i].driver,
			  port_kind_name(&rdma->list[i]));
	finding_number(&run->finding, "devices", rdma->count);
	if (!good.count)
		return check_say_why(
			run, FINDING_FAIL, "unusable",
			"NFS over RDMA can use none of this host's devices: %s",
			words_text(&bad));
	check_note(run);
	return check_say(run, FINDING_PASS, "%s%s", words_text(&good),
			 rdma->cut ? "; there are more devices than are checked" : "");
}
