/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The paths of packets between this host and its peers: to the server that was named by the routes
 * to its addresses, else by every interface of an RDMA device to any peer that the interface
 * leads to. */
#include <arpa/inet.h>
#include <netinet/in.h>

#include "plugin/checks/internal.h"

/* Any address of the family; else the one in @bytes. */
static void packet_path_set(struct transport_address *a, int family, const uint8_t *bytes)
{
	struct sockaddr_in6 *in6 = (struct sockaddr_in6 *)&a->addr;
	struct sockaddr_in *in = (struct sockaddr_in *)&a->addr;

	memset(a, 0, sizeof(*a));
	a->addr.ss_family = (sa_family_t)family;
	a->len = family == AF_INET6 ? sizeof(*in6) : sizeof(*in);
	if (bytes && family == AF_INET6)
		memcpy(&in6->sin6_addr, bytes, 16);
	else if (bytes)
		memcpy(&in->sin_addr, bytes, 4);
}

static struct packet_path *packet_path_add(struct check_run *run, struct packet_path_list *out,
					   const char *netdev)
{
	struct packet_path *path;

	if (out->count == PACKET_PATHS_MAX)
		return NULL;
	path = &out->list[out->count++];
	memset(path, 0, sizeof(*path));
	str_copy(path->netdev, sizeof(path->netdev), netdev);
	path->bridge = netdev_is_bridge(run, path->netdev);
	return path;
}

void packet_paths_to_server(struct check_run *run, struct packet_path_list *out)
{
	const struct server_path *routes;
	struct packet_path *path;
	unsigned int count, i;
	uint8_t source[16];
	int family;

	out->count = 0;
	facts_paths(run, &routes, &count);
	for (i = 0; i < count; i++) {
		const struct server_path *to = &routes[i];

		path = to->rc ? NULL : packet_path_add(run, out, to->route.netdev);
		if (!path)
			continue;
		path->device = to->device;
		path->port = to->port;
		path->far = *to->to;
		transport_set_port(&path->far, 0);
		family = to->to->addr.ss_family;
		packet_path_set(&path->near, family,
				inet_pton(family, to->route.source, source) == 1 ? source : NULL);
		path->local = to->route.local;
	}
}

/* --- to any peer ------------------------------------------------------------------------ */

/* RoCE has a GID of each address of its interface: the first of a family; link-local ones carry no
 * NFS. Other kinds have none, and then nothing tells. */
static const struct rdma_gid *packet_path_gid(const struct rdma_port *port, const char *netdev,
					      int family)
{
	unsigned int i;

	for (i = 0; i < port->ngids; i++) {
		const struct rdma_gid *gid = &port->gids[i];

		if (gid->v2 && gid_is_ipv4(gid) == (family == AF_INET) && gid->bytes[0] != 0xfe &&
		    (!*gid->netdev || !strcmp(gid->netdev, netdev)))
			return gid;
	}
	return NULL;
}

/* In each family that the interface has an address of; in IPv4 where nothing tells. */
static void packet_paths_add_netdev(struct check_run *run, const struct port_at *at,
				    const char *netdev, struct packet_path_list *out)
{
	const struct rdma_gid *v4 = packet_path_gid(at->port, netdev, AF_INET);
	const struct rdma_gid *v6 = packet_path_gid(at->port, netdev, AF_INET6);
	struct packet_path *path;

	path = v4 || !v6 ? packet_path_add(run, out, netdev) : NULL;
	if (path) {
		path->device = at->device;
		path->port = at->port;
		packet_path_set(&path->near, AF_INET, v4 ? v4->bytes + 12 : NULL);
		packet_path_set(&path->far, AF_INET, NULL);
	}
	path = v6 ? packet_path_add(run, out, netdev) : NULL;
	if (path) {
		path->device = at->device;
		path->port = at->port;
		packet_path_set(&path->near, AF_INET6, v6->bytes);
		packet_path_set(&path->far, AF_INET6, NULL);
	}
}

/* A port's interfaces: its own, IPoIB's, and those above it that it has GIDs for. */
static void packet_paths_add_port(struct check_run *run, const struct netdevs *netdevs,
				  const struct port_at *at, struct packet_path_list *out)
{
	unsigned int i, before = out->count;

	for (i = 0; i < netdevs->count; i++) {
		const struct host_netdev *netdev = &netdevs->list[i];

		if (port_is_of(at->device, at->port, netdev) && !netdev->rdma_lower[0])
			packet_paths_add_netdev(run, at, netdev->name, out);
	}
	if (out->count == before)
		packet_paths_add_netdev(run, at, at->port->netdev, out);
}

int packet_paths_to_any(struct check_run *run, struct packet_path_list *out)
{
	const struct rdma_devices *rdma;
	const struct netdevs *netdevs;
	unsigned int i, p;
	int rc;

	out->count = 0;
	rc = facts_rdma(run, &rdma);
	if (!rc)
		rc = facts_netdevs(run, &netdevs);
	if (rc)
		return rc;
	for (i = 0; i < rdma->count; i++) {
		struct port_at at = { .device = &rdma->list[i] };

		for (p = 0; port_usable(at.device) && p < at.device->nports; p++) {
			at.port = &at.device->ports[p];
			packet_paths_add_port(run, netdevs, &at, out);
		}
	}
	return 0;
}

/* --- packets ----------------------------------------------------------------------------- */

void packet_path_packet(const struct packet_path *path, struct packet_kind kind, uint16_t port,
			struct firewall_packet *out)
{
	bool comes = kind.in != kind.reply;

	memset(out, 0, sizeof(*out));
	out->hook = comes ? FIREWALL_INPUT : FIREWALL_OUTPUT;
	memcpy(out->netdev, path->netdev, sizeof(out->netdev));
	out->source = comes ? path->far : path->near;
	out->destination = comes ? path->near : path->far;
	transport_set_port(kind.reply ? &out->source : &out->destination, port);
	out->protocol = kind.protocol;
	out->established = kind.reply;
	out->bridge = path->bridge;
	/* Whom an interface leads to is also whom its packets come from. */
	out->symmetric = true;
}
