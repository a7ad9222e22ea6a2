/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The ways of packets between this host and its peers: to the server that was named by the routes
 * to its addresses, else by every interface of an RDMA device to anybody. A peer that is anybody
 * is one whom the interface leads to. */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>

#include "plugin/checks/internal.h"

static void set_any(struct transport_address *a, int family)
{
	memset(a, 0, sizeof(*a));
	a->addr.ss_family = (sa_family_t)family;
	a->len = family == AF_INET6 ? sizeof(struct sockaddr_in6)
				    : sizeof(struct sockaddr_in);
}

static void set_address(struct transport_address *a, int family, const char *text)
{
	struct sockaddr_in6 *in6 = (struct sockaddr_in6 *)&a->addr;
	struct sockaddr_in *in = (struct sockaddr_in *)&a->addr;

	set_any(a, family);
	if (inet_pton(family, text,
		      family == AF_INET6 ? (void *)&in6->sin6_addr
					 : (void *)&in->sin_addr) != 1)
		set_any(a, family);
}

static struct way *add(struct check_run *run, struct way_list *out, const char *netdev)
{
	char path[64];
	struct way *way;

	if (out->count == WAYS_MAX)
		return NULL;
	way = &out->list[out->count++];
	memset(way, 0, sizeof(*way));
	snprintf(way->netdev, sizeof(way->netdev), "%s", netdev);
	snprintf(path, sizeof(path), "sys/class/net/%s/bridge", way->netdev);
	way->bridge = *netdev && !host_exists(run->host, path);
	return way;
}

void ways_to_server(struct check_run *run, struct way_list *out)
{
	const struct server_path *paths;
	unsigned int count, i;
	struct way *way;

	out->count = 0;
	facts_paths(run, &paths, &count);
	for (i = 0; i < count; i++) {
		const struct server_path *path = &paths[i];

		way = path->rc ? NULL : add(run, out, path->route.netdev);
		if (!way)
			continue;
		way->device = path->device;
		way->port = path->port;
		way->far = *path->to;
		transport_set_port(&way->far, 0);
		set_address(&way->near, path->to->addr.ss_family, path->route.source);
		way->local = path->route.local;
	}
}

/* --- to anybody ------------------------------------------------------------------------- */

static const uint8_t mapped[12] = { [10] = 0xff, [11] = 0xff };

/* RoCE has a GID of each address of its interface: the first of a family; link-local ones carry no
 * NFS. Other kinds have none, and then nothing tells. */
static const struct rdma_gid *find_gid(const struct rdma_port *port, const char *netdev,
				       int family)
{
	unsigned int i;
	bool v4;

	for (i = 0; i < port->ngids; i++) {
		const struct rdma_gid *gid = &port->gids[i];

		v4 = !memcmp(gid->bytes, mapped, sizeof(mapped));
		if (gid->v2 && v4 == (family == AF_INET) && gid->bytes[0] != 0xfe &&
		    (!*gid->netdev || !strcmp(gid->netdev, netdev)))
			return gid;
	}
	return NULL;
}

static void set_gid(struct transport_address *a, int family, const struct rdma_gid *gid)
{
	struct sockaddr_in6 *in6 = (struct sockaddr_in6 *)&a->addr;
	struct sockaddr_in *in = (struct sockaddr_in *)&a->addr;

	set_any(a, family);
	if (gid && family == AF_INET6)
		memcpy(&in6->sin6_addr, gid->bytes, 16);
	else if (gid)
		memcpy(&in->sin_addr, gid->bytes + sizeof(mapped), 4);
}

static void add_family(struct check_run *run, struct way_list *out,
		       const struct rdma_device *device, const struct rdma_port *port,
		       const char *netdev, int family)
{
	const struct rdma_gid *gid = find_gid(port, netdev, family);
	bool other = find_gid(port, netdev, family == AF_INET ? AF_INET6 : AF_INET);
	struct way *way;

	/* IPv4 where nothing tells. */
	if (!gid && (family == AF_INET6 || other))
		return;
	way = add(run, out, netdev);
	if (!way)
		return;
	way->device = device;
	way->port = port;
	set_gid(&way->near, family, gid);
	set_any(&way->far, family);
}

static void add_netdev(struct check_run *run, struct way_list *out,
		       const struct rdma_device *device, const struct rdma_port *port,
		       const char *netdev)
{
	add_family(run, out, device, port, netdev, AF_INET);
	add_family(run, out, device, port, netdev, AF_INET6);
}

/* A port's interfaces: its own, IPoIB's, and those above it that it has GIDs for. */
static void add_port(struct check_run *run, struct way_list *out,
		     const struct netdevs *netdevs, const struct rdma_device *device,
		     const struct rdma_port *port)
{
	unsigned int i, before = out->count;

	for (i = 0; i < netdevs->count; i++) {
		const struct host_netdev *netdev = &netdevs->list[i];

		if (!strcmp(netdev->rdma_device, device->name) &&
		    netdev->rdma_port == port->number && !netdev->rdma_lower[0])
			add_netdev(run, out, device, port, netdev->name);
	}
	if (out->count == before)
		add_netdev(run, out, device, port, port->netdev);
}

int ways_to_anybody(struct check_run *run, struct way_list *out)
{
	const struct rdma_devices *rdma;
	const struct netdevs *netdevs;
	unsigned int i, p;
	int rc;

	out->count = 0;
	rc = facts_rdma(run, &rdma);
	rc = rc ? rc : facts_netdevs(run, &netdevs);
	for (i = 0; !rc && i < rdma->count; i++) {
		const struct rdma_device *device = &rdma->list[i];

		for (p = 0; port_usable(device) && p < device->nports; p++)
			add_port(run, out, netdevs, device, &device->ports[p]);
	}
	return rc;
}

/* --- packets ----------------------------------------------------------------------------- */

void way_packet(const struct way *way, bool in, bool reply, uint8_t protocol,
		uint16_t port, struct firewall_packet *out)
{
	bool comes = in != reply;

	memset(out, 0, sizeof(*out));
	out->hook = comes ? FIREWALL_INPUT : FIREWALL_OUTPUT;
	memcpy(out->netdev, way->netdev, sizeof(out->netdev));
	out->source = comes ? way->far : way->near;
	out->destination = comes ? way->near : way->far;
	transport_set_port(reply ? &out->source : &out->destination, port);
	out->protocol = protocol;
	out->established = reply;
	out->bridge = way->bridge;
	/* Whom an interface leads to is also whom its packets come from. */
	out->symmetric = true;
}
