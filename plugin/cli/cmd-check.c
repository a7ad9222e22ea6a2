/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* nfsrdma check: is this host, and that server, ready for NFS over RDMA? The table of checks, on
 * this machine or on one that lies below a directory. */
#include "plugin/cli/options.h"
#include "plugin/libvirt/libvirt.h"

#define RESOLVE_MS 2000

struct cmd_check_options {
	struct cli cli;
	struct cmd_check_request request;
	const char *textfile; /* NULL: not given */
	bool journal, try;
};

static const struct cli_option cmd_check_options[] = {
	OPTION_ROLE(struct cmd_check_options, request.roles),
	OPTION_ROOT_READ,
	OPTION_SEC(struct cmd_check_options, request.sec),
	OPTION_VALUE(
		"textfile", "FILE", struct cmd_check_options, textfile,
		"Write metrics to this file, for example for node_exporter's textfile collector; - is standard output. Only a regular file is replaced.",
		.choice = &choice_file),
	OPTION_FLAG(
		"journal", struct cmd_check_options, journal,
		"Report to the journal instead of standard output: an entry for each finding that needs attention, and one for the verdict."),
	OPTION_FLAG(
		"try", struct cmd_check_options, try,
		"Try this host's server, too: connect to it over RDMA at each of its RDMA addresses, and send NULL."),
	OPTION_FORMAT,
	OPTION_TIMEOUT(TIMEOUT_COMMAND("5")),
	OPTION_PORT(struct cmd_check_options, request.port),
	OPTION_NFS_VERSION(struct cmd_check_options, request.nfs_version),
	OPTIONS_REPORT,
	OPTIONS_END,
};

int cmd_check_fill(const struct cmd_check_job *job, finding_sink sink, void *arg)
{
	struct ticker *ticker = job->cli->ticker;
	struct check_target *target = job->target;
	char step[sizeof("looking up ") + 64], port[8];

	if (target->server) {
		snprintf(port, sizeof(port), "%u", target->port);
		report_subject(job->report, "server", target->server);
		report_subject(job->report, "port", port);
		if (target->export)
			report_subject(job->report, "export", target->export);
		snprintf(step, sizeof(step), "looking up %.64s", target->server);
		ticker_set(ticker, step, 0, 0);
		remote_resolve(job->host, target,
			       deadline_min(job->deadline, deadline_in(RESOLVE_MS)));
		ticker_set(ticker, job->cli->command->working, 0, 0);
	}
	return checks_run(check_table, job->host,
			  host_is_live(job->host) ? &live_system : &live_replay, target,
			  job->deadline, sink, arg);
}

#define CHECK_NAME "nfsrdma-check"
#define NOTE_MAX   320

/* Writes to where --textfile and --journal say. Errors are printed. */
static int cmd_check_publish(const struct cmd_check_options *options, struct report *report,
			     const struct host *host)
{
	char note[NOTE_MAX] = "";
	int rc = 0, one;

	if (options->textfile)
		rc = publish_metrics(report, options->textfile, note, sizeof(note));
	if (rc)
		cli_unknown(&options->cli);
	if (*note && !options->journal)
		cli_error(&options->cli, EXIT_GOOD, "%s", note);
	if (!options->journal)
		return rc;
	ticker_stop(options->cli.ticker);
	report_for(report, output_systems(host, ~0u));
	one = publish_journal(report, CHECK_NAME, note);
	if (one)
		cli_unknown(&options->cli);
	return rc ? rc : one;
}

int cmd_check_target(const struct cmd_check_request *request, const char *operand,
		     struct value_server *server, struct check_target *out)
{
	const struct nfs_version *version = request->nfs_version;

	*out = (struct check_target){
		.port = request->port ? request->port : NFS_RDMA_PORT,
		.has_port = request->port,
		.nfs_version = version ? version->vers : 0,
		.nfs_minor = version ? version->minor : 0,
		.krb5 = request->sec && strcmp(request->sec, "sys") != 0,
		.pools = pool_places_gap,
	};
	/* The port may be of this host, where it is to be the server. */
	if (!operand && request->port && !(request->roles & CHECK_SERVER))
		return err_set(EINVAL, "--port needs SERVER");
	if (!operand)
		return 0;
	if (value_server(operand, server))
		return -EINVAL;
	out->server = server->host;
	out->export = server->path;
	return 0;
}

static int cmd_check_run(void *arg)
{
	struct cmd_check_options *options = arg;
	const struct cli *cli = &options->cli;
	_cleanup_(report_free_p) struct report *report = report_new("check");
	_cleanup_(host_close_p) struct host *host = NULL;
	struct report_collector collector = { .report = report };
	struct check_target target;
	struct value_server server;
	struct cmd_check_job job = {
		.cli = cli,
		.target = &target,
		.report = report,
	};
	int rc, status;

	if (cmd_check_target(&options->request, cli->operands[0], &server, &target))
		return cli_usage(cli);
	if (options->try && cli->root) {
		err_set(EINVAL, "--try connects to this host's server, so it excludes --root");
		return cli_usage(cli);
	}
	target.try = options->try;
	status = cli_open_host(cli, &host);
	if (status)
		return status;
	if (!report)
		return cli_error(cli, EXIT_UNKNOWN, "no memory for the report");
	cli_repeat(cli, report);
	target.roles = options->request.roles ? options->request.roles : checks_roles(host);
	if (options->try && !(target.roles & CHECK_SERVER)) {
		err_set(EINVAL, "--try is for a server: add --role server");
		return cli_usage(cli);
	}
	job.host = host;
	job.deadline = deadline_in(cli->timeout_ms);
	rc = cmd_check_fill(&job, report_collect, &collector);
	if (!rc)
		rc = collector.rc;
	if (!rc && (cli->format->metrics || options->textfile))
		rc = cmd_mounts_of(report, host, &target, false);
	output_end(cli, report, rc);
	rc = cmd_check_publish(options, report, host);
	if (!options->journal)
		status = output_report(cli, report, host);
	else
		status = cli->format->exit_status(report_verdict(report));
	return rc ? EXIT_UNKNOWN : status;
}

const struct cli_command cmd_check = {
	.name = "check",
	.synopsis = "[OPTION...] [SERVER[:/EXPORT]]",
	.summary = "Check whether this host and a server are ready, and what is missing.",
	.details = "Checks modules, devices, the fabric, limits, configuration and firewalls of "
		   "this host, and with SERVER the path to the server and its listener. Each "
		   "failure has a cause and steps; checks that depend on a failed one are skipped. "
		   "Nothing is changed. It works without privileges; what only root may read is "
		   "unknown then.",
	CLI_FORMS({ .operands = { &choice_sources } }),
	.max_operands = 1,
	.options = cmd_check_options,
	.size = sizeof(struct cmd_check_options),
	.timeout_ms = 5000,
	.working = "checking",
	.run = cmd_check_run,
};
