/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* nfsrdma check: is this host, and that server, ready for NFS over RDMA? The table of checks, on
 * this machine or on one that lies below a directory. */
#include "plugin/cli/cli.h"

#define TIMEOUT_MS 5000
#define RESOLVE_MS 2000

struct collector {
	struct report *report;
	int rc; /* of the first finding that the report refused */
};

static void on_finding(void *arg, const struct finding *finding)
{
	struct collector *collector = arg;
	int rc = report_add(collector->report, finding);

	if (rc && !collector->rc)
		collector->rc = rc;
}

/* A client, and a server too where it is one already. Who may not see that is not told so. */
static unsigned int find_roles(const struct host *host)
{
	enum unit_state state;
	struct host_nfsd nfsd;

	if (!host_unit_state(host, "nfs-server.service", &state) && state == UNIT_ENABLED)
		return CHECK_BOTH;
	return !host_nfsd(host, &nfsd) && nfsd.nlisteners ? CHECK_BOTH : CHECK_CLIENT;
}

/* Below a root nobody is asked: names of that machine are not names of this one. */
static void resolve(const struct host *host, struct check_target *target,
		    uint64_t deadline)
{
	size_t count = 0;

	if (host_is_live(host))
		deadline = deadline_min(deadline, deadline_in(RESOLVE_MS));
	else
		deadline = 0;
	if (transport_resolve(target->server, target->port, target->addresses,
			      ARRAY_SIZE(target->addresses), &count, deadline))
		snprintf(target->unresolved, sizeof(target->unresolved), "%s",
			 err_text());
	else
		target->naddresses = (unsigned int)count;
}

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

static int check(struct cli_options *options, const struct host *host,
		 struct check_target *target)
{
	_cleanup_(report_free_p) struct report *report = report_new("check");
	struct collector collector = { .report = report };
	uint64_t start = now_ns(), deadline = deadline_in(options->timeout_ms);
	time_t started = time(NULL);
	int rc;

	if (!report)
		return cli_error(options, EXIT_UNKNOWN, "no memory for the report");
	set_subject(report, target);
	if (target->server)
		resolve(host, target, deadline);
	rc = checks_run(check_table, host,
			host_is_live(host) ? &live_system : &live_replay, target,
			deadline, on_finding, &collector);
	rc = rc ? rc : collector.rc;
	if (rc) {
		report_cut(report);
		cli_error(options, EXIT_UNKNOWN, "%s", err_text());
	}
	report_times(report, started, (double)(now_ns() - start) / 1e6);
	return output_report(options, report);
}

static int cmd_check_run(struct cli_options *options)
{
	_cleanup_(host_close_p) struct host *host = NULL;
	struct target server;
	struct check_target target = {
		.port = options->port,
		.has_port = options->has_port,
		.nfs_version = options->nfs_version ? options->nfs_version->vers : 0,
		.krb5 = options->krb5,
	};

	if (options->noperands) {
		if (target_parse(options->operands[0], &server))
			return cli_usage(options);
		target.server = server.host;
		target.export = server.path;
	} else if (options->has_port) {
		err_set(EINVAL, "--port is the server's: name one");
		return cli_usage(options);
	}
	if (host_open(&host, options->root)) {
		err_context(-EINVAL, "--root");
		return cli_usage(options);
	}
	target.roles = options->roles ? options->roles : find_roles(host);
	options->brief = !options->verbose;
	return check(options, host, &target);
}

const struct cli_command cmd_check = {
	.name = "check",
	.bit = CLI_CHECK,
	.synopsis = "[OPTION...] [SERVER[:/EXPORT]]",
	.summary =
		"Say whether this host, and that server, are ready, and what is missing.",
	.details =
		"Looks at modules, devices, the fabric, limits, configuration and firewalls of "
		"this host, and with SERVER at the way there and at its listener. What is wrong "
		"comes with its cause and remedy, and what follows from it is skipped. Nothing is "
		"changed. It works without privileges; what only root may see is unknown then.",
	.max_operands = 1,
	.timeout_ms = TIMEOUT_MS,
	.run = cmd_check_run,
};
