/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* nfsrdma snapshot: what the checks read on this machine, as an archive for --root. Everything is
 * read first; then the archive is written beside FILE and takes its name, so that there is a
 * whole one or none. */
#include <signal.h>

#include "plugin/cli/options.h"
#include "plugin/options/options.h"
#include "plugin/report/shell.h"
#include "plugin/snapshot/snapshot.h"

#define RESOLVE_MS 2000

struct cmd_snapshot_options {
	struct cli cli;
	struct cmd_check_request request;
	bool force;
};

static const struct cli_option cmd_snapshot_options[] = {
	OPTION_ROLE(struct cmd_snapshot_options, request.roles),
	OPTION_ROOT_READ,
	OPTION_SEC(struct cmd_snapshot_options, request.sec),
	OPTION_TIMEOUT(TIMEOUT_COMMAND("20")),
	OPTION_PORT(struct cmd_snapshot_options, request.port),
	OPTION_NFS_VERSION(struct cmd_snapshot_options, request.nfs_version),
	OPTION_FLAG("force", struct cmd_snapshot_options, force, "Replace an existing FILE."),
	OPTION_QUIET("Show no progress, and print only errors."),
	OPTIONS_END,
};

/* --- reading ------------------------------------------------------------------------ */

/* The system's answers, about every interface: which of them counts depends on what is asked. */
static int cmd_snapshot_record(const struct host *host, const struct check_target *target,
			       struct snapshot *snapshot)
{
	_cleanup_(host_list_fini) struct host_list netdevs = { NULL, 0, false };
	struct live_wanted wanted = {
		.addresses = target->addresses,
		.naddresses = target->naddresses,
	};

	if (!host_list(host, "sys/class/net", &netdevs)) {
		wanted.netdevs = (const char *const *)netdevs.names;
		wanted.nnetdevs = (unsigned int)netdevs.count;
	}
	return live_record(&live_system, host, &wanted, snapshot_file, snapshot);
}

static void cmd_snapshot_ignore(void *arg, const struct finding *finding)
{
	(void)arg, (void)finding;
}

/* Every check reads, whatever those before it came to: another one may be asked of the snapshot
 * than of the machine. The server is asked as `check` would do it. */
static int cmd_snapshot_collect(const struct cmd_snapshot_options *options, const struct host *host,
				struct check_target *target, struct snapshot *snapshot)
{
	_cleanup_(policy_free_p) struct policies *policies = NULL;
	bool system = host_is_live(host);
	const struct live_ops *live = system ? &live_system : &live_replay;
	uint64_t deadline = deadline_in(options->cli.timeout_ms);
	struct nfs_mounts mounts;
	int rc;

	target->roles = options->request.roles ? options->request.roles : checks_roles(host);
	/* What other commands read with --root. */
	policy_open(&policies, host);
	output_systems(host, ~0u);
	if (!host_nfs_mounts(host, &mounts))
		host_nfs_mounts_fini(&mounts);
	rc = checks_visit(check_table, host, live, target, deadline);
	if (!rc && target->server) {
		remote_resolve(host, target, deadline_min(deadline, deadline_in(RESOLVE_MS)));
		rc = checks_run(check_table, host, live, target, deadline, cmd_snapshot_ignore,
				NULL);
	}
	return rc || !system ? rc : cmd_snapshot_record(host, target, snapshot);
}

/* --- writing ------------------------------------------------------------------------- */

struct cmd_snapshot_archive {
	struct snapshot *snapshot;
	struct snapshot_summary *summary;
};

static int cmd_snapshot_fill(void *arg, int fd)
{
	const struct cmd_snapshot_archive *archive = arg;

	return snapshot_write(archive->snapshot, fd, archive->summary);
}

/* An interrupt in between would leave a part of it behind; nothing here takes long. */
static int cmd_snapshot_write(struct snapshot *snapshot, const char *path, bool force,
			      struct snapshot_summary *summary)
{
	struct cmd_snapshot_archive archive = { snapshot, summary };
	const struct fd_file file = { .mode = 0600, .prepare = cmd_snapshot_fill, .arg = &archive };
	sigset_t ends, before;
	int rc;

	signals_that_end(&ends);
	sigprocmask(SIG_BLOCK, &ends, &before);
	rc = out_write_file(path, &file, force);
	sigprocmask(SIG_SETMASK, &before, NULL);
	return rc;
}

static int cmd_snapshot_print(const struct cli *cli, bool live,
			      const struct snapshot_summary *summary)
{
	const char *path = cli->operands[0];

	ticker_stop(cli->ticker);
	if (cli->quiet)
		return EXIT_GOOD;
	printf("%u files in the folder %s\n", summary->files, summary->folder);
	if (live && summary->refused)
		printf("%u files only root may read; their contents are unknown in the snapshot\n",
		       summary->refused);
	printf("Review it before you pass it on. To check it, on any machine:\n"
	       "  nfsrdma check --root %s",
	       SHELL_WORD(path));
	if (cli->noperands > 1)
		printf(" %s", SHELL_OPERAND(cli->operands[1]));
	putchar('\n');
	return output_finish(cli);
}

static int cmd_snapshot_run(void *arg)
{
	const struct cmd_snapshot_options *options = arg;
	const struct cli *cli = &options->cli;
	const char *path = cli->noperands ? cli->operands[0] : "";
	_cleanup_(host_close_p) struct host *host = NULL; /* outlives the snapshot */
	_cleanup_(snapshot_close_p) struct snapshot *snapshot = NULL;
	struct snapshot_summary summary;
	bool to_stdout = !strcmp(path, "-");
	struct check_target target;
	struct value_server server;
	int rc;

	if (!cli->noperands) {
		err_set(EINVAL, "no file given; expected FILE, or - for standard output");
		return cli_usage(cli);
	}
	if (cmd_check_target(&options->request, cli->operands[1], &server, &target))
		return cli_usage(cli);
	if (to_stdout && isatty(STDOUT_FILENO)) {
		err_set(EINVAL, "standard output is a terminal; expected FILE");
		return cli_usage(cli);
	}
	rc = cli_open_host(cli, &host);
	if (rc)
		return rc;
	if ((!to_stdout && out_check_file(path, options->force)) ||
	    snapshot_open(&snapshot, host) ||
	    cmd_snapshot_collect(options, host, &target, snapshot))
		return cli_unknown(cli);
	rc = to_stdout ? snapshot_write(snapshot, STDOUT_FILENO, &summary)
		       : cmd_snapshot_write(snapshot, path, options->force, &summary);
	if (rc)
		return cli_unknown(cli);
	return to_stdout ? EXIT_GOOD : cmd_snapshot_print(cli, host_is_live(host), &summary);
}

const struct cli_command cmd_snapshot = {
	.name = "snapshot",
	.synopsis = "[OPTION...] FILE|- [SERVER[:/EXPORT]]",
	.summary = "Save what the checks read on this machine, for --root on another.",
	.details =
		"Writes a gzipped tar archive with one folder, which represents this machine for "
		"--root: what the checks read, what they asked the system, and with SERVER its "
		"addresses, the route and its answers. Of configuration files it contains only what "
		"the checks read, with placeholders for the rest; "
		"it does contain names, addresses and firewall rules. Only FILE is written, and "
		"only its owner may read it. Without privileges, what only root may read is "
		"unknown in it.",
	.exit_status = "0 written, 2 usage, 3 not written",
	CLI_FORMS({ .operands = { &choice_file, &choice_sources } }),
	.max_operands = 2,
	.options = cmd_snapshot_options,
	.size = sizeof(struct cmd_snapshot_options),
	.timeout_ms = 20000,
	.working = "collecting",
	.run = cmd_snapshot_run,
};
