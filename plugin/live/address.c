/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The IP addresses of an interface, as the kernel lists them. */
#include <arpa/inet.h>
#include <ifaddrs.h>
#include <netinet/in.h>
#include <stdio.h>

#include "plugin/live/internal.h"

const void *live_address_bytes(const struct sockaddr *address, size_t *len)
{
	const struct sockaddr_in6 *in6 = (const struct sockaddr_in6 *)address;
	const struct sockaddr_in *in = (const struct sockaddr_in *)address;
	bool v6 = address->sa_family == AF_INET6;

	*len = v6 ? sizeof(in6->sin6_addr) : sizeof(in->sin_addr);
	if (!v6 && address->sa_family != AF_INET)
		return NULL;
	return v6 ? (const void *)&in6->sin6_addr : &in->sin_addr;
}

int live_addresses(const struct host *host, const char *netdev, struct host_addresses *out)
{
	struct ifaddrs *all, *one;
	char text[INET6_ADDRSTRLEN];
	const void *bytes;
	size_t len;

	(void)host;
	memset(out, 0, sizeof(*out));
	if (getifaddrs(&all))
		return err_sys("the addresses of %.20s", netdev);
	for (one = all; one; one = one->ifa_next) {
		if (!one->ifa_addr || strcmp(one->ifa_name, netdev))
			continue;
		bytes = live_address_bytes(one->ifa_addr, &len);
		if (!bytes || !inet_ntop(one->ifa_addr->sa_family, bytes, text, sizeof(text)))
			continue;
		out->cut |= out->count == HOST_ADDRESSES_MAX;
		if (!out->cut)
			str_copy(out->list[out->count++], sizeof(*out->list), text);
	}
	freeifaddrs(all);
	return 0;
}
