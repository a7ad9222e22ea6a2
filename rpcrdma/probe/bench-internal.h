/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Files of the benchmark, which uses the probe's session, target and files.
 *
 *	bench.c          the cases and their order; the findings
 *	bench-rdma.c     one sample of READs, WRITEs or NULLs over RDMA
 *	bench-nfs.c      the same by NFS over TCP
 *	bench-figures.c  from seconds to evidence (pure)
 */
#ifndef RPCRDMA_PROBE_BENCH_INTERNAL_H
#define RPCRDMA_PROBE_BENCH_INTERNAL_H

#include "rpcrdma/probe/bench.h"
#include "rpcrdma/probe/write-internal.h"

#define BENCH_PAIRS_MIN 5
#define BENCH_PAIRS_MAX 31

/* bench-figures.c: pure */

/* @n is 1 to BENCH_PAIRS_MAX. Does not change the values. */
double bench_median(const double *values, unsigned int n);

/* Latencies of single calls, in buckets that are 3 % wide, as HdrHistogram has them. */
#define BENCH_STEPS 32
struct bench_latency {
	uint64_t n, most_ns;
	uint32_t buckets[60 * BENCH_STEPS];
};

void bench_latency_add(struct bench_latency *l, uint64_t ns);
/* The latency in microseconds that @part (0.99) of the calls did not exceed; less than 0: fewer than ten calls took
 * longer, so the number would be chance. */
double bench_latency_at(const struct bench_latency *l, double part);

/* One side of a case. */
struct bench_side {
	double took[BENCH_PAIRS_MAX]; /* seconds for the same work, by pair */
	double processor_s;           /* of this process, in all samples */
	struct bench_latency latency;
};

struct bench_pairs {
	unsigned int n;
	struct bench_side ours, tcp;
};

struct bench_work {
	uint32_t operations; /* in one sample */
	uint64_t bytes;      /* of data in one sample; 0: NULL */
};

/* The median of the pairs' ratios of speed: above 1, RDMA is faster. pairs->n is at least 1, here and below. */
double bench_ratio(const struct bench_pairs *pairs);
/* Whether half of the pairs differ from that by more than a quarter of it. */
bool bench_is_noisy(const struct bench_pairs *pairs);
/* Operations a second: the median. */
double bench_rate(const struct bench_work *work, const struct bench_side *side, unsigned int n);
/* Adds both sides' figures. */
void bench_evidence(struct finding *f, const struct bench_work *work,
		    const struct bench_pairs *pairs);

/* bench-rdma.c */

/* An NFS error, and a WRITE of less than it was given, with their reasons. */
int bench_status_error(const struct nfs_version *version, uint32_t status);
int bench_written_error(uint32_t written, uint32_t length);

#define BENCH_DEPTH_MAX 32

struct bench_read {
	struct rpcrdma_memory memory;
	struct operation op;
	bool started;
};

/* Repeats the same READs: [0, blocks * length) of a file, `depth` in flight, each into its own
 * registered part of `region`; or WRITEs from there, so that block n gets part n % depth. */
struct bench_reads {
	struct probe *p;
	bool writes;
	const struct probe_file *file;
	uint32_t length, blocks, depth;
	unsigned int generation; /* of the connection that knows the memory */
	uint32_t content;        /* of WRITEs: which */
	bool has_verifier;       /* of the last COMMIT over RDMA: */
	uint8_t verifier[8];
	uint8_t *region;
	size_t region_len;
	struct bench_latency *latency; /* NULL: not counted */
	struct bench_read reads[BENCH_DEPTH_MAX];
};

/* Errors: -ENODATA the file is too short. */
int bench_reads_open(struct bench_reads *b, struct probe *p, const struct probe_file *file,
		     const struct bench_case *what);
void bench_reads_close(struct bench_reads *b);
/* Reads every block once and compares it with the reference; or writes it with new content, commits, and compares.
 * -EILSEQ: the data differs. */
int bench_reads_check(struct bench_reads *b);
/* Errors: the operation's; -ESTALE: since the last one the server restarted. */
int bench_writes_commit(struct bench_reads *b);
/* @count READs; checks every reply. Errors: the call's; -EBADMSG a reply that is not a complete
 * READ. */
int bench_reads_sample(struct bench_reads *b, uint32_t count);
/* @count NULL calls, one at a time. */
int bench_nulls_sample(struct probe *p, uint32_t count, struct bench_latency *latency);

/* bench-nfs.c: NFSv3 over TCP, or 4.0 */

struct bench_nfs;

int bench_nfs_open(struct bench_nfs **out, struct probe *p);
void bench_nfs_close(struct bench_nfs *n);
/* The READs of @reads, as many in flight, into the same memory. */
int bench_nfs_reads(struct bench_nfs *n, const struct bench_reads *reads, uint32_t count,
		    struct bench_latency *latency);
/* COMMIT of their file. */
int bench_nfs_commit(struct bench_nfs *n, const struct bench_reads *reads);
int bench_nfs_nulls(struct bench_nfs *n, uint32_t count, struct bench_latency *latency);

#endif
