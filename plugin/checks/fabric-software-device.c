/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* rxe and siw are RDMA in software, for testing: they work, and are no faster than TCP. The kernel forgets
 * them at a reboot, and mounts fail then, or hang. */
#include "plugin/checks/internal.h"

/* The first software port that NFS over RDMA has to use here: that on the route to the server, or where
 * none is known one of a host that has no adapter. False: there is none. */
static bool find_used(struct check_run *run, struct port_at *out)
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

/* What sets it up is for this host only: a container sees the devices of its host, whose interfaces are not
 * its own. */
static bool is_own(struct check_run *run, const char *interface)
{
	struct host_netdev netdev;

	return *interface && !host_netdev(run->host, interface, NULL, &netdev);
}

/* True: nothing makes it again. Where that is not known it is not said. */
static bool is_lost_at_reboot(struct check_run *run, const struct port_at *at)
{
	char file[128];

	return is_own(run, port_interface(run, at)) &&
	       !host_software_links(run->host, file, sizeof(file)) && !*file;
}

static int warn(struct check_run *run, const struct port_at *at)
{
	bool server = run->target->roles == CHECK_SERVER;

	port_evidence(run, at);
	finding_text(&run->finding, "type", "%s",
		     strcmp(at->device->driver, "siw") ? "rxe" : "siw");
	finding_text(&run->finding, "role", "%s", server ? "server" : "client");
	finding_reason(&run->finding, "not-persistent");
	return check_say(
		run, FINDING_WARN,
		"%s (%s) does not survive a reboot: nothing on this host adds it again",
		at->device->name, at->device->driver);
}

static int software_device_check_run(struct check_run *run)
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
			words_add(&software, "%s (%s)", rdma->list[i].name,
				  rdma->list[i].driver);
	if (!software.count)
		return check_say(run, FINDING_SKIP, "all devices are adapters");
	if (find_used(run, &used) && is_lost_at_reboot(run, &used))
		return warn(run, &used);
	check_note(run);
	return check_say(run, FINDING_PASS,
			 "for testing: %s, RDMA in software, no faster than TCP",
			 words_text(&software));
}

const struct check check_fabric_software_device = {
	.id = "fabric.software-device",
	.roles = CHECK_BOTH,
	.needs = { "client.device", "server.device" },
	.run = software_device_check_run,
};
