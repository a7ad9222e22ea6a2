/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The route to an address that the kernel would choose (rtnetlink(7), RTM_GETROUTE), by
 * libnl-route. Sends no packet to the network. */
#include <netlink/msg.h>
#include <netlink/netlink.h>
#include <netlink/route/nexthop.h>
#include <netlink/route/route.h>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>

#include "plugin/live/internal.h"

#define ROUTE_MS 1000

struct live_route_answer {
	struct rtnl_route *route;
	int rc;
	bool done;
};

static void live_route_socket_free_p(struct nl_sock **sock)
{
	nl_socket_free(*sock);
}

static void live_route_message_free_p(struct nl_msg **message)
{
	nlmsg_free(*message);
}

static void live_route_put_p(struct rtnl_route **route)
{
	if (*route)
		rtnl_route_put(*route);
}

static int live_route_error(int rc, const char *what)
{
	return rc < 0 ? err_set(EIO, "%s: %s", what, nl_geterror(rc)) : 0;
}

static int live_route_on_route(struct nl_msg *message, void *arg)
{
	struct live_route_answer *answer = arg;

	if (answer->route || rtnl_route_parse(nlmsg_hdr(message), &answer->route) < 0)
		answer->route = NULL;
	answer->done = true;
	return NL_STOP;
}

static int live_route_on_error(struct sockaddr_nl *from, struct nlmsgerr *error, void *arg)
{
	struct live_route_answer *answer = arg;

	(void)from;
	answer->rc = error->error;
	answer->done = true;
	return NL_STOP;
}

/* The request: the destination and, for a link-local one, its device. */
static int live_route_request_new(struct nl_msg **out, const struct transport_address *to)
{
	const struct sockaddr_in6 *in6 = (const struct sockaddr_in6 *)&to->addr;
	const struct sockaddr_in *in = (const struct sockaddr_in *)&to->addr;
	bool v6 = to->addr.ss_family == AF_INET6;
	struct rtmsg rtm = { .rtm_family = (unsigned char)to->addr.ss_family,
			     .rtm_dst_len = v6 ? 128 : 32 };
	_cleanup_(live_route_message_free_p) struct nl_msg *message = NULL;
	int rc;

	if (!v6 && to->addr.ss_family != AF_INET)
		return err_set(EINVAL, "an address of another family has no route");
	message = nlmsg_alloc_simple(RTM_GETROUTE, NLM_F_REQUEST);
	if (!message)
		return err_no_memory();
	rc = nlmsg_append(message, &rtm, sizeof(rtm), NLMSG_ALIGNTO);
	if (!rc)
		rc = v6 ? nla_put(message, RTA_DST, 16, &in6->sin6_addr)
			: nla_put(message, RTA_DST, 4, &in->sin_addr);
	if (!rc && v6 && in6->sin6_scope_id)
		rc = nla_put_u32(message, RTA_OIF, in6->sin6_scope_id);
	if (rc)
		return live_route_error(rc, "a request for a route");
	*out = take_ptr(message);
	return 0;
}

static int live_route_wait(struct nl_sock *sock, uint64_t deadline)
{
	struct pollfd pfd = { .fd = nl_socket_get_fd(sock), .events = POLLIN };
	int rc;

	do
		rc = poll(&pfd, 1, deadline_left(deadline));
	while (rc < 0 && errno == EINTR);
	if (rc < 0)
		return err_sys("wait for a route");
	return rc ? 0 : err_set(ETIMEDOUT, "the kernel does not say which route it takes");
}

static int live_route_send(struct nl_sock *sock, struct nl_msg *request,
			   struct live_route_answer *answer, uint64_t deadline)
{
	int rc;

	nl_socket_disable_seq_check(sock);
	nl_socket_modify_cb(sock, NL_CB_VALID, NL_CB_CUSTOM, live_route_on_route, answer);
	nl_socket_modify_err_cb(sock, NL_CB_CUSTOM, live_route_on_error, answer);
	rc = live_route_error(nl_connect(sock, NETLINK_ROUTE), "netlink");
	if (!rc)
		rc = live_route_error(nl_socket_set_nonblocking(sock), "netlink");
	if (!rc)
		rc = live_route_error(nl_send_auto(sock, request), "a request for a route");
	while (!rc && !answer->done) {
		rc = live_route_wait(sock, deadline);
		if (!rc && nl_recvmsgs_default(sock) < 0 && !answer->done)
			rc = err_set(EIO, "the kernel's answer about a route");
	}
	return rc;
}

/* Reports that there is no route, or one that rejects packets. */
static int live_route_none(int error, const struct transport_address *to)
{
	const struct sockaddr_in6 *in6 = (const struct sockaddr_in6 *)&to->addr;
	const struct sockaddr_in *in = (const struct sockaddr_in *)&to->addr;
	bool v6 = to->addr.ss_family == AF_INET6;
	char text[INET6_ADDRSTRLEN] = "";

	inet_ntop(to->addr.ss_family, v6 ? (const void *)&in6->sin6_addr : &in->sin_addr, text,
		  sizeof(text));
	return err_set(ENETUNREACH, "there is no route to %s: %s", text,
		       error == EINVAL ? "a blackhole" : strerror(error));
}

static void live_route_address_text(struct nl_addr *address, char *buf, size_t cap)
{
	if (!address || !inet_ntop(nl_addr_get_family(address), nl_addr_get_binary_addr(address),
				   buf, (socklen_t)cap))
		buf[0] = '\0';
}

static int live_route_take(struct rtnl_route *route, const struct transport_address *to,
			   struct host_route *out)
{
	struct rtnl_nexthop *hop = rtnl_route_nexthop_n(route, 0);
	unsigned int mtu = 0;
	uint8_t type = rtnl_route_get_type(route);

	if (type != RTN_UNICAST && type != RTN_LOCAL)
		return live_route_none(type == RTN_PROHIBIT ? EACCES : ENETUNREACH, to);
	memset(out, 0, sizeof(*out));
	if (!hop || !if_indextoname((unsigned int)rtnl_route_nh_get_ifindex(hop), out->netdev))
		return err_set(EIO, "the route leaves by no device");
	live_route_address_text(rtnl_route_nh_get_gateway(hop) ?: rtnl_route_nh_get_via(hop),
				out->gateway, sizeof(out->gateway));
	live_route_address_text(rtnl_route_get_pref_src(route), out->source, sizeof(out->source));
	if (!rtnl_route_get_metric(route, RTAX_MTU, &mtu))
		out->mtu = mtu;
	out->local = type == RTN_LOCAL;
	return 0;
}

int live_route(const struct host *host, const struct transport_address *to, struct host_route *out)
{
	_cleanup_(live_route_socket_free_p) struct nl_sock *sock = nl_socket_alloc();
	_cleanup_(live_route_message_free_p) struct nl_msg *request = NULL;
	struct live_route_answer answer = { 0 };
	_cleanup_(live_route_put_p) struct rtnl_route *route = NULL;
	int rc;

	if (!sock)
		return err_no_memory();
	rc = live_route_request_new(&request, to);
	if (!rc)
		rc = live_route_send(sock, request, &answer, host_deadline(host, ROUTE_MS));
	route = answer.route;
	if (rc)
		return rc;
	if (answer.rc)
		return live_route_none(-answer.rc, to);
	if (!route)
		return err_set(EIO, "the kernel's route is not understood");
	return live_route_take(route, to, out);
}
