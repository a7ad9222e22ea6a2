/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* What live*.c share: the system's answers, and their form in a record (live.h). */
#ifndef PLUGIN_HOST_LIVE_INTERNAL_H
#define PLUGIN_HOST_LIVE_INTERNAL_H

#include "plugin/host/answer-json.h"
#include "plugin/host/internal.h"
#include "plugin/host/live.h"

/* live-json.c: pure; converts answers to JSON and back */

/* Returns NULL if out of memory. The caller drops it with json_object_put(). */
struct json_object *live_encode_route(const struct host_route *route);
struct json_object *live_encode_firewalld(const struct host_firewalld *firewalld);
struct json_object *live_encode_addresses(const struct host_addresses *addresses);

/* Errors: as answer_decode_error(). */
int live_decode_route(struct json_object *json, struct host_route *out);
int live_decode_firewalld(struct json_object *json, struct host_firewalld *out);
int live_decode_addresses(struct json_object *json, struct host_addresses *out);
int live_decode_unit(struct json_object *json, const char *unit, char *state, size_t cap);

/* Everything below is in plugin-host-live. */

/* live-nft.c */

int live_nftables(const struct host *host, struct host_text *json);

/* live-rpm.c */

/* Prints one "NAME VERSION" per line for the installed packages among @names, which is
 * NULL-terminated and has at most 32 names. Errors: as tool_run(). */
int live_rpm(const char *const names[], struct host_text *out);

/* live-route.c */

int live_route(const struct host *host, const struct transport_address *to,
	       struct host_route *out);

/* live-bus.c: the system bus, by sd-bus */

struct sd_bus;
struct sd_bus_message;

/* Errors: -EHOSTDOWN there is no bus; -ETIMEDOUT. */
int live_bus_open(struct sd_bus **out, uint64_t deadline);
void live_bus_close_p(struct sd_bus **bus);
void live_bus_message_p(struct sd_bus_message **message);

/* The address of a method. */
struct live_object {
	const char *name, *path, *interface;
};

#define LIVE_BUS_ARGS 2

/* Calls a method with string arguments, NULL after the last; does not start a service.
 * Errors: -ESRCH: the name has no owner; -ENOENT: its owner has no such object; -EACCES;
 * -EOPNOTSUPP: no such method; -ETIMEDOUT; -EIO. */
int live_bus_call(struct sd_bus *bus, const struct live_object *object,
		  const char *method, const char *const args[LIVE_BUS_ARGS],
		  uint64_t deadline, struct sd_bus_message **reply);
/* The same for a message that the caller has built. */
int live_bus_send(struct sd_bus *bus, struct sd_bus_message *call, const char *method,
		  uint64_t deadline, struct sd_bus_message **reply);
/* Reports an sd-bus error for a message that does not have the form of its method. */
int live_bus_check_reply(int rc, const char *method);

/* live-address.c */

int live_addresses(const struct host *host, const char *netdev,
		   struct host_addresses *out);

/* live-firewalld.c */

int live_firewalld(const struct host *host, const char *netdev,
		   struct host_firewalld *out);

/* live-unit.c */

int live_unit(const struct host *host, const char *unit, char *state, size_t cap);
int live_unit_changed(const struct host *host, const char *unit, int64_t *seconds);

#endif
