/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Packets of tests/firewall, as JSON:
 *
 *	{"in": "eth0", "udp": 4791, "from": "192.0.2.1", "to": "192.0.2.2", "want": "accept"}
 *
 * "in" or "out": the netdev. "udp" or "tcp": the port that it goes to, 0 for any. Optional are
 * from, to, sport; reply, bridge, symmetric (true); and for the reader of the answer "want" and
 * "why", a part of its text. */
#ifndef TESTS_SUPPORT_FIREWALL_CASE_H
#define TESTS_SUPPORT_FIREWALL_CASE_H

#include <json-c/json.h>

#include "plugin/firewall/firewall.h"

/* Errors: -EINVAL with what is wrong in it. */
int firewall_case_packet(struct json_object *json, struct firewall_packet *out);
const char *firewall_case_answer(enum firewall_answer answer);

#endif
