/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* RDMA-capable PCI adapters without RDMA: a table gives the missing module. Most have two
 * drivers, one for the network and one for RDMA, which udev or the administrator loads. */
#include <stdio.h>

#include "plugin/host/internal.h"

#define DEVICES "sys/bus/pci/devices"

/* The rows are from the drivers' MODULE_DEVICE_TABLE. If only some cards of a driver
 * support RDMA, the devices are listed; @any_device: all do, and a card without a driver
 * is ignored. */
static const struct pci_adapter {
	uint16_t vendor, first, last;
	bool any_device;
	const char *driver; /* NULL: @module is the only driver */
	const char *module;
} pci_adapters[] = {
	{ 0x15b3, 0x5a44, 0x6282, false, NULL, "ib_mthca" },
	{ 0x15b3, 0x6340, 0x6778, false, "mlx4_core", "mlx4_ib" },
	{ 0x15b3, 0x1002, 0x1010, false, "mlx4_core", "mlx4_ib" },
	{ 0x15b3, 0x1011, 0x1025, false, "mlx5_core", "mlx5_ib" },
	{ 0x15b3, 0xa2d2, 0xa2df, false, "mlx5_core", "mlx5_ib" },
	/* E810, E822, E823, E825-C, E830 */
	{ 0x8086, 0x1591, 0x159b, false, "ice", "irdma" },
	{ 0x8086, 0x188a, 0x1899, false, "ice", "irdma" },
	{ 0x8086, 0x124c, 0x124f, false, "ice", "irdma" },
	{ 0x8086, 0x579c, 0x579f, false, "ice", "irdma" },
	{ 0x8086, 0x12d0, 0x12de, false, "ice", "irdma" },
	/* X722; the X710 family has the same driver but no RDMA */
	{ 0x8086, 0x37ce, 0x37d3, false, "i40e", "irdma" },
	/* Omni-Path */
	{ 0x8086, 0x24f0, 0x24f1, false, NULL, "hfi1" },
	{ 0x14e4, 0, 0xffff, true, "bnxt_en", "bnxt_re" },
	{ 0x1077, 0, 0xffff, true, "qede", "qedr" },
	{ 0x1425, 0, 0xffff, true, "cxgb4", "iw_cxgb4" },
	{ 0x19e5, 0xa222, 0xa22f, false, "hns3", "hns_roce_hw_v2" },
	/* Skyhawk */
	{ 0x10df, 0x0720, 0x0728, false, "be2net", "ocrdma" },
	{ 0x19a2, 0x0720, 0x0728, false, "be2net", "ocrdma" },
	{ 0x1414, 0x00ba, 0x00ba, false, "mana", "mana_ib" },
	{ 0x1d0f, 0xefa0, 0xefa3, false, NULL, "efa" },
	{ 0x1ded, 0x107f, 0x107f, false, NULL, "erdma" },
	{ 0x15ad, 0x0820, 0x0820, false, NULL, "vmw_pvrdma" },
};

/* @driver: empty: none. */
static const struct pci_adapter *pci_find_adapter(int64_t vendor, int64_t device,
						  const char *driver)
{
	const struct pci_adapter *row;

	for (row = pci_adapters; row < pci_adapters + ARRAY_SIZE(pci_adapters); row++) {
		if (vendor != row->vendor || device < row->first || device > row->last)
			continue;
		if (!driver[0] && !row->any_device)
			return row;
		if (driver[0] && !strcmp(driver, row->driver ? row->driver : row->module))
			return row;
	}
	return NULL;
}

static bool pci_has_rdma(const struct host *host, const char *folder)
{
	_cleanup_(host_list_fini) struct host_list list = { NULL, 0, false };
	char path[HOST_PATH_MAX];

	return !host_path(path, folder, "infiniband") && !host_list(host, path, &list) &&
	       list.count;
}

struct pci_function {
	char folder[HOST_PATH_MAX];
	int64_t vendor, device;
	char driver[64]; /* empty: none */
};

/* Errors: -ENOENT: the adapter was removed meanwhile; of reading. */
static int pci_read_function(const struct host *host, const char *address, struct pci_function *out)
{
	int rc = host_path(out->folder, DEVICES, address);

	out->driver[0] = '\0';
	if (!rc)
		rc = host_number_in(host, out->folder, "vendor", &out->vendor);
	if (!rc)
		rc = host_number_in(host, out->folder, "device", &out->device);
	if (rc)
		return rc;
	rc = host_link_name_in(host, out->folder, "driver", out->driver, sizeof(out->driver));
	return rc == -ENOENT ? 0 : rc;
}

int host_rdma_missing(const struct host *host, char names[][96], unsigned int max)
{
	_cleanup_(host_list_fini) struct host_list list = { NULL, 0, false };
	const struct pci_adapter *row;
	const char *missing;
	unsigned int count = 0;
	struct pci_function f;
	int rc = host_list(host, DEVICES, &list);
	size_t i;

	if (rc)
		return rc == -ENOENT ? 0 : rc;
	for (i = 0; i < list.count && count < max; i++) {
		rc = pci_read_function(host, list.names[i], &f);
		if (rc && rc != -ENOENT)
			return rc;
		row = rc ? NULL : pci_find_adapter(f.vendor, f.device, f.driver);
		if (!row || pci_has_rdma(host, f.folder))
			continue;
		missing = f.driver[0] || !row->driver ? row->module : row->driver;
		snprintf(names[count], sizeof(names[count]), "%s for %.64s", missing,
			 list.names[i]);
		finding_clean(names[count++]);
	}
	return (int)count;
}

/* --- assigned to virtual machines ----------------------------------------------------- */

static bool pci_driver_assigns(const char *driver)
{
	static const char *const names[] = { "vfio-pci", "mlx5_vfio_pci", "pci-stub", "pciback" };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(names) && strcmp(driver, names[i]) != 0; i++)
		;
	return i < ARRAY_SIZE(names);
}

int host_rdma_assigned(const struct host *host, struct host_assigned *out)
{
	_cleanup_(host_list_fini) struct host_list list = { NULL, 0, false };
	struct pci_function f;
	int rc = host_list(host, DEVICES, &list);
	size_t i;

	memset(out, 0, sizeof(*out));
	if (rc)
		return rc == -ENOENT ? 0 : rc;
	for (i = 0; i < list.count && !*out->adapter; i++) {
		rc = pci_read_function(host, list.names[i], &f);
		if (rc && rc != -ENOENT)
			return rc;
		/* Only rows with listed devices match: for @any_device the driver decides,
		 * and this adapter is bound to another one. */
		if (rc || !pci_driver_assigns(f.driver) ||
		    !pci_find_adapter(f.vendor, f.device, ""))
			continue;
		text_copy(out->adapter, sizeof(out->adapter), list.names[i]);
		text_copy(out->driver, sizeof(out->driver), f.driver);
	}
	return 0;
}
