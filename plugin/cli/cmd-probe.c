/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* nfsrdma probe; exercise.c has what it shares with bench. */
#include "plugin/cli/cli.h"
#include "plugin/kernel/kernel.h"

/* --client: the kernel reads, not the probe. */
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
	.details = "Reads a file of the export over RPC-over-RDMA, by every mechanism "
		   "of a reply and in many sizes, compares the data with NFS over TCP, "
		   "and reports its findings. Nothing is written to the server. "
		   "Without /EXPORT only NULL calls are sent. An IPv6 address is "
		   "written in brackets. RDMA uses the device of this host that the "
		   "route to the server leads to; without one it is carried over TCP "
		   "(software iWARP), which the server must offer. --client tests this "
		   "host's kernel instead of a server: the kernel mounts the embedded "
		   "server on an address of an RDMA device of this host, in a separate "
		   "mount namespace, and reads from it. --mount reads a file of an "
		   "existing mount three times, through the kernel, by the probe and "
		   "over TCP, and names the one that differs.",
	CLI_FORMS({ .operands = { &choice_sources } }),
	.max_operands = 1,
	.run = cmd_probe_run,
};
