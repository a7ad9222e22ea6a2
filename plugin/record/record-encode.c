/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Encodes a record, with the report that it extends: so a program that links this file has all of
 * plugin/report. */
#include <stdio.h>

#include "plugin/host/json.h"
#include "plugin/record/internal.h"

static struct json_object *record_mount_json(const struct record *record)
{
	struct json_object *mount = json_object_new_object();
	const struct {
		const char *key, *value;
	} texts[] = {
		{ "dev", record->id ? record->dev : NULL },
		{ "target", record->target },
		{ "fs_spec", record->fs_spec },
		{ "boot_id", record->boot_id },
		{ "wanted", record->wanted },
		{ "policy", record->policy },
		{ "effective", record->effective },
		{ "state", record_state_name(record->state) },
	};
	size_t i;

	json_object_object_add(mount, "id", record->id ? json_object_new_int64(record->id) : NULL);
	for (i = 0; i < ARRAY_SIZE(texts); i++)
		json_object_object_add(mount, texts[i].key,
				       texts[i].value ? json_object_new_string(texts[i].value)
						      : NULL);
	json_object_object_add(mount, "checked_monotonic_ms",
			       json_object_new_int64((int64_t)record->checked_ms));
	json_object_object_add(mount, "by", json_object_new_string(record->by));
	return mount;
}

int record_encode(const struct record *record, const struct report *report, char **out)
{
	_cleanup_(json_put_p) struct json_object *json = report ? report_json(report)
								: json_object_new_object();
	const char *text;

	if (!json)
		return err_no_memory();
	json_object_object_add(json, "mount", record_mount_json(record));
	text = json_object_to_json_string_ext(json, JSON_C_TO_STRING_PRETTY |
							    JSON_C_TO_STRING_SPACED |
							    JSON_C_TO_STRING_NOSLASHESCAPE);
	if (!text || asprintf(out, "%s\n", text) < 0)
		return err_no_memory();
	return 0;
}
