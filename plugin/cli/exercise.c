/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* What probe and bench share: from the command line to the work, and from its events to a
 * report. With --embedded the server is our own, in a child on loopback. */
#include "plugin/cli/cli.h"
#include "plugin/kernel/kernel.h"

struct exercise {
	bool answered, write_chunks_right; /* by the findings of the probe */
	struct report *report;
	struct progress_line progress;
	int rc; /* of the first finding that the report refused */
};

static void exercise_on_finding(void *arg, const struct finding *finding)
{
	struct exercise *run = arg;
	int rc = report_add(run->report, finding);

	if (rc && !run->rc)
		run->rc = rc;
	if (finding->status == FINDING_PASS && !strcmp(finding->id, "probe.null"))
		run->answered = true;
	if (finding->status == FINDING_PASS &&
	    !strcmp(finding->id, "probe.read.write-chunk"))
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

static void exercise_on_progress(void *arg, const char *what, unsigned int done,
				 unsigned int total)
{
	struct exercise *run = arg;

	progress_show(&run->progress, what, done, total);
}

static bool exercise_is_transport(const struct cli_options *options, const char *name)
{
	return options->transport && !strcmp(options->transport->name, name);
}

/* Here the kernel reads: options that choose another server, or how the probe reads, have no meaning. */
static int exercise_check_kernel(const struct cli_options *options)
{
	const char *name = options->client ? "--client" : "--mount";

	if (options->client && options->mount)
		return err_set(EINVAL, "--client and --mount exclude each other");
	if (options->noperands)
		return err_set(
			EINVAL,
			"%s tests this host's kernel, not a server: leave out '%.60s'",
			name, options->operands[0]);
	if (options->embedded || !fault_set_empty(options->faults))
		return err_set(EINVAL, "%s excludes --embedded and --fault", name);
	if (options->has_port || options->mount_port ||
	    (options->nfs_port && options->client))
		return err_set(EINVAL, "%s finds its ports itself: leave out --%s", name,
			       options->has_port     ? "port"
			       : options->mount_port ? "mount-port"
						     : "nfs-port");
	if (options->transport || options->pcap)
		return err_set(
			EINVAL,
			"%s reads through the kernel: leave out --transport and --pcap",
			name);
	if (options->has_reads && options->reads)
		return err_set(EINVAL, "%s sends no random READs: leave out --reads",
			       name);
	if (options->client && options->has_cred)
		return err_set(EINVAL, "--client reads as root: leave out --cred");
	if (options->mount &&
	    (options->device || options->bind.len || options->nfs_version))
		return err_set(
			EINVAL,
			"--mount uses the connection of the mount: leave out --device, --bind and --nfs-version");
	return 0;
}

/* Contradictions are refused, not silently ignored. */
static int exercise_check_options(const struct cli_options *options)
{
	if (options->level == PROBE_QUICK && options->has_reads && options->reads)
		return err_set(EINVAL,
			       "--level quick sends no random READs: leave out --reads");
	if (options->embedded && options->noperands)
		return err_set(EINVAL,
			       "--embedded starts its own server: leave out '%.60s'",
			       options->operands[0]);
	if (!options->embedded && !options->noperands)
		return err_set(
			EINVAL,
			"no server given; expected SERVER[:/EXPORT] or --embedded");
	if (!options->embedded && !fault_set_empty(options->faults))
		return err_set(EINVAL,
			       "--fault applies to the embedded server: add --embedded");
	if (options->embedded &&
	    (options->has_port || options->mount_port || options->nfs_port))
		return err_set(
			EINVAL,
			"--embedded chooses its ports: leave out --port, --mount-port and --nfs-port");
	if (options->embedded && exercise_is_transport(options, "verbs") &&
	    !options->bind.len)
		return err_set(
			EINVAL,
			"--embedded over verbs needs --bind ADDR, an address of an RDMA device of this host");
	if (options->device && exercise_is_transport(options, "iwarp"))
		return err_set(EINVAL,
			       "--device applies to verbs, but --transport is iwarp");
	if (options->pcap && exercise_is_transport(options, "verbs"))
		return err_set(
			EINVAL,
			"--pcap captures iWARP over TCP; RDMA devices cannot be captured");
	return 0;
}

static int exercise_work(const struct cli_options *options, exercise_fn work,
			 const struct probe_options *probe)
{
	_cleanup_(report_free_p) struct report *report =
		report_new(options->command->name);
	struct exercise run = { .report = report };
	const struct probe_events events = {
		.finding = exercise_on_finding,
		.subject = exercise_on_subject,
		.progress = exercise_on_progress,
		.matrix = exercise_on_matrix,
		.arg = &run,
	};
	uint64_t start = now_ns();
	time_t started = time(NULL);
	struct finding finding;
	char port[8];
	int rc;

	if (!report)
		return cli_error(options, EXIT_UNKNOWN, "no memory for the report");
	/* As requested; the worker replaces it by what it finds. */
	snprintf(port, sizeof(port), "%u", probe->port);
	exercise_on_subject(&run, "server", probe->host);
	if (probe->port)
		exercise_on_subject(&run, "port", port);
	if (probe->export)
		exercise_on_subject(&run, "export", probe->export);
	exercise_on_subject(&run, "transport",
			    probe->transport ? probe->transport->name : "auto");
	exercise_on_subject(&run, "nfs_version",
			    probe->version ? probe->version->name : "auto");
	progress_init(&run.progress, options->quiet);
	rc = work(probe, &events);
	/* What a probe of a server cannot see: whether this host's kernel reads from it correctly. */
	if (!rc && work == probe_run && !options->embedded && run.answered) {
		kernel_of_export(probe->host, probe->export, run.write_chunks_right,
				 &finding);
		exercise_on_finding(&run, &finding);
	}
	report_times(report, started, (double)(now_ns() - start) / 1e6);
	progress_erase(&run.progress);
	rc = rc ? rc : run.rc;
	/* The verdict is never better than unknown when the work did not finish. */
	if (rc) {
		report_cut(report);
		cli_error(options, EXIT_UNKNOWN, "%s",
			  rc == -EINTR ? "interrupted; the findings up to now follow"
				       : err_text());
	}
	return output_report(options, report, NULL);
}

static int exercise_embedded(const struct cli_options *options, exercise_fn work,
			     struct probe_options *probe)
{
	_cleanup_(server_kill_p) struct server_child *child = NULL;
	struct server_spawn_options spawn = {
		.transport = options->transport ? options->transport : &transport_iwarp,
		.listen = options->bind,
		.faults = fault_set_empty(options->faults) ? NULL : options->faults,
	};
	struct server_ports ports;
	char host[64] = "127.0.0.1";
	int rc;

	rc = server_spawn(&child, &spawn, &ports);
	if (rc)
		return cli_error(options, EXIT_UNKNOWN, "embedded server: %s",
				 err_text());
	probe->host = spawn.listen.len
			      ? transport_host_text(&spawn.listen, host, sizeof(host))
			      : host;
	probe->transport = spawn.transport;
	probe->export = "/";
	probe->port = ports.rdma;
	probe->mount_port = ports.mount;
	probe->nfs_port = ports.nfs;
	return exercise_work(options, work, probe);
}

int exercise_run(struct cli_options *options, exercise_fn work)
{
	struct value_server target;
	struct probe_options probe = {
		.port = options->port,
		.mount_port = options->mount_port,
		.nfs_port = options->nfs_port,
		.transport = options->transport,
		.device = options->device,
		.bind = options->bind,
		.version = options->nfs_version,
		.level = options->level,
		.reads = options->reads,
		.seed = options->seed,
		.timeout_ms = options->timeout_ms,
		.has_cred = options->has_cred,
		.cred = options->cred,
		.pcap = options->pcap,
	};

	if (options->client || options->mount ? exercise_check_kernel(options)
					      : exercise_check_options(options))
		return cli_usage(options);
	if (options->client || options->mount) {
		probe.host = "localhost";
		probe.port = 0;
		probe.export = options->mount;
		probe.transport = &transport_verbs;
		return exercise_work(options, work, &probe);
	}
	if (options->embedded)
		return exercise_embedded(options, work, &probe);
	if (value_server(options->operands[0], &target))
		return cli_usage(options);
	probe.host = target.host;
	probe.export = target.path;
	return exercise_work(options, work, &probe);
}
