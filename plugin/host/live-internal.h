/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The map of live*.c: answers of the system, and their form in a record (live.h). */
#ifndef PLUGIN_HOST_LIVE_INTERNAL_H
#define PLUGIN_HOST_LIVE_INTERNAL_H

#include <json-c/json.h>

#include "plugin/host/internal.h"
#include "plugin/host/live.h"

/* live-json.c: pure; an answer as JSON, and back */

/* NULL: no memory. The caller puts it. */
struct json_object *live_encode_route(const struct host_route *route);
struct json_object *live_encode_firewalld(const struct host_firewalld *firewalld);
struct json_object *live_encode_addresses(const struct host_addresses *addresses);
/* What a question came to: @rc and the words of the error slot. */
struct json_object *live_encode_error(int rc);

/* Errors: -EBADMSG; and the recorded one, with its words. */
int live_decode_route(struct json_object *json, struct host_route *out);
int live_decode_firewalld(struct json_object *json, struct host_firewalld *out);
int live_decode_addresses(struct json_object *json, struct host_addresses *out);
int live_decode_unit(struct json_object *json, const char *unit, char *state, size_t cap);
/* 0: it is no error that was recorded. */
int live_decode_error(struct json_object *json);

/* What is below is in plugin-host-live. */

/* live-nft.c */

int live_nftables(const struct host *host, struct host_text *json);

/* live-rpm.c */

/* "NAME VERSION" a line, of those of @names that are installed. @names: NULL after the last, 32 at
 * most. Errors: as live_child(). */
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

/* Where a method is. */
struct live_object {
	const char *name, *path, *interface;
};

#define LIVE_BUS_ARGS 2

/* Calls a method with strings, NULL after the last; starts no service for it.
 * Errors: -ESRCH the name has no owner; -ENOENT its owner has no such object; -EACCES;
 * -EOPNOTSUPP no such method; -ETIMEDOUT; -EIO. */
int live_bus_call(struct sd_bus *bus, const struct live_object *object,
		  const char *method, const char *const args[LIVE_BUS_ARGS],
		  uint64_t deadline, struct sd_bus_message **reply);
/* The same of a call that the caller has made. */
int live_bus_send(struct sd_bus *bus, struct sd_bus_message *call, const char *method,
		  uint64_t deadline, struct sd_bus_message **reply);
/* What sd-bus says of a message that is not of its method's form. */
int live_bus_form(int rc, const char *method);

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
