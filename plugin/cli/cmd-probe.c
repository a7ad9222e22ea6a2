/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* nfsrdma probe: see exercise.c for what it shares with bench. */
#include "plugin/cli/cli.h"
#include "plugin/kernel/kernel.h"

/* --client: nothing of ours reads, the kernel does. */
static int cmd_probe_client(const struct probe_options *probe,
			    const struct probe_events *events)
{
	const struct kernel_options options = {
		.at = probe->bind,
		.device = probe->device,
		.version = probe->version,
		.timeout_ms = probe->timeout_ms,
	};

	return kernel_run(&options, events);
}

static int cmd_probe_mount(const struct probe_options *probe,
			   const struct probe_events *events)
{
	const struct kernel_mount_options options = {
		.path = probe->export,
		.timeout_ms = probe->timeout_ms,
		.nfs_port = probe->nfs_port,
		.has_cred = probe->has_cred,
		.cred = probe->cred,
	};

	return kernel_mounted(&options, events);
}

static int cmd_probe_run(struct cli_options *options)
{
	if (options->mount)
		return exercise_run(options, cmd_probe_mount);
	return exercise_run(options, options->client ? cmd_probe_client : probe_run);
}

const struct cli_command cmd_probe = {
	.name = "probe",
	.bit = CLI_PROBE,
	.synopsis = "[OPTION...] SERVER[:/EXPORT[/FILE]]\n"
		    "[OPTION...] --embedded [--fault NAME[=VALUE]]...\n"
		    "[OPTION...] --client [--device NAME] [--bind ADDR]\n"
		    "[OPTION...] --mount PATH [--cred UID:GID] [--nfs-port PORT]",
	.summary = "Exercise a server's RDMA transport with real READs.",
	.details =
		"Reads a file of the export over RPC-over-RDMA, by every mechanism that a "
		"reply can take and in many sizes, compares what arrives with NFS over TCP, "
		"and reports what was found. Nothing is written to the server. Without "
		"/EXPORT only NULL calls are made. An IPv6 address stands in brackets. RDMA "
		"goes through the device of this host that leads to the server; where there "
		"is none it is carried over TCP (software iWARP), which the server must offer. "
		"With --client it is not a server that is tested but this host's kernel: it "
		"mounts the built-in server on an address of an RDMA device of this host, in a "
		"mount namespace of its own, and reads from it. With --mount a file is read "
		"through a mount that is there, by the kernel, by the probe and over TCP: which of "
		"the three differs is the guilty one.",
	.max_operands = 1,
	.run = cmd_probe_run,
};
