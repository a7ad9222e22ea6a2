/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Verdicts as findings, for `nfsrdma mounts`: pure. Transport and counters have a finding
 * for each mount, so that a metrics collector has its series. The other aspects have one
 * finding for all good mounts, and one for each mount that needs attention. A host may have
 * thousands of mounts and a report is bounded, so bad ones come first. */
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>

#include "plugin/mounts/internal.h"

/* Limit of mounts with a finding of their own, for one aspect. */
#define FINDINGS_MAX 250

struct mounts_findings_run {
	const struct mounts_seen *seen;
	const struct mount_verdict *verdicts;
	finding_sink sink;
	void *arg;
	struct finding finding; /* being filled in */
};

/* --- evidence ------------------------------------------------------------------------------ */

static void mounts_findings_transport(struct finding *finding, const struct mount_verdict *verdict)
{
	const struct view_wanted *wanted = &verdict->view->wanted;
	const struct nfs_mount *mount = verdict->mount;
	bool silent = verdict->answer && verdict->answer->state == MOUNT_NO_ANSWER;

	finding_text(finding, "wanted", "%s", view_asked_name(wanted->asked));
	finding_text(finding, "wanted_source", "%s", view_by_name(wanted->by));
	finding_text(finding, "binds", "%s", view_binds_name(wanted));
	finding_text(finding, "state", "%s",
		     silent                            ? "silent"
		     : verdict->view->run == RUN_OTHER ? mount->proto
		     : verdict->proven                 ? "proven"
						       : "unproven");
	if (mount->port)
		finding_number(finding, "port", mount->port);
	finding_number(finding, "mount_id", mount->id);
	if (verdict->answer && verdict->answer->state == MOUNT_ANSWERED)
		finding_number(finding, "answer_ms", verdict->answer->ms);
	if (verdict->answer && verdict->answer->left)
		finding_number(finding, "left_process", verdict->answer->left);
	finding_number(finding, "age_s", (double)mount->age);
	finding_number(finding, "connections", mount->nxprts);
	finding_text(finding, "options", "%s", mount->options);
	if (*mount->asked)
		finding_text(finding, "asked", "%s", mount->asked);
	if (*mount->fstab)
		finding_text(finding, "fstab", "%s", mount->fstab);
}

/* "connect_count 1, sends 1200" for each connection: all non-zero columns, by name. */
static void mounts_findings_xprts(struct finding *finding, const struct nfs_mount *mount)
{
	const struct nfs_xprt *xprt;
	unsigned int i, column;
	char key[32];

	for (i = 0; i < mount->nxprts; i++) {
		struct words words = { .separator = ", " };

		xprt = &mount->xprts[i];
		snprintf(key, sizeof(key), "connection_%u", i + 1);
		words_add(&words, "%s", xprt->proto);
		for (column = 0;
		     view_is_rdma(xprt->proto) && column < xprt->nvalues && column < XPRT_COLUMNS;
		     column++)
			if (xprt->values[column])
				words_add(&words, "%s %" PRIu64, xprt_columns[column].name,
					  xprt->values[column]);
		finding_text(finding, key, "%s", words_text(&words));
	}
}

/* All columns that the kernel prints, by name, including zeros. */
static void mounts_findings_counters(struct finding *finding, const struct mount_verdict *verdict)
{
	struct xprt_sum sum;
	unsigned int i;

	if (verdict->view->run != RUN_RDMA)
		return;
	mounts_sum(verdict->mount, &sum);
	finding_number(finding, "connections", sum.nxprts);
	for (i = 0; i < sum.ncolumns; i++)
		finding_number(finding, xprt_columns[i].name, (double)sum.values[i]);
}

/* --- one aspect ---------------------------------------------------------------------------- */

static void mounts_findings_one(struct mounts_findings_run *run,
				const struct mount_verdict *verdict, enum mount_aspect aspect)
{
	const struct mount_opinion *opinion = &verdict->opinions[aspect];
	struct finding *finding = &run->finding;

	finding_init(finding, mount_aspect_ids[aspect], opinion->status, "%s: %s",
		     verdict->mount->target, opinion->text);
	if (opinion->reason)
		finding_reason(finding, opinion->reason);
	if (opinion->note || opinion->because)
		finding_text(finding, "note", "yes");
	if (opinion->because)
		finding_text(finding, "because", "%s", opinion->because);
	mounts_names(finding, verdict, aspect);
	if (aspect == MOUNT_COUNTERS)
		mounts_findings_counters(finding, verdict);
	else if (aspect == MOUNT_READS)
		reads_evidence(finding, &verdict->mount->reads);
	else
		mounts_findings_transport(finding, verdict);
	if (aspect == MOUNT_TRANSPORT)
		mounts_findings_xprts(finding, verdict->mount);
	run->sink(run->arg, finding);
}

/* Mounts of a status beyond the bound of the report. */
static void mounts_findings_rest(struct mounts_findings_run *run, enum mount_aspect aspect,
				 enum finding_status status, unsigned int count)
{
	if (!count)
		return;
	finding_init(&run->finding,
		     aspect < MOUNT_ASPECTS ? mount_aspect_ids[aspect] : "mount.missing", status,
		     "%u more mount%s", count, count == 1 ? "" : "s");
	finding_number(&run->finding, "mounts", count);
	run->sink(run->arg, &run->finding);
}

/* One finding for each mount with this status. */
static void mounts_findings_each(struct mounts_findings_run *run, enum mount_aspect aspect,
				 enum finding_status status, bool noted, unsigned int *room)
{
	unsigned int i, rest = 0;

	for (i = 0; i < view_nfs(run->seen->view)->count; i++) {
		const struct mount_opinion *opinion = &run->verdicts[i].opinions[aspect];

		if (opinion->status != status || opinion->note < noted)
			continue;
		if (!*room) {
			rest++;
			continue;
		}
		--*room;
		mounts_findings_one(run, &run->verdicts[i], aspect);
	}
	mounts_findings_rest(run, aspect, status, rest);
}

static unsigned int mounts_findings_count(const struct mounts_findings_run *run,
					  enum mount_aspect aspect, enum finding_status status)
{
	unsigned int i, count = 0;

	for (i = 0; i < view_nfs(run->seen->view)->count; i++)
		count += run->verdicts[i].opinions[aspect].status == status &&
			 !run->verdicts[i].opinions[aspect].note;
	return count;
}

/* One finding for all good mounts of an aspect; or that it does not apply. */
static void mounts_findings_good(struct mounts_findings_run *run, enum mount_aspect aspect)
{
	static const struct {
		const char *good, *absent;
	} words[MOUNT_ASPECTS] = {
		[MOUNT_ANSWER] = { "all answer", "not asked" },
		[MOUNT_SUBMOUNT] = { "same transport as the mount above",
				     "no sub-mount and no referral" },
		[MOUNT_OPTIONS] = { "none hinders RDMA", "no mount is over RDMA" },
		[MOUNT_READS] = { "READs over RDMA are delivered whole",
				  "too few READs over RDMA for a verdict" },
	};
	unsigned int good = mounts_findings_count(run, aspect, FINDING_PASS);
	const struct mount_answer *answer;
	char slowest[64] = "";
	double ms = 0;
	unsigned int i;

	for (i = 0; i < view_nfs(run->seen->view)->count; i++) {
		answer = run->verdicts[i].answer;
		if (answer && answer->state == MOUNT_ANSWERED && answer->ms > ms)
			ms = answer->ms;
	}
	if (aspect == MOUNT_ANSWER && good)
		snprintf(slowest, sizeof(slowest), ", slowest in %.1f ms", ms);
	if (good)
		finding_init(&run->finding, mount_aspect_ids[aspect], FINDING_PASS,
			     "%s (%u mount%s)%s", words[aspect].good, good, good == 1 ? "" : "s",
			     slowest);
	else if (mounts_findings_count(run, aspect, FINDING_SKIP) ==
		 view_nfs(run->seen->view)->count)
		finding_init(&run->finding, mount_aspect_ids[aspect], FINDING_SKIP, "%s",
			     words[aspect].absent);
	else
		return;
	if (good)
		finding_number(&run->finding, "mounts", good);
	run->sink(run->arg, &run->finding);
}

static void mounts_findings_aspect(struct mounts_findings_run *run, enum mount_aspect aspect)
{
	static const enum finding_status bad[] = { FINDING_FAIL, FINDING_UNKNOWN, FINDING_WARN };
	bool each = aspect == MOUNT_TRANSPORT || aspect == MOUNT_COUNTERS;
	unsigned int i, room = FINDINGS_MAX;

	for (i = 0; i < ARRAY_SIZE(bad); i++)
		mounts_findings_each(run, aspect, bad[i], false, &room);
	mounts_findings_each(run, aspect, FINDING_PASS, !each, &room);
	if (aspect == MOUNT_TRANSPORT)
		mounts_findings_each(run, aspect, FINDING_SKIP, false, &room);
	if (!each)
		mounts_findings_good(run, aspect);
}

/* --- missing mounts ----------------------------------------------------------------- */

struct mounts_findings_missing {
	struct mounts_findings_run *run;
	unsigned int count, listed, later, more;
};

static void mounts_findings_on_missing(void *arg, const struct mount_missing *missing)
{
	struct mounts_findings_missing *m = arg;
	const struct view_wanted *wanted = &missing->dir->wanted;
	struct finding *finding = &m->run->finding;

	m->count++;
	if (missing->status == FINDING_SKIP)
		m->later++;
	if (m->listed == FINDINGS_MAX) {
		m->more++;
		return;
	}
	m->listed++;
	finding_init(finding, "mount.missing", missing->status, "%.200s: %s", missing->dir->path,
		     missing->text);
	if (missing->reason)
		finding_reason(finding, missing->reason);
	mounts_missing_names(finding, missing);
	finding_text(finding, "wanted", "%s", view_asked_name(wanted->asked));
	finding_text(finding, "wanted_source", "%s", view_by_name(wanted->by));
	finding_text(finding, "binds", "%s", view_binds_name(wanted));
	m->run->sink(m->run->arg, finding);
}

static void mounts_findings_count_missing(void *arg, const struct mount_missing *missing)
{
	*(unsigned int *)arg += missing->status == FINDING_FAIL;
}

/* --- all ---------------------------------------------------------------------------- */

static void mounts_findings_list(struct mounts_findings_run *run)
{
	const struct nfs_mounts *mounts = view_nfs(run->seen->view);
	struct finding *finding = &run->finding;
	const char *plural = mounts->count == 1 ? "" : "s";
	const char *lacks = view_lacks(run->seen->view);
	unsigned int rdma = 0, other = 0, missing = 0, i;
	char summary[160];

	for (i = 0; i < mounts->count; i++) {
		rdma += view_run_is_rdma(run->verdicts[i].view->run);
		other += run->verdicts[i].view->run == RUN_OTHER;
	}
	mounts_missing(run->seen->view, mounts_findings_count_missing, &missing);
	if (mounts->count)
		snprintf(summary, sizeof(summary),
			 "%u NFS mount%s: %u over RDMA, %u over TCP or UDP", mounts->count, plural,
			 rdma, other);
	else
		snprintf(summary, sizeof(summary), "this host has no NFS mount");
	if (missing)
		snprintf(summary + strlen(summary), 64, "; %u missing", missing);

	if (mounts->unreadable)
		finding_init(finding, "mount.list", FINDING_UNKNOWN,
			     "%u NFS mount%s, and %u more whose line in mountinfo is malformed",
			     mounts->count, plural, mounts->unreadable);
	else if (mounts->cut)
		finding_init(finding, "mount.list", FINDING_UNKNOWN,
			     "more than %u NFS mounts; the rest was ignored", mounts->count);
	else if (*mounts->fstab_unknown)
		finding_init(finding, "mount.list", FINDING_UNKNOWN,
			     "%u NFS mount%s, but fstab could not be read: %s", mounts->count,
			     plural, mounts->fstab_unknown);
	else
		finding_init(finding, "mount.list", FINDING_PASS, "%s%s%s", summary,
			     lacks ? "; requested transports are not all known: " : "",
			     lacks ? lacks : "");
	finding_reason(finding, mounts->unreadable       ? "malformed"
				: mounts->cut            ? "too-many"
				: *mounts->fstab_unknown ? "fstab"
							 : "");
	finding_number(finding, "mounts", mounts->count);
	finding_number(finding, "over_rdma", rdma);
	finding_number(finding, "over_others", other);
	if (!mounts->count || lacks)
		finding_text(finding, "note", "yes");
	if (lacks)
		finding_text(finding, "lacks", "%s", lacks);
	if (*mounts->fstab_unknown)
		finding_text(finding, "fstab_unknown", "%s", mounts->fstab_unknown);
	run->sink(run->arg, finding);
}

void mounts_findings(const struct mounts_seen *seen, const struct mount_verdict *verdicts,
		     finding_sink sink, void *arg)
{
	struct mounts_findings_run run = {
		.seen = seen, .verdicts = verdicts, .sink = sink, .arg = arg
	};
	struct mounts_findings_missing missing = { &run, 0, 0, 0, 0 };
	enum mount_aspect aspect;

	mounts_findings_list(&run);
	mounts_missing(seen->view, mounts_findings_on_missing, &missing);
	if (mounts_missing_lost(seen->view, &run.finding))
		sink(arg, &run.finding);
	if (missing.more)
		mounts_findings_rest(&run, MOUNT_ASPECTS, FINDING_UNKNOWN, missing.more);
	if (view_nfs(seen->view)->count)
		for (aspect = MOUNT_ANSWER; aspect < MOUNT_ASPECTS; aspect++)
			mounts_findings_aspect(&run, aspect);
	finding_fini(&run.finding);
}
