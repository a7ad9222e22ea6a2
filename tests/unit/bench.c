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

static void throughput_is_better_when_it_takes_less_time(void)
{
	const struct bench_pairs pairs = { 3, { 2, 2, 2 }, { 1, 1, 1 }, { 0 } };

	CU_ASSERT(near(bench_ratio(BENCH_THROUGHPUT, &pairs), 0.5));
}

static void latency_is_worse_when_it_takes_more_time(void)
{
	const struct bench_pairs pairs = { 3, { 2, 2, 2 }, { 1, 1, 1 }, { 0 } };

	CU_ASSERT(near(bench_ratio(BENCH_LATENCY, &pairs), 2));
}

/* Medians of the sides would say 1: the machine was slow for both in two of the pairs. */
static void ratio_is_the_median_of_the_pairs(void)
{
	const struct bench_pairs pairs = { 3, { 1, 3, 5 }, { 3, 5, 1 }, { 0 } };

	CU_ASSERT(near(bench_ratio(BENCH_LATENCY, &pairs), 0.6));
}

static void zero_time_does_not_divide_by_zero(void)
{
	const struct bench_pairs pairs = { 1, { 0 }, { 0 }, { 0 } };

	CU_ASSERT(near(bench_ratio(BENCH_THROUGHPUT, &pairs), 1));
	CU_ASSERT(near(bench_ratio(BENCH_LATENCY, &pairs), 1));
}

static void throughput_evidence_has_the_raw_values_of_both_sides(void)
{
	const struct bench_pairs pairs = { 3, { 2, 4, 1 }, { 1, 2, 1 }, { 0 } };
	const struct bench_work work = { BENCH_THROUGHPUT, 10, 8000000 };
	_cleanup_(finding_fini) struct finding f = { 0 };

	finding_init(&f, "bench.read.write-chunk", FINDING_PASS, "x");
	bench_evidence(&f, &work, &pairs);
	CU_ASSERT(near(number(&f, "ratio_to_tcp"), 0.5));
	CU_ASSERT_STRING_EQUAL(evidence(&f, "ratios")->value, "0.500 0.500 1.000");
	CU_ASSERT(near(number(&f, "ratio_of_best"), 1));
	CU_ASSERT(near(number(&f, "pairs"), 3));
	CU_ASSERT(near(number(&f, "bytes_per_sample"), 8000000));
	CU_ASSERT(near(number(&f, "mb_per_s_median"), 4));
	CU_ASSERT(near(number(&f, "mb_per_s_min"), 2));
	CU_ASSERT(near(number(&f, "mb_per_s_max"), 8));
	CU_ASSERT(near(number(&f, "tcp_mb_per_s_median"), 8));
	CU_ASSERT(near(number(&f, "tcp_mb_per_s_min"), 4));
	CU_ASSERT(near(number(&f, "us_median"), 200000));
	CU_ASSERT(near(number(&f, "tcp_us_max"), 200000));
	CU_ASSERT_PTR_NULL(evidence(&f, "ratio_to_tuned_tcp"));
}

static void a_tuned_stream_has_its_own_ratio(void)
{
	const struct bench_pairs pairs = { 3, { 2, 4, 4 }, { 1, 2, 1 }, { 1, 1, 1 } };
	const struct bench_work work = { BENCH_THROUGHPUT, 10, 8000000 };
	_cleanup_(finding_fini) struct finding f = { 0 };

	CU_ASSERT(near(bench_ratio_tuned(&pairs), 0.25));
	finding_init(&f, "bench.read.write-chunk", FINDING_PASS, "x");
	bench_evidence(&f, &work, &pairs);
	CU_ASSERT(near(number(&f, "ratio_to_tcp"), 0.5));
	CU_ASSERT(near(number(&f, "ratio_to_tuned_tcp"), 0.25));
	CU_ASSERT(near(number(&f, "tuned_tcp_mb_per_s_median"), 8));
	CU_ASSERT(near(number(&f, "tuned_tcp_mb_per_s_min"), 8));
	CU_ASSERT(near(number(&f, "tuned_tcp_mb_per_s_max"), 8));
}

static void latency_evidence_has_no_throughput(void)
{
	const struct bench_pairs pairs = { 1, { 3 }, { 2 }, { 0 } };
	const struct bench_work work = { BENCH_LATENCY, 1000000, 120 };
	_cleanup_(finding_fini) struct finding f = { 0 };

	finding_init(&f, "bench.null", FINDING_PASS, "x");
	bench_evidence(&f, &work, &pairs);
	CU_ASSERT(near(number(&f, "ratio_to_tcp"), 1.5));
	CU_ASSERT(near(number(&f, "us_median"), 3));
	CU_ASSERT(near(number(&f, "tcp_us_median"), 2));
	CU_ASSERT_PTR_NULL(evidence(&f, "mb_per_s_median"));
}

/* The caller adds seven of its own, and the last must not fall off. */
static void the_most_pairs_leave_room_for_other_evidence(void)
{
	const struct bench_work work = { BENCH_THROUGHPUT, 1, 1 };
	struct bench_pairs pairs = { .n = BENCH_PAIRS_MAX };
	_cleanup_(finding_fini) struct finding f = { 0 };
	unsigned int i;

	for (i = 0; i < BENCH_PAIRS_MAX; i++) {
		pairs.ours[i] = 1e-9;
		pairs.tcp[i] = pairs.tuned[i] = 1e6;
	}
	finding_init(&f, "bench.read.write-chunk", FINDING_PASS, "x");
	bench_evidence(&f, &work, &pairs);
	ASSERT_AT_MOST(f.nevidence + 7, FINDING_EVIDENCE_MAX);
	CU_ASSERT(near(number(&f, "pairs"), BENCH_PAIRS_MAX));
}

SUITE_MAIN("bench", TEST(median_of_an_odd_count_is_the_middle_value),
	   TEST(median_of_an_even_count_is_between_the_middle_values),
	   TEST(one_bad_sample_does_not_move_the_median),
	   TEST(throughput_is_better_when_it_takes_less_time),
	   TEST(latency_is_worse_when_it_takes_more_time), TEST(ratio_is_the_median_of_the_pairs),
	   TEST(zero_time_does_not_divide_by_zero),
	   TEST(throughput_evidence_has_the_raw_values_of_both_sides),
	   TEST(a_tuned_stream_has_its_own_ratio), TEST(latency_evidence_has_no_throughput),
	   TEST(the_most_pairs_leave_room_for_other_evidence))
