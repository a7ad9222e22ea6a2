/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* What setup has changed, as JSON, so that it can be taken back: texts whole, since there is no
 * other place that has what was there before.
 *
 *	{"schema": "nfsrdma-setup/1", "made": ["var/lib/nfsrdma"], "changes": [
 *	 {"kind": "file", "done": true, "path": "etc/nfs.conf", "before": "...", "was": null,
 *	  "after": "...", "mode": 420, "uid": 0, "gid": 0, "made": []},
 *	 {"kind": "port", "done": false, "zone": "public", "port": 4791, "protocol": "udp",
 *	  "permanent": true},
 *	 {"kind": "symlink", ... as a file, texts are targets},
 *	 {"kind": "link", "done": true, "type": "siw", "name": "siw_eth0", "netdev": "eth0"}]}
 *
 * The file is root's. Its content is checked nevertheless: it says what root writes and where, and
 * a path that setup does not write to is none. */
#include <netinet/in.h>
#include <stdio.h>

#include "plugin/host/json.h"
#include "plugin/setup/internal.h"

#define SCHEMA "nfsrdma-setup/1"

static const char *const state_paths[] = { PATH_MODULES, PATH_RDMA, PATH_NFS_OURS,
					   PATH_NFS,     PATH_UDEV, PATH_LIMITS };

static const char *const state_kinds[] = {
	[SETUP_FILE] = "file",
	[SETUP_SYMLINK] = "symlink",
	[SETUP_PORT] = "port",
	[SETUP_LINK] = "link",
};

bool state_knows_path(enum setup_kind kind, const char *path)
{
	size_t i;

	if (link_is_path(path, kind == SETUP_SYMLINK))
		return true;
	for (i = 0; i < ARRAY_SIZE(state_paths); i++)
		if (kind == SETUP_FILE && !strcmp(path, state_paths[i]))
			return true;
	return false;
}

void state_name_paths(char *buf, size_t cap)
{
	size_t i, used = 0;

	for (i = 0; i < ARRAY_SIZE(state_paths) && used < cap; i++)
		used += (size_t)snprintf(buf + used, cap - used, "%s/%s", i ? ", " : "",
					 state_paths[i]);
	if (used < cap)
		snprintf(buf + used, cap - used,
			 ", /" PATH_UNITS LINK_UNIT "*, /" PATH_WANTS LINK_UNIT "*");
}

void change_fini(struct setup_change *change)
{
	free(change->before);
	free(change->was);
	free(change->after);
	memset(change, 0, sizeof(*change));
}

void state_fini(struct setup_state *state)
{
	while (state->count)
		change_fini(&state->changes[--state->count]);
}

void state_remove(struct setup_state *state, struct setup_change *change)
{
	size_t rest = (size_t)(state->changes + state->count - change - 1);

	change_fini(change);
	memmove(change, change + 1, rest * sizeof(*change));
	memset(&state->changes[--state->count], 0, sizeof(*change));
}

struct setup_change *state_find_file(struct setup_state *state, const char *path)
{
	unsigned int i;

	for (i = 0; i < state->count; i++)
		if (setup_has_path(state->changes[i].kind) && !strcmp(state->changes[i].path, path))
			return &state->changes[i];
	return NULL;
}

struct setup_change *state_find_port(struct setup_state *state, const struct setup_port *port)
{
	unsigned int i;

	for (i = 0; i < state->count; i++) {
		const struct setup_port *p = &state->changes[i].port;

		if (state->changes[i].kind == SETUP_PORT && p->port == port->port &&
		    p->protocol == port->protocol && p->permanent == port->permanent &&
		    !strcmp(p->zone, port->zone))
			return &state->changes[i];
	}
	return NULL;
}

/* There is one of a type on an interface, whatever it is called. */
struct setup_change *state_find_link(struct setup_state *state, const struct setup_link *link)
{
	unsigned int i;

	for (i = 0; i < state->count; i++) {
		const struct setup_change *change = &state->changes[i];

		if (change->kind == SETUP_LINK && !strcmp(change->link.type, link->type) &&
		    !strcmp(change->link.netdev, link->netdev))
			return &state->changes[i];
	}
	return NULL;
}

struct setup_change *state_add(struct setup_state *state)
{
	if (state->count < STATE_CHANGES_MAX)
		return &state->changes[state->count++];
	err_set(ENOSPC, "more than %d changes: take them back first (--undo)", STATE_CHANGES_MAX);
	return NULL;
}

/* --- to JSON --------------------------------------------------------------------- */

static void state_put_text(struct json_object *to, const char *key, const char *text)
{
	json_object_object_add(to, key, text ? json_object_new_string(text) : NULL);
}

static void state_put_number(struct json_object *to, const char *key, int64_t number)
{
	json_object_object_add(to, key, json_object_new_int64(number));
}

static void state_put_bool(struct json_object *to, const char *key, bool yes)
{
	json_object_object_add(to, key, json_object_new_boolean(yes));
}

static void state_put_dirs(struct json_object *to, const struct made_dirs *dirs)
{
	struct json_object *list = json_object_new_array();
	unsigned int i;

	for (i = 0; i < dirs->count; i++)
		json_object_array_add(list, json_object_new_string(dirs->list[i]));
	json_object_object_add(to, "made", list);
}

int state_encode(const struct setup_state *state, char **text)
{
	struct json_object *json = json_object_new_object(), *list = json_object_new_array();
	const char *printed;
	unsigned int i;

	state_put_text(json, "schema", SCHEMA);
	state_put_dirs(json, &state->made);
	for (i = 0; i < state->count; i++) {
		const struct setup_change *change = &state->changes[i];
		const struct setup_port *port = &change->port;
		struct json_object *one = json_object_new_object();

		state_put_text(one, "kind", state_kinds[change->kind]);
		state_put_bool(one, "done", change->done);
		if (setup_has_path(change->kind)) {
			state_put_text(one, "path", change->path);
			state_put_text(one, "before", change->before);
			state_put_text(one, "was", change->was);
			state_put_text(one, "after", change->after);
			state_put_number(one, "mode", change->mode);
			state_put_number(one, "uid", change->uid);
			state_put_number(one, "gid", change->gid);
			state_put_dirs(one, &change->made);
		} else if (change->kind == SETUP_PORT) {
			state_put_text(one, "zone", port->zone);
			state_put_number(one, "port", port->port);
			state_put_text(one, "protocol",
				       port->protocol == IPPROTO_UDP ? "udp" : "tcp");
			state_put_bool(one, "permanent", port->permanent);
		} else {
			state_put_text(one, "type", change->link.type);
			state_put_text(one, "name", change->link.name);
			state_put_text(one, "netdev", change->link.netdev);
		}
		json_object_array_add(list, one);
	}
	json_object_object_add(json, "changes", list);
	printed = json_object_to_json_string_ext(json,
						 JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_SPACED);
	*text = printed ? strdup(printed) : NULL;
	json_object_put(json);
	return *text ? 0 : err_no_memory();
}

/* --- from JSON ------------------------------------------------------------------- */

static int state_bad(const char *what)
{
	return err_set(EBADMSG, "%s is not in the form that setup writes", what);
}

static struct json_object *state_member(struct json_object *json, const char *key,
					enum json_type type)
{
	struct json_object *value;

	if (!json_object_object_get_ex(json, key, &value) || json_object_get_type(value) != type)
		return NULL;
	return value;
}

/* A text; @null: it may be null. */
static int state_get_text(struct json_object *json, const char *key, bool null, char **out)
{
	struct json_object *value;
	const char *text;
	size_t len;

	if (null && json_object_object_get_ex(json, key, &value) && !value)
		return 0;
	value = state_member(json, key, json_type_string);
	if (!value)
		return state_bad(key);
	text = json_object_get_string(value);
	len = (size_t)json_object_get_string_len(value);
	if (len > SETUP_TEXT_MAX || strlen(text) != len)
		return state_bad(key);
	*out = strdup(text);
	return *out ? 0 : err_no_memory();
}

static int state_get_word(struct json_object *json, const char *key, char *buf, size_t cap)
{
	struct json_object *value = state_member(json, key, json_type_string);
	const char *text = value ? json_object_get_string(value) : "";

	if (!*text || strlen(text) >= cap || !finding_is_clean(text) ||
	    strlen(text) != (size_t)json_object_get_string_len(value))
		return state_bad(key);
	str_copy(buf, cap, text);
	return 0;
}

static int state_get_number(struct json_object *json, const char *key, int64_t max,
			    unsigned int *out)
{
	struct json_object *value = state_member(json, key, json_type_int);
	int64_t number = value ? json_object_get_int64(value) : -1;

	if (number < 0 || number > max)
		return state_bad(key);
	*out = (unsigned int)number;
	return 0;
}

static int state_get_bool(struct json_object *json, const char *key, bool *out)
{
	struct json_object *value = state_member(json, key, json_type_boolean);

	*out = value && json_object_get_boolean(value);
	return value ? 0 : state_bad(key);
}

/* @dir is @path's, or one above it. */
static bool state_is_above(const char *dir, const char *path)
{
	size_t len = strlen(dir);

	return len && !strncmp(dir, path, len) && path[len] == '/';
}

/* Folders above @path, outermost first. */
static int state_get_dirs(struct json_object *json, const char *path, struct made_dirs *out)
{
	struct json_object *list = state_member(json, "made", json_type_array), *one;
	size_t i, count = list ? json_object_array_length(list) : 0;

	if (!list || count > PLACE_MADE_MAX)
		return state_bad("made");
	for (i = 0; i < count; i++) {
		const char *dir;

		one = json_object_array_get_idx(list, i);
		dir = json_object_is_type(one, json_type_string) ? json_object_get_string(one) : "";
		if (!state_is_above(dir, path) || (i && !state_is_above(out->list[i - 1], dir)))
			return state_bad("made");
		str_copy(out->list[i], sizeof(out->list[i]), dir);
	}
	out->count = (unsigned int)count;
	return 0;
}

static int state_get_file(struct setup_state *state, struct json_object *json,
			  struct setup_change *out)
{
	char path[SETUP_PATH_MAX];
	int rc = state_get_word(json, "path", path, sizeof(path));

	if (!rc && (!state_knows_path(out->kind, path) || state_find_file(state, path)))
		rc = state_bad("path");
	rc = rc ? rc : state_get_text(json, "before", true, &out->before);
	rc = rc ? rc : state_get_text(json, "was", true, &out->was);
	rc = rc ? rc : state_get_text(json, "after", false, &out->after);
	rc = rc ? rc : state_get_number(json, "mode", 07777, &out->mode);
	rc = rc ? rc : state_get_number(json, "uid", UINT32_MAX, &out->uid);
	rc = rc ? rc : state_get_number(json, "gid", UINT32_MAX, &out->gid);
	rc = rc ? rc : state_get_dirs(json, path, &out->made);
	if (!rc)
		str_copy(out->path, sizeof(out->path), path);
	return rc;
}

static int state_get_port(struct setup_state *state, struct json_object *json,
			  struct setup_change *out)
{
	struct setup_port port = { .port = 0 };
	unsigned int number = 0;
	char protocol[8];
	int rc = state_get_word(json, "zone", port.zone, sizeof(port.zone));

	rc = rc ? rc : state_get_number(json, "port", UINT16_MAX, &number);
	rc = rc ? rc : state_get_word(json, "protocol", protocol, sizeof(protocol));
	rc = rc ? rc : state_get_bool(json, "permanent", &port.permanent);
	if (rc)
		return rc;
	if (!number || (strcmp(protocol, "udp") != 0 && strcmp(protocol, "tcp") != 0))
		return state_bad("port");
	port.port = (uint16_t)number;
	port.protocol = protocol[0] == 'u' ? IPPROTO_UDP : IPPROTO_TCP;
	if (state_find_port(state, &port))
		return state_bad("port");
	out->port = port;
	return 0;
}

static int state_get_link(struct setup_state *state, struct json_object *json,
			  struct setup_change *out)
{
	struct setup_link *link = &out->link;
	int rc = state_get_word(json, "type", link->type, sizeof(link->type));

	rc = rc ? rc : state_get_word(json, "name", link->name, sizeof(link->name));
	rc = rc ? rc : state_get_word(json, "netdev", link->netdev, sizeof(link->netdev));
	if (!rc && (!link_module(link->type) || !link_is_plain(link->netdev) ||
		    state_find_link(state, link)))
		rc = state_bad("link");
	return rc;
}

static int state_get_change(struct setup_state *state, struct json_object *json)
{
	struct setup_change change = { .kind = SETUP_FILE };
	char kind[8];
	size_t i = 0;
	int rc = state_get_word(json, "kind", kind, sizeof(kind));

	if (rc)
		return rc;
	while (i < ARRAY_SIZE(state_kinds) &&
	       (!state_kinds[i] || strcmp(kind, state_kinds[i]) != 0))
		i++;
	if (i == ARRAY_SIZE(state_kinds))
		return state_bad("kind");
	change.kind = (enum setup_kind)i;
	rc = state_get_bool(json, "done", &change.done);
	if (!rc && setup_has_path(change.kind))
		rc = state_get_file(state, json, &change);
	else if (!rc && change.kind == SETUP_PORT)
		rc = state_get_port(state, json, &change);
	else if (!rc)
		rc = state_get_link(state, json, &change);
	if (rc) {
		change_fini(&change);
		return rc;
	}
	state->changes[state->count++] = change;
	return 0;
}

static int state_get_all(struct setup_state *state, struct json_object *json)
{
	struct json_object *list;
	char schema[32];
	size_t i;
	int rc = state_get_word(json, "schema", schema, sizeof(schema));

	if (!rc && strcmp(schema, SCHEMA) != 0)
		rc = state_bad("schema");
	if (!rc)
		rc = state_get_dirs(json, "var/lib/nfsrdma/setup.json", &state->made);
	if (rc)
		return rc;
	list = state_member(json, "changes", json_type_array);
	if (!list || json_object_array_length(list) > STATE_CHANGES_MAX)
		return state_bad("changes");
	for (i = 0; !rc && i < json_object_array_length(list); i++) {
		struct json_object *one = json_object_array_get_idx(list, i);

		rc = json_object_is_type(one, json_type_object) ? state_get_change(state, one)
								: state_bad("changes");
	}
	return rc;
}

int state_decode(struct setup_state *out, const char *text, size_t len)
{
	_cleanup_free_ struct setup_state *state = calloc(1, sizeof(*state));
	_cleanup_(json_put_p) struct json_object *json = NULL;
	int rc;

	if (!state)
		return err_no_memory();
	if (len > STATE_JSON_MAX || json_parse_object(text, len, JSON_BYTES, &json))
		rc = state_bad("the text");
	else
		rc = state_get_all(state, json);
	if (rc)
		state_fini(state);
	else
		*out = *state;
	return rc;
}
