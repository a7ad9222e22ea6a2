/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* InfiniBand ports that have a link but no LID: a subnet needs a subnet manager, even a cable
 * between two hosts. An armed port has had one: fabric.port. */
#include "plugin/checks/internal.h"

#define PHYS_UP 5
#define INIT    2

/* The subnet managers of this host: the reason, and its sentence. */
static const char *opensm_here(struct check_run *run, const struct port_at *at)
{
	struct host_opensm opensm;
	char state[32] = "";

	/* A subnet manager without virtualization configures the physical function only. */
	if (at->device->virtual_function) {
		finding_reason(&run->finding, "vf");
		return ", a virtual function";
	}
	if (host_opensm(run->host, &opensm)) {
		finding_reason(&run->finding, "none");
		return "";
	}
	if (!opensm.installed) {
		finding_reason(&run->finding, "not-installed");
		return "; opensm is not installed on this host";
	}
	if (run->live->unit(run->host, "opensm.service", state, sizeof(state))) {
		finding_reason(&run->finding, "none");
		return "; opensm is installed on this host";
	}
	if (strcmp(state, "active")) {
		finding_reason(&run->finding, "not-running");
		return "; opensm is installed on this host, and does not run";
	}
	finding_reason(&run->finding, "other-port");
	return "; opensm runs on this host";
}

static int subnet_manager_check_run(struct check_run *run)
{
	struct words waiting = { 0 }, good = { 0 };
	const struct port_at *first = NULL;
	struct port_list ports;
	char name[PORT_NAME_MAX];
	int rc = ports_wanted(run, &ports);
	unsigned int i;

	if (rc)
		return rc;
	for (i = 0; i < ports.count; i++) {
		const struct rdma_port *port = ports.list[i].port;

		if (port->layer != LINK_INFINIBAND || port->phys_state != PHYS_UP)
			continue;
		rc = port_problem(ports.list[i].device, port);
		if (rc)
			return rc;
		port_name(ports.list[i].device, port, name);
		if (port->state == INIT) {
			words_add(&waiting, "%s", name);
			first = first ? first : &ports.list[i];
		} else {
			words_add(&good, "%s has LID %u from the one at LID %u", name,
				  port->lid, port->sm_lid);
		}
	}
	if (first) {
		port_evidence(run, first);
		return check_say(run, good.count ? FINDING_WARN : FINDING_FAIL,
				 "no subnet manager has configured %s%s",
				 words_text(&waiting), opensm_here(run, first));
	}
	if (!good.count)
		return check_say(run, FINDING_SKIP, "no InfiniBand port has a link");
	return check_say(run, FINDING_PASS, "%s", words_text(&good));
}

const struct check check_fabric_subnet_manager = {
	.id = "fabric.subnet-manager",
	.roles = CHECK_BOTH,
	.at_mount = CHECK_MOUNT_PATH,
	.needs = { "client.device", "server.device", "fabric.cable" },
	.run = subnet_manager_check_run,
};
