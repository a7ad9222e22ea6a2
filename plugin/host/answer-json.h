/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* JSON of a record or snapshot: failed queries, and members whose values are hostile. A value that
 * is too long, unclean or of another type is -EBADMSG, never truncated. */
#ifndef PLUGIN_HOST_ANSWER_JSON_H
#define PLUGIN_HOST_ANSWER_JSON_H

#include <json-c/json.h>

#include "rpcrdma/base/base.h"

/* Returns the number of an error name, "EACCES"; 0: unknown name. */
int answer_errno(const char *name);

/* Encodes a failed query: @rc and err_text(). Returns NULL if out of memory. The caller drops it
 * with json_object_put(). */
struct json_object *answer_encode_error(int rc);
/* Returns 0 if @json is not a recorded error. Errors: -EBADMSG; and the recorded error, with its
 * text. */
int answer_decode_error(struct json_object *json);

void answer_add_text(struct json_object *json, const char *key, const char *text);
/* NULL: @json is no object, or has no such member. */
struct json_object *answer_member(struct json_object *json, const char *key);
int answer_get_text(struct json_object *json, const char *key, char *buf, size_t cap);
/* Sets the text for "no valid @what"; returns -EBADMSG. */
int answer_refuse(const char *what);

#endif
