/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Ports of firewalld, for what this host's packet filter sees of NFS over RDMA, which is software
 * RDMA alone: rxe's UDP 4791, to a client as well, since what comes to it goes there and is no
 * reply to anything that conntrack knows; and siw's TCP, to the server's port. Adapters put RDMA
 * packets into memory and no filter of the host ever sees one, so nothing is opened for them.
 *
 * Rules of nft or iptables are not edited: a note shows the missing rule. */
#include <netinet/in.h>

#include "plugin/setup/internal.h"

#define ROCE_PORT 4791

/* What comes in for a device. */
struct firewall_need {
	const char *netdev, *device;
	uint16_t port;
	uint8_t protocol;
};

static int firewall_open_port(struct planner *planner, const struct firewall_need *need,
			      const struct setup_port *port)
{
	struct setup_step *step;
	char line[96];
	unsigned int i;
	int rc;

	for (i = 0; i < planner->plan->nsteps; i++) {
		step = &planner->plan->steps[i];
		/* Two devices may need the same. */
		if (step->kind == SETUP_PORT && step->port.port == port->port &&
		    step->port.protocol == port->protocol &&
		    step->port.permanent == port->permanent && !strcmp(step->port.zone, port->zone))
			return 0;
	}
	/* Written first, so that an undo knows of it; no file that lists it, no port. */
	port_format(port, line, sizeof(line));
	rc = plan_file(planner, PATH_PORTS, line, false,
		       "an undo closes the ports that are opened");
	if (rc)
		return rc < 0 ? rc : 0;
	step = plan_step(planner, SETUP_PORT, "zone %s of %s closes %s port %u to %s (%s)",
			 port->zone, need->netdev, need->protocol == IPPROTO_UDP ? "UDP" : "TCP",
			 port->port, need->device, port->permanent ? "permanently" : "now");
	if (!step)
		return -ENOSPC;
	step->port = *port;
	return 0;
}

static int firewall_plan_zone(struct planner *planner, const struct host_firewalld *zone,
			      const struct firewall_need *need)
{
	struct setup_port port = { .port = need->port, .protocol = need->protocol };
	/* By its target, by one of its ports, or by a service. */
	bool open = !strcmp(zone->target, "ACCEPT"), listed = false;
	unsigned int i;
	int rc;

	for (i = 0; i < zone->nports; i++) {
		const struct host_firewalld_port *of = &zone->ports[i];

		open |= of->protocol == need->protocol && !of->some && of->first <= need->port &&
			need->port <= of->last;
	}

	str_copy(port.zone, sizeof(port.zone), zone->zone);
	if (zone->panic)
		plan_note(
			planner, true,
			"firewalld is in panic mode and drops all packets: firewall-cmd --panic-off");
	rc = open ? planner->machine->actions->port_get(&port, &listed) : 0;
	/* By a service, or a target, which is permanent as far as we are concerned. */
	if (rc || (open && !listed))
		return rc;
	rc = open ? 0 : firewall_open_port(planner, need, &port);
	port.permanent = true;
	listed = false;
	if (!rc)
		rc = planner->machine->actions->port_get(&port, &listed);
	return rc || listed ? rc : firewall_open_port(planner, need, &port);
}

/* No firewalld: what the check makes of the rules that there are. */
static int firewall_note_rules(struct planner *planner)
{
	_cleanup_(finding_fini) struct finding finding = { 0 };
	int rc = plan_check(planner, "firewall.rdma", &finding);
	const char *open;

	if (rc || finding.status == FINDING_PASS || finding.status == FINDING_SKIP)
		return rc;
	open = finding_evidence(&finding, "open");
	/* A command that is cut is another one. */
	if (strlen(open) > 240)
		open = "";
	plan_note(planner, true, "Setup does not edit the rules of the packet filter: %.300s%s%s",
		  finding.summary, *open ? ". To open it: " : "", open);
	return rc;
}

static int firewall_plan_port(struct planner *planner, const struct firewall_need *need)
{
	struct host_firewalld zone;
	int rc;

	if (!planner->machine->actions) {
		plan_note(planner, false,
			  "With --root no firewall is changed: %s needs %s port %u open",
			  need->device, need->protocol == IPPROTO_UDP ? "udp" : "tcp", need->port);
		return 0;
	}
	rc = planner->machine->live->firewalld(planner->machine->host, need->netdev, &zone);
	if (!rc && zone.running)
		rc = firewall_plan_zone(planner, &zone, need);
	else if (!rc)
		rc = firewall_note_rules(planner);
	if (rc != -EACCES)
		return rc;
	planner->plan->unknown = true;
	plan_note(planner, false, "firewalld answers only root");
	return 0;
}

static void firewall_note_adapter(struct planner *planner, const struct rdma_device *device)
{
	if (device->kind == RDMA_ROCE)
		plan_note(
			planner, false,
			"The adapter %s (RoCE) bypasses this host's packet filter, so no port is opened; switches between the hosts must pass UDP port 4791",
			device->name);
	if (device->kind == RDMA_IWARP)
		plan_note(
			planner, false,
			"The adapter %s (iWARP) bypasses this host's packet filter, so no port is opened; switches between the hosts must pass TCP port %u",
			device->name, planner->port);
}

static int firewall_plan(struct planner *planner)
{
	bool server = planner->request->roles & CHECK_SERVER;
	unsigned int i, p;
	int rc = 0;

	for (i = 0; !rc && i < planner->rdma->count; i++) {
		const struct rdma_device *device = &planner->rdma->list[i];
		bool roce = device->kind == RDMA_ROCE;

		if (!device->software)
			firewall_note_adapter(planner, device);
		/* What a client of siw gets are replies. */
		if (!device->software || (!roce && !server))
			continue;
		for (p = 0; !rc && p < device->nports; p++) {
			struct firewall_need need = {
				.netdev = device->ports[p].netdev,
				.device = device->name,
				.port = roce ? ROCE_PORT : planner->port,
				.protocol = roce ? IPPROTO_UDP : IPPROTO_TCP,
			};

			if (need.netdev[0])
				rc = firewall_plan_port(planner, &need);
		}
	}
	return rc;
}

const struct remedy remedy_firewall = {
	.name = "firewall",
	.roles = CHECK_BOTH,
	.plan = firewall_plan,
};
