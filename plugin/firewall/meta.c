/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* What is known of the packet besides its bytes: interfaces, protocols, and its connection
 * (libnftables-json(5), "meta", "ct"). What is not in these tables is unknown. */
#include <netinet/in.h>
#include <stdio.h>

#include "plugin/firewall/internal.h"

/* --- meta -------------------------------------------------------------------- */

static const struct operand_symbol protocols[] = {
	{ "tcp", IPPROTO_TCP },          { "udp", IPPROTO_UDP },
	{ "icmp", IPPROTO_ICMP },        { "icmpv6", IPPROTO_ICMPV6 },
	{ "ipv6-icmp", IPPROTO_ICMPV6 }, { "sctp", IPPROTO_SCTP },
	{ "dccp", IPPROTO_DCCP },        { "udplite", IPPROTO_UDPLITE },
	{ "esp", IPPROTO_ESP },          { "ah", IPPROTO_AH },
	{ "comp", IPPROTO_COMP },        { "igmp", IPPROTO_IGMP },
	{ "gre", IPPROTO_GRE },          { NULL, 0 },
};

static const struct operand_symbol families[] = {
	{ "ipv4", 2 },
	{ "ipv6", 10 },
	{ NULL, 0 },
};

static const struct operand_symbol ethertypes[] = {
	{ "ip", 0x0800 },    { "ip6", 0x86dd },    { "arp", 0x0806 }, { "vlan", 0x8100 },
	{ "8021q", 0x8100 }, { "8021ad", 0x88a8 }, { NULL, 0 },
};

static const struct operand_symbol packet_types[] = {
	{ "host", 0 },      { "unicast", 0 }, { "broadcast", 1 },
	{ "multicast", 2 }, { "other", 3 },   { NULL, 0 },
};

bool run_is_input(const struct firewall_run *run)
{
	return run->packet->hook == FIREWALL_INPUT;
}

bool run_is_family(const struct firewall_run *run, const char *family)
{
	return !strcmp(run->base->family, family);
}

/* A frame enters a bridge by one of its ports, which is unknown. */
static void meta_interface(struct firewall_run *run, struct operand *out, bool here)
{
	if (here && run_is_family(run, "bridge")) {
		operand_unknown(run, out, "the bridge's port");
		return;
	}
	out->kind = here ? OPERAND_NAME : OPERAND_NOWHERE;
	out->name = run->packet->netdev;
}

static void meta_interface_in(struct firewall_run *run, struct operand *out)
{
	meta_interface(run, out, run_is_input(run));
}

static void meta_interface_out(struct firewall_run *run, struct operand *out)
{
	meta_interface(run, out, !run_is_input(run));
}

static void meta_bridge_name(struct firewall_run *run, struct operand *out)
{
	out->kind = OPERAND_NAME;
	out->name = run->packet->netdev;
}

void operand_layer4(struct firewall_run *run, struct operand *out)
{
	operand_symbol(out, run->packet->protocol, protocols);
}

static void meta_of_family(struct firewall_run *run, struct operand *out, uint64_t v4, uint64_t v6,
			   const struct operand_symbol *symbols)
{
	int family = packet_family(run->packet);

	if (family == AF_UNSPEC)
		operand_unknown(run, out, "a packet of either IP version");
	else
		operand_symbol(out, family == AF_INET ? v4 : v6, symbols);
}

static void meta_nfproto(struct firewall_run *run, struct operand *out)
{
	meta_of_family(run, out, 2, 10, families);
}

void operand_ethertype(struct firewall_run *run, struct operand *out)
{
	meta_of_family(run, out, 0x0800, 0x86dd, ethertypes);
}

static void meta_packet_type(struct firewall_run *run, struct operand *out)
{
	if (run_is_input(run))
		operand_symbol(out, 0, packet_types);
	else
		operand_unknown(run, out, "meta pkttype");
}

/* --- conntrack ---------------------------------------------------------------- */

/* NF_IP_PRI_CONNTRACK of linux/netfilter_ipv4.h, at prerouting and output: chains before it see
 * no connection. */
#define PRIORITY_CONNTRACK (-200)

/* Bits of NF_CT_STATE_BIT() and IP_CT_UNTRACKED in net/netfilter/nf_conntrack.h. */
static const struct operand_symbol states[] = {
	{ "invalid", 1 }, { "established", 2 }, { "related", 4 },
	{ "new", 8 },     { "untracked", 64 },  { NULL, 0 },
};

/* enum ip_conntrack_status */
static const struct operand_symbol statuses[] = {
	{ "expected", 1 }, { "seen-reply", 2 }, { "assured", 4 }, { "confirmed", 8 },
	{ "snat", 16 },    { "dnat", 32 },      { "dying", 512 }, { NULL, 0 },
};

static const struct operand_symbol directions[] = {
	{ "original", 0 },
	{ "reply", 1 },
	{ NULL, 0 },
};

static bool ct_sees_connection(struct firewall_run *run, struct operand *out)
{
	const char *hook = json_word(run->base->json, "hook");
	bool begins = hook && (!strcmp(hook, "prerouting") || !strcmp(hook, "output"));
	bool is_ip = run_is_family(run, "ip") || run_is_family(run, "ip6") ||
		     run_is_family(run, "inet");

	/* A packet that arrives on lo has the connection that it left with. */
	if (run->notrack != NO || !is_ip || !strcmp(run->packet->netdev, "lo") ||
	    (begins && run->priority == PRIORITY_CONNTRACK)) {
		operand_unknown(run, out, "conntrack at this place");
		return false;
	}
	if (begins && run->priority < PRIORITY_CONNTRACK)
		out->kind = OPERAND_MISSING;
	return out->kind != OPERAND_MISSING;
}

/* Without a connection the state is "invalid", and other keys end the rule (nft_ct.c). */
static void ct_state(struct firewall_run *run, struct operand *out)
{
	bool sees;

	if (run->notrack == YES) {
		operand_symbol(out, 64, states);
	} else {
		sees = ct_sees_connection(run, out);
		if (!sees && out->kind == OPERAND_UNKNOWN)
			return;
		operand_symbol(out, !sees ? 1 : run->packet->established ? 2 : 8, states);
	}
	out->flags = true;
}

/* The rule that could translate an address is an unknown already. */
static void ct_status(struct firewall_run *run, struct operand *out)
{
	if (!ct_sees_connection(run, out))
		return;
	operand_symbol(out, 0, statuses);
	out->known = run->packet->established ? 32 : 63;
	out->flags = true;
	operand_doubt(run, "ct status cannot be evaluated");
}

static void ct_direction(struct firewall_run *run, struct operand *out)
{
	if (ct_sees_connection(run, out))
		operand_symbol(out, run->packet->established, directions);
}

struct meta_key {
	const char *name;
	void (*read)(struct firewall_run *run, struct operand *out);
};

static const struct meta_key meta_keys[] = {
	{ "iifname", meta_interface_in },  { "iif", meta_interface_in },
	{ "oifname", meta_interface_out }, { "oif", meta_interface_out },
	{ "l4proto", operand_layer4 },     { "nfproto", meta_nfproto },
	{ "protocol", operand_ethertype }, { "pkttype", meta_packet_type },
	{ "ibrname", meta_bridge_name },   { NULL, NULL },
};

static const struct meta_key ct_keys[] = {
	{ "state", ct_state },
	{ "status", ct_status },
	{ "direction", ct_direction },
	{ NULL, NULL },
};

static void meta_read_key(struct firewall_run *run, const struct meta_key *keys, const char *kind,
			  struct json_object *expr, struct operand *out)
{
	const char *name = json_word(expr, "key");
	char what[40];

	for (; name && keys->name; keys++)
		if (!strcmp(keys->name, name)) {
			keys->read(run, out);
			return;
		}
	snprintf(what, sizeof(what), "%s %.30s", kind, name ? name : "?");
	operand_unknown(run, out, what);
}

void operand_read_meta(struct firewall_run *run, struct json_object *expr, struct operand *out)
{
	meta_read_key(run, meta_keys, "meta", expr, out);
}

void operand_read_ct(struct firewall_run *run, struct json_object *expr, struct operand *out)
{
	meta_read_key(run, ct_keys, "ct", expr, out);
}
