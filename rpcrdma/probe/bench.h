/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Measures speed: READs by Write chunk of two sizes, one by one and several in flight, NULL calls, and with
 * options->scratch WRITEs by Read chunk, each next to the same work over TCP. Samples of the two sides alternate, because other load on the machine affects both, and the
 * median of the ratios of the pairs is reported, with the latencies of single calls.
 *
 * There are no thresholds: any speed passes, with its figures. Content, status and length of the
 * replies are checked, because a fast answer may be wrong. */
#ifndef RPCRDMA_PROBE_BENCH_H
#define RPCRDMA_PROBE_BENCH_H

#include "rpcrdma/probe/probe.h"

/* What is measured, each with a finding of its own. */
struct bench_case {
	const char *name;  /* "read-4k-32" */
	const char *id;    /* "bench.read.4k-32" */
	const char *title; /* "READ 4 KiB, 32 in flight" */
	uint32_t length;   /* 0: NULL calls */
	uint32_t depth;    /* in flight, if so many credits and slots are granted */
	bool writes;       /* WRITEs to a scratch file: only if options->scratch asks for it */
};

#define BENCH_CASES 9
extern const struct bench_case bench_cases[BENCH_CASES];

/* As probe_run(): in a child without privilege. options->level sets the number of pairs and the
 * time of each sample; options->bench_cases and bench_ms change that. Besides the findings on the connection and the
 * file there is one for each case: pass with the figures; unknown with the reason; fail if an answer was wrong. The
 * other side is NFS over TCP from the same server. */
int bench_run(const struct probe_options *options, const struct probe_events *events);

#endif
