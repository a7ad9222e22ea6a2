/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The report as OpenMetrics 1.0 text: the verdict and each finding as a state set, numeric
 * evidence as a gauge. Findings with one id about several objects, for instance mounts, are
 * distinguished by the evidence that names the object.
 *
 * The state sets are declared as gauges: node_exporter's textfile collector, which
 * publishes the reports of a timer, rejects the types that only OpenMetrics has. */
#include <math.h>

#include "plugin/report/internal.h"

/* A quoted label value: backslash, quote and newline are escaped, the rest is UTF-8. */
static void print_label(FILE *out, const char *name, const char *value)
{
	char clean[3 * FINDING_SUMMARY_MAX + 1];
	const char *p;

	fprintf(out, "%s=\"", name);
	for (p = utf8_clean(clean, sizeof(clean), value, UTF8_REPLACE); *p; p++)
		fprintf(out, "%s%c", *p == '"' || *p == '\\' ? "\\" : "", *p);
	fputc('"', out);
}

static void print_subject(const struct report *report, FILE *out)
{
	int i;

	fputs("# TYPE nfsrdma_report_info gauge\n"
	      "# HELP nfsrdma_report_info What was tested, and by which version.\n"
	      "nfsrdma_report_info{version=\"" NFSRDMA_VERSION "\",",
	      out);
	print_label(out, "command", report->command);
	for (i = 0; i < SUBJECT_COUNT; i++) {
		if (!report->subject[i])
			continue;
		fputc(',', out);
		print_label(out, subject_name(i), report->subject[i]);
	}
	fputs("} 1\n", out);
}

static void print_verdict(const struct report *report, FILE *out)
{
	int verdict;

	fputs("# TYPE nfsrdma_verdict gauge\n"
	      "# HELP nfsrdma_verdict The verdict of the report.\n",
	      out);
	for (verdict = VERDICT_PASS; verdict <= VERDICT_UNKNOWN; verdict++)
		fprintf(out, "nfsrdma_verdict{nfsrdma_verdict=\"%s\"} %d\n",
			verdict_name(verdict), (int)report_verdict(report) == verdict);
	fprintf(out,
		"# TYPE nfsrdma_started_seconds gauge\n"
		"# UNIT nfsrdma_started_seconds seconds\n"
		"# HELP nfsrdma_started_seconds Start time, Unix time.\n"
		"nfsrdma_started_seconds %lld\n"
		"# TYPE nfsrdma_elapsed_seconds gauge\n"
		"# UNIT nfsrdma_elapsed_seconds seconds\n"
		"# HELP nfsrdma_elapsed_seconds Duration.\n"
		"nfsrdma_elapsed_seconds %.4f\n",
		(long long)report->started, report->elapsed_ms / 1000);
}

/* The object of a finding. @with: the label is present, possibly empty, whenever that one
 * is; NULL: only if the finding has it. */
static const struct {
	const char *key, *with;
} thing_keys[] = {
	{ "target", NULL }, { "source", "target" }, { "pool", NULL },
	{ "guest", NULL },  { "disk", "guest" },
};

static const char *label_of(const struct finding *finding, size_t at)
{
	const char *with = thing_keys[at].with;

	return with && !*finding_evidence(finding, with)
		       ? ""
		       : finding_evidence(finding, thing_keys[at].key);
}

static void print_thing(FILE *out, const struct finding *finding)
{
	size_t i;

	fprintf(out, "id=\"%s\"", finding->id);
	for (i = 0; i < ARRAY_SIZE(thing_keys); i++) {
		if (!*finding_evidence(finding, thing_keys[i].with ? thing_keys[i].with
								   : thing_keys[i].key))
			continue;
		fputc(',', out);
		print_label(out, thing_keys[i].key, label_of(finding, i));
	}
}

static bool is_same(const struct finding *a, const struct finding *b)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(thing_keys); i++)
		if (strcmp(label_of(a, i), label_of(b, i)) != 0)
			return false;
	return !strcmp(a->id, b->id);
}

/* A sample may appear only once in an exposition: only the first finding about an object is
 * printed. */
static bool is_first(const struct report *report, unsigned int at)
{
	unsigned int i;

	for (i = 0; i < at; i++)
		if (is_same(report->findings[i], report->findings[at]))
			return false;
	return true;
}

static void print_findings(const struct report *report, FILE *out)
{
	const struct finding *finding;
	unsigned int i, status;

	fputs("# TYPE nfsrdma_finding gauge\n"
	      "# HELP nfsrdma_finding The status of each finding.\n",
	      out);
	for (i = 0; i < report->nfindings; i++) {
		if (!is_first(report, i))
			continue;
		finding = report->findings[i];
		for (status = 0; status < FINDING_STATUS_COUNT; status++) {
			fputs("nfsrdma_finding{", out);
			print_thing(out, finding);
			fprintf(out, ",nfsrdma_finding=\"%s\"} %d\n",
				finding_status_name(status), finding->status == status);
		}
	}
}

/* A metric of its own: as a label of the states, each reason would start new series. */
static void print_reasons(const struct report *report, FILE *out)
{
	const struct finding *finding;
	unsigned int i;

	fputs("# TYPE nfsrdma_finding_info gauge\n"
	      "# HELP nfsrdma_finding_info The reason of a finding that is not good.\n",
	      out);
	for (i = 0; i < report->nfindings; i++) {
		finding = report->findings[i];
		if (!*finding->reason || !is_first(report, i))
			continue;
		fputs("nfsrdma_finding_info{", out);
		print_thing(out, finding);
		fprintf(out, ",reason=\"%s\"} 1\n", finding->reason);
	}
}

/* A key of a finding may also appear only once. */
static bool is_sample(const struct finding *finding, unsigned int at)
{
	const struct finding_evidence *e = &finding->evidence[at];
	unsigned int i;

	for (i = 0; i < at; i++)
		if (finding->evidence[i].is_number &&
		    !strcmp(finding->evidence[i].key, e->key))
			return false;
	return e->is_number && isfinite(strtod(e->value, NULL));
}

static void print_evidence(const struct report *report, FILE *out)
{
	const struct finding *finding;
	unsigned int i, j;

	fputs("# TYPE nfsrdma_evidence gauge\n"
	      "# HELP nfsrdma_evidence Numeric evidence, by finding and key.\n",
	      out);
	for (i = 0; i < report->nfindings; i++) {
		finding = report->findings[i];
		for (j = 0; j < finding->nevidence && is_first(report, i); j++) {
			if (!is_sample(finding, j))
				continue;
			fputs("nfsrdma_evidence{", out);
			print_thing(out, finding);
			fputc(',', out);
			print_label(out, "key", finding->evidence[j].key);
			fprintf(out, "} %.15g\n",
				strtod(finding->evidence[j].value, NULL));
		}
	}
}

static void openmetrics_render(const struct report *report, FILE *out,
			       const struct report_style *style)
{
	(void)style;
	print_subject(report, out);
	print_verdict(report, out);
	print_findings(report, out);
	print_reasons(report, out);
	print_evidence(report, out);
	fputs("# EOF\n", out);
}

static int openmetrics_exit(enum verdict verdict)
{
	return verdict_exit(verdict);
}

const struct report_format report_format_openmetrics = {
	.name = "openmetrics",
	.render = openmetrics_render,
	.exit_status = openmetrics_exit,
};
