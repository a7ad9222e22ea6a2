/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* What a packet filter does with one packet: the rules of nftables, those of iptables-nft among
 * them, as `nft -j list ruleset` prints them, and firewalld's zones. Pure: it asks no system and
 * touches no network. What cannot be evaluated is unknown, and named. */
#ifndef PLUGIN_FIREWALL_H
#define PLUGIN_FIREWALL_H

#include "plugin/live/live.h"

/* DROP: rejected too. UNKNOWN: something that cannot be evaluated could decide either way. */
enum firewall_answer { FIREWALL_ACCEPT, FIREWALL_DROP, FIREWALL_UNKNOWN };
enum firewall_hook { FIREWALL_INPUT, FIREWALL_OUTPUT };

/* A packet from or to this host, as far as it is known. */
struct firewall_packet {
	enum firewall_hook hook;
	char netdev[IFNAMSIZ]; /* it arrives or leaves there */
	/* With ports. len 0: any; zeros as address or port: any, the address of that family. */
	struct transport_address source, destination;
	uint8_t protocol; /* IPPROTO_UDP, IPPROTO_TCP */
	bool established; /* a reply that conntrack knows; otherwise the first of its connection (a SYN) */
	bool bridge; /* netdev is a bridge, so the bridge family's chains count */
	/* Its source port is unknown, but one of 49152 to 65535, as RoCE's are. */
	bool dynamic_source;
	/* Input: the route to the source leaves by netdev, so reverse path filters pass it. */
	bool symmetric;
};

#define FIREWALL_WHY_MAX 320

/* The place of a rule or a policy, as nft names it. */
struct firewall_place {
	char family[8], table[64], chain[64]; /* family empty: not known */
};

/* eval.c */

/* What the rules that `nft -j list ruleset` printed do with the packet: rules of the families
 * ip, ip6 and inet at prerouting and input, or output and postrouting, and of netdev at that
 * device.
 * @why: the rule that decided, or the first one that cannot be evaluated and could have: clean text.
 * @place: of what drops it; NULL if not wanted.
 * Errors: -EBADMSG not a ruleset; -E2BIG more than is read. */
int firewall_eval(const char *json, size_t len, const struct firewall_packet *packet,
		  enum firewall_answer *answer, char *why, size_t cap,
		  struct firewall_place *place);

/* peers.c */

/* The addresses of a family that the rules have, each once; of a prefix its first. */
unsigned int firewall_peers(const char *json, size_t len, int family, struct transport_address *out,
			    unsigned int max);

/* zone.c */

/* What firewalld does with a packet that arrives by the zone's netdev: the answer for a user who
 * may not list rules. It covers firewalld's rules alone, and firewalld accepts outgoing packets
 * that no policy covers. */
void firewall_zone(const struct host_firewalld *zone, const struct firewall_packet *packet,
		   enum firewall_answer *answer, char *why, size_t cap);

#endif
