/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* nfsrdma mounts: every NFS mount with its requested and actual transport. On a running system it looks
 * twice and asks every mount for an answer in between, so that connections that were closed for
 * idleness are open when they are judged, and counters that rise are seen. */
#include "plugin/cli/cli.h"
#include "plugin/libvirt/libvirt.h"

#define TIMEOUT_MS 5000
/* Of the whole time, for the second look and the report. */
#define RESERVE_MS 250

struct looks {
	struct nfs_mounts before;
	struct mount_answer *answers;
	struct view_places pools;
	char pools_unknown[ERR_TEXT_MAX];
	struct view *now;
};

static void looks_fini(struct looks *looks)
{
	host_nfs_mounts_fini(&looks->before);
	view_close(looks->now);
	view_places_fini(&looks->pools);
	free(looks->answers);
}

static int look(const struct host *host, uint64_t deadline, struct looks *looks)
{
	struct view_sources sources = { .host = host, .pools = &looks->pools };
	int rc = host_is_live(host) ? host_nfs_mounts(host, &looks->before) : 0;

	if (!rc && looks->before.count)
		rc = live_wake(&looks->before, deadline, &looks->answers);
	if (rc)
		return rc;
	/* libvirt is not asked: its files say what the gates go by. */
	sources.pools_unknown = pool_places_gap(host, &looks->pools,
						looks->pools_unknown);
	sources.now = now_ms();
	return view_open(&looks->now, &sources);
}

/* --- the table ------------------------------------------------------------------------------- */

static const char *answer_cell(const struct mount_verdict *verdict, char buf[32])
{
	const struct mount_answer *answer = verdict->answer;

	if (!answer)
		return "-";
	if (answer->state == MOUNT_ANSWERED)
		snprintf(buf, 32, "%.1f ms", answer->ms);
	else
		snprintf(buf, 32, "%s",
			 answer->state == MOUNT_SILENT    ? "none"
			 : answer->state == MOUNT_REFUSED ? "error"
							  : "-");
	return buf;
}

static const char *effective_cell(const struct mount_verdict *verdict, char buf[40])
{
	snprintf(buf, 40, "%s%s", view_run_name(verdict->mount),
		 verdict->proven ? ", proven" : "");
	return buf;
}

#define COLUMN_ANSWER 4

/* A column that nothing is in is left out. */
static const char *const *without_answer(const char **cells, bool asked)
{
	unsigned int i;

	for (i = COLUMN_ANSWER; !asked && cells[i]; i++)
		cells[i] = cells[i + 1];
	return cells;
}

static int add_row(struct report *report, const struct mount_verdict *verdict, bool asked)
{
	const struct nfs_mount *mount = verdict->mount;
	char port[16] = "-", answer[32], effective[40];
	enum view_asked transport = verdict->view->wanted.asked;
	const char *cells[] = { transport > ASKED_ANY ? view_asked_name(transport) : "-",
				effective_cell(verdict, effective),
				mount->vers,
				port,
				answer_cell(verdict, answer),
				mount->target,
				mount->fs_spec,
				NULL };

	if (mount->port)
		snprintf(port, sizeof(port), "%u", mount->port);
	return report_row(report, mounts_status(verdict), without_answer(cells, asked));
}

/* Rows are counted first, then added: all of them in the order of mounting, or, where there is no room for
 * all, those that need care and then others. */
struct table {
	struct report *report;
	bool asked;
	const struct check_target *of;
	enum { TABLE_COUNT, TABLE_ALL, TABLE_CARE, TABLE_GOOD } pass;
	unsigned int count, room;
	int rc;
};

/* Whether it has a row in this pass; takes its room. */
static bool has_row(struct table *table, enum finding_status status, const char *source,
		    const char *address)
{
	bool care = status != FINDING_PASS && status != FINDING_SKIP;

	if (table->rc || (table->of && !check_target_has(table->of, source, address)))
		return false;
	table->count += table->pass == TABLE_COUNT;
	if (table->pass == TABLE_COUNT || !table->room ||
	    (table->pass == TABLE_CARE && !care) || (table->pass == TABLE_GOOD && care))
		return false;
	table->room--;
	return true;
}

static void add_missing(void *arg, const struct mount_missing *missing)
{
	const char *source = missing->dir->place->fs_spec;
	struct table *table = arg;
	const char *cells[] = { "rdma",
				"not mounted",
				"-",
				"-",
				"-",
				missing->dir->path,
				source ? source : "-",
				NULL };

	if (has_row(table, missing->status, source, NULL))
		table->rc = report_row(table->report, missing->status,
				       without_answer(cells, table->asked));
}

static void add_rows(struct table *table, const struct mounts_seen *seen,
		     const struct mount_verdict *verdicts)
{
	unsigned int i, count = view_nfs(seen->view)->count;

	for (i = 0; i < count; i++)
		if (has_row(table, mounts_status(&verdicts[i]),
			    verdicts[i].mount->fs_spec, verdicts[i].mount->addr))
			table->rc = add_row(table->report, &verdicts[i], table->asked);
	mounts_missing(seen->view, add_missing, table);
}

int cmd_mounts_table(struct report *report, const struct mounts_seen *seen,
		     const struct mount_verdict *verdicts, struct mounts_rows rows)
{
	const char *heads[] = { "requested", "actual", "NFS",    "port",
				"answer",    "mount",  "source", NULL };
	struct table table = { .report = report,
			       .asked = seen->answers,
			       .of = rows.of,
			       .pass = TABLE_COUNT };

	add_rows(&table, seen, verdicts);
	if (!table.count)
		return 0;
	table.rc = report_columns(report, without_answer(heads, seen->answers), 2);
	table.room = rows.max ? rows.max : table.count;
	table.pass = table.room >= table.count ? TABLE_ALL : TABLE_CARE;
	add_rows(&table, seen, verdicts);
	if (table.pass == TABLE_CARE) {
		table.pass = TABLE_GOOD;
		add_rows(&table, seen, verdicts);
	}
	return table.rc;
}

/* --- metrics ------------------------------------------------------------------------------------ */

static bool is_of_target(const void *target, const struct nfs_mount *mount)
{
	return check_target_has(target, mount->fs_spec, mount->addr);
}

void cmd_mounts_metrics(struct report *report, const struct host *host,
			const struct mounts_seen *seen,
			const struct mount_verdict *verdicts,
			const struct check_target *of)
{
	struct mounts_measured measured = {
		.seen = seen,
		.verdicts = verdicts,
		.has = of ? is_of_target : NULL,
		.arg = of,
	};
	struct host_system system;

	if (!host_system(host, &system))
		measured.system = &system;
	mounts_metrics(&measured, report);
}

int cmd_mounts_of(struct report *report, const struct host *host,
		  const struct check_target *of, bool table)
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
	return table ? cmd_mounts_table(report, &seen, verdicts,
					(struct mounts_rows){ .of = of })
		     : 0;
}

/* --- the report -------------------------------------------------------------------------------- */

static int fill_report(struct report *report, const struct host *host,
		       const struct looks *looks)
{
	const struct mounts_seen seen = {
		.view = looks->now,
		.before = looks->answers ? &looks->before : NULL,
		.answers = looks->answers,
	};
	_cleanup_free_ struct mount_verdict *verdicts = NULL;
	struct report_collector collector = { report, 0 };
	int rc = mounts_audit(&seen, &verdicts);

	rc = rc ? rc
		: cmd_mounts_table(report, &seen, verdicts,
				   (struct mounts_rows){ .max = 0 });
	if (rc)
		return rc;
	mounts_findings(&seen, verdicts, report_collect, &collector);
	cmd_mounts_metrics(report, host, &seen, verdicts, NULL);
	return collector.rc;
}

/* A guest that starts unguarded may be on any of these mounts. Said only where it is not well. */
static int add_hook(struct report *report, const struct host *host)
{
	_cleanup_free_ struct finding *finding = calloc(1, sizeof(*finding));

	if (!finding)
		return err_set(ENOMEM, "no memory");
	if (libvirt_hook_find(host, &live_system, finding) ||
	    finding->status != FINDING_WARN)
		return 0;
	return report_add(report, finding);
}

int cmd_mounts_unknown(struct report *report)
{
	_cleanup_free_ struct finding *finding = calloc(1, sizeof(*finding));

	if (!finding)
		return err_set(ENOMEM, "no memory");
	finding_init(finding, "mount.list", FINDING_UNKNOWN, "%s", err_text());
	finding_reason(finding, *err_reason() ? err_reason() : "unreadable");
	return report_add(report, finding);
}

static int cmd_mounts_run(struct cli_options *options)
{
	_cleanup_(report_free_p) struct report *report = report_new("mounts");
	_cleanup_(looks_fini) struct looks looks = { 0 };
	_cleanup_(host_close_p) struct host *host = NULL;
	uint64_t start = now_ns();
	time_t started = time(NULL);
	int rc;

	if (host_open(&host, options->root)) {
		err_context(-EINVAL, "--root");
		return cli_usage(options);
	}
	if (!report)
		return cli_error(options, EXIT_UNKNOWN, "no memory for the report");
	rc = look(host, deadline_in(options->timeout_ms - RESERVE_MS), &looks);
	rc = rc ? cmd_mounts_unknown(report) : fill_report(report, host, &looks);
	rc = rc || !host_is_live(host) ? rc : add_hook(report, host);
	if (rc) {
		report_cut(report);
		cli_error(options, EXIT_UNKNOWN, "%s", err_text());
	}
	report_times(report, started, (double)(now_ns() - start) / 1e6);
	return output_report(options, report, host);
}

const struct cli_command cmd_mounts = {
	.name = "mounts",
	.bit = CLI_MOUNTS,
	.synopsis = "[OPTION...]",
	.summary = "List NFS mounts with their requested and actual transport.",
	.details =
		"Finds mounts that request RDMA and are mounted over TCP, which nothing else "
		"reports. A separate process asks each mount for an answer, so that a silent server "
		"does not delay the command beyond its time.",
	.timeout_ms = TIMEOUT_MS,
	.working = "waiting for mounts to answer",
	.run = cmd_mounts_run,
};
