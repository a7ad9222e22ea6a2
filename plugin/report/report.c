/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* A report: collects findings, computes the verdict, and prints itself in a format. The formats are
 * the rows of report_formats[]. */
#include "plugin/report/internal.h"
#include "plugin/report/words.h"

static const char *const subject_names[SUBJECT_COUNT] = {
	[SUBJECT_SERVER] = "server",       [SUBJECT_PORT] = "port",
	[SUBJECT_EXPORT] = "export",       [SUBJECT_FILE] = "file",
	[SUBJECT_TRANSPORT] = "transport", [SUBJECT_NFS_VERSION] = "nfs_version",
};

static const char *const verdict_names[] = {
	[VERDICT_PASS] = "pass",
	[VERDICT_WARN] = "warn",
	[VERDICT_FAIL] = "fail",
	[VERDICT_UNKNOWN] = "unknown",
};

static const int verdict_exits[] = {
	[VERDICT_PASS] = EXIT_GOOD,
	[VERDICT_WARN] = EXIT_GOOD,
	[VERDICT_FAIL] = EXIT_FAILED,
	[VERDICT_UNKNOWN] = EXIT_UNKNOWN,
};

const char *subject_name(enum subject_key key)
{
	return subject_names[key];
}

struct report *report_new(const char *command)
{
	struct report *report = calloc(1, sizeof(*report));

	if (report)
		str_copy(report->command, sizeof(report->command), command);
	return report;
}

static void report_finding_free(struct finding *finding)
{
	if (!finding)
		return;
	finding_fini(finding);
	free(finding);
}

void report_free(struct report *report)
{
	unsigned int i;

	if (!report)
		return;
	for (i = 0; i < SUBJECT_COUNT; i++)
		free(report->subject[i]);
	for (i = 0; i < report->nfindings; i++)
		report_finding_free(report->findings[i]);
	table_fini(&report->table);
	metrics_fini(&report->metrics);
	free(report);
}

void report_free_p(struct report **report)
{
	report_free(*report);
	*report = NULL;
}

void report_times(struct report *report, time_t started, double elapsed_ms)
{
	report->started = started;
	report->elapsed_ms = elapsed_ms;
}

int report_subject(struct report *report, const char *key, const char *value)
{
	char *copy;
	int i;

	for (i = 0; i < SUBJECT_COUNT && strcmp(key, subject_names[i]); i++)
		;
	if (i == SUBJECT_COUNT)
		return err_set(EINVAL, "unknown key '%s' of a report's subject", key);
	copy = strdup(value);
	if (!copy) {
		report->no_memory = true;
		return err_no_memory();
	}
	free(report->subject[i]);
	report->subject[i] = copy;
	return 0;
}

int report_add(struct report *report, const struct finding *finding)
{
	struct finding *copy;

	if (finding->status >= FINDING_STATUS_COUNT || !meaning_find(finding->id))
		return err_set(EINVAL, "unknown finding '%s'", finding->id);
	if (report->nfindings == REPORT_FINDINGS_MAX)
		return err_set(ENOSPC, "more than %u findings", REPORT_FINDINGS_MAX);
	copy = calloc(1, sizeof(*copy));
	if (copy)
		consequence_weigh(copy, finding);
	if (!copy || copy->no_memory) {
		report_finding_free(copy);
		report->no_memory = true;
		return err_no_memory();
	}
	/* A reason without a text is useless; good and skipped findings have none. */
	if (!report_needs_care(copy->status) ||
	    !meaning_reason(meaning_find(copy->id), copy->reason))
		copy->reason[0] = '\0';
	report->findings[report->nfindings++] = copy;
	return 0;
}

void report_collect(void *arg, const struct finding *finding)
{
	struct report_collector *collector = arg;
	int rc = report_add(collector->report, finding);

	if (rc && !collector->rc)
		collector->rc = rc;
}

void report_repeat(struct report *report, const char *name, const char *value)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(report->repeats); i++)
		if (!*report->repeats[i]) {
			snprintf(report->repeats[i], sizeof(report->repeats[i]), "--%s%s%s", name,
				 value ? " " : "", value ? SHELL_WORD(value) : "");
			return;
		}
}

void report_for(struct report *report, unsigned int systems)
{
	report->systems = systems;
}

void report_matrix(struct report *report, const struct matrix *matrix)
{
	report->matrix = *matrix;
}

void report_todo(struct report *report)
{
	report->todo = true;
}

void report_cut(struct report *report)
{
	report->cut = true;
}

unsigned int report_count(const struct report *report, enum finding_status status)
{
	unsigned int i, n = 0;

	for (i = 0; i < report->nfindings; i++)
		n += report->findings[i]->status == status;
	return n;
}

const char *report_counts(const struct report *report, char *buf, size_t cap)
{
	static const char *const counted[FINDING_STATUS_COUNT] = {
		[FINDING_PASS] = "passed",     [FINDING_WARN] = "warned",
		[FINDING_FAIL] = "failed",     [FINDING_SKIP] = "skipped",
		[FINDING_UNKNOWN] = "unknown",
	};
	struct words words = { .separator = ", " };
	unsigned int i, n;

	for (i = 0; i < FINDING_STATUS_COUNT; i++) {
		n = report_count(report, i);
		if (n)
			words_add(&words, "%u %s", n, counted[i]);
	}
	str_copy(buf, cap, words_text(&words));
	return buf;
}

bool report_needs_care(enum finding_status status)
{
	return status != FINDING_PASS && status != FINDING_SKIP;
}

bool report_is_for_root(const struct report *report, const struct finding *finding)
{
	return finding->status == FINDING_UNKNOWN && !strcmp(finding->reason, "permission") &&
	       !report->subject[SUBJECT_SERVER];
}

bool report_is_undecided(const struct report *report, const struct finding *finding)
{
	return finding->status == FINDING_UNKNOWN && meaning_find(finding->id)->decisive &&
	       !report_is_for_root(report, finding);
}

enum verdict report_verdict(const struct report *report)
{
	unsigned int warned = report_count(report, FINDING_WARN), i;

	if (report_count(report, FINDING_FAIL))
		return VERDICT_FAIL;
	/* Skips alone prove nothing, and unknown is never reported as good. */
	if (report->cut || warned + report_count(report, FINDING_PASS) == 0)
		return VERDICT_UNKNOWN;
	for (i = 0; i < report->nfindings; i++)
		if (report_is_undecided(report, report->findings[i]))
			return VERDICT_UNKNOWN;
	return warned ? VERDICT_WARN : VERDICT_PASS;
}

const struct finding *report_find(const struct report *report, const char *id)
{
	unsigned int i;

	for (i = 0; i < report->nfindings; i++)
		if (!strcmp(report->findings[i]->id, id))
			return report->findings[i];
	return NULL;
}

enum finding_status report_status(const struct report *report)
{
	static const enum finding_status statuses[] = {
		[VERDICT_PASS] = FINDING_PASS,
		[VERDICT_WARN] = FINDING_WARN,
		[VERDICT_FAIL] = FINDING_FAIL,
		[VERDICT_UNKNOWN] = FINDING_UNKNOWN,
	};

	return statuses[report_verdict(report)];
}

const struct finding *report_lead(const struct report *report)
{
	struct family families[REPORT_FINDINGS_MAX];
	unsigned int i, count = report_families(report, families);
	enum finding_status status = report_status(report);

	for (i = 0; i < count; i++) {
		if (families[i].root->status == status)
			return families[i].root;
		if (families[i].worst->status == status)
			return families[i].worst;
	}
	return NULL;
}

const char *report_name(const struct finding *finding, char buf[REPORT_NAME_MAX])
{
	snprintf(buf, REPORT_NAME_MAX, "%s%s%s", finding->id, *finding->reason ? "/" : "",
		 finding->reason);
	return buf;
}

const char *report_clause(const struct finding *finding, char buf[FINDING_SUMMARY_MAX])
{
	const char *target = finding_evidence(finding, "target");
	size_t skip = strlen(target);
	char *end;

	str_copy(buf, FINDING_SUMMARY_MAX, finding->summary);
	if (!skip || strncmp(buf, target, skip) != 0 || strncmp(buf + skip, ": ", 2) != 0)
		skip = 0;
	end = strstr(buf + (skip ? skip + 2 : 0), ": ");
	if (end)
		*end = '\0';
	return buf;
}

const char *verdict_name(enum verdict verdict)
{
	return verdict_names[verdict];
}

int verdict_exit(enum verdict verdict)
{
	return verdict_exits[verdict];
}

const char *report_started(const struct report *report, char *buf, size_t cap)
{
	struct tm tm;

	if (!gmtime_r(&report->started, &tm) || !strftime(buf, cap, "%Y-%m-%dT%H:%M:%SZ", &tm))
		snprintf(buf, cap, "1970-01-01T00:00:00Z");
	return buf;
}

int report_render(const struct report *report, const struct report_format *format,
		  const struct report_style *style, char **out)
{
	_cleanup_free_ char *text = NULL;
	size_t len = 0;
	FILE *mem;
	bool bad;

	*out = NULL;
	if (report->no_memory)
		return err_no_memory();
	mem = open_memstream(&text, &len);
	if (!mem)
		return err_no_memory();
	format->render(report, mem, style);
	bad = ferror(mem);
	if (fclose(mem) || bad)
		return err_no_memory();
	*out = take_ptr(text);
	return 0;
}

int report_print(const struct report *report, const struct report_format *format, FILE *out,
		 const struct report_style *style)
{
	_cleanup_free_ char *text = NULL;
	int rc = report_render(report, format, style, &text);
	size_t len;

	if (rc)
		return rc;
	len = strlen(text);
	if (fwrite(text, 1, len, out) != len || fflush(out))
		return err_sys("write the report");
	return 0;
}

const struct report_format *const report_formats[] = {
	&report_format_text,        &report_format_json,   &report_format_prometheus,
	&report_format_openmetrics, &report_format_nagios, NULL,
};

const struct report_format *report_format_find(const char *name)
{
	const struct report_format *const *format;

	for (format = report_formats; *format; format++)
		if (!strcmp((*format)->name, name))
			return *format;
	return NULL;
}
