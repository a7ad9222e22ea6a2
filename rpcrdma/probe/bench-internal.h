/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Files of the benchmark, which uses the probe's session, target and files.
 *
 *	bench.c          the measurements and their order; the findings
 *	bench-rdma.c     one sample of READs or NULLs over RDMA
 *	bench-tcp.c      the baselines: TCP over loopback, plain and tuned
 *	bench-nfs.c      or the same READs by NFS over TCP
 *	bench-place.c    chooses the processor
 *	bench-figures.c  from seconds to evidence (pure)
 */
#ifndef RPCRDMA_PROBE_BENCH_INTERNAL_H
#define RPCRDMA_PROBE_BENCH_INTERNAL_H

#include "rpcrdma/probe/bench.h"
#include "rpcrdma/probe/internal.h"

#define BENCH_PAIRS_MIN 5 /* with fewer, reports only that there are too few */
#define BENCH_PAIRS_MAX 31

/* bench-figures.c: pure */

/* @n is 1 to BENCH_PAIRS_MAX. Does not change the values. */
double bench_median(const double *values, unsigned int n);

/* Seconds that each side took for the same work, by pair. */
struct bench_pairs {
	unsigned int n;
	double ours[BENCH_PAIRS_MAX];
	double tcp[BENCH_PAIRS_MAX];
	double tuned[BENCH_PAIRS_MAX]; /* the tuned TCP stream; [0] is 0 if there is none */
};

enum bench_kind {
	BENCH_THROUGHPUT, /* ratio of speeds: above 1, we are faster */
	BENCH_LATENCY,    /* ratio of times: above 1, we are slower */
};

struct bench_work {
	enum bench_kind kind;
	uint32_t operations; /* in one sample */
	uint64_t bytes;      /* in one sample */
};

/* The median of the pairs' ratios. pairs->n is at least 1, here and below. */
double bench_ratio(enum bench_kind kind, const struct bench_pairs *pairs);
/* The same for the throughput of the tuned TCP stream. */
double bench_ratio_tuned(const struct bench_pairs *pairs);
/* Adds that ratio, the ratios of the pairs, and the ratio of the best samples of both sides,
 * which a busy machine distorts least. Also adds the median, minimum and maximum of both sides'
 * microseconds per operation and, for throughput, MB/s (10^6 bytes); of a tuned TCP stream only
 * MB/s. */
void bench_evidence(struct finding *f, const struct bench_work *work,
		    const struct bench_pairs *pairs);

/* bench-place.c */

/* Lets this process, but not its children, run on any processor again. */
void bench_place_free(void);

/* bench-tcp.c; bench-nfs.c: the other side of a pair */

struct bench_baseline {
	const char *name;
	/* Each does the work once and returns the seconds it took: receives @count times @length
	 * bytes; exchanges @count messages. */
	int (*stream)(void *arg, uint32_t count, uint32_t length, double *took);
	int (*exchange)(void *arg, uint32_t count, uint32_t ask, uint32_t answer, double *took);
	/* tune() streams for about @seconds with each of several settings, and describes the
	 * fastest one, which tuned() then uses as stream() does. NULL if there are none. */
	int (*tune)(void *arg, double seconds, char *settings, size_t cap);
	int (*tuned)(void *arg, uint32_t count, uint32_t length, double *took);
	void (*close)(void *arg);
	void *arg;
};

/* Forks. Received data is written to @region, which is borrowed; the child sends from @source_len
 * bytes. */
int bench_tcp_open(struct bench_baseline *out, uint8_t *region, size_t region_len,
		   size_t source_len);

/* bench-rdma.c */

#define BENCH_DEPTH 8 /* READs in flight, if enough credits are granted */

struct bench_read {
	struct rpcrdma_memory memory;
	struct operation op;
	bool started;
};

/* Repeats the same READs: [0, blocks * length) of a file, `depth` in flight, each into its own
 * registered part of `region`. */
struct bench_reads {
	struct probe *p;
	const struct probe_file *file;
	uint32_t length, blocks, depth;
	unsigned int generation; /* of the connection that knows the memory */
	uint8_t *region;
	size_t region_len;
	struct bench_read reads[BENCH_DEPTH];
};

/* Errors: -ENODATA the file is too short. */
int bench_reads_open(struct bench_reads *b, struct probe *p, const struct probe_file *file);
void bench_reads_close(struct bench_reads *b);
/* Reads every block once and compares it with the reference. -EILSEQ: the data differs. */
int bench_reads_check(struct bench_reads *b);
/* @count READs; checks every reply. Errors: the call's; -EBADMSG a reply that is not a complete
 * READ. */
int bench_reads_sample(struct bench_reads *b, uint32_t count, double *took);
/* @count NULL calls, one at a time. */
int bench_null_sample(struct probe *p, uint32_t count, double *took);
/* Sizes in bytes of the Sends of one NULL call and its reply. */
int bench_null_size(struct probe *p, uint32_t *ask, uint32_t *answer);

/* bench-nfs.c */

/* @reads is borrowed: it defines the READs, how many are in flight, and where their data goes. */
int bench_nfs_open(struct bench_baseline *out, struct probe *p, const struct bench_reads *reads);

#endif
