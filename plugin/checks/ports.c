/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Ports of RDMA devices: which of them a check examines, and their names. With a server it is
 * the port on the route to it; else all, and one that is good is enough, because the second port
 * of an adapter is often not connected. */
#include <stdarg.h>
#include <stdio.h>

#include "plugin/checks/internal.h"

/* enum ib_port_state, include/rdma/ib_verbs.h */
#define STATE_ACTIVE 4

const char *port_name(const struct rdma_device *device, const struct rdma_port *port,
		      char name[PORT_NAME_MAX])
{
	if (port->netdev[0])
		snprintf(name, PORT_NAME_MAX, "%s port %u (%s)", device->name, port->number,
			 port->netdev);
	else
		snprintf(name, PORT_NAME_MAX, "%s port %u", device->name, port->number);
	return name;
}

bool port_usable(const struct rdma_device *device)
{
	/* xprtrdma needs memory registration by work request, which mthca's adapters lack
	 * (frwr_is_supported() in net/sunrpc/xprtrdma/frwr_ops.c). usNIC and EFA have no
	 * reliable connections. */
	return device->kind != RDMA_USNIC && device->kind != RDMA_OTHER &&
	       strcmp(device->driver, "ib_mthca");
}

bool port_is_up(const struct rdma_port *port)
{
	return port->state == STATE_ACTIVE;
}

const char *port_state_name(const struct rdma_port *port)
{
	static const char *const names[] = {
		"in an unknown state", "down", "initializing", "armed", "active", "deferred"
	};

	return names[port->state < ARRAY_SIZE(names) ? port->state : 0];
}

int port_problem(const struct rdma_device *device, const struct rdma_port *port)
{
	if (port->state && port->phys_state)
		return 0;
	return err_because(
		err_set(EIO, "%s port %u: %s", device->name, port->number,
			device->problem[0] ? device->problem : "the kernel shows no state"),
		"unreadable");
}

const char *port_kind_name(const struct rdma_device *device)
{
	static const char *const names[] = {
		[RDMA_INFINIBAND] = "InfiniBand", [RDMA_ROCE] = "RoCE",
		[RDMA_IWARP] = "iWARP",           [RDMA_USNIC] = "usNIC",
		[RDMA_OTHER] = "of another kind",
	};

	return names[device->kind];
}

static void ports_add(struct port_list *out, const struct rdma_device *device,
		      const struct rdma_port *port)
{
	if (out->count < ARRAY_SIZE(out->list))
		out->list[out->count++] = (struct port_at){ device, port };
}

int ports_wanted(struct check_run *run, struct port_list *out)
{
	const struct rdma_devices *rdma;
	const struct rdma_device *device;
	const struct rdma_port *port;
	int rc = facts_rdma(run, &rdma);
	unsigned int i, p;

	out->count = 0;
	if (rc)
		return rc;
	if (!facts_route_port(run, &device, &port)) {
		ports_add(out, device, port);
		return 0;
	}
	for (i = 0; i < rdma->count; i++) {
		device = &rdma->list[i];
		for (p = 0; port_usable(device) && p < device->nports; p++)
			ports_add(out, device, &device->ports[p]);
	}
	return 0;
}

void port_group_add(struct port_group *group, const struct port_at *at, const char *fmt, ...)
{
	char text[WORDS_MAX];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	words_add(&group->words, "%s", text);
	group->first = group->first ? group->first : at;
}

int ports_judge(struct check_run *run, struct port_list *ports,
		int (*judge)(struct check_run *run, const struct port_at *at,
			     struct port_group *groups),
		struct port_group *groups)
{
	int rc = ports_wanted(run, ports);
	unsigned int i;

	for (i = 0; !rc && i < ports->count; i++)
		rc = judge(run, &ports->list[i], groups);
	return rc;
}

bool port_is_of(const struct rdma_device *device, const struct rdma_port *port,
		const struct host_netdev *netdev)
{
	return !strcmp(netdev->rdma_device, device->name) && netdev->rdma_port == port->number;
}

const char *port_interface(struct check_run *run, const struct port_at *at)
{
	const struct netdevs *netdevs;
	unsigned int i;

	/* A RoCE port whose interface is down may have no GID that names it. */
	if (at->port->netdev[0] || facts_netdevs(run, &netdevs))
		return at->port->netdev;
	for (i = 0; i < netdevs->count; i++)
		if (port_is_of(at->device, at->port, &netdevs->list[i]) &&
		    !netdevs->list[i].rdma_lower[0])
			return netdevs->list[i].name;
	return "";
}

void port_evidence(struct check_run *run, const struct port_at *at)
{
	const char *interface = port_interface(run, at);

	finding_text(&run->finding, "device", "%s", at->device->name);
	finding_number(&run->finding, "device_port", at->port->number);
	if (*interface)
		finding_text(&run->finding, "interface", "%s", interface);
	if (at->device->pci_address[0])
		finding_text(&run->finding, "pci", "%s", at->device->pci_address);
}
