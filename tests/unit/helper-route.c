/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Routes from the mount helper's own code, which may not use libnl: they must match those of
 * libnl. In a network namespace of its own if possible, with documentation addresses (RFC 5737,
 * 3849). */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sched.h>

#include "mount-helper/internal.h"
#include "tests/unit/suite.h"

static bool isolated;

static struct transport_address address(const char *text)
{
	struct transport_address out;

	CU_ASSERT_EQUAL_FATAL(transport_resolve(text, 20049, &out, 1, 0), 1);
	return out;
}

static void compare(const char *text)
{
	struct transport_address to = address(text);
	struct host_route ours, theirs;
	int want = live_system.route(NULL, &to, &theirs);
	int got = live_helper.route(NULL, &to, &ours);

	CU_ASSERT_EQUAL(got, want);
	if (got || want)
		return;
	CU_ASSERT_STRING_EQUAL(ours.netdev, theirs.netdev);
	CU_ASSERT_STRING_EQUAL(ours.gateway, theirs.gateway);
	CU_ASSERT_STRING_EQUAL(ours.source, theirs.source);
	CU_ASSERT_EQUAL(ours.local, theirs.local);
}

static void isolate(void)
{
	if (unshare(CLONE_NEWNET) && unshare(CLONE_NEWUSER | CLONE_NEWNET))
		return;
	isolated = !system("PATH=$PATH:/usr/sbin:/sbin; set -e; exec 2>/dev/null\n"
			   "ip link set lo up\n"
			   "ip link add near type veth peer name far\n"
			   "ip link set near up; ip link set far up\n"
			   "ip address add 192.0.2.2/24 dev near\n"
			   "ip address add 2001:db8::2/64 dev near nodad\n"
			   "ip route add 198.51.100.0/24 via 192.0.2.1\n"
			   "ip route add unreachable 203.0.113.0/26\n"
			   "ip route add blackhole 203.0.113.64/26\n"
			   "ip route add 2001:db8:1::/48 via fe80::1 dev near");
}

static void routes_match_libnl(void)
{
	static const char *const texts[] = {
		"127.0.0.1",   "192.0.2.2",    "192.0.2.7",     "198.51.100.9",
		"203.0.113.1", "203.0.113.65", "203.0.113.200", "::1",
		"2001:db8::2", "2001:db8::7",  "2001:db8:1::9", "2001:db9::1",
	};
	size_t i;

	isolate();
	if (!isolated)
		printf("no network namespace with routes: loopback alone\n");
	for (i = 0; i < (isolated ? ARRAY_SIZE(texts) : 1); i++) {
		SUITE_ROW("%zu: %s", i, texts[i]);
		compare(texts[i]);
	}
}

static void other_questions_have_no_data(void)
{
	struct host_firewalld zone;
	struct host_text text;
	char state[16];

	CU_ASSERT_EQUAL(live_helper.nftables(NULL, &text), -ENODATA);
	CU_ASSERT_EQUAL(live_helper.firewalld(NULL, "lo", &zone), -ENODATA);
	CU_ASSERT_EQUAL(live_helper.unit(NULL, "x.service", state, sizeof(state)), -ENODATA);
}

SUITE_MAIN("helper-route", TEST(routes_match_libnl), TEST(other_questions_have_no_data))
