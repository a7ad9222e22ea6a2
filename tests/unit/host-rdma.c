/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* RDMA devices of recorded machines; adapters without RDMA; malformed sysfs. */
#include "tests/unit/host-tree.h"

static struct tree tree;
static struct rdma_devices *devices;

static const struct rdma_device *only_device(const char *machine)
{
	tree_machine(&tree, machine);
	CU_ASSERT_EQUAL_FATAL(host_rdma(tree.host, &devices), 0);
	CU_ASSERT_EQUAL_FATAL(devices->count, 1);
	CU_ASSERT_EQUAL(devices->list[0].nports, 1);
	CU_ASSERT_STRING_EQUAL(devices->list[0].problem, "");
	CU_ASSERT_FALSE(devices->cut);
	CU_ASSERT_TRUE(devices->netns_shared);
	return &devices->list[0];
}

static void done(void)
{
	free(devices);
	tree_free(&tree);
}

static void an_ethernet_adapter_is_roce(void)
{
	const struct rdma_device *device = only_device("mlx5-roce-rhel9");
	const struct rdma_port *port = &device->ports[0];

	CU_ASSERT_STRING_EQUAL(device->name, "mlx5_0");
	CU_ASSERT_STRING_EQUAL(device->driver, "mlx5_core");
	CU_ASSERT_EQUAL(device->kind, RDMA_ROCE);
	CU_ASSERT_FALSE(device->software);
	CU_ASSERT_STRING_EQUAL(device->node_guid, "506b:4b03:00aa:bbc0");
	CU_ASSERT_STRING_EQUAL(device->fw_version, "16.35.3006");
	CU_ASSERT_STRING_EQUAL(device->board, "MT_0000000012");
	CU_ASSERT_STRING_EQUAL(device->pci_address, "0000:3b:00.0");
	CU_ASSERT_EQUAL(device->pci_vendor, 0x15b3);
	CU_ASSERT_EQUAL(device->pci_device, 0x1017);
	CU_ASSERT_EQUAL(port->number, 1);
	CU_ASSERT_EQUAL(port->layer, LINK_ETHERNET);
	CU_ASSERT_EQUAL(port->state, 4);
	CU_ASSERT_EQUAL(port->phys_state, 5);
	CU_ASSERT_STRING_EQUAL(port->rate, "100 Gb/sec (4X EDR)");
	CU_ASSERT_STRING_EQUAL(port->netdev, "ens1f0np0");
	/* The seventh is empty. */
	CU_ASSERT_EQUAL(port->ngids, 6);
	CU_ASSERT_FALSE(port->gids[2].v2);
	CU_ASSERT_TRUE(port->gids[3].v2);
	CU_ASSERT_EQUAL(port->gids[3].index, 3);
	CU_ASSERT_EQUAL(get_be32(port->gids[3].bytes + 12), 0xc000020a);
	CU_ASSERT_STRING_EQUAL(port->default_roce_mode, "");
	tree_write(&tree, "sys/kernel/config/rdma_cm/mlx5_0/ports/1/default_roce_mode",
		   "IB/RoCE v1\n");
	tree_write(&tree, "sys/module/ib_core/parameters/netns_mode", "N\n");
	free(devices);
	CU_ASSERT_EQUAL(host_rdma(tree.host, &devices), 0);
	CU_ASSERT_STRING_EQUAL(devices->list[0].ports[0].default_roce_mode, "IB/RoCE v1");
	CU_ASSERT_FALSE(devices->netns_shared);
	done();
}

static void an_infiniband_adapter_has_lids_and_partitions(void)
{
	const struct rdma_device *device = only_device("mlx5-ib-rhel8");
	const struct rdma_port *port = &device->ports[0];

	CU_ASSERT_EQUAL(device->kind, RDMA_INFINIBAND);
	CU_ASSERT_EQUAL(port->layer, LINK_INFINIBAND);
	CU_ASSERT_EQUAL(port->lid, 7);
	CU_ASSERT_EQUAL(port->sm_lid, 1);
	CU_ASSERT_EQUAL(port->npkeys, 1);
	CU_ASSERT_EQUAL(port->pkeys[0], 0xffff);
	CU_ASSERT_STRING_EQUAL(port->netdev, "");
	done();
}

static void an_iwarp_adapter_is_not_software(void)
{
	const struct rdma_device *device = only_device("irdma-iwarp-sles15");

	CU_ASSERT_EQUAL(device->kind, RDMA_IWARP);
	CU_ASSERT_FALSE(device->software);
	CU_ASSERT_STRING_EQUAL(device->driver, "ice");
	/* Its GID is the interface's address. */
	CU_ASSERT_STRING_EQUAL(device->ports[0].netdev, "eth2");
	done();
}

static void siw_and_rxe_are_software(void)
{
	const struct rdma_device *device = only_device("siw-debian12");

	CU_ASSERT_EQUAL(device->kind, RDMA_IWARP);
	CU_ASSERT_TRUE(device->software);
	CU_ASSERT_STRING_EQUAL(device->driver, "siw");
	CU_ASSERT_STRING_EQUAL(device->ports[0].netdev, "eth0");
	done();
	device = only_device("rxe-ubuntu2204");
	CU_ASSERT_EQUAL(device->kind, RDMA_ROCE);
	CU_ASSERT_TRUE(device->software);
	CU_ASSERT_STRING_EQUAL(device->driver, "rdma_rxe");
	CU_ASSERT_STRING_EQUAL(device->ports[0].netdev, "eth0");
	done();
}

static void software_with_a_network_card_as_parent_is_still_software(void)
{
	const struct rdma_device *device = only_device("siw-debian12");

	free(devices);
	tree_link(&tree, "sys/devices/virtual/infiniband/siw0/device",
		  "../../../pci0000:00/0000:00:03.0");
	CU_ASSERT_EQUAL(host_rdma(tree.host, &devices), 0);
	device = &devices->list[0];
	CU_ASSERT_TRUE(device->software);
	CU_ASSERT_STRING_EQUAL(device->driver, "siw");
	done();
}

static void a_machine_without_rdma_has_no_device(void)
{
	tree_machine(&tree, "none-debian12");
	CU_ASSERT_EQUAL(host_rdma(tree.host, &devices), 0);
	CU_ASSERT_EQUAL(devices->count, 0);
	done();
}

static void an_unreadable_attribute_is_a_problem_of_the_device(void)
{
	const struct rdma_device *device = only_device("mlx5-roce-rhel9");

	free(devices);
	tree_fifo(&tree, "sys/class/infiniband/mlx5_0/ports/1/state");
	tree_write(&tree, "sys/class/infiniband/mlx5_0/ports/1/gids/2", "zzzz\n");
	tree_write(&tree, "sys/class/infiniband/mlx5_0/ports/1/gids/x", "1:2\n");
	tree_mkdir(&tree, "sys/class/infiniband/mlx5_0/ports/nine");
	CU_ASSERT_EQUAL(host_rdma(tree.host, &devices), 0);
	device = &devices->list[0];
	ASSERT_CONTAINS(device->problem, "state is not a regular file");
	CU_ASSERT_EQUAL(device->ports[0].state, 0);
	CU_ASSERT_EQUAL(device->ports[0].ngids, 5);
	CU_ASSERT_EQUAL(device->nports, 1);
	done();
}

static void sizes_are_bounded(void)
{
	char path[128];
	int i;

	tree_new(&tree);
	for (i = 0; i < 40; i++) {
		snprintf(path, sizeof(path), "sys/class/infiniband/mlx5_%d/ports/%d/state",
			 i ? i : 1, i + 1);
		tree_write(&tree, path, "4: ACTIVE\n");
		snprintf(path, sizeof(path), "sys/class/infiniband/mlx5_1/ports/1/gids/%d", i);
	}
	for (i = 0; i < 70; i++) {
		snprintf(path, sizeof(path), "sys/class/infiniband/mlx5_1/ports/1/gids/%d", i);
		tree_write(&tree, path, "fe80:0000:0000:0000:0000:0000:0000:0001\n");
	}
	for (i = 3; i < 9; i++) {
		snprintf(path, sizeof(path), "sys/class/infiniband/mlx5_1/ports/%d/state", i);
		tree_write(&tree, path, "4: ACTIVE\n");
	}
	CU_ASSERT_EQUAL(host_rdma(tree.host, &devices), 0);
	CU_ASSERT_EQUAL(devices->count, RDMA_DEVICES_MAX);
	CU_ASSERT_TRUE(devices->cut);
	CU_ASSERT_EQUAL(devices->list[0].nports, RDMA_PORTS_MAX);
	CU_ASSERT_TRUE(devices->list[0].ports_cut);
	CU_ASSERT_EQUAL(devices->list[0].ports[0].ngids, RDMA_GIDS_MAX);
	CU_ASSERT_TRUE(devices->list[0].ports[0].gids_cut);
	done();
}

static void put_gid(int index, const char *text)
{
	char path[96];

	snprintf(path, sizeof(path), "sys/class/infiniband/rxe0/ports/1/gids/%d", index);
	tree_write(&tree, path, text);
}

/* rxe's table has 1024 places. */
static void a_long_empty_table_is_not_read_completely(void)
{
	static const char gid[] = "fe80:0000:0000:0000:0000:0000:0000:0001\n";
	const struct rdma_port *port;
	int i;

	tree_new(&tree);
	tree_write(&tree, "sys/class/infiniband/rxe0/ports/1/state", "4: ACTIVE\n");
	for (i = 0; i < 600; i++)
		put_gid(i, "0000:0000:0000:0000:0000:0000:0000:0000\n");
	put_gid(0, gid);
	put_gid(200, gid);
	put_gid(457, gid);
	CU_ASSERT_EQUAL(host_rdma(tree.host, &devices), 0);
	port = &devices->list[0].ports[0];
	CU_ASSERT_EQUAL(port->ngids, 2);
	CU_ASSERT_EQUAL(port->gids[1].index, 200);
	CU_ASSERT_FALSE(port->gids_cut);
	done();
}

static void pci(const char *address, const char *vendor, const char *device, const char *driver)
{
	char path[128], link[128];

	snprintf(path, sizeof(path), "sys/bus/pci/devices/%s/vendor", address);
	tree_write(&tree, path, vendor);
	snprintf(path, sizeof(path), "sys/bus/pci/devices/%s/device", address);
	tree_write(&tree, path, device);
	if (!driver)
		return;
	snprintf(path, sizeof(path), "sys/bus/pci/devices/%s/driver", address);
	snprintf(link, sizeof(link), "../../../bus/pci/drivers/%s", driver);
	tree_link(&tree, path, link);
}

static void an_adapter_without_its_rdma_driver_is_named(void)
{
	char names[8][96];

	tree_new(&tree);
	pci("0000:01:00.0", "0x15b3\n", "0x1017\n", "mlx5_core");
	pci("0000:02:00.0", "0x8086\n", "0x1592\n", "ice");
	pci("0000:03:00.0", "0x14e4\n", "0x16d8\n", "bnxt_en");
	/* One with its driver, one passed to a guest, one without RDMA, one with no driver. */
	pci("0000:04:00.0", "0x15b3\n", "0x1017\n", "mlx5_core");
	tree_write(&tree, "sys/bus/pci/devices/0000:04:00.0/infiniband/mlx5_1/x", "");
	pci("0000:05:00.0", "0x15b3\n", "0x1018\n", "vfio-pci");
	pci("0000:06:00.0", "0x8086\n", "0x1572\n", "i40e");
	pci("0000:07:00.0", "0x15b3\n", "0x1003\n", NULL);
	pci("0000:08:00.0", "0x14e4\n", "0x1657\n", NULL);
	/* The last of a row's devices, and the first after it. */
	pci("0000:09:00.0", "0x1d0f\n", "0xefa3\n", NULL);
	pci("0000:0a:00.0", "0x1d0f\n", "0xefa4\n", NULL);
	CU_ASSERT_EQUAL_FATAL(host_rdma_missing(tree.host, names, 8), 5);
	CU_ASSERT_STRING_EQUAL(names[0], "mlx5_ib for 0000:01:00.0");
	CU_ASSERT_STRING_EQUAL(names[1], "irdma for 0000:02:00.0");
	CU_ASSERT_STRING_EQUAL(names[2], "bnxt_re for 0000:03:00.0");
	CU_ASSERT_STRING_EQUAL(names[3], "mlx4_core for 0000:07:00.0");
	CU_ASSERT_STRING_EQUAL(names[4], "efa for 0000:09:00.0");
	CU_ASSERT_EQUAL(host_rdma_missing(tree.host, names, 2), 2);
	tree_free(&tree);
	tree_new(&tree);
	CU_ASSERT_EQUAL(host_rdma_missing(tree.host, names, 8), 0);
	tree_free(&tree);
}

SUITE_MAIN("host-rdma", TEST(an_ethernet_adapter_is_roce),
	   TEST(an_infiniband_adapter_has_lids_and_partitions),
	   TEST(an_iwarp_adapter_is_not_software), TEST(siw_and_rxe_are_software),
	   TEST(software_with_a_network_card_as_parent_is_still_software),
	   TEST(a_machine_without_rdma_has_no_device),
	   TEST(an_unreadable_attribute_is_a_problem_of_the_device), TEST(sizes_are_bounded),
	   TEST(a_long_empty_table_is_not_read_completely),
	   TEST(an_adapter_without_its_rdma_driver_is_named))
