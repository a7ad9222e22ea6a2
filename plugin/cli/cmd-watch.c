/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* nfsrdma watch: follows mounts, pools and guests, mostly as a service. The work is
 * plugin/watch's. */
#include "plugin/cli/options.h"
#include "plugin/watch/watch.h"

struct cmd_watch_options {
	struct cli cli;
	const char *connect; /* NULL: not given */
	bool no_libvirt, once;
	unsigned int interval; /* seconds; 0: not given */
	const char *textfile;  /* NULL: not given */
};

static const struct cli_option cmd_watch_options[] = {
	OPTION_CONNECT(struct cmd_watch_options, connect),
	OPTION_FLAG("no-libvirt", struct cmd_watch_options, no_libvirt,
		    "Watch mounts only; do not connect to libvirt for pools and guests."),
	OPTION_FLAG("once", struct cmd_watch_options, once,
		    "Check once, write the files, print the report, and exit with its verdict."),
	OPTION_VALUE("interval", "SECONDS", struct cmd_watch_options, interval,
		     "Check at least this often, 1 to 30 (default 30); events are checked at once.",
		     .min = 1, .max = 30),
	OPTION_VALUE(
		"textfile", "FILE", struct cmd_watch_options, textfile,
		"The file for metrics, for example for node_exporter's textfile collector (default /run/nfsrdma/metrics.prom); - is standard output. Only a regular file is replaced.",
		.choice = &choice_file),
	OPTION_FORMAT,
	OPTION_TIMEOUT("The time limit of --once for libvirt (1 to 86400, default 5)."),
	OPTION_QUIET(QUIET_REPORT),
	OPTION_VERBOSE(
		"Print a line for each event, even if standard output is not a terminal; with --once every finding, with its evidence."),
	OPTIONS_END,
};

static int cmd_watch_error(const struct cli *cli, int rc)
{
	bool not_root = (rc == -EACCES || rc == -EPERM) && geteuid() != 0;

	return cli_error(cli, EXIT_UNKNOWN, "%s%s", err_text(),
			 not_root ? " (root is needed)" : "");
}

static int cmd_watch_once(const struct cli *cli, const struct watch_options *watch)
{
	_cleanup_(report_free_p) struct report *report = NULL;
	int rc = watch_once(watch, deadline_in(cli->timeout_ms), &report), status;

	if (rc)
		cmd_watch_error(cli, rc);
	if (!report)
		return EXIT_UNKNOWN;
	status = output_report(cli, report, NULL);
	return rc ? EXIT_UNKNOWN : status;
}

static int cmd_watch_run(void *arg)
{
	const struct cmd_watch_options *options = arg;
	const struct cli *cli = &options->cli;
	const struct watch_options watch = {
		.libvirt = !options->no_libvirt,
		.uri = options->connect,
		.textfile = options->textfile,
		.interval_ms = options->interval * 1000,
		.lines = cli->verbose || isatty(STDOUT_FILENO) ? stdout : NULL,
	};
	int rc;

	if (options->once)
		return cmd_watch_once(cli, &watch);
	rc = watch_run(&watch);
	return rc ? cmd_watch_error(cli, rc) : EXIT_GOOD;
}

const struct cli_command cmd_watch = {
	.name = "watch",
	.synopsis = "[OPTION...]\n--once [OPTION...]",
	.summary = "Watch mounts, pools and guests, and report what is no longer over RDMA.",
	.details =
		"Reports in the journal as soon as a mount, a pool or a guest's disk that requires RDMA is not over RDMA, and when "
		"it is again. Writes /run/nfsrdma/watch.json and metrics.prom. Runs as the "
		"service nfsrdma-watch until it is stopped. With --once it checks once, prints "
		"the report and exits with its verdict. Needs root.",
	.exit_status =
		"0 ended by SIGINT or SIGTERM, 2 usage, 3 failed; with --once 0 verdict pass or warn, 1 fail, 3 unknown",
	.options = cmd_watch_options,
	.size = sizeof(struct cmd_watch_options),
	.timeout_ms = 5000, /* for libvirt */
	.run = cmd_watch_run,
};
