/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* IPoIB carries the addresses by which RDMA connections are made, and TCP; NFS over RDMA itself
 * does not use it. So both of its modes work, and the check only reports them. */
#include "plugin/checks/internal.h"

int check_fabric_ipoib_mode(struct check_run *run)
{
	const struct netdevs *netdevs;
	struct words words = { 0 };
	bool enhanced = false;
	int rc = facts_netdevs(run, &netdevs);
	unsigned int i;

	if (rc)
		return rc;
	for (i = 0; i < netdevs->count; i++) {
		const struct host_netdev *netdev = &netdevs->list[i];

		if (!netdev->ipoib_mode[0])
			continue;
		/* ConnectX-4 and later have IPoIB in hardware, in datagram mode only. */
		enhanced |= !strcmp(netdev->driver, "mlx5_core");
		words_add(&words, "%s %s", netdev->name, netdev->ipoib_mode);
	}
	if (!words.count)
		return check_say(run, FINDING_SKIP, "no IPoIB interface");
	return check_say(run, FINDING_PASS, "%s%s", words_text(&words),
			 enhanced ? ", the only mode of ConnectX-4 and later" : "");
}
