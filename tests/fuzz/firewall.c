/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Rulesets as nft prints them, from a snapshot whose writer is not trusted: every packet gets an
 * answer with a reason, or an error with words, and in bounded time. */
#include <netinet/in.h>

#include "plugin/checks/internal.h"
#include "tests/fuzz/fuzz.h"

static void set_address(struct transport_address *a, bool v6, uint8_t last, uint16_t port)
{
	struct sockaddr_in6 *in6 = (struct sockaddr_in6 *)&a->addr;
	struct sockaddr_in *in = (struct sockaddr_in *)&a->addr;

	memset(a, 0, sizeof(*a));
	if (v6) {
		in6->sin6_family = AF_INET6;
		in6->sin6_addr.s6_addr[0] = 0x20;
		in6->sin6_addr.s6_addr[15] = last;
		a->len = sizeof(*in6);
	} else {
		in->sin_family = AF_INET;
		in->sin_addr.s_addr = htonl(0xc0000200u + last);
		a->len = sizeof(*in);
	}
	transport_set_port(a, port);
}

static void ask(const char *json, size_t len, const struct firewall_packet *packet)
{
	enum firewall_answer answer = FIREWALL_UNKNOWN;
	struct firewall_place place;
	char why[FIREWALL_WHY_MAX], command[NETFILTER_COMMAND_MAX];
	int rc;

	err_clear();
	rc = firewall_eval(json, len, packet, &answer, why, sizeof(why), &place);
	if (rc) {
		FUZZ_CHECK(rc == -EBADMSG || rc == -E2BIG);
		FUZZ_CHECK(err_text()[0]);
		return;
	}
	FUZZ_CHECK(answer <= FIREWALL_UNKNOWN);
	FUZZ_CHECK(strnlen(why, sizeof(why)) < sizeof(why) && why[0]);
	FUZZ_CHECK(finding_is_clean(why));
	FUZZ_CHECK(answer == FIREWALL_DROP || !place.family[0]);
	netfilter_command(packet, &place, NULL, false, command);
	FUZZ_CHECK(strlen(command) < sizeof(command));
	/* Names of the ruleset that are in it can be nothing else to a shell. */
	FUZZ_CHECK(!command[strcspn(command, "`;|<>*?\\'\"\n")]);
}

/* Each is an address, and there once. */
static void find_peers(const char *json, size_t len, int family)
{
	struct transport_address peers[16];
	unsigned int count, i;

	count = firewall_peers(json, len, family, peers, 16);
	FUZZ_CHECK(count <= 16);
	for (i = 1; i < count; i++)
		FUZZ_CHECK(memcmp(&peers[i - 1].addr, &peers[i].addr, peers[i].len));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct firewall_packet packet = { .netdev = "eth0", .symmetric = true };
	unsigned int i;

	for (i = 0; i < 8; i++) {
		packet.hook = i & 1 ? FIREWALL_OUTPUT : FIREWALL_INPUT;
		packet.protocol = i & 2 ? IPPROTO_TCP : IPPROTO_UDP;
		packet.established = i & 4;
		packet.bridge = i == 7;
		packet.dynamic_source = i == 3;
		set_address(&packet.source, i & 4, 1, i & 2 ? 0 : 50000);
		set_address(&packet.destination, i & 4, 2, i & 2 ? 20049 : 4791);
		if (i == 6)
			packet.source.len = packet.destination.len = 0;
		ask((const char *)data, size, &packet);
	}
	find_peers((const char *)data, size, AF_INET);
	find_peers((const char *)data, size, AF_INET6);
	return 0;
}
