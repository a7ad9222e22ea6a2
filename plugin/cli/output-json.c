/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* JSON of commands that print no report: plan, setup and ovirt. Text of others may be no UTF-8; it
 * is cleaned here. */
#include <json-c/json.h>

#include "plugin/cli/cli.h"

bool output_is_json(const struct cli *cli)
{
	return !strcmp(cli->format->name, "json");
}

struct json_object *output_json_text(const char *text)
{
	/* U+FFFD takes three bytes, for one. */
	size_t cap = text ? 3 * strlen(text) + 1 : 0;
	_cleanup_free_ char *clean = text ? malloc(cap) : NULL;

	return clean ? json_object_new_string(utf8_clean(clean, cap, text, UTF8_REPLACE)) : NULL;
}

void output_json_add(struct json_object *to, const char *key, const char *text)
{
	json_object_object_add(to, key, output_json_text(text));
}

void output_json_print(struct json_object *root)
{
	puts(json_object_to_json_string_ext(root, JSON_C_TO_STRING_PRETTY |
							  JSON_C_TO_STRING_NOSLASHESCAPE));
	json_object_put(root);
}
