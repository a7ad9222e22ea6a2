/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Where the kernel can connect to itself over RDMA: an address of a network device that an RDMA
 * device has a port on. */
#include <ifaddrs.h>
#include <netinet/in.h>

#include "plugin/kernel/internal.h"

/* IB_PORT_ACTIVE */
#define PORT_ACTIVE 4

struct address_search {
	const struct host *host;
	const struct kernel_options *options;
	const struct rdma_devices *rdma;
	struct kernel_address *out;
	unsigned int rank; /* of what is in *out; 0: nothing */
};

/* @port: 0: any of them. */
static bool address_port_is_active(const struct rdma_device *device, unsigned int port)
{
	unsigned int i;

	for (i = 0; i < device->nports; i++)
		if ((!port || device->ports[i].number == port) &&
		    device->ports[i].state == PORT_ACTIVE)
			return true;
	return false;
}

/* Of an address that can be mounted from, else 0. Link-local ones need a scope, which the options
 * of mount(2) cannot hold. */
static socklen_t address_length(const struct sockaddr *addr)
{
	if (!addr)
		return 0;
	if (addr->sa_family == AF_INET)
		return sizeof(struct sockaddr_in);
	if (addr->sa_family != AF_INET6 ||
	    IN6_IS_ADDR_LINKLOCAL(&((const struct sockaddr_in6 *)addr)->sin6_addr))
		return 0;
	return sizeof(struct sockaddr_in6);
}

static void address_try(struct address_search *search, const struct ifaddrs *ifa)
{
	const struct kernel_options *options = search->options;
	socklen_t len = address_length(ifa->ifa_addr);
	const struct rdma_device *device;
	struct kernel_address *out = search->out;
	struct host_netdev netdev;
	unsigned int rank;

	if (!len || host_netdev(search->host, ifa->ifa_name, search->rdma, &netdev))
		return;
	device = rdma_device_find(search->rdma, netdev.rdma_device);
	if (!device || !netdev.rdma_port || !address_port_is_active(device, netdev.rdma_port))
		return;
	if (options->device && strcmp(options->device, device->name) != 0)
		return;
	if (options->at.len &&
	    !transport_same_host(ifa->ifa_addr, (const struct sockaddr *)&options->at.addr))
		return;
	/* Of equal ones the first. */
	rank = 1 + (ifa->ifa_addr->sa_family == AF_INET) + 2 * !device->software;
	if (rank <= search->rank)
		return;
	search->rank = rank;
	memset(out, 0, sizeof(*out));
	memcpy(&out->at.addr, ifa->ifa_addr, len);
	out->at.len = len;
	text_copy(out->device, sizeof(out->device), device->name);
	text_copy(out->driver, sizeof(out->driver), device->driver);
	text_copy(out->netdev, sizeof(out->netdev), ifa->ifa_name);
	out->software = device->software;
	transport_host_text(&out->at, out->address, sizeof(out->address));
}

int kernel_no_address(const struct rdma_devices *rdma, const struct kernel_options *options)
{
	const char *name = options->device;
	const struct rdma_device *device;
	unsigned int i;
	char text[64];

	if (!rdma->count)
		return err_because(err_set(ENODEV, "no RDMA device"), "no-device");
	if (options->at.len)
		return err_because(
			err_set(ENODEV,
				"%s is not an address of an active RDMA device of this host%s%s",
				transport_host_text(&options->at, text, sizeof(text)),
				name ? " named " : "", name ? name : ""),
			"bind");
	if (name) {
		device = rdma_device_find(rdma, name);
		if (!device)
			return err_because(err_set(ENODEV, "no RDMA device '%.64s'", name),
					   "unknown-device");
		if (!address_port_is_active(device, 0))
			return err_because(err_set(ENODEV, "no port of %s is active", name),
					   "not-active");
		return err_because(err_set(ENODEV, "%s has no address", name), "no-address");
	}
	for (i = 0; i < rdma->count && !address_port_is_active(&rdma->list[i], 0); i++)
		;
	if (i == rdma->count)
		return err_because(err_set(ENODEV, "no port of %u RDMA device%s is active",
					   rdma->count, rdma->count == 1 ? "" : "s"),
				   "not-active");
	return err_because(err_set(ENODEV, "no active RDMA device has an address"), "no-address");
}

int kernel_address(const struct host *host, const struct kernel_options *options,
		   struct kernel_address *out)
{
	_cleanup_free_ struct rdma_devices *rdma = NULL;
	struct address_search search = { .host = host, .options = options, .out = out };
	struct ifaddrs *list, *ifa;
	int rc = host_rdma(host, &rdma);

	if (rc)
		return rc;
	search.rdma = rdma;
	if (getifaddrs(&list))
		return err_sys("addresses of this host");
	for (ifa = list; ifa; ifa = ifa->ifa_next)
		address_try(&search, ifa);
	freeifaddrs(list);
	return search.rank ? 0 : kernel_no_address(rdma, options);
}
