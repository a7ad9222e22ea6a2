/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Interfaces and their RDMA device: their own, or that of a bond, a VLAN or a bridge. */
#include "tests/unit/host-tree.h"

static struct tree tree;
static struct rdma_devices *devices;
static struct host_netdev netdev;

static void machine(const char *name)
{
	tree_machine(&tree, name);
	CU_ASSERT_EQUAL_FATAL(host_rdma(tree.host, &devices), 0);
}

static void done(void)
{
	free(devices);
	tree_free(&tree);
}

static void interface(const char *name, const char *lower)
{
	char path[128], link[64];

	snprintf(path, sizeof(path), "sys/class/net/%s/type", name);
	tree_write(&tree, path, "1\n");
	snprintf(path, sizeof(path), "sys/class/net/%s/mtu", name);
	tree_write(&tree, path, "1500\n");
	snprintf(path, sizeof(path), "sys/class/net/%s/ifindex", name);
	tree_write(&tree, path, "9\n");
	if (!lower)
		return;
	snprintf(path, sizeof(path), "sys/class/net/%s/lower_%s", name, lower);
	snprintf(link, sizeof(link), "../%s", lower);
	tree_link(&tree, path, link);
}

static void an_interface_is_read(void)
{
	machine("mlx5-roce-rhel9");
	CU_ASSERT_EQUAL(host_netdev(tree.host, "ens1f0np0", devices, &netdev), 0);
	CU_ASSERT_STRING_EQUAL(netdev.name, "ens1f0np0");
	CU_ASSERT_EQUAL(netdev.type, 1);
	CU_ASSERT_EQUAL(netdev.mtu, 9000);
	CU_ASSERT_EQUAL(netdev.ifindex, 2);
	CU_ASSERT_STRING_EQUAL(netdev.operstate, "up");
	CU_ASSERT_STRING_EQUAL(netdev.driver, "mlx5_core");
	CU_ASSERT_EQUAL(netdev.address_len, 6);
	CU_ASSERT_EQUAL(get_be32(netdev.address), 0x506b4baa);
	CU_ASSERT_STRING_EQUAL(netdev.rdma_device, "mlx5_0");
	CU_ASSERT_EQUAL(netdev.rdma_port, 1);
	CU_ASSERT_STRING_EQUAL(netdev.rdma_lower, "");
	CU_ASSERT_EQUAL(host_netdev(tree.host, "lo", devices, &netdev), 0);
	CU_ASSERT_STRING_EQUAL(netdev.rdma_device, "");
	CU_ASSERT_EQUAL(host_netdev(tree.host, "eth9", devices, &netdev), -ENOENT);
	CU_ASSERT_EQUAL(host_netdev(tree.host, "../../x", devices, &netdev), -ENOENT);
	CU_ASSERT_EQUAL(host_netdev(tree.host, "", devices, &netdev), -ENOENT);
	done();
}

static void ipoib_has_a_mode_and_a_partition(void)
{
	machine("mlx5-ib-rhel8");
	CU_ASSERT_EQUAL(host_netdev(tree.host, "ib0", devices, &netdev), 0);
	CU_ASSERT_EQUAL(netdev.type, 32);
	CU_ASSERT_STRING_EQUAL(netdev.ipoib_mode, "datagram");
	CU_ASSERT_EQUAL(netdev.pkey, 0xffff);
	CU_ASSERT_EQUAL(netdev.address_len, 20);
	CU_ASSERT_EQUAL(netdev.address[19], 0xe4);
	/* By the adapter: an InfiniBand port names no interface. */
	CU_ASSERT_STRING_EQUAL(netdev.rdma_device, "mlx5_0");
	CU_ASSERT_EQUAL(netdev.rdma_port, 1);
	done();
}

static void iwarp_and_software_devices_are_found(void)
{
	static const char *const rows[][3] = {
		{ "irdma-iwarp-sles15", "eth2", "irdma0" },
		{ "siw-debian12", "eth0", "siw0" },
		{ "rxe-ubuntu2204", "eth0", "rxe0" },
		{ "none-debian12", "eth0", "" },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		SUITE_ROW("%zu", i);
		machine(rows[i][0]);
		CU_ASSERT_EQUAL(host_netdev(tree.host, rows[i][1], devices, &netdev), 0);
		CU_ASSERT_STRING_EQUAL(netdev.rdma_device, rows[i][2]);
		done();
	}
}

static void stacked_interfaces_lead_to_the_device(void)
{
	machine("mlx5-roce-rhel9");
	interface("bond0", "ens1f0np0");
	interface("bond0.100", "bond0");
	interface("br0", "bond0.100");
	CU_ASSERT_EQUAL(host_netdev(tree.host, "bond0", devices, &netdev), 0);
	CU_ASSERT_STRING_EQUAL(netdev.rdma_device, "mlx5_0");
	CU_ASSERT_STRING_EQUAL(netdev.rdma_lower, "ens1f0np0");
	CU_ASSERT_EQUAL(host_netdev(tree.host, "br0", devices, &netdev), 0);
	CU_ASSERT_STRING_EQUAL(netdev.rdma_device, "mlx5_0");
	CU_ASSERT_STRING_EQUAL(netdev.rdma_lower, "ens1f0np0");
	/* A VLAN whose address is in the GID table is the device's own. */
	free(devices);
	tree_write(&tree, "sys/class/infiniband/mlx5_0/ports/1/gid_attrs/ndevs/5", "bond0.100\n");
	CU_ASSERT_EQUAL(host_rdma(tree.host, &devices), 0);
	CU_ASSERT_EQUAL(host_netdev(tree.host, "bond0.100", devices, &netdev), 0);
	CU_ASSERT_STRING_EQUAL(netdev.rdma_device, "mlx5_0");
	CU_ASSERT_STRING_EQUAL(netdev.rdma_lower, "");
	done();
}

static void circular_interfaces_end(void)
{
	uint64_t start = now_ms();
	char a[16], b[16];
	int i, j;

	machine("none-debian12");
	for (i = 0; i < 30; i++) {
		for (j = 0; j < 30; j++) {
			snprintf(a, sizeof(a), "loop%d", i);
			snprintf(b, sizeof(b), "loop%d", j);
			interface(a, b);
		}
	}
	tree_write(&tree, "sys/class/net/loop0/lower_", "");
	CU_ASSERT_EQUAL(host_netdev(tree.host, "loop0", devices, &netdev), 0);
	CU_ASSERT_STRING_EQUAL(netdev.rdma_device, "");
	ASSERT_WITHIN_MS(now_ms() - start, 20000);
	done();
}

static void invalid_values_are_errors(void)
{
	machine("none-debian12");
	interface("bad", NULL);
	tree_write(&tree, "sys/class/net/bad/mtu", "-1\n");
	CU_ASSERT_EQUAL(host_netdev(tree.host, "bad", devices, &netdev), -ERANGE);
	tree_write(&tree, "sys/class/net/bad/mtu", "1500\n");
	tree_write(&tree, "sys/class/net/bad/address", "zz:00");
	CU_ASSERT_EQUAL(host_netdev(tree.host, "bad", NULL, &netdev), 0);
	CU_ASSERT_EQUAL(netdev.address_len, 0);
	tree_write(&tree, "sys/class/net/bonding_masters", "bond0\n");
	CU_ASSERT_EQUAL(host_netdev(tree.host, "bonding_masters", NULL, &netdev), -ENOENT);
	done();
}

SUITE_MAIN("host-netdev", TEST(an_interface_is_read), TEST(ipoib_has_a_mode_and_a_partition),
	   TEST(iwarp_and_software_devices_are_found), TEST(stacked_interfaces_lead_to_the_device),
	   TIMED(circular_interfaces_end), TEST(invalid_values_are_errors))
