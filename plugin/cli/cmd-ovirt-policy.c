/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* nfsrdma ovirt policy: two files that belong together, written one after the other. Whatever keeps
 * the second from being written, the first is put back. Of the two halves that a loss of power
 * could leave, the order leaves the one that does no harm: mounts over RDMA that no gate guards,
 * and never gates that refuse what is mounted over TCP. Doing it again completes it. A lock is held
 * from reading to writing, so that of two commands at once none writes over the other's
 * sections. */

#include "plugin/cli/cli.h"
#include "plugin/ovirt/ovirt.h"
#include "plugin/setup/setup.h"

/* Another command needs milliseconds; one of setup that restarts a server is not waited for. */
#define LOCK_MS 5000

struct ovirt_policy_run {
	const struct cmd_ovirt_options *options;
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

static void ovirt_policy_forget(struct ovirt_policy_run *run)
{
	size_t i;

	ovirt_change_fini(&run->change);
	memset(&run->change, 0, sizeof(run->change));
	for (i = 0; i < ARRAY_SIZE(paths); i++)
		free(take_ptr(run->before[i]));
}

/* --- this host -------------------------------------------------------------------------------- */

static int ovirt_policy_nfs_utils(struct ovirt_policy_run *run)
{
	struct ovirt_change_request *request = &run->request;
	struct nfs_utils_behaviour tried;
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
	if (host_is_live(run->host) && !live_nfs_utils(run->host, NULL, &tried)) {
		request->sections = tried.sections;
		request->drop_ins = tried.drop_ins ? DROP_INS_READ : DROP_INS_IGNORED;
	}
	return 0;
}

/* --- writing ---------------------------------------------------------------------------------- */

/* NULL: no file. */
static bool ovirt_policy_same(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

static bool ovirt_policy_is_changed(const struct ovirt_policy_run *run, size_t file)
{
	return !ovirt_policy_same(run->change.before[file], run->change.after[file]);
}

static int ovirt_policy_write_file(struct ovirt_policy_run *run, size_t file)
{
	int rc;

	if (!ovirt_policy_is_changed(run, file))
		return 0;
	rc = place_missing(run->host, paths[file], &run->made[file]);
	if (!rc)
		rc = place_make_dirs(run->host, &run->made[file], 0755);
	if (rc)
		return rc;
	return place_write(run->host, paths[file], run->change.before[file],
			   run->change.after[file]);
}

/* As it was before, and the folders that were made for it go. Also where it failed behind the
 * renaming, and the file is the new one. */
static void ovirt_policy_restore(struct ovirt_policy_run *run, size_t file)
{
	_cleanup_free_ char *now = NULL;
	int rc = place_read(run->host, paths[file], &now);

	if (!rc && ovirt_policy_is_changed(run, file) &&
	    ovirt_policy_same(now, run->change.after[file]))
		rc = place_write(run->host, paths[file], now, run->change.before[file]);
	if (!rc)
		rc = place_remove_dirs(run->host, &run->made[file]);
	if (rc)
		cli_error(&run->options->cli, 0, "cannot restore /%s: %s", paths[file], err_text());
}

/* The folder of a removed file, unless something else is in it. */
static void ovirt_policy_drop_folder(const struct ovirt_policy_run *run, size_t file)
{
	struct made_dirs folder = { .count = 1 };

	if (run->change.after[file] || !run->change.before[file])
		return;
	str_copy(folder.list[0], SETUP_PATH_MAX, paths[file]);
	*strrchr(folder.list[0], '/') = '\0';
	if (place_remove_dirs(run->host, &folder))
		cli_error(&run->options->cli, 0, "cannot remove /%s: %s", folder.list[0],
			  err_text());
}

static int ovirt_policy_write_files(struct ovirt_policy_run *run)
{
	const size_t first = run->request.remove ? OVIRT_GUARD : OVIRT_NFSMOUNT,
		     second = run->request.remove ? OVIRT_NFSMOUNT : OVIRT_GUARD;
	char why[ERR_TEXT_MAX];
	int rc = ovirt_policy_write_file(run, first),
	    second_rc = rc ? 0 : ovirt_policy_write_file(run, second);

	if (!rc && !second_rc) {
		ovirt_policy_drop_folder(run, first);
		ovirt_policy_drop_folder(run, second);
		return 0;
	}
	snprintf(why, sizeof(why), "%s", err_text());
	if (second_rc)
		ovirt_policy_restore(run, second);
	ovirt_policy_restore(run, first);
	return err_set(rc ? -rc : -second_rc, "%s", why);
}

/* --- output ----------------------------------------------------------------------------------- */

static void ovirt_policy_print_item(const char *text)
{
	fputs("  - ", stdout);
	output_text(stdout, text, 4);
}

/* What is mounted keeps its transport. */
static void ovirt_policy_print_mounted(const struct ovirt_policy_run *run)
{
	char text[OVIRT_TEXT_MAX], remedy[OVIRT_TEXT_MAX], all[2 * OVIRT_TEXT_MAX + 16];
	bool any = false;
	size_t i;

	for (i = 0; i < run->request.ndomains && !run->request.remove; i++) {
		if (cmd_ovirt_mounted(run->host, &run->domains[i], text, remedy))
			snprintf(all, sizeof(all), "The mounts of this host are unknown: %.600s",
				 err_text());
		else if (*text)
			snprintf(all, sizeof(all), "%s. To change it: %s", text, remedy);
		else
			continue;
		if (!any)
			puts("\nLeft to you");
		any = true;
		ovirt_policy_print_item(all);
	}
}

static int ovirt_policy_print(const struct ovirt_policy_run *run, bool any)
{
	const struct ovirt_change *change = &run->change;
	bool remove = run->request.remove, dry_run = run->options->dry_run;
	char overruled[OVIRT_TEXT_MAX] = "";
	size_t i;

	if (!any)
		puts(remove ? "Nothing to remove." : "Nothing to do: the settings exist already.");
	for (i = 0; i < ARRAY_SIZE(paths); i++) {
		if (!ovirt_policy_is_changed(run, i))
			continue;
		if (dry_run)
			diff_print(stdout, paths[i], change->before[i], change->after[i]);
		else
			printf("  done  /%s %s\n", paths[i],
			       !change->after[i]    ? "removed"
			       : !change->before[i] ? "written"
						    : "changed");
	}
	if (!remove && !dry_run && ovirt_change_overruled(&run->request, overruled))
		snprintf(overruled, sizeof(overruled), "%.600s", err_text());
	if (change->note[0] || overruled[0])
		puts("\nNote");
	if (change->note[0])
		ovirt_policy_print_item(change->note);
	if (overruled[0])
		ovirt_policy_print_item(overruled);
	ovirt_policy_print_mounted(run);
	if (any && dry_run) {
		puts("\nNothing was changed (--dry-run).");
	} else if (!remove && !run->options->cli.root) {
		putchar('\n');
		wrap_print(
			stdout,
			"Next: nfsrdma mounts, after the domains are activated. To undo this: nfsrdma ovirt policy --remove",
			0, output_page(stdout));
	}
	return output_finish(&run->options->cli);
}

/* --- the command ------------------------------------------------------------------------------ */

static int ovirt_policy_check_options(const struct cmd_ovirt_options *options)
{
	if (options->cli.noperands < 2 && !options->remove)
		return err_set(EINVAL, "no domain given; expected SERVER:/EXPORT");
	if (cmd_ovirt_is_posix(options) || options->nfs_version)
		return err_set(EINVAL, "--type and --nfs-version need options");
	if (strcmp(options->cli.format->name, "text"))
		return err_set(EINVAL, "--format needs options");
	if (options->remove &&
	    (options->port || options->mount_options || options->resolve || options->guard_only))
		return err_set(
			EINVAL,
			"--remove cannot be combined with --port, --options, --resolve and --guard-only");
	return options->cli.root && options->resolve
		       ? err_set(EINVAL, "--resolve and --root cannot be combined")
		       : 0;
}

static int ovirt_policy_add_domains(struct ovirt_policy_run *run)
{
	const struct cmd_ovirt_options *options = run->options;
	struct ovirt_change_request *request = &run->request;
	char repository[PATH_MAX];
	enum ip_family family;
	int i, rc = 0;

	cmd_ovirt_repository(run->host, options->repository, repository);
	for (i = 1; !rc && i < options->cli.noperands; i++) {
		struct ovirt_domain *domain = &run->domains[request->ndomains++];

		rc = ovirt_domain(options->cli.operands[i], repository, domain);
		family = IP_UNKNOWN;
		if (!rc && options->resolve)
			rc = cmd_plan_family(domain->spec, options->cli.timeout_ms, &family);
		if (!rc && i > 1 && request->six != (family == IP_V6))
			return err_set(
				EINVAL,
				"some of these servers have IPv6 addresses only; use one command for them and one for the others");
		request->six = family == IP_V6;
	}
	return rc;
}

/* Reads the files, and what they are to be. Exit status, with words. */
static int ovirt_policy_make(struct ovirt_policy_run *run)
{
	size_t i;
	int rc = 0;

	ovirt_policy_forget(run);
	for (i = 0; !rc && i < ARRAY_SIZE(paths); i++) {
		rc = place_read(run->host, paths[i], &run->before[i]);
		run->change.before[i] = run->before[i];
	}
	if (rc)
		return EXIT_UNKNOWN;
	rc = ovirt_change_make(&run->request, &run->change);
	if (!rc)
		return 0;
	if (rc == -EINVAL || rc == -E2BIG)
		return EXIT_USAGE;
	if (rc == -EPERM && run->request.sections == NFS_UTILS_UNKNOWN)
		return EXIT_UNKNOWN;
	return rc == -EPERM || rc == -EBADMSG || rc == -ENOENT ? EXIT_FAILED : EXIT_UNKNOWN;
}

/* Read again under the lock: its last holder may have changed them. */
static int ovirt_policy_write(struct ovirt_policy_run *run)
{
	struct setup_lock lock;
	int status = setup_lock_take(&lock, run->host, true, deadline_in(LOCK_MS)) ? EXIT_UNKNOWN
										   : 0;
	size_t i;

	/* Left by a process that was killed there. */
	for (i = 0; !status && i < ARRAY_SIZE(paths); i++)
		place_tidy(run->host, paths[i]);
	if (!status)
		status = ovirt_policy_make(run);
	if (!status && ovirt_policy_write_files(run))
		status = EXIT_UNKNOWN;
	setup_lock_drop(&lock);
	return status;
}

static int ovirt_policy_run(struct ovirt_policy_run *run)
{
	const struct cmd_ovirt_options *options = run->options;
	int status, rc = ovirt_policy_add_domains(run);
	bool any;

	if (rc)
		return cli_error(&options->cli, rc == -EINVAL ? EXIT_USAGE : EXIT_UNKNOWN, "%s",
				 err_text());
	run->request.host = run->host;
	run->request.domains = run->domains;
	run->request.remove = options->remove;
	run->request.guard_only = options->guard_only;
	run->request.port = options->port ? options->port : NFS_RDMA_PORT;
	run->request.options = options->mount_options;
	status = ovirt_policy_nfs_utils(run) ? EXIT_UNKNOWN : ovirt_policy_make(run);
	any = !status && (ovirt_policy_is_changed(run, OVIRT_NFSMOUNT) ||
			  ovirt_policy_is_changed(run, OVIRT_GUARD));
	if (any && !options->dry_run)
		status = ovirt_policy_write(run);
	if (status)
		return cli_error(&options->cli, status, "%s; nothing was changed", err_text());
	return ovirt_policy_print(run, any);
}

int cmd_ovirt_policy(const struct cmd_ovirt_options *options)
{
	_cleanup_(host_close_p) struct host *host = NULL;
	_cleanup_free_ struct ovirt_policy_run *run = calloc(1, sizeof(*run));
	int status;

	if (ovirt_policy_check_options(options))
		return cli_usage(&options->cli);
	if (!run)
		return cli_error(&options->cli, EXIT_UNKNOWN, "no memory");
	status = cli_open_writable(&options->cli, options->dry_run, &host);
	if (status)
		return status;
	run->options = options;
	run->host = host;
	status = ovirt_policy_run(run);
	ovirt_policy_forget(run);
	return status;
}
