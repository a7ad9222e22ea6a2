/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The report as one JSON object (RFC 8259), schema nfsrdma-report/1. Every key is always
 * present. An unknown value of the subject is null, and so are the results of READs if
 * there were none. cause, remedy and steps are empty for a finding that needs none (pass,
 * skip), its reason is null if it has none, and because_of is null if it follows from no
 * other finding of the report. Strings are valid UTF-8 whatever a peer sent. */
#include <json-c/json.h>

#include "plugin/report/internal.h"

static struct json_object *text_new(const char *text)
{
	/* U+FFFD has three bytes and replaces one. */
	size_t cap = 3 * strlen(text) + 1;
	_cleanup_free_ char *clean = malloc(cap);

	return clean ? json_object_new_string(utf8_clean(clean, cap, text, UTF8_REPLACE))
		     : NULL;
}

static const char *skip_digits(const char *p)
{
	return p + strspn(p, "0123456789");
}

/* RFC 8259 section 6: no plus, no leading zero, no bare point, no inf or nan. */
static bool is_json_number(const char *text)
{
	const char *p = text + (*text == '-'), *digits = p;

	p = skip_digits(p);
	if (p == digits || (*digits == '0' && p > digits + 1))
		return false;
	if (*p == '.') {
		digits = ++p;
		p = skip_digits(p);
		if (p == digits)
			return false;
	}
	if (*p == 'e' || *p == 'E') {
		p += 1 + (p[1] == '+' || p[1] == '-');
		digits = p;
		p = skip_digits(p);
		if (p == digits)
			return false;
	}
	return !*p;
}

/* Unquoted, with exactly the digits given. */
static struct json_object *number_new(const char *text)
{
	return is_json_number(text) ? json_object_new_double_s(strtod(text, NULL), text)
				    : text_new(text);
}

static struct json_object *subject_new(const struct report *report)
{
	struct json_object *subject = json_object_new_object();
	const char *value;
	int i;

	for (i = 0; i < SUBJECT_COUNT; i++) {
		value = report->subject[i];
		json_object_object_add(subject, subject_name(i),
				       !value              ? NULL
				       : i == SUBJECT_PORT ? number_new(value)
							   : text_new(value));
	}
	return subject;
}

static struct json_object *evidence_new(const struct finding *finding)
{
	struct json_object *evidence = json_object_new_object();
	const struct finding_evidence *e = finding->evidence;
	char key[3 * FINDING_KEY_MAX];

	for (; e < finding->evidence + finding->nevidence; e++)
		json_object_object_add(
			evidence, utf8_clean(key, sizeof(key), e->key, UTF8_REPLACE),
			e->is_number ? number_new(e->value) : text_new(e->value));
	return evidence;
}

static struct json_object *see_new(const struct finding *finding)
{
	struct json_object *array = json_object_new_array();
	const char *const *see;

	for (see = report_see(finding); *see; see++)
		json_object_array_add(array, text_new(*see));
	return array;
}

static struct json_object *steps_array(const struct report_step *steps, unsigned int n)
{
	struct json_object *array = json_object_new_array(), *object;
	unsigned int i;

	for (i = 0; i < n; i++) {
		object = json_object_new_object();
		json_object_object_add(object, "text", text_new(steps[i].text));
		json_object_object_add(object, "command",
				       *steps[i].command ? text_new(steps[i].command)
							 : NULL);
		json_object_array_add(array, object);
	}
	return array;
}

static struct json_object *steps_new(const struct report *report,
				     const struct finding *finding)
{
	struct report_step steps[REPORT_STEPS_MAX];

	return steps_array(steps, report_steps(report, finding, steps));
}

/* Of all findings. */
static struct json_object *todo_new(const struct report *report)
{
	_cleanup_free_ struct report_step *steps = NULL;
	unsigned int n = report_all_steps(report, &steps);

	return steps_array(steps, n);
}

static struct json_object *finding_new(const struct report *report,
				       const struct finding *finding)
{
	const struct meaning *meaning = meaning_find(finding->id);
	const struct finding *because = report_because(report, finding);
	struct json_object *object = json_object_new_object();
	char cause[MEANING_CAUSE_MAX], remedy[REPORT_REMEDY_MAX];

	json_object_object_add(object, "id", text_new(meaning->id));
	json_object_object_add(object, "title", text_new(meaning->title));
	json_object_object_add(object, "status",
			       text_new(finding_status_name(finding->status)));
	json_object_object_add(object, "reason",
			       *finding->reason ? text_new(finding->reason) : NULL);
	json_object_object_add(object, "because_of",
			       because ? text_new(because->id) : NULL);
	json_object_object_add(object, "summary", text_new(finding->summary));
	json_object_object_add(object, "cause",
			       text_new(report_cause(report, finding, cause)));
	json_object_object_add(object, "remedy",
			       text_new(report_remedy(report, finding, remedy)));
	json_object_object_add(object, "steps", steps_new(report, finding));
	json_object_object_add(object, "evidence", evidence_new(finding));
	json_object_object_add(object, "see", see_new(finding));
	return object;
}

static struct json_object *matrix_row_new(const struct matrix *matrix,
					  enum matrix_row row)
{
	struct json_object *object = json_object_new_object();
	struct json_object *results = json_object_new_array();
	unsigned int i;

	for (i = 0; i < MATRIX_COLUMNS; i++)
		json_object_array_add(results, text_new(matrix_result_name(
						       matrix_result(matrix, row, i))));
	json_object_object_add(object, "mechanism", text_new(matrix_row_name(row)));
	json_object_object_add(object, "results", results);
	return object;
}

static struct json_object *matrix_new(const struct matrix *matrix)
{
	struct json_object *object, *sizes, *rows;
	unsigned int i;

	if (matrix_is_empty(matrix))
		return NULL;
	object = json_object_new_object();
	sizes = json_object_new_array();
	rows = json_object_new_array();
	/* The last column has no limit. */
	for (i = 0; i < MATRIX_COLUMNS; i++)
		json_object_array_add(sizes,
				      i + 1 < MATRIX_COLUMNS
					      ? json_object_new_int64(matrix_size(i))
					      : NULL);
	for (i = 0; i < MATRIX_ROWS; i++)
		json_object_array_add(rows, matrix_row_new(matrix, i));
	json_object_object_add(object, "sizes", sizes);
	json_object_object_add(object, "rows", rows);
	return object;
}

static struct json_object *report_object(const struct report *report)
{
	struct json_object *object = json_object_new_object();
	struct json_object *findings = json_object_new_array();
	char started[32], elapsed[32];
	unsigned int i;

	for (i = 0; i < report->nfindings; i++)
		json_object_array_add(findings, finding_new(report, report->findings[i]));
	snprintf(elapsed, sizeof(elapsed), "%.1f", report->elapsed_ms);
	json_object_object_add(object, "schema", text_new("nfsrdma-report/1"));
	json_object_object_add(object, "version", text_new(NFSRDMA_VERSION));
	json_object_object_add(object, "command", text_new(report->command));
	json_object_object_add(object, "subject", subject_new(report));
	json_object_object_add(object, "verdict",
			       text_new(verdict_name(report_verdict(report))));
	json_object_object_add(
		object, "started",
		text_new(report_started(report, started, sizeof(started))));
	json_object_object_add(object, "elapsed_ms", number_new(elapsed));
	json_object_object_add(object, "reads", matrix_new(&report->matrix));
	json_object_object_add(object, "findings", findings);
	if (report->todo)
		json_object_object_add(object, "steps", todo_new(report));
	return object;
}

static void json_render(const struct report *report, FILE *out,
			const struct report_style *style)
{
	struct json_object *object = report_object(report);

	(void)style;
	fprintf(out, "%s\n",
		json_object_to_json_string_ext(
			object, JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_SPACED |
					JSON_C_TO_STRING_NOSLASHESCAPE));
	json_object_put(object);
}

static int json_exit(enum verdict verdict)
{
	return verdict_exit(verdict);
}

const struct report_format report_format_json = {
	.name = "json",
	.render = json_render,
	.exit_status = json_exit,
};
