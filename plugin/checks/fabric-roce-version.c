/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* RoCE v1 and v2 do not understand each other: v1 is an ethertype (0x8915) within one Ethernet,
 * v2 is UDP port 4791. The connection manager uses v2 if the port has it, unless configfs says
 * otherwise until the next boot (drivers/infiniband/core/cma.c). */
#include "plugin/checks/internal.h"

static bool has_v2(const struct rdma_port *port)
{
	unsigned int i;

	for (i = 0; i < port->ngids; i++)
		if (port->gids[i].v2)
			return true;
	return false;
}

static bool prefers_v1(const struct rdma_port *port)
{
	return strstr(port->default_roce_mode, "v1");
}

static int roce_version_check_run(struct check_run *run)
{
	struct words only_v1 = { 0 }, set_v1 = { 0 }, v2 = { 0 };
	const struct port_at *first_set = NULL, *first_only = NULL;
	struct port_list ports;
	char name[PORT_NAME_MAX];
	int rc = ports_wanted(run, &ports);
	unsigned int i;

	if (rc)
		return rc;
	for (i = 0; i < ports.count; i++) {
		const struct rdma_port *port = ports.list[i].port;

		/* Without a GID the version is unknown. */
		if (ports.list[i].device->kind != RDMA_ROCE || !port_is_up(port) ||
		    !port->ngids)
			continue;
		port_name(ports.list[i].device, port, name);
		if (!has_v2(port)) {
			words_add(&only_v1, "%s", name);
			first_only = first_only ? first_only : &ports.list[i];
		} else if (prefers_v1(port)) {
			words_add(&set_v1, "%s", name);
			first_set = first_set ? first_set : &ports.list[i];
		} else {
			words_add(&v2, "%s", name);
		}
	}
	if (first_set) {
		finding_reason(&run->finding, "set-to-v1");
		port_evidence(run, first_set);
		return check_say(
			run, FINDING_WARN,
			"%s supports RoCE v2 and is set to v1 (default_roce_mode)",
			words_text(&set_v1));
	}
	if (first_only) {
		finding_reason(&run->finding, "v1-only");
		port_evidence(run, first_only);
		return check_say(run, FINDING_WARN, "%s supports RoCE v1 only",
				 words_text(&only_v1));
	}
	if (!v2.count)
		return check_say(run, FINDING_SKIP, "there is no active RoCE port");
	return check_say(run, FINDING_PASS, "v2: %s", words_text(&v2));
}

const struct check check_fabric_roce_version = {
	.id = "fabric.roce-version",
	.roles = CHECK_BOTH,
	.needs = { "client.device", "server.device", "fabric.port" },
	.run = roce_version_check_run,
};
