/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* nfsrdma snapshot: what the checks read on this machine, as an archive for --root. Everything is
 * read first; then the archive is written beside FILE and takes its name, so that there is a
 * whole one or none. */
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <sys/stat.h>

#include "plugin/cli/cli.h"
#include "plugin/options/options.h"
#include "plugin/report/shell.h"
#include "plugin/snapshot/snapshot.h"

#define TIMEOUT_MS 20000
#define RESOLVE_MS 2000

/* mkostemp(3) fills it in. */
#define SUFFIX ".XXXXXX"

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
static int cmd_snapshot_collect(const struct cli_options *options,
				const struct host *host, struct check_target *target,
				struct snapshot *snapshot)
{
	_cleanup_(policy_free_p) struct policies *policies = NULL;
	bool system = host_is_live(host);
	const struct live_ops *live = system ? &live_system : &live_replay;
	uint64_t deadline = deadline_in(options->timeout_ms);
	struct nfs_mounts mounts;
	int rc;

	target->roles = options->roles ? options->roles : checks_roles(host);
	/* What other commands read with --root. */
	policy_open(&policies, host);
	output_systems(host);
	if (!host_nfs_mounts(host, &mounts))
		host_nfs_mounts_fini(&mounts);
	rc = checks_visit(check_table, host, live, target, deadline);
	if (!rc && target->server) {
		remote_resolve(host, target,
			       deadline_min(deadline, deadline_in(RESOLVE_MS)));
		rc = checks_run(check_table, host, live, target, deadline,
				cmd_snapshot_ignore, NULL);
	}
	return rc || !system ? rc : cmd_snapshot_record(host, target, snapshot);
}

/* --- writing ------------------------------------------------------------------------- */

/* 0: there is no such file, or it may be replaced. Never a link or a device. */
static int cmd_snapshot_may_write(const char *path, bool force)
{
	struct stat st;

	if (strlen(path) + sizeof(SUFFIX) > PATH_MAX)
		return err_set(ENAMETOOLONG, "the file name is too long");
	if (lstat(path, &st))
		return errno == ENOENT ? 0 : err_sys("%s", path);
	if (!S_ISREG(st.st_mode))
		return err_set(EEXIST, "%s exists and is not a regular file", path);
	return force ? 0 : err_set(EEXIST, "%s exists; --force replaces it", path);
}

/* Not all file systems can rename without replacing. */
static int cmd_snapshot_rename(const char *from, const char *to, bool force)
{
	if (force)
		return rename(from, to) ? err_sys("%s", to) : 0;
	if (!renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE))
		return 0;
	if (errno != EINVAL && errno != ENOSYS)
		return err_sys("%s", to);
	if (link(from, to))
		return err_sys("%s", to);
	unlink(from);
	return 0;
}

/* An interrupt in between would leave a part of it behind; nothing here takes long. */
static int cmd_snapshot_write(struct snapshot *snapshot, const char *path, bool force,
			      struct snapshot_summary *summary)
{
	_cleanup_close_ int fd = -1;
	char temp[PATH_MAX + sizeof(SUFFIX)];
	sigset_t ends, before;
	int rc;

	snprintf(temp, sizeof(temp), "%s" SUFFIX, path);
	sigemptyset(&ends);
	sigaddset(&ends, SIGINT);
	sigaddset(&ends, SIGTERM);
	sigaddset(&ends, SIGHUP);
	sigprocmask(SIG_BLOCK, &ends, &before);
	fd = mkostemp(temp, O_CLOEXEC); /* 0600 */
	if (fd < 0) {
		rc = err_sys("%s", path);
	} else {
		rc = snapshot_write(snapshot, fd, summary);
		if (!rc && fsync(fd))
			rc = err_sys("%s", path);
		rc = rc ? rc : cmd_snapshot_rename(temp, path, force);
		if (rc)
			unlink(temp);
	}
	sigprocmask(SIG_SETMASK, &before, NULL);
	return rc;
}

static int cmd_snapshot_print(const struct cli_options *options, bool live,
			      const struct snapshot_summary *summary)
{
	const char *path = options->operands[0];

	ticker_stop(options->ticker);
	if (options->quiet)
		return EXIT_GOOD;
	printf("%u files in the folder %s\n", summary->files, summary->folder);
	if (live && summary->refused)
		printf("%u files only root may read; their contents are unknown in the snapshot\n",
		       summary->refused);
	printf("Review it before you pass it on. To check it, on any machine:\n"
	       "  tar xf %s\n  nfsrdma check --root %s",
	       SHELL_WORD(path), SHELL_WORD(summary->folder));
	if (options->noperands > 1)
		printf(" %s", SHELL_OPERAND(options->operands[1]));
	putchar('\n');
	return output_finish(options);
}

static int cmd_snapshot_run(struct cli_options *options)
{
	const char *path = options->noperands ? options->operands[0] : "";
	_cleanup_(host_close_p) struct host *host = NULL; /* outlives the snapshot */
	_cleanup_(snapshot_close_p) struct snapshot *snapshot = NULL;
	struct snapshot_summary summary;
	bool to_stdout = !strcmp(path, "-");
	struct check_target target;
	struct value_server server;
	int rc;

	if (!options->noperands) {
		err_set(EINVAL, "no file given; expected FILE, or - for standard output");
		return cli_usage(options);
	}
	if (cmd_check_target(options, 1, &server, &target))
		return cli_usage(options);
	if (to_stdout && isatty(STDOUT_FILENO)) {
		err_set(EINVAL, "standard output is a terminal; expected FILE");
		return cli_usage(options);
	}
	rc = cli_open_host(options, &host);
	if (rc)
		return rc;
	rc = to_stdout ? 0 : cmd_snapshot_may_write(path, options->force);
	rc = rc ? rc : snapshot_open(&snapshot, host);
	rc = rc ? rc : cmd_snapshot_collect(options, host, &target, snapshot);
	if (!rc)
		rc = to_stdout ? snapshot_write(snapshot, STDOUT_FILENO, &summary)
			       : cmd_snapshot_write(snapshot, path, options->force,
						    &summary);
	if (rc)
		return cli_error(options, EXIT_UNKNOWN, "%s", err_text());
	return to_stdout ? EXIT_GOOD
			 : cmd_snapshot_print(options, host_is_live(host), &summary);
}

const struct cli_command cmd_snapshot = {
	.name = "snapshot",
	.bit = CLI_SNAPSHOT,
	.synopsis = "[OPTION...] FILE|- [SERVER[:/EXPORT]]",
	.summary = "Save what the checks read on this machine, for --root on another.",
	.details =
		"Writes a gzipped tar archive with one folder, which represents this machine for "
		"--root: what the checks read, what they asked the system, and with SERVER its "
		"addresses, the route and its answers. It does not contain keys and passwords; "
		"it does contain names, addresses and firewall rules. Only FILE is written, and "
		"only its owner may read it. Without privileges, what only root may read is "
		"unknown in it.",
	CLI_FORMS({ .operands = { &choice_file, &choice_sources } }),
	.max_operands = 2,
	.timeout_ms = TIMEOUT_MS,
	.working = "collecting",
	.run = cmd_snapshot_run,
};
