/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Routes of the kernel: in a network namespace of its own if possible, with documentation
 * addresses (RFC 5737, 3849). */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sched.h>

#include "plugin/live/internal.h"
#include "suite.h"

static bool isolated;

static struct transport_address address(const char *text)
{
	struct transport_address out;
	struct sockaddr_in6 *in6 = (struct sockaddr_in6 *)&out.addr;
	struct sockaddr_in *in = (struct sockaddr_in *)&out.addr;

	memset(&out, 0, sizeof(out));
	if (inet_pton(AF_INET, text, &in->sin_addr) == 1) {
		in->sin_family = AF_INET;
		out.len = sizeof(*in);
	} else {
		CU_ASSERT_EQUAL_FATAL(inet_pton(AF_INET6, text, &in6->sin6_addr), 1);
		in6->sin6_family = AF_INET6;
		out.len = sizeof(*in6);
	}
	return out;
}

static int route(const char *to, struct host_route *out)
{
	struct transport_address a = address(to);

	return live_route(NULL, &a, out);
}

/* Once: lo and a veth pair, with routes. Without privilege, in a user namespace. */
static void isolate(void)
{
	static bool tried;

	if (tried)
		return;
	tried = true;
	if (unshare(CLONE_NEWNET) && unshare(CLONE_NEWUSER | CLONE_NEWNET))
		return;
	isolated = !system("PATH=$PATH:/usr/sbin:/sbin; set -e; exec 2>/dev/null\n"
			   "ip link set lo up\n"
			   "ip link add near type veth peer name far\n"
			   "ip link set near up; ip link set far up\n"
			   "ip address add 192.0.2.2/24 dev near\n"
			   "ip address add 2001:db8::2/64 dev near nodad\n"
			   "ip route add 198.51.100.0/24 via 192.0.2.1 mtu 1400\n"
			   "ip route add 198.18.0.0/15 via inet6 fe80::2 dev near\n"
			   "ip route add unreachable 203.0.113.0/26\n"
			   "ip route add blackhole 203.0.113.64/26\n"
			   "ip route add prohibit 203.0.113.128/26\n"
			   "ip route add 2001:db8:1::/48 via fe80::1 dev near");
	if (!isolated)
		printf("no veth pair here: ");
}

static void this_host_is_local(void)
{
	struct host_route out;

	isolate();
	if (!isolated)
		return;
	CU_ASSERT_EQUAL(route("127.0.0.1", &out), 0);
	CU_ASSERT_STRING_EQUAL(out.netdev, "lo");
	CU_ASSERT(out.local);
	CU_ASSERT_EQUAL(route("192.0.2.2", &out), 0);
	CU_ASSERT(out.local);
	CU_ASSERT_EQUAL(route("2001:db8::2", &out), 0);
	CU_ASSERT(out.local);
}

static void an_on_link_address_has_no_gateway(void)
{
	struct host_route out;

	isolate();
	if (!isolated)
		return;
	CU_ASSERT_EQUAL(route("192.0.2.9", &out), 0);
	CU_ASSERT_STRING_EQUAL(out.netdev, "near");
	CU_ASSERT_STRING_EQUAL(out.gateway, "");
	CU_ASSERT_STRING_EQUAL(out.source, "192.0.2.2");
	CU_ASSERT_EQUAL(out.mtu, 0);
	CU_ASSERT_FALSE(out.local);
	CU_ASSERT_EQUAL(route("2001:db8::9", &out), 0);
	CU_ASSERT_STRING_EQUAL(out.source, "2001:db8::2");
}

static void a_gateway_and_its_mtu_are_reported(void)
{
	struct host_route out;

	SKIP_IF_EMULATED("does not translate metrics of routes");
	isolate();
	if (!isolated)
		return;
	CU_ASSERT_EQUAL(route("198.51.100.7", &out), 0);
	CU_ASSERT_STRING_EQUAL(out.netdev, "near");
	CU_ASSERT_STRING_EQUAL(out.gateway, "192.0.2.1");
	CU_ASSERT_EQUAL(out.mtu, 1400);
	CU_ASSERT_EQUAL(route("2001:db8:1::7", &out), 0);
	CU_ASSERT_STRING_EQUAL(out.gateway, "fe80::1");
	CU_ASSERT_EQUAL(route("198.18.0.7", &out), 0);
	CU_ASSERT_STRING_EQUAL(out.gateway, "fe80::2");
	CU_ASSERT_STRING_EQUAL(out.source, "192.0.2.2");
	CU_ASSERT_EQUAL(out.mtu, 0);
}

static void a_missing_route_is_reported_with_the_kernels_reason(void)
{
	static const char *const words[][2] = {
		{ "192.88.99.1", "there is no route to 192.88.99.1: Network is unreachable" },
		{ "203.0.113.1", "there is no route to 203.0.113.1: No route to host" },
		{ "203.0.113.65", "there is no route to 203.0.113.65: a blackhole" },
		{ "203.0.113.129", "there is no route to 203.0.113.129: Permission denied" },
		{ "2001:db8:2::1", "there is no route to 2001:db8:2::1: Network is unreachable" },
	};
	struct host_route out;
	size_t i;

	isolate();
	for (i = 0; i < ARRAY_SIZE(words) && isolated; i++) {
		SUITE_ROW("%zu", i);
		CU_ASSERT_EQUAL(route(words[i][0], &out), -ENETUNREACH);
		CU_ASSERT_STRING_EQUAL(err_text(), words[i][1]);
	}
}

static void a_link_local_address_has_its_device(void)
{
	struct transport_address a = address("fe80::9");
	struct host_route out;

	isolate();
	if (!isolated)
		return;
	((struct sockaddr_in6 *)&a.addr)->sin6_scope_id = if_nametoindex("far");
	CU_ASSERT_EQUAL(live_route(NULL, &a, &out), 0);
	CU_ASSERT_STRING_EQUAL(out.netdev, "far");
	((struct sockaddr_in6 *)&a.addr)->sin6_scope_id = if_nametoindex("near");
	CU_ASSERT_EQUAL(live_route(NULL, &a, &out), 0);
	CU_ASSERT_STRING_EQUAL(out.netdev, "near");
}

static void other_families_are_refused(void)
{
	struct transport_address a = { .len = sizeof(struct sockaddr) };
	struct host_route out;

	a.addr.ss_family = AF_UNIX;
	CU_ASSERT_EQUAL(live_route(NULL, &a, &out), -EINVAL);
}

SUITE_MAIN("live-route", TEST(this_host_is_local), TEST(an_on_link_address_has_no_gateway),
	   TEST(a_gateway_and_its_mtu_are_reported),
	   TEST(a_missing_route_is_reported_with_the_kernels_reason),
	   TEST(a_link_local_address_has_its_device), TEST(other_families_are_refused))
