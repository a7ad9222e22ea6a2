/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The networks that this host has routes to, from proc/net/route (fib_route_seq_show() in
 * net/ipv4/fib_trie.c) and proc/net/ipv6_route (rt6_info_route() and
 * ipv6_route_native_seq_show() in net/ipv6/ip6_fib.c). The former contains only the main
 * table. */
#include <arpa/inet.h>
#include <byteswap.h>
#include <stdio.h>

#include "plugin/host/internal.h"

/* include/uapi/linux/route.h, include/uapi/linux/ipv6_route.h */
#define FLAG_UP     0x0001u
#define FLAG_REJECT 0x0200u
#define FLAG_LOCAL  0x80000000u

static struct host_network *networks_add(struct host_networks *out, int family, const char *netdev)
{
	struct host_network *network;

	if (out->count == HOST_NETWORKS_MAX)
		return NULL;
	network = &out->list[out->count++];
	*network = (struct host_network){ .family = family };
	text_copy(network->netdev, sizeof(network->netdev), netdev);
	return network;
}

/* "eth0 000200C0 00000000 0001 0 0 100 00FFFFFF 0 0 0": addresses are big-endian words,
 * printed as native integers of the machine that printed them. This is another one if the file was
 * recorded. Its masks show the byte order: their ones come first on the wire. */
static bool networks_parse_words(const char *line, char netdev[IFNAMSIZ], uint32_t *to,
				 unsigned int *flags, uint32_t *mask)
{
	return sscanf(line, "%15s %8x %*8x %4x %*d %*d %*d %8x", netdev, to, flags, mask) == 4;
}

static bool networks_is_mask(uint32_t number)
{
	return !(~number & (~number + 1));
}

/* Whether the file was printed in the other byte order. Only masks of all ones or none are the same
 * in both; of a machine without any other it is not known. */
static bool networks_are_swapped(const char *text)
{
	char netdev[IFNAMSIZ];
	unsigned int flags;
	uint32_t to, mask;

	for (; text; text = strchr(text, '\n') ? strchr(text, '\n') + 1 : NULL)
		if (networks_parse_words(text, netdev, &to, &flags, &mask) &&
		    networks_is_mask(ntohl(mask)) != networks_is_mask(ntohl(bswap_32(mask))))
			return !networks_is_mask(ntohl(mask));
	return false;
}

static bool networks_parse_hex(const char *text, uint8_t bytes[16])
{
	unsigned int i, byte;

	for (i = 0; i < 16; i++) {
		if (sscanf(text + 2 * i, "%2x", &byte) != 1)
			return false;
		bytes[i] = (uint8_t)byte;
	}
	return true;
}

static void networks_parse_ipv4(char *text, struct host_networks *out)
{
	bool swapped = networks_are_swapped(text);
	struct host_network *network;
	char netdev[IFNAMSIZ], *line;
	unsigned int flags;
	uint32_t to, mask, word;

	while ((line = line_next(&text))) {
		if (!networks_parse_words(line, netdev, &to, &flags, &mask) || !(flags & FLAG_UP) ||
		    flags & FLAG_REJECT)
			continue;
		network = networks_add(out, AF_INET, netdev);
		if (!network)
			return;
		word = swapped ? bswap_32(to) : to;
		memcpy(network->bytes, &word, sizeof(word));
		network->prefix = (unsigned int)__builtin_popcount(mask);
	}
}

/* "20010db8... 40 0000... 00 0000... 00000100 00000001 00000000 00000001     eth0" */
static void networks_parse_ipv6(char *text, struct host_networks *out)
{
	char to[33], netdev[IFNAMSIZ], *line;
	struct host_network *network;
	unsigned int prefix, flags;
	struct in6_addr in6;

	while ((line = line_next(&text))) {
		if (sscanf(line, "%32s %2x %*s %*x %*s %*x %*x %*x %8x %15s", to, &prefix, &flags,
			   netdev) != 4 ||
		    strlen(to) != 32 || prefix > 128 || !(flags & FLAG_UP) ||
		    flags & (FLAG_REJECT | FLAG_LOCAL) || !networks_parse_hex(to, in6.s6_addr) ||
		    IN6_IS_ADDR_LINKLOCAL(&in6) || IN6_IS_ADDR_MULTICAST(&in6))
			continue;
		network = networks_add(out, AF_INET6, netdev);
		if (!network)
			return;
		memcpy(network->bytes, &in6, sizeof(in6));
		network->prefix = prefix;
	}
}

static int networks_read(const struct host *host, const char *path,
			 void (*parse)(char *text, struct host_networks *out),
			 struct host_networks *out)
{
	_cleanup_(host_text_fini) struct host_text text = { NULL, 0 };
	int rc = host_read(host, path, HOST_FILE_MAX, &text);

	if (rc)
		return rc == -ENOENT ? 0 : rc;
	parse(text.text, out);
	return 0;
}

int host_networks(const struct host *host, struct host_networks *out)
{
	int rc;

	memset(out, 0, sizeof(*out));
	rc = networks_read(host, "proc/net/route", networks_parse_ipv4, out);
	return rc ? rc : networks_read(host, "proc/net/ipv6_route", networks_parse_ipv6, out);
}

/* "192.0.2.0/24", "192.0.2.0/255.255.255.0", "2001:db8::/64" or an address. */
bool network_parse(const char *text, struct host_network *out)
{
	char copy[64], *slash;
	uint64_t prefix;
	struct in_addr mask;

	if (!str_copy(copy, sizeof(copy), text))
		return false;
	slash = strchr(copy, '/');
	if (slash)
		*slash++ = '\0';
	memset(out, 0, sizeof(*out));
	out->family = strchr(copy, ':') ? AF_INET6 : AF_INET;
	if (inet_pton(out->family, copy, out->bytes) != 1)
		return false;
	out->prefix = out->family == AF_INET6 ? 128 : 32;
	if (!slash)
		return true;
	if (out->family == AF_INET && strchr(slash, '.') && inet_pton(AF_INET, slash, &mask) == 1) {
		out->prefix = (unsigned int)__builtin_popcount(mask.s_addr);
		return true;
	}
	if (!text_number(slash, strlen(slash), out->prefix, &prefix))
		return false;
	out->prefix = (unsigned int)prefix;
	return true;
}

bool network_overlaps(const struct host_network *a, const struct host_network *b)
{
	unsigned int bits = a->prefix < b->prefix ? a->prefix : b->prefix, i;

	if (a->family != b->family)
		return false;
	for (i = 0; i < bits; i++)
		if ((a->bytes[i / 8] ^ b->bytes[i / 8]) & (0x80 >> i % 8))
			return false;
	return true;
}

const char *network_text(const struct host_network *network, char buf[NETWORK_TEXT_MAX])
{
	char address[INET6_ADDRSTRLEN];

	if (!inet_ntop(network->family, network->bytes, address, sizeof(address)))
		address[0] = '\0';
	snprintf(buf, NETWORK_TEXT_MAX, "%s/%u", address, network->prefix);
	return buf;
}
