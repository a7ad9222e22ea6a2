/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Reads the report that a watcher exports in run/nfsrdma/watch.json. A watcher that ends
 * removes the file; one that is killed leaves it, and its age shows that. */
#include <json-c/json.h>

#include "plugin/watch/internal.h"

#define STATE_FILE "run/nfsrdma/watch.json"
/* A report has 2048 findings at most, most of them far below 4 KiB. */
#define STATE_MAX (8 * 1024 * 1024)

static void state_put_p(struct json_object **json)
{
	json_object_put(*json);
}

static const char *state_text(struct json_object *object, const char *key)
{
	struct json_object *value;

	if (!json_object_object_get_ex(object, key, &value) ||
	    !json_object_is_type(value, json_type_string))
		return "";
	return json_object_get_string(value);
}

/* Returns 0 if the key is absent. */
static int64_t state_number(struct json_object *object, const char *key)
{
	struct json_object *value;

	if (!json_object_object_get_ex(object, key, &value) ||
	    (!json_object_is_type(value, json_type_int) &&
	     !json_object_is_type(value, json_type_double)))
		return 0;
	return json_object_get_int64(value);
}

static unsigned int state_count(struct json_object *object, const char *key)
{
	int64_t number = state_number(object, key);

	return number < 0 || number > UINT32_MAX ? 0 : (unsigned int)number;
}

static enum finding_status state_status(const char *name)
{
	unsigned int status;

	for (status = 0; status < FINDING_STATUS_COUNT; status++)
		if (!strcmp(name, finding_status_name(status)))
			return status;
	return FINDING_STATUS_COUNT;
}

static void take_list(struct json_object *evidence, struct watch_state *out)
{
	out->started_at = (time_t)state_number(evidence, "started_at");
	out->good = state_count(evidence, "good");
	out->lost = state_count(evidence, "lost");
	out->unknown = state_count(evidence, "unknown");
	out->lost_at = (time_t)state_number(evidence, "last_lost_at");
	out->back_at = (time_t)state_number(evidence, "last_back_at");
	text_copy(out->lost_text, sizeof(out->lost_text),
		  state_text(evidence, "last_lost"));
	text_copy(out->back_text, sizeof(out->back_text),
		  state_text(evidence, "last_back"));
}

static void pass_on(struct json_object *json, const char *id, enum finding_status status,
		    finding_sink sink, void *arg)
{
	static const char *const ids[] = { "watch.policy", "watch.libvirt",
					   "watch.silent", "watch.record" };
	_cleanup_free_ struct finding *finding = calloc(1, sizeof(*finding));
	size_t i;

	for (i = 0; i < ARRAY_SIZE(ids) && strcmp(id, ids[i]); i++)
		;
	if (!finding || !sink || i == ARRAY_SIZE(ids) || status == FINDING_PASS ||
	    status == FINDING_SKIP || status == FINDING_STATUS_COUNT)
		return;
	finding_init(finding, ids[i], status, "%s", state_text(json, "summary"));
	finding_reason(finding, state_text(json, "reason"));
	finding_clean(finding->summary);
	json_object_object_foreach(
		json_object_object_get(json, "evidence"), key,
		value) if (json_object_is_type(value, json_type_string))
		finding_text(finding, key, "%s", json_object_get_string(value));
	sink(arg, finding);
}

static void take_finding(struct json_object *json, struct watch_state *out,
			 finding_sink sink, void *arg)
{
	const char *id = state_text(json, "id");
	struct json_object *evidence;

	if (!json_object_object_get_ex(json, "evidence", &evidence) ||
	    !json_object_is_type(evidence, json_type_object))
		return;
	if (!strcmp(id, "watch.list"))
		take_list(evidence, out);
	if (!strcmp(id, "watch.libvirt"))
		out->connected = state_number(evidence, "connected") == 1;
	pass_on(json, id, state_status(state_text(json, "status")), sink, arg);
}

static int state_decode(const char *text, struct watch_state *out, finding_sink sink,
			void *arg)
{
	_cleanup_(state_put_p) struct json_object *json = json_tokener_parse(text);
	struct watch_state state = { 0 };
	struct json_object *findings;
	struct tm tm = { 0 };
	size_t i;

	if (!json_object_is_type(json, json_type_object) ||
	    strcmp(state_text(json, "command"), "watch") != 0 ||
	    !json_object_object_get_ex(json, "findings", &findings) ||
	    !json_object_is_type(findings, json_type_array) ||
	    !strptime(state_text(json, "started"), "%Y-%m-%dT%H:%M:%SZ", &tm))
		return err_set(EBADMSG, "/" STATE_FILE " is not a watcher's report");
	state.looked_at = timegm(&tm);
	for (i = 0; i < json_object_array_length(findings); i++)
		take_finding(json_object_array_get_idx(findings, i), &state, sink, arg);
	*out = state;
	return 0;
}

int watch_state_read(const struct host *host, struct watch_state *out, finding_sink sink,
		     void *arg)
{
	_cleanup_(host_text_fini) struct host_text text = { NULL, 0 };
	int rc = host_read(host, STATE_FILE, STATE_MAX, &text);

	return rc ? rc : state_decode(text.text, out, sink, arg);
}
