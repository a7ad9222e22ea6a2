/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* nfsrdma status: one page about this host. Facts (status.c), the table of mounts, and of the checks and
 * of the audit of mounts those findings that need care: they are the same as in `nfsrdma check` and
 * `nfsrdma mounts`, so the verdict is never better than theirs. No server is contacted, so a mount
 * counts as proven where a record says so that the mount helper or the watcher wrote in the last minute. */
#include "plugin/cli/status.h"
#include "plugin/record/record.h"

#define TIMEOUT_MS 5000
/* For the page; all of them are in JSON, and in `nfsrdma mounts`. */
#define ROWS_MAX 12

/* Whose finding is a fact about this host, good or not. */
static bool is_fact(const struct status *status, const char *id)
{
	return (status->platform.libvirt && !strcmp(id, "platform.libvirt-hook")) ||
	       (status->platform.vdsm && !strcmp(id, "platform.vdsm"));
}

/* --- checks ---------------------------------------------------------------------------------- */

struct status_checks {
	struct status *status;
	unsigned int passed, skipped, others;
};

static void on_check(void *arg, const struct finding *finding)
{
	struct status_checks *checks = arg;
	_cleanup_free_ struct finding *fact = NULL;

	checks->passed += finding->status == FINDING_PASS;
	checks->skipped += finding->status == FINDING_SKIP;
	if (finding->status != FINDING_PASS && finding->status != FINDING_SKIP) {
		checks->others++;
		report_collect(&checks->status->collector, finding);
		return;
	}
	if (!is_fact(checks->status, finding->id))
		return;
	fact = malloc(sizeof(*fact));
	if (!fact)
		return;
	*fact = *finding;
	finding_text(fact, "fact", "yes");
	report_collect(&checks->status->collector, fact);
}

/* All but those of mounts: status has a finding for each mount. */
static void choose_checks(const struct check *out[CHECKS_MAX + 1])
{
	const struct check *const *check;
	size_t n = 0;

	for (check = check_table; *check && n < CHECKS_MAX; check++)
		if (strncmp((*check)->id, "mount.", strlen("mount.")) != 0)
			out[n++] = *check;
	out[n] = NULL;
}

static int run_checks(struct status *status, const struct cli_options *options)
{
	const struct check *table[CHECKS_MAX + 1];
	struct status_checks checks = { .status = status };
	struct check_target target = { .port = options->port, .pools = pool_places_gap };
	struct finding *finding = &status->finding;
	int rc;

	target.roles = checks_roles(status->host);
	choose_checks(table);
	rc = checks_run(table, status->host,
			host_is_live(status->host) ? &live_system : &live_replay, &target,
			status->deadline, on_check, &checks);
	if (rc)
		return rc;
	finding_init(finding, "status.checks", FINDING_PASS,
		     "%u passed, %u %s care, %u not applicable%s", checks.passed,
		     checks.others, checks.others == 1 ? "needs" : "need", checks.skipped,
		     checks.others ? "; 'nfsrdma check' has the steps" : "");
	finding_text(finding, "fact", "yes");
	finding_number(finding, "passed", checks.passed);
	finding_number(finding, "need_care", checks.others);
	finding_number(finding, "skipped", checks.skipped);
	report_collect(&status->collector, finding);
	return 0;
}

/* --- mounts ---------------------------------------------------------------------------------- */

/* Those that need care; of good ones what says which mounts there are. */
static void on_mount(void *arg, const struct finding *finding)
{
	struct status *status = arg;
	bool care = finding->status != FINDING_PASS && finding->status != FINDING_SKIP;

	/* Said by the check of that name, which knows the kernel's version as well. */
	if (!strcmp(finding->id, "bug.read-812"))
		return;
	if (care || !strcmp(finding->id, "mount.list") ||
	    !strcmp(finding->id, "mount.transport"))
		report_collect(&status->collector, finding);
}

static bool is_recorded(const struct view *view, const struct nfs_mount *mount,
			uint64_t now)
{
	const struct record_list *records = view_records(view);
	struct record record;

	return records &&
	       !record_list_find(records, view_boot_id(view), mount, now,
				 2 * RECORD_PERIOD_MS, &record) &&
	       record.state == RECORD_PROVEN;
}

static int add_mounts(struct status *status, uint64_t now)
{
	const struct mounts_seen seen = { .view = status->view };
	_cleanup_free_ struct mount_verdict *verdicts = NULL;
	unsigned int i;
	int rc;

	if (!status->view)
		return cmd_mounts_unknown(status->collector.report);
	rc = mounts_audit(&seen, &verdicts);
	for (i = 0; !rc && i < view_nfs(status->view)->count; i++)
		verdicts[i].proven = view_run_is_rdma(verdicts[i].view->run) &&
				     is_recorded(status->view, verdicts[i].mount, now);
	rc = rc ? rc
		: cmd_mounts_table(status->collector.report, &seen, verdicts,
				   (struct mounts_rows){ .max = ROWS_MAX });
	if (rc)
		return rc;
	mounts_findings(&seen, verdicts, on_mount, status);
	cmd_mounts_metrics(status->collector.report, status->host, &seen, verdicts, NULL);
	return 0;
}

/* --- all ------------------------------------------------------------------------------------- */

/* Mounts that cannot be read are a finding, and the rest goes on. */
static void open_view(struct status *status, uint64_t now)
{
	struct view_sources sources = { .host = status->host,
					.pools = &status->pools,
					.now = now };

	status->pools_rc = pool_places(status->host, &status->pools,
				       status->pools_skipped);
	if (status->pools_rc)
		text_copy(status->pools_skipped, sizeof(status->pools_skipped),
			  err_text());
	if (*status->pools_skipped)
		sources.pools_unknown = status->pools_skipped;
	if (host_platform(status->host, &status->platform))
		status->platform = (struct host_platform){ .libvirt = false };
	err_clear();
	if (view_open(&status->view, &sources))
		status->view = NULL;
}

static int fill(struct status *status, const struct cli_options *options)
{
	uint64_t now = now_ms();
	int rc;

	open_view(status, now);
	/* Its words are those of the view that could not be opened. */
	if (!status->view)
		rc = add_mounts(status, now);
	else
		rc = 0;
	status_facts(status);
	rc = rc ? rc : run_checks(status, options);
	if (status->view)
		rc = rc ? rc : add_mounts(status, now);
	return rc ? rc : status->collector.rc;
}

static void status_fini_p(struct status **status)
{
	if (!*status)
		return;
	view_close((*status)->view);
	view_places_fini(&(*status)->pools);
	free(*status);
}

static int cmd_status_run(struct cli_options *options)
{
	_cleanup_(report_free_p) struct report *report = report_new("status");
	_cleanup_(status_fini_p) struct status *status = calloc(1, sizeof(*status));
	_cleanup_(host_close_p) struct host *host = NULL;
	uint64_t start = now_ns();
	time_t started = time(NULL);

	if (host_open(&host, options->root)) {
		err_context(-EINVAL, "--root");
		return cli_usage(options);
	}
	if (!report || !status)
		return cli_error(options, EXIT_UNKNOWN, "no memory for the report");
	status->host = host;
	status->deadline = deadline_in(options->timeout_ms);
	status->collector.report = report;
	options->terse = !options->verbose;
	if (fill(status, options)) {
		report_cut(report);
		cli_error(options, EXIT_UNKNOWN, "%s", err_text());
	}
	report_times(report, started, (double)(now_ns() - start) / 1e6);
	return output_report(options, report, host);
}

const struct cli_command cmd_status = {
	.name = "status",
	.bit = CLI_STATUS,
	.synopsis = "[OPTION...]",
	.summary = "Show this host's RDMA ports, mounts, pools, guests and watcher.",
	.details =
		"Shows one page about this host: its RDMA ports, whether its NFS server listens, "
		"each mount with its requested and actual transport, libvirt's pools and guests, "
		"the watcher, and the last loss. What fails, warns or is unknown in 'nfsrdma "
		"check' and 'nfsrdma mounts' does so here, too, in one line each. No server is "
		"contacted and nothing is changed.",
	.timeout_ms = TIMEOUT_MS,
	.working = "reading the state of this host",
	.run = cmd_status_run,
};
