/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Sets members of a JSON object in its text. json-c first parses all of it, strictly; then the
 * position is found by quotes and brackets alone, which is enough for valid JSON. json-c parses the
 * result again, and it must have the new value; otherwise it is an error, and nothing changes.
 *
 * Of a duplicate member the last one counts, as in Python and json-c. */
#include <stdio.h>

#include "hooks/vdsm/internal.h"
#include "hooks/vdsm/json.h"

int splice_open(struct splice *splice, const char *text, size_t len)
{
	_cleanup_(json_put_p) struct json_object *json = NULL;
	int rc;

	*splice = (struct splice){ NULL, 0 };
	rc = json_parse_object(text, len, JSON_UTF8, &json);
	if (rc)
		return rc;
	splice->text = strndup(text, len);
	if (!splice->text)
		return err_no_memory();
	splice->len = len;
	return 0;
}

void splice_fini(struct splice *splice)
{
	free(splice->text);
	*splice = (struct splice){ NULL, 0 };
}

/* --- where a member is --------------------------------------------------------------------- */

/* From @start to before @end. @start SIZE_MAX: absent. */
struct splice_span {
	size_t start, end;
};

static size_t splice_skip_blanks(const char *text, size_t at)
{
	return at + strspn(text + at, " \t\r\n");
}

/* The position after the string that begins at @at; or the end of the text. */
static size_t splice_skip_string(const char *text, size_t at)
{
	for (at++; text[at] && text[at] != '"'; at++)
		if (text[at] == '\\' && text[at + 1])
			at++;
	return text[at] ? at + 1 : at;
}

/* The position after the value: at the comma or bracket that ends it. */
static size_t splice_skip_value(const char *text, size_t at)
{
	unsigned int depth = 0;

	while (text[at]) {
		if (text[at] == '"') {
			at = splice_skip_string(text, at);
			continue;
		}
		if (!depth && strchr(",}]", text[at]))
			break;
		if (strchr("{[", text[at]))
			depth++;
		else if (strchr("}]", text[at]))
			depth--;
		at++;
	}
	return at;
}

/* The string of @span, with its quotes, equals @key, whatever its escapes. */
static bool splice_name_is(const char *text, const struct splice_span *span,
			   const char *key)
{
	_cleanup_(json_put_p) struct json_object *json = NULL;
	_cleanup_free_ char *name = NULL;
	size_t len = span->end - span->start;

	if (!memchr(text + span->start, '\\', len))
		return len == strlen(key) + 2 &&
		       !memcmp(text + span->start + 1, key, len - 2);
	name = strndup(text + span->start, len);
	return name && !json_parse(name, len, JSON_UTF8, &json) &&
	       json_object_is_type(json, json_type_string) &&
	       !strcmp(json_object_get_string(json), key);
}

/* The value of the last member of that name, and the end of the object. */
static int splice_find(const struct splice *splice, const char *key,
		       struct splice_span *value, size_t *end)
{
	const char *text = splice->text;
	size_t at = splice_skip_blanks(text, 0);
	struct splice_span name;

	*value = (struct splice_span){ SIZE_MAX, SIZE_MAX };
	if (text[at] != '{')
		return err_set(EBADMSG, "JSON, but not an object");
	at = splice_skip_blanks(text, at + 1);
	while (text[at] == '"') {
		name.start = at;
		name.end = splice_skip_string(text, at);
		at = splice_skip_blanks(text, name.end);
		if (text[at] != ':')
			break;
		at = splice_skip_blanks(text, at + 1);
		if (splice_name_is(text, &name, key))
			*value = (struct splice_span){ at, splice_skip_value(text, at) };
		at = splice_skip_value(text, at);
		if (text[at] == ',')
			at = splice_skip_blanks(text, at + 1);
	}
	*end = at;
	if (text[at] != '}')
		return err_set(EBADMSG, "JSON of an unexpected form");
	return 0;
}

/* --- setting it --------------------------------------------------------------- */

/* Replaces @span, which may be empty, with @middle. The result is parsed and verified for @key. */
static int splice_put(struct splice *splice, const struct splice_span *span,
		      const char *middle, const char *key)
{
	_cleanup_(json_put_p) struct json_object *json = NULL;
	size_t len = strlen(middle), tail = splice->len - span->end;
	_cleanup_free_ char *text = malloc(span->start + len + tail + 1);
	int rc;

	if (!text)
		return err_no_memory();
	memcpy(text, splice->text, span->start);
	memcpy(text + span->start, middle, len);
	memcpy(text + span->start + len, splice->text + span->end, tail + 1);
	len += span->start + tail;
	rc = json_parse_object(text, len, JSON_UTF8, &json);
	if (rc)
		return err_context(rc, "after adding \"%s\"", key);
	if (!json_object_object_get_ex(json, key, NULL))
		return err_set(EBADMSG, "\"%s\" was added but is missing", key);
	free(splice->text);
	splice->text = take_ptr(text);
	splice->len = len;
	return 0;
}

/* Without trailing blanks. */
static void splice_trim(const char *text, struct splice_span *span)
{
	while (span->end > span->start && strchr(" \t\r\n", text[span->end - 1]))
		span->end--;
}

int splice_set(struct splice *splice, const char *key, const char *value)
{
	_cleanup_free_ char *member = NULL;
	struct splice_span span, last;
	size_t end;
	int rc = splice_find(splice, key, &span, &end);

	if (rc)
		return rc;
	if (span.start != SIZE_MAX) {
		splice_trim(splice->text, &span);
		return splice_put(splice, &span, value, key);
	}
	/* After the last member, before the blanks and the bracket. */
	last = (struct splice_span){ 0, end };
	splice_trim(splice->text, &last);
	if (asprintf(&member, "%s\"%s\": %s",
		     splice->text[last.end - 1] == '{' ? "" : ", ", key, value) < 0) {
		member = NULL;
		return err_no_memory();
	}
	return splice_put(splice, &(struct splice_span){ last.end, last.end }, member,
			  key);
}

static bool splice_list_has(struct json_object *list, const char *word)
{
	size_t i, n = json_object_array_length(list);

	for (i = 0; i < n; i++) {
		struct json_object *item = json_object_array_get_idx(list, i);

		if (json_object_is_type(item, json_type_string) &&
		    !strcmp(json_object_get_string(item), word))
			return true;
	}
	return false;
}

/* After the last item of the list. */
static int splice_list_append(struct splice *splice, const char *key, const char *word)
{
	struct splice_span span, items;
	char item[128];
	size_t end;
	int rc = splice_find(splice, key, &span, &end);

	if (rc)
		return rc;
	if (span.start != SIZE_MAX)
		splice_trim(splice->text, &span);
	if (span.start == SIZE_MAX || splice->text[span.end - 1] != ']')
		return err_set(EBADMSG, "\"%s\" has an unexpected form", key);
	items = (struct splice_span){ span.start, span.end - 1 };
	splice_trim(splice->text, &items);
	snprintf(item, sizeof(item), "%s\"%s\"", items.end == span.start + 1 ? "" : ", ",
		 word);
	return splice_put(splice, &(struct splice_span){ items.end, items.end }, item,
			  key);
}

int splice_list(struct splice *splice, const char *key, const char *word)
{
	_cleanup_(json_put_p) struct json_object *json = NULL;
	struct json_object *list;
	char fresh[128];
	int rc = json_parse_object(splice->text, splice->len, JSON_UTF8, &json);

	if (rc)
		return rc;
	if (!json_object_object_get_ex(json, key, &list)) {
		snprintf(fresh, sizeof(fresh), "[\"%s\"]", word);
		return splice_set(splice, key, fresh);
	}
	if (!json_object_is_type(list, json_type_array))
		return err_set(EBADMSG, "\"%s\" is not a list", key);
	return splice_list_has(list, word) ? 0 : splice_list_append(splice, key, word);
}
