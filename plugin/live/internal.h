/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The map of plugin/live.
 *
 *	record.c       what the system answered, kept and replayed
 *	json.c         an answer as JSON   pure
 *	log.c          which lines of the kernel's log matter   pure
 *	system.c       the table of the queries below, each in a file: route.c, nft.c, firewalld.c,
 *	               unit.c, address.c, kmsg.c
 *	bus.c          the system bus, by sd-bus
 *	rpm.c, nfs-utils.c, mounts.c   queries that are not part of a record */
#ifndef PLUGIN_LIVE_INTERNAL_H
#define PLUGIN_LIVE_INTERNAL_H

#include "plugin/host/answer-json.h"
#include "plugin/host/files.h"
#include "plugin/live/live.h"
#include "rpcrdma/base/finding.h"

/* json.c: pure; converts answers to JSON and back */

/* Returns NULL if out of memory. The caller drops it with json_object_put(). */
struct json_object *live_encode_route(const struct host_route *route);
struct json_object *live_encode_firewalld(const struct host_firewalld *firewalld);
struct json_object *live_encode_addresses(const struct host_addresses *addresses);
struct json_object *live_encode_log(const struct live_log *log);

/* Errors: as answer_decode_error(). */
int live_decode_route(struct json_object *json, struct host_route *out);
int live_decode_firewalld(struct json_object *json, struct host_firewalld *out);
int live_decode_addresses(struct json_object *json, struct host_addresses *out);
int live_decode_log(struct json_object *json, struct live_log *out);
int live_decode_unit(struct json_object *json, const char *unit, char *state, size_t cap);

/* address.c */

int live_addresses(const struct host *host, const char *netdev, struct host_addresses *out);
/* The 4 or 16 bytes of an IP address; NULL: it is of another family. */
const void *live_address_bytes(const struct sockaddr *address, size_t *len);

/* Everything below is in plugin-live-system. */

/* nft.c */

int live_nftables(const struct host *host, struct host_text *json);

/* firewalld.c */

int live_firewalld(const struct host *host, const char *netdev, struct host_firewalld *out);

/* kmsg.c */

int live_kmsg(const struct host *host, struct live_log *out);
/* Takes a record, which it changes, if it is the kernel's and concerns us. @now_us: of its clock.
 * Pure. Errors: -ENOMEM. */
int live_kmsg_line(char *record, uint64_t now_us, struct live_log *log);

/* unit.c */

int live_unit(const struct host *host, const char *unit, char *state, size_t cap);
int live_unit_changed(const struct host *host, const char *unit, int64_t *seconds);

#endif
