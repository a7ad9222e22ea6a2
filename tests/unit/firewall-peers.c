/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Addresses that rules name. */
#include <arpa/inet.h>

#include "plugin/firewall/firewall.h"
#include "suite.h"

#define PEERS_MAX 4

static struct transport_address peers[PEERS_MAX];

static unsigned int find(const char *json, int family)
{
	return firewall_peers(json, strlen(json), family, peers, PEERS_MAX);
}

static bool is(const struct transport_address *a, const char *want)
{
	char text[INET6_ADDRSTRLEN];
	const void *bytes =
		a->addr.ss_family == AF_INET6
			? (const void *)&((const struct sockaddr_in6 *)&a->addr)->sin6_addr
			: &((const struct sockaddr_in *)&a->addr)->sin_addr;

	if (!inet_ntop(a->addr.ss_family, bytes, text, sizeof(text)))
		return false;
	suite_saw("%s", text);
	return !strcmp(text, want);
}

static void addresses_prefixes_and_ranges_are_found_once(void)
{
	static const char json[] =
		"{\"left\":{\"payload\":{\"protocol\":\"ip\",\"field\":\"saddr\"}},\"right\":"
		"{\"set\":[\"192.0.2.1\",{\"prefix\":{\"addr\":\"198.51.100.0\",\"len\":24}},"
		"\"192.0.2.1\",{\"range\":[\"10.0.0.1\",\"10.0.0.9\"]},\"2001:db8::\"]}}";

	CU_ASSERT_EQUAL_FATAL(find(json, AF_INET), 4);
	CU_ASSERT(is(&peers[0], "192.0.2.1"));
	CU_ASSERT(is(&peers[1], "198.51.100.0"));
	CU_ASSERT(is(&peers[3], "10.0.0.9"));
	CU_ASSERT_EQUAL_FATAL(find(json, AF_INET6), 1);
	CU_ASSERT(is(&peers[0], "2001:db8::"));
	CU_ASSERT_EQUAL(transport_port(&peers[0]), 0);
}

static void the_number_of_addresses_is_limited(void)
{
	CU_ASSERT_EQUAL(
		find("\"1.1.1.1\",\"1.1.1.2\",\"1.1.1.3\",\"1.1.1.4\",\"1.1.1.5\"", AF_INET),
		PEERS_MAX);
}

static void other_strings_are_ignored(void)
{
	char text[5000];

	CU_ASSERT_EQUAL(find("", AF_INET), 0);
	CU_ASSERT_EQUAL(find("\"", AF_INET), 0);
	CU_ASSERT_EQUAL(find("\"192.0.2.1", AF_INET), 0);
	CU_ASSERT_EQUAL(find("192.0.2.1", AF_INET), 0);
	CU_ASSERT_EQUAL(find("\"192.0.2.256\",\"eth0\",\"\"", AF_INET), 0);
	memset(text, '1', sizeof(text));
	text[0] = text[sizeof(text) - 2] = '"';
	text[sizeof(text) - 1] = '\0';
	CU_ASSERT_EQUAL(find(text, AF_INET), 0);
	/* A comment with a quotation mark does not hide what follows it. */
	CU_ASSERT_EQUAL(find("\"a \\\" b\",\"192.0.2.7\"", AF_INET), 1);
}

SUITE_MAIN("firewall-peers", TEST(addresses_prefixes_and_ranges_are_found_once),
	   TEST(the_number_of_addresses_is_limited), TEST(other_strings_are_ignored))
