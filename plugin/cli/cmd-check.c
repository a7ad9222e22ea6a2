/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* nfsrdma check: is this host, and that server, ready for NFS over RDMA? The table of checks, on
 * this machine or on one that lies below a directory. */
#include "plugin/cli/cli.h"
#include "plugin/libvirt/libvirt.h"

#define TIMEOUT_MS 5000
#define RESOLVE_MS 2000

static void set_subject(struct report *report, const struct check_target *target)
{
	char port[8];

	if (!target->server)
		return;
	snprintf(port, sizeof(port), "%u", target->port);
	report_subject(report, "server", target->server);
	report_subject(report, "port", port);
	if (target->export)
		report_subject(report, "export", target->export);
}

int cmd_check_fill(const struct cli_options *options, struct report *report,
		   const struct host *host, struct check_target *target,
		   uint64_t deadline, finding_sink sink, void *arg)
{
	char looking[sizeof("looking up ") + 64];

	set_subject(report, target);
	if (target->server) {
		snprintf(looking, sizeof(looking), "looking up %.64s", target->server);
		ticker_say(options->ticker, looking, 0, 0);
		remote_resolve(host, target,
			       deadline_min(deadline, deadline_in(RESOLVE_MS)));
		ticker_say(options->ticker, options->command->working, 0, 0);
	}
	return checks_run(check_table, host,
			  host_is_live(host) ? &live_system : &live_replay, target,
			  deadline, sink, arg);
}

#define CHECK_NAME "nfsrdma-check"
#define NOTE_MAX   320

/* Writes to where --textfile and --journal say. Errors are printed. */
static int publish(const struct cli_options *options, struct report *report,
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

static int check(struct cli_options *options, const struct host *host,
		 struct check_target *target)
{
	_cleanup_(report_free_p) struct report *report = report_new("check");
	struct report_collector collector = { .report = report };
	uint64_t start = now_ns();
	time_t started = time(NULL);
	int rc, status;

	if (!report)
		return cli_error(options, EXIT_UNKNOWN, "no memory for the report");
	rc = cmd_check_fill(options, report, host, target,
			    deadline_in(options->timeout_ms), report_collect, &collector);
	rc = rc ? rc : collector.rc;
	if (!rc && (options->format->metrics || options->textfile))
		rc = cmd_mounts_of(report, host, target, false);
	if (rc) {
		report_cut(report);
		cli_error(options, EXIT_UNKNOWN, "%s", err_text());
	}
	report_times(report, started, (double)(now_ns() - start) / 1e6);
	rc = publish(options, report, host);
	if (!options->journal)
		status = output_report(options, report, host);
	else
		status = options->format->exit_status(report_verdict(report));
	return rc ? EXIT_UNKNOWN : status;
}

int cmd_check_target(const struct cli_options *options, int operand,
		     struct target *server, struct check_target *out)
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
	if (target_parse(options->operands[operand], server))
		return -EINVAL;
	out->server = server->host;
	out->export = server->path;
	return 0;
}

static int cmd_check_run(struct cli_options *options)
{
	_cleanup_(host_close_p) struct host *host = NULL;
	struct check_target target;
	struct target server;

	if (cmd_check_target(options, 0, &server, &target))
		return cli_usage(options);
	if (host_open(&host, options->root)) {
		err_context(-EINVAL, "--root");
		return cli_usage(options);
	}
	target.roles = options->roles ? options->roles : checks_roles(host);
	return check(options, host, &target);
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
