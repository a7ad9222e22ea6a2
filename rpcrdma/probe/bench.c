/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The order of the benchmark: warm up and learn how much work fills a sample, then alternate
 * samples of the two sides. The side that begins changes with each pair. A tuned TCP stream is
 * part of the TCP side. */
#include <stdio.h>

#include "rpcrdma/probe/bench-internal.h"

/* One sample of a side: @count operations. */
typedef int (*bench_sample_fn)(void *arg, uint32_t count, double *took);

struct bench_contest {
	const char *id;
	struct probe *p;
	struct bench_work work;
	bench_sample_fn ours, tcp;
	/* NULL: there is no tuned TCP stream. */
	int (*tune)(void *arg, double seconds);
	bench_sample_fn tuned;
	void *arg;
	unsigned int to_come; /* contests left, including this one */
	struct bench_pairs pairs;
};

/* Indexed by --level. */
static const struct {
	unsigned int pairs;
	double sample_s;
} levels[] = {
	[PROBE_QUICK] = { 5, 0.05 },
	[PROBE_STANDARD] = { 9, 0.15 },
	[PROBE_FULL] = { 25, 0.5 },
};

#define OPERATIONS_MAX 1000000u
/* The settings of a TCP stream are compared in samples that are shorter by this factor. */
#define TUNE_SHARE 4

/* Warms up caches and congestion windows with samples that do not count, doubling the work until
 * it fills @seconds. This also tells how much work a sample needs. */
static int bench_warm_up(struct bench_contest *c, double seconds)
{
	uint32_t count = c->work.operations;
	double took = 0;
	int rc;

	for (;;) {
		rc = c->ours(c->arg, count, &took);
		if (rc || took >= seconds / 2 || count >= OPERATIONS_MAX / 2)
			break;
		count *= 2;
	}
	if (rc)
		return rc;
	if (took > 0)
		count = (uint32_t)min_u64((uint64_t)(count * seconds / took) + 1, OPERATIONS_MAX);
	if (count > c->work.operations)
		c->work.operations = count;
	return c->tcp(c->arg, c->work.operations, &took);
}

static int bench_pair_run(struct bench_contest *c)
{
	struct bench_pairs *pairs = &c->pairs;
	double ours = 0, tcp = 0, tuned = 0;
	bool first = pairs->n % 2 == 0;
	int rc = 0;

	if (first)
		rc = c->ours(c->arg, c->work.operations, &ours);
	if (!rc)
		rc = c->tcp(c->arg, c->work.operations, &tcp);
	if (!rc && c->tuned)
		rc = c->tuned(c->arg, c->work.operations, &tuned);
	if (!rc && !first)
		rc = c->ours(c->arg, c->work.operations, &ours);
	if (rc)
		return rc;
	pairs->ours[pairs->n] = ours;
	pairs->tuned[pairs->n] = tuned;
	pairs->tcp[pairs->n++] = tcp;
	return 0;
}

/* Runs enough pairs, or as many as the deadline allows: the deadline cuts off the last one. */
static int bench_contest_run(struct bench_contest *c)
{
	unsigned int level = c->p->options->level, i;
	double left = deadline_left(c->p->deadline) / 1000.0 / c->to_come;
	/* The time of the level, or less if the deadline would come before all samples are
	 * done; the warm-up counts as three pairs, tuning as two more. */
	double most = left /
		      (c->tuned ? 3 * (levels[level].pairs + 5) : 2 * (levels[level].pairs + 3));
	double seconds = most < levels[level].sample_s ? most : levels[level].sample_s;
	int rc = bench_warm_up(c, seconds);

	probe_progress(c->p, c->id, 0, levels[level].pairs);
	if (!rc && c->tune)
		rc = c->tune(c->arg, seconds / TUNE_SHARE);
	for (i = 0; i < levels[level].pairs && !rc; i++) {
		probe_progress(c->p, c->id, i, levels[level].pairs);
		rc = deadline_left(c->p->deadline) ? bench_pair_run(c) : -ETIMEDOUT;
	}
	if (!rc || deadline_left(c->p->deadline))
		return rc;
	if (c->pairs.n >= BENCH_PAIRS_MIN)
		return 0;
	return err_set(ETIMEDOUT, "%u pairs of samples until the deadline, at least %d wanted",
		       c->pairs.n, BENCH_PAIRS_MIN);
}

/* Reports what was wrong or could not be measured. */
static void bench_say_failed(struct probe *p, const char *id, int rc)
{
	bool wrong = rc == -EILSEQ || rc == -EBADMSG || rc == -EBADE || rc == -EPROTO;

	probe_because(p, id, wrong ? FINDING_FAIL : FINDING_UNKNOWN,
		      wrong              ? "wrong"
		      : rc == -ETIMEDOUT ? "time"
					 : "not-measured",
		      "%s", err_text());
}

/* Reports what else the figures depend on. */
static void bench_environment(struct probe *p, struct finding *f, const char *baseline)
{
	double load;

	finding_text(f, "baseline", "%s", baseline);
	if (p->session.conn)
		finding_text(f, "crc", "%s",
			     rpcrdma_transport(p->session.conn)->crc ? "on" : "off");
	finding_number(f, "processors", (double)sysconf(_SC_NPROCESSORS_ONLN));
	if (getloadavg(&load, 1) == 1)
		finding_number(f, "load_average", load);
}

static double bench_us_each(const struct bench_work *work, const double *took, unsigned int n)
{
	return bench_median(took, n) * 1e6 / work->operations;
}

static double bench_mb_per_s(const struct bench_work *work, const double *took, unsigned int n)
{
	double s = bench_median(took, n);

	return s > 0 ? (double)work->bytes / s / 1e6 : 0;
}

/* NULL */

struct bench_null {
	struct probe *p;
	const struct bench_baseline *baseline;
	uint32_t ask, answer;
};

static int bench_null_ours(void *arg, uint32_t count, double *took)
{
	struct bench_null *w = arg;

	return bench_null_sample(w->p, count, took);
}

static int bench_null_tcp(void *arg, uint32_t count, double *took)
{
	struct bench_null *w = arg;

	return w->baseline->exchange(w->baseline->arg, count, w->ask, w->answer, took);
}

static void bench_measure_null(struct probe *p, const struct bench_baseline *baseline)
{
	struct bench_null w = { .p = p, .baseline = baseline };
	struct bench_contest c = {
		.id = "bench.null",
		.p = p,
		.work = { .kind = BENCH_LATENCY, .operations = 64 },
		.ours = bench_null_ours,
		.tcp = bench_null_tcp,
		.arg = &w,
		.to_come = 2,
	};
	_cleanup_(finding_fini) struct finding f = { 0 };
	int rc;

	rc = bench_null_size(p, &w.ask, &w.answer);
	if (!rc)
		rc = bench_contest_run(&c);
	if (rc) {
		bench_say_failed(p, c.id, rc);
		return;
	}
	c.work.bytes = (uint64_t)c.work.operations * (w.ask + w.answer);
	finding_init(&f, c.id, FINDING_PASS,
		     "NULL takes %.1f us, %s %.1f us: ratio %.2f, median of %u pairs",
		     bench_us_each(&c.work, c.pairs.ours, c.pairs.n), baseline->name,
		     bench_us_each(&c.work, c.pairs.tcp, c.pairs.n),
		     bench_ratio(c.work.kind, &c.pairs), c.pairs.n);
	bench_evidence(&f, &c.work, &c.pairs);
	finding_number(&f, "call_bytes", w.ask);
	finding_number(&f, "reply_bytes", w.answer);
	bench_environment(p, &f, baseline->name);
	probe_emit(p, &f);
}

/* READ */

struct bench_read_work {
	struct bench_reads *reads;
	const struct bench_baseline *baseline;
	char settings[128]; /* of the tuned TCP stream */
};

static int bench_read_ours(void *arg, uint32_t count, double *took)
{
	struct bench_read_work *w = arg;

	return bench_reads_sample(w->reads, count, took);
}

static int bench_read_tcp(void *arg, uint32_t count, double *took)
{
	struct bench_read_work *w = arg;

	return w->baseline->stream(w->baseline->arg, count, w->reads->length, took);
}

static int bench_read_tune(void *arg, double seconds)
{
	struct bench_read_work *w = arg;

	return w->baseline->tune(w->baseline->arg, seconds, w->settings, sizeof(w->settings));
}

static int bench_read_tuned(void *arg, uint32_t count, double *took)
{
	struct bench_read_work *w = arg;

	return w->baseline->tuned(w->baseline->arg, count, w->reads->length, took);
}

static void bench_measure_read(struct probe *p, struct bench_reads *reads,
			       const struct bench_baseline *baseline)
{
	struct bench_read_work w = { .reads = reads, .baseline = baseline };
	struct bench_contest c = {
		.id = "bench.read.write-chunk",
		.p = p,
		.work = { .kind = BENCH_THROUGHPUT, .operations = 2 * reads->depth },
		.ours = bench_read_ours,
		.tcp = bench_read_tcp,
		.tune = baseline->tune ? bench_read_tune : NULL,
		.tuned = baseline->tuned ? bench_read_tuned : NULL,
		.arg = &w,
		.to_come = 1,
	};
	char tuned[256] = "";
	_cleanup_(finding_fini) struct finding f = { 0 };
	int rc = bench_contest_run(&c);

	if (rc) {
		bench_say_failed(p, c.id, rc);
		return;
	}
	c.work.bytes = (uint64_t)c.work.operations * reads->length;
	if (c.tuned)
		snprintf(tuned, sizeof(tuned), "; tuned (%s) %.0f MB/s: ratio %.2f", w.settings,
			 bench_mb_per_s(&c.work, c.pairs.tuned, c.pairs.n),
			 bench_ratio_tuned(&c.pairs));
	finding_init(
		&f, c.id, FINDING_PASS,
		"READs of %u bytes bring %.0f MB/s, %s %.0f MB/s: ratio %.2f, median of %u pairs%s",
		reads->length, bench_mb_per_s(&c.work, c.pairs.ours, c.pairs.n), baseline->name,
		bench_mb_per_s(&c.work, c.pairs.tcp, c.pairs.n), bench_ratio(c.work.kind, &c.pairs),
		c.pairs.n, tuned);
	bench_evidence(&f, &c.work, &c.pairs);
	if (c.tuned)
		finding_text(&f, "tuned_tcp", "%s", w.settings);
	finding_number(&f, "read_bytes", reads->length);
	finding_number(&f, "depth", reads->depth);
	bench_environment(p, &f, baseline->name);
	probe_emit(p, &f);
}

static void bench_baseline_close(struct bench_baseline *baseline)
{
	if (baseline->close)
		baseline->close(baseline->arg);
}

/* @local: the server is on this host. */
static void bench_measure(struct probe *p, bool local)
{
	_cleanup_(bench_baseline_close) struct bench_baseline baseline = { 0 };
	_cleanup_(bench_reads_close) struct bench_reads reads = { 0 };
	int rc;

	rc = bench_reads_open(&reads, p, &p->files.candidates[0]);
	if (!rc)
		rc = bench_reads_check(&reads);
	if (!rc && local)
		rc = bench_tcp_open(&baseline, reads.region, reads.region_len,
				    (size_t)reads.blocks * reads.length);
	else if (!rc)
		rc = bench_nfs_open(&baseline, p, &reads);
	if (rc) {
		bench_say_failed(p, "bench.read.write-chunk", rc);
		return;
	}
	bench_measure_null(p, &baseline);
	bench_place_free();
	bench_measure_read(p, &reads, &baseline);
}

static void bench_worker(struct probe *p, bool local)
{
	bool answered = target_ping(p);
	bool pinged = answered && versions_choose(p);

	if (pinged && !p->options->export)
		probe_because(p, "bench.read.write-chunk", FINDING_UNKNOWN, "no-export",
			      "no export given; expected SERVER:/EXPORT");
	else if (pinged && root_find(p) && target_limits(p) && pick_files(p)) {
		target_reference(p);
		bench_measure(p, local);
		reference_close(p->tcp.reference);
	}
	liveness_check(p);
	client41_close(p);
	if (answered)
		target_behaviour(p);
	session_drop(p);
}

static void bench_worker_remote(struct probe *p)
{
	bench_worker(p, false);
}

static void bench_worker_local(struct probe *p)
{
	bench_worker(p, true);
}

int bench_run(const struct probe_options *options, const struct probe_events *events)
{
	/* The reference, and the baseline. */
	return parent_run(options, bench_worker_remote, 2, events);
}

int bench_run_local(const struct probe_options *options, const struct probe_events *events)
{
	return parent_run(options, bench_worker_local, 1, events);
}
