/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The addresses of this host on its RDMA devices, and the ones at which a peer reaches it over
 * RDMA. The connection manager takes the device from the address:
 *
 * - RoCE has a GID for each address of its interface, and of VLANs, bonds and bridges above it
 *   (is_eth_port_of_netdev_filter() in drivers/infiniband/core/roce_gid_mgmt.c). Without a GID
 *   no peer can connect to an address;
 * - InfiniBand has the addresses of its IPoIB interfaces, and of a bond above them;
 * - iWARP has those of its interface.
 *
 * An adapter takes its packets before the kernel's network does. rxe and siw get theirs from it,
 * and packets to a bridge come from the bridge, which is not their interface: rxe drops them
 * (rxe_get_dev_from_net()), siw listens on its own interface only (siw_create_listen()). With
 * Linux 6.1 either is silent or refuses there, though rxe has a GID. So does iWARP, whose
 * adapter has the addresses of its own interface.
 *
 * Servers are not mounted by link-local addresses. */
#include <arpa/inet.h>
#include <stdio.h>

#include "plugin/checks/internal.h"

bool netdev_lacks_gid(const struct host_netdev *netdev, const struct rdma_device *device)
{
	return netdev->rdma_lower[0] && device && device->kind == RDMA_ROCE;
}

bool netdev_is_bridge(struct check_run *run, const char *netdev)
{
	char path[64];

	snprintf(path, sizeof(path), "sys/class/net/%.15s/bridge", netdev);
	return *netdev && !host_exists(run->host, path);
}

bool netdev_is_passed_by(struct check_run *run, const char *netdev,
			 const struct rdma_device *device)
{
	return (device->software || device->kind == RDMA_IWARP) && netdev_is_bridge(run, netdev);
}

/* @known: the device knows the interface's addresses. */
static enum own_state own_state_of(struct check_run *run, const char *netdev,
				   const struct rdma_device *device, bool known)
{
	return !known                                     ? OWN_NO_GID
	       : netdev_is_passed_by(run, netdev, device) ? OWN_BRIDGE
							  : OWN_REACHED;
}

static bool own_is_link_local(const char *address)
{
	struct in6_addr in6;

	return inet_pton(AF_INET6, address, &in6) == 1 && IN6_IS_ADDR_LINKLOCAL(&in6);
}

static const struct own_address *own_find(const struct own_addresses *all, const char *text)
{
	unsigned int i;

	for (i = 0; i < all->count; i++)
		if (!strcmp(all->list[i].text, text))
			return &all->list[i];
	return NULL;
}

/* A GID of version 1 and one of version 2 are one address. */
static void own_add(struct own_addresses *out, const struct own_address *like, const char *text,
		    const char *netdev, enum own_state state)
{
	struct own_address *own;

	if (own_is_link_local(text) || own_find(out, text))
		return;
	if (out->count == OWN_ADDRESSES_MAX) {
		out->cut = true;
		return;
	}
	own = &out->list[out->count++];
	*own = *like;
	str_copy(own->text, sizeof(own->text), text);
	str_copy(own->netdev, sizeof(own->netdev), netdev);
	own->state = state == OWN_REACHED && !port_is_up(own->port) ? OWN_DOWN : state;
}

static void own_add_gids(struct check_run *run, struct own_addresses *out,
			 const struct own_address *like)
{
	const struct rdma_port *port = like->port;
	char text[INET6_ADDRSTRLEN];
	unsigned int i;

	for (i = 0; i < port->ngids; i++) {
		const struct rdma_gid *gid = &port->gids[i];
		const char *netdev = *gid->netdev ? gid->netdev : port->netdev;
		bool v4 = gid_is_ipv4(gid);

		if (inet_ntop(v4 ? AF_INET : AF_INET6, gid->bytes + (v4 ? 12 : 0), text,
			      sizeof(text)))
			own_add(out, like, text, netdev,
				own_state_of(run, netdev, like->device, true));
	}
}

/* Keeps the first reason why there may be more. */
static void own_lose(struct own_addresses *out, int rc)
{
	if (!out->rc)
		str_copy(out->why, sizeof(out->why), err_text());
	out->rc = out->rc ? out->rc : rc;
}

static void own_add_netdev(struct check_run *run, const struct host_netdev *netdev,
			   const struct rdma_device *device, const struct rdma_port *port,
			   struct own_addresses *out)
{
	struct own_address like = { .device = device, .port = port };
	struct host_addresses addresses;
	unsigned int i;
	int rc = run->live->addresses(run->host, netdev->name, &addresses);

	if (rc) {
		own_lose(out, rc);
		return;
	}
	memcpy(like.lower, netdev->rdma_lower, sizeof(like.lower));
	for (i = 0; i < addresses.count; i++)
		if (device->kind != RDMA_ROCE || !port->gids_cut)
			own_add(out, &like, addresses.list[i], netdev->name,
				own_state_of(run, netdev->name, device, device->kind != RDMA_ROCE));
	out->cut |= addresses.cut;
}

static void own_add_port(struct check_run *run, const struct netdevs *netdevs,
			 const struct rdma_device *device, const struct rdma_port *port,
			 struct own_addresses *out)
{
	const struct own_address like = { .device = device, .port = port };
	unsigned int i;
	int rc = port_problem(device, port);

	if (rc) {
		own_lose(out, rc);
		return;
	}
	if (device->kind == RDMA_ROCE)
		own_add_gids(run, out, &like);
	for (i = 0; i < netdevs->count; i++)
		if (port_is_of(device, port, &netdevs->list[i]))
			own_add_netdev(run, &netdevs->list[i], device, port, out);
}

int addresses_read(struct check_run *run, struct own_addresses *out)
{
	const struct rdma_devices *rdma;
	const struct netdevs *netdevs;
	unsigned int i, p;
	int rc = facts_rdma(run, &rdma);

	memset(out, 0, sizeof(*out));
	if (!rc)
		rc = facts_netdevs(run, &netdevs);
	for (i = 0; !rc && i < rdma->count; i++) {
		const struct rdma_device *device = &rdma->list[i];

		for (p = 0; port_usable(device) && p < device->nports; p++)
			own_add_port(run, netdevs, device, &device->ports[p], out);
	}
	return rc;
}

/* --- where the server is set to listen --------------------------------------------------- */

enum own_bound addresses_bound(const struct own_addresses *all, const char *hosts)
{
	_cleanup_free_ char *text = strdup(hosts);
	enum own_bound bound = OWN_BOUND_ELSEWHERE;
	const struct own_address *own;
	char *rest = text, *host;
	uint8_t bytes[16];

	while (text && (host = strsep(&rest, ", \t"))) {
		own = own_find(all, host);
		if (!strcmp(host, "0.0.0.0") || !strcmp(host, "::") ||
		    (own && own->state == OWN_REACHED))
			return OWN_BOUND_HERE;
		/* A name. */
		if (*host && inet_pton(AF_INET, host, bytes) != 1 &&
		    inet_pton(AF_INET6, host, bytes) != 1)
			bound = OWN_BOUND_UNKNOWN;
	}
	return text ? bound : OWN_BOUND_UNKNOWN;
}
