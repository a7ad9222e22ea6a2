/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* InfiniBand has its IP addresses on IPoIB interfaces, by which the connection manager finds the device:
 * NFS cannot use an active port without one. With another kind of port that is active, it may not have to. */
#include "plugin/checks/internal.h"

#define ARPHRD_IPOIB 32

enum ipoib_group { IPOIB_WITH, IPOIB_WITHOUT, IPOIB_NOT_IB, IPOIB_GROUPS };

static int ipoib_judge(struct check_run *run, const struct port_at *at, struct port_group *groups)
{
	enum ipoib_group group = at->port->layer == LINK_INFINIBAND ? IPOIB_WITHOUT : IPOIB_NOT_IB;
	const struct netdevs *netdevs;
	char name[PORT_NAME_MAX];
	unsigned int i;
	int rc = facts_netdevs(run, &netdevs);

	if (rc || !port_is_up(at->port))
		return rc;
	for (i = 0; group == IPOIB_WITHOUT && i < netdevs->count; i++)
		if (netdevs->list[i].type == ARPHRD_IPOIB &&
		    port_is_of(at->device, at->port, &netdevs->list[i]))
			group = IPOIB_WITH;
	port_group_add(&groups[group], at, "%s", port_name(at->device, at->port, name));
	return 0;
}

int check_fabric_ipoib(struct check_run *run)
{
	struct port_group groups[IPOIB_GROUPS] = { 0 };
	struct port_group *without = &groups[IPOIB_WITHOUT];
	const struct netdevs *netdevs;
	struct port_list ports;
	bool loaded;
	int rc = facts_netdevs(run, &netdevs);

	if (!rc)
		rc = ports_judge(run, &ports, ipoib_judge, groups);
	if (rc)
		return rc;
	/* The second port of an adapter may be unused. */
	if (groups[IPOIB_WITH].first)
		return check_say(run, FINDING_PASS, "%s", words_text(&groups[IPOIB_WITH].words));
	if (!without->first)
		return check_say(run, FINDING_SKIP, "no InfiniBand port is active");
	loaded = !host_exists(run->host, "sys/module/ib_ipoib");
	port_evidence(run, without->first);
	return check_say_why(run, groups[IPOIB_NOT_IB].first ? FINDING_WARN : FINDING_FAIL,
			     loaded ? "missing" : "no-module",
			     "no active InfiniBand port has an IPoIB interface: %s",
			     words_text(&without->words));
}
