/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* What probe and bench share: from the command line to the work, and from its events to a
 * report. With --embedded the server is our own, in a child on loopback. */
#include <fcntl.h>
#include <unistd.h>

#include "plugin/cli/exercise.h"
#include "plugin/kernel/kernel.h"

#define SCRATCH_MAX 400

struct exercise {
	bool answered, write_chunks_right; /* by the findings of the probe */
	const struct exercise_options *options;
	struct report *report;
	int rc; /* of the first finding that the report refused */
};

static void exercise_on_finding(void *arg, const struct finding *finding)
{
	struct exercise *run = arg;
	int rc = report_add(run->report, finding);

	if (rc && !run->rc)
		run->rc = rc;
	if (run->options->also)
		run->options->also((void *)(uintptr_t)run->options, finding);
	if (finding->status == FINDING_PASS && !strcmp(finding->id, "probe.null"))
		run->answered = true;
	if (finding->status == FINDING_PASS && !strcmp(finding->id, "probe.read.write-chunk"))
		run->write_chunks_right = true;
}

static void exercise_on_subject(void *arg, const char *key, const char *value)
{
	struct exercise *run = arg;
	int rc = report_subject(run->report, key, value);

	if (rc && !run->rc)
		run->rc = rc;
}

static void exercise_on_matrix(void *arg, const struct matrix *matrix)
{
	struct exercise *run = arg;

	report_matrix(run->report, matrix);
}

static void exercise_on_progress(void *arg, const char *what, unsigned int done, unsigned int total)
{
	struct exercise *run = arg;

	ticker_set(run->options->cli.ticker, what, done, total);
}

/* At once: if this process is killed, this line is all that says what to remove. */
static void exercise_on_scratch(void *arg, const char *path)
{
	struct exercise *run = arg;

	ticker_erase(run->options->cli.ticker);
	fprintf(stderr, "nfsrdma: writes to the new file %s, and removes it at the end\n", path);
}

/* Components other than "." and "..". */
int exercise_parse_scratch(const char *value, void *member)
{
	const char **scratch = member, *p = value;
	size_t len;

	if (!*value || strlen(value) > SCRATCH_MAX)
		return err_set(EINVAL, "takes a path of 1 to %d bytes", SCRATCH_MAX);
	for (; *p; p += len) {
		p += strspn(p, "/");
		len = strcspn(p, "/");
		if (len > NFS3_NAME_MAX || (len == 1 && *p == '.') ||
		    (len == 2 && !strncmp(p, "..", 2)))
			return err_set(EINVAL, "takes a path below the export, not '%.80s'", value);
	}
	*scratch = value;
	return 0;
}

static bool exercise_is_transport(const struct exercise_options *options, const char *name)
{
	return options->probe.transport && !strcmp(options->probe.transport->name, name);
}

/* Contradictions are refused, not silently ignored. */
static int exercise_check_options(const struct exercise_options *options)
{
	const struct probe_options *probe = &options->probe;
	const struct cli *cli = &options->cli;

	if (options->level && !strcmp(options->level, "quick") && options->reads.count)
		return err_set(EINVAL, "--level quick sends no random READs: leave out --reads");
	if (options->writes.given && !probe->scratch)
		return err_set(EINVAL, "--writes goes with --scratch NEW");
	if (probe->scratch && !options->embedded && cli->noperands &&
	    !strchr(cli->operands[0], '/'))
		return err_set(EINVAL, "--scratch needs an export: SERVER:/EXPORT");
	if (options->embedded && cli->noperands)
		return err_set(EINVAL, "--embedded starts its own server: leave out '%.60s'",
			       cli->operands[0]);
	if (!options->embedded && !cli->noperands)
		return err_set(EINVAL, "no server given; expected SERVER[:/EXPORT] or --embedded");
	if (!options->embedded && !fault_set_empty(cli->faults))
		return err_set(EINVAL, "--fault applies to the embedded server: add --embedded");
	if (options->embedded && (probe->port || probe->mount_port || probe->nfs_port))
		return err_set(
			EINVAL,
			"--embedded chooses its ports: leave out --port, --mount-port and --nfs-port");
	if (options->embedded && exercise_is_transport(options, "verbs") && !probe->bind.len)
		return err_set(
			EINVAL,
			"--embedded over verbs needs --bind ADDR, an address of an RDMA device of this host");
	if (probe->device && exercise_is_transport(options, "iwarp"))
		return err_set(EINVAL, "--device applies to verbs, but --transport is iwarp");
	if (probe->pcap && exercise_is_transport(options, "verbs"))
		return err_set(EINVAL,
			       "--pcap captures iWARP over TCP; RDMA devices cannot be captured");
	return 0;
}

void exercise_defaults(struct exercise_options *options)
{
	struct probe_options *probe = &options->probe;

	probe->port = probe->port ? probe->port : NFS_RDMA_PORT;
	probe->level = PROBE_STANDARD;
	if (options->level)
		probe->level = (enum probe_level)choice_index(&choice_levels, options->level);
	probe->reads = options->reads.given ? options->reads.count : PROBE_READS_DEFAULT;
	probe->writes = options->writes.given         ? options->writes.count
			: probe->level == PROBE_QUICK ? 0
						      : PROBE_WRITES_DEFAULT;
	probe->has_cred = probe->cred.flavor == RPC_AUTH_SYS;
	probe->timeout_ms = options->cli.timeout_ms;
}

int exercise_work(const struct exercise_options *options, exercise_fn work)
{
	const struct probe_options *probe = &options->probe;
	const struct cli *cli = &options->cli;
	_cleanup_(report_free_p) struct report *report = report_new(cli->command->name);
	struct exercise run = { .options = options, .report = report };
	const struct probe_events events = {
		.finding = exercise_on_finding,
		.subject = exercise_on_subject,
		.progress = exercise_on_progress,
		.matrix = exercise_on_matrix,
		.scratch = exercise_on_scratch,
		.arg = &run,
	};
	_cleanup_(finding_fini) struct finding finding = { 0 };
	uint64_t deadline;
	char port[8];
	int rc;

	if (!report)
		return cli_error(cli, EXIT_UNKNOWN, "no memory for the report");
	cli_repeat(cli, report);
	/* As requested; the worker replaces it by what it finds. */
	snprintf(port, sizeof(port), "%u", probe->port);
	exercise_on_subject(&run, "server", probe->host);
	if (probe->port)
		exercise_on_subject(&run, "port", port);
	if (probe->export)
		exercise_on_subject(&run, "export", probe->export);
	exercise_on_subject(&run, "transport", probe->transport ? probe->transport->name : "auto");
	exercise_on_subject(&run, "nfs_version", probe->version ? probe->version->name : "auto");
	deadline = deadline_in(probe->timeout_ms);
	rc = work(probe, &events);
	/* What a probe of a server cannot see: whether this host's kernel reads from it
	 * correctly. */
	if (!rc && work == probe_run && !options->embedded && run.answered) {
		kernel_of_export(probe->host, probe->export, run.write_chunks_right, deadline,
				 &finding);
		exercise_on_finding(&run, &finding);
	}
	if (rc == -EINTR)
		err_set(EINTR, "interrupted; the findings up to now follow");
	if (options->end && !run.rc)
		run.rc = options->end(report, (void *)(uintptr_t)options);
	output_end(cli, report, rc ? rc : run.rc);
	return output_report(cli, report, NULL);
}

static int exercise_embedded(struct exercise_options *options, exercise_fn work)
{
	_cleanup_(server_kill_p) struct server_child *child = NULL;
	struct probe_options *probe = &options->probe;
	struct server_spawn_options spawn = {
		.transport = probe->transport ? probe->transport : &transport_iwarp,
		.listen = probe->bind,
		.writable = true,
		.faults = fault_set_empty(options->cli.faults) ? NULL : options->cli.faults,
	};
	struct server_ports ports;
	char host[64] = "127.0.0.1";

	if (server_spawn(&child, &spawn, &ports))
		return cli_error(&options->cli, EXIT_UNKNOWN, "embedded server: %s", err_text());
	probe->host = spawn.listen.len ? transport_host_text(&spawn.listen, host, sizeof(host))
				       : host;
	probe->transport = spawn.transport;
	probe->export = "/";
	probe->port = ports.rdma;
	probe->mount_port = ports.mount;
	probe->nfs_port = ports.nfs;
	return exercise_work(options, work);
}

/* The capture goes to standard output, and the report to standard error. */
static int exercise_capture_to_stdout(struct probe_options *probe)
{
	int fd;

	if (!probe->pcap || strcmp(probe->pcap, "-") != 0)
		return 0;
	if (isatty(STDOUT_FILENO))
		return err_set(EINVAL, "standard output is a terminal; --pcap expects a file");
	fd = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	if (fd < 0 || dup2(STDERR_FILENO, STDOUT_FILENO) < 0)
		return err_sys("standard output");
	probe->pcap_fd = fd;
	return 0;
}

int exercise_run(struct exercise_options *options, exercise_fn work)
{
	struct value_server server;

	if (exercise_check_options(options) || exercise_capture_to_stdout(&options->probe))
		return cli_usage(&options->cli);
	exercise_defaults(options);
	if (options->embedded)
		return exercise_embedded(options, work);
	if (value_server(options->cli.operands[0], &server))
		return cli_usage(&options->cli);
	options->probe.host = server.host;
	options->probe.export = server.path;
	return exercise_work(options, work);
}
