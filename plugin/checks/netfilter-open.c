/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The command that opens a port for a packet that is dropped, by the program that owns the rules
 * there: firewalld for its zone, ufw and iptables-nft for their tables, else nft. It opens that
 * port on that interface and nothing more. */
#include <netinet/in.h>
#include <stdarg.h>
#include <stdio.h>

#include "plugin/checks/internal.h"
#include "plugin/report/shell.h"

/* How a packet is matched. */
struct open_match {
	const struct firewall_packet *packet;
	const struct firewall_place *place;
	const char *zone; /* NULL: firewalld does not say */
	const char *protocol, *field;
	bool in;
	uint16_t port;
};

/* A name that nft accepts. A shell's quotes are not enough: a semicolon means something to nft
 * too. */
static bool open_is_plain(const char *name)
{
	static const char good[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.";

	return *name && *name != '-' && strspn(name, good) == strlen(name);
}

/* iptables names its chains in capitals, users of nft do not. */
static bool open_is_iptables(const struct open_match *match)
{
	static const char *const tables[] = { "filter", "mangle", "raw", "security" };
	char first = match->place->chain[0];
	size_t i;

	if (strcmp(match->place->family, "ip") != 0 && strcmp(match->place->family, "ip6") != 0)
		return false;
	for (i = 0; i < ARRAY_SIZE(tables); i++)
		if (!strcmp(match->place->table, tables[i]))
			return first >= 'A' && first <= 'Z';
	return false;
}

/* No command, if it does not fit: a truncated one is another command. */
PRINTF_LIKE(2, 3)
static void open_put(char *command, const char *fmt, ...)
{
	va_list ap;
	int len;

	va_start(ap, fmt);
	len = vsnprintf(command, NETFILTER_COMMAND_MAX, fmt, ap);
	va_end(ap);
	if (len < 0 || len >= NETFILTER_COMMAND_MAX)
		*command = '\0';
}

/* A zone's ports do not apply to replies and outgoing packets. */
static void open_by_firewalld(const struct open_match *match, char *command)
{
	if (!match->in || match->packet->established)
		return;
	if (match->zone)
		open_put(command, "firewall-cmd --zone=%s --add-port=%u/%s",
			 SHELL_WORD(match->zone), match->port, match->protocol);
	else
		open_put(command,
			 "firewall-cmd --zone=$(firewall-cmd --get-zone-of-interface=%s) "
			 "--add-port=%u/%s",
			 SHELL_WORD(match->packet->netdev), match->port, match->protocol);
}

/* The first rule that matches applies, so one that denies must come later. */
static void open_by_ufw(const struct open_match *match, char *command)
{
	bool before = strstr(match->place->chain, "-user-");

	if (!match->packet->established)
		open_put(command, "ufw %sallow %s on %s to any port %u proto %s",
			 before ? "insert 1 " : "", match->in ? "in" : "out",
			 SHELL_WORD(match->packet->netdev), match->port, match->protocol);
}

static void open_by_iptables(const struct open_match *match, char *command)
{
	const struct firewall_place *place = match->place;
	bool filter = !strcmp(place->table, "filter");

	open_put(command, "%s %s%s%s-I %s -%c %s -p %s --%s %u%s -j ACCEPT",
		 strcmp(place->family, "ip") ? "ip6tables" : "iptables", filter ? "" : "-t ",
		 filter ? "" : place->table, filter ? "" : " ", place->chain, match->in ? 'i' : 'o',
		 SHELL_WORD(match->packet->netdev), match->protocol, match->field, match->port,
		 match->packet->established ? " -m conntrack --ctstate ESTABLISHED" : "");
}

/* nft parses its arguments as a language of its own, in which a name that is not an identifier
 * needs double quotes, and cannot contain one. */
static const char *open_nft_name(const char *name, struct shell_word *word)
{
	char quoted[64];

	if (open_is_plain(name))
		return shell_word(word, name);
	snprintf(quoted, sizeof(quoted), "\"%.60s\"", name);
	return shell_word(word, quoted);
}

static void open_by_nft(const struct open_match *match, char *command)
{
	const struct firewall_place *place = match->place;
	struct shell_word word;
	char interface[SHELL_WORD_MAX + 16] = "";

	/* A chain of family netdev has its interface already. */
	if (strcmp(place->family, "netdev") != 0)
		snprintf(interface, sizeof(interface), "%s %s ", match->in ? "iifname" : "oifname",
			 open_nft_name(match->packet->netdev, &word));
	open_put(command, "nft insert rule %s %s %s %s%s %s %u %saccept", place->family,
		 place->table, place->chain, interface, match->protocol, match->field, match->port,
		 match->packet->established && *interface ? "ct state established " : "");
}

static void (*const writers[])(const struct open_match *match, char *command) = {
	[NETFILTER_FIREWALLD] = open_by_firewalld,
	[NETFILTER_UFW] = open_by_ufw,
	[NETFILTER_IPTABLES] = open_by_iptables,
	[NETFILTER_NFTABLES] = open_by_nft,
};

enum netfilter_owner netfilter_command(const struct firewall_packet *packet,
				       const struct firewall_place *place,
				       const struct host_firewalld *zone, bool has_ufw,
				       char command[NETFILTER_COMMAND_MAX])
{
	enum netfilter_owner owner = NETFILTER_NONE;
	bool reply = packet->established, known = place->family[0];
	struct open_match match = {
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
		str_copy(command, NETFILTER_COMMAND_MAX, "firewall-cmd --panic-off");
		return NETFILTER_PANIC;
	}
	if (!match.port ||
	    (known && (!open_is_plain(place->table) || !open_is_plain(place->chain))))
		return owner;
	/* Its rules may be those of iptables-nft. */
	if (!strcmp(place->table, "firewalld") || (zone && (!known || open_is_iptables(&match))))
		owner = NETFILTER_FIREWALLD;
	/* ufw denies the rest by the policy of iptables' own chain. */
	else if (!strncmp(place->chain, "ufw", 3) || (has_ufw && open_is_iptables(&match)))
		owner = NETFILTER_UFW;
	else if (open_is_iptables(&match))
		owner = NETFILTER_IPTABLES;
	else if (known)
		owner = NETFILTER_NFTABLES;
	if (owner != NETFILTER_NONE)
		writers[owner](&match, command);
	return *command ? owner : NETFILTER_NONE;
}
