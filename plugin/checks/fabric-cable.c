/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The physical link of ports: without a signal nothing else can be right. */
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

#define PHYS_UP 5

static const char *phys_name(const struct rdma_port *port)
{
	if (port->phys_state < ARRAY_SIZE(phys_states) && phys_states[port->phys_state])
		return phys_states[port->phys_state];
	return "in no state that is known";
}

/* A lane where adapters have four: a bad cable, mostly. */
static bool is_narrow(const struct rdma_device *device, const struct rdma_port *port)
{
	return device->kind == RDMA_INFINIBAND && !device->software &&
	       strstr(port->rate, "(1X ");
}

static int run_check(struct check_run *run)
{
	struct words up = { 0 }, down = { 0 }, narrow = { 0 };
	struct port_list ports;
	char name[PORT_NAME_MAX];
	int rc = ports_wanted(run, &ports);
	unsigned int i;

	if (rc)
		return rc;
	for (i = 0; i < ports.count; i++) {
		const struct rdma_port *port = ports.list[i].port;

		rc = port_problem(ports.list[i].device, port);
		if (rc)
			return rc;
		port_name(ports.list[i].device, port, name);
		if (port->phys_state != PHYS_UP)
			words_add(&down, "%s is %s", name, phys_name(port));
		else if (is_narrow(ports.list[i].device, port))
			words_add(&narrow, "%s has %s", name, port->rate);
		else
			words_add(&up, "%s has %s", name, port->rate);
	}
	if (!ports.count)
		return err_set(EIO, "the RDMA devices show no ports");
	if (down.count)
		finding_text(&run->finding, "without_link", "%s", words_text(&down));
	if (!up.count && !narrow.count)
		return check_say(run, FINDING_FAIL, "no link: %s", words_text(&down));
	if (narrow.count)
		return check_say(run, FINDING_WARN,
				 "the link came up with one lane of four: %s",
				 words_text(&narrow));
	return check_say(run, FINDING_PASS, "%s", words_text(&up));
}

const struct check check_fabric_cable = {
	.id = "fabric.cable",
	.roles = CHECK_BOTH,
	.at_mount = CHECK_MOUNT_PATH,
	.needs = { "client.device", "server.device" },
	.run = run_check,
};
