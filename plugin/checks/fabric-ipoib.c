/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* InfiniBand has its IP addresses on IPoIB interfaces, by which the connection manager finds the device:
 * NFS cannot use an active port without one. With another kind of port that is active, it may not have to. */
#include "plugin/checks/internal.h"

#define ARPHRD_IPOIB 32

static bool ipoib_is_of(const struct netdevs *netdevs, const struct port_at *at)
{
	unsigned int i;

	for (i = 0; i < netdevs->count; i++)
		if (netdevs->list[i].type == ARPHRD_IPOIB &&
		    !strcmp(netdevs->list[i].rdma_device, at->device->name) &&
		    netdevs->list[i].rdma_port == at->port->number)
			return true;
	return false;
}

static int ipoib_say(struct check_run *run, const struct port_at *without,
		     struct words *names, bool others)
{
	bool loaded = !host_exists(run->host, "sys/module/ib_ipoib");

	port_evidence(run, without);
	return check_say_why(run, others ? FINDING_WARN : FINDING_FAIL,
			     loaded ? "missing" : "no-module",
			     "no active InfiniBand port has an IPoIB interface: %s",
			     words_text(names));
}

static int ipoib_check_run(struct check_run *run)
{
	struct words with = { 0 }, without = { 0 };
	const struct port_at *first = NULL;
	const struct netdevs *netdevs;
	struct port_list ports;
	char name[PORT_NAME_MAX];
	bool others = false;
	int rc = ports_wanted(run, &ports);
	unsigned int i;

	rc = rc ? rc : facts_netdevs(run, &netdevs);
	if (rc)
		return rc;
	for (i = 0; i < ports.count; i++) {
		const struct port_at *at = &ports.list[i];

		if (!port_is_up(at->port))
			continue;
		if (at->port->layer != LINK_INFINIBAND) {
			others = true;
			continue;
		}
		port_name(at->device, at->port, name);
		words_add(ipoib_is_of(netdevs, at) ? &with : &without, "%s", name);
		if (!ipoib_is_of(netdevs, at) && !first)
			first = at;
	}
	/* The second port of an adapter may be unused. */
	if (with.count)
		return check_say(run, FINDING_PASS, "%s", words_text(&with));
	if (first)
		return ipoib_say(run, first, &without, others);
	return check_say(run, FINDING_SKIP, "no InfiniBand port is active");
}

const struct check check_fabric_ipoib = {
	.id = "fabric.ipoib",
	.roles = CHECK_BOTH,
	.needs = { "client.device", "server.device", "fabric.port" },
	.run = ipoib_check_run,
};
