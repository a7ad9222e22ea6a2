/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* json.c, for the files here that have to do with JSON. */
#ifndef HOOKS_VDSM_JSON_H
#define HOOKS_VDSM_JSON_H

#include "plugin/host/json.h"

/* Deeper than anything that VDSM has by far. */
#define VDSM_JSON_DEPTH 64

/* The one object that a text is; a NUL is behind its @len bytes. Errors: -EBADMSG it is not, or
 * deeper than VDSM_JSON_DEPTH; -ENOMEM. */
int vdsm_json_object(const char *text, size_t len, struct json_object **out);
/* @text: NULL is null; what is not UTF-8 in it becomes question marks. */
void vdsm_json_add(struct json_object *object, const char *key, const char *text);
/* Borrowed until the next change of it. */
const char *vdsm_json_print(struct json_object *json);

#endif
