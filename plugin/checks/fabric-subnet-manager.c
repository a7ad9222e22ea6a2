/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* InfiniBand ports that have a link and wait: a subnet needs one subnet manager, a direct cable too,
 * which gives every port its LID. */
#include "plugin/checks/internal.h"

#define PHYS_UP 5
#define INIT    2
#define ARMED   3

/* What there is of a subnet manager on this host, for the sentence. */
static const char *opensm_here(struct check_run *run)
{
	struct host_opensm opensm;
	char state[32] = "";

	if (host_opensm(run->host, &opensm) || !opensm.installed)
		return "opensm is not installed here";
	if (run->live->unit(run->host, "opensm.service", state, sizeof(state)))
		return "opensm is installed here";
	return strcmp(state, "active") ? "opensm is installed here, and does not run"
				       : "opensm runs here, perhaps for another port";
}

static int run_check(struct check_run *run)
{
	struct words waiting = { 0 }, good = { 0 };
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
		if (port->state == INIT || port->state == ARMED)
			words_add(&waiting, "%s is %s", name,
				  port->state == INIT ? "initializing" : "armed");
		else
			words_add(&good, "%s has LID %u from the one at LID %u", name,
				  port->lid, port->sm_lid);
	}
	if (waiting.count)
		return check_say(run, good.count ? FINDING_WARN : FINDING_FAIL,
				 "%s: no subnet manager has seen to it; %s",
				 words_text(&waiting), opensm_here(run));
	if (!good.count)
		return check_say(run, FINDING_SKIP, "no InfiniBand port has a link");
	return check_say(run, FINDING_PASS, "%s", words_text(&good));
}

const struct check check_fabric_subnet_manager = {
	.id = "fabric.subnet-manager",
	.roles = CHECK_BOTH,
	.at_mount = CHECK_MOUNT_PATH,
	.needs = { "client.device", "server.device", "fabric.cable" },
	.run = run_check,
};
