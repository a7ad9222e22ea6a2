/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The report as one JSON object (RFC 8259), schema nfsrdma-report/1. Every key is always present.
 * An unknown value of the subject is null, and so are the results of READs if there were none.
 * cause, remedy and steps are empty for a finding that needs none (pass, skip), its reason and its
 * consequence are null if it has none, and because_of is null if it follows from no other finding
 * of the report. Strings are valid UTF-8 whatever a peer sent. */
#include <json-c/json.h>

#include "plugin/report/internal.h"

static struct json_object *json_new_text(const char *text)
{
	/* U+FFFD has three bytes and replaces one. */
	size_t cap = 3 * strlen(text) + 1;
	_cleanup_free_ char *clean = malloc(cap);

	return clean ? json_object_new_string(utf8_clean(clean, cap, text, UTF8_REPLACE)) : NULL;
}

static const char *json_skip_digits(const char *p)
{
	return p + strspn(p, "0123456789");
}

/* RFC 8259 section 6: no plus, no leading zero, no bare point, no inf or nan. */
static bool json_is_number(const char *text)
{
	const char *p = text + (*text == '-'), *digits = p;

	p = json_skip_digits(p);
	if (p == digits || (*digits == '0' && p > digits + 1))
		return false;
	if (*p == '.') {
		digits = ++p;
		p = json_skip_digits(p);
		if (p == digits)
			return false;
	}
	if (*p == 'e' || *p == 'E') {
		p += 1 + (p[1] == '+' || p[1] == '-');
		digits = p;
		p = json_skip_digits(p);
		if (p == digits)
			return false;
	}
	return !*p;
}

/* Unquoted, with exactly the digits given. */
static struct json_object *json_new_number(const char *text)
{
	return json_is_number(text) ? json_object_new_double_s(strtod(text, NULL), text)
				    : json_new_text(text);
}

static struct json_object *json_new_subject(const struct report *report)
{
	struct json_object *subject = json_object_new_object();
	const char *value;
	int i;

	for (i = 0; i < SUBJECT_COUNT; i++) {
		value = report->subject[i];
		json_object_object_add(subject, subject_name(i),
				       !value              ? NULL
				       : i == SUBJECT_PORT ? json_new_number(value)
							   : json_new_text(value));
	}
	return subject;
}

static struct json_object *json_new_evidence(const struct finding *finding)
{
	struct json_object *evidence = json_object_new_object();
	char key[3 * FINDING_KEY_MAX];
	unsigned int i;

	for (i = 0; i < finding->nevidence; i++) {
		const struct finding_evidence *e = &finding->evidence[i];

		json_object_object_add(evidence, utf8_clean(key, sizeof(key), e->key, UTF8_REPLACE),
				       e->is_number ? json_new_number(e->value)
						    : json_new_text(e->value));
	}
	return evidence;
}

static struct json_object *json_new_steps(const struct report_step *steps, unsigned int n)
{
	struct json_object *array = json_object_new_array(), *object;
	unsigned int i;

	for (i = 0; i < n; i++) {
		object = json_object_new_object();
		json_object_object_add(object, "text", json_new_text(steps[i].text));
		json_object_object_add(object, "command",
				       *steps[i].command ? json_new_text(steps[i].command) : NULL);
		json_object_object_add(object, "effect",
				       json_new_text(step_effect_name(steps[i].effect)));
		json_object_array_add(array, object);
	}
	return array;
}

static struct json_object *json_new_finding(const struct report *report,
					    const struct finding *finding)
{
	const struct meaning *meaning = meaning_find(finding->id);
	const struct finding *because = report_because(report, finding);
	struct json_object *object = json_object_new_object();
	struct json_object *references = json_object_new_array();
	char cause[MEANING_CAUSE_MAX], remedy[REPORT_REMEDY_MAX];
	struct report_step steps[REPORT_STEPS_MAX];
	unsigned int nsteps = report_steps(report, finding, steps);
	enum consequence consequence = consequence_of(finding);
	const char *const *see;

	for (see = report_see(finding); *see; see++)
		json_object_array_add(references, json_new_text(*see));
	json_object_object_add(object, "id", json_new_text(meaning->id));
	json_object_object_add(object, "title", json_new_text(meaning->title));
	json_object_object_add(object, "status",
			       json_new_text(finding_status_name(finding->status)));
	json_object_object_add(object, "reason",
			       *finding->reason ? json_new_text(finding->reason) : NULL);
	json_object_object_add(object, "consequence",
			       consequence == CONSEQUENCE_UNDECIDED
				       ? NULL
				       : json_new_text(consequence_name(consequence)));
	json_object_object_add(object, "because_of", because ? json_new_text(because->id) : NULL);
	json_object_object_add(object, "summary", json_new_text(finding->summary));
	json_object_object_add(object, "cause",
			       json_new_text(report_cause(report, finding, cause)));
	json_object_object_add(object, "remedy",
			       json_new_text(report_remedy(report, finding, remedy)));
	json_object_object_add(object, "steps", json_new_steps(steps, nsteps));
	json_object_object_add(object, "evidence", json_new_evidence(finding));
	json_object_object_add(object, "see", references);
	return object;
}

static struct json_object *json_new_matrix(const struct matrix *matrix)
{
	struct json_object *object, *sizes, *rows, *row, *results;
	unsigned int i, j;

	if (matrix_is_empty(matrix))
		return NULL;
	object = json_object_new_object();
	sizes = json_object_new_array();
	rows = json_object_new_array();
	/* The last column has no limit. */
	for (i = 0; i < MATRIX_COLUMNS; i++)
		json_object_array_add(sizes, i + 1 < MATRIX_COLUMNS
						     ? json_object_new_int64(matrix_size(i))
						     : NULL);
	for (i = 0; i < MATRIX_ROWS; i++) {
		/* Without --scratch there are none. */
		if (i >= MATRIX_WRITE_INLINE && !matrix_row_is_tested(matrix, i))
			continue;
		row = json_object_new_object();
		results = json_object_new_array();
		for (j = 0; j < MATRIX_COLUMNS; j++)
			json_object_array_add(results, json_new_text(matrix_result_name(
							       matrix_result(matrix, i, j))));
		json_object_object_add(row, "mechanism", json_new_text(matrix_row_name(i)));
		json_object_object_add(row, "results", results);
		json_object_array_add(rows, row);
	}
	json_object_object_add(object, "sizes", sizes);
	json_object_object_add(object, "rows", rows);
	return object;
}

struct json_object *report_json(const struct report *report)
{
	_cleanup_free_ struct report_step *steps = NULL;
	struct json_object *object, *findings;
	char started[32], elapsed[32], answer[FINDING_SUMMARY_MAX];
	unsigned int i, n;

	if (report->no_memory)
		return NULL;
	object = json_object_new_object();
	findings = json_object_new_array();
	for (i = 0; i < report->nfindings; i++)
		json_object_array_add(findings, json_new_finding(report, report->findings[i]));
	snprintf(elapsed, sizeof(elapsed), "%.1f", report->elapsed_ms);
	json_object_object_add(object, "schema", json_new_text("nfsrdma-report/1"));
	json_object_object_add(object, "version", json_new_text(NFSRDMA_VERSION));
	json_object_object_add(object, "command", json_new_text(report->command));
	json_object_object_add(object, "subject", json_new_subject(report));
	json_object_object_add(object, "verdict",
			       json_new_text(verdict_name(report_verdict(report))));
	json_object_object_add(object, "answer",
			       json_new_text(report_answer(report, answer, sizeof(answer))));
	json_object_object_add(object, "started",
			       json_new_text(report_started(report, started, sizeof(started))));
	json_object_object_add(object, "elapsed_ms", json_new_number(elapsed));
	json_object_object_add(object, "reads", json_new_matrix(&report->matrix));
	json_object_object_add(object, "findings", findings);
	if (report->todo) {
		n = report_all_steps(report, &steps);
		json_object_object_add(object, "steps", json_new_steps(steps, n));
	}
	return object;
}

static void json_render(const struct report *report, FILE *out, const struct report_style *style)
{
	struct json_object *object = report_json(report);

	(void)style;
	fprintf(out, "%s\n",
		json_object_to_json_string_ext(object, JSON_C_TO_STRING_PRETTY |
							       JSON_C_TO_STRING_SPACED |
							       JSON_C_TO_STRING_NOSLASHESCAPE));
	json_object_put(object);
}

const struct report_format report_format_json = {
	.name = "json",
	.render = json_render,
	.exit_status = verdict_exit,
};
