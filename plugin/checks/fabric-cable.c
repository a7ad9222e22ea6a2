/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The physical link of ports: without a signal nothing else can work. */
#include "plugin/checks/internal.h"

/* enum ib_port_phys_state, include/rdma/ib_verbs.h */
static const char *const phys_states[] = {
	[1] = "asleep",
	[2] = "polling for a signal",
	[3] = "disabled",
	[4] = "training",
	[5] = "up",
	[6] = "recovering",
	[7] = "in a test of the link",
};

#define PHYS_POLLING    2
#define PHYS_DISABLED   3
#define PHYS_TRAINING   4
#define PHYS_UP         5
#define PHYS_RECOVERING 6

#define STATE_INIT 2

/* Why a port has no link; "": it is unknown. Drivers of Ethernet report "Disabled" for an interface that
 * is set down, and for one without a cable (mlx5_query_port_roce(), iw_query_port()). So the
 * interface's flags decide. */
static const char *cable_reason(struct check_run *run, const struct port_at *at)
{
	const struct rdma_port *port = at->port;
	const char *interface;
	struct host_netdev netdev;

	if (port->layer == LINK_INFINIBAND) {
		/* The port of a virtual function has no cable of its own. */
		if (at->device->virtual_function)
			return "vf";
		switch (port->phys_state) {
		case PHYS_POLLING: return "no-signal";
		case PHYS_DISABLED: return "disabled";
		case PHYS_TRAINING:
		case PHYS_RECOVERING: return "unstable";
		default: return "";
		}
	}
	interface = port_interface(run, at);
	/* iw_query_port(): a link, and no IPv4 address. */
	if (at->device->kind == RDMA_IWARP && port->phys_state == PHYS_TRAINING &&
	    port->state == STATE_INIT)
		return "no-address";
	if (!*interface || host_netdev(run->host, interface, NULL, &netdev))
		return "no-link";
	if (netdev.flags && !(netdev.flags & IFF_UP))
		return "interface-down";
	return netdev.carrier == 0 ? "no-carrier" : "no-link";
}

enum cable_group { CABLE_UP, CABLE_NARROW, CABLE_DOWN, CABLE_GROUPS };

static int cable_judge(struct check_run *run, const struct port_at *at, struct port_group *groups)
{
	const struct rdma_device *device = at->device;
	const struct rdma_port *port = at->port;
	const char *state = NULL;
	char name[PORT_NAME_MAX];
	int rc = port_problem(device, port);

	(void)run;
	if (rc)
		return rc;
	if (!port->rate[0] && device->problem[0])
		return err_set(ENODATA, "%s", device->problem);
	port_name(device, port, name);
	if (port->phys_state < ARRAY_SIZE(phys_states))
		state = phys_states[port->phys_state];
	if (port->phys_state != PHYS_UP)
		port_group_add(&groups[CABLE_DOWN], at, "%s is %s", name,
			       state ? state : "in an unknown state");
	else if (device->kind == RDMA_INFINIBAND && !device->software && strstr(port->rate, "(1X "))
		/* One lane of the four that adapters have: mostly a damaged cable. */
		port_group_add(&groups[CABLE_NARROW], at, "%s has %s", name, port->rate);
	else
		port_group_add(&groups[CABLE_UP], at, "%s has %s", name, port->rate);
	return 0;
}

int check_fabric_cable(struct check_run *run)
{
	struct port_group groups[CABLE_GROUPS] = { 0 };
	struct port_group *down = &groups[CABLE_DOWN], *narrow = &groups[CABLE_NARROW];
	struct port_list ports;
	int rc = ports_judge(run, &ports, cable_judge, groups);

	if (rc)
		return rc;
	if (!ports.count)
		return err_because(err_set(EIO, "the RDMA devices show no ports"), "no-ports");
	if (down->first)
		finding_text(&run->finding, "without_link", "%s", words_text(&down->words));
	if (!groups[CABLE_UP].first && !narrow->first) {
		finding_reason(&run->finding, cable_reason(run, down->first));
		port_evidence(run, down->first);
		return check_say(run, FINDING_FAIL, "no link: %s", words_text(&down->words));
	}
	if (narrow->first) {
		port_evidence(run, narrow->first);
		return check_say_why(run, FINDING_WARN, "one-lane",
				     "the link uses one lane of four: %s",
				     words_text(&narrow->words));
	}
	return check_say(run, FINDING_PASS, "%s", words_text(&groups[CABLE_UP].words));
}
