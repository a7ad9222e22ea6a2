/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Reads the report that a watcher exports in run/nfsrdma/watch.json. A watcher that ends
 * removes the file; one that is killed leaves it, and its age shows that. */
#include "plugin/host/json.h"
#include "plugin/watch/internal.h"

#define STATE_FILE "run/nfsrdma/watch.json"
/* A report has 2048 findings at most, most of them far below 4 KiB. */
#define STATE_MAX (8 * 1024 * 1024)

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

static void state_take_list(struct json_object *evidence, struct watch_state *out)
{
	out->started_at = (time_t)state_number(evidence, "started_at");
	out->good = state_count(evidence, "good");
	out->lost = state_count(evidence, "lost");
	out->unknown = state_count(evidence, "unknown");
	out->lost_at = (time_t)state_number(evidence, "last_lost_at");
	out->back_at = (time_t)state_number(evidence, "last_back_at");
	text_copy(out->lost_text, sizeof(out->lost_text), state_text(evidence, "last_lost"));
	text_copy(out->back_text, sizeof(out->back_text), state_text(evidence, "last_back"));
}

static void state_pass_finding(struct json_object *json, finding_sink sink, void *arg)
{
	static const char *const ids[] = { "watch.policy", "watch.libvirt", "watch.silent",
					   "watch.request" };
	_cleanup_(finding_fini) struct finding finding = { 0 };
	const char *name = state_text(json, "status"), *id = state_text(json, "id");
	unsigned int status = 0;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(ids) && strcmp(id, ids[i]); i++)
		;
	while (status < FINDING_STATUS_COUNT && strcmp(name, finding_status_name(status)) != 0)
		status++;
	if (!sink || i == ARRAY_SIZE(ids) || status == FINDING_PASS || status == FINDING_SKIP ||
	    status == FINDING_STATUS_COUNT)
		return;
	finding_init(&finding, ids[i], status, "%s", state_text(json, "summary"));
	finding_reason(&finding, state_text(json, "reason"));
	finding_clean(finding.summary);
	json_object_object_foreach(json_object_object_get(json, "evidence"), key,
				   value) if (json_object_is_type(value, json_type_string))
		finding_text(&finding, key, "%s", json_object_get_string(value));
	sink(arg, &finding);
}

int watch_state_read(const struct host *host, struct watch_state *out, finding_sink sink, void *arg)
{
	_cleanup_(host_text_fini) struct host_text text = { NULL, 0 };
	_cleanup_(json_put_p) struct json_object *json = NULL;
	struct watch_state state = { 0 };
	struct json_object *findings, *finding, *evidence;
	struct tm tm = { 0 };
	const char *id;
	size_t i;
	int rc = host_read(host, STATE_FILE, STATE_MAX, &text);

	if (rc)
		return rc;
	rc = json_parse_object(text.text, text.len, JSON_UTF8, &json);
	if (rc)
		return err_context(rc, "/" STATE_FILE);
	if (strcmp(state_text(json, "command"), "watch") != 0 ||
	    !json_object_object_get_ex(json, "findings", &findings) ||
	    !json_object_is_type(findings, json_type_array) ||
	    !strptime(state_text(json, "started"), "%Y-%m-%dT%H:%M:%SZ", &tm))
		return err_set(EBADMSG, "/" STATE_FILE " is not a watcher's report");
	state.looked_at = timegm(&tm);
	for (i = 0; i < json_object_array_length(findings); i++) {
		finding = json_object_array_get_idx(findings, i);
		id = state_text(finding, "id");
		if (!json_object_object_get_ex(finding, "evidence", &evidence) ||
		    !json_object_is_type(evidence, json_type_object))
			continue;
		if (!strcmp(id, "watch.list"))
			state_take_list(evidence, &state);
		if (!strcmp(id, "watch.libvirt"))
			state.connected = state_number(evidence, "connected") == 1;
		state_pass_finding(finding, sink, arg);
	}
	*out = state;
	return 0;
}
