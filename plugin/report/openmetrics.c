/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The report as metrics, in Prometheus' text format 0.0.4, which node_exporter's textfile collector
 * reads, and in OpenMetrics 1.0: the verdict and each finding as a state set, the reasons, and the
 * numbers that report_metric() collected. Findings with one id about several objects, for instance
 * mounts, are distinguished by the evidence that names the object.
 *
 * State sets and info metrics are declared as gauges in OpenMetrics, too: so the textfile
 * collector, which rejects the types that only OpenMetrics has, takes both formats. */
#include <math.h>

#include "plugin/report/internal.h"

struct openmetrics_printer {
	const struct report *report;
	FILE *out;
	bool openmetrics;
};

/* --- families and samples ------------------------------------------------------------------- */

static void openmetrics_print_head(const struct openmetrics_printer *p, enum metric metric)
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

/* The name and the labels of the scope. Returns what separates the next label. */
static const char *openmetrics_print_name(const struct openmetrics_printer *p, enum metric metric)
{
	const struct metric_family *family = &metric_families[metric];
	char *const *subject = p->report->subject;
	char export[FINDING_SUMMARY_MAX];

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
		/* "nas1:/export", as in the metrics of mounts, and of node_exporter. */
		snprintf(export, sizeof(export), "%s:%s", subject[SUBJECT_SERVER],
			 subject[SUBJECT_EXPORT]);
		metric_label(p->out, "export", export);
	}
	return ",";
}

/* @labels: "" or more labels. */
static void openmetrics_print_sample(const struct openmetrics_printer *p, enum metric metric,
				     const char *labels, double value)
{
	const char *separator = openmetrics_print_name(p, metric);

	if (*labels)
		fprintf(p->out, "%s%s}", separator, labels);
	else if (*separator == ',')
		fputc('}', p->out);
	/* Counters exactly, as far as a double holds them. */
	if (fabs(value) < 1e18 && value == (double)(int64_t)value)
		fprintf(p->out, " %.0f\n", value);
	else
		fprintf(p->out, " %.15g\n", value);
}

/* --- the report ----------------------------------------------------------------------------- */

static void openmetrics_print_build(const struct openmetrics_printer *p, enum metric metric)
{
	openmetrics_print_sample(p, metric, "version=\"" NFSRDMA_VERSION "\"", 1);
}

static void openmetrics_print_subject(const struct openmetrics_printer *p, enum metric metric)
{
	static const enum subject_key keys[] = { SUBJECT_PORT, SUBJECT_FILE, SUBJECT_TRANSPORT,
						 SUBJECT_NFS_VERSION };
	size_t i;

	openmetrics_print_name(p, metric);
	for (i = 0; i < ARRAY_SIZE(keys); i++) {
		if (!p->report->subject[keys[i]])
			continue;
		fputc(',', p->out);
		metric_label(p->out, subject_name(keys[i]), p->report->subject[keys[i]]);
	}
	fputs("} 1\n", p->out);
}

static void openmetrics_print_started(const struct openmetrics_printer *p, enum metric metric)
{
	openmetrics_print_sample(p, metric, "", (double)p->report->started);
}

static void openmetrics_print_elapsed(const struct openmetrics_printer *p, enum metric metric)
{
	openmetrics_print_sample(p, metric, "", p->report->elapsed_ms / 1000);
}

static void openmetrics_print_verdict(const struct openmetrics_printer *p, enum metric metric)
{
	char label[64];
	int verdict;

	for (verdict = VERDICT_PASS; verdict <= VERDICT_UNKNOWN; verdict++) {
		snprintf(label, sizeof(label), "nfsrdma_verdict=\"%s\"", verdict_name(verdict));
		openmetrics_print_sample(p, metric, label,
					 (int)report_verdict(p->report) == verdict);
	}
}

/* --- findings ------------------------------------------------------------------------------- */

/* The object of a finding. @with: the label is present, possibly empty, whenever that one
 * is; NULL: only if the finding has it. */
static const struct {
	const char *key, *with;
} openmetrics_keys[] = {
	{ "target", NULL }, { "source", "target" }, { "pool", NULL },
	{ "guest", NULL },  { "disk", "guest" },
};

static const char *openmetrics_label(const struct finding *finding, size_t at)
{
	const char *with = openmetrics_keys[at].with;

	return with && !*finding_evidence(finding, with)
		       ? ""
		       : finding_evidence(finding, openmetrics_keys[at].key);
}

static void openmetrics_print_object(const struct openmetrics_printer *p, enum metric metric,
				     const struct finding *finding)
{
	const char *separator = openmetrics_print_name(p, metric);
	size_t i;

	fprintf(p->out, "%sid=\"%s\"", separator, finding->id);
	for (i = 0; i < ARRAY_SIZE(openmetrics_keys); i++) {
		if (!*finding_evidence(finding, openmetrics_keys[i].with ? openmetrics_keys[i].with
									 : openmetrics_keys[i].key))
			continue;
		fputc(',', p->out);
		metric_label(p->out, openmetrics_keys[i].key, openmetrics_label(finding, i));
	}
}

static bool openmetrics_is_same(const struct finding *a, const struct finding *b)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(openmetrics_keys); i++)
		if (strcmp(openmetrics_label(a, i), openmetrics_label(b, i)) != 0)
			return false;
	return !strcmp(a->id, b->id);
}

/* A sample may appear only once in an exposition: only the first finding about an object is
 * printed. */
static bool openmetrics_is_first(const struct report *report, unsigned int at)
{
	unsigned int i;

	for (i = 0; i < at; i++)
		if (openmetrics_is_same(report->findings[i], report->findings[at]))
			return false;
	return true;
}

static void openmetrics_print_findings(const struct openmetrics_printer *p, enum metric metric)
{
	const struct finding *finding;
	unsigned int i, status;

	for (i = 0; i < p->report->nfindings; i++) {
		if (!openmetrics_is_first(p->report, i))
			continue;
		finding = p->report->findings[i];
		for (status = 0; status < FINDING_STATUS_COUNT; status++) {
			openmetrics_print_object(p, metric, finding);
			fprintf(p->out, ",nfsrdma_finding=\"%s\"} %d\n",
				finding_status_name(status), finding->status == status);
		}
	}
}

/* A metric of its own: as a label of the states, each reason would start new series. */
static void openmetrics_print_reasons(const struct openmetrics_printer *p, enum metric metric)
{
	const struct finding *finding;
	unsigned int i;

	for (i = 0; i < p->report->nfindings; i++) {
		finding = p->report->findings[i];
		if (!*finding->reason || !openmetrics_is_first(p->report, i))
			continue;
		openmetrics_print_object(p, metric, finding);
		fprintf(p->out, ",reason=\"%s\",consequence=\"%s\"} 1\n", finding->reason,
			consequence_name(consequence_of(finding)));
	}
}

/* --- measurements, which are evidence of findings --------------------------------------------- */

/* clang-format off */
#define SIDE(name, protocol) "case=\"" name "\",protocol=\"" protocol "\""
#define BENCH_CASE(id, name)                                                               \
	{ id, "us_p50", METRIC_BENCH_LATENCY, 1e-6, SIDE(name, "rdma") ",quantile=\"0.5\"" },    \
	{ id, "us_p99", METRIC_BENCH_LATENCY, 1e-6, SIDE(name, "rdma") ",quantile=\"0.99\"" },   \
	{ id, "us_p999", METRIC_BENCH_LATENCY, 1e-6, SIDE(name, "rdma") ",quantile=\"0.999\"" }, \
	{ id, "tcp_us_p50", METRIC_BENCH_LATENCY, 1e-6, SIDE(name, "tcp") ",quantile=\"0.5\"" },  \
	{ id, "tcp_us_p99", METRIC_BENCH_LATENCY, 1e-6, SIDE(name, "tcp") ",quantile=\"0.99\"" }, \
	{ id, "tcp_us_p999", METRIC_BENCH_LATENCY, 1e-6, SIDE(name, "tcp") ",quantile=\"0.999\"" }, \
	{ id, "per_s_median", METRIC_BENCH_RATE, 1, SIDE(name, "rdma") },                      \
	{ id, "tcp_per_s_median", METRIC_BENCH_RATE, 1, SIDE(name, "tcp") },                   \
	{ id, "ratio_to_tcp", METRIC_BENCH_RATIO, 1, "case=\"" name "\"" }
#define BENCH_DATA(id, name)                                                                 \
	{ id, "mb_per_s_median", METRIC_BENCH_THROUGHPUT, 1e6, SIDE(name, "rdma") },         \
	{ id, "tcp_mb_per_s_median", METRIC_BENCH_THROUGHPUT, 1e6, SIDE(name, "tcp") },      \
	BENCH_CASE(id, name)
/* clang-format on */

static const struct {
	const char *id, *key;
	enum metric metric;
	double scale; /* to base units */
	const char *labels;
} openmetrics_measured[] = {
	{ "probe.null", "best_ms", METRIC_PROBE_NULL, 1e-3, "" },
	BENCH_DATA("bench.read.4k-1", "read-4k-1"),
	BENCH_DATA("bench.read.4k-32", "read-4k-32"),
	BENCH_DATA("bench.read.1m-1", "read-1m-1"),
	BENCH_DATA("bench.read.1m-8", "read-1m-8"),
	BENCH_DATA("bench.write.4k-1", "write-4k-1"),
	BENCH_DATA("bench.write.4k-32", "write-4k-32"),
	BENCH_DATA("bench.write.1m-1", "write-1m-1"),
	BENCH_DATA("bench.write.1m-8", "write-1m-8"),
	BENCH_CASE("bench.null", "null"),
};

/* Prints the head before the first. False: it is not such a metric. */
static bool openmetrics_print_measured(const struct openmetrics_printer *p, enum metric metric)
{
	bool known = false, begun = false;
	const char *text;
	double value;
	unsigned int j;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(openmetrics_measured); i++) {
		if (openmetrics_measured[i].metric != metric)
			continue;
		known = true;
		for (j = 0; j < p->report->nfindings; j++)
			if (!strcmp(p->report->findings[j]->id, openmetrics_measured[i].id))
				break;
		text = j < p->report->nfindings ? finding_evidence(p->report->findings[j],
								   openmetrics_measured[i].key)
						: "";
		value = strtod(text, NULL);
		if (!*text || !isfinite(value))
			continue;
		if (!begun)
			openmetrics_print_head(p, metric);
		begun = true;
		openmetrics_print_sample(p, metric, openmetrics_measured[i].labels,
					 value * openmetrics_measured[i].scale);
	}
	return known;
}

/* --- all
 * ---------------------------------------------------------------------------------------- */

static void openmetrics_print_collected(const struct openmetrics_printer *p, enum metric metric)
{
	const struct metrics *metrics = &p->report->metrics;
	bool begun = false;
	unsigned int i;

	for (i = 0; i < metrics->count; i++) {
		if (metrics->list[i].metric != metric)
			continue;
		if (!begun)
			openmetrics_print_head(p, metric);
		begun = true;
		openmetrics_print_sample(p, metric, metrics->list[i].labels,
					 metrics->list[i].value);
	}
}

static void openmetrics_print(const struct report *report, FILE *out, bool openmetrics)
{
	static void (*const own[METRIC_COUNT])(const struct openmetrics_printer *p,
					       enum metric metric) = {
		[METRIC_BUILD_INFO] = openmetrics_print_build,
		[METRIC_REPORT_INFO] = openmetrics_print_subject,
		[METRIC_LAST_RUN] = openmetrics_print_started,
		[METRIC_DURATION] = openmetrics_print_elapsed,
		[METRIC_VERDICT] = openmetrics_print_verdict,
		[METRIC_FINDING] = openmetrics_print_findings,
		[METRIC_FINDING_INFO] = openmetrics_print_reasons,
	};
	const struct openmetrics_printer p = { report, out, openmetrics };
	unsigned int i;

	for (i = 0; i < METRIC_COUNT; i++) {
		enum metric metric = (enum metric)i;

		if (own[i]) {
			openmetrics_print_head(&p, metric);
			own[i](&p, metric);
		} else if (!openmetrics_print_measured(&p, metric)) {
			openmetrics_print_collected(&p, metric);
		}
	}
	if (openmetrics)
		fputs("# EOF\n", out);
}

static void prometheus_render(const struct report *report, FILE *out,
			      const struct report_style *style)
{
	(void)style;
	openmetrics_print(report, out, false);
}

static void openmetrics_render(const struct report *report, FILE *out,
			       const struct report_style *style)
{
	(void)style;
	openmetrics_print(report, out, true);
}

const struct report_format report_format_prometheus = {
	.name = "prometheus",
	.render = prometheus_render,
	.exit_status = verdict_exit,
	.metrics = true,
};

const struct report_format report_format_openmetrics = {
	.name = "openmetrics",
	.render = openmetrics_render,
	.exit_status = verdict_exit,
	.metrics = true,
};
