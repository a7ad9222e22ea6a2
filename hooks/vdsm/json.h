/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* json.c, for the files here that have to do with JSON. */
#ifndef HOOKS_VDSM_JSON_H
#define HOOKS_VDSM_JSON_H

#include "plugin/host/json.h"

/* @text: NULL is null; what is not UTF-8 in it becomes question marks. */
void vdsm_json_add(struct json_object *object, const char *key, const char *text);
/* Borrowed until the next change of it. */
const char *vdsm_json_print(struct json_object *json);

#endif
