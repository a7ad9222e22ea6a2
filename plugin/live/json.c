/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Converts answers to JSON in the format of live.h, and back from an untrusted file:
 * values that are too long, unclean or of another type are -EBADMSG, never truncated. */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>

#include "plugin/live/internal.h"

static void live_json_add(struct json_object *json, const char *key, struct json_object *value)
{
	json_object_object_add(json, key, value);
}

struct json_object *live_encode_route(const struct host_route *route)
{
	struct json_object *json = json_object_new_object();

	answer_add_text(json, "netdev", route->netdev);
	answer_add_text(json, "gateway", route->gateway);
	answer_add_text(json, "source", route->source);
	live_json_add(json, "mtu", json_object_new_int64(route->mtu));
	live_json_add(json, "local", json_object_new_boolean(route->local));
	return json;
}

static struct json_object *live_json_encode_port(const struct host_firewalld_port *port)
{
	struct json_object *json = json_object_new_object();

	live_json_add(json, "first", json_object_new_int(port->first));
	live_json_add(json, "last", json_object_new_int(port->last));
	answer_add_text(json, "protocol", port->protocol == IPPROTO_UDP ? "udp" : "tcp");
	live_json_add(json, "some", json_object_new_boolean(port->some));
	return json;
}

struct json_object *live_encode_firewalld(const struct host_firewalld *firewalld)
{
	struct json_object *json = json_object_new_object(), *ports = json_object_new_array();
	unsigned int i;

	live_json_add(json, "running", json_object_new_boolean(firewalld->running));
	live_json_add(json, "panic", json_object_new_boolean(firewalld->panic));
	answer_add_text(json, "zone", firewalld->zone);
	answer_add_text(json, "target", firewalld->target);
	for (i = 0; i < firewalld->nports; i++)
		json_object_array_add(ports, live_json_encode_port(&firewalld->ports[i]));
	live_json_add(json, "ports", ports);
	answer_add_text(json, "more", firewalld->more);
	return json;
}

/* --- decoding --------------------------------------------------------------------- */

static int live_json_take_number(struct json_object *json, const char *key, int64_t max,
				 int64_t *out)
{
	struct json_object *value = answer_member(json, key);

	*out = json_object_get_int64(value);
	if (!json_object_is_type(value, json_type_int) || *out < 0 || *out > max)
		return answer_refuse(key);
	return 0;
}

static int live_json_take_flag(struct json_object *json, const char *key, bool *out)
{
	struct json_object *value = answer_member(json, key);

	*out = json_object_get_boolean(value);
	return json_object_is_type(value, json_type_boolean) ? 0 : answer_refuse(key);
}

int live_decode_route(struct json_object *json, struct host_route *out)
{
	struct host_route route = { 0 };
	int64_t mtu;
	int rc = answer_decode_error(json);

	if (rc)
		return rc;
	if (answer_get_text(json, "netdev", route.netdev, sizeof(route.netdev)) ||
	    answer_get_text(json, "gateway", route.gateway, sizeof(route.gateway)) ||
	    answer_get_text(json, "source", route.source, sizeof(route.source)) ||
	    live_json_take_number(json, "mtu", UINT32_MAX, &mtu) ||
	    live_json_take_flag(json, "local", &route.local))
		return -EBADMSG;
	route.mtu = (unsigned int)mtu;
	*out = route;
	return 0;
}

static int live_json_decode_port(struct json_object *json, struct host_firewalld_port *out)
{
	int64_t first, last;
	char protocol[8];

	if (live_json_take_number(json, "first", UINT16_MAX, &first) ||
	    live_json_take_number(json, "last", UINT16_MAX, &last) ||
	    answer_get_text(json, "protocol", protocol, sizeof(protocol)) ||
	    live_json_take_flag(json, "some", &out->some))
		return -EBADMSG;
	if (strcmp(protocol, "tcp") != 0 && strcmp(protocol, "udp") != 0)
		return answer_refuse("protocol");
	out->first = (uint16_t)first;
	out->last = (uint16_t)last;
	out->protocol = protocol[0] == 'u' ? IPPROTO_UDP : IPPROTO_TCP;
	return 0;
}

int live_decode_firewalld(struct json_object *json, struct host_firewalld *out)
{
	struct json_object *ports = answer_member(json, "ports");
	size_t count, i;
	int rc = answer_decode_error(json);

	memset(out, 0, sizeof(*out));
	if (rc)
		return rc;
	if (live_json_take_flag(json, "running", &out->running) ||
	    live_json_take_flag(json, "panic", &out->panic) ||
	    answer_get_text(json, "zone", out->zone, sizeof(out->zone)) ||
	    answer_get_text(json, "target", out->target, sizeof(out->target)) ||
	    answer_get_text(json, "more", out->more, sizeof(out->more)))
		return -EBADMSG;
	count = json_object_is_type(ports, json_type_array) ? json_object_array_length(ports)
							    : HOST_FIREWALLD_PORTS_MAX + 1;
	if (count > HOST_FIREWALLD_PORTS_MAX)
		return answer_refuse("ports");
	for (i = 0; i < count && !rc; i++)
		rc = live_json_decode_port(json_object_array_get_idx(ports, i), &out->ports[i]);
	out->nports = (unsigned int)count;
	return rc;
}

int live_decode_unit(struct json_object *json, const char *unit, char *state, size_t cap)
{
	struct json_object *value;
	int rc = answer_decode_error(json);

	if (rc)
		return rc;
	if (!json_object_is_type(json, json_type_object))
		return answer_refuse("units");
	if (!json_object_object_get_ex(json, unit, &value))
		return err_set(ENODATA, "the snapshot does not say how unit %s is", unit);
	if (!value)
		return err_set(ENOENT, "there is no unit %s", unit);
	rc = answer_decode_error(value);
	return rc ? rc : answer_get_text(json, unit, state, cap);
}

struct json_object *live_encode_addresses(const struct host_addresses *addresses)
{
	struct json_object *json = json_object_new_array();
	unsigned int i;

	for (i = 0; i < addresses->count; i++)
		json_object_array_add(json, json_object_new_string(addresses->list[i]));
	return json;
}

static bool live_json_is_address(const char *text)
{
	uint8_t bytes[16];

	return strlen(text) < INET6_ADDRSTRLEN &&
	       (inet_pton(AF_INET, text, bytes) == 1 || inet_pton(AF_INET6, text, bytes) == 1);
}

int live_decode_addresses(struct json_object *json, struct host_addresses *out)
{
	struct json_object *one;
	size_t i, len;
	int rc = answer_decode_error(json);

	memset(out, 0, sizeof(*out));
	if (rc)
		return rc;
	if (!json_object_is_type(json, json_type_array))
		return answer_refuse("addresses");
	len = json_object_array_length(json);
	out->cut = len > HOST_ADDRESSES_MAX;
	for (i = 0; i < len && i < HOST_ADDRESSES_MAX; i++) {
		one = json_object_array_get_idx(json, i);
		if (!json_object_is_type(one, json_type_string) ||
		    !live_json_is_address(json_object_get_string(one)))
			return answer_refuse("address");
		str_copy(out->list[out->count++], sizeof(*out->list), json_object_get_string(one));
	}
	return 0;
}

struct json_object *live_encode_log(const struct live_log *log)
{
	struct json_object *json = json_object_new_array(), *line;
	unsigned int i;

	for (i = 0; i < log->count; i++) {
		line = json_object_new_object();
		json_object_object_add(line, "age", json_object_new_int64(log->list[i].age));
		json_object_object_add(line, "level", json_object_new_int64(log->list[i].level));
		json_object_object_add(line, "text", json_object_new_string(log->list[i].text));
		json_object_array_add(json, line);
	}
	return json;
}

int live_decode_log(struct json_object *json, struct live_log *out)
{
	struct json_object *one, *age, *level;
	char text[LIVE_LOG_TEXT];
	size_t i, len;
	int rc = answer_decode_error(json);

	*out = (struct live_log){ 0 };
	if (rc)
		return rc;
	if (!json_object_is_type(json, json_type_array))
		return answer_refuse("log");
	len = json_object_array_length(json);
	for (i = 0; i < len && !rc; i++) {
		one = json_object_array_get_idx(json, i);
		age = answer_member(one, "age");
		level = answer_member(one, "level");
		if (!json_object_is_type(age, json_type_int) ||
		    !json_object_is_type(level, json_type_int) || json_object_get_int64(age) < 0 ||
		    (uint64_t)json_object_get_int64(level) > 7)
			rc = answer_refuse("log");
		else if (!answer_get_text(one, "text", text, sizeof(text)))
			rc = live_log_add(out, json_object_get_int64(age),
					  (unsigned int)json_object_get_int64(level), text);
		else
			rc = -EBADMSG;
	}
	if (rc)
		live_log_fini(out);
	return rc;
}
