/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The systems of a host on which the steps of a finding depend: its distribution, and what manages
 * its network and its firewall. */
#include "plugin/checks/internal.h"
#include "plugin/report/report.h"

static const struct {
	enum host_manager manager;
	enum report_system system;
} systems_managers[] = {
	{ MANAGER_NETWORKMANAGER, SYSTEM_NETWORKMANAGER },
	{ MANAGER_NETPLAN, SYSTEM_NETPLAN },
	{ MANAGER_IFUPDOWN, SYSTEM_IFUPDOWN },
	{ MANAGER_WICKED, SYSTEM_WICKED },
	{ MANAGER_NETWORKD, SYSTEM_NETWORKD },
	{ MANAGER_FIREWALLD, SYSTEM_FIREWALLD },
	{ MANAGER_NFTABLES, SYSTEM_NFTABLES },
	{ MANAGER_IPTABLES, SYSTEM_IPTABLES },
	{ MANAGER_UFW, SYSTEM_UFW },
};

unsigned int systems_of(const struct host *host, unsigned int of)
{
	static const unsigned int distributions[] = {
		[DISTRO_OTHER] = 0,
		[DISTRO_DEBIAN] = SYSTEM_DEBIAN,
		[DISTRO_UBUNTU] = SYSTEM_UBUNTU,
		[DISTRO_RHEL] = SYSTEM_RHEL,
		[DISTRO_SUSE] = SYSTEM_SUSE,
		[DISTRO_ARCH] = SYSTEM_ARCH,
	};
	unsigned int systems = 0, found = 0;
	struct host_system system;
	size_t i;

	if (!host_system(host, &system))
		systems = distributions[system.distro];
	if (of & ~(unsigned int)SYSTEM_DISTRIBUTIONS)
		found = host_managers(host);
	for (i = 0; i < ARRAY_SIZE(systems_managers); i++)
		if (found & systems_managers[i].manager)
			systems |= systems_managers[i].system;
	return systems;
}
