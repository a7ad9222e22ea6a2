/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The MTU of IPoIB interfaces: in datagram mode 4 bytes less than InfiniBand's own, 2044 or 4092; in
 * connected mode up to 65520. */
#include "plugin/checks/internal.h"

#define DATAGRAM_USUAL  2044
#define DATAGRAM_MAX    4092
#define CONNECTED_USUAL 65520

static bool ipoib_mtu_connected(const struct host_netdev *netdev)
{
	return !strcmp(netdev->ipoib_mode, "connected");
}

/* True: it is odd. */
static bool ipoib_mtu_is_odd(const struct host_netdev *netdev, struct words *odd,
			     struct words *good)
{
	if (ipoib_mtu_connected(netdev) && netdev->mtu <= DATAGRAM_MAX)
		words_add(odd,
			  "%s is in connected mode with an MTU of %u; %u is possible",
			  netdev->name, netdev->mtu, CONNECTED_USUAL);
	else if (netdev->mtu < DATAGRAM_USUAL)
		words_add(odd, "%s has an MTU of %u, less than InfiniBand's smallest, %u",
			  netdev->name, netdev->mtu, DATAGRAM_USUAL);
	else
		return words_add(good, "%s %u", netdev->name, netdev->mtu), false;
	return true;
}

static int ipoib_mtu_check_run(struct check_run *run)
{
	const struct host_netdev *first = NULL;
	const struct netdevs *netdevs;
	struct words odd = { 0 }, good = { 0 };
	int rc = facts_netdevs(run, &netdevs);
	unsigned int i;

	if (rc)
		return rc;
	for (i = 0; i < netdevs->count; i++)
		if (netdevs->list[i].ipoib_mode[0] &&
		    ipoib_mtu_is_odd(&netdevs->list[i], &odd, &good) && !first)
			first = &netdevs->list[i];
	if (first) {
		finding_reason(&run->finding,
			       ipoib_mtu_connected(first) ? "connected-small" : "small");
		finding_text(&run->finding, "interface", "%s", first->name);
		finding_number(&run->finding, "mtu", first->mtu);
		return check_say(run, FINDING_WARN, "%s", words_text(&odd));
	}
	if (!good.count)
		return check_say(run, FINDING_SKIP, "no IPoIB interface");
	return check_say(run, FINDING_PASS, "%s", words_text(&good));
}

const struct check check_fabric_ipoib_mtu = {
	.id = "fabric.ipoib-mtu",
	.roles = CHECK_BOTH,
	.needs = { "client.device", "server.device" },
	.run = ipoib_mtu_check_run,
};
