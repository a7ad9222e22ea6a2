/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* RDMA devices in sysfs (Documentation/ABI/stable/sysfs-class-infiniband): nothing in
 * /dev/infiniband is opened, so this needs no privilege and triggers no driver. */
#include <ctype.h>
#include <stdio.h>

#include "plugin/host/internal.h"

#define CLASS "sys/class/infiniband"

/* rxe's table is the longest, and nearly empty. The kernel gives a new GID the first free
 * entry (add_roce_gid() and find_gid() in drivers/infiniband/core/cache.c): after that
 * many free entries there are no more GIDs, unless as many were added and removed before. */
#define GIDS_READ  1024
#define GIDS_EMPTY 256

/* Drivers of RDMA adapters with node type RNIC. A software device can have any network
 * card as its parent: an RNIC with another parent driver is siw. */
static const char *const rdma_rnic_drivers[] = { "ice",   "i40e", "irdma", "cxgb4",
						 "cxgb3", "qede", "nes",   "idpf" };

/* Keeps the first attribute that could not be read; absent ones do not count. */
static bool rdma_note_problem(struct rdma_device *device, int rc)
{
	if (!rc || rc == -ENOENT || rc == -ENODEV)
		return false;
	if (!device->problem[0])
		text_copy(device->problem, sizeof(device->problem), err_text());
	return true;
}

/* Without it the device would be taken for another one, or for none. */
static void rdma_need(struct rdma_device *device, int rc)
{
	if (rdma_note_problem(device, rc) && !device->rc) {
		text_copy(device->problem, sizeof(device->problem), err_text());
		device->rc = rc;
	}
}

static unsigned int rdma_read_number(const struct host *host, const char *folder, const char *name,
				     struct rdma_device *device)
{
	int64_t value = 0;

	rdma_note_problem(device, host_number_in(host, folder, name, &value));
	return value < 0 || value > UINT32_MAX ? 0 : (unsigned int)value;
}

/* "fe80:0000:0000:0000:506b:4b03:00aa:bbcc"; returns false if invalid or all zero. */
static bool rdma_parse_gid(const char *text, uint8_t gid[16])
{
	unsigned int v[8], i, any = 0;

	/* Most entries of a table are free. */
	if (!text[strspn(text, "0:")])
		return false;
	if (sscanf(text, "%4x:%4x:%4x:%4x:%4x:%4x:%4x:%4x", &v[0], &v[1], &v[2], &v[3], &v[4],
		   &v[5], &v[6], &v[7]) != 8)
		return false;
	for (i = 0; i < 8; i++) {
		put_be16(gid + 2 * i, (uint16_t)v[i]);
		any |= v[i];
	}
	return any;
}

/* @empty counts the free entries since the last GID. */
static int rdma_read_gid(const struct host *host, const char *port, const char *index,
			 struct rdma_port *out, size_t *empty)
{
	struct rdma_gid gid = { .index = (unsigned int)strtoul(index, NULL, 10) };
	char name[64], text[64], type[32];
	int rc;

	if (!isdigit((unsigned char)index[0]))
		return 0;
	snprintf(name, sizeof(name), "gids/%.20s", index);
	rc = host_attr_in(host, port, name, text, sizeof(text));
	++*empty;
	if (rc || !rdma_parse_gid(text, gid.bytes))
		return rc;
	*empty = 0;
	if (out->ngids == RDMA_GIDS_MAX) {
		out->gids_cut = true;
		return 0;
	}
	/* The kernel refuses to read the attributes of a GID that was removed meanwhile,
	 * and the netdev of one that has none (iWARP before Linux 6.5): not an error. */
	snprintf(name, sizeof(name), "gid_attrs/types/%.20s", index);
	host_attr_in(host, port, name, type, sizeof(type));
	gid.v2 = !strcmp(type, "RoCE v2");
	snprintf(name, sizeof(name), "gid_attrs/ndevs/%.20s", index);
	host_attr_in(host, port, name, gid.netdev, sizeof(gid.netdev));
	out->gids[out->ngids++] = gid;
	return 0;
}

static int rdma_list_in(const struct host *host, const char *folder, const char *name,
			struct host_list *list)
{
	char path[HOST_PATH_MAX];
	int rc = host_path(path, folder, name);

	return rc ? rc : host_list(host, path, list);
}

static void rdma_read_gids(const struct host *host, const char *folder, struct rdma_device *device,
			   struct rdma_port *port)
{
	_cleanup_(host_list_fini) struct host_list list = { NULL, 0, false };
	size_t i, empty = 0;

	rdma_note_problem(device, rdma_list_in(host, folder, "gids", &list));
	for (i = 0; i < list.count && i < GIDS_READ && empty < GIDS_EMPTY && !port->gids_cut; i++)
		rdma_note_problem(device, rdma_read_gid(host, folder, list.names[i], port, &empty));
	port->gids_cut |= list.count > GIDS_READ;
}

static void rdma_read_pkeys(const struct host *host, const char *folder, struct rdma_device *device,
			    struct rdma_port *port)
{
	_cleanup_(host_list_fini) struct host_list list = { NULL, 0, false };
	char name[64];
	int64_t value;
	size_t i;

	rdma_note_problem(device, rdma_list_in(host, folder, "pkeys", &list));
	for (i = 0; i < list.count && port->npkeys < RDMA_PKEYS_MAX; i++) {
		snprintf(name, sizeof(name), "pkeys/%.20s", list.names[i]);
		value = 0;
		rdma_note_problem(device, host_number_in(host, folder, name, &value));
		if (value > 0 && value <= UINT16_MAX)
			port->pkeys[port->npkeys++] = (uint16_t)value;
	}
}

/* An iWARP device has one GID, the address of its netdev (siw_query_gid(),
 * irdma_iw_query_gid()). */
static void rdma_find_netdev_by_address(const struct host *host, const uint8_t *mac,
					char netdev[IFNAMSIZ])
{
	_cleanup_(host_list_fini) struct host_list list = { NULL, 0, false };
	char want[18], name[300], address[64];
	size_t i;

	if (host_list(host, "sys/class/net", &list))
		return;
	snprintf(want, sizeof(want), "%02x:%02x:%02x:%02x:%02x:%02x", mac[0], mac[1], mac[2],
		 mac[3], mac[4], mac[5]);
	for (i = 0; i < list.count; i++) {
		snprintf(name, sizeof(name), "%s/address", list.names[i]);
		host_attr_in(host, "sys/class/net", name, address, sizeof(address));
		if (!strcmp(address, want)) {
			text_copy(netdev, IFNAMSIZ, list.names[i]);
			return;
		}
	}
}

static void rdma_find_port_netdev(const struct host *host, enum rdma_kind kind,
				  struct rdma_port *port)
{
	unsigned int i;

	for (i = 0; i < port->ngids && !port->netdev[0]; i++)
		str_copy(port->netdev, sizeof(port->netdev), port->gids[i].netdev);
	if (kind == RDMA_IWARP && !port->netdev[0] && port->ngids)
		rdma_find_netdev_by_address(host, port->gids[0].bytes, port->netdev);
}

static void rdma_read_port(const struct host *host, const char *folder, const char *number,
			   struct rdma_device *device)
{
	struct rdma_port *port = &device->ports[device->nports];
	char layer[32], path[HOST_PATH_MAX], name[128];

	snprintf(name, sizeof(name), "ports/%.20s", number);
	if (!isdigit((unsigned char)number[0]) || host_path(path, folder, name))
		return;
	device->nports++;
	port->number = (unsigned int)strtoul(number, NULL, 10);
	rdma_need(device, host_attr_in(host, path, "link_layer", layer, sizeof(layer)));
	port->layer = !strcmp(layer, "InfiniBand") ? LINK_INFINIBAND
		      : !strcmp(layer, "Ethernet") ? LINK_ETHERNET
						   : LINK_UNKNOWN;
	port->state = rdma_read_number(host, path, "state", device);
	port->phys_state = rdma_read_number(host, path, "phys_state", device);
	rdma_note_problem(device, host_attr_in(host, path, "rate", port->rate, sizeof(port->rate)));
	port->lid = rdma_read_number(host, path, "lid", device);
	port->sm_lid = rdma_read_number(host, path, "sm_lid", device);
	rdma_read_gids(host, path, device, port);
	rdma_read_pkeys(host, path, device, port);
	snprintf(path, sizeof(path), "sys/kernel/config/rdma_cm/%s/ports/%u/default_roce_mode",
		 device->name, port->number);
	host_attr(host, path, port->default_roce_mode, sizeof(port->default_roce_mode));
}

static enum rdma_kind rdma_device_kind(int64_t node_type, const struct rdma_device *device)
{
	enum link_layer layer = device->nports ? device->ports[0].layer : LINK_UNKNOWN;

	switch (node_type) {
	case 1: /* RDMA_NODE_IB_CA, include/rdma/ib_verbs.h */
		return layer == LINK_ETHERNET ? RDMA_ROCE : RDMA_INFINIBAND;
	case 4: return RDMA_IWARP;
	case 5:
	case 6: return RDMA_USNIC;
	default: return RDMA_OTHER;
	}
}

/* Mellanox virtual functions, from the tables of mlx4_core and mlx5_core: a guest sees no
 * "physfn". */
static const uint16_t rdma_virtual_functions[] = { 0x1002, 0x1004, 0x1014, 0x1016, 0x1018,
						   0x101a, 0x101c, 0x101e, 0xa2d3 };

static bool rdma_is_virtual_function(const struct host *host, const char *folder,
				     const struct rdma_device *device)
{
	char path[HOST_PATH_MAX], link[HOST_PATH_MAX];
	size_t i;

	if (!host_path(path, folder, "device/physfn") && !host_link(host, path, link, sizeof(link)))
		return true;
	for (i = 0; i < ARRAY_SIZE(rdma_virtual_functions); i++)
		if (device->pci_vendor == 0x15b3 && device->pci_device == rdma_virtual_functions[i])
			return true;
	return false;
}

static void rdma_read_parent(const struct host *host, const char *folder,
			     struct rdma_device *device)
{
	char path[HOST_PATH_MAX], name[HOST_PATH_MAX];

	rdma_need(device, host_link_name_in(host, folder, "device/driver", device->driver,
					    sizeof(device->driver)));
	if (host_path(path, folder, "device/vendor") || host_exists(host, path))
		return;
	device->pci_vendor = (uint16_t)rdma_read_number(host, folder, "device/vendor", device);
	device->pci_device = (uint16_t)rdma_read_number(host, folder, "device/device", device);
	device->pci_revision = (uint8_t)rdma_read_number(host, folder, "device/revision", device);
	device->virtual_function = rdma_is_virtual_function(host, folder, device);
	if (!host_link_name_in(host, folder, "device", name, sizeof(name)) && strchr(name, ':'))
		text_copy(device->pci_address, sizeof(device->pci_address), name);
}

/* Only rxe has "parent", the name of its netdev. siw has no attribute of its own. */
static void rdma_find_software(const struct host *host, const char *folder,
			       struct rdma_device *device)
{
	char parent[IFNAMSIZ];
	size_t i;

	if (!host_attr_in(host, folder, "parent", parent, sizeof(parent))) {
		device->software = true;
		str_copy(device->driver, sizeof(device->driver), "rdma_rxe");
		if (device->nports && !device->ports[0].netdev[0])
			text_copy(device->ports[0].netdev, IFNAMSIZ, parent);
	}
	if (device->kind != RDMA_IWARP)
		return;
	for (i = 0; i < ARRAY_SIZE(rdma_rnic_drivers); i++)
		if (!strcmp(device->driver, rdma_rnic_drivers[i]))
			return;
	device->software = true;
	str_copy(device->driver, sizeof(device->driver), "siw");
}

static void rdma_read_device(const struct host *host, const char *name, struct rdma_device *device)
{
	_cleanup_(host_list_fini) struct host_list ports = { NULL, 0, false };
	char folder[HOST_PATH_MAX];
	int64_t node_type = 0;
	unsigned int i;

	text_copy(device->name, sizeof(device->name), name);
	if (host_path(folder, CLASS, name))
		return;
	rdma_need(device, host_number_in(host, folder, "node_type", &node_type));
	rdma_note_problem(device, host_attr_in(host, folder, "node_guid", device->node_guid,
					       sizeof(device->node_guid)));
	rdma_note_problem(device, host_attr_in(host, folder, "fw_ver", device->fw_version,
					       sizeof(device->fw_version)));
	rdma_note_problem(device, host_attr_in(host, folder, "board_id", device->board,
					       sizeof(device->board)));
	rdma_need(device, rdma_list_in(host, folder, "ports", &ports));
	for (i = 0; i < ports.count && device->nports < RDMA_PORTS_MAX; i++)
		rdma_read_port(host, folder, ports.names[i], device);
	device->ports_cut = ports.cut || i < ports.count;
	device->kind = rdma_device_kind(node_type, device);
	for (i = 0; i < device->nports; i++)
		rdma_find_port_netdev(host, device->kind, &device->ports[i]);
	rdma_read_parent(host, folder, device);
	rdma_find_software(host, folder, device);
}

int host_rdma(const struct host *host, struct rdma_devices **out)
{
	_cleanup_(host_list_fini) struct host_list list = { NULL, 0, false };
	struct rdma_devices *devices;
	char mode[8];
	int rc = host_list(host, CLASS, &list);

	if (rc && rc != -ENOENT)
		return rc;
	devices = calloc(1, sizeof(*devices));
	if (!devices)
		return err_no_memory();
	while (devices->count < list.count && devices->count < RDMA_DEVICES_MAX) {
		struct rdma_device *device = &devices->list[devices->count++];

		rdma_read_device(host, list.names[devices->count - 1], device);
		if (device->rc) {
			rc = err_set(-device->rc, "%s: %s", device->name, device->problem);
			free(devices);
			return rc;
		}
	}
	devices->cut = list.cut || devices->count < list.count;
	host_attr(host, "sys/module/ib_core/parameters/netns_mode", mode, sizeof(mode));
	devices->netns_shared = strcmp(mode, "N");
	*out = devices;
	return 0;
}

const struct rdma_device *rdma_device_find(const struct rdma_devices *rdma, const char *name)
{
	unsigned int i;

	for (i = 0; i < rdma->count; i++)
		if (!strcmp(rdma->list[i].name, name))
			return &rdma->list[i];
	return NULL;
}

const struct rdma_port *rdma_port_find(const struct rdma_device *device, unsigned int number)
{
	unsigned int i;

	for (i = 0; device && i < device->nports; i++)
		if (device->ports[i].number == number)
			return &device->ports[i];
	return NULL;
}
