/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* For scripts: {"ruleset": what nft -j printed, "packets": [...]} on each line of standard
 * input; an array of {"answer", "why"}, one for each packet, on a line of standard output. */
#include <stdio.h>

#include "tests/support/firewall-case.h"

static struct json_object *answer(const char *ruleset, struct json_object *json)
{
	struct json_object *out = json_object_new_object();
	enum firewall_answer said = FIREWALL_UNKNOWN;
	struct firewall_packet packet;
	char why[FIREWALL_WHY_MAX];
	int rc;

	rc = firewall_case_packet(json, &packet);
	if (!rc)
		rc = firewall_eval(ruleset, strlen(ruleset), &packet, &said, why, sizeof(why),
				   NULL);
	json_object_object_add(out, "answer",
			       json_object_new_string(rc ? "error" : firewall_case_answer(said)));
	json_object_object_add(out, "why", json_object_new_string(rc ? err_text() : why));
	return out;
}

static int answer_line(const char *line)
{
	struct json_object *json = json_tokener_parse(line), *ruleset, *packets, *out;
	size_t i, count;

	ruleset = json_object_object_get(json, "ruleset");
	packets = json_object_object_get(json, "packets");
	if (!ruleset || !json_object_is_type(packets, json_type_array)) {
		fprintf(stderr, "a line without ruleset or packets\n");
		return 1;
	}
	out = json_object_new_array();
	count = json_object_array_length(packets);
	for (i = 0; i < count; i++)
		json_object_array_add(
			out, answer(json_object_to_json_string_ext(ruleset, JSON_C_TO_STRING_PLAIN),
				    json_object_array_get_idx(packets, i)));
	puts(json_object_to_json_string_ext(out, JSON_C_TO_STRING_PLAIN));
	fflush(stdout);
	json_object_put(out);
	json_object_put(json);
	return 0;
}

int main(void)
{
	_cleanup_free_ char *line = NULL;
	size_t cap = 0;
	int rc = 0;

	while (!rc && getline(&line, &cap, stdin) > 0)
		rc = answer_line(line);
	return rc;
}
