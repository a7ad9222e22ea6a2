/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Numbers of a report for a monitoring system, in the formats prometheus and openmetrics only. */
#ifndef PLUGIN_REPORT_METRICS_H
#define PLUGIN_REPORT_METRICS_H

#include "plugin/report/report.h"

enum metric {
#define METRIC(id, name, type, unit, scope, labels, source, help) METRIC_##id,
#include "plugin/report/metric-list.h"
#undef METRIC
	METRIC_COUNT
};

enum metric_type {
	METRIC_GAUGE,
	METRIC_COUNTER, /* only counts up, until the host or the program starts again */
};

/* The labels that all samples of a family have. Files of several commands, and of probes of several
 * servers, can lie in one directory of a textfile collector: no sample is in two of them. */
enum metric_scope {
	METRIC_OF_HOST,    /* none: only one watcher runs */
	METRIC_OF_COMMAND, /* command */
	METRIC_OF_REPORT,  /* command; server and export if the report has them */
};

struct metric_family {
	const char *name; /* of a counter with _total */
	enum metric_type type;
	const char *unit; /* "seconds"; NULL: none */
	enum metric_scope scope;
	const char *labels; /* the others, for the manual; "": none */
	const char *source; /* where the number is from; "": nfsrdma itself */
	const char *help;
};

extern const struct metric_family metric_families[METRIC_COUNT];

struct metric_label {
	const char *name, *value;
};

/* Adds a sample. @labels: ended by one with name NULL; NULL: none. The values may be any bytes. A
 * second sample with the same labels is ignored, since an exposition may have each only once; so
 * are those beyond METRICS_MAX. If memory runs out, report_print() fails. */
#define METRICS_MAX 16384
void report_metric(struct report *report, enum metric metric, double value,
		   const struct metric_label *labels);

#endif
