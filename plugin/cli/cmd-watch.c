/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* nfsrdma watch: follows mounts, pools and guests, mostly as a service. The work is plugin/watch's. */
#include "plugin/cli/cli.h"
#include "plugin/watch/watch.h"

#define LIBVIRT_MS 5000

static int cmd_watch_error(const struct cli_options *options, int rc)
{
	bool not_root = (rc == -EACCES || rc == -EPERM) && geteuid() != 0;

	return cli_error(options, EXIT_UNKNOWN, "%s%s", err_text(),
			 not_root ? " (root is needed)" : "");
}

static int cmd_watch_once(struct cli_options *options, const struct watch_options *watch)
{
	_cleanup_(report_free_p) struct report *report = NULL;
	int rc = watch_once(watch, deadline_in(options->timeout_ms), &report), status;

	if (rc)
		cmd_watch_error(options, rc);
	if (!report)
		return EXIT_UNKNOWN;
	status = output_report(options, report, NULL);
	return rc ? EXIT_UNKNOWN : status;
}

static int cmd_watch_run(struct cli_options *options)
{
	const struct watch_options watch = {
		.libvirt = !options->no_libvirt,
		.uri = options->connect,
		.textfile = options->textfile,
		.interval_ms = options->interval_ms,
		.lines = options->verbose || isatty(STDOUT_FILENO) ? stdout : NULL,
	};
	int rc;

	if (options->once)
		return cmd_watch_once(options, &watch);
	rc = watch_run(&watch);
	return rc ? cmd_watch_error(options, rc) : EXIT_GOOD;
}

const struct cli_command cmd_watch = {
	.name = "watch",
	.bit = CLI_WATCH,
	.synopsis = "[OPTION...]\n--once [OPTION...]",
	.summary =
		"Watch mounts, pools and guests, and report what is no longer over RDMA.",
	.details =
		"Renews the records that gates read, and reports in the journal as soon as a "
		"mount, a pool or a guest's disk that requires RDMA is not over RDMA, and when "
		"it is again. Writes /run/nfsrdma/watch.json and metrics.prom. Runs as the "
		"service nfsrdma-watch until it is stopped. With --once it checks once, prints "
		"the report and exits with its verdict. Needs root.",
	.timeout_ms = LIBVIRT_MS,
	.run = cmd_watch_run,
};
