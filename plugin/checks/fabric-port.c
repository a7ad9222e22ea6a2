/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Whether a port is active, so that RDMA can go through it. */
#include "plugin/checks/internal.h"

enum fabric_port_group { PORTS_UP, PORTS_DOWN, PORTS_GROUPS };

static int fabric_port_judge(struct check_run *run, const struct port_at *at,
			     struct port_group *groups)
{
	char name[PORT_NAME_MAX];
	int rc = port_problem(at->device, at->port);

	(void)run;
	if (rc)
		return rc;
	port_name(at->device, at->port, name);
	if (port_is_up(at->port))
		port_group_add(&groups[PORTS_UP], at, "%s (%s)", name, port_kind_name(at->device));
	else
		port_group_add(&groups[PORTS_DOWN], at, "%s is %s", name,
			       port_state_name(at->port));
	return 0;
}

int check_fabric_port(struct check_run *run)
{
	/* Of enum ib_port_state, include/rdma/ib_verbs.h. */
	static const char *const reasons[] = {
		"", "down", "initializing", "armed", "", "deferred"
	};
	struct port_group groups[PORTS_GROUPS] = { 0 };
	struct words *up = &groups[PORTS_UP].words, *down = &groups[PORTS_DOWN].words;
	const struct port_at *at;
	struct port_list ports;
	const char *reason;
	int rc = ports_judge(run, &ports, fabric_port_judge, groups);

	if (rc)
		return rc;
	if (down->count)
		finding_text(&run->finding, "not_active", "%s", words_text(down));
	if (!ports.count)
		return err_because(err_set(EIO, "the RDMA devices show no ports"), "no-ports");
	if (up->count)
		return check_say(run, FINDING_PASS, "%s %s active", words_text(up),
				 up->count + up->left_out > 1 ? "are" : "is");
	at = groups[PORTS_DOWN].first;
	reason = at->port->state < ARRAY_SIZE(reasons) ? reasons[at->port->state] : "";
	if (at->device->virtual_function && at->port->layer == LINK_INFINIBAND &&
	    !strcmp(reason, "down"))
		reason = "vf";
	port_evidence(run, at);
	if (at->port->sm_lid)
		finding_number(&run->finding, "sm_lid", at->port->sm_lid);
	return check_say_why(run, FINDING_FAIL, reason, "no port is active: %s", words_text(down));
}
