/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The MTU of the interface behind RoCE and iWARP ports. The payload of RoCE's packets is the
 * largest of 256, 512, 1024, 2048 and 4096 bytes that fits with the headers. */
#include "plugin/checks/internal.h"

#define ETHERNET_USUAL 1500

/* Headers of RoCE v2 with room (rxe_mtu_int_to_enum(), iboe_get_mtu() in ib_addr.h). */
#define ROCE_HEADERS 78

static unsigned int mtu_of_roce(unsigned int mtu)
{
	unsigned int size = 4096;

	while (size > 256 && size + ROCE_HEADERS > mtu)
		size /= 2;
	return size;
}

enum mtu_group { MTU_SMALL, MTU_GOOD, MTU_GROUPS };

static int mtu_judge(struct check_run *run, const struct port_at *at, struct port_group *groups)
{
	const struct rdma_port *port = at->port;
	struct host_netdev netdev;
	int rc;

	if (!port->netdev[0] || !port_is_up(port))
		return 0;
	rc = host_netdev(run->host, port->netdev, NULL, &netdev);
	if (rc)
		return err_because(err_context(rc, "%s", port->netdev), "unreadable");
	if (netdev.mtu < ETHERNET_USUAL)
		port_group_add(&groups[MTU_SMALL], at, "%s has %u", netdev.name, netdev.mtu);
	else if (at->device->kind == RDMA_ROCE)
		port_group_add(&groups[MTU_GOOD], at, "%s has %u, so RoCE packets carry %u",
			       netdev.name, netdev.mtu, mtu_of_roce(netdev.mtu));
	else
		port_group_add(&groups[MTU_GOOD], at, "%s has %u", netdev.name, netdev.mtu);
	return 0;
}

int check_fabric_mtu(struct check_run *run)
{
	struct port_group groups[MTU_GROUPS] = {
		[MTU_GOOD] = { .words = { .separator = "; " } },
	};
	struct port_group *small = &groups[MTU_SMALL], *good = &groups[MTU_GOOD];
	struct port_list ports;
	int rc = ports_judge(run, &ports, mtu_judge, groups);

	if (rc)
		return rc;
	if (small->first) {
		port_evidence(run, small->first);
		return check_say_why(run, FINDING_WARN, "small", "smaller than Ethernet's %u: %s",
				     ETHERNET_USUAL, words_text(&small->words));
	}
	if (!good->first)
		return check_say(run, FINDING_SKIP,
				 "no active port belongs to an Ethernet interface");
	return check_say(run, FINDING_PASS, "%s", words_text(&good->words));
}
