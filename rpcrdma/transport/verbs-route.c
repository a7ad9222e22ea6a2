/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The device for an address. The kernel chooses it by its routing table and by the owner of the
 * source address; this file checks the choice and describes it. */
#include <dirent.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <stdio.h>

#include "rpcrdma/transport/verbs.h"

#define SYS_DEVICES "/sys/class/infiniband"
#define DEV_CM      "/dev/infiniband/rdma_cm"

/* Devices of this host */

static bool verbs_route_has_entries(const char *path)
{
	DIR *dir = opendir(path);
	struct dirent *entry;
	bool found = false;

	while (dir && !found && (entry = readdir(dir)))
		found = entry->d_name[0] != '.';
	if (dir)
		closedir(dir);
	return found;
}

/* "rxe0, mlx5_0"; from libibverbs, which lists devices with a user-space driver. */
static size_t verbs_route_list(char *buf, size_t cap)
{
	struct ibv_device **list = ibv_get_device_list(NULL);
	size_t i, used = 0;

	buf[0] = '\0';
	for (i = 0; list && list[i] && used < cap; i++)
		used += (size_t)snprintf(buf + used, cap - used, "%s%s", i ? ", " : "",
					 ibv_get_device_name(list[i]));
	if (list)
		ibv_free_device_list(list);
	return i;
}

static void verbs_route_free_list(struct ibv_device ***list)
{
	if (*list)
		ibv_free_device_list(*list);
}

int verbs_route_present(void)
{
	_cleanup_(verbs_route_free_list) struct ibv_device **list = NULL;
	char path[sizeof(list[0]->dev_name) + 32];
	size_t i;

	if (!verbs_route_has_entries(SYS_DEVICES))
		return err_because(
			err_set(ENODEV, "no RDMA device on this host (nothing in %s)", SYS_DEVICES),
			"no-device");
	list = ibv_get_device_list(NULL);
	if (!list || !list[0])
		return err_because(err_set(ENODEV,
					   "libibverbs knows none of the devices in %s: is the "
					   "module ib_uverbs loaded, and are the drivers of "
					   "ibverbs-providers installed?",
					   SYS_DEVICES),
				   "no-provider");
	if (access(DEV_CM, F_OK) < 0 && errno == ENOENT)
		return err_because(err_set(ENODEV, "%s does not exist: modprobe rdma_ucm", DEV_CM),
				   "no-rdma-ucm");
	if (access(DEV_CM, R_OK | W_OK) < 0 && errno != ENOENT)
		return err_because(err_sys("%s", DEV_CM), "permission");
	for (i = 0; list[i]; i++) {
		snprintf(path, sizeof(path), "/dev/infiniband/%s", list[i]->dev_name);
		if (access(path, R_OK | W_OK) < 0)
			return err_because(err_sys("%s", path), "permission");
	}
	return 0;
}

/* Addresses */

void verbs_route_address(const struct sockaddr *from, struct transport_address *out)
{
	memset(out, 0, sizeof(*out));
	if (from->sa_family == AF_INET)
		out->len = sizeof(struct sockaddr_in);
	if (from->sa_family == AF_INET6)
		out->len = sizeof(struct sockaddr_in6);
	memcpy(&out->addr, from, out->len);
}

static bool verbs_route_is_link_local(const struct transport_address *a)
{
	return a->addr.ss_family == AF_INET6 &&
	       IN6_IS_ADDR_LINKLOCAL(&((const struct sockaddr_in6 *)&a->addr)->sin6_addr);
}

static bool verbs_route_same_network(const struct transport_address *a,
				     const struct transport_address *b, const struct sockaddr *mask)
{
	const struct sockaddr_in *a4 = (const struct sockaddr_in *)&a->addr;
	const struct sockaddr_in *b4 = (const struct sockaddr_in *)&b->addr;
	const struct sockaddr_in *m4 = (const struct sockaddr_in *)mask;

	if (a->addr.ss_family == AF_INET6)
		return verbs_route_is_link_local(a) == verbs_route_is_link_local(b);
	return mask && !((a4->sin_addr.s_addr ^ b4->sin_addr.s_addr) & m4->sin_addr.s_addr);
}

/* "" where no network device has the address. */
static void verbs_route_netdev(const struct sockaddr *addr, char *buf, size_t cap)
{
	struct ifaddrs *list, *ifa;

	buf[0] = '\0';
	if (getifaddrs(&list))
		return;
	for (ifa = list; ifa && !buf[0]; ifa = ifa->ifa_next)
		if (transport_same_host(ifa->ifa_addr, addr))
			str_copy(buf, cap, ifa->ifa_name);
	freeifaddrs(list);
}

/* Whether the address belongs to the device. */
static bool verbs_route_belongs_to(const struct transport_address *a, const char *device)
{
	_cleanup_(verbs_free_p) struct verbs *c = calloc(1, sizeof(*c));
	struct transport_address at = *a;

	if (!c)
		return false;
	c->t.fd = -1;
	return !verbs_cm_open(c) && !rdma_bind_addr(c->id, (struct sockaddr *)&at.addr) &&
	       c->id->verbs && !strcmp(ibv_get_device_name(c->id->verbs->device), device);
}

static int verbs_route_unknown(const char *device)
{
	char names[256];

	verbs_route_list(names, sizeof(names));
	return err_because(err_set(ENODEV, "unknown RDMA device '%s'; known: %s", device, names),
			   "unknown-device");
}

static bool verbs_route_has_device(const char *name)
{
	struct ibv_device **list = ibv_get_device_list(NULL);
	bool found = false;
	size_t i;

	for (i = 0; list && list[i] && !found; i++)
		found = !strcmp(ibv_get_device_name(list[i]), name);
	if (list)
		ibv_free_device_list(list);
	return found;
}

int verbs_route_source(const char *device, const struct transport_address *to,
		       struct transport_address *out)
{
	struct transport_address a, other = { 0 };
	struct ifaddrs *list, *ifa;
	bool found = false;

	if (!verbs_route_has_device(device))
		return verbs_route_unknown(device);
	if (getifaddrs(&list))
		return err_sys("addresses of this host");
	for (ifa = list; ifa && !found; ifa = ifa->ifa_next) {
		if (!ifa->ifa_addr || ifa->ifa_addr->sa_family != to->addr.ss_family ||
		    ifa->ifa_flags & IFF_LOOPBACK)
			continue;
		verbs_route_address(ifa->ifa_addr, &a);
		if (!verbs_route_belongs_to(&a, device))
			continue;
		found = verbs_route_same_network(&a, to, ifa->ifa_netmask);
		if (found || !other.len)
			other = a;
	}
	freeifaddrs(list);
	if (!other.len)
		return err_because(err_set(ENODEV, "%s has no IPv%d address", device,
					   to->addr.ss_family == AF_INET6 ? 6 : 4),
				   "no-address");
	*out = other;
	return 0;
}

/* Devices */

int verbs_route_device(struct verbs *c, const char *device)
{
	const char *name = ibv_get_device_name(c->id->verbs->device);
	struct ibv_port_attr port;
	int rc;

	if (device && strcmp(device, name))
		return verbs_route_has_device(device)
			       ? err_because(
					 err_set(ENODEV, "the route uses %s, not %s", name, device),
					 "other-device")
			       : verbs_route_unknown(device);
	rc = ibv_query_device(c->id->verbs, &c->device);
	if (!rc)
		rc = ibv_query_port(c->id->verbs, c->id->port_num, &port);
	if (rc)
		return err_set(rc < 0 ? errno : rc, "%s does not answer: %s", name,
			       strerrordesc_np(rc < 0 ? errno : rc));
	c->message_max = port.max_msg_sz;
	c->kind = (struct verbs_kind){
		.transport = c->id->verbs->device->transport_type,
		.link_layer = port.link_layer,
		.vendor_id = c->device.vendor_id,
	};
	c->quirks = verbs_quirk_flags(&c->kind);
	if (port.state != IBV_PORT_ACTIVE && port.state != IBV_PORT_ACTIVE_DEFER)
		return err_because(err_set(ENETDOWN, "%s port %u is %s", name, c->id->port_num,
					   ibv_port_state_str(port.state)),
				   "port-down");
	return 0;
}

int verbs_route(const struct transport_address *to, const struct transport_param *param,
		struct transport_route *out, uint64_t deadline)
{
	_cleanup_(verbs_free_p) struct verbs *c = calloc(1, sizeof(*c));
	char text[TRANSPORT_ADDRESS_TEXT], netdev[IF_NAMESIZE + 16];
	int rc;

	if (!c)
		return err_no_memory();
	c->t.fd = -1;
	rc = verbs_cm_open(c);
	if (!rc)
		rc = verbs_cm_resolve(c, to, param, deadline);
	if (rc)
		return err_context(rc, "%s", transport_address_text(to, text, sizeof(text)));
	str_copy(out->device, sizeof(out->device), ibv_get_device_name(c->id->verbs->device));
	out->port = c->id->port_num;
	verbs_route_netdev(rdma_get_local_addr(c->id), netdev, sizeof(netdev));
	snprintf(out->text, sizeof(out->text), "%s port %u (%s%s%s, ACTIVE)", out->device,
		 out->port, verbs_text_kind(&c->kind), netdev[0] ? " over " : "", netdev);
	return 0;
}
