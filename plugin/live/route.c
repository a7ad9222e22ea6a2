/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The route to an address that the kernel would choose (rtnetlink(7), RTM_GETROUTE). Sends no
 * packet to the network. No library, because what root runs at mount time asks it too. */
#include <arpa/inet.h>
#include <linux/rtnetlink.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

#include "plugin/live/internal.h"

#define ROUTE_MS 1000

struct live_route_request {
	struct nlmsghdr header;
	struct rtmsg route;
	char attributes[64];
};

static void live_route_add(struct live_route_request *request, unsigned short type,
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

/* The destination and, for a link-local one, its device. */
static void live_route_make_request(struct live_route_request *request,
				    const struct transport_address *to, const void *bytes,
				    size_t len)
{
	const struct sockaddr_in6 *in6 = (const struct sockaddr_in6 *)&to->addr;
	int family = to->addr.ss_family;

	memset(request, 0, sizeof(*request));
	request->header.nlmsg_len = NLMSG_LENGTH(sizeof(request->route));
	request->header.nlmsg_type = RTM_GETROUTE;
	request->header.nlmsg_flags = NLM_F_REQUEST;
	request->route.rtm_family = (unsigned char)family;
	request->route.rtm_dst_len = (unsigned char)(8 * len);
	live_route_add(request, RTA_DST, bytes, len);
	if (family == AF_INET6 && in6->sin6_scope_id)
		live_route_add(request, RTA_OIF, &in6->sin6_scope_id, sizeof(in6->sin6_scope_id));
}

/* Reports that there is no route, or one that rejects packets. */
static int live_route_none(int error, const char *to)
{
	return err_set(ENETUNREACH, "there is no route to %s: %s", to,
		       error == EINVAL ? "a blackhole" : strerror(error));
}

/* An address of 4 or 16 bytes; a gateway of the other family (RTA_VIA) has that before it. */
static void live_route_text(const struct rtattr *attribute, int family, char *buf, size_t cap)
{
	const char *data = RTA_DATA(attribute);
	size_t len = RTA_PAYLOAD(attribute);
	uint16_t via;

	if (attribute->rta_type == RTA_VIA && len >= sizeof(via)) {
		memcpy(&via, data, sizeof(via));
		family = via;
		data += sizeof(via);
		len -= sizeof(via);
	}
	if (len == (family == AF_INET6 ? sizeof(struct in6_addr) : sizeof(struct in_addr)))
		inet_ntop(family, data, buf, (socklen_t)cap);
}

static void live_route_take_number(const struct rtattr *attribute, unsigned int *out)
{
	if (RTA_PAYLOAD(attribute) == sizeof(*out))
		memcpy(out, RTA_DATA(attribute), sizeof(*out));
}

/* @left: of an int: that of an attribute without padding is more than there is. */
static void live_route_take_attributes(const struct rtattr *attribute, int left, int family,
				       struct host_route *out, unsigned int *oif)
{
	for (; RTA_OK(attribute, left); attribute = RTA_NEXT(attribute, left)) {
		const struct rtattr *metric = RTA_DATA(attribute);
		int metrics = (int)RTA_PAYLOAD(attribute);

		if (attribute->rta_type == RTA_OIF)
			live_route_take_number(attribute, oif);
		else if (attribute->rta_type == RTA_GATEWAY || attribute->rta_type == RTA_VIA)
			live_route_text(attribute, family, out->gateway, sizeof(out->gateway));
		else if (attribute->rta_type == RTA_PREFSRC)
			live_route_text(attribute, family, out->source, sizeof(out->source));
		if (attribute->rta_type != RTA_METRICS)
			continue;
		for (; RTA_OK(metric, metrics); metric = RTA_NEXT(metric, metrics))
			if (metric->rta_type == RTAX_MTU)
				live_route_take_number(metric, &out->mtu);
	}
}

static int live_route_parse(const void *answer, size_t len, int family, const char *to,
			    struct host_route *out)
{
	const struct nlmsghdr *header = answer;
	const struct nlmsgerr *error = NLMSG_DATA(header);
	const struct rtmsg *route = NLMSG_DATA(header);
	unsigned int oif = 0;

	if (!NLMSG_OK(header, len))
		return err_set(EPROTO, "the kernel's reply to a route request is truncated");
	if (header->nlmsg_type == NLMSG_ERROR && header->nlmsg_len >= NLMSG_LENGTH(sizeof(*error)))
		return live_route_none(-error->error, to);
	if (header->nlmsg_type != RTM_NEWROUTE || header->nlmsg_len < NLMSG_LENGTH(sizeof(*route)))
		return err_set(EPROTO, "the kernel's reply to a route request is malformed");
	if (route->rtm_type != RTN_UNICAST && route->rtm_type != RTN_LOCAL)
		return live_route_none(route->rtm_type == RTN_PROHIBIT ? EACCES : ENETUNREACH, to);
	memset(out, 0, sizeof(*out));
	out->local = route->rtm_type == RTN_LOCAL;
	live_route_take_attributes(RTM_RTA(route), RTM_PAYLOAD(header), family, out, &oif);
	return if_indextoname(oif, out->netdev)
		       ? 0
		       : err_set(EIO, "the route to %s has no network device", to);
}

static int live_route_wait(int fd, uint64_t deadline)
{
	struct pollfd pfd = { .fd = fd, .events = POLLIN };
	int rc;

	do
		rc = poll(&pfd, 1, deadline_left(deadline));
	while (rc < 0 && errno == EINTR);
	if (rc < 0)
		return err_sys("route request");
	return rc ? 0 : err_set(ETIMEDOUT, "the kernel does not answer a route request");
}

int live_route(const struct host *host, const struct transport_address *to, struct host_route *out)
{
	_cleanup_close_ int fd = -1;
	struct live_route_request request;
	char text[INET6_ADDRSTRLEN];
	union {
		struct nlmsghdr header;
		char bytes[8192];
	} answer;
	const void *bytes;
	size_t len;
	ssize_t n;
	int rc;

	bytes = live_address_bytes((const struct sockaddr *)&to->addr, &len);
	if (!bytes || !inet_ntop(to->addr.ss_family, bytes, text, sizeof(text)))
		return err_set(EINVAL, "an address of another family has no route");
	live_route_make_request(&request, to, bytes, len);
	fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);
	if (fd < 0 || send(fd, &request, request.header.nlmsg_len, 0) < 0)
		return err_sys("route request");
	rc = live_route_wait(fd, host_deadline(host, ROUTE_MS));
	if (rc)
		return rc;
	n = recv(fd, &answer, sizeof(answer), 0);
	return n < 0 ? err_sys("route request")
		     : live_route_parse(&answer, (size_t)n, to->addr.ss_family, text, out);
}
