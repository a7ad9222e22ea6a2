/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* What a packet filter does with one packet: the rules of nftables, those of iptables-nft among
 * them, as `nft -j list ruleset` prints them, and firewalld's zones. Pure: nothing is asked here, and
 * nobody's network is touched. What is not modelled is unknown, and named. */
#ifndef PLUGIN_FIREWALL_H
#define PLUGIN_FIREWALL_H

#include "plugin/host/live.h"

/* DROP: also rejected. UNKNOWN: something that is not modelled could decide either way. */
enum firewall_answer { FIREWALL_ACCEPT, FIREWALL_DROP, FIREWALL_UNKNOWN };
enum firewall_hook { FIREWALL_INPUT, FIREWALL_OUTPUT };

/* A packet from or to this host, and what is known of it. */
struct firewall_packet {
	enum firewall_hook hook;
	char netdev[IFNAMSIZ]; /* that it comes in by, or leaves by */
	/* With ports. len 0: any; zeros as address or port: any, the address of that family. */
	struct transport_address source, destination;
	uint8_t protocol; /* IPPROTO_UDP, IPPROTO_TCP */
	bool established; /* conntrack knows it: a reply. Else the first of its kind (a SYN) */
	bool bridge;      /* netdev is a bridge, so the bridge family's chains count */
	/* Its source port is not known, but one of 49152 to 65535, as RoCE's are. */
	bool dynamic_source;
	/* Input: the route to the source leaves by netdev, so reverse path filters pass it. */
	bool symmetric;
};

#define FIREWALL_WHY_MAX 320

/* Where a rule, or a policy, is: as nft names it. */
struct firewall_place {
	char family[8], table[64], chain[64]; /* family empty: not known */
};

/* eval.c */

/* What the rules that `nft -j list ruleset` printed would do with it: of the families ip, ip6
 * and inet at prerouting and input, or output and postrouting, and of netdev at that device.
 * @why: the rule that decided, or the first that is not modelled and could: clean text.
 * @place: of what drops it; NULL where that is not wanted.
 * Errors: -EBADMSG no ruleset; -E2BIG more than is looked at. */
int firewall_eval(const char *json, size_t len, const struct firewall_packet *packet,
		  enum firewall_answer *answer, char *why, size_t cap,
		  struct firewall_place *place);

/* peers.c */

/* Addresses of a family that are somewhere in the rules, each once; of a prefix its first. */
unsigned int firewall_peers(const char *json, size_t len, int family,
			    struct transport_address *out, unsigned int max);

/* zone.c */

/* What firewalld would say to a packet that comes in by the zone's netdev: the answer to a user
 * who may not list rules. It knows nothing of other rules than firewalld's, and firewalld lets
 * out what it has no policy for. */
void firewall_zone(const struct host_firewalld *zone,
		   const struct firewall_packet *packet, enum firewall_answer *answer,
		   char *why, size_t cap);

#endif
