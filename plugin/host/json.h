/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Releases a json-c object at the end of its scope: _cleanup_(json_put_p). */
#ifndef PLUGIN_HOST_JSON_H
#define PLUGIN_HOST_JSON_H

#include <json-c/json.h>

static inline void json_put_p(struct json_object **json)
{
	json_object_put(*json);
}

#endif
