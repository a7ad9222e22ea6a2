/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The report as metrics, in Prometheus' text format 0.0.4, which node_exporter's textfile collector
 * reads, and in OpenMetrics 1.0: the verdict and each finding as a state set, the reasons, and the
 * numbers that report_metric() collected. Findings with one id about several objects, for instance
 * mounts, are distinguished by the evidence that names the object.
 *
 * State sets and info metrics are declared as gauges in OpenMetrics, too: so the textfile collector,
 * which rejects the types that only OpenMetrics has, takes both formats. */
#include <math.h>

#include "plugin/report/internal.h"

struct printer {
	const struct report *report;
	FILE *out;
	bool openmetrics;
};

/* --- families and samples ------------------------------------------------------------------- */

static void print_head(const struct printer *p, enum metric metric)
{
	const struct metric_family *family = &metric_families[metric];
	size_t len = strlen(family->name);

	/* In OpenMetrics the name of a counter's family is without _total. */
	if (p->openmetrics && family->type == METRIC_COUNTER)
		len -= strlen("_total");
	fprintf(p->out, "# HELP %.*s %s.", (int)len, family->name, family->help);
	if (*family->source)
		fprintf(p->out, " Source: %s.", family->source);
	fprintf(p->out, "\n# TYPE %.*s %s\n", (int)len, family->name,
		family->type == METRIC_COUNTER ? "counter" : "gauge");
	if (p->openmetrics && family->unit)
		fprintf(p->out, "# UNIT %.*s %s\n", (int)len, family->name, family->unit);
}

/* "nas1:/export", as in the metrics of mounts, and of node_exporter. */
static void print_export(const struct printer *p)
{
	const char *server = p->report->subject[SUBJECT_SERVER];
	char text[FINDING_SUMMARY_MAX];

	snprintf(text, sizeof(text), "%s:%s", server, p->report->subject[SUBJECT_EXPORT]);
	metric_label(p->out, "export", text);
}

/* The name and the labels of the scope. Returns what separates the next label. */
static const char *print_name(const struct printer *p, enum metric metric)
{
	const struct metric_family *family = &metric_families[metric];
	char *const *subject = p->report->subject;

	fputs(family->name, p->out);
	if (family->scope == METRIC_OF_HOST)
		return "{";
	fputc('{', p->out);
	metric_label(p->out, "command", p->report->command);
	if (family->scope == METRIC_OF_COMMAND || !subject[SUBJECT_SERVER])
		return ",";
	fputc(',', p->out);
	metric_label(p->out, "server", subject[SUBJECT_SERVER]);
	if (subject[SUBJECT_EXPORT]) {
		fputc(',', p->out);
		print_export(p);
	}
	return ",";
}

/* Counters exactly, as far as a double holds them. */
static void print_value(const struct printer *p, double value)
{
	if (value == floor(value) && fabs(value) < 1e18)
		fprintf(p->out, " %.0f\n", value);
	else
		fprintf(p->out, " %.15g\n", value);
}

/* @labels: "" or more labels. */
static void print_sample(const struct printer *p, enum metric metric, const char *labels,
			 double value)
{
	const char *separator = print_name(p, metric);

	if (*labels)
		fprintf(p->out, "%s%s}", separator, labels);
	else if (*separator == ',')
		fputc('}', p->out);
	print_value(p, value);
}

/* --- the report ----------------------------------------------------------------------------- */

static void print_build(const struct printer *p, enum metric metric)
{
	print_sample(p, metric, "version=\"" NFSRDMA_VERSION "\"", 1);
}

static void print_subject(const struct printer *p, enum metric metric)
{
	static const enum subject_key keys[] = { SUBJECT_PORT, SUBJECT_FILE,
						 SUBJECT_TRANSPORT, SUBJECT_NFS_VERSION };
	size_t i;

	print_name(p, metric);
	for (i = 0; i < ARRAY_SIZE(keys); i++) {
		if (!p->report->subject[keys[i]])
			continue;
		fputc(',', p->out);
		metric_label(p->out, subject_name(keys[i]), p->report->subject[keys[i]]);
	}
	fputs("} 1\n", p->out);
}

static void print_started(const struct printer *p, enum metric metric)
{
	print_sample(p, metric, "", (double)p->report->started);
}

static void print_elapsed(const struct printer *p, enum metric metric)
{
	print_sample(p, metric, "", p->report->elapsed_ms / 1000);
}

static void print_verdict(const struct printer *p, enum metric metric)
{
	char label[64];
	int verdict;

	for (verdict = VERDICT_PASS; verdict <= VERDICT_UNKNOWN; verdict++) {
		snprintf(label, sizeof(label), "nfsrdma_verdict=\"%s\"",
			 verdict_name(verdict));
		print_sample(p, metric, label, (int)report_verdict(p->report) == verdict);
	}
}

/* --- findings ------------------------------------------------------------------------------- */

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

static void print_thing(const struct printer *p, enum metric metric,
			const struct finding *finding)
{
	const char *separator = print_name(p, metric);
	size_t i;

	fprintf(p->out, "%sid=\"%s\"", separator, finding->id);
	for (i = 0; i < ARRAY_SIZE(thing_keys); i++) {
		if (!*finding_evidence(finding, thing_keys[i].with ? thing_keys[i].with
								   : thing_keys[i].key))
			continue;
		fputc(',', p->out);
		metric_label(p->out, thing_keys[i].key, label_of(finding, i));
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

static void print_findings(const struct printer *p, enum metric metric)
{
	const struct finding *finding;
	unsigned int i, status;

	for (i = 0; i < p->report->nfindings; i++) {
		if (!is_first(p->report, i))
			continue;
		finding = p->report->findings[i];
		for (status = 0; status < FINDING_STATUS_COUNT; status++) {
			print_thing(p, metric, finding);
			fprintf(p->out, ",nfsrdma_finding=\"%s\"} %d\n",
				finding_status_name(status), finding->status == status);
		}
	}
}

/* A metric of its own: as a label of the states, each reason would start new series. */
static void print_reasons(const struct printer *p, enum metric metric)
{
	const struct finding *finding;
	unsigned int i;

	for (i = 0; i < p->report->nfindings; i++) {
		finding = p->report->findings[i];
		if (!*finding->reason || !is_first(p->report, i))
			continue;
		print_thing(p, metric, finding);
		fprintf(p->out, ",reason=\"%s\"} 1\n", finding->reason);
	}
}

/* --- measurements, which are evidence of findings --------------------------------------------- */

#define OPERATION(name)      "operation=\"" name "\""
#define SIDE(name, protocol) "operation=\"" name "\",protocol=\"" protocol "\""

static const struct {
	const char *id, *key;
	enum metric metric;
	double scale; /* to base units */
	const char *labels;
} measured[] = {
	{ "probe.null", "best_ms", METRIC_PROBE_NULL, 1e-3, "" },
	{ "bench.read.write-chunk", "mb_per_s_median", METRIC_BENCH_THROUGHPUT, 1e6,
	  SIDE("READ", "rdma") },
	{ "bench.read.write-chunk", "tcp_mb_per_s_median", METRIC_BENCH_THROUGHPUT, 1e6,
	  SIDE("READ", "tcp") },
	{ "bench.read.write-chunk", "us_median", METRIC_BENCH_LATENCY, 1e-6,
	  SIDE("READ", "rdma") },
	{ "bench.read.write-chunk", "tcp_us_median", METRIC_BENCH_LATENCY, 1e-6,
	  SIDE("READ", "tcp") },
	{ "bench.null", "us_median", METRIC_BENCH_LATENCY, 1e-6, SIDE("NULL", "rdma") },
	{ "bench.null", "tcp_us_median", METRIC_BENCH_LATENCY, 1e-6,
	  SIDE("NULL", "tcp") },
	{ "bench.read.write-chunk", "ratio_to_tcp", METRIC_BENCH_RATIO, 1,
	  OPERATION("READ") },
	{ "bench.null", "ratio_to_tcp", METRIC_BENCH_RATIO, 1, OPERATION("NULL") },
};

static bool is_measured(enum metric metric)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(measured); i++)
		if (measured[i].metric == metric)
			return true;
	return false;
}

static const struct finding *first_of(const struct report *report, const char *id)
{
	unsigned int i;

	for (i = 0; i < report->nfindings; i++)
		if (!strcmp(report->findings[i]->id, id))
			return report->findings[i];
	return NULL;
}

/* Calls print_head() before the first. */
static void print_measured(const struct printer *p, enum metric metric)
{
	const struct finding *finding;
	bool begun = false;
	const char *text;
	double value;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(measured); i++) {
		if (measured[i].metric != metric)
			continue;
		finding = first_of(p->report, measured[i].id);
		text = finding ? finding_evidence(finding, measured[i].key) : "";
		value = strtod(text, NULL);
		if (!*text || !isfinite(value))
			continue;
		if (!begun)
			print_head(p, metric);
		begun = true;
		print_sample(p, metric, measured[i].labels, value * measured[i].scale);
	}
}

/* --- all ---------------------------------------------------------------------------------------- */

static void print_collected(const struct printer *p, enum metric metric)
{
	const struct metrics *metrics = &p->report->metrics;
	bool begun = false;
	unsigned int i;

	for (i = 0; i < metrics->count; i++) {
		if (metrics->list[i].metric != metric)
			continue;
		if (!begun)
			print_head(p, metric);
		begun = true;
		print_sample(p, metric, metrics->list[i].labels, metrics->list[i].value);
	}
}

static void render(const struct report *report, FILE *out, bool openmetrics)
{
	static void (*const own[METRIC_COUNT])(const struct printer *p,
					       enum metric metric) = {
		[METRIC_BUILD_INFO] = print_build,
		[METRIC_REPORT_INFO] = print_subject,
		[METRIC_LAST_RUN] = print_started,
		[METRIC_DURATION] = print_elapsed,
		[METRIC_VERDICT] = print_verdict,
		[METRIC_FINDING] = print_findings,
		[METRIC_FINDING_INFO] = print_reasons,
	};
	const struct printer p = { report, out, openmetrics };
	unsigned int i;

	for (i = 0; i < METRIC_COUNT; i++) {
		enum metric metric = (enum metric)i;

		if (own[i]) {
			print_head(&p, metric);
			own[i](&p, metric);
		} else if (is_measured(metric)) {
			print_measured(&p, metric);
		} else {
			print_collected(&p, metric);
		}
	}
	if (openmetrics)
		fputs("# EOF\n", out);
}

static void prometheus_render(const struct report *report, FILE *out,
			      const struct report_style *style)
{
	(void)style;
	render(report, out, false);
}

static void openmetrics_render(const struct report *report, FILE *out,
			       const struct report_style *style)
{
	(void)style;
	render(report, out, true);
}

static int metrics_exit(enum verdict verdict)
{
	return verdict_exit(verdict);
}

const struct report_format report_format_prometheus = {
	.name = "prometheus",
	.render = prometheus_render,
	.exit_status = metrics_exit,
	.metrics = true,
};

const struct report_format report_format_openmetrics = {
	.name = "openmetrics",
	.render = openmetrics_render,
	.exit_status = metrics_exit,
	.metrics = true,
};
