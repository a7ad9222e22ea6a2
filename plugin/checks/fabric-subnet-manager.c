/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* InfiniBand ports that have a link but no LID: a subnet needs a subnet manager, even a cable
 * between two hosts. An armed port has had one: fabric.port. */
#include "plugin/checks/internal.h"

#define PHYS_UP    5
#define STATE_INIT 2

enum subnet_manager_group { SM_WAITING, SM_GOOD, SM_GROUPS };

/* The subnet managers of this host: the reason, and its sentence. */
static const char *subnet_manager_here(struct check_run *run, const struct port_at *at)
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

static int subnet_manager_judge(struct check_run *run, const struct port_at *at,
				struct port_group *groups)
{
	const struct rdma_port *port = at->port;
	char name[PORT_NAME_MAX];
	int rc;

	(void)run;
	if (port->layer != LINK_INFINIBAND || port->phys_state != PHYS_UP)
		return 0;
	rc = port_problem(at->device, port);
	if (rc)
		return rc;
	port_name(at->device, port, name);
	if (port->state == STATE_INIT)
		port_group_add(&groups[SM_WAITING], at, "%s", name);
	else
		port_group_add(&groups[SM_GOOD], at, "%s has LID %u from the one at LID %u", name,
			       port->lid, port->sm_lid);
	return 0;
}

int check_fabric_subnet_manager(struct check_run *run)
{
	struct port_group groups[SM_GROUPS] = { 0 };
	struct port_group *waiting = &groups[SM_WAITING], *good = &groups[SM_GOOD];
	struct port_list ports;
	int rc = ports_judge(run, &ports, subnet_manager_judge, groups);

	if (rc)
		return rc;
	if (waiting->first) {
		port_evidence(run, waiting->first);
		return check_say(run, good->first ? FINDING_WARN : FINDING_FAIL,
				 "no subnet manager has configured %s%s",
				 words_text(&waiting->words),
				 subnet_manager_here(run, waiting->first));
	}
	if (!good->first)
		return check_say(run, FINDING_SKIP, "no InfiniBand port has a link");
	return check_say(run, FINDING_PASS, "%s", words_text(&good->words));
}
