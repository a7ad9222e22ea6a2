/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Whether a port is active, so that RDMA can go through it. */
#include "plugin/checks/internal.h"

/* enum ib_port_state, include/rdma/ib_verbs.h */
static const struct {
	const char *name, *reason;
} states[] = {
	{ "in an unknown state", "" },
	{ "down", "down" },
	{ "initializing", "initializing" },
	{ "armed", "armed" },
	{ "active", "" },
	{ "deferred", "deferred" },
};

static size_t port_state(const struct rdma_port *port)
{
	return port->state < ARRAY_SIZE(states) ? port->state : 0;
}

static void port_blame(struct check_run *run, const struct port_at *at)
{
	const char *reason = states[port_state(at->port)].reason;

	if (at->device->virtual_function && at->port->layer == LINK_INFINIBAND &&
	    !strcmp(reason, "down"))
		reason = "vf";
	finding_reason(&run->finding, reason);
	port_evidence(run, at);
	if (at->port->sm_lid)
		finding_number(&run->finding, "sm_lid", at->port->sm_lid);
}

static int fabric_port_check_run(struct check_run *run)
{
	struct words up = { 0 }, down = { 0 };
	struct port_list ports;
	char name[PORT_NAME_MAX];
	const struct port_at *first_down = NULL;
	int rc = ports_wanted(run, &ports);
	unsigned int i;

	if (rc)
		return rc;
	for (i = 0; i < ports.count; i++) {
		const struct rdma_device *device = ports.list[i].device;
		const struct rdma_port *port = ports.list[i].port;

		rc = port_problem(device, port);
		if (rc)
			return rc;
		port_name(device, port, name);
		if (port_is_up(port)) {
			words_add(&up, "%s (%s)", name, port_kind_name(device));
			continue;
		}
		words_add(&down, "%s is %s", name, states[port_state(port)].name);
		first_down = first_down ? first_down : &ports.list[i];
	}
	if (down.count)
		finding_text(&run->finding, "not_active", "%s", words_text(&down));
	if (!ports.count)
		return err_because(err_set(EIO, "the RDMA devices show no ports"),
				   "no-ports");
	if (!up.count) {
		port_blame(run, first_down);
		return check_say(run, FINDING_FAIL, "no port is active: %s",
				 words_text(&down));
	}
	return check_say(run, FINDING_PASS, "%s %s active", words_text(&up),
			 up.count + up.left_out > 1 ? "are" : "is");
}

const struct check check_fabric_port = {
	.id = "fabric.port",
	.roles = CHECK_BOTH,
	.at_mount = CHECK_MOUNT_PATH,
	.needs = { "client.device", "server.device", "fabric.cable",
		   "fabric.subnet-manager" },
	.run = fabric_port_check_run,
};
