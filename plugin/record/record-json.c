/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Decodes a record; file names. Readers link this file without plugin/report. */
#include <inttypes.h>
#include <stdio.h>

#include "plugin/host/json.h"
#include "plugin/record/internal.h"

static const char *const record_states[RECORD_STATE_COUNT] = {
	[RECORD_UNPROVEN] = "unproven",
	[RECORD_PROVEN] = "proven",
	[RECORD_TCP] = "tcp",
	[RECORD_GONE] = "gone",
};

const char *record_state_name(enum record_state state)
{
	return record_states[state];
}

const char *record_name(unsigned int id, char name[RECORD_NAME_MAX])
{
	snprintf(name, RECORD_NAME_MAX, "%u.json", id);
	return name;
}

/* A file name: FNV-1a of the directory as a record has it. If two directories have one
 * hash, the record of one is only rejected for the other. */
const char *record_pending_name(const char *target, char name[RECORD_NAME_MAX])
{
	char text[sizeof(((struct record *)NULL)->target)];
	uint64_t hash = 0xcbf29ce484222325u;
	const char *p;

	text_copy(text, sizeof(text), target);
	for (p = text; *p; p++)
		hash = (hash ^ (uint8_t)*p) * 0x100000001b3u;
	snprintf(name, RECORD_NAME_MAX, "pending-%016" PRIx64 ".json", hash);
	return name;
}

const char *record_pending_path(const char *target, char path[RECORD_PATH_MAX])
{
	char name[RECORD_NAME_MAX];

	snprintf(path, RECORD_PATH_MAX, "/" RECORD_FOLDER "/%.40s",
		 record_pending_name(target, name));
	return path;
}

const char *record_file_name(const struct record *record, char name[RECORD_NAME_MAX])
{
	return record->id ? record_name(record->id, name)
			  : record_pending_name(record->target, name);
}

static int record_get_text(struct json_object *mount, const char *key, char *buf, size_t cap)
{
	struct json_object *value;
	size_t len;

	if (!json_object_object_get_ex(mount, key, &value) ||
	    !json_object_is_type(value, json_type_string))
		return err_set(EBADMSG, "\"%s\" of a record is not text", key);
	len = (size_t)json_object_get_string_len(value);
	if (len >= cap || strlen(json_object_get_string(value)) != len ||
	    !finding_is_clean(json_object_get_string(value)))
		return err_set(EBADMSG, "\"%s\" of a record is invalid", key);
	memcpy(buf, json_object_get_string(value), len + 1);
	return 0;
}

static int record_get_number(struct json_object *mount, const char *key, int64_t min, int64_t max,
			     int64_t *out)
{
	struct json_object *value;

	if (!json_object_object_get_ex(mount, key, &value) ||
	    !json_object_is_type(value, json_type_int))
		return err_set(EBADMSG, "\"%s\" of a record is not a number", key);
	*out = json_object_get_int64(value);
	if (*out < min || *out > max)
		return err_set(EBADMSG, "\"%s\" of a record is out of range", key);
	return 0;
}

static int record_get_state(struct json_object *mount, enum record_state *out)
{
	char name[16];
	int rc = record_get_text(mount, "state", name, sizeof(name));
	size_t i;

	for (i = 0; !rc && i < ARRAY_SIZE(record_states); i++) {
		if (strcmp(name, record_states[i]))
			continue;
		*out = (enum record_state)i;
		return 0;
	}
	return rc ? rc : err_set(EBADMSG, "unknown state \"%.15s\" in a record", name);
}

static int record_get_mount(struct json_object *mount, struct record *out)
{
	const struct {
		const char *key;
		char *buf;
		size_t cap;
	} texts[] = {
		{ "target", out->target, sizeof(out->target) },
		{ "fs_spec", out->fs_spec, sizeof(out->fs_spec) },
		{ "boot_id", out->boot_id, sizeof(out->boot_id) },
		{ "wanted", out->wanted, sizeof(out->wanted) },
		{ "effective", out->effective, sizeof(out->effective) },
		{ "by", out->by, sizeof(out->by) },
	};
	struct json_object *value;
	int64_t id = 0, checked = 0;
	size_t i;
	int rc;

	/* A pending record has null for id and device: then id is 0. */
	if (!json_object_object_get_ex(mount, "id", &value) || value) {
		rc = record_get_number(mount, "id", 1, UINT32_MAX, &id);
		if (rc)
			return rc;
		out->id = (unsigned int)id;
		rc = record_get_text(mount, "dev", out->dev, sizeof(out->dev));
		if (rc)
			return rc;
	}
	for (i = 0; i < ARRAY_SIZE(texts); i++) {
		rc = record_get_text(mount, texts[i].key, texts[i].buf, texts[i].cap);
		if (rc)
			return rc;
	}
	/* Added later than the other keys. */
	rc = json_object_object_get_ex(mount, "policy", NULL)
		     ? record_get_text(mount, "policy", out->policy, sizeof(out->policy))
		     : 0;
	if (rc)
		return rc;
	rc = record_get_state(mount, &out->state);
	if (rc)
		return rc;
	rc = record_get_number(mount, "checked_monotonic_ms", 0, INT64_MAX, &checked);
	out->checked_ms = (uint64_t)checked;
	return rc;
}

int record_decode(const char *text, struct record *out)
{
	_cleanup_(json_put_p) struct json_object *json = NULL;
	struct record record = { 0 };
	struct json_object *mount;
	int rc;

	if (strnlen(text, RECORD_MAX + 1) > RECORD_MAX)
		return err_set(EBADMSG, "a record is too long");
	rc = json_parse_object(text, strlen(text), JSON_BYTES, &json);
	if (rc)
		return err_context(rc, "a record");
	if (!json_object_object_get_ex(json, "mount", &mount) ||
	    !json_object_is_type(mount, json_type_object))
		return err_set(EBADMSG, "a record is a JSON object without a mount in it");
	rc = record_get_mount(mount, &record);
	if (!rc)
		*out = record;
	return rc;
}
