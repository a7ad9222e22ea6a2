/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The order of the benchmark: for each case warm up and learn how much work fills a sample, then alternate
 * samples of the two sides. The side that begins changes with each pair. */
#include <stdio.h>
#include <time.h>

#include "rpcrdma/probe/bench-internal.h"

#define KIB 1024u
#define MIB (1024 * KIB)

const struct bench_case bench_cases[BENCH_CASES] = {
	{ "null", "bench.null", "NULL", 0, 1, false },
	{ "read-4k-1", "bench.read.4k-1", "READ 4 KiB", 4 * KIB, 1, false },
	{ "read-4k-32", "bench.read.4k-32", "READ 4 KiB x 32", 4 * KIB, 32, false },
	{ "read-1m-1", "bench.read.1m-1", "READ 1 MiB", MIB, 1, false },
	{ "read-1m-8", "bench.read.1m-8", "READ 1 MiB x 8", MIB, 8, false },
	{ "write-4k-1", "bench.write.4k-1", "WRITE 4 KiB", 4 * KIB, 1, true },
	{ "write-4k-32", "bench.write.4k-32", "WRITE 4 KiB x 32", 4 * KIB, 32, true },
	{ "write-1m-1", "bench.write.1m-1", "WRITE 1 MiB", MIB, 1, true },
	{ "write-1m-8", "bench.write.1m-8", "WRITE 1 MiB x 8", MIB, 8, true },
};
/* What is reported where nothing could be measured. */
#define WHOLE "bench.read.1m-8"

/* Indexed by --level. */
static const struct {
	unsigned int pairs;
	double sample_s;
} levels[] = {
	[PROBE_QUICK] = { 5, 0.05 },
	[PROBE_STANDARD] = { 7, 0.1 },
	[PROBE_FULL] = { 15, 0.3 },
};

#define OPERATIONS_MAX 1000000u

struct bench {
	struct probe *p;
	struct bench_nfs *nfs;
	struct writes writes; /* the scratch file */
	bool made;
	unsigned int to_come; /* cases left, including this one */
	/* Of one case. */
	const struct bench_case *what;
	struct bench_reads reads; /* not for NULL */
	struct bench_work work;
	struct bench_pairs pairs;
};

static uint64_t bench_processor_ns(void)
{
	struct timespec t = { 0 };

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* One sample of a side: @count operations. */
static int bench_sample(struct bench *b, struct bench_side *side, uint32_t count, double *took)
{
	uint64_t processor = bench_processor_ns(), begin = now_ns();
	bool ours = side == &b->pairs.ours;
	int rc;

	b->reads.latency = &side->latency;
	if (!b->what->length)
		rc = ours ? bench_nulls_sample(b->p, count, &side->latency)
			  : bench_nfs_nulls(b->nfs, count, &side->latency);
	else
		rc = ours ? bench_reads_sample(&b->reads, count)
			  : bench_nfs_reads(b->nfs, &b->reads, count, &side->latency);
	/* What is not stable is not written: the COMMIT is a part of the sample. */
	if (!rc && b->what->writes)
		rc = ours ? bench_writes_commit(&b->reads) : bench_nfs_commit(b->nfs, &b->reads);
	*took = (double)(now_ns() - begin) / 1e9;
	side->processor_s += (double)(bench_processor_ns() - processor) / 1e9;
	return rc;
}

/* Warms up caches and congestion windows with samples that do not count, doubling the work until
 * it fills @seconds. This also tells how much work a sample needs. */
static int bench_warm_up(struct bench *b, double seconds)
{
	uint32_t count = b->work.operations;
	double took = 0;
	int rc;

	for (;;) {
		rc = bench_sample(b, &b->pairs.ours, count, &took);
		if (rc || took >= seconds / 2 || count >= OPERATIONS_MAX / 2)
			break;
		count *= 2;
	}
	if (rc)
		return rc;
	if (took > 0)
		count = (uint32_t)min_u64((uint64_t)(count * seconds / took) + 1, OPERATIONS_MAX);
	if (count > b->work.operations)
		b->work.operations = count;
	rc = bench_sample(b, &b->pairs.tcp, b->work.operations, &took);
	memset(&b->pairs, 0, sizeof(b->pairs));
	return rc;
}

static int bench_pair_run(struct bench *b)
{
	struct bench_side *sides[] = { &b->pairs.ours, &b->pairs.tcp };
	unsigned int n = b->pairs.n, i;
	int rc = 0;

	for (i = 0; i < 2 && !rc; i++) {
		struct bench_side *side = sides[(i + n) % 2];

		rc = bench_sample(b, side, b->work.operations, &side->took[n]);
	}
	b->pairs.n += !rc;
	return rc;
}

/* Runs enough pairs, or as many as the deadline allows: the deadline cuts off the last one. */
static int bench_case_run(struct bench *b)
{
	const struct probe_options *options = b->p->options;
	unsigned int pairs = levels[options->level].pairs, i;
	double left = deadline_left(b->p->deadline) / 1000.0 / b->to_come;
	/* The time of the level, or less if the deadline would come before all samples are
	 * done; the warm-up counts as three pairs. */
	double most = left / (2 * (pairs + 3));
	double seconds = options->bench_ms ? options->bench_ms / 1000.0 / (2 * pairs)
					   : levels[options->level].sample_s;
	int rc = bench_warm_up(b, seconds < most ? seconds : most);

	for (i = 0; i < pairs && !rc; i++) {
		probe_progress(b->p, b->what->title, i, pairs);
		rc = deadline_left(b->p->deadline) ? bench_pair_run(b) : -ETIMEDOUT;
	}
	if (!rc || deadline_left(b->p->deadline))
		return rc;
	if (b->pairs.n >= BENCH_PAIRS_MIN)
		return 0;
	return err_set(ETIMEDOUT, "%u pairs of samples until the deadline, at least %d wanted",
		       b->pairs.n, BENCH_PAIRS_MIN);
}

/* Reports what was wrong or could not be measured. */
static void bench_say_failed(struct probe *p, const char *id, int rc)
{
	static const struct {
		int rc;
		const char *reason;
	} rows[] = {
		{ -EILSEQ, "wrong" }, { -EBADMSG, "wrong" },  { -EBADE, "wrong" },
		{ -EPROTO, "wrong" }, { -ETIMEDOUT, "time" }, { -EOPNOTSUPP, "not-tried" },
	};
	const bool named = !strcmp(err_reason(), "error") || !strcmp(err_reason(), "short");
	const char *reason = named ? err_reason() : "not-measured";
	char known[ERR_REASON_MAX];
	size_t i;

	for (i = 0; !named && i < ARRAY_SIZE(rows); i++)
		if (rows[i].rc == rc)
			reason = rows[i].reason;
	str_copy(known, sizeof(known), reason);
	probe_because(p, id, strcmp(known, "wrong") ? FINDING_UNKNOWN : FINDING_FAIL, known, "%s",
		      err_text());
}

/* Reports what else the figures depend on. */
static void bench_environment(struct probe *p, struct finding *f)
{
	double load;

	finding_text(f, "baseline", "NFS over TCP");
	if (p->session.conn)
		finding_text(f, "crc", "%s",
			     rpcrdma_transport(p->session.conn)->crc ? "on" : "off");
	finding_number(f, "processors", (double)sysconf(_SC_NPROCESSORS_ONLN));
	if (getloadavg(&load, 1) == 1)
		finding_number(f, "load_average", load);
}

static void bench_say(struct bench *b)
{
	const struct bench_work *work = &b->work;
	double each = work->bytes ? (double)work->bytes / work->operations / 1e6 : 0;
	double ours = bench_rate(work, &b->pairs.ours, b->pairs.n);
	double tcp = bench_rate(work, &b->pairs.tcp, b->pairs.n);
	_cleanup_(finding_fini) struct finding f = { 0 };

	if (b->what->length >= MIB)
		finding_init(&f, b->what->id, FINDING_PASS,
			     "%.0f MB/s over RDMA, %.0f MB/s over TCP: ratio %.2f", ours * each,
			     tcp * each, bench_ratio(&b->pairs));
	else
		finding_init(&f, b->what->id, FINDING_PASS,
			     "%.0f a second over RDMA, %.0f over TCP: ratio %.2f", ours, tcp,
			     bench_ratio(&b->pairs));
	bench_evidence(&f, work, &b->pairs);
	finding_number(&f, "pairs", b->pairs.n);
	if (b->what->length) {
		finding_number(&f, b->what->writes ? "write_bytes" : "read_bytes", b->reads.length);
		finding_number(&f, "depth", b->reads.depth);
	}
	bench_environment(b->p, &f);
	probe_emit(b->p, &f);
}

static int bench_measure_case(struct bench *b)
{
	const struct probe_file *file = b->what->writes ? &b->writes.file
							: &b->p->files.candidates[0];
	int rc = 0;

	memset(&b->pairs, 0, sizeof(b->pairs));
	b->work = (struct bench_work){ .operations = 64 };
	if (b->what->length) {
		rc = bench_reads_open(&b->reads, b->p, file, b->what);
		if (!rc)
			rc = bench_reads_check(&b->reads);
		b->work.operations = 2 * b->reads.depth;
	}
	if (!rc)
		rc = bench_case_run(b);
	/* Not only the first were stored. */
	b->reads.latency = NULL;
	if (!rc && b->what->writes)
		rc = bench_reads_check(&b->reads);
	b->work.bytes = (uint64_t)b->work.operations * b->reads.length;
	if (rc)
		bench_say_failed(b->p, b->what->id, rc);
	else
		bench_say(b);
	if (b->what->length)
		bench_reads_close(&b->reads);
	return rc;
}

static bool bench_wants(const struct probe_options *options, unsigned int i)
{
	return (!options->bench_cases || options->bench_cases >> i & 1) &&
	       (!bench_cases[i].writes || options->scratch);
}

/* Before the first case that writes. */
static bool bench_makes_file(struct bench *b)
{
	b->writes.p = b->p;
	if (!b->made)
		b->made = scratch_make(&b->writes);
	return b->made;
}

static void bench_measure(struct probe *p)
{
	struct bench *b = calloc(1, sizeof(*b));
	unsigned int i;
	int rc;

	if (!b) {
		bench_say_failed(p, WHOLE, err_no_memory());
		return;
	}
	rc = bench_nfs_open(&b->nfs, p);
	if (rc) {
		bench_say_failed(p, WHOLE, rc);
		free(b);
		return;
	}
	b->p = p;
	for (i = 0; i < BENCH_CASES; i++)
		b->to_come += bench_wants(p->options, i);
	for (i = 0; i < BENCH_CASES && !rc; i++) {
		if (!bench_wants(p->options, i))
			continue;
		/* The finding on the file says why not. */
		if (bench_cases[i].writes && !bench_makes_file(b))
			break;
		b->what = &bench_cases[i];
		rc = bench_measure_case(b);
		b->to_come--;
	}
	bench_nfs_close(b->nfs);
	if (b->made)
		scratch_end(&b->writes);
	free(b);
}

static void bench_worker(struct probe *p)
{
	bool answered = target_ping(p);
	bool pinged = answered && versions_choose(p);

	if (pinged && !p->options->export)
		probe_because(p, WHOLE, FINDING_UNKNOWN, "no-export",
			      "no export given; expected SERVER:/EXPORT");
	else if (pinged && root_find(p) && target_limits(p) && !pick_files(p)) {
		pick_say_none(p);
	} else if (p->files.ncandidates) {
		target_reference(p);
		bench_measure(p);
		reference_close(p->tcp.reference);
	}
	liveness_check(p);
	client41_close(p);
	if (answered)
		target_behaviour(p);
	session_drop(p);
}

int bench_run(const struct probe_options *options, const struct probe_events *events)
{
	/* The reference, and the other side. */
	return parent_run(options, bench_worker, 2, events);
}
