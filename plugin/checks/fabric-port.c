/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Whether a port is active, so that RDMA can go through it. */
#include "plugin/checks/internal.h"

static const char *const states[] = {
	"of no known state", "down", "initializing", "armed", "active", "deferred"
};

static int run_check(struct check_run *run)
{
	struct words up = { 0 }, down = { 0 };
	struct port_list ports;
	char name[PORT_NAME_MAX];
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
		if (port_is_up(port))
			words_add(&up, "%s (%s)", name, port_kind_name(device));
		else
			words_add(&down, "%s is %s", name,
				  states[port->state < ARRAY_SIZE(states) ? port->state
									  : 0]);
	}
	if (down.count)
		finding_text(&run->finding, "not_active", "%s", words_text(&down));
	if (!up.count)
		return check_say(run, FINDING_FAIL, "no port is active: %s",
				 words_text(&down));
	return check_say(run, FINDING_PASS, "%s %s active", words_text(&up),
			 up.count + up.left_out > 1 ? "are" : "is");
}

const struct check check_fabric_port = {
	.id = "fabric.port",
	.roles = CHECK_BOTH,
	.at_mount = CHECK_MOUNT_PATH,
	.needs = { "client.device", "server.device", "fabric.cable",
		   "fabric.subnet-manager" },
	.run = run_check,
};
