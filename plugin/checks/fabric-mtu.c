/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The MTU of the interface behind RoCE and iWARP ports. The payload of RoCE's packets is the
 * largest of 256, 512, 1024, 2048 and 4096 bytes that fits with the headers. */
#include "plugin/checks/internal.h"

#define ETHERNET_USUAL 1500

/* Headers of RoCE v2 with room (rxe_mtu_int_to_enum(), iboe_get_mtu() in ib_addr.h). */
#define ROCE_HEADERS 78

static unsigned int roce_mtu(unsigned int mtu)
{
	unsigned int size = 4096;

	while (size > 256 && size + ROCE_HEADERS > mtu)
		size /= 2;
	return size;
}

static int mtu_check_run(struct check_run *run)
{
	struct words small = { 0 }, good = { .separator = "; " };
	const struct port_at *first = NULL;
	struct host_netdev netdev;
	struct port_list ports;
	int rc = ports_wanted(run, &ports);
	unsigned int i;

	for (i = 0; !rc && i < ports.count; i++) {
		const struct rdma_port *port = ports.list[i].port;

		if (!port->netdev[0] || !port_is_up(port))
			continue;
		rc = host_netdev(run->host, port->netdev, NULL, &netdev);
		if (rc)
			return err_because(err_context(rc, "%s", port->netdev),
					   "unreadable");
		if (netdev.mtu < ETHERNET_USUAL) {
			words_add(&small, "%s has %u", netdev.name, netdev.mtu);
			first = first ? first : &ports.list[i];
		} else if (ports.list[i].device->kind == RDMA_ROCE)
			words_add(&good, "%s has %u, so RoCE packets carry %u",
				  netdev.name, netdev.mtu, roce_mtu(netdev.mtu));
		else
			words_add(&good, "%s has %u", netdev.name, netdev.mtu);
	}
	if (rc)
		return rc;
	if (first) {
		finding_reason(&run->finding, "small");
		port_evidence(run, first);
		return check_say(run, FINDING_WARN, "smaller than Ethernet's %u: %s",
				 ETHERNET_USUAL, words_text(&small));
	}
	if (!good.count)
		return check_say(run, FINDING_SKIP,
				 "no active port belongs to an Ethernet interface");
	return check_say(run, FINDING_PASS, "%s", words_text(&good));
}

const struct check check_fabric_mtu = {
	.id = "fabric.mtu",
	.roles = CHECK_BOTH,
	.needs = { "client.device", "server.device", "fabric.port" },
	.run = mtu_check_run,
};
