/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* How firewalld's zone treats a packet, for users without permission to list the rules. */
#include <netinet/in.h>

#include "plugin/firewall/firewall.h"
#include "suite.h"

static struct host_firewalld public_zone(void)
{
	struct host_firewalld zone = {
		.running = true,
		.zone = "public",
		.target = "default",
		.nports = 3,
		.ports = { { 22, 22, IPPROTO_TCP, false },
			   { 4700, 4800, IPPROTO_UDP, false },
			   { 546, 546, IPPROTO_UDP, true } },
	};

	return zone;
}

static struct firewall_packet packet(uint8_t protocol, uint16_t port)
{
	struct firewall_packet out = { .hook = FIREWALL_INPUT, .netdev = "eth0" };

	out.protocol = protocol;
	out.destination.addr.ss_family = AF_INET;
	out.destination.len = sizeof(struct sockaddr_in);
	transport_set_port(&out.destination, port);
	return out;
}

static void expect(const struct host_firewalld *zone, struct firewall_packet asked,
		   enum firewall_answer want, const char *words)
{
	enum firewall_answer answer = FIREWALL_UNKNOWN;
	char why[FIREWALL_WHY_MAX];

	firewall_zone(zone, &asked, &answer, why, sizeof(why));
	CU_ASSERT_EQUAL(answer, want);
	ASSERT_CONTAINS(why, words);
}

static void a_zone_accepts_listed_services(void)
{
	struct host_firewalld zone = public_zone();

	expect(&zone, packet(IPPROTO_TCP, 22), FIREWALL_ACCEPT, "zone public opens 22/tcp");
	expect(&zone, packet(IPPROTO_UDP, 4791), FIREWALL_ACCEPT, "4791/udp");
	expect(&zone, packet(IPPROTO_TCP, 4791), FIREWALL_DROP, "target default");
	expect(&zone, packet(IPPROTO_UDP, 22), FIREWALL_DROP, "target default");
	expect(&zone, packet(IPPROTO_TCP, 20049), FIREWALL_DROP, "zone public");
}

static void a_service_for_some_addresses_is_unknown(void)
{
	struct host_firewalld zone = public_zone();

	expect(&zone, packet(IPPROTO_UDP, 546), FIREWALL_UNKNOWN, "some addresses only");
	zone.ports[1] = (struct host_firewalld_port){ 546, 546, IPPROTO_UDP, false };
	expect(&zone, packet(IPPROTO_UDP, 546), FIREWALL_ACCEPT, "546/udp");
}

static void the_target_applies_to_the_rest(void)
{
	struct host_firewalld zone = public_zone();

	strcpy(zone.target, "ACCEPT");
	expect(&zone, packet(IPPROTO_TCP, 20049), FIREWALL_ACCEPT, "target ACCEPT");
	expect(&zone, packet(IPPROTO_UDP, 546), FIREWALL_ACCEPT, "target ACCEPT");
	strcpy(zone.target, "DROP");
	expect(&zone, packet(IPPROTO_TCP, 20049), FIREWALL_DROP, "target DROP");
	strcpy(zone.target, "%%REJECT%%");
	expect(&zone, packet(IPPROTO_TCP, 20049), FIREWALL_DROP, "%%REJECT%%");
}

static void unsupported_rules_make_the_answer_unknown(void)
{
	struct host_firewalld zone = public_zone();
	struct firewall_packet out = packet(IPPROTO_TCP, 20049);

	strcpy(zone.more, "rich rules");
	expect(&zone, packet(IPPROTO_TCP, 22), FIREWALL_UNKNOWN, "rich rules");
	expect(&zone, packet(IPPROTO_TCP, 20049), FIREWALL_UNKNOWN, "rich rules");
	out.hook = FIREWALL_OUTPUT;
	expect(&zone, out, FIREWALL_UNKNOWN, "rich rules");
}

static void replies_and_outgoing_packets_pass(void)
{
	struct host_firewalld zone = public_zone();
	struct firewall_packet asked = packet(IPPROTO_TCP, 20049);

	asked.established = true;
	expect(&zone, asked, FIREWALL_ACCEPT, "replies");
	asked.established = false;
	asked.hook = FIREWALL_OUTPUT;
	expect(&zone, asked, FIREWALL_ACCEPT, "restricts what leaves");
}

static void panic_drops_and_no_answer_accepts(void)
{
	struct host_firewalld zone = public_zone();

	zone.panic = true;
	expect(&zone, packet(IPPROTO_TCP, 22), FIREWALL_DROP, "panic");
	zone.running = false;
	expect(&zone, packet(IPPROTO_TCP, 20049), FIREWALL_ACCEPT, "is not running");
}

SUITE_MAIN("firewall-zone", TEST(a_zone_accepts_listed_services),
	   TEST(a_service_for_some_addresses_is_unknown), TEST(the_target_applies_to_the_rest),
	   TEST(unsupported_rules_make_the_answer_unknown), TEST(replies_and_outgoing_packets_pass),
	   TEST(panic_drops_and_no_answer_accepts))
