/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The map of the benchmark, which stands on the probe's session, target and files.
 *
 *	bench.c          what is measured, in which order; the findings
 *	bench-rdma.c     one sample of READs or NULLs over RDMA
 *	bench-tcp.c      the baseline: a plain TCP connection over loopback
 *	bench-nfs.c      or the same READs by NFS over TCP
 *	bench-place.c    which processors
 *	bench-figures.c  from seconds to evidence (pure)
 */
#ifndef RPCRDMA_PROBE_BENCH_INTERNAL_H
#define RPCRDMA_PROBE_BENCH_INTERNAL_H

#include "rpcrdma/probe/bench.h"
#include "rpcrdma/probe/internal.h"

#define BENCH_PAIRS_MIN 5 /* with fewer nothing is reported but that */
#define BENCH_PAIRS_MAX 31

/* bench-figures.c: pure */

/* Of @n > 0 values, which stay as they are; n at most BENCH_PAIRS_MAX. */
double bench_median(const double *values, unsigned int n);

/* Seconds that each side took for the same work, pair by pair. */
struct bench_pairs {
	unsigned int n;
	double ours[BENCH_PAIRS_MAX];
	double tcp[BENCH_PAIRS_MAX];
};

enum bench_kind {
	BENCH_THROUGHPUT, /* the ratio is of speeds: above 1 we are the faster side */
	BENCH_LATENCY,    /* the ratio is of times: above 1 we are the slower side */
};

struct bench_work {
	enum bench_kind kind;
	uint32_t operations; /* in one sample */
	uint64_t bytes;      /* in one sample */
};

/* The median of the pairs' ratios. pairs->n is 1 at least, here and below. */
double bench_ratio(enum bench_kind kind, const struct bench_pairs *pairs);
/* Adds that ratio, those of the pairs, that of the best sample of either side (what a busy
 * machine distorts least), and median, least and most of both sides' microseconds for an operation and, of a throughput, MB/s (10^6 bytes). */
void bench_evidence(struct finding *f, const struct bench_work *work,
		    const struct bench_pairs *pairs);

/* bench-place.c */

/* This process, without its children, may run anywhere again. */
void bench_place_free(void);

/* bench-tcp.c; bench-nfs.c: the other side of a pair */

struct bench_baseline {
	const char *name;
	/* Each does the work once and says how many seconds it took: @count times @length
	 * bytes arrive; @count times a message goes and its answer comes. */
	int (*stream)(void *arg, uint32_t count, uint32_t length, double *took);
	int (*exchange)(void *arg, uint32_t count, uint32_t ask, uint32_t answer,
			double *took);
	void (*close)(void *arg);
	void *arg;
};

/* Forks. What comes is put into @region, which is borrowed; it is sent from @source_len bytes. */
int bench_tcp_open(struct bench_baseline *out, uint8_t *region, size_t region_len,
		   size_t source_len);

/* bench-rdma.c */

#define BENCH_DEPTH 8 /* READs in flight, if so many are granted */

struct bench_read {
	struct rpcrdma_memory memory;
	struct operation op;
	bool started;
};

/* The same READs again and again: [0, blocks * length) of a file, `depth` in flight, each into
 * its own registered part of `region`. */
struct bench_reads {
	struct probe *p;
	const struct probe_file *file;
	uint32_t length, blocks, depth;
	unsigned int generation; /* of the connection that knows the memory */
	uint8_t *region;
	size_t region_len;
	struct bench_read reads[BENCH_DEPTH];
};

/* Errors: -ENODATA there is too little to read. */
int bench_reads_open(struct bench_reads *b, struct probe *p,
		     const struct probe_file *file);
void bench_reads_close(struct bench_reads *b);
/* Every block once, against the reference. -EILSEQ: other bytes came. */
int bench_reads_check(struct bench_reads *b);
/* @count READs; every reply is looked at. Errors: the call's; -EBADMSG a reply that is not a
 * whole READ. */
int bench_reads_sample(struct bench_reads *b, uint32_t count, double *took);
/* @count NULL calls one after the other. */
int bench_null_sample(struct probe *p, uint32_t count, double *took);
/* Bytes of the Sends of one NULL call and its reply. */
int bench_null_size(struct probe *p, uint32_t *ask, uint32_t *answer);

/* bench-nfs.c */

/* @reads is borrowed: which READs, how many in flight, and where their data go. */
int bench_nfs_open(struct bench_baseline *out, struct probe *p,
		   const struct bench_reads *reads);

#endif
