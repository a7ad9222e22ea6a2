/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* A network interface and its RDMA device. */
#include <ctype.h>
#include <stdio.h>

#include "plugin/host/internal.h"

#define CLASS "sys/class/net"

#define ARPHRD_IPOIB 32

/* A VLAN on a bond on a bridge port is the deepest practical stack. */
#define LOWER_DEPTH 4
#define LOWER_MAX   64

static int netdev_read_number(const struct host *host, const char *folder, const char *name,
			      unsigned int *out)
{
	int64_t value = 0;
	int rc = host_number_in(host, folder, name, &value);

	if (!rc && (value < 0 || value > UINT32_MAX))
		rc = err_set(ERANGE, "%s%s/%s is out of range", host_prefix(host), folder, name);
	*out = rc ? 0 : (unsigned int)value;
	return rc;
}

/* "52:54:00:12:34:56": 6 bytes, 20 of an IPoIB interface. */
static void netdev_parse_address(const char *text, struct host_netdev *out)
{
	char *end;

	while (isxdigit((unsigned char)*text) && out->address_len < sizeof(out->address)) {
		out->address[out->address_len++] = (uint8_t)strtoul(text, &end, 16);
		text = end + (*end == ':');
	}
}

static void netdev_set_rdma(struct host_netdev *out, const struct rdma_device *device,
			    unsigned int port)
{
	text_copy(out->rdma_device, sizeof(out->rdma_device), device->name);
	out->rdma_port = port;
}

static bool netdev_is_port(const struct rdma_port *port, const char *name)
{
	unsigned int i;

	if (!strcmp(port->netdev, name))
		return true;
	for (i = 0; i < port->ngids; i++)
		if (!strcmp(port->gids[i].netdev, name))
			return true;
	return false;
}

/* Uses the GID tables: they name the netdev of each address, including VLANs and bonds. */
static bool netdev_find_by_gids(const struct rdma_devices *rdma, const char *name,
				struct host_netdev *out)
{
	unsigned int i, p;

	for (i = 0; i < rdma->count; i++) {
		const struct rdma_device *device = &rdma->list[i];

		for (p = 0; p < device->nports; p++) {
			if (netdev_is_port(&device->ports[p], name)) {
				netdev_set_rdma(out, device, device->ports[p].number);
				return true;
			}
		}
	}
	return false;
}

/* Uses the adapter that both belong to; the port is in dev_port, in dev_id before Linux
 * 3.15. */
static bool netdev_find_by_adapter(const struct host *host, const struct rdma_devices *rdma,
				   const char *folder, struct host_netdev *out)
{
	_cleanup_(host_list_fini) struct host_list list = { NULL, 0, false };
	const struct rdma_device *device;
	char path[HOST_PATH_MAX];
	unsigned int port = 0;

	if (host_path(path, folder, "device/infiniband") || host_list(host, path, &list) ||
	    !list.count)
		return false;
	device = rdma_device_find(rdma, list.names[0]);
	if (!device || !device->nports)
		return false;
	if (netdev_read_number(host, folder, "dev_port", &port) || !port)
		netdev_read_number(host, folder, "dev_id", &port);
	netdev_set_rdma(out, device, port < device->nports ? port + 1 : 1);
	return true;
}

struct netdev_search {
	const struct host *host;
	const struct rdma_devices *rdma;
	struct host_netdev *out;
	unsigned int left; /* interfaces that may still be examined */
};

static bool netdev_find_rdma(struct netdev_search *search, const char *name, unsigned int depth)
{
	_cleanup_(host_list_fini) struct host_list list = { NULL, 0, false };
	struct host_netdev *out = search->out;
	char folder[HOST_PATH_MAX];
	size_t i;

	if (!name[0] || !search->left || host_path(folder, CLASS, name))
		return false;
	search->left--;
	if (netdev_find_by_gids(search->rdma, name, out) ||
	    netdev_find_by_adapter(search->host, search->rdma, folder, out))
		return true;
	if (depth == LOWER_DEPTH || host_list(search->host, folder, &list))
		return false;
	for (i = 0; i < list.count; i++) {
		if (strncmp(list.names[i], "lower_", 6) ||
		    !netdev_find_rdma(search, list.names[i] + 6, depth + 1))
			continue;
		if (!out->rdma_lower[0])
			text_copy(out->rdma_lower, sizeof(out->rdma_lower), list.names[i] + 6);
		return true;
	}
	return false;
}

int host_netdev(const struct host *host, const char *name, const struct rdma_devices *rdma,
		struct host_netdev *out)
{
	char folder[HOST_PATH_MAX], flags[16], address[64];
	unsigned int pkey;
	int64_t carrier;
	int rc;

	memset(out, 0, sizeof(*out));
	if (!name[0] || strlen(name) >= IFNAMSIZ || strchr(name, '/') || name[0] == '.')
		return err_set(ENOENT, "%.64s is no name of an interface", name);
	rc = host_path(folder, CLASS, name);
	if (!rc)
		rc = netdev_read_number(host, folder, "type", &out->type);
	if (!rc)
		rc = netdev_read_number(host, folder, "mtu", &out->mtu);
	if (!rc)
		rc = netdev_read_number(host, folder, "ifindex", &out->ifindex);
	if (rc)
		return rc;
	text_copy(out->name, sizeof(out->name), name);
	rc = host_attr_in(host, folder, "operstate", out->operstate, sizeof(out->operstate));
	if (rc && rc != -ENOENT)
		return rc;
	if (!host_attr_in(host, folder, "flags", flags, sizeof(flags)))
		out->flags = (unsigned int)strtoul(flags, NULL, 16);
	/* The kernel refuses to read the carrier of an interface that is set down (EINVAL,
	 * carrier_show() in net/core/net-sysfs.c). */
	out->carrier = -1;
	if (!host_number_in(host, folder, "carrier", &carrier))
		out->carrier = carrier != 0;
	rc = host_attr_in(host, folder, "address", address, sizeof(address));
	if (rc && rc != -ENOENT)
		return rc;
	if (!rc)
		netdev_parse_address(address, out);
	host_link_name_in(host, folder, "device/driver", out->driver, sizeof(out->driver));
	host_link_name_in(host, folder, "master", out->master, sizeof(out->master));
	if (out->type == ARPHRD_IPOIB) {
		host_attr_in(host, folder, "mode", out->ipoib_mode, sizeof(out->ipoib_mode));
		if (!netdev_read_number(host, folder, "pkey", &pkey) && pkey <= UINT16_MAX)
			out->pkey = (uint16_t)pkey;
	}
	if (rdma)
		netdev_find_rdma(&(struct netdev_search){ host, rdma, out, LOWER_MAX }, name, 0);
	return 0;
}
