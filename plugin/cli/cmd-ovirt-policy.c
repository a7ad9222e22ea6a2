/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* nfsrdma ovirt policy: two files that belong together, written one after the other. Whatever keeps
 * the second from being written, the first is put back. Of the two halves that a loss of power could
 * leave, the order leaves the one that does no harm: mounts over RDMA that no gate guards, and
 * never gates that refuse what is mounted over TCP. Doing it again completes it. A lock is held from
 * reading to writing, so that of two commands at once none writes over the other's sections. */

#include "plugin/cli/cli.h"
#include "plugin/ovirt/ovirt.h"
#include "plugin/setup/setup.h"

/* Another command needs milliseconds; one of setup that restarts a server is not waited for. */
#define LOCK_MS 5000

struct run {
	const struct cli_options *options;
	const struct host *host;
	struct ovirt_domain domains[CMD_OVIRT_DOMAINS_MAX];
	struct ovirt_change_request request;
	struct ovirt_change change;
	struct made_dirs made[2];
	char *before[2];
	char nfs_utils[96];
};

static const char *const paths[] = {
	[OVIRT_NFSMOUNT] = OVIRT_NFSMOUNT_PATH,
	[OVIRT_GUARD] = OVIRT_GUARD_PATH,
};

static void run_forget(struct run *run)
{
	size_t i;

	ovirt_change_fini(&run->change);
	memset(&run->change, 0, sizeof(run->change));
	for (i = 0; i < ARRAY_SIZE(paths); i++)
		free(take_ptr(run->before[i]));
}

/* --- what is known of this host ----------------------------------------------------------------------- */

static int look_at_nfs_utils(struct run *run)
{
	struct ovirt_change_request *request = &run->request;
	struct nfs_utils_tried tried;
	struct host_system system;
	struct nfs_utils utils;
	int rc = nfs_utils_read(run->host, &utils);

	if (rc && rc != -ENOENT && rc != -ENODATA)
		return rc;
	if (host_system(run->host, &system))
		memset(&system, 0, sizeof(system));
	snprintf(run->nfs_utils, sizeof(run->nfs_utils), "nfs-utils%s%.64s",
		 utils.version[0] ? " " : " of this host", utils.version);
	request->nfs_utils = run->nfs_utils;
	request->sections = nfs_utils_sections(&utils, system.distro);
	request->drop_ins = nfs_utils_drop_ins(&utils, run->host);
	if (host_is_live(run->host) && !live_nfs_utils(NULL, &tried)) {
		request->sections = tried.sections;
		request->drop_ins = tried.drop_ins ? DROP_INS_READ : DROP_INS_IGNORED;
	}
	return 0;
}

static int read_files(struct run *run)
{
	struct place_attr attr;
	size_t i;
	int rc = 0;

	for (i = 0; !rc && i < ARRAY_SIZE(paths); i++) {
		rc = place_read(run->host, paths[i], &run->before[i], &attr);
		run->change.before[i] = run->before[i];
	}
	return rc;
}

/* --- writing --------------------------------------------------------------------------------------------- */

/* NULL: no file. */
static bool is_same(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

static bool is_changed(const struct run *run, size_t file)
{
	return !is_same(run->change.before[file], run->change.after[file]);
}

static int write_file(struct run *run, size_t file)
{
	int rc;

	if (!is_changed(run, file))
		return 0;
	rc = place_missing(run->host, paths[file], &run->made[file]);
	rc = rc ? rc : place_make_dirs(run->host, &run->made[file], 0755);
	return rc ? rc
		  : place_write(run->host, paths[file], run->change.before[file],
				run->change.after[file], NULL);
}

/* As it was before, and the folders that were made for it go. Also where it failed behind the renaming,
 * and the file is the new one. */
static void put_back(struct run *run, size_t file)
{
	_cleanup_free_ char *now = NULL;
	struct place_attr attr;
	int rc = place_read(run->host, paths[file], &now, &attr);

	if (!rc && is_changed(run, file) && is_same(now, run->change.after[file]))
		rc = place_write(run->host, paths[file], now, run->change.before[file],
				 NULL);
	rc = rc ? rc : place_remove_dirs(run->host, &run->made[file]);
	if (rc)
		cli_error(run->options, 0, "cannot restore /%s: %s", paths[file],
			  err_text());
}

static int write_files(struct run *run)
{
	const size_t first = run->request.remove ? OVIRT_GUARD : OVIRT_NFSMOUNT,
		     second = run->request.remove ? OVIRT_NFSMOUNT : OVIRT_GUARD;
	char why[ERR_TEXT_MAX];
	int rc = write_file(run, first), second_rc = rc ? 0 : write_file(run, second);

	if (!rc && !second_rc)
		return 0;
	snprintf(why, sizeof(why), "%s", err_text());
	if (second_rc)
		put_back(run, second);
	put_back(run, first);
	return err_set(rc ? -rc : -second_rc, "%s", why);
}

/* --- output ---------------------------------------------------------------------------------------------- */

static void print_item(const char *text)
{
	fputs("  - ", stdout);
	output_text(stdout, text, 4);
}

static void print_notes(const struct run *run)
{
	char overruled[OVIRT_TEXT_MAX] = "";

	if (!run->request.remove && !run->options->dry_run &&
	    ovirt_change_overruled(&run->request, overruled))
		snprintf(overruled, sizeof(overruled), "%.600s", err_text());
	if (run->change.note[0] || overruled[0])
		puts("\nNote");
	if (run->change.note[0])
		print_item(run->change.note);
	if (overruled[0])
		print_item(overruled);
}

/* What is mounted keeps its transport. */
static void print_mounted(const struct run *run)
{
	char text[OVIRT_TEXT_MAX], remedy[OVIRT_TEXT_MAX], all[2 * OVIRT_TEXT_MAX + 16];
	bool any = false;
	size_t i;

	for (i = 0; i < run->request.ndomains && !run->request.remove; i++) {
		if (cmd_ovirt_mounted(run->host, &run->domains[i], text, remedy))
			snprintf(all, sizeof(all),
				 "The mounts of this host are unknown: %.600s",
				 err_text());
		else if (*text)
			snprintf(all, sizeof(all), "%s. To change it: %s", text, remedy);
		else
			continue;
		if (!any)
			puts("\nLeft to you");
		any = true;
		print_item(all);
	}
}

static void print_done(const struct run *run)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(paths); i++)
		if (is_changed(run, i))
			printf("  done  /%s %s\n", paths[i],
			       !run->change.after[i]    ? "removed"
			       : !run->change.before[i] ? "written"
							: "changed");
}

static void print_diffs(const struct run *run)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(paths); i++)
		if (is_changed(run, i))
			diff_print(stdout, paths[i], run->change.before[i],
				   run->change.after[i]);
}

static void print_next(void)
{
	putchar('\n');
	wrap_print(
		stdout,
		"Next: nfsrdma mounts, after the domains are activated. To undo this: nfsrdma ovirt policy --remove",
		0, output_page(stdout));
}

static int policy_print(const struct run *run, bool any)
{
	if (!any)
		puts(run->request.remove ? "Nothing to remove."
					 : "Nothing to do: the settings exist already.");
	else if (run->options->dry_run)
		print_diffs(run);
	else
		print_done(run);
	print_notes(run);
	print_mounted(run);
	if (any && run->options->dry_run)
		puts("\nNothing was changed (--dry-run).");
	else if (!run->request.remove && !run->options->root)
		print_next();
	return output_finish(run->options);
}

/* --- the command --------------------------------------------------------------------------------------------- */

static int check_options(const struct cli_options *options)
{
	if (options->noperands < 2 && !options->remove)
		return err_set(EINVAL, "no domain given; expected SERVER:/EXPORT");
	if (options->posix || options->engine_version)
		return err_set(EINVAL, "--type and --nfs-version need options");
	if (strcmp(options->format->name, "text"))
		return err_set(EINVAL, "--format needs options");
	if (options->remove && (options->has_port || options->mount_options ||
				options->resolve || options->guard_only))
		return err_set(
			EINVAL,
			"--remove cannot be combined with --port, --options, --resolve and --guard-only");
	return options->root && options->resolve
		       ? err_set(EINVAL, "--resolve and --root cannot be combined")
		       : 0;
}

static int take_domains(struct run *run)
{
	const struct cli_options *options = run->options;
	struct ovirt_change_request *request = &run->request;
	char repository[PATH_MAX];
	enum ip_family family;
	int i, rc = 0;

	cmd_ovirt_repository(run->host, options, repository);
	for (i = 1; !rc && i < options->noperands; i++) {
		struct ovirt_domain *domain = &run->domains[request->ndomains++];

		rc = ovirt_domain(options->operands[i], repository, domain);
		family = IP_UNKNOWN;
		if (!rc && options->resolve)
			rc = cmd_plan_family(options, domain->spec, &family);
		if (!rc && i > 1 && request->six != (family == IP_V6))
			return err_set(
				EINVAL,
				"some of these servers have IPv6 addresses only; use one command for them and one for the others");
		request->six = family == IP_V6;
	}
	return rc;
}

static int exit_status(const struct run *run, int rc)
{
	if (rc == -EINVAL || rc == -E2BIG)
		return EXIT_USAGE;
	if (rc == -EPERM && run->request.sections == NFS_UTILS_UNKNOWN)
		return EXIT_UNKNOWN;
	return rc == -EPERM || rc == -EBADMSG || rc == -ENOENT ? EXIT_FAILED
							       : EXIT_UNKNOWN;
}

static int refuse(const struct run *run, int status)
{
	return cli_error(run->options, status, "%s; nothing was changed", err_text());
}

static bool any_changed(const struct run *run)
{
	return is_changed(run, OVIRT_NFSMOUNT) || is_changed(run, OVIRT_GUARD);
}

/* What the files are to be. Exit status, with words. */
static int make_change(struct run *run)
{
	int rc;

	run_forget(run);
	if (read_files(run))
		return EXIT_UNKNOWN;
	rc = ovirt_change_make(&run->request, &run->change);
	return rc ? exit_status(run, rc) : 0;
}

/* Read again under the lock: its last holder may have changed them. */
static int write_change(struct run *run)
{
	struct setup_lock lock;
	int status = setup_lock_take(&lock, run->host, true, deadline_in(LOCK_MS))
			     ? EXIT_UNKNOWN
			     : 0;
	size_t i;

	/* Left by a process that was killed there. */
	for (i = 0; !status && i < ARRAY_SIZE(paths); i++)
		place_tidy(run->host, paths[i]);
	status = status ? status : make_change(run);
	if (!status && write_files(run))
		status = EXIT_UNKNOWN;
	setup_lock_drop(&lock);
	return status;
}

static int change(struct run *run)
{
	int status = look_at_nfs_utils(run) ? EXIT_UNKNOWN : make_change(run);
	bool any = !status && any_changed(run);

	if (any && !run->options->dry_run)
		status = write_change(run);
	return status ? refuse(run, status) : policy_print(run, any);
}

static int run_on(struct run *run)
{
	const struct cli_options *options = run->options;
	int rc = take_domains(run);

	if (rc)
		return cli_error(options, rc == -EINVAL ? EXIT_USAGE : EXIT_UNKNOWN, "%s",
				 err_text());
	run->request.host = run->host;
	run->request.domains = run->domains;
	run->request.remove = options->remove;
	run->request.guard_only = options->guard_only;
	run->request.port = options->port;
	run->request.options = options->mount_options;
	return change(run);
}

int cmd_ovirt_policy(const struct cli_options *options)
{
	_cleanup_(host_close_p) struct host *host = NULL;
	_cleanup_free_ struct run *run = calloc(1, sizeof(*run));
	int status;

	if (check_options(options))
		return cli_usage(options);
	if (!run)
		return cli_error(options, EXIT_UNKNOWN, "no memory");
	status = cli_open_to_change(options, &host);
	if (status)
		return status;
	run->options = options;
	run->host = host;
	status = run_on(run);
	run_forget(run);
	return status;
}
