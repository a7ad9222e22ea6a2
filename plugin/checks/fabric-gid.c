/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Whether a port has the GID that connections come from. RoCE makes one for each IP address of
 * the interface; the connection manager finds a device by it. InfiniBand and iWARP have one of
 * their own. */
#include <arpa/inet.h>

#include "plugin/checks/internal.h"

/* An IPv4 address is ::ffff:a.b.c.d (ipv6_addr_set_v4mapped() in ib_addr.h). */
static bool gid_of(const char *address, uint8_t gid[16])
{
	static const uint8_t mapped[12] = { [10] = 0xff, [11] = 0xff };

	memcpy(gid, mapped, sizeof(mapped));
	return inet_pton(AF_INET, address, gid + 12) == 1 ||
	       inet_pton(AF_INET6, address, gid) == 1;
}

bool port_has_gid(const struct rdma_port *port, const char *address, bool *v2)
{
	uint8_t gid[16];
	bool found = false;
	unsigned int i;

	if (!gid_of(address, gid))
		return false;
	for (i = 0; i < port->ngids; i++) {
		if (memcmp(port->gids[i].bytes, gid, sizeof(gid)))
			continue;
		found = true;
		*v2 |= port->gids[i].v2;
	}
	return found;
}

/* Why an address has no GID, and its interface. */
static void gid_blame(struct check_run *run, const struct server_path *path)
{
	finding_text(&run->finding, "address", "%s", path->route.source);
	finding_text(&run->finding, "interface", "%s", path->route.netdev);
	if (path->netdev.rdma_lower[0])
		finding_text(&run->finding, "lower", "%s", path->netdev.rdma_lower);
	finding_reason(&run->finding, netdev_is_bridge(run, path->route.netdev) ? "bridge"
				      : path->netdev.rdma_lower[0]
					      ? "upper"
					      : container_reason(run, "lost"));
	finding_text(&run->finding, "device", "%s", path->device->name);
	finding_number(&run->finding, "device_port", path->port->number);
}

/* On the route: the source address of packets to the server. */
static int look_at_routes(struct check_run *run, bool *told)
{
	struct words without = { 0 }, with = { 0 };
	const struct server_path *first = NULL;
	const struct server_path *paths;
	unsigned int count, i;
	bool v2 = false;

	facts_paths(run, &paths, &count);
	for (i = 0; i < count; i++) {
		const struct server_path *path = &paths[i];

		if (path->rc || !path->port || path->device->kind != RDMA_ROCE ||
		    !path->route.source[0] || path->port->gids_cut)
			continue;
		if (port_has_gid(path->port, path->route.source, &v2)) {
			words_add(&with, "%s", path->route.source);
			continue;
		}
		words_add(&without, "%s on %s", path->route.source, path->route.netdev);
		first = first ? first : path;
	}
	*told = with.count || without.count;
	if (first) {
		gid_blame(run, first);
		return check_say(run, FINDING_FAIL,
				 "%s has no GID for this host's address %s",
				 first->device->name, words_text(&without));
	}
	return *told ? check_say(run, FINDING_PASS, "there is one for %s",
				 words_text(&with))
		     : 0;
}

static int gid_check_run(struct check_run *run)
{
	struct words without = { 0 };
	const struct port_at *first = NULL;
	struct port_list ports;
	char name[PORT_NAME_MAX];
	int rc = ports_wanted(run, &ports);
	unsigned int i, up = 0;
	bool told;

	rc = rc ? rc : look_at_routes(run, &told);
	if (rc || told)
		return rc;
	for (i = 0; i < ports.count; i++) {
		const struct rdma_port *port = ports.list[i].port;

		up += port_is_up(port);
		if (!port_is_up(port) || port->ngids)
			continue;
		words_add(&without, "%s", port_name(ports.list[i].device, port, name));
		first = first ? first : &ports.list[i];
	}
	if (!up)
		return err_because(err_set(ENODATA, "no port is known to be active"),
				   "port-unknown");
	if (first) {
		finding_reason(&run->finding, container_reason(run, "none"));
		port_evidence(run, first);
		return check_say(run, FINDING_FAIL, "no GID: %s", words_text(&without));
	}
	return check_say(run, FINDING_PASS, "every active port has one");
}

const struct check check_fabric_gid = {
	.id = "fabric.gid",
	.roles = CHECK_BOTH,
	.at_mount = CHECK_MOUNT_PATH,
	.needs = { "client.device", "server.device", "fabric.port" },
	.run = gid_check_run,
};
