/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* nfsrdma bench: how fast, beside TCP. Against the embedded server the other side is a plain TCP
 * connection, because both have the same loopback; against another server it is NFS over TCP. */
#include "plugin/cli/exercise.h"
#include "rpcrdma/probe/bench.h"

static const struct cli_option cmd_bench_options[] = {
	EXERCISE_EMBEDDED, EXERCISE_LEVEL, EXERCISE_OPTIONS, OPTIONS_REPORT, OPTIONS_END,
};

static int cmd_bench_run(void *arg)
{
	struct exercise_options *options = arg;

	if (options->embedded)
		bench_place();
	return exercise_run(options, options->embedded ? bench_run_local : bench_run);
}

const struct cli_command cmd_bench = {
	.name = "bench",
	.synopsis = "[OPTION...] SERVER:/EXPORT[/FILE]\n"
		    "[OPTION...] --embedded",
	.summary = "Measure READ and NULL over RDMA, side by side with TCP.",
	.details = "READs of 1 MiB by Write chunk, several in flight, and NULL calls "
		   "one after the other, in samples that alternate with the same work "
		   "over TCP: NFS over TCP from the same server, or with --embedded a "
		   "plain TCP connection over loopback. The ratio is the median of the "
		   "pairs of samples. With --embedded READs are also compared with "
		   "the fastest of several tuned TCP streams. There is no threshold: "
		   "what can be measured passes. Over software iWARP it shows what the "
		   "server and this program can do, not what an adapter would reach.",
	CLI_FORMS({ .operands = { &choice_sources } }),
	.max_operands = 1,
	.options = cmd_bench_options,
	.size = sizeof(struct exercise_options),
	.timeout_ms = EXERCISE_TIMEOUT_MS,
	.run = cmd_bench_run,
};
