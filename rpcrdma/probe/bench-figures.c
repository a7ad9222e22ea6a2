/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* From seconds to figures. Pure. */
#include <stdio.h>

#include "rpcrdma/probe/bench-internal.h"

static int figures_compare(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

double bench_median(const double *values, unsigned int n)
{
	double sorted[BENCH_PAIRS_MAX];

	memcpy(sorted, values, n * sizeof(*values));
	qsort(sorted, n, sizeof(*sorted), figures_compare);
	return n % 2 ? sorted[n / 2] : (sorted[n / 2 - 1] + sorted[n / 2]) / 2;
}

/* Counts a sample that took no measurable time as one nanosecond, to avoid a division by zero. */
static double figures_seconds(double s)
{
	return s > 1e-9 ? s : 1e-9;
}

/* The measurement is less precise than three decimal places. */
static double figures_rounded(double value)
{
	return (double)(int64_t)(value * 1000 + 0.5) / 1000;
}

static double figures_least(const double *values, unsigned int n)
{
	double least = values[0];
	unsigned int i;

	for (i = 1; i < n; i++)
		least = values[i] < least ? values[i] : least;
	return least;
}

static void figures_spread(struct finding *f, const char *side, const char *unit,
			   const double *values, unsigned int n)
{
	double most = values[0];
	char key[FINDING_KEY_MAX];
	unsigned int i;

	for (i = 1; i < n; i++)
		most = values[i] > most ? values[i] : most;
	snprintf(key, sizeof(key), "%s%s_median", side, unit);
	finding_number(f, key, figures_rounded(bench_median(values, n)));
	snprintf(key, sizeof(key), "%s%s_min", side, unit);
	finding_number(f, key, figures_rounded(figures_least(values, n)));
	snprintf(key, sizeof(key), "%s%s_max", side, unit);
	finding_number(f, key, figures_rounded(most));
}

static void figures_speed(struct finding *f, const char *side, const struct bench_work *work,
			  const double *took, unsigned int n)
{
	double values[BENCH_PAIRS_MAX] = { 0 };
	unsigned int i;

	for (i = 0; i < n; i++)
		values[i] = (double)work->bytes / figures_seconds(took[i]) / 1e6;
	figures_spread(f, side, "mb_per_s", values, n);
}

static void figures_side(struct finding *f, const char *side, const struct bench_work *work,
			 const double *took, unsigned int n)
{
	double values[BENCH_PAIRS_MAX] = { 0 };
	unsigned int i;

	if (work->kind == BENCH_THROUGHPUT)
		figures_speed(f, side, work, took, n);
	for (i = 0; i < n; i++)
		values[i] = took[i] * 1e6 / work->operations;
	figures_spread(f, side, "us", values, n);
}

static double figures_ratio(enum bench_kind kind, double ours, double tcp)
{
	return kind == BENCH_THROUGHPUT ? figures_seconds(tcp) / figures_seconds(ours)
					: figures_seconds(ours) / figures_seconds(tcp);
}

static double figures_median_ratio(enum bench_kind kind, const double *ours, const double *theirs,
				   unsigned int n)
{
	double ratios[BENCH_PAIRS_MAX];
	unsigned int i;

	for (i = 0; i < n; i++)
		ratios[i] = figures_ratio(kind, ours[i], theirs[i]);
	return bench_median(ratios, n);
}

double bench_ratio(enum bench_kind kind, const struct bench_pairs *pairs)
{
	return figures_median_ratio(kind, pairs->ours, pairs->tcp, pairs->n);
}

double bench_ratio_tuned(const struct bench_pairs *pairs)
{
	return figures_median_ratio(BENCH_THROUGHPUT, pairs->ours, pairs->tuned, pairs->n);
}

void bench_evidence(struct finding *f, const struct bench_work *work,
		    const struct bench_pairs *pairs)
{
	char text[FINDING_VALUE_MAX] = "";
	size_t used = 0;
	unsigned int i;

	for (i = 0; i < pairs->n && used < sizeof(text); i++)
		used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%.3f", i ? " " : "",
					 figures_ratio(work->kind, pairs->ours[i], pairs->tcp[i]));
	finding_number(f, "ratio_to_tcp", figures_rounded(bench_ratio(work->kind, pairs)));
	finding_text(f, "ratios", "%s", text);
	finding_number(
		f, "ratio_of_best",
		figures_rounded(figures_ratio(work->kind, figures_least(pairs->ours, pairs->n),
					      figures_least(pairs->tcp, pairs->n))));
	finding_number(f, "pairs", pairs->n);
	finding_number(f, "operations_per_sample", work->operations);
	finding_number(f, "bytes_per_sample", (double)work->bytes);
	figures_side(f, "", work, pairs->ours, pairs->n);
	figures_side(f, "tcp_", work, pairs->tcp, pairs->n);
	if (!pairs->tuned[0])
		return;
	finding_number(f, "ratio_to_tuned_tcp", figures_rounded(bench_ratio_tuned(pairs)));
	figures_speed(f, "tuned_tcp_", work, pairs->tuned, pairs->n);
}
