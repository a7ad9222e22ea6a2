/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* JSON that another program or machine wrote, for every folder: json.c. */
#ifndef PLUGIN_HOST_JSON_H
#define PLUGIN_HOST_JSON_H

#include <json-c/json.h>

/* Arrays and objects in each other. */
#define JSON_DEPTH_MAX 64

enum json_strings {
	JSON_UTF8,
	/* What this program wrote: names and contents of files, which are any bytes. */
	JSON_BYTES,
};

/* The value that @len bytes are; *@out is NULL for null and for errors. Of two members of one name
 * the last applies. An integer that no 64 bits hold is the nearest that they do. Errors: -EBADMSG:
 * not JSON (RFC 8259), more than one value, not UTF-8, or deeper than JSON_DEPTH_MAX; -EFBIG;
 * -ENOMEM. */
int json_parse(const char *text, size_t len, enum json_strings strings, struct json_object **out);
/* -EBADMSG also for another value. */
int json_parse_object(const char *text, size_t len, enum json_strings strings,
		      struct json_object **out);

/* Releases a json-c object at the end of its scope: _cleanup_(json_put_p). */
static inline void json_put_p(struct json_object **json)
{
	json_object_put(*json);
}

#endif
