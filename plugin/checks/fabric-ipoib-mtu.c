/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The MTU of IPoIB interfaces: in datagram mode 4 bytes less than InfiniBand's own, 2044 or 4092; in
 * connected mode up to 65520. */
#include "plugin/checks/internal.h"

#define DATAGRAM_USUAL  2044
#define DATAGRAM_MAX    4092
#define CONNECTED_USUAL 65520

int check_fabric_ipoib_mtu(struct check_run *run)
{
	const struct host_netdev *first = NULL;
	const struct netdevs *netdevs;
	struct words odd = { 0 }, good = { 0 };
	const char *reason = NULL;
	int rc = facts_netdevs(run, &netdevs);
	unsigned int i;

	if (rc)
		return rc;
	for (i = 0; i < netdevs->count; i++) {
		const struct host_netdev *netdev = &netdevs->list[i];
		bool connected = !strcmp(netdev->ipoib_mode, "connected");

		if (!netdev->ipoib_mode[0])
			continue;
		if (connected && netdev->mtu <= DATAGRAM_MAX) {
			words_add(&odd, "%s has an MTU of %u in connected mode, which can have %u",
				  netdev->name, netdev->mtu, CONNECTED_USUAL);
		} else if (netdev->mtu < DATAGRAM_USUAL) {
			words_add(&odd, "%s has an MTU of %u, less than InfiniBand's smallest, %u",
				  netdev->name, netdev->mtu, DATAGRAM_USUAL);
		} else {
			words_add(&good, "%s %u", netdev->name, netdev->mtu);
			continue;
		}
		reason = first ? reason : connected ? "connected-small" : "small";
		first = first ? first : netdev;
	}
	if (first) {
		finding_text(&run->finding, "interface", "%s", first->name);
		finding_number(&run->finding, "mtu", first->mtu);
		return check_say_why(run, FINDING_WARN, reason, "%s", words_text(&odd));
	}
	if (!good.count)
		return check_say(run, FINDING_SKIP, "no IPoIB interface");
	return check_say(run, FINDING_PASS, "%s", words_text(&good));
}
