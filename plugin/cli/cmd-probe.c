/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* nfsrdma probe: see exercise.c for what it shares with bench. */
#include "plugin/cli/cli.h"

static int cmd_probe_run(struct cli_options *options)
{
	return exercise_run(options, probe_run);
}

const struct cli_command cmd_probe = {
	.name = "probe",
	.bit = CLI_PROBE,
	.synopsis = "[OPTION...] SERVER[:/EXPORT[/FILE]]\n"
		    "[OPTION...] --embedded [--fault NAME[=VALUE]]...",
	.summary = "Exercise a server's RDMA transport with real READs.",
	.details =
		"Reads a file of the export over RPC-over-RDMA, by every mechanism that a "
		"reply can take and in many sizes, compares what arrives with NFS over TCP, "
		"and reports what was found. Nothing is written to the server. Without "
		"/EXPORT only NULL calls are made. An IPv6 address stands in brackets. RDMA "
		"goes through the device of this host that leads to the server; where there "
		"is none it is carried over TCP (software iWARP), which the server must offer.",
	.max_operands = 1,
	.run = cmd_probe_run,
};
