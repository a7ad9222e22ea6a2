/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* What checks may query of the running system at mount time: the kernel's route to the server, by
 * rtnetlink(7). Firewalls and units need programs and a bus; here they are unknown. */
#include <arpa/inet.h>
#include <linux/rtnetlink.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <sys/socket.h>

#include "mount-helper/internal.h"

#define PATIENCE_MS 500

struct route_request {
	struct nlmsghdr header;
	struct rtmsg route;
	char attributes[64];
};

static void route_add_attribute(struct route_request *request, unsigned short type,
				const void *data, size_t len)
{
	struct rtattr *attribute =
		(struct rtattr *)((char *)request + NLMSG_ALIGN(request->header.nlmsg_len));

	attribute->rta_type = type;
	attribute->rta_len = (unsigned short)RTA_LENGTH(len);
	memcpy(RTA_DATA(attribute), data, len);
	request->header.nlmsg_len =
		(uint32_t)(NLMSG_ALIGN(request->header.nlmsg_len) + RTA_SPACE(len));
}

static void route_make_request(struct route_request *request, const struct transport_address *to)
{
	const struct sockaddr_in6 *in6 = (const struct sockaddr_in6 *)&to->addr;
	const struct sockaddr_in *in = (const struct sockaddr_in *)&to->addr;
	bool v6 = to->addr.ss_family == AF_INET6;
	size_t len = v6 ? sizeof(in6->sin6_addr) : sizeof(in->sin_addr);

	memset(request, 0, sizeof(*request));
	request->header.nlmsg_len = NLMSG_LENGTH(sizeof(request->route));
	request->header.nlmsg_type = RTM_GETROUTE;
	request->header.nlmsg_flags = NLM_F_REQUEST;
	request->route.rtm_family = (unsigned char)to->addr.ss_family;
	request->route.rtm_dst_len = (unsigned char)(8 * len);
	if (v6)
		route_add_attribute(request, RTA_DST, &in6->sin6_addr, len);
	else
		route_add_attribute(request, RTA_DST, &in->sin_addr, len);
	if (v6 && in6->sin6_scope_id)
		route_add_attribute(request, RTA_OIF, &in6->sin6_scope_id,
				    sizeof(in6->sin6_scope_id));
}

static int route_parse(const void *answer, size_t len, int family, struct host_route *out)
{
	const struct nlmsghdr *header = answer;
	const struct nlmsgerr *error = NLMSG_DATA(header);
	const struct rtmsg *route = NLMSG_DATA(header);
	const struct rtattr *attribute;
	unsigned int oif = 0;
	int left;

	if (!NLMSG_OK(header, len))
		return err_set(EPROTO, "the kernel's reply to a route request is truncated");
	/* EINVAL is a blackhole route; other errors mean no route, too. */
	if (header->nlmsg_type == NLMSG_ERROR && header->nlmsg_len >= NLMSG_LENGTH(sizeof(*error)))
		return err_set(ENETUNREACH, "there is no route to the server: %s",
			       strerror(-error->error));
	if (header->nlmsg_type != RTM_NEWROUTE)
		return err_set(EPROTO, "the kernel does not answer a route request");
	if (header->nlmsg_len < NLMSG_LENGTH(sizeof(*route)))
		return err_set(EPROTO, "the kernel's reply to a route request is truncated");
	out->local = route->rtm_type == RTN_LOCAL;
	if (route->rtm_type != RTN_UNICAST && !out->local)
		return err_set(ENETUNREACH, "the route to the server is prohibited");
	attribute = RTM_RTA(route);
	left = (int)RTM_PAYLOAD(header);
	for (; RTA_OK(attribute, left); attribute = RTA_NEXT(attribute, left)) {
		if (attribute->rta_type == RTA_OIF && RTA_PAYLOAD(attribute) == sizeof(oif))
			memcpy(&oif, RTA_DATA(attribute), sizeof(oif));
		else if (attribute->rta_type == RTA_GATEWAY)
			inet_ntop(family, RTA_DATA(attribute), out->gateway, sizeof(out->gateway));
		else if (attribute->rta_type == RTA_PREFSRC)
			inet_ntop(family, RTA_DATA(attribute), out->source, sizeof(out->source));
	}
	if (!if_indextoname(oif, out->netdev))
		return err_set(ENETUNREACH, "the route to the server has no network device");
	return 0;
}

static int route_get(const struct host *host, const struct transport_address *to,
		     struct host_route *out)
{
	_cleanup_close_ int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);
	struct pollfd pfd = { .fd = fd, .events = POLLIN };
	union {
		struct nlmsghdr header;
		char bytes[8192];
	} answer;
	struct route_request request;
	ssize_t n;

	(void)host;
	memset(out, 0, sizeof(*out));
	route_make_request(&request, to);
	if (fd < 0 || send(fd, &request, request.header.nlmsg_len, 0) < 0)
		return err_sys("route request");
	if (poll(&pfd, 1, PATIENCE_MS) != 1)
		return err_set(ETIMEDOUT, "the kernel does not answer a route request");
	n = recv(fd, &answer, sizeof(answer), 0);
	if (n < 0)
		return err_sys("route request");
	return route_parse(&answer, (size_t)n, to->addr.ss_family, out);
}

static int route_not_read(void)
{
	return err_set(ENODATA, "not read at mount time");
}

static int route_no_nftables(const struct host *host, struct host_text *json)
{
	(void)host, (void)json;
	return route_not_read();
}

static int route_no_firewalld(const struct host *host, const char *netdev,
			      struct host_firewalld *out)
{
	(void)host, (void)netdev, (void)out;
	return route_not_read();
}

static int route_no_unit(const struct host *host, const char *name, char *state, size_t cap)
{
	(void)host, (void)name, (void)state, (void)cap;
	return route_not_read();
}

static int route_no_addresses(const struct host *host, const char *netdev,
			      struct host_addresses *out)
{
	(void)host, (void)netdev, (void)out;
	return route_not_read();
}

const struct live_ops live_helper = {
	.route = route_get,
	.nftables = route_no_nftables,
	.firewalld = route_no_firewalld,
	.unit = route_no_unit,
	.addresses = route_no_addresses,
};
