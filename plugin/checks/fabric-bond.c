/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Bonds of RoCE ports. The driver of an adapter makes one device of two ports in a bond (RoCE LAG). Without
 * that each port stays a device of its own: a connection uses one device, and what the switch sends to the other
 * port is lost. A bond of IPoIB interfaces has none of this: the connection manager follows its active one. */
#include <stdio.h>

#include "plugin/checks/internal.h"

#define SLAVES_MAX 8

struct bond {
	const char *name;
	char mode[32]; /* "802.3ad" */
	unsigned int count;
	const struct host_netdev *slaves[SLAVES_MAX]; /* those with a RoCE device */
};

/* False: it is not a bond. */
static bool bond_read(struct check_run *run, const struct rdma_devices *rdma,
		      const struct netdevs *netdevs, const char *name, struct bond *out)
{
	const struct rdma_device *device;
	char path[64];
	unsigned int i;

	*out = (struct bond){ .name = name };
	snprintf(path, sizeof(path), "sys/class/net/%.15s/bonding/mode", name);
	if (host_attr(run->host, path, out->mode, sizeof(out->mode)))
		return false;
	out->mode[strcspn(out->mode, " ")] = '\0';
	for (i = 0; i < netdevs->count && out->count < SLAVES_MAX; i++) {
		const struct host_netdev *netdev = &netdevs->list[i];

		device = rdma_device_find(rdma, netdev->rdma_device);
		if (device && device->kind == RDMA_ROCE && !device->software &&
		    !strcmp(netdev->master, name) && !netdev->rdma_lower[0])
			out->slaves[out->count++] = netdev;
	}
	return true;
}

/* "0000:3b:00.1" without the function. */
static bool bond_same_adapter(const struct rdma_device *a, const struct rdma_device *b)
{
	size_t len = strcspn(a->pci_address, ".");

	return len && !strncmp(a->pci_address, b->pci_address, len + 1);
}

/* True: the finding is complete. */
static bool bond_judge(struct check_run *run, const struct rdma_devices *rdma,
		       const struct bond *bond)
{
	const struct rdma_device *first, *other;
	unsigned int i;
	bool same;

	for (i = 1; i < bond->count; i++) {
		first = rdma_device_find(rdma, bond->slaves[0]->rdma_device);
		other = rdma_device_find(rdma, bond->slaves[i]->rdma_device);
		if (first == other)
			continue;
		same = bond_same_adapter(first, other);
		finding_text(&run->finding, "interface", "%s", bond->name);
		finding_text(&run->finding, "mode", "%s", bond->mode);
		finding_text(&run->finding, "device", "%s", first->name);
		finding_text(&run->finding, "other_device", "%s", other->name);
		check_say_why(run, FINDING_WARN, same ? "no-lag" : "two-adapters",
			      "%s (%s) bonds %s and %s, two RDMA devices", bond->name, bond->mode,
			      first->name, other->name);
		return true;
	}
	return false;
}

int check_fabric_bond(struct check_run *run)
{
	const struct rdma_devices *rdma;
	const struct netdevs *netdevs;
	struct words good = { 0 };
	struct bond bond;
	int rc = facts_rdma(run, &rdma);
	unsigned int i;

	if (!rc)
		rc = facts_netdevs(run, &netdevs);
	if (rc)
		return rc;
	for (i = 0; i < netdevs->count; i++) {
		const struct rdma_device *device = rdma_device_find(rdma,
								    netdevs->list[i].rdma_device);

		if (!device || device->kind != RDMA_ROCE ||
		    !bond_read(run, rdma, netdevs, netdevs->list[i].name, &bond))
			continue;
		if (bond_judge(run, rdma, &bond))
			return 0;
		words_add(&good, "%s (%s) by %s", bond.name, bond.mode,
			  netdevs->list[i].rdma_device);
	}
	if (!good.count)
		return check_say(run, FINDING_SKIP, "no bond has a RoCE device");
	return check_say(run, FINDING_PASS, "%s", words_text(&good));
}
