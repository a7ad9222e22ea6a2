/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The partition of IPoIB interfaces: the subnet manager gives each port a table of partition
 * keys, and an interface works only with a key from it. Limited members (without the highest
 * bit) do not reach each other. */
#include "plugin/checks/internal.h"

#define FULL_MEMBER 0x8000

/* The key as the port's table has it; 0: not at all. */
static uint16_t pkey_in_table(const struct rdma_port *port, uint16_t key)
{
	unsigned int i;

	for (i = 0; i < port->npkeys; i++)
		if ((port->pkeys[i] & ~FULL_MEMBER) == (key & ~FULL_MEMBER))
			return port->pkeys[i];
	return 0;
}

struct pkey_tally {
	struct words absent, limited, good;
	const struct host_netdev *first_absent, *first_limited;
};

static void pkey_count(const struct rdma_port *port, const struct host_netdev *netdev,
		       struct pkey_tally *tally)
{
	uint16_t key = pkey_in_table(port, netdev->pkey);

	if (!key) {
		words_add(&tally->absent, "%s has 0x%04x", netdev->name, netdev->pkey);
		tally->first_absent = tally->first_absent ? tally->first_absent : netdev;
	} else if (!(key & FULL_MEMBER)) {
		words_add(&tally->limited, "%s in 0x%04x", netdev->name,
			  netdev->pkey & ~FULL_MEMBER);
		tally->first_limited = tally->first_limited ? tally->first_limited : netdev;
	} else {
		words_add(&tally->good, "%s 0x%04x", netdev->name, netdev->pkey);
	}
}

static void pkey_blame(struct check_run *run, const char *reason, const struct host_netdev *netdev)
{
	finding_reason(&run->finding, reason);
	finding_text(&run->finding, "interface", "%s", netdev->name);
	finding_text(&run->finding, "device", "%s", netdev->rdma_device);
	finding_number(&run->finding, "device_port", netdev->rdma_port);
	/* As partitions.conf names it, without the membership bit. */
	finding_text(&run->finding, "pkey", "0x%04x", netdev->pkey & ~FULL_MEMBER);
}

int check_fabric_pkey(struct check_run *run)
{
	const struct rdma_devices *rdma;
	const struct netdevs *netdevs;
	const struct rdma_port *port;
	struct pkey_tally found = { .first_absent = NULL };
	int rc = facts_rdma(run, &rdma);
	unsigned int i;

	if (!rc)
		rc = facts_netdevs(run, &netdevs);
	if (rc)
		return rc;
	for (i = 0; i < netdevs->count; i++) {
		const struct host_netdev *netdev = &netdevs->list[i];

		port = rdma_port_find(rdma_device_find(rdma, netdev->rdma_device),
				      netdev->rdma_port);
		/* The table is empty until the port is active. */
		if (netdev->pkey && port && port_is_up(port) && port->npkeys)
			pkey_count(port, netdev, &found);
	}
	/* An additional interface that is unused, if another one is good. */
	if (found.first_absent) {
		pkey_blame(run, "absent", found.first_absent);
		return check_say(run, found.good.count ? FINDING_WARN : FINDING_FAIL,
				 "the port is not in the partition: %s", words_text(&found.absent));
	}
	if (found.first_limited) {
		pkey_blame(run, "limited", found.first_limited);
		return check_say(run, FINDING_WARN, "limited membership: %s",
				 words_text(&found.limited));
	}
	if (!found.good.count)
		return check_say(run, FINDING_SKIP, "no IPoIB interface is in use");
	return check_say(run, FINDING_PASS, "%s", words_text(&found.good));
}
