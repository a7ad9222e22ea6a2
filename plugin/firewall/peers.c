/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The addresses that rules name. A server does not know its clients, so a rule for some
 * addresses leaves open what happens to a packet from anywhere. For the addresses that the rule
 * names the question can be answered. */
#include <arpa/inet.h>
#include <netinet/in.h>

#include "plugin/firewall/internal.h"

static bool peers_parse(struct transport_address *out, int family, const char *text)
{
	struct sockaddr_in6 *in6 = (struct sockaddr_in6 *)&out->addr;
	struct sockaddr_in *in = (struct sockaddr_in *)&out->addr;

	memset(out, 0, sizeof(*out));
	out->addr.ss_family = (sa_family_t)family;
	out->len = family == AF_INET6 ? sizeof(*in6) : sizeof(*in);
	return inet_pton(family, text,
			 family == AF_INET6 ? (void *)&in6->sin6_addr : (void *)&in->sin_addr) == 1;
}

static bool peers_have(const struct transport_address *list, unsigned int count,
		       const struct transport_address *one)
{
	unsigned int i;

	for (i = 0; i < count; i++)
		if (!memcmp(&list[i].addr, &one->addr, one->len))
			return true;
	return false;
}

/* Between quotation marks. Whether a string is a value or a name, and whether one with a
 * backslash begins or ends there, does not matter: neither is an address. */
unsigned int firewall_peers(const char *json, size_t len, int family, struct transport_address *out,
			    unsigned int max)
{
	const char *end = json + len, *at = json, *close;
	char text[INET6_ADDRSTRLEN];
	unsigned int count = 0;

	while (count < max && (at = memchr(at, '"', (size_t)(end - at)))) {
		at++;
		close = memchr(at, '"', (size_t)(end - at));
		if (!close)
			break;
		if ((size_t)(close - at) < sizeof(text)) {
			memcpy(text, at, (size_t)(close - at));
			text[close - at] = '\0';
			if (peers_parse(&out[count], family, text) &&
			    !peers_have(out, count, &out[count]))
				count++;
		}
		/* The end of one may begin the next, if it had a backslash. */
		at = close;
	}
	return count;
}
