/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

#include <stdio.h>

#include "plugin/host/answer-json.h"
#include "rpcrdma/base/finding.h"

/* Linux's are below this. */
#define ERRNO_MAX 134

int answer_errno(const char *name)
{
	const char *known;
	int number;

	for (number = 1; number < ERRNO_MAX; number++) {
		known = strerrorname_np(number);
		if (known && !strcmp(known, name))
			return number;
	}
	return 0;
}

int answer_refuse(const char *what)
{
	return err_set(EBADMSG, "the record has no valid %s", what);
}

void answer_add_text(struct json_object *json, const char *key, const char *text)
{
	json_object_object_add(json, key, json_object_new_string(text));
}

struct json_object *answer_member(struct json_object *json, const char *key)
{
	struct json_object *value = NULL;

	if (json_object_is_type(json, json_type_object))
		json_object_object_get_ex(json, key, &value);
	return value;
}

int answer_get_text(struct json_object *json, const char *key, char *buf, size_t cap)
{
	struct json_object *value = answer_member(json, key);
	const char *text;

	if (!json_object_is_type(value, json_type_string))
		return answer_refuse(key);
	text = json_object_get_string(value);
	if ((size_t)json_object_get_string_len(value) != strlen(text) || !finding_is_clean(text) ||
	    !str_copy(buf, cap, text))
		return answer_refuse(key);
	return 0;
}

struct json_object *answer_encode_error(int rc)
{
	struct json_object *json = json_object_new_object();
	const char *name = strerrorname_np(-rc);
	char text[ERR_TEXT_MAX];

	str_copy(text, sizeof(text), err_text());
	finding_clean(text);
	answer_add_text(json, "error", name ? name : "EIO");
	answer_add_text(json, "text", text);
	return json;
}

int answer_decode_error(struct json_object *json)
{
	char name[32], text[ERR_TEXT_MAX];
	int number;

	if (!answer_member(json, "error"))
		return 0;
	if (answer_get_text(json, "error", name, sizeof(name)) ||
	    answer_get_text(json, "text", text, sizeof(text)))
		return -EBADMSG;
	number = answer_errno(name);
	return number ? err_set(number, "%s", text) : answer_refuse("error");
}
