/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Whether a port has the GID that connections come from. RoCE makes one for each IP address of
 * the interface; the connection manager finds a device by it. InfiniBand and iWARP have one of
 * their own. */
#include <arpa/inet.h>

#include "plugin/checks/internal.h"

static const uint8_t gid_ipv4[12] = { [10] = 0xff, [11] = 0xff };

/* An IPv4 address is ::ffff:a.b.c.d (ipv6_addr_set_v4mapped() in ib_addr.h). */
static bool gid_from_address(const char *address, uint8_t gid[16])
{
	memcpy(gid, gid_ipv4, sizeof(gid_ipv4));
	return inet_pton(AF_INET, address, gid + sizeof(gid_ipv4)) == 1 ||
	       inet_pton(AF_INET6, address, gid) == 1;
}

bool gid_is_ipv4(const struct rdma_gid *gid)
{
	return !memcmp(gid->bytes, gid_ipv4, sizeof(gid_ipv4));
}

bool port_has_gid(const struct rdma_port *port, const char *address, bool *v2)
{
	uint8_t gid[16];
	bool found = false;
	unsigned int i;

	if (!gid_from_address(address, gid))
		return false;
	for (i = 0; i < port->ngids; i++) {
		if (memcmp(port->gids[i].bytes, gid, sizeof(gid)))
			continue;
		found = true;
		*v2 |= port->gids[i].v2;
	}
	return found;
}

/* On the route: the source address of packets to the server. @known: the finding is complete. */
static int gid_judge_routes(struct check_run *run, bool *known)
{
	struct words without = { 0 }, with = { 0 };
	const struct server_path *first = NULL, *paths;
	struct finding *finding = &run->finding;
	const char *lower, *netdev;
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
	*known = with.count || without.count;
	if (!*known)
		return 0;
	if (!first)
		return check_say(run, FINDING_PASS, "there is one for %s", words_text(&with));
	lower = first->netdev.rdma_lower;
	netdev = first->route.netdev;
	finding_text(finding, "address", "%s", first->route.source);
	finding_text(finding, "interface", "%s", netdev);
	if (*lower)
		finding_text(finding, "lower", "%s", lower);
	finding_reason(finding, netdev_is_bridge(run, netdev) ? "bridge"
				: *lower                      ? "upper"
							      : container_reason(run, "lost"));
	finding_text(finding, "device", "%s", first->device->name);
	finding_number(finding, "device_port", first->port->number);
	return check_say(run, FINDING_FAIL, "%s has no GID for this host's address %s",
			 first->device->name, words_text(&without));
}

enum gid_group { GID_WITH, GID_WITHOUT, GID_GROUPS };

static int gid_judge(struct check_run *run, const struct port_at *at, struct port_group *groups)
{
	char name[PORT_NAME_MAX];

	(void)run;
	if (port_is_up(at->port) && !at->port->ngids && at->device->problem[0])
		return err_set(ENODATA, "%s", at->device->problem);
	if (port_is_up(at->port))
		port_group_add(&groups[at->port->ngids ? GID_WITH : GID_WITHOUT], at, "%s",
			       port_name(at->device, at->port, name));
	return 0;
}

int check_fabric_gid(struct check_run *run)
{
	struct port_group groups[GID_GROUPS] = { 0 };
	struct port_group *without = &groups[GID_WITHOUT];
	struct port_list ports;
	bool known = false;
	int rc = ports_judge(run, &ports, gid_judge, groups);

	if (!rc)
		rc = gid_judge_routes(run, &known);
	if (rc || known)
		return rc;
	if (!groups[GID_WITH].first && !without->first)
		return err_because(err_set(ENODATA, "no port is known to be active"),
				   "port-unknown");
	if (without->first) {
		finding_reason(&run->finding, container_reason(run, "none"));
		port_evidence(run, without->first);
		return check_say(run, FINDING_FAIL, "no GID: %s", words_text(&without->words));
	}
	return check_say(run, FINDING_PASS, "every active port has one");
}
