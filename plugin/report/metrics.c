/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The table of metrics, and the samples of a report. */
#include "plugin/report/internal.h"
#include "rpcrdma/base/grow.h"

const struct metric_family metric_families[METRIC_COUNT] = {
#define METRIC(id, name, type, unit, scope, labels, source, help) \
	[METRIC_##id] = { name, METRIC_##type, unit, METRIC_OF_##scope, labels, source, help },
#include "plugin/report/metric-list.h"
#undef METRIC
};

void metric_label(FILE *out, const char *name, const char *value)
{
	char clean[3 * FINDING_SUMMARY_MAX + 1];
	const char *p;

	fprintf(out, "%s=\"", name);
	for (p = utf8_clean(clean, sizeof(clean), value, UTF8_REPLACE); *p; p++)
		fprintf(out, "%s%c", *p == '"' || *p == '\\' ? "\\" : "", *p);
	fputc('"', out);
}

static char *metrics_labels_text(const struct metric_label *labels)
{
	char *text = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&text, &len);
	const struct metric_label *label;

	if (!out)
		return NULL;
	for (label = labels; label && label->name; label++) {
		if (label != labels)
			fputc(',', out);
		metric_label(out, label->name, label->value);
	}
	if (!fclose(out))
		return text;
	free(text);
	return NULL;
}

void report_metric(struct report *report, enum metric metric, double value,
		   const struct metric_label *labels)
{
	_cleanup_free_ char *text = metrics_labels_text(labels);
	struct metrics *metrics = &report->metrics;
	unsigned int i;

	if (metrics->count == METRICS_MAX)
		return;
	if (!text || !grow(metrics->list, metrics->count)) {
		report->no_memory = true;
		return;
	}
	for (i = 0; i < metrics->count; i++)
		if (metrics->list[i].metric == metric && !strcmp(metrics->list[i].labels, text))
			return;
	metrics->list[metrics->count++] = (struct metric_sample){ metric, value, take_ptr(text) };
}

void metrics_fini(struct metrics *metrics)
{
	unsigned int i;

	for (i = 0; i < metrics->count; i++)
		free(metrics->list[i].labels);
	free(metrics->list);
}
