/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* rxe and siw are RDMA in software, for testing: they work, and are no faster than TCP. The kernel forgets
 * them at a reboot, and mounts fail then, or hang. */
#include "plugin/checks/internal.h"

/* The first software port that NFS over RDMA has to use here: that on the route to the server, or where
 * none is known one of a host that has no adapter. False: there is none. */
static bool software_device_used(struct check_run *run, struct port_at *out)
{
	struct port_list ports;
	unsigned int i;

	if (ports_wanted(run, &ports) || !ports.count)
		return false;
	for (i = 0; i < ports.count; i++)
		if (!ports.list[i].device->software)
			return false;
	*out = ports.list[0];
	return true;
}

/* True: nothing makes it again. Where that is not known it is not said. */
static bool software_device_is_lost(struct check_run *run, const struct port_at *at)
{
	const char *interface = port_interface(run, at);
	struct host_netdev netdev;
	char file[128];

	/* What sets it up is for this host only: a container sees the devices of its host, whose
	 * interfaces are not its own. */
	if (!*interface || host_netdev(run->host, interface, NULL, &netdev))
		return false;
	return !host_software_links(run->host, file, sizeof(file)) && !*file;
}

int check_fabric_software_device(struct check_run *run)
{
	const struct rdma_devices *rdma;
	struct words software = { 0 };
	struct port_at used;
	int rc = facts_rdma(run, &rdma);
	unsigned int i;

	if (rc)
		return rc;
	for (i = 0; i < rdma->count; i++)
		if (rdma->list[i].software)
			words_add(&software, "%s (%s)", rdma->list[i].name, rdma->list[i].driver);
	if (!software.count)
		return check_say(run, FINDING_SKIP, "all devices are adapters");
	if (!software_device_used(run, &used) || !software_device_is_lost(run, &used)) {
		check_note(run);
		return check_say(run, FINDING_PASS,
				 "for testing: %s, RDMA in software, no faster than TCP",
				 words_text(&software));
	}
	port_evidence(run, &used);
	finding_text(&run->finding, "type", "%s",
		     strcmp(used.device->driver, "siw") ? "rxe" : "siw");
	finding_text(&run->finding, "role", "%s",
		     run->target->roles == CHECK_SERVER ? "server" : "client");
	return check_say_why(
		run, FINDING_WARN, "not-persistent",
		"%s (%s) does not survive a reboot: nothing on this host adds it again",
		used.device->name, used.device->driver);
}
