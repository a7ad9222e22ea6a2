/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* nfsrdma status: one page about this host. Facts (status.c), the table of mounts, and of the
 * checks and of the audit of mounts those findings that need attention: they are the same as in
 * `nfsrdma check` and `nfsrdma mounts`, so the verdict is never better than theirs. No server is
 * contacted. */
#include "plugin/cli/status.h"

/* For the page; all of them are in JSON, and in `nfsrdma mounts`. */
#define ROWS_MAX 12

/* --- checks ---------------------------------------------------------------------------------- */

struct status_checks {
	struct status_page *status;
	struct report_collector all; /* what 'nfsrdma check' would report */
};

static void cmd_status_on_check(void *arg, const struct finding *finding)
{
	struct status_checks *checks = arg;
	const struct host_platform *platform = &checks->status->platform;
	_cleanup_(finding_fini) struct finding fact = { 0 };

	report_collect(&checks->all, finding);
	/* The page has a finding for each mount. */
	if (!strncmp(finding->id, "mount.", strlen("mount.")))
		return;
	if (finding->status != FINDING_PASS && finding->status != FINDING_SKIP) {
		report_collect(&checks->status->collector, finding);
		return;
	}
	/* These are facts about this host, good or not. */
	if (!(platform->libvirt && !strcmp(finding->id, "platform.libvirt-hook")) &&
	    !(platform->vdsm && !strcmp(finding->id, "platform.vdsm")))
		return;
	finding_copy(&fact, finding);
	finding_text(&fact, "fact", "yes");
	report_collect(&checks->status->collector, &fact);
}

static int cmd_status_checks(struct status_page *status)
{
	_cleanup_(report_free_p) struct report *all = report_new("check");
	struct status_checks checks = { .status = status, .all.report = all };
	struct check_target target = { .port = NFS_RDMA_PORT, .pools = pool_places_gap };
	struct finding *finding = &status->finding;
	char counts[160];
	unsigned int i;
	bool bad = false;
	int rc;

	if (!all)
		return err_no_memory();
	target.roles = checks_roles(status->host);
	rc = checks_run(check_table, status->host,
			host_is_live(status->host) ? &live_system : &live_replay, &target,
			status->deadline, cmd_status_on_check, &checks);
	if (!rc)
		rc = checks.all.rc;
	if (rc)
		return rc;
	finding_init(finding, "status.checks",
		     report_count(all, FINDING_PASS) ? FINDING_PASS : FINDING_SKIP, "%s", "");
	finding_text(finding, "fact", "yes");
	for (i = 0; i < FINDING_STATUS_COUNT; i++) {
		finding_number(finding, finding_status_name(i), report_count(all, i));
		bad |= i != FINDING_PASS && i != FINDING_SKIP && report_count(all, i);
	}
	snprintf(finding->summary, sizeof(finding->summary), "%s%s",
		 report_counts(all, counts, sizeof(counts)),
		 bad ? "; 'nfsrdma check' has the steps" : "");
	report_collect(&status->collector, finding);
	return 0;
}

/* --- mounts ---------------------------------------------------------------------------------- */

/* Those that need attention; of good ones what says which mounts there are. */
static void cmd_status_on_mount(void *arg, const struct finding *finding)
{
	struct status_page *status = arg;
	bool care = finding->status != FINDING_PASS && finding->status != FINDING_SKIP;

	/* Said by the check of that name, which knows the kernel's version as well. */
	if (!strcmp(finding->id, "bug.read-812"))
		return;
	if (care || !strcmp(finding->id, "mount.list") || !strcmp(finding->id, "mount.transport"))
		report_collect(&status->collector, finding);
}

static int cmd_status_mounts(struct status_page *status)
{
	const struct mounts_seen seen = { .view = status->view };
	_cleanup_free_ struct mount_verdict *verdicts = NULL;
	int rc;

	rc = mounts_audit(&seen, &verdicts);
	if (rc)
		return rc;
	rc = cmd_mounts_table(status->collector.report, &seen, verdicts,
			      (struct mounts_rows){ .max = ROWS_MAX });
	if (rc)
		return rc;
	mounts_findings(&seen, verdicts, cmd_status_on_mount, status);
	cmd_mounts_metrics(status->collector.report, status->host, &seen, verdicts, NULL);
	return 0;
}

/* --- all ------------------------------------------------------------------------------------- */

static int cmd_status_fill(struct status_page *status)
{
	struct view_sources sources = { .host = status->host,
					.pools = &status->pools,
					.now = now_ms() };
	int rc = 0;

	status->pools_rc = pool_places(status->host, &status->pools, status->pools_skipped);
	if (status->pools_rc)
		text_copy(status->pools_skipped, sizeof(status->pools_skipped), err_text());
	if (*status->pools_skipped)
		sources.pools_unknown = status->pools_skipped;
	if (host_platform(status->host, &status->platform))
		status->platform = (struct host_platform){ .libvirt = false };
	err_clear();
	/* Mounts that cannot be read are a finding, in the words of the view, and the rest goes
	 * on. */
	if (view_open(&status->view, &sources)) {
		status->view = NULL;
		rc = cmd_mounts_unknown(status->collector.report);
	}
	status_facts(status);
	if (!rc)
		rc = cmd_status_checks(status);
	if (!rc && status->view)
		rc = cmd_status_mounts(status);
	return rc ? rc : status->collector.rc;
}

static void cmd_status_free_p(struct status_page **status)
{
	if (!*status)
		return;
	view_close((*status)->view);
	view_places_fini(&(*status)->pools);
	finding_fini(&(*status)->finding);
	free(*status);
}

static const struct cli_option cmd_status_options[] = {
	OPTION_ROOT_READ, OPTION_FORMAT, OPTION_TIMEOUT(TIMEOUT_COMMAND("5")),
	OPTIONS_REPORT,   OPTIONS_END,
};

static int cmd_status_run(void *arg)
{
	struct cli *cli = arg;
	_cleanup_(report_free_p) struct report *report = report_new("status");
	_cleanup_(host_close_p) struct host *host = NULL;
	_cleanup_(cmd_status_free_p) struct status_page *status = calloc(1, sizeof(*status));
	int rc = cli_open_host(cli, &host);

	if (rc)
		return rc;
	if (!report || !status)
		return cli_error(cli, EXIT_UNKNOWN, "no memory for the report");
	status->host = host;
	status->deadline = deadline_in(cli->timeout_ms);
	status->collector.report = report;
	cli->terse = !cli->verbose;
	output_end(cli, report, cmd_status_fill(status));
	return output_report(cli, report, host);
}

const struct cli_command cmd_status = {
	.name = "status",
	.synopsis = "[OPTION...]",
	.summary = "Show this host's RDMA ports, mounts, pools, guests and watcher.",
	.details =
		"Shows one page about this host: its RDMA ports, whether its NFS server listens, "
		"each mount with its requested and actual transport, libvirt's pools and guests, "
		"the watcher, and the last loss. Findings of 'nfsrdma check' and 'nfsrdma mounts' "
		"that need attention are listed in one line each. No server is contacted and "
		"nothing is changed.",
	.options = cmd_status_options,
	.timeout_ms = 5000,
	.working = "reading the state of this host",
	.run = cmd_status_run,
};
