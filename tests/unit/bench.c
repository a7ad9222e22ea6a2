/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* rpcrdma/probe/bench-figures.c: which number a benchmark reports. */
#include "rpcrdma/probe/bench-internal.h"
#include "tests/unit/suite.h"

static const struct finding_evidence *evidence(const struct finding *f, const char *key)
{
	unsigned int i;

	for (i = 0; i < f->nevidence; i++)
		if (!strcmp(f->evidence[i].key, key))
			return &f->evidence[i];
	return NULL;
}

static double number(const struct finding *f, const char *key)
{
	const struct finding_evidence *e = evidence(f, key);

	return e && e->is_number ? strtod(e->value, NULL) : -1;
}

static bool near(double a, double b)
{
	suite_saw("%.9g and %.9g", a, b);
	return a - b < 1e-6 && b - a < 1e-6;
}

static void median_of_an_odd_count_is_the_middle_value(void)
{
	const double values[] = { 9, 1, 5 };

	CU_ASSERT(near(bench_median(values, 3), 5));
	CU_ASSERT(near(bench_median(values, 1), 9));
	CU_ASSERT(near(values[0], 9));
}

static void median_of_an_even_count_is_between_the_middle_values(void)
{
	const double values[] = { 8, 1, 4, 2 };

	CU_ASSERT(near(bench_median(values, 4), 3));
}

static void one_bad_sample_does_not_move_the_median(void)
{
	const double values[] = { 2, 2, 1000, 2, 2 };

	CU_ASSERT(near(bench_median(values, 5), 2));
}

static struct bench_pairs pairs;

static void set_pairs(unsigned int n, const double *ours, const double *tcp)
{
	memset(&pairs, 0, sizeof(pairs));
	pairs.n = n;
	memcpy(pairs.ours.took, ours, n * sizeof(*ours));
	memcpy(pairs.tcp.took, tcp, n * sizeof(*tcp));
}

/* clang-format off */
#define LIST(...) ((const double[]){ __VA_ARGS__ })
/* clang-format on */

static void what_takes_less_time_is_faster(void)
{
	set_pairs(3, LIST(2, 2, 2), LIST(1, 1, 1));
	CU_ASSERT(near(bench_ratio(&pairs), 0.5));
	set_pairs(1, LIST(1), LIST(3));
	CU_ASSERT(near(bench_ratio(&pairs), 3));
}

/* Medians of the sides would say 1: the machine was slow for both in two of the pairs. */
static void ratio_is_the_median_of_the_pairs(void)
{
	set_pairs(3, LIST(1, 3, 5), LIST(3, 5, 1));
	CU_ASSERT(near(bench_ratio(&pairs), 5.0 / 3));
}

static void zero_time_does_not_divide_by_zero(void)
{
	set_pairs(1, LIST(0), LIST(0));
	CU_ASSERT(near(bench_ratio(&pairs), 1));
}

static void pairs_that_differ_much_are_noisy(void)
{
	set_pairs(5, LIST(1, 1, 1, 1, 1), LIST(2, 2.2, 1.9, 2.1, 9));
	CU_ASSERT_FALSE(bench_is_noisy(&pairs));
	set_pairs(5, LIST(1, 1, 1, 1, 1), LIST(2, 4, 1, 3, 0.5));
	CU_ASSERT_TRUE(bench_is_noisy(&pairs));
}

static void evidence_has_the_values_of_both_sides(void)
{
	const struct bench_work work = { 10, 8000000 };
	_cleanup_(finding_fini) struct finding f = { 0 };

	set_pairs(3, LIST(2, 4, 1), LIST(1, 2, 1));
	pairs.ours.processor_s = 0.048;
	bench_latency_add(&pairs.tcp.latency, 7000);
	finding_init(&f, "bench.read.1m-8", FINDING_PASS, "x");
	bench_evidence(&f, &work, &pairs);
	CU_ASSERT(near(number(&f, "ratio_to_tcp"), 0.5));
	CU_ASSERT_STRING_EQUAL(evidence(&f, "ratios")->value, "0.500 0.500 1.000");
	CU_ASSERT(near(number(&f, "mb_per_s_median"), 4));
	CU_ASSERT(near(number(&f, "mb_per_s_min"), 2));
	CU_ASSERT(near(number(&f, "mb_per_s_max"), 8));
	CU_ASSERT(near(number(&f, "tcp_mb_per_s_median"), 8));
	CU_ASSERT(near(number(&f, "per_s_median"), 5));
	CU_ASSERT(near(number(&f, "tcp_per_s_median"), 10));
	CU_ASSERT(near(number(&f, "processor_s_per_gb"), 2));
	CU_ASSERT(near(number(&f, "tcp_us_max"), 7));
	CU_ASSERT_PTR_NULL(evidence(&f, "tcp_us_p99"));
}

static void calls_without_data_have_no_throughput(void)
{
	const struct bench_work work = { 1000, 0 };
	_cleanup_(finding_fini) struct finding f = { 0 };

	set_pairs(1, LIST(2), LIST(3));
	finding_init(&f, "bench.null", FINDING_PASS, "x");
	bench_evidence(&f, &work, &pairs);
	CU_ASSERT(near(number(&f, "ratio_to_tcp"), 1.5));
	CU_ASSERT(near(number(&f, "per_s_median"), 500));
	CU_ASSERT(near(number(&f, "per_s_min"), 500));
	CU_ASSERT_PTR_NULL(evidence(&f, "mb_per_s_median"));
	CU_ASSERT_PTR_NULL(evidence(&f, "processor_s_per_gb"));
}

/* The caller adds seven of its own, and the last must not fall off. */
static void the_most_pairs_leave_room_for_other_evidence(void)
{
	const struct bench_work work = { 1, 1 };
	_cleanup_(finding_fini) struct finding f = { 0 };
	unsigned int i;

	memset(&pairs, 0, sizeof(pairs));
	pairs.n = BENCH_PAIRS_MAX;
	for (i = 0; i < BENCH_PAIRS_MAX; i++) {
		pairs.ours.took[i] = 1e-9 * i * i;
		pairs.tcp.took[i] = 1e6;
	}
	for (i = 0; i < 100000; i++) {
		bench_latency_add(&pairs.ours.latency, i);
		bench_latency_add(&pairs.tcp.latency, i);
	}
	finding_init(&f, "bench.read.1m-8", FINDING_PASS, "x");
	bench_evidence(&f, &work, &pairs);
	ASSERT_AT_LEAST(f.nevidence, 20);
	ASSERT_AT_MOST(f.nevidence + 7, FINDING_EVIDENCE_MAX);
}

static void percentiles_are_within_three_percent(void)
{
	static const double parts[] = { 0.5, 0.99, 0.999 };
	struct bench_latency l = { 0 };
	uint64_t ns;
	size_t i;

	for (ns = 1; ns <= 1000000; ns++)
		bench_latency_add(&l, ns * 10);
	for (i = 0; i < ARRAY_SIZE(parts); i++) {
		double exact = parts[i] * 10000, found = bench_latency_at(&l, parts[i]);

		suite_saw("%g: %g", exact, found);
		CU_ASSERT(found >= exact && found <= exact * 1.04);
	}
	CU_ASSERT_EQUAL(l.most_ns, 10000000);
}

/* Ten calls took longer than the 99th percentile of a thousand, and nine than that of 990. */
static void a_percentile_has_ten_calls_above_it(void)
{
	struct bench_latency l = { 0 };
	unsigned int i;

	for (i = 0; i < 900; i++)
		bench_latency_add(&l, 1000);
	CU_ASSERT(bench_latency_at(&l, 0.99) < 0);
	CU_ASSERT(bench_latency_at(&l, 0.5) > 0);
	for (i = 0; i < 100; i++)
		bench_latency_add(&l, 1000);
	CU_ASSERT(near(bench_latency_at(&l, 0.99), 1));
}

static void extreme_latencies_have_a_bucket(void)
{
	struct bench_latency l = { 0 };
	unsigned int i;

	for (i = 0; i < 40; i++)
		bench_latency_add(&l, i < 20 ? 0 : UINT64_MAX);
	CU_ASSERT(near(bench_latency_at(&l, 0.25), 0));
	CU_ASSERT(bench_latency_at(&l, 0.75) > 1e15);
}

SUITE_MAIN("bench", TEST(median_of_an_odd_count_is_the_middle_value),
	   TEST(median_of_an_even_count_is_between_the_middle_values),
	   TEST(one_bad_sample_does_not_move_the_median), TEST(what_takes_less_time_is_faster),
	   TEST(ratio_is_the_median_of_the_pairs), TEST(zero_time_does_not_divide_by_zero),
	   TEST(pairs_that_differ_much_are_noisy), TEST(evidence_has_the_values_of_both_sides),
	   TEST(calls_without_data_have_no_throughput),
	   TEST(the_most_pairs_leave_room_for_other_evidence),
	   TEST(percentiles_are_within_three_percent), TEST(a_percentile_has_ten_calls_above_it),
	   TEST(extreme_latencies_have_a_bucket))
