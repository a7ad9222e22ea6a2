/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Networks of routes and exports, and whether one contains the other. */
#include "tests/unit/host-tree.h"

static void routes_are_read_as_the_kernel_prints_them(void)
{
	static const char *const want[] = { "0.0.0.0/0", "192.0.2.0/24", "198.51.100.0/30",
					    "2001:db8::/64", "::/0" };
	static const char *const netdevs[] = { "eth0", "ib0", "ib0", "ib0", "eth0" };
	struct host_networks networks;
	char text[NETWORK_TEXT_MAX];
	struct tree tree;
	unsigned int i;

	tree_new(&tree);
	tree_write(
		&tree, "proc/net/route",
		"Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT\n"
		"eth0\t00000000\t0101000A\t0003\t0\t0\t100\t00000000\t0\t0\t0\n"
		"ib0\t000200C0\t00000000\t0001\t0\t0\t0\t00FFFFFF\t0\t0\t0\n"
		"ib0\t006433C6\t00000000\t0001\t0\t0\t0\tFCFFFFFF\t0\t0\t0\n"
		"*\t000200C0\t00000000\t0200\t0\t0\t0\t00FFFFFF\t0\t0\t0\n"
		"ib0\tmany\n\n");
	tree_write(
		&tree, "proc/net/ipv6_route",
		"20010db8000000000000000000000000 40 00000000000000000000000000000000 00 00000000000000000000000000000000 00000100 00000001 00000000 00000001      ib0\n"
		"fe800000000000000000000000000000 40 00000000000000000000000000000000 00 00000000000000000000000000000000 00000100 00000001 00000000 00000001      ib0\n"
		"20010db8000000000000000000000001 80 00000000000000000000000000000000 00 00000000000000000000000000000000 00000000 00000001 00000000 80200001      ib0\n"
		"00000000000000000000000000000000 00 00000000000000000000000000000000 00 fe800000000000000000000000000001 00000064 00000001 00000000 00000003     eth0\n"
		"00000000000000000000000000000000 00 00000000000000000000000000000000 00 00000000000000000000000000000000 ffffffff 00000001 00000000 00200200       lo\n"
		"2001 40 zz\n");
	CU_ASSERT_EQUAL(host_networks(tree.host, &networks), 0);
	CU_ASSERT_EQUAL_FATAL(networks.count, ARRAY_SIZE(want));
	for (i = 0; i < networks.count; i++) {
		CU_ASSERT_STRING_EQUAL(network_text(&networks.list[i], text), want[i]);
		CU_ASSERT_STRING_EQUAL(networks.list[i].netdev, netdevs[i]);
	}
	tree_free(&tree);
	tree_new(&tree);
	CU_ASSERT_EQUAL(host_networks(tree.host, &networks), 0);
	CU_ASSERT_EQUAL(networks.count, 0);
	tree_fifo(&tree, "proc/net/route");
	CU_ASSERT_NOT_EQUAL(host_networks(tree.host, &networks), 0);
	tree_free(&tree);
}

/* A snapshot can be of a machine with the other byte order, and is judged here. */
static void routes_are_read_in_either_byte_order(void)
{
	static const char *const texts[] = {
		"eth0 00000000 0101000A 0003 0 0 100 00000000 0 0 0\n"
		"ib0 070200C0 00000000 0001 0 0 0 FFFFFFFF 0 0 0\n"
		"ib0 00F03FC6 00000000 0001 0 0 0 00F0FFFF 0 0 0\n",
		"eth0 00000000 0A000101 0003 0 0 100 00000000 0 0 0\n"
		"ib0 C0000207 00000000 0001 0 0 0 FFFFFFFF 0 0 0\n"
		"ib0 C63FF000 00000000 0001 0 0 0 FFFFF000 0 0 0\n",
	};
	struct host_networks networks;
	char text[NETWORK_TEXT_MAX];
	struct tree tree;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(texts); i++) {
		SUITE_ROW("%s", i ? "big-endian" : "little-endian");
		tree_new(&tree);
		tree_write(&tree, "proc/net/route", texts[i]);
		CU_ASSERT_EQUAL(host_networks(tree.host, &networks), 0);
		CU_ASSERT_EQUAL_FATAL(networks.count, 3);
		CU_ASSERT_STRING_EQUAL(network_text(&networks.list[1], text), "192.0.2.7/32");
		CU_ASSERT_STRING_EQUAL(network_text(&networks.list[2], text), "198.63.240.0/20");
		tree_free(&tree);
	}
}

static void clients_of_exports_are_networks_or_names(void)
{
	static const struct {
		const char *text, *want; /* NULL: none */
	} rows[] = {
		{ "192.0.2.0/24", "192.0.2.0/24" },
		{ "192.0.2.0/255.255.255.128", "192.0.2.0/25" },
		{ "192.0.2.7", "192.0.2.7/32" },
		{ "2001:db8::/48", "2001:db8::/48" },
		{ "2001:db8::7", "2001:db8::7/128" },
		{ "*", NULL },
		{ "@hosts", NULL },
		{ "*.example.com", NULL },
		{ "gss/krb5", NULL },
		{ "192.0.2.0/33", NULL },
		{ "192.0.2.0/", NULL },
		{ "192.0.2.0/-1", NULL },
		{ "192.0.2.0/8x", NULL },
		{ "2001:db8::/129", NULL },
		{ "", NULL },
	};
	struct host_network network;
	char text[NETWORK_TEXT_MAX];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		SUITE_ROW("%s", rows[i].text);
		CU_ASSERT_EQUAL(network_parse(rows[i].text, &network), !!rows[i].want);
		if (rows[i].want)
			CU_ASSERT_STRING_EQUAL(network_text(&network, text), rows[i].want);
	}
}

static void networks_overlap_if_one_contains_the_other(void)
{
	static const struct {
		const char *a, *b;
		bool overlap;
	} rows[] = {
		{ "192.0.2.0/24", "192.0.2.128/25", true },
		{ "192.0.2.7", "192.0.2.0/24", true },
		{ "192.0.2.0/25", "192.0.2.128/25", false },
		{ "0.0.0.0/0", "192.0.2.7", true },
		{ "2001:db8::/64", "2001:db8::/48", true },
		{ "2001:db8:1::/64", "2001:db8::/64", false },
		{ "::/0", "192.0.2.7", false },
	};
	struct host_network a, b;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		SUITE_ROW("%s %s", rows[i].a, rows[i].b);
		CU_ASSERT(network_parse(rows[i].a, &a) && network_parse(rows[i].b, &b));
		CU_ASSERT_EQUAL(network_overlaps(&a, &b), rows[i].overlap);
		CU_ASSERT_EQUAL(network_overlaps(&b, &a), rows[i].overlap);
	}
}

SUITE_MAIN("host-networks", TEST(routes_are_read_as_the_kernel_prints_them),
	   TEST(routes_are_read_in_either_byte_order),
	   TEST(clients_of_exports_are_networks_or_names),
	   TEST(networks_overlap_if_one_contains_the_other))
