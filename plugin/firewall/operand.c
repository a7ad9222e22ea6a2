/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* What is known of the packet, by nft's names: its headers and its route (libnftables-json(5),
 * "payload", "fib", "&"); meta.c has the rest. What is not in these tables is unknown. */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdarg.h>
#include <stdio.h>

#include "plugin/firewall/internal.h"

enum truth operand_doubt(struct firewall_run *run, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vsnprintf(run->doubt, sizeof(run->doubt), fmt, args);
	va_end(args);
	return MAYBE;
}

bool run_is_exhausted(struct firewall_run *run)
{
	return run->steps >= FIREWALL_STEPS_MAX;
}

static int operand_family(const struct transport_address *a)
{
	return a->len ? a->addr.ss_family : AF_UNSPEC;
}

int packet_family(const struct firewall_packet *packet)
{
	int family = operand_family(&packet->source);

	return family == AF_UNSPEC ? operand_family(&packet->destination) : family;
}

void operand_unknown(struct firewall_run *run, struct operand *out, const char *what)
{
	out->kind = OPERAND_UNKNOWN;
	operand_doubt(run, "%s cannot be evaluated", what);
}

void operand_number(struct operand *out, uint64_t value, uint64_t known)
{
	out->kind = OPERAND_NUMBER;
	out->number = value;
	out->known = known;
}

void operand_symbol(struct operand *out, uint64_t value, const struct operand_symbol *symbols)
{
	operand_number(out, value, UINT64_MAX);
	out->symbols = symbols;
}

/* --- payload ------------------------------------------------------------------ */

static void operand_address(struct firewall_run *run, const struct transport_address *from,
			    const char *what, struct operand *out)
{
	static const uint8_t any[16];
	const struct sockaddr_in6 *in6 = (const struct sockaddr_in6 *)&from->addr;
	const struct sockaddr_in *in = (const struct sockaddr_in *)&from->addr;
	bool v6 = operand_family(from) == AF_INET6;

	out->address_len = v6 ? 16 : 4;
	if (from->len && v6)
		memcpy(out->address, &in6->sin6_addr, 16);
	else if (from->len)
		memcpy(out->address, &in->sin_addr, 4);
	out->kind = OPERAND_ADDRESS;
	if (!memcmp(out->address, any, out->address_len)) {
		out->kind = OPERAND_UNKNOWN;
		operand_doubt(run, "it compares the %s, which can be any", what);
	}
}

static void operand_source(struct firewall_run *run, struct operand *out)
{
	operand_address(run, &run->packet->source, "source", out);
}

static void operand_destination(struct firewall_run *run, struct operand *out)
{
	operand_address(run, &run->packet->destination, "destination", out);
}

static void operand_port(struct firewall_run *run, const struct transport_address *of,
			 const char *what, struct operand *out)
{
	uint16_t value = of->len ? transport_port(of) : 0;

	operand_number(out, value, value ? UINT64_MAX : 0);
	if (!value)
		operand_doubt(run, "it compares the %s port, which can be any", what);
}

/* The first dynamic port (RFC 6335). */
#define DYNAMIC_PORT 0xc000

static void operand_source_port(struct firewall_run *run, struct operand *out)
{
	operand_port(run, &run->packet->source, "source", out);
	if (!out->known && run->packet->dynamic_source)
		operand_number(out, DYNAMIC_PORT, ~(uint64_t)(UINT16_MAX ^ DYNAMIC_PORT));
}

static void operand_destination_port(struct firewall_run *run, struct operand *out)
{
	operand_port(run, &run->packet->destination, "destination", out);
}

/* Not a fragment: conntrack reassembles them, and both protocols forbid them. */
static void operand_fragment_offset(struct firewall_run *run, struct operand *out)
{
	(void)run;
	operand_number(out, 0, 0x3fff);
}

static const struct operand_symbol tcp_flags[] = {
	{ "fin", 1 },  { "syn", 2 },  { "rst", 4 },   { "psh", 8 }, { "ack", 16 },
	{ "urg", 32 }, { "ecn", 64 }, { "cwr", 128 }, { NULL, 0 },
};

/* The first packet is a SYN. With ECN it has two more flags, but Linux does not request ECN by
 * default (tcp_ecn). */
static void operand_tcp_flags(struct firewall_run *run, struct operand *out)
{
	operand_symbol(out, 2, tcp_flags);
	out->known = run->packet->established ? 0 : UINT64_MAX;
	out->flags = true;
	if (run->packet->established)
		operand_doubt(run, "it compares TCP flags of later packets");
}

static const struct {
	const char *protocol, *field;
	void (*read)(struct firewall_run *run, struct operand *out);
} fields[] = {
	{ "ip", "saddr", operand_source },
	{ "ip", "daddr", operand_destination },
	{ "ip", "protocol", operand_layer4 },
	{ "ip", "frag-off", operand_fragment_offset },
	{ "ip6", "saddr", operand_source },
	{ "ip6", "daddr", operand_destination },
	{ "ip6", "nexthdr", operand_layer4 },
	{ "tcp", "sport", operand_source_port },
	{ "tcp", "dport", operand_destination_port },
	{ "tcp", "flags", operand_tcp_flags },
	{ "udp", "sport", operand_source_port },
	{ "udp", "dport", operand_destination_port },
	{ "th", "sport", operand_source_port },
	{ "th", "dport", operand_destination_port },
	{ "ether", "type", operand_ethertype },
};

/* A field of a header that the packet lacks ends the rule, whatever it is compared with: nft
 * puts a test for the protocol before it, and does not print that. */
static bool packet_has_header(struct firewall_run *run, const char *protocol)
{
	static const struct {
		const char *name;
		int family;
		uint8_t protocol;
	} headers[] = {
		{ "ip", AF_INET, 0 },
		{ "ip6", AF_INET6, 0 },
		{ "icmp", 0, IPPROTO_ICMP },
		{ "igmp", 0, IPPROTO_IGMP },
		{ "icmpv6", 0, IPPROTO_ICMPV6 },
		{ "tcp", 0, IPPROTO_TCP },
		{ "udp", 0, IPPROTO_UDP },
		{ "udplite", 0, IPPROTO_UDPLITE },
		{ "sctp", 0, IPPROTO_SCTP },
		{ "dccp", 0, IPPROTO_DCCP },
		{ "esp", 0, IPPROTO_ESP },
		{ "ah", 0, IPPROTO_AH },
		{ "comp", 0, IPPROTO_COMP },
	};
	int family = packet_family(run->packet);
	size_t i;

	/* Added after the last hook of IP; lo has none. */
	if (!strcmp(protocol, "ether"))
		return strcmp(run->packet->netdev, "lo") != 0 &&
		       (run_is_input(run) || run_is_family(run, "netdev"));
	for (i = 0; i < ARRAY_SIZE(headers); i++) {
		if (strcmp(headers[i].name, protocol) != 0)
			continue;
		if (headers[i].family)
			return family == AF_UNSPEC || family == headers[i].family;
		return run->packet->protocol == headers[i].protocol;
	}
	return strcmp(protocol, "arp") != 0;
}

static void operand_read_payload(struct firewall_run *run, struct json_object *expr,
				 struct operand *out)
{
	const char *protocol = json_word(expr, "protocol"), *field = json_word(expr, "field");
	char what[48];
	size_t i;

	if (!protocol || !field) {
		operand_unknown(run, out, "a part of the packet by its offset");
		return;
	}
	if (!packet_has_header(run, protocol)) {
		out->kind = OPERAND_MISSING;
		return;
	}
	for (i = 0; i < ARRAY_SIZE(fields); i++)
		if (!strcmp(fields[i].protocol, protocol) && !strcmp(fields[i].field, field)) {
			fields[i].read(run, out);
			return;
		}
	snprintf(what, sizeof(what), "%.20s %.20s", protocol, field);
	operand_unknown(run, out, what);
}

/* --- fib, and arithmetic ------------------------------------------------------- */

/* enum of linux/rtnetlink.h, RTN_* */
static const struct operand_symbol route_types[] = {
	{ "unspec", 0 },   { "unicast", 1 },   { "local", 2 },     { "broadcast", 3 },
	{ "anycast", 4 },  { "multicast", 5 }, { "blackhole", 6 }, { "unreachable", 7 },
	{ "prohibit", 8 }, { NULL, 0 },
};

/* The near address is this host's, the far one is not; and the reverse path, if it is known. */
static void operand_read_fib(struct firewall_run *run, struct json_object *expr,
			     struct operand *out)
{
	const char *result = json_word(expr, "result");
	struct json_object *flags = json_member(expr, "flags");
	bool from = json_has_word(flags, "saddr");

	if (result && !strcmp(result, "type") && from != json_has_word(flags, "daddr") &&
	    strcmp(run->packet->netdev, "lo") != 0)
		operand_symbol(out, from == run_is_input(run) ? 1 : 2, route_types);
	else if (result && !strcmp(result, "oif") && from && json_has_word(flags, "iif") &&
		 run_is_input(run) && run->packet->symmetric)
		operand_number(out, 1, UINT64_MAX);
	else
		operand_unknown(run, out, "fib");
}

static void operand_read_and(struct firewall_run *run, struct json_object *expr,
			     struct operand *out)
{
	uint64_t mask;

	if (!json_object_is_type(expr, json_type_array) || json_object_array_length(expr) != 2) {
		operand_unknown(run, out, "arithmetic");
		return;
	}
	operand_read(run, json_object_array_get_idx(expr, 0), out);
	if (out->kind != OPERAND_NUMBER && out->kind != OPERAND_UNKNOWN)
		return;
	if (out->kind == OPERAND_UNKNOWN ||
	    !value_to_number(out, json_object_array_get_idx(expr, 1), &mask)) {
		out->kind = OPERAND_UNKNOWN;
		return;
	}
	out->number &= mask;
	out->known |= ~mask;
	out->flags = false;
}

/* IPv4 has no extension headers, and only TCP has its options. */
static void operand_read_exthdr(struct firewall_run *run, struct json_object *expr,
				struct operand *out)
{
	(void)expr;
	operand_unknown(run, out, "exthdr");
	if (packet_family(run->packet) == AF_INET)
		out->kind = OPERAND_MISSING;
}

static void operand_read_tcp_option(struct firewall_run *run, struct json_object *expr,
				    struct operand *out)
{
	(void)expr;
	operand_unknown(run, out, "tcp option");
	if (run->packet->protocol != IPPROTO_TCP)
		out->kind = OPERAND_MISSING;
}

static const struct {
	const char *name;
	void (*read)(struct firewall_run *run, struct json_object *expr, struct operand *out);
} kinds[] = {
	{ "meta", operand_read_meta },
	{ "payload", operand_read_payload },
	{ "ct", operand_read_ct },
	{ "fib", operand_read_fib },
	{ "&", operand_read_and },
	{ "exthdr", operand_read_exthdr },
	{ "tcp option", operand_read_tcp_option },
};

void operand_read(struct firewall_run *run, struct json_object *expr, struct operand *out)
{
	struct json_object *value;
	const char *name;
	char what[40];
	size_t i;

	memset(out, 0, sizeof(*out));
	if (!json_only(expr, &name, &value)) {
		operand_unknown(run, out, "an expression");
		return;
	}
	for (i = 0; i < ARRAY_SIZE(kinds); i++)
		if (!strcmp(kinds[i].name, name)) {
			kinds[i].read(run, value, out);
			return;
		}
	snprintf(what, sizeof(what), "%.38s", name);
	operand_unknown(run, out, what);
}
