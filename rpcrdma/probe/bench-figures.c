/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* From seconds to figures. Pure. */
#include <stdio.h>

#include "rpcrdma/probe/bench-internal.h"

/* A percentile needs so many calls above it. */
#define ABOVE_MIN 10
/* Of the ratio. */
#define NOISY 0.25

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

/* --- latencies ------------------------------------------------------------------------------- */

/* Below BENCH_STEPS each value has a bucket; above it each power of two has so many. */
static size_t figures_bucket(uint64_t ns)
{
	unsigned int shift;

	if (ns < BENCH_STEPS)
		return (size_t)ns;
	shift = 63 - (unsigned int)__builtin_clzll(ns) - 5;
	return (size_t)shift * BENCH_STEPS + (size_t)(ns >> shift);
}

/* The largest value of a bucket. */
static uint64_t figures_bucket_end(size_t bucket)
{
	size_t shift = bucket / BENCH_STEPS ? bucket / BENCH_STEPS - 1 : 0;

	return (((uint64_t)bucket - shift * BENCH_STEPS + 1) << shift) - 1;
}

void bench_latency_add(struct bench_latency *l, uint64_t ns)
{
	size_t bucket = figures_bucket(ns);

	l->n++;
	if (ns > l->most_ns)
		l->most_ns = ns;
	if (bucket < ARRAY_SIZE(l->buckets))
		l->buckets[bucket]++;
}

double bench_latency_at(const struct bench_latency *l, double part)
{
	uint64_t wanted = (uint64_t)((double)l->n * part), seen = 0;
	size_t i;

	if (l->n - wanted < ABOVE_MIN)
		return -1;
	for (i = 0; i < ARRAY_SIZE(l->buckets); i++) {
		seen += l->buckets[i];
		if (seen >= wanted && seen)
			break;
	}
	return (double)min_u64(figures_bucket_end(i), l->most_ns) / 1e3;
}

/* --- pairs ----------------------------------------------------------------------------------- */

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

static double figures_pair_ratio(const struct bench_pairs *pairs, unsigned int i)
{
	return figures_seconds(pairs->tcp.took[i]) / figures_seconds(pairs->ours.took[i]);
}

double bench_ratio(const struct bench_pairs *pairs)
{
	double ratios[BENCH_PAIRS_MAX];
	unsigned int i;

	for (i = 0; i < pairs->n; i++)
		ratios[i] = figures_pair_ratio(pairs, i);
	return bench_median(ratios, pairs->n);
}

bool bench_is_noisy(const struct bench_pairs *pairs)
{
	double ratio = bench_ratio(pairs), off[BENCH_PAIRS_MAX];
	unsigned int i;

	for (i = 0; i < pairs->n; i++) {
		off[i] = figures_pair_ratio(pairs, i) - ratio;
		off[i] = off[i] < 0 ? -off[i] : off[i];
	}
	return bench_median(off, pairs->n) > NOISY * ratio;
}

double bench_rate(const struct bench_work *work, const struct bench_side *side, unsigned int n)
{
	return work->operations / figures_seconds(bench_median(side->took, n));
}

static void figures_number(struct finding *f, const char *side, const char *key, double value)
{
	char name[FINDING_KEY_MAX];

	if (value < 0)
		return;
	snprintf(name, sizeof(name), "%s%s", side, key);
	finding_number(f, name, figures_rounded(value));
}

/* The medians, with what the fastest and the slowest sample had. */
static void figures_rates(struct finding *f, const char *side, const struct bench_work *work,
			  const struct bench_side *from, unsigned int n)
{
	const double scale = work->bytes ? (double)work->bytes / work->operations / 1e6 : 1;
	const char *unit = work->bytes ? "mb_per_s" : "per_s";
	double least = from->took[0], most = from->took[0];
	char key[FINDING_KEY_MAX];
	unsigned int i;

	for (i = 1; i < n; i++) {
		least = from->took[i] < least ? from->took[i] : least;
		most = from->took[i] > most ? from->took[i] : most;
	}
	figures_number(f, side, "per_s_median", bench_rate(work, from, n));
	if (work->bytes)
		figures_number(f, side, "mb_per_s_median", bench_rate(work, from, n) * scale);
	snprintf(key, sizeof(key), "%s_min", unit);
	figures_number(f, side, key, work->operations / figures_seconds(most) * scale);
	snprintf(key, sizeof(key), "%s_max", unit);
	figures_number(f, side, key, work->operations / figures_seconds(least) * scale);
}

static void figures_latencies(struct finding *f, const char *side, const struct bench_latency *l)
{
	figures_number(f, side, "us_p50", bench_latency_at(l, 0.5));
	figures_number(f, side, "us_p99", bench_latency_at(l, 0.99));
	figures_number(f, side, "us_p999", bench_latency_at(l, 0.999));
	figures_number(f, side, "us_max", (double)l->most_ns / 1e3);
}

static void figures_side(struct finding *f, const char *side, const struct bench_work *work,
			 const struct bench_side *from, unsigned int n)
{
	double gigabytes = (double)work->bytes * n / 1e9;

	figures_rates(f, side, work, from, n);
	figures_latencies(f, side, &from->latency);
	if (gigabytes > 0)
		figures_number(f, side, "processor_s_per_gb", from->processor_s / gigabytes);
}

void bench_evidence(struct finding *f, const struct bench_work *work,
		    const struct bench_pairs *pairs)
{
	char text[FINDING_VALUE_MAX] = "";
	size_t used = 0;
	unsigned int i;

	for (i = 0; i < pairs->n && used < sizeof(text); i++)
		used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%.3f", i ? " " : "",
					 figures_pair_ratio(pairs, i));
	finding_number(f, "ratio_to_tcp", figures_rounded(bench_ratio(pairs)));
	finding_text(f, "ratios", "%s", text);
	if (bench_is_noisy(pairs))
		finding_text(f, "noisy", "yes");
	finding_number(f, "operations_per_sample", work->operations);
	figures_side(f, "", work, &pairs->ours, pairs->n);
	figures_side(f, "tcp_", work, &pairs->tcp, pairs->n);
}
