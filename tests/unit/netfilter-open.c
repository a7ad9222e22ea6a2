/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The command that opens a port, in the syntax of the program that owns the rules. No text of a
 * ruleset gets into a command except as a plain name. */
#include <netinet/in.h>

#include "plugin/checks/internal.h"
#include "suite.h"

static struct firewall_packet packet(enum firewall_hook hook, uint8_t protocol, uint16_t port,
				     bool reply)
{
	struct firewall_packet out = {
		.hook = hook, .netdev = "eth1", .protocol = protocol, .established = reply
	};
	struct transport_address *of = reply ? &out.source : &out.destination;

	of->addr.ss_family = AF_INET;
	of->len = sizeof(struct sockaddr_in);
	transport_set_port(of, port);
	return out;
}

static bool has_ufw;

static void expect(struct firewall_packet asked, struct firewall_place place, const char *zone,
		   const char *want)
{
	struct host_firewalld firewalld = { .running = true };
	char command[NETFILTER_COMMAND_MAX] = "before";

	if (zone)
		snprintf(firewalld.zone, sizeof(firewalld.zone), "%s", zone);
	netfilter_command(&asked, &place, zone ? &firewalld : NULL, has_ufw, command);
	if (strcmp(command, want) != 0)
		printf("%s\n", command);
	CU_ASSERT_STRING_EQUAL(command, want);
}

#define RXE_IN     packet(FIREWALL_INPUT, IPPROTO_UDP, 4791, false)
#define RXE_OUT    packet(FIREWALL_OUTPUT, IPPROTO_UDP, 4791, false)
#define SIW_REPLY  packet(FIREWALL_INPUT, IPPROTO_TCP, 20049, true)
#define PLACE(...) ((struct firewall_place){ __VA_ARGS__ })

static void nft_inserts_before_the_dropping_rule(void)
{
	expect(RXE_IN, PLACE("inet", "filter", "input"), NULL,
	       "nft insert rule inet filter input iifname eth1 udp dport 4791 accept");
	expect(RXE_OUT, PLACE("ip6", "t-1", "out.2"), NULL,
	       "nft insert rule ip6 t-1 out.2 oifname eth1 udp dport 4791 accept");
	expect(SIW_REPLY, PLACE("inet", "filter", "input"), NULL,
	       "nft insert rule inet filter input iifname eth1 tcp sport 20049 ct state established accept");
	/* Without conntrack, and with the interface in the chain. */
	expect(SIW_REPLY, PLACE("netdev", "t", "in"), NULL,
	       "nft insert rule netdev t in tcp sport 20049 accept");
}

static void iptables_is_recognised_by_its_chains(void)
{
	expect(RXE_IN, PLACE("ip", "filter", "INPUT"), NULL,
	       "iptables -I INPUT -i eth1 -p udp --dport 4791 -j ACCEPT");
	expect(RXE_OUT, PLACE("ip6", "mangle", "POSTROUTING"), NULL,
	       "ip6tables -t mangle -I POSTROUTING -o eth1 -p udp --dport 4791 -j ACCEPT");
	expect(SIW_REPLY, PLACE("ip", "filter", "INPUT"), NULL,
	       "iptables -I INPUT -i eth1 -p tcp --sport 20049 -m conntrack --ctstate ESTABLISHED -j ACCEPT");
	expect(RXE_IN, PLACE("ip", "filter", "input"), NULL,
	       "nft insert rule ip filter input iifname eth1 udp dport 4791 accept");
	expect(RXE_IN, PLACE("inet", "filter", "INPUT"), NULL,
	       "nft insert rule inet filter INPUT iifname eth1 udp dport 4791 accept");
}

static void ufw_has_its_own_command(void)
{
	expect(RXE_IN, PLACE("ip", "filter", "ufw-reject-input"), NULL,
	       "ufw allow in on eth1 to any port 4791 proto udp");
	expect(RXE_OUT, PLACE("ip6", "filter", "ufw6-user-output"), NULL,
	       "ufw insert 1 allow out on eth1 to any port 4791 proto udp");
	has_ufw = true;
	expect(RXE_IN, PLACE("ip", "filter", "INPUT"), NULL,
	       "ufw allow in on eth1 to any port 4791 proto udp");
	expect(RXE_IN, PLACE("inet", "filter", "input"), NULL,
	       "nft insert rule inet filter input iifname eth1 udp dport 4791 accept");
	has_ufw = false;
	expect(SIW_REPLY, PLACE("ip", "filter", "ufw-reject-input"), NULL, "");
}

static void firewalld_opens_ports_of_its_zone(void)
{
	static const char zone[] = "firewall-cmd --zone=public --add-port=4791/udp";

	expect(RXE_IN, PLACE("inet", "firewalld", "filter_IN_public"), "public", zone);
	/* With its iptables backend, and for a user who cannot list rules. */
	expect(RXE_IN, PLACE("ip", "filter", "IN_public"), "public", zone);
	expect(RXE_IN, PLACE("", "", ""), "public", zone);
	expect(RXE_IN, PLACE("inet", "firewalld", "filter_INPUT"), NULL,
	       "firewall-cmd --zone=$(firewall-cmd --get-zone-of-interface=eth1) "
	       "--add-port=4791/udp");
	/* Rules of another program beside firewalld. */
	expect(RXE_IN, PLACE("inet", "filter", "input"), "public",
	       "nft insert rule inet filter input iifname eth1 udp dport 4791 accept");
	/* A zone has no ports for outgoing packets. */
	expect(RXE_OUT, PLACE("inet", "firewalld", "filter_OUTPUT"), "public", "");
}

static void panic_mode_ends_first(void)
{
	struct host_firewalld zone = { .running = true, .panic = true };
	struct firewall_packet asked = RXE_IN;
	struct firewall_place place = PLACE("inet", "firewalld", "filter_INPUT");
	char command[NETFILTER_COMMAND_MAX];

	CU_ASSERT_EQUAL(netfilter_command(&asked, &place, &zone, false, command), NETFILTER_PANIC);
	CU_ASSERT_STRING_EQUAL(command, "firewall-cmd --panic-off");
}

static void unusual_names_are_quoted_or_refused(void)
{
	struct firewall_packet strange = RXE_IN;

	expect(RXE_IN, PLACE("inet", "filter", "in; reboot"), NULL, "");
	expect(RXE_IN, PLACE("inet", "$(reboot)", "input"), NULL, "");
	expect(RXE_IN, PLACE("inet", "filter", "-f"), NULL, "");
	expect(RXE_IN, PLACE("inet", "filter", ""), NULL, "");
	/* Interfaces and zones are quoted: for nft, and for a shell. */
	expect(RXE_IN, PLACE("inet", "firewalld", "x"), "a b",
	       "firewall-cmd --zone=a\\ b --add-port=4791/udp");
	strcpy(strange.netdev, "eth0`id`");
	expect(strange, PLACE("inet", "filter", "input"), NULL,
	       "nft insert rule inet filter input iifname \\\"eth0\\`id\\`\\\" udp dport 4791 accept");
	expect(strange, PLACE("ip", "filter", "INPUT"), NULL,
	       "iptables -I INPUT -i eth0\\`id\\` -p udp --dport 4791 -j ACCEPT");
	/* Nor does an unknown port. */
	expect(packet(FIREWALL_INPUT, IPPROTO_TCP, 0, false), PLACE("inet", "filter", "input"),
	       NULL, "");
	expect(RXE_IN, PLACE("", "", ""), NULL, "");
}

SUITE_MAIN("netfilter-open", TEST(nft_inserts_before_the_dropping_rule),
	   TEST(iptables_is_recognised_by_its_chains), TEST(ufw_has_its_own_command),
	   TEST(firewalld_opens_ports_of_its_zone), TEST(panic_mode_ends_first),
	   TEST(unusual_names_are_quoted_or_refused))
