/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Verdicts as findings, for `nfsrdma mounts`: pure. Transport and counters have a finding
 * for each mount, so that a metrics collector has its series. The other aspects have one
 * finding for all good mounts, and one for each mount that needs care. A host may have
 * thousands of mounts and a report is bounded, so bad ones come first. */
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>

#include "plugin/mounts/internal.h"

/* Limit of mounts with a finding of their own, for one aspect. */
#define TOLD_MAX 250

struct telling {
	const struct mounts_seen *seen;
	const struct mount_verdict *verdicts;
	finding_sink sink;
	void *arg;
	struct finding finding; /* being filled in */
};

/* --- evidence ------------------------------------------------------------------------------ */

static const char *state_of(const struct mount_verdict *verdict)
{
	if (verdict->answer && verdict->answer->state == MOUNT_SILENT)
		return "silent";
	return verdict->view->run == RUN_OTHER ? verdict->mount->proto
	       : verdict->proven               ? "proven"
					       : "unproven";
}

/* "connect_count 1, sends 1200": all non-zero columns, by name. */
static void add_xprt(struct finding *finding, const struct nfs_mount *mount,
		     unsigned int index)
{
	const struct nfs_xprt *xprt = &mount->xprts[index];
	bool named = view_is_rdma(xprt->proto);
	struct words words = { .separator = ", " };
	char key[16];
	unsigned int i;

	snprintf(key, sizeof(key), "connection_%u", index + 1);
	words_add(&words, "%s", xprt->proto);
	for (i = 0; named && i < xprt->nvalues && i < XPRT_COLUMNS; i++)
		if (xprt->values[i])
			words_add(&words, "%s %" PRIu64, xprt_columns[i].name,
				  xprt->values[i]);
	finding_text(finding, key, "%s", words_text(&words));
}

static void add_transport(struct finding *finding, const struct mount_verdict *verdict)
{
	const struct view_wanted *wanted = &verdict->view->wanted;
	const struct nfs_mount *mount = verdict->mount;

	finding_text(finding, "wanted", "%s", view_asked_name(wanted->asked));
	finding_text(finding, "wanted_source", "%s", view_by_name(wanted->by));
	finding_text(finding, "binds", "%s", view_binds_name(wanted));
	finding_text(finding, "state", "%s", state_of(verdict));
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

static void add_xprts(struct finding *finding, const struct mount_verdict *verdict)
{
	unsigned int i;

	for (i = 0; i < verdict->mount->nxprts; i++)
		add_xprt(finding, verdict->mount, i);
}

/* All columns that the kernel prints, by name, including zeros. */
static void add_counters(struct finding *finding, const struct mount_verdict *verdict)
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

static void tell_one(struct telling *telling, const struct mount_verdict *verdict,
		     enum mount_aspect aspect)
{
	const struct mount_opinion *opinion = &verdict->opinions[aspect];
	struct finding *finding = &telling->finding;

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
		add_counters(finding, verdict);
	else if (aspect == MOUNT_READS)
		reads_evidence(finding, &verdict->mount->reads);
	else
		add_transport(finding, verdict);
	if (aspect == MOUNT_TRANSPORT)
		add_xprts(finding, verdict);
	telling->sink(telling->arg, finding);
}

/* Mounts of a status beyond the bound of the report. */
static void tell_rest(struct telling *telling, enum mount_aspect aspect,
		      enum finding_status status, unsigned int count)
{
	if (!count)
		return;
	finding_init(&telling->finding,
		     aspect < MOUNT_ASPECTS ? mount_aspect_ids[aspect] : "mount.missing",
		     status, "%u more mount%s", count, count == 1 ? "" : "s");
	finding_number(&telling->finding, "mounts", count);
	telling->sink(telling->arg, &telling->finding);
}

/* One finding for each mount with this status. */
static void tell_each(struct telling *telling, enum mount_aspect aspect,
		      enum finding_status status, bool noted, unsigned int *room)
{
	unsigned int i, rest = 0;

	for (i = 0; i < view_nfs(telling->seen->view)->count; i++) {
		const struct mount_opinion *opinion =
			&telling->verdicts[i].opinions[aspect];

		if (opinion->status != status || opinion->note < noted)
			continue;
		if (!*room) {
			rest++;
			continue;
		}
		--*room;
		tell_one(telling, &telling->verdicts[i], aspect);
	}
	tell_rest(telling, aspect, status, rest);
}

static unsigned int count_of(const struct telling *telling, enum mount_aspect aspect,
			     enum finding_status status)
{
	unsigned int i, count = 0;

	for (i = 0; i < view_nfs(telling->seen->view)->count; i++)
		count += telling->verdicts[i].opinions[aspect].status == status &&
			 !telling->verdicts[i].opinions[aspect].note;
	return count;
}

static void slowest(const struct telling *telling, char *buf, size_t cap)
{
	double ms = 0;
	unsigned int i;

	for (i = 0; i < view_nfs(telling->seen->view)->count; i++) {
		const struct mount_answer *answer = telling->verdicts[i].answer;

		if (answer && answer->state == MOUNT_ANSWERED && answer->ms > ms)
			ms = answer->ms;
	}
	snprintf(buf, cap, ", slowest in %.1f ms", ms);
}

/* One finding for all good mounts of an aspect; or that it does not apply. */
static void tell_good(struct telling *telling, enum mount_aspect aspect)
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
	unsigned int good = count_of(telling, aspect, FINDING_PASS);
	char more[64] = "";

	if (aspect == MOUNT_ANSWER && good)
		slowest(telling, more, sizeof(more));
	if (good)
		finding_init(&telling->finding, mount_aspect_ids[aspect], FINDING_PASS,
			     "%s (%u mount%s)%s", words[aspect].good, good,
			     good == 1 ? "" : "s", more);
	else if (count_of(telling, aspect, FINDING_SKIP) ==
		 view_nfs(telling->seen->view)->count)
		finding_init(&telling->finding, mount_aspect_ids[aspect], FINDING_SKIP,
			     "%s", words[aspect].absent);
	else
		return;
	if (good)
		finding_number(&telling->finding, "mounts", good);
	telling->sink(telling->arg, &telling->finding);
}

static void tell_aspect(struct telling *telling, enum mount_aspect aspect)
{
	static const enum finding_status bad[] = { FINDING_FAIL, FINDING_UNKNOWN,
						   FINDING_WARN };
	bool each = aspect == MOUNT_TRANSPORT || aspect == MOUNT_COUNTERS;
	unsigned int i, room = TOLD_MAX;

	for (i = 0; i < ARRAY_SIZE(bad); i++)
		tell_each(telling, aspect, bad[i], false, &room);
	tell_each(telling, aspect, FINDING_PASS, !each, &room);
	if (aspect == MOUNT_TRANSPORT)
		tell_each(telling, aspect, FINDING_SKIP, false, &room);
	if (!each)
		tell_good(telling, aspect);
}

/* --- missing mounts ----------------------------------------------------------------- */

struct missing_telling {
	struct telling *telling;
	unsigned int count, told, later, more;
};

static void tell_one_missing(void *arg, const struct mount_missing *missing)
{
	struct missing_telling *m = arg;
	const struct view_wanted *wanted = &missing->spot->wanted;
	struct finding *finding = &m->telling->finding;

	m->count++;
	if (missing->status == FINDING_SKIP)
		m->later++;
	if (m->told == TOLD_MAX) {
		m->more++;
		return;
	}
	m->told++;
	finding_init(finding, "mount.missing", missing->status, "%.200s: %s",
		     missing->spot->path, missing->text);
	if (missing->reason)
		finding_reason(finding, missing->reason);
	mounts_missing_names(finding, missing);
	finding_text(finding, "wanted", "%s", view_asked_name(wanted->asked));
	finding_text(finding, "wanted_source", "%s", view_by_name(wanted->by));
	finding_text(finding, "binds", "%s", view_binds_name(wanted));
	m->telling->sink(m->telling->arg, finding);
}

static void tell_missing(struct telling *telling)
{
	struct missing_telling m = { telling, 0, 0, 0, 0 };

	mounts_missing(telling->seen->view, tell_one_missing, &m);
	if (m.more)
		tell_rest(telling, MOUNT_ASPECTS, FINDING_UNKNOWN, m.more);
}

static void count_missing(void *arg, const struct mount_missing *missing)
{
	*(unsigned int *)arg += missing->status == FINDING_FAIL;
}

/* --- all ---------------------------------------------------------------------------- */

static unsigned int count_runs(const struct telling *telling, bool rdma)
{
	unsigned int i, count = 0;

	for (i = 0; i < view_nfs(telling->seen->view)->count; i++) {
		enum view_run run = telling->verdicts[i].view->run;

		count += rdma ? view_run_is_rdma(run) : run == RUN_OTHER;
	}
	return count;
}

static void tell_list(struct telling *telling)
{
	const struct nfs_mounts *mounts = view_nfs(telling->seen->view);
	struct finding *finding = &telling->finding;
	unsigned int rdma = count_runs(telling, true), other = count_runs(telling, false);
	const char *plural = mounts->count == 1 ? "" : "s";
	const char *lacks = view_lacks(telling->seen->view);
	unsigned int missing = 0;
	char summary[160];

	mounts_missing(telling->seen->view, count_missing, &missing);
	if (mounts->count)
		snprintf(summary, sizeof(summary),
			 "%u NFS mount%s: %u over RDMA, %u over TCP or UDP",
			 mounts->count, plural, rdma, other);
	else
		snprintf(summary, sizeof(summary), "this host has no NFS mount");
	if (missing)
		snprintf(summary + strlen(summary), 64, "; %u missing", missing);

	if (mounts->unreadable)
		finding_init(
			finding, "mount.list", FINDING_UNKNOWN,
			"%u NFS mount%s, and %u more whose line in mountinfo is malformed",
			mounts->count, plural, mounts->unreadable);
	else if (mounts->cut)
		finding_init(finding, "mount.list", FINDING_UNKNOWN,
			     "more than %u NFS mounts; the rest was ignored",
			     mounts->count);
	else if (*mounts->fstab_unknown)
		finding_init(finding, "mount.list", FINDING_UNKNOWN,
			     "%u NFS mount%s, but fstab could not be read: %s",
			     mounts->count, plural, mounts->fstab_unknown);
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
	telling->sink(telling->arg, finding);
}

void mounts_findings(const struct mounts_seen *seen, const struct mount_verdict *verdicts,
		     finding_sink sink, void *arg)
{
	struct telling telling = {
		.seen = seen, .verdicts = verdicts, .sink = sink, .arg = arg
	};
	enum mount_aspect aspect;

	tell_list(&telling);
	tell_missing(&telling);
	if (!view_nfs(seen->view)->count)
		return;
	for (aspect = MOUNT_ANSWER; aspect < MOUNT_ASPECTS; aspect++)
		tell_aspect(&telling, aspect);
}
