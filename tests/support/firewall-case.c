/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>

#include "tests/support/firewall-case.h"

static const char *word(struct json_object *json, const char *key)
{
	struct json_object *value = json_object_object_get(json, key);

	return json_object_is_type(value, json_type_string) ? json_object_get_string(value) : NULL;
}

static uint16_t number(struct json_object *json, const char *key)
{
	return (uint16_t)json_object_get_int(json_object_object_get(json, key));
}

static bool flag(struct json_object *json, const char *key)
{
	return json_object_get_boolean(json_object_object_get(json, key));
}

static int address(const char *text, uint16_t port, struct transport_address *out)
{
	struct sockaddr_in6 *in6 = (struct sockaddr_in6 *)&out->addr;
	struct sockaddr_in *in = (struct sockaddr_in *)&out->addr;

	memset(out, 0, sizeof(*out));
	if (!text && !port)
		return 0;
	if (!text)
		text = "0.0.0.0";
	if (inet_pton(AF_INET, text, &in->sin_addr) == 1) {
		in->sin_family = AF_INET;
		out->len = sizeof(*in);
	} else if (inet_pton(AF_INET6, text, &in6->sin6_addr) == 1) {
		in6->sin6_family = AF_INET6;
		out->len = sizeof(*in6);
	} else {
		return err_set(EINVAL, "%s is no address", text);
	}
	transport_set_port(out, port);
	return 0;
}

int firewall_case_packet(struct json_object *json, struct firewall_packet *out)
{
	const char *in = word(json, "in"), *to = word(json, "out");
	bool udp = json_object_object_get(json, "udp");
	int rc;

	memset(out, 0, sizeof(*out));
	if (!in && !to)
		return err_set(EINVAL, "a packet goes in or out");
	out->hook = in ? FIREWALL_INPUT : FIREWALL_OUTPUT;
	str_copy(out->netdev, sizeof(out->netdev), in ? in : to);
	out->protocol = udp ? IPPROTO_UDP : IPPROTO_TCP;
	out->established = flag(json, "reply");
	out->bridge = flag(json, "bridge");
	out->symmetric = flag(json, "symmetric");
	rc = address(word(json, "from"), number(json, "sport"), &out->source);
	return rc ? rc
		  : address(word(json, "to"), number(json, udp ? "udp" : "tcp"), &out->destination);
}

const char *firewall_case_answer(enum firewall_answer answer)
{
	static const char *const names[] = { "accept", "drop", "unknown" };

	return names[answer];
}
