/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The command that lets a packet pass where it is dropped, in the words of who owns the rules there:
 * firewalld for its zone, ufw and iptables-nft for their tables, else nft. It opens that port at
 * that interface and no more. A name that comes from the ruleset goes into a command only if a
 * shell cannot take it for anything else. */
#include <netinet/in.h>
#include <stdio.h>

#include "plugin/checks/internal.h"

/* What a packet is matched by. */
struct match {
	const struct firewall_packet *packet;
	const struct firewall_place *place;
	const char *zone; /* NULL: firewalld does not say */
	const char *protocol, *field;
	bool in;
	uint16_t port;
};

static bool is_plain(const char *name)
{
	static const char good[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.";

	return *name && *name != '-' && strspn(name, good) == strlen(name);
}

static bool is_firewalld(const struct match *match)
{
	return !strcmp(match->place->table, "firewalld");
}

/* iptables names its chains in capitals, and nft's users do not. */
static bool is_iptables(const struct match *match)
{
	static const char *const tables[] = { "filter", "mangle", "raw", "security" };
	char first = match->place->chain[0];
	size_t i;

	if (strcmp(match->place->family, "ip") != 0 &&
	    strcmp(match->place->family, "ip6") != 0)
		return false;
	for (i = 0; i < ARRAY_SIZE(tables); i++)
		if (!strcmp(match->place->table, tables[i]))
			return first >= 'A' && first <= 'Z';
	return false;
}

static bool is_ufw(const struct match *match)
{
	return !strncmp(match->place->chain, "ufw", 3);
}

/* Replies, and what goes out, are no matter of a zone's ports. */
static void by_firewalld(const struct match *match, char *command)
{
	if (!match->in || match->packet->established)
		return;
	if (match->zone)
		snprintf(
			command, NETFILTER_COMMAND_MAX,
			"firewall-cmd --zone=%s --add-port=%u/%s, and again with --permanent",
			match->zone, match->port, match->protocol);
	else
		snprintf(command, NETFILTER_COMMAND_MAX,
			 "firewall-cmd --zone=$(firewall-cmd --get-zone-of-interface=%s) "
			 "--add-port=%u/%s, and again with --permanent",
			 match->packet->netdev, match->port, match->protocol);
}

static void by_ufw(const struct match *match, char *command)
{
	if (!match->packet->established)
		snprintf(command, NETFILTER_COMMAND_MAX,
			 "ufw allow %s on %s to any port %u proto %s",
			 match->in ? "in" : "out", match->packet->netdev, match->port,
			 match->protocol);
}

static void by_iptables(const struct match *match, char *command)
{
	const struct firewall_place *place = match->place;
	bool filter = !strcmp(place->table, "filter");

	snprintf(command, NETFILTER_COMMAND_MAX,
		 "%s %s%s%s-I %s -%c %s -p %s --%s %u%s -j ACCEPT",
		 strcmp(place->family, "ip") ? "ip6tables" : "iptables",
		 filter ? "" : "-t ", filter ? "" : place->table, filter ? "" : " ",
		 place->chain, match->in ? 'i' : 'o', match->packet->netdev,
		 match->protocol, match->field, match->port,
		 match->packet->established ? " -m conntrack --ctstate ESTABLISHED" : "");
}

static void by_nft(const struct match *match, char *command)
{
	const struct firewall_place *place = match->place;
	char interface[32] = "";

	/* A chain of family netdev has its interface already. */
	if (strcmp(place->family, "netdev") != 0)
		snprintf(interface, sizeof(interface), "%s %s ",
			 match->in ? "iifname" : "oifname", match->packet->netdev);
	snprintf(command, NETFILTER_COMMAND_MAX,
		 "nft insert rule %s %s %s %s%s %s %u %saccept", place->family,
		 place->table, place->chain, interface, match->protocol, match->field,
		 match->port,
		 match->packet->established && *interface ? "ct state established " : "");
}

void netfilter_command(const struct firewall_packet *packet,
		       const struct firewall_place *place,
		       const struct host_firewalld *zone,
		       char command[NETFILTER_COMMAND_MAX])
{
	bool reply = packet->established, known = place->family[0];
	struct match match = {
		.packet = packet,
		.place = place,
		.zone = zone ? zone->zone : NULL,
		.protocol = packet->protocol == IPPROTO_UDP ? "udp" : "tcp",
		.field = reply ? "sport" : "dport",
		.in = packet->hook == FIREWALL_INPUT,
		.port = transport_port(reply ? &packet->source : &packet->destination),
	};

	command[0] = '\0';
	if (zone && zone->panic) {
		snprintf(command, NETFILTER_COMMAND_MAX, "firewall-cmd --panic-off");
		return;
	}
	if (!match.port || !is_plain(packet->netdev) || (zone && !is_plain(zone->zone)) ||
	    (known && (!is_plain(place->table) || !is_plain(place->chain))))
		return;
	/* Its rules may be iptables-nft's. */
	if (is_firewalld(&match) || (zone && (!known || is_iptables(&match))))
		by_firewalld(&match, command);
	else if (is_ufw(&match))
		by_ufw(&match, command);
	else if (is_iptables(&match))
		by_iptables(&match, command);
	else if (known)
		by_nft(&match, command);
}
