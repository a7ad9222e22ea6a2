/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* plugin/host/managers.c: the programs that configure the network and the firewall. */
#include "tests/unit/host-tree.h"

static struct tree tree;

static void enable(const char *unit)
{
	char path[256];

	snprintf(path, sizeof(path), "usr/lib/systemd/system/%s", unit);
	tree_write(&tree, path, "[Unit]\n");
	snprintf(path, sizeof(path), "etc/systemd/system/multi-user.target.wants/%s", unit);
	tree_link(&tree, path, "/usr/lib/systemd/system/unit");
}

#define NETPLAN_DEVICE \
	"network:\n  version: 2\n  ethernets:\n    enp5s0:\n      addresses: [192.0.2.1/24]\n"
#define IFACE "auto lo\niface lo inet loopback\n\nauto ens1\niface ens1 inet dhcp\n"

static void each_manager_is_found_by_its_files(void)
{
	static const struct {
		const char *unit, *file, *text;
		unsigned int want;
	} rows[] = {
		{ NULL, NULL, NULL, 0 },
		{ "NetworkManager.service", NULL, NULL, MANAGER_NETWORKMANAGER },
		{ "wicked.service", NULL, NULL, MANAGER_WICKED },
		{ NULL, "usr/lib/systemd/system/wicked.service", "[Unit]\n", 0 },
		{ NULL, "etc/netplan/50-cloud-init.yaml", NETPLAN_DEVICE, MANAGER_NETPLAN },
		/* only names the renderer */
		{ NULL, "etc/netplan/01-network-manager-all.yaml",
		  "network:\n  version: 2\n  renderer: NetworkManager\n", 0 },
		/* a NetworkManager profile */
		{ "NetworkManager.service", "etc/netplan/90-NM-4b1d.yaml", NETPLAN_DEVICE,
		  MANAGER_NETWORKMANAGER },
		{ NULL, "etc/netplan/README", NETPLAN_DEVICE, 0 },
		{ NULL, "etc/network/interfaces", IFACE, MANAGER_IFUPDOWN },
		{ NULL, "etc/network/interfaces", "# iface ens1\niface lo inet loopback\n", 0 },
		{ NULL, "etc/network/interfaces.d/ens1", "iface ens1 inet static\n",
		  MANAGER_IFUPDOWN },
		{ "NetworkManager.service", "etc/network/interfaces", IFACE,
		  MANAGER_NETWORKMANAGER | MANAGER_IFUPDOWN },
		{ "systemd-networkd.service", "etc/systemd/network/10-ens1.network", "[Match]\n",
		  MANAGER_NETWORKD },
		{ NULL, "etc/systemd/network/10-ens1.network", "[Match]\n", 0 },
		/* netplan's backend */
		{ "systemd-networkd.service", "etc/netplan/50-cloud-init.yaml", NETPLAN_DEVICE,
		  MANAGER_NETPLAN },
		{ "systemd-networkd.service", NULL, NULL, 0 },

		{ "firewalld.service", NULL, NULL, MANAGER_FIREWALLD },
		{ "nftables.service", NULL, NULL, MANAGER_NFTABLES },
		{ "iptables.service", NULL, NULL, MANAGER_IPTABLES },
		{ "netfilter-persistent.service", NULL, NULL, MANAGER_IPTABLES },
		{ NULL, "etc/ufw/ufw.conf", "# on boot\nENABLED=yes\nLOGLEVEL=low\n", MANAGER_UFW },
		{ NULL, "etc/ufw/ufw.conf", "ENABLED=no\n", 0 },
		{ "ufw.service", "etc/ufw/ufw.conf", "#ENABLED=yes\n", 0 },
		/* whose rules the others use */
		{ "nftables.service", "etc/ufw/ufw.conf", "ENABLED=yes\n", MANAGER_UFW },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		SUITE_ROW("%s, %s: %.20s", rows[i].unit ? rows[i].unit : "no unit",
			  rows[i].file ? rows[i].file : "no file",
			  rows[i].text ? rows[i].text : "");
		tree_new(&tree);
		if (rows[i].unit)
			enable(rows[i].unit);
		if (rows[i].file)
			tree_write(&tree, rows[i].file, rows[i].text);
		CU_ASSERT_EQUAL(host_managers(tree.host), rows[i].want);
		tree_free(&tree);
	}
}

static void firewalld_takes_precedence_over_its_backend(void)
{
	tree_new(&tree);
	enable("nftables.service");
	enable("firewalld.service");
	tree_write(&tree, "etc/ufw/ufw.conf", "ENABLED=yes\n");
	CU_ASSERT_EQUAL(host_managers(tree.host), MANAGER_FIREWALLD);
	tree_free(&tree);
}

/* An unreadable file tells nothing, and the readable ones still count. */
static void hostile_files_are_absent(void)
{
	tree_new(&tree);
	enable("wicked.service");
	tree_fifo(&tree, "etc/network/interfaces");
	tree_fifo(&tree, "etc/netplan/a.yaml");
	tree_fifo(&tree, "etc/ufw/ufw.conf");
	CU_ASSERT_EQUAL(host_managers(tree.host), MANAGER_WICKED);
	tree_free(&tree);
}

SUITE_MAIN("host-managers", TEST(each_manager_is_found_by_its_files),
	   TEST(firewalld_takes_precedence_over_its_backend), TEST(hostile_files_are_absent))
