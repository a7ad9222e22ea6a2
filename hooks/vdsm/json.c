/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* JSON as VDSM writes it. */
#include "hooks/vdsm/internal.h"
#include "hooks/vdsm/json.h"

void vdsm_json_add(struct json_object *object, const char *key, const char *text)
{
	_cleanup_free_ char *clean = text ? strdup(text) : NULL;

	if (clean)
		finding_clean(clean);
	json_object_object_add(object, key, clean ? json_object_new_string(clean) : NULL);
}

const char *vdsm_json_print(struct json_object *json)
{
	return json_object_to_json_string_ext(
		json, JSON_C_TO_STRING_SPACED | JSON_C_TO_STRING_NOSLASHESCAPE);
}
