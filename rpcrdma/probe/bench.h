/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* How fast: READs of 1 MiB by Write chunk, several in flight, and NULL calls one after the
 * other, each side by side with a baseline over TCP that moves as many bytes. Samples of the two
 * sides alternate, and what is reported is the median of the ratios of the pairs: what else the
 * machine does hits both.
 *
 * Nothing here is a threshold: speed passes, with its figures. Content, status and length of the
 * replies are checked, since a wrong answer may come fast. */
#ifndef RPCRDMA_PROBE_BENCH_H
#define RPCRDMA_PROBE_BENCH_H

#include "rpcrdma/probe/probe.h"

/* As probe_run(): in a child without privilege, options->level says how many pairs and how long
 * each sample. Beside the findings of the connection and of the file there are two,
 * bench.null and bench.read.write-chunk: pass with the figures; unknown with the reason; fail
 * where an answer was wrong. The baseline is NFS over TCP from the same server. */
int bench_run(const struct probe_options *options, const struct probe_events *events);
/* To be called before the embedded server is started: the peers of both sides then have one
 * processor, the same. NULL is measured with this side on it too, READ with this side free.
 * Otherwise chance decides whether two processes that wake each other share a processor, and
 * that changes a round trip by more than all that is to be measured (seen on two processors:
 * 14 us on one, 60 us across). Where it cannot be had nothing is changed. */
void bench_place(void);
/* For a server on this host: the baseline is a plain TCP connection over loopback, bytes without
 * any RPC, which is what an RDMA transport over TCP can reach at most. */
int bench_run_local(const struct probe_options *options,
		    const struct probe_events *events);

#endif
