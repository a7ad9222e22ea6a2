/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Two RDMA interfaces in one IP subnet: by default Linux answers ARP for either address on both,
 * so a peer learns the wrong port for an address; and a strict rp_filter drops what arrives at
 * the other one (Documentation/networking/ip-sysctl.rst). */
#include <stdio.h>

#include "plugin/checks/internal.h"

#define SUBNETS_MAX 128

struct subnet {
	char netdev[IFNAMSIZ];
	uint32_t address, mask;
};

/* "ens1f0np0 000200C0 00000000 0001 0 0 100 00FFFFFF 0 0 0": a route without a gateway, to more than a host. */
static bool one_subnet_parse(const char *line, struct subnet *out)
{
	unsigned int address, gateway, flags, mask;
	char netdev[IFNAMSIZ];

	if (sscanf(line, "%15s %x %x %x %*d %*u %*d %x", netdev, &address, &gateway, &flags,
		   &mask) != 5 ||
	    gateway || !mask || mask == UINT32_MAX)
		return false;
	memcpy(out->netdev, netdev, sizeof(netdev));
	out->address = address;
	out->mask = mask;
	return true;
}

static const struct host_netdev *one_subnet_netdev(const struct netdevs *netdevs, const char *name)
{
	unsigned int i;

	for (i = 0; i < netdevs->count; i++)
		if (netdevs->list[i].rdma_device[0] && !strcmp(netdevs->list[i].name, name))
			return &netdevs->list[i];
	return NULL;
}

/* The first two interfaces of different ports. */
static bool one_subnet_find_pair(const struct netdevs *netdevs, char *text,
				 const struct host_netdev *pair[2])
{
	struct subnet list[SUBNETS_MAX];
	unsigned int n = 0, i;
	char *line;

	while (n < SUBNETS_MAX && (line = line_next(&text))) {
		if (!one_subnet_parse(line, &list[n]))
			continue;
		pair[1] = one_subnet_netdev(netdevs, list[n].netdev);
		for (i = 0; pair[1] && i < n; i++) {
			pair[0] = one_subnet_netdev(netdevs, list[i].netdev);
			if (list[i].address == list[n].address && list[i].mask == list[n].mask &&
			    (strcmp(pair[0]->rdma_device, pair[1]->rdma_device) ||
			     pair[0]->rdma_port != pair[1]->rdma_port))
				return true;
		}
		n += pair[1] != NULL;
	}
	return false;
}

/* The kernel uses the larger of the values of the interface and of all.
 * Errors: of reading. */
static int one_subnet_setting(struct check_run *run, const char *netdev, const char *name,
			      int64_t *out)
{
	int64_t all = 0, own = 0;
	char path[96];
	int rc;

	snprintf(path, sizeof(path), "proc/sys/net/ipv4/conf/all/%s", name);
	rc = host_attr_number(run->host, path, &all);
	snprintf(path, sizeof(path), "proc/sys/net/ipv4/conf/%.15s/%s", netdev, name);
	if (!rc)
		rc = host_attr_number(run->host, path, &own);
	*out = all > own ? all : own;
	return rc;
}

int check_fabric_one_subnet(struct check_run *run)
{
	_cleanup_(host_text_fini) struct host_text text = { NULL, 0 };
	const struct host_netdev *pair[2];
	int64_t ignore, announce, filter;
	const struct netdevs *netdevs;
	unsigned int i;
	int rc = facts_netdevs(run, &netdevs);

	if (!rc)
		rc = host_read(run->host, "proc/net/route", HOST_FILE_MAX, &text);
	if (rc && rc != -ENOENT)
		return rc;
	if (rc || !one_subnet_find_pair(netdevs, text.text, pair))
		return check_say(run, FINDING_SKIP, "no two RDMA interfaces are in one subnet");
	finding_text(&run->finding, "interface", "%s", pair[0]->name);
	finding_text(&run->finding, "other_interface", "%s", pair[1]->name);
	for (i = 0; i < 2; i++) {
		rc = one_subnet_setting(run, pair[i]->name, "arp_ignore", &ignore);
		rc = rc ? rc : one_subnet_setting(run, pair[i]->name, "arp_announce", &announce);
		rc = rc ? rc : one_subnet_setting(run, pair[i]->name, "rp_filter", &filter);
		if (rc)
			return rc;
		if (!ignore || !announce)
			return check_say_why(
				run, FINDING_WARN, "arp",
				"%s and %s are in one subnet, and each answers ARP for both",
				pair[0]->name, pair[1]->name);
		if (filter == 1)
			return check_say_why(run, FINDING_WARN, "rp-filter",
					     "%s and %s are in one subnet, with a strict rp_filter",
					     pair[0]->name, pair[1]->name);
	}
	return check_say(run, FINDING_PASS,
			 "%s and %s are in one subnet, and answer ARP for themselves",
			 pair[0]->name, pair[1]->name);
}
