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

static const char *phys_name(const struct rdma_port *port)
{
	if (port->phys_state < ARRAY_SIZE(phys_states) && phys_states[port->phys_state])
		return phys_states[port->phys_state];
	return "in an unknown state";
}

/* Why an Ethernet port has no link: drivers report "Disabled" for an interface that is set down,
 * and for one without a cable (mlx5_query_port_roce(), iw_query_port()). So the interface's
 * flags decide. */
static const char *cable_reason_ethernet(struct check_run *run, const struct port_at *at)
{
	const char *interface = port_interface(run, at);
	struct host_netdev netdev;

	/* iw_query_port(): a link, and no IPv4 address. */
	if (at->device->kind == RDMA_IWARP && at->port->phys_state == PHYS_TRAINING &&
	    at->port->state == STATE_INIT)
		return "no-address";
	if (!*interface || host_netdev(run->host, interface, NULL, &netdev))
		return "no-link";
	if (netdev.flags && !(netdev.flags & IFF_UP))
		return "interface-down";
	return netdev.carrier == 0 ? "no-carrier" : "no-link";
}

/* "": it is unknown. */
static const char *cable_reason(struct check_run *run, const struct port_at *at)
{
	if (at->port->layer != LINK_INFINIBAND)
		return cable_reason_ethernet(run, at);
	/* The port of a virtual function has no cable of its own. */
	if (at->device->virtual_function)
		return "vf";
	switch (at->port->phys_state) {
	case PHYS_POLLING: return "no-signal";
	case PHYS_DISABLED: return "disabled";
	case PHYS_TRAINING:
	case PHYS_RECOVERING: return "unstable";
	default: return "";
	}
}

/* One lane of the four that adapters have: mostly a damaged cable. */
static bool is_narrow(const struct rdma_device *device, const struct rdma_port *port)
{
	return device->kind == RDMA_INFINIBAND && !device->software &&
	       strstr(port->rate, "(1X ");
}

struct cable_tally {
	struct words up, down, narrow;
	const struct port_at *first_down, *first_narrow;
};

static void cable_count(struct cable_tally *tally, const struct port_at *at)
{
	char name[PORT_NAME_MAX];

	port_name(at->device, at->port, name);
	if (at->port->phys_state != PHYS_UP) {
		words_add(&tally->down, "%s is %s", name, phys_name(at->port));
		tally->first_down = tally->first_down ? tally->first_down : at;
	} else if (is_narrow(at->device, at->port)) {
		words_add(&tally->narrow, "%s has %s", name, at->port->rate);
		tally->first_narrow = tally->first_narrow ? tally->first_narrow : at;
	} else {
		words_add(&tally->up, "%s has %s", name, at->port->rate);
	}
}

static int cable_say(struct check_run *run, struct cable_tally *tally)
{
	if (tally->down.count)
		finding_text(&run->finding, "without_link", "%s",
			     words_text(&tally->down));
	if (!tally->up.count && !tally->first_narrow) {
		finding_reason(&run->finding, cable_reason(run, tally->first_down));
		port_evidence(run, tally->first_down);
		return check_say(run, FINDING_FAIL, "no link: %s",
				 words_text(&tally->down));
	}
	if (tally->first_narrow) {
		finding_reason(&run->finding, "one-lane");
		port_evidence(run, tally->first_narrow);
		return check_say(run, FINDING_WARN, "the link uses one lane of four: %s",
				 words_text(&tally->narrow));
	}
	return check_say(run, FINDING_PASS, "%s", words_text(&tally->up));
}

static int cable_check_run(struct check_run *run)
{
	struct cable_tally tally = { .first_down = NULL };
	struct port_list ports;
	int rc = ports_wanted(run, &ports);
	unsigned int i;

	for (i = 0; !rc && i < ports.count; i++) {
		rc = port_problem(ports.list[i].device, ports.list[i].port);
		if (!rc)
			cable_count(&tally, &ports.list[i]);
	}
	if (rc)
		return rc;
	if (!ports.count)
		return err_because(err_set(EIO, "the RDMA devices show no ports"),
				   "no-ports");
	return cable_say(run, &tally);
}

const struct check check_fabric_cable = {
	.id = "fabric.cable",
	.roles = CHECK_BOTH,
	.at_mount = CHECK_MOUNT_PATH,
	.needs = { "client.device", "server.device" },
	.run = cable_check_run,
};
