/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The record of a system's answers, from anybody's snapshot: what is accepted is clean, and is
 * written anew without loss. The first byte says which answer it is. */
#include "plugin/live/internal.h"
#include "tests/fuzz/fuzz.h"

static void check_text(const char *text, size_t cap)
{
	FUZZ_CHECK(strnlen(text, cap) < cap);
	FUZZ_CHECK(finding_is_clean(text));
}

static void check_route(struct json_object *json)
{
	struct host_route route, again;
	struct json_object *copy;

	memset(&route, 0, sizeof(route));
	memset(&again, 0, sizeof(again));
	if (live_decode_route(json, &route))
		return;
	check_text(route.netdev, sizeof(route.netdev));
	check_text(route.gateway, sizeof(route.gateway));
	check_text(route.source, sizeof(route.source));
	copy = live_encode_route(&route);
	FUZZ_CHECK(!live_decode_route(copy, &again));
	FUZZ_CHECK(!strcmp(route.netdev, again.netdev) && route.mtu == again.mtu);
	json_object_put(copy);
}

static void check_firewalld(struct json_object *json)
{
	static struct host_firewalld zone, again;
	struct json_object *copy;

	if (live_decode_firewalld(json, &zone))
		return;
	check_text(zone.zone, sizeof(zone.zone));
	check_text(zone.target, sizeof(zone.target));
	check_text(zone.more, sizeof(zone.more));
	FUZZ_CHECK(zone.nports <= HOST_FIREWALLD_PORTS_MAX);
	copy = live_encode_firewalld(&zone);
	FUZZ_CHECK(!live_decode_firewalld(copy, &again));
	FUZZ_CHECK(!memcmp(zone.ports, again.ports, sizeof(zone.ports)));
	json_object_put(copy);
}

static void check_unit(struct json_object *json)
{
	char state[32];

	if (!live_decode_unit(json, "nfs-server.service", state, sizeof(state)))
		check_text(state, sizeof(state));
}

static void check_addresses(struct json_object *json)
{
	static struct host_addresses addresses, again;
	struct json_object *copy;
	unsigned int i;

	if (live_decode_addresses(json, &addresses))
		return;
	FUZZ_CHECK(addresses.count <= HOST_ADDRESSES_MAX);
	for (i = 0; i < addresses.count; i++)
		check_text(addresses.list[i], sizeof(addresses.list[i]));
	copy = live_encode_addresses(&addresses);
	FUZZ_CHECK(!live_decode_addresses(copy, &again));
	FUZZ_CHECK(again.count == addresses.count);
	json_object_put(copy);
}

static void check_log(struct json_object *json)
{
	struct live_log log, again;
	struct json_object *copy;
	unsigned int i;

	if (live_decode_log(json, &log))
		return;
	FUZZ_CHECK(log.count <= LIVE_LOG_LINES);
	for (i = 0; i < log.count; i++)
		check_text(log.list[i].text, sizeof(log.list[i].text));
	copy = live_encode_log(&log);
	FUZZ_CHECK(!live_decode_log(copy, &again));
	FUZZ_CHECK(again.count == log.count);
	live_log_fini(&again);
	live_log_fini(&log);
	json_object_put(copy);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static void (*const checks[])(struct json_object *) = {
		check_route, check_firewalld, check_unit, check_addresses, check_log,
	};
	struct json_object *json;
	char *text;

	if (!size)
		return 0;
	text = fuzz_text(data + 1, size - 1);
	json = json_tokener_parse(text);
	free(text);
	checks[(uint8_t)(data[0] - '0') % ARRAY_SIZE(checks)](json);
	check_text(err_text(), ERR_TEXT_MAX);
	json_object_put(json);
	return 0;
}
