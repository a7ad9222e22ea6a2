/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Measures speed: READs of 1 MiB by Write chunk, several in flight, and NULL calls one at a time,
 * each next to a baseline over TCP that moves the same number of bytes. Samples of the two sides
 * alternate, and the median of the ratios of the pairs is reported, because other load on the
 * machine affects both.
 *
 * There are no thresholds: any speed passes, with its figures. Content, status and length of the
 * replies are checked, because a fast answer may be wrong. */
#ifndef RPCRDMA_PROBE_BENCH_H
#define RPCRDMA_PROBE_BENCH_H

#include "rpcrdma/probe/probe.h"

/* As probe_run(): in a child without privilege. options->level sets the number of pairs and the
 * time of each sample. Besides the findings on the connection and the file there are two,
 * bench.null and bench.read.write-chunk: pass with the figures; unknown with the reason; fail if
 * an answer was wrong. The baseline is NFS over TCP from the same server. */
int bench_run(const struct probe_options *options, const struct probe_events *events);
/* Must be called before the embedded server is started: the peers of both sides then share one
 * processor. NULL is measured with this side on it too, READ with this side unbound. Otherwise
 * chance decides whether two processes that wake each other share a processor, which changes a
 * round trip by more than the measured difference (seen on two processors: 14 us on one, 60 us
 * across). Changes nothing if the processor cannot be set. */
void bench_place(void);
/* For a server on this host: the baseline is a plain TCP connection over loopback, bytes without
 * any RPC. A second baseline, for READs only, is the fastest of several such connections with other
 * settings of the sockets: the upper bound for an RDMA transport over TCP on this machine. */
int bench_run_local(const struct probe_options *options, const struct probe_events *events);

#endif
