/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* JSON as VDSM writes it, parsed by json-c in strict mode: VDSM would reject laxer JSON, too. */
#include "hooks/vdsm/internal.h"
#include "hooks/vdsm/json.h"

static void vdsm_json_tokener_free_p(struct json_tokener **tokener)
{
	if (*tokener)
		json_tokener_free(*tokener);
}

/* json-c accepts them around names, even in strict mode. */
static bool vdsm_json_has_single_quotes(const char *text)
{
	bool inside = false;

	for (; *text; text++) {
		if (inside && *text == '\\' && text[1])
			text++;
		else if (*text == '"')
			inside = !inside;
		else if (*text == '\'' && !inside)
			return true;
	}
	return false;
}

int vdsm_json_object(const char *text, size_t len, struct json_object **out)
{
	_cleanup_(vdsm_json_tokener_free_p) struct json_tokener *tokener =
		json_tokener_new_ex(VDSM_JSON_DEPTH);
	_cleanup_(json_put_p) struct json_object *json = NULL;

	if (!tokener)
		return err_no_memory();
	if (len >= INT32_MAX || memchr(text, '\0', len) ||
	    vdsm_json_has_single_quotes(text))
		return err_set(EBADMSG, "not JSON");
	json_tokener_set_flags(tokener, JSON_TOKENER_STRICT | JSON_TOKENER_VALIDATE_UTF8);
	/* With the trailing NUL, which ends a number that could continue. */
	json = json_tokener_parse_ex(tokener, text, (int)len + 1);
	if (json_tokener_get_error(tokener) != json_tokener_success)
		return err_set(EBADMSG, "not JSON: %s at byte %zu",
			       json_tokener_error_desc(json_tokener_get_error(tokener)),
			       json_tokener_get_parse_end(tokener));
	if (!json_object_is_type(json, json_type_object))
		return err_set(EBADMSG, "JSON, but not an object");
	*out = take_ptr(json);
	return 0;
}

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
