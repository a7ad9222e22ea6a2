/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* nfsrdma check: is this host, and that server, ready for NFS over RDMA? The table of checks, on
 * this machine or on one that lies below a directory. */
#include "plugin/cli/cli.h"
#include "plugin/libvirt/libvirt.h"

#define TIMEOUT_MS 5000
#define RESOLVE_MS 2000

int cmd_check_fill(const struct cmd_check_job *job, finding_sink sink, void *arg)
{
	const struct cli_options *options = job->options;
	struct check_target *target = job->target;
	char step[sizeof("looking up ") + 64], port[8];

	if (target->server) {
		snprintf(port, sizeof(port), "%u", target->port);
		report_subject(job->report, "server", target->server);
		report_subject(job->report, "port", port);
		if (target->export)
			report_subject(job->report, "export", target->export);
		snprintf(step, sizeof(step), "looking up %.64s", target->server);
		ticker_set(options->ticker, step, 0, 0);
		remote_resolve(job->host, target,
			       deadline_min(job->deadline, deadline_in(RESOLVE_MS)));
		ticker_set(options->ticker, options->command->working, 0, 0);
	}
	return checks_run(check_table, job->host,
			  host_is_live(job->host) ? &live_system : &live_replay, target,
			  job->deadline, sink, arg);
}

#define CHECK_NAME "nfsrdma-check"
#define NOTE_MAX   320

/* Writes to where --textfile and --journal say. Errors are printed. */
static int cmd_check_publish(const struct cli_options *options, struct report *report,
			     const struct host *host)
{
	char note[NOTE_MAX] = "";
	int rc = 0, one;

	if (options->textfile)
		rc = publish_metrics(report, options->textfile, note, sizeof(note));
	if (rc)
		cli_error(options, EXIT_UNKNOWN, "%s", err_text());
	if (*note && !options->journal)
		cli_error(options, EXIT_GOOD, "%s", note);
	if (!options->journal)
		return rc;
	ticker_stop(options->ticker);
	report_for(report, output_systems(host));
	one = publish_journal(report, CHECK_NAME, note);
	if (one)
		cli_error(options, EXIT_UNKNOWN, "%s", err_text());
	return rc ? rc : one;
}

int cmd_check_target(const struct cli_options *options, int operand,
		     struct value_server *server, struct check_target *out)
{
	*out = (struct check_target){
		.port = options->port,
		.has_port = options->has_port,
		.nfs_version = options->nfs_version ? options->nfs_version->vers : 0,
		.nfs_minor = options->nfs_version ? options->nfs_version->minor : 0,
		.krb5 = options->krb5,
		.pools = pool_places_gap,
	};
	if (options->noperands <= operand)
		/* Of this host, where it is to be the server. */
		return options->has_port && !(options->roles & CHECK_SERVER)
			       ? err_set(EINVAL, "--port needs SERVER")
			       : 0;
	if (value_server(options->operands[operand], server))
		return -EINVAL;
	out->server = server->host;
	out->export = server->path;
	return 0;
}

static int cmd_check_run(struct cli_options *options)
{
	_cleanup_(report_free_p) struct report *report = report_new("check");
	_cleanup_(host_close_p) struct host *host = NULL;
	struct report_collector collector = { .report = report };
	struct check_target target;
	struct value_server server;
	struct cmd_check_job job = {
		.options = options,
		.target = &target,
		.report = report,
	};
	time_t started = time(NULL);
	uint64_t start;
	int rc, status;

	if (cmd_check_target(options, 0, &server, &target))
		return cli_usage(options);
	status = cli_open_host(options, &host);
	if (status)
		return status;
	if (!report)
		return cli_error(options, EXIT_UNKNOWN, "no memory for the report");
	target.roles = options->roles ? options->roles : checks_roles(host);
	start = now_ns();
	job.host = host;
	job.deadline = deadline_in(options->timeout_ms);
	rc = cmd_check_fill(&job, report_collect, &collector);
	rc = rc ? rc : collector.rc;
	if (!rc && (options->format->metrics || options->textfile))
		rc = cmd_mounts_of(report, host, &target, false);
	if (rc) {
		report_cut(report);
		cli_error(options, EXIT_UNKNOWN, "%s", err_text());
	}
	report_times(report, started, (double)(now_ns() - start) / 1e6);
	rc = cmd_check_publish(options, report, host);
	if (!options->journal)
		status = output_report(options, report, host);
	else
		status = options->format->exit_status(report_verdict(report));
	return rc ? EXIT_UNKNOWN : status;
}

const struct cli_command cmd_check = {
	.name = "check",
	.bit = CLI_CHECK,
	.synopsis = "[OPTION...] [SERVER[:/EXPORT]]",
	.summary = "Check whether this host and a server are ready, and what is missing.",
	.details =
		"Checks modules, devices, the fabric, limits, configuration and firewalls of "
		"this host, and with SERVER the path to the server and its listener. Each "
		"failure has a cause and steps; checks that depend on a failed one are skipped. "
		"Nothing is changed. It works without privileges; what only root may read is "
		"unknown then.",
	CLI_FORMS({ .operands = { &choice_sources } }),
	.max_operands = 1,
	.timeout_ms = TIMEOUT_MS,
	.working = "checking",
	.run = cmd_check_run,
};
