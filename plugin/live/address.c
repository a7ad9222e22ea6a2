/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The IP addresses of an interface, as the kernel lists them. */
#include <arpa/inet.h>
#include <ifaddrs.h>
#include <netinet/in.h>
#include <stdio.h>

#include "plugin/live/internal.h"

static bool live_address_text(const struct sockaddr *address, char text[INET6_ADDRSTRLEN])
{
	const struct sockaddr_in6 *in6 = (const struct sockaddr_in6 *)address;
	const struct sockaddr_in *in = (const struct sockaddr_in *)address;

	if (address->sa_family == AF_INET)
		return inet_ntop(AF_INET, &in->sin_addr, text, INET6_ADDRSTRLEN);
	return address->sa_family == AF_INET6 &&
	       inet_ntop(AF_INET6, &in6->sin6_addr, text, INET6_ADDRSTRLEN);
}

int live_addresses(const struct host *host, const char *netdev, struct host_addresses *out)
{
	struct ifaddrs *all, *one;
	char text[INET6_ADDRSTRLEN];

	(void)host;
	memset(out, 0, sizeof(*out));
	if (getifaddrs(&all))
		return err_sys("the addresses of %.20s", netdev);
	for (one = all; one; one = one->ifa_next) {
		if (!one->ifa_addr || strcmp(one->ifa_name, netdev) ||
		    !live_address_text(one->ifa_addr, text))
			continue;
		out->cut |= out->count == HOST_ADDRESSES_MAX;
		if (!out->cut)
			str_copy(out->list[out->count++], sizeof(*out->list), text);
	}
	freeifaddrs(all);
	return 0;
}
