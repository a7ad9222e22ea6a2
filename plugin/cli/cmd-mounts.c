/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* nfsrdma mounts: every NFS mount with its requested and actual transport. On a running system it
 * looks twice and asks every mount for an answer in between, so that connections that were closed
 * for idleness are open when they are judged, and counters that rise are seen. */
#include "plugin/cli/options.h"
#include "plugin/libvirt/libvirt.h"

/* Of the whole time, for the second look and the report. */
#define RESERVE_MS 250

struct cmd_mounts_readings {
	struct nfs_mounts before;
	struct mount_answer *answers;
	struct view_places pools;
	char pools_unknown[ERR_TEXT_MAX];
	struct view *now;
};

static void cmd_mounts_readings_fini(struct cmd_mounts_readings *readings)
{
	host_nfs_mounts_fini(&readings->before);
	view_close(readings->now);
	view_places_fini(&readings->pools);
	free(readings->answers);
}

static int cmd_mounts_read(const struct host *host, uint64_t deadline,
			   struct cmd_mounts_readings *readings)
{
	struct view_sources sources = { .host = host, .pools = &readings->pools };
	int rc = host_is_live(host) ? host_nfs_mounts(host, &readings->before) : 0;

	if (!rc && readings->before.count)
		rc = live_mounts(&readings->before, deadline, &readings->answers);
	if (rc)
		return rc;
	/* libvirt is not asked: its files say what the gates go by. */
	sources.pools_unknown = pool_places_gap(host, &readings->pools, readings->pools_unknown);
	sources.now = now_ms();
	rc = view_open(&readings->now, &sources);
	if (!rc && host_is_live(host) && !geteuid())
		view_settle(readings->now, "/");
	return rc;
}

/* --- the table ------------------------------------------------------------------------------- */

static const char *const cmd_mounts_heads[] = { "requested", "actual", "NFS",    "port",
						"answer",    "mount",  "source", NULL };

static int cmd_mounts_row(struct report *report, const struct mount_verdict *verdict)
{
	const struct mount_answer *answer = verdict->answer;
	const struct nfs_mount *mount = verdict->mount;
	char port[16] = "-", answered[32] = "", actual[40];
	enum view_asked transport = verdict->view->wanted.asked;
	enum finding_status status = mounts_status(verdict);
	/* Why a row is skipped. */
	bool above = verdict->opinions[MOUNT_TRANSPORT].because != NULL;
	const char *cells[] = { transport > ASKED_ANY ? view_asked_name(transport) : "-",
				actual,
				mount->vers,
				port,
				answered,
				mount->target,
				mount->fs_spec,
				NULL };

	snprintf(actual, sizeof(actual), "%s%s", view_run_name(mount),
		 verdict->proven          ? ", proven"
		 : status != FINDING_SKIP ? ""
		 : verdict->view->covered ? ", mounted over"
		 : above                  ? ", as above"
					  : "");
	if (mount->port)
		snprintf(port, sizeof(port), "%u", mount->port);
	if (answer && answer->state == MOUNT_ANSWERED)
		snprintf(answered, sizeof(answered), "%.1f ms", answer->ms);
	else if (answer)
		snprintf(answered, sizeof(answered), "%s",
			 answer->state == MOUNT_NO_ANSWER ? "none"
			 : answer->state == MOUNT_REFUSED ? "error"
							  : "-");
	return report_row(report, status, cells);
}

/* Rows are counted first, then added: all of them in the order of mounting, or, where there is no
 * room for all, those that need attention and then others. */
struct cmd_mounts_pass {
	struct report *report;
	bool asked;
	const struct check_target *of;
	enum { TABLE_COUNT, TABLE_ALL, TABLE_CARE, TABLE_GOOD } pass;
	unsigned int count, room;
	int rc;
};

/* Whether it has a row in this pass; takes its room. */
static bool cmd_mounts_has_row(struct cmd_mounts_pass *table, enum finding_status status,
			       const char *source, const char *address)
{
	bool care = status != FINDING_PASS && status != FINDING_SKIP;

	if (table->rc || (table->of && !check_target_has(table->of, source, address)))
		return false;
	table->count += table->pass == TABLE_COUNT;
	if (table->pass == TABLE_COUNT || !table->room || (table->pass == TABLE_CARE && !care) ||
	    (table->pass == TABLE_GOOD && care))
		return false;
	table->room--;
	return true;
}

static void cmd_mounts_add_missing(void *arg, const struct mount_missing *missing)
{
	const char *source = missing->dir->place->fs_spec;
	struct cmd_mounts_pass *table = arg;
	const char *cells[] = { "rdma",
				missing->status == FINDING_SKIP ? "not mounted yet" : "not mounted",
				"-",
				"-",
				table->asked ? "-" : "",
				missing->dir->path,
				source ? source : "-",
				NULL };

	if (cmd_mounts_has_row(table, missing->status, source, NULL))
		table->rc = report_row(table->report, missing->status, cells);
}

static void cmd_mounts_add_rows(struct cmd_mounts_pass *table, const struct mounts_seen *seen,
				const struct mount_verdict *verdicts)
{
	unsigned int i, count = view_nfs(seen->view)->count;

	for (i = 0; i < count; i++)
		if (cmd_mounts_has_row(table, mounts_status(&verdicts[i]),
				       verdicts[i].mount->fs_spec, verdicts[i].mount->addr))
			table->rc = cmd_mounts_row(table->report, &verdicts[i]);
	mounts_missing(seen->view, cmd_mounts_add_missing, table);
}

int cmd_mounts_table(struct report *report, const struct mounts_seen *seen,
		     const struct mount_verdict *verdicts, struct mounts_rows rows)
{
	struct cmd_mounts_pass table = {
		.report = report, .asked = seen->answers, .of = rows.of, .pass = TABLE_COUNT
	};

	cmd_mounts_add_rows(&table, seen, verdicts);
	if (!table.count)
		return 0;
	table.rc = report_columns(report, cmd_mounts_heads, 2);
	if (rows.show)
		report_show(report, rows.show);
	table.room = rows.max ? rows.max : table.count;
	table.pass = table.room >= table.count ? TABLE_ALL : TABLE_CARE;
	cmd_mounts_add_rows(&table, seen, verdicts);
	if (table.pass == TABLE_CARE) {
		table.pass = TABLE_GOOD;
		cmd_mounts_add_rows(&table, seen, verdicts);
	}
	return table.rc;
}

/* --- metrics
 * ------------------------------------------------------------------------------------ */

static bool cmd_mounts_is_of(const void *target, const struct nfs_mount *mount)
{
	return check_target_has(target, mount->fs_spec, mount->addr);
}

void cmd_mounts_metrics(struct report *report, const struct host *host,
			const struct mounts_seen *seen, const struct mount_verdict *verdicts,
			const struct check_target *of)
{
	struct mounts_measured measured = {
		.seen = seen,
		.verdicts = verdicts,
		.has = of ? cmd_mounts_is_of : NULL,
		.arg = of,
	};

	mounts_metrics_of(host, &measured, report);
}

int cmd_mounts_of(struct report *report, const struct host *host, const struct check_target *of,
		  bool table)
{
	_cleanup_(view_places_fini) struct view_places pools = { .count = 0 };
	_cleanup_(view_close_p) struct view *view = NULL;
	_cleanup_free_ struct mount_verdict *verdicts = NULL;
	char gap[ERR_TEXT_MAX];
	const struct view_sources sources = {
		.host = host,
		.pools = &pools,
		.pools_unknown = pool_places_gap(host, &pools, gap),
		.now = now_ms(),
	};
	struct mounts_seen seen;
	int rc = view_open(&view, &sources);

	if (rc)
		return rc == -ENOMEM ? rc : 0;
	seen = (struct mounts_seen){ .view = view };
	rc = mounts_audit(&seen, &verdicts);
	if (rc)
		return rc;
	cmd_mounts_metrics(report, host, &seen, verdicts, of);
	return table ? cmd_mounts_table(report, &seen, verdicts, (struct mounts_rows){ .of = of })
		     : 0;
}

/* --- the report
 * -------------------------------------------------------------------------------- */

static int cmd_mounts_fill(struct report *report, const struct host *host,
			   const struct cmd_mounts_readings *readings,
			   const struct report_shown *show)
{
	const struct mounts_seen seen = {
		.view = readings->now,
		.before = readings->answers ? &readings->before : NULL,
		.answers = readings->answers,
	};
	_cleanup_free_ struct mount_verdict *verdicts = NULL;
	struct report_collector collector = { report, 0 };
	int rc = mounts_audit(&seen, &verdicts);

	if (!rc)
		rc = cmd_mounts_table(report, &seen, verdicts,
				      (struct mounts_rows){ .show = show });
	if (rc)
		return rc;
	mounts_findings(&seen, verdicts, report_collect, &collector);
	cmd_mounts_metrics(report, host, &seen, verdicts, NULL);
	return collector.rc;
}

/* A guest that starts unguarded may be on any of these mounts. Said only where it is not well. */
static int cmd_mounts_hook(struct report *report, const struct host *host)
{
	_cleanup_(finding_fini) struct finding finding = { 0 };

	if (libvirt_hook_find(host, &live_system, &finding) || finding.status != FINDING_WARN)
		return 0;
	return report_add(report, &finding);
}

int cmd_mounts_unknown(struct report *report)
{
	_cleanup_(finding_fini) struct finding finding = { 0 };

	finding_init(&finding, "mount.list", FINDING_UNKNOWN, "%s", err_text());
	finding_reason(&finding, *err_reason() ? err_reason() : "unreadable");
	return report_add(report, &finding);
}

struct cmd_mounts_options {
	struct cli cli;
	struct report_shown show;
};

static int cmd_mounts_choose(const char *names, void *shown)
{
	return report_choose(cmd_mounts_heads, names, shown);
}

static const struct cli_option cmd_mounts_options[] = {
	OPTION_VALUE(
		"columns", "LIST", struct cmd_mounts_options, show,
		"The columns of the table, in this order, with commas: requested, actual, nfs, port, answer, mount, source (default: all that have a value).",
		.letter = 'o', .parse = cmd_mounts_choose),
	OPTION_ROOT_READ,
	OPTION_FORMAT,
	OPTION_TIMEOUT(TIMEOUT_COMMAND("5")),
	OPTIONS_REPORT,
	OPTIONS_END,
};

static int cmd_mounts_run(void *arg)
{
	const struct cmd_mounts_options *options = arg;
	const struct cli *cli = &options->cli;
	_cleanup_(report_free_p) struct report *report = report_new("mounts");
	_cleanup_(host_close_p) struct host *host = NULL;
	_cleanup_(cmd_mounts_readings_fini) struct cmd_mounts_readings readings = { 0 };
	int rc = cli_open_host(cli, &host);

	if (rc)
		return rc;
	if (!report)
		return cli_error(cli, EXIT_UNKNOWN, "no memory for the report");
	rc = cmd_mounts_read(host, deadline_in(cli->timeout_ms - RESERVE_MS), &readings);
	rc = rc ? cmd_mounts_unknown(report)
		: cmd_mounts_fill(report, host, &readings, &options->show);
	rc = rc || !host_is_live(host) ? rc : cmd_mounts_hook(report, host);
	output_end(cli, report, rc);
	return output_report(cli, report, host);
}

const struct cli_command cmd_mounts = {
	.name = "mounts",
	.synopsis = "[OPTION...]",
	.summary = "List NFS mounts with their requested and actual transport.",
	.details =
		"Finds mounts that request RDMA and are mounted over TCP, which nothing else "
		"reports. A separate process asks each mount for an answer, so that a silent server "
		"does not delay the command beyond its time.",
	.options = cmd_mounts_options,
	.size = sizeof(struct cmd_mounts_options),
	.timeout_ms = 5000,
	.working = "waiting for mounts to answer",
	.run = cmd_mounts_run,
};
