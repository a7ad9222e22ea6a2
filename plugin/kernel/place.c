/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Where the kernel can connect to itself over RDMA: an address of a network device that an RDMA
 * device has a port on. */
#include <ifaddrs.h>
#include <netinet/in.h>

#include "plugin/kernel/internal.h"

/* IB_PORT_ACTIVE */
#define PORT_ACTIVE 4

struct placing {
	const struct host *host;
	const struct kernel_options *options;
	const struct rdma_devices *rdma;
	struct kernel_place *out;
	unsigned int rank; /* of what is in *out; 0: nothing */
};

static const struct rdma_device *find_device(const struct rdma_devices *rdma,
					     const char *name)
{
	unsigned int i;

	for (i = 0; i < rdma->count; i++)
		if (!strcmp(rdma->list[i].name, name))
			return &rdma->list[i];
	return NULL;
}

static bool is_active(const struct rdma_device *device, unsigned int port)
{
	unsigned int i;

	for (i = 0; i < device->nports; i++)
		if (device->ports[i].number == port)
			return device->ports[i].state == PORT_ACTIVE;
	return false;
}

/* Link-local ones need a scope, which the options of mount(2) have no place for. */
static socklen_t usable(const struct sockaddr *addr)
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

static bool is_wanted(const struct placing *placing, const struct ifaddrs *ifa,
		      const struct rdma_device *device)
{
	const struct kernel_options *options = placing->options;

	if (options->at.len &&
	    !transport_same_host(ifa->ifa_addr,
				 (const struct sockaddr *)&options->at.addr))
		return false;
	return !options->device || !strcmp(options->device, device->name);
}

static void consider(struct placing *placing, const struct ifaddrs *ifa)
{
	socklen_t len = usable(ifa->ifa_addr);
	const struct rdma_device *device;
	struct kernel_place *out = placing->out;
	struct host_netdev netdev;
	unsigned int rank;

	if (!len || host_netdev(placing->host, ifa->ifa_name, placing->rdma, &netdev))
		return;
	device = find_device(placing->rdma, netdev.rdma_device);
	if (!device || !is_active(device, netdev.rdma_port) ||
	    !is_wanted(placing, ifa, device))
		return;
	/* Of equal ones the first. */
	rank = 1 + (ifa->ifa_addr->sa_family == AF_INET) + 2 * !device->software;
	if (rank <= placing->rank)
		return;
	placing->rank = rank;
	memset(out, 0, sizeof(*out));
	memcpy(&out->at.addr, ifa->ifa_addr, len);
	out->at.len = len;
	text_copy(out->device, sizeof(out->device), device->name);
	text_copy(out->driver, sizeof(out->driver), device->driver);
	text_copy(out->netdev, sizeof(out->netdev), ifa->ifa_name);
	out->software = device->software;
	transport_host_text(&out->at, out->address, sizeof(out->address));
}

static bool has_active_port(const struct rdma_device *device)
{
	unsigned int i;

	for (i = 0; i < device->nports && device->ports[i].state != PORT_ACTIVE; i++)
		;
	return i < device->nports;
}

static bool any_is_active(const struct rdma_devices *rdma)
{
	unsigned int i;

	for (i = 0; i < rdma->count && !has_active_port(&rdma->list[i]); i++)
		;
	return i < rdma->count;
}

static int no_such_device(const struct rdma_devices *rdma, const char *name)
{
	const struct rdma_device *device = find_device(rdma, name);

	if (!device)
		return err_because(err_set(ENODEV, "no RDMA device '%.64s'", name),
				   "unknown-device");
	if (!has_active_port(device))
		return err_because(err_set(ENODEV, "no port of %s is active", name),
				   "not-active");
	return err_because(err_set(ENODEV, "%s has no address", name), "no-address");
}

int kernel_no_place(const struct rdma_devices *rdma, const struct kernel_options *options)
{
	char text[64];

	if (!rdma->count)
		return err_because(err_set(ENODEV, "no RDMA device"), "no-device");
	if (options->at.len)
		return err_because(
			err_set(ENODEV,
				"%s is not an address of an active RDMA device of this host%s%s",
				transport_host_text(&options->at, text, sizeof(text)),
				options->device ? " named " : "",
				options->device ? options->device : ""),
			"bind");
	if (options->device)
		return no_such_device(rdma, options->device);
	if (!any_is_active(rdma))
		return err_because(err_set(ENODEV,
					   "no port of %u RDMA device%s is active",
					   rdma->count, rdma->count == 1 ? "" : "s"),
				   "not-active");
	return err_because(err_set(ENODEV, "no active RDMA device has an address"),
			   "no-address");
}

int kernel_place(const struct host *host, const struct kernel_options *options,
		 struct kernel_place *out)
{
	_cleanup_free_ struct rdma_devices *rdma = NULL;
	struct placing placing = { .host = host, .options = options, .out = out };
	struct ifaddrs *list, *ifa;
	int rc = host_rdma(host, &rdma);

	if (rc)
		return rc;
	placing.rdma = rdma;
	if (getifaddrs(&list))
		return err_sys("addresses of this host");
	for (ifa = list; ifa; ifa = ifa->ifa_next)
		consider(&placing, ifa);
	freeifaddrs(list);
	return placing.rank ? 0 : kernel_no_place(rdma, options);
}
