/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* nfsrdma probe; exercise.c has what it shares with bench. */
#include "plugin/cli/exercise.h"
#include "plugin/kernel/kernel.h"

#define READS_MAX 100000000

struct cmd_probe_options {
	struct exercise_options exercise;
	bool client;
	const char *mount; /* NULL: not given */
};

static int cmd_probe_parse_reads(const char *value, void *member)
{
	struct exercise_reads *reads = member;
	unsigned long count;
	int rc = value_number(value, 0, READS_MAX, &count);

	if (!rc)
		*reads = (struct exercise_reads){ true, (unsigned int)count };
	return rc;
}

static int cmd_probe_parse_seed(const char *value, void *member)
{
	size_t len = strlen(value);
	uint64_t *seed = member;

	if (!len || len > 16 || strspn(value, "0123456789abcdefABCDEF") != len)
		return err_set(EINVAL, "takes 1 to 16 hexadecimal digits, not '%.40s'", value);
	*seed = strtoull(value, NULL, 16);
	return 0;
}

static const struct cli_option cmd_probe_options[] = {
	EXERCISE_EMBEDDED,
	OPTION_FLAG(
		"client", struct cmd_probe_options, client,
		"Test this host's kernel: it mounts the embedded server over RDMA, in its own mount namespace, reads and writes. Needs root."),
	OPTION_VALUE(
		"mount", "PATH", struct cmd_probe_options, mount,
		"Read a file through the RDMA mount that PATH is on: with the kernel, with the probe's own client, and over TCP. With --scratch NEW a new file is written through it, too.",
		.choice = &choice_mounts),
	OPTION_FAULT,
	EXERCISE_LEVEL,
	OPTION_VALUE(
		"reads", "N", struct exercise_options, reads,
		"At levels standard and full, if no fault was found before: the number of READs with random ranges, sizes and mechanisms (default 5000, 0 for none), up to 256 MiB or 10 s; both limits grow with N above 5000.",
		.parse = cmd_probe_parse_reads),
	EXERCISE_SCRATCH(
		"Test WRITEs too: to a new file of this name below the export (with --mount: below PATH) or, if NEW ends with a slash, to one with a random name in that directory. It must not exist, and is removed at the end. Up to 16 MiB of the server's disk are used."),
	OPTION_VALUE(
		"writes", "N", struct exercise_options, writes,
		"With --scratch, if no fault was found before: the number of random WRITEs (default 1000 at levels standard and full, 0 for none), for up to 20 s; the limit grows with N above 1000.",
		.parse = cmd_probe_parse_reads),
	OPTION_VALUE("seed", "HEX", struct exercise_options, probe.seed,
		     "Repeat the random READs of this seed, which probe.read.random shows.",
		     .hidden = true, .parse = cmd_probe_parse_seed),
	EXERCISE_OPTIONS,
	OPTION_VALUE(
		"pcap", "FILE", struct exercise_options, probe.pcap,
		"Record the iWARP connections as a capture, to a file, a pipe or a character device; - is standard output, and the report then goes to standard error. A new file is readable by its owner only; an existing one of the caller is overwritten and keeps its mode. A symbolic link is not followed.",
		.choice = &choice_file),
	OPTIONS_REPORT,
	OPTIONS_END,
};

/* --client: the kernel reads, not the probe. */
static int cmd_probe_client(const struct probe_options *probe, const struct probe_events *events)
{
	const struct kernel_options options = {
		.at = probe->bind,
		.device = probe->device,
		.version = probe->version,
		.timeout_ms = probe->timeout_ms,
	};

	return kernel_run(&options, events);
}

static int cmd_probe_mount(const struct probe_options *probe, const struct probe_events *events)
{
	const struct kernel_mount_options options = {
		.path = probe->export,
		.timeout_ms = probe->timeout_ms,
		.nfs_port = probe->nfs_port,
		.has_cred = probe->has_cred,
		.cred = probe->cred,
		.scratch = probe->scratch,
	};

	return kernel_mounted(&options, events);
}

/* Here the kernel reads: options that choose another server, or how the probe reads, have no
 * meaning. */
static int cmd_probe_check_kernel(const struct cmd_probe_options *options)
{
	const struct probe_options *probe = &options->exercise.probe;
	const struct cli *cli = &options->exercise.cli;
	const char *name = options->client ? "--client" : "--mount";

	if (options->client && options->mount)
		return err_set(EINVAL, "--client and --mount exclude each other");
	if (cli->noperands)
		return err_set(EINVAL,
			       "%s tests this host's kernel, not a server: leave out '%.60s'", name,
			       cli->operands[0]);
	if (options->exercise.embedded || !fault_set_empty(cli->faults))
		return err_set(EINVAL, "%s excludes --embedded and --fault", name);
	if (probe->port || probe->mount_port || (probe->nfs_port && options->client))
		return err_set(EINVAL, "%s finds its ports itself: leave out --%s", name,
			       probe->port         ? "port"
			       : probe->mount_port ? "mount-port"
						   : "nfs-port");
	if (probe->transport || probe->pcap)
		return err_set(EINVAL,
			       "%s reads through the kernel: leave out --transport and --pcap",
			       name);
	if (probe->scratch && options->client)
		return err_set(EINVAL,
			       "--client writes to its own server's memory: leave out --scratch");
	if (options->exercise.writes.given)
		return err_set(EINVAL, "%s sends no random WRITEs: leave out --writes", name);
	if (options->exercise.reads.count)
		return err_set(EINVAL, "%s sends no random READs: leave out --reads", name);
	if (options->client && probe->cred.flavor == RPC_AUTH_SYS)
		return err_set(EINVAL, "--client works as root: leave out --cred");
	if (options->mount && (probe->device || probe->bind.len || probe->version))
		return err_set(
			EINVAL,
			"--mount uses the connection of the mount: leave out --device, --bind and --nfs-version");
	return 0;
}

static int cmd_probe_run(void *arg)
{
	struct cmd_probe_options *options = arg;
	struct probe_options *probe = &options->exercise.probe;

	if (!options->client && !options->mount)
		return exercise_run(&options->exercise, probe_run);
	if (cmd_probe_check_kernel(options))
		return cli_usage(&options->exercise.cli);
	exercise_defaults(&options->exercise);
	probe->host = "localhost";
	probe->port = 0;
	probe->export = options->mount;
	probe->transport = &transport_verbs;
	return exercise_work(&options->exercise,
			     options->mount ? cmd_probe_mount : cmd_probe_client);
}

const struct cli_command cmd_probe = {
	.name = "probe",
	.working = "connecting",
	.synopsis = "[OPTION...] SERVER[:/EXPORT[/FILE]]\n"
		    "[OPTION...] --embedded [--fault NAME[=VALUE]]...\n"
		    "[OPTION...] --client [--device NAME] [--bind ADDR]\n"
		    "[OPTION...] --mount PATH [--cred UID:GID] [--scratch NEW]",
	.summary = "Exercise a server's RDMA transport with real READs.",
	.details =
		"Reads a file of the export over RPC-over-RDMA, by every mechanism "
		"of a reply and in many sizes, compares the data with NFS over TCP, "
		"and reports its findings. Nothing is written to the server without --scratch. "
		"Without /EXPORT only NULL calls are sent. An IPv6 address is "
		"written in brackets. RDMA uses the device of this host that the "
		"route to the server leads to; without one it is carried over TCP "
		"(software iWARP), which the server must offer. --client tests this "
		"host's kernel instead of a server: the kernel mounts the embedded "
		"server on an address of an RDMA device of this host, in a separate "
		"mount namespace, reads from it and writes to its memory. --mount reads a file of an "
		"existing mount three times, through the kernel, by the probe and "
		"over TCP, and names the one that differs; with --scratch it does the "
		"same with a new file that the kernel writes.",
	CLI_FORMS({ .operands = { &choice_sources } }),
	.max_operands = 1,
	.options = cmd_probe_options,
	.size = sizeof(struct cmd_probe_options),
	.timeout_ms = EXERCISE_TIMEOUT_MS,
	.run = cmd_probe_run,
};
