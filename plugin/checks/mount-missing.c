/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Whether everything that should be mounted over RDMA is mounted. */
#include "plugin/checks/internal.h"

struct missing_tally {
	const struct check_target *target;
	struct finding *finding;
	unsigned int failed, unknown, later;
	struct words words;
};

static void mount_missing_count(void *arg, const struct mount_missing *missing)
{
	struct missing_tally *tally = arg;
	bool failed = missing->status == FINDING_FAIL;

	if (!check_target_has(tally->target, missing->dir->place->fs_spec, NULL))
		return;
	tally->failed += failed;
	tally->unknown += missing->status == FINDING_UNKNOWN;
	tally->later += missing->status == FINDING_SKIP;
	if (missing->status == FINDING_SKIP)
		return;
	/* The reason is that of the first failure, or else of the first that is unknown. */
	if (failed ? tally->failed == 1 : !tally->failed && tally->unknown == 1) {
		tally->finding->nevidence = 0;
		finding_reason(tally->finding, missing->reason);
		mounts_missing_names(tally->finding, missing);
	}
	words_add(&tally->words, "%.120s: %s", missing->dir->path, missing->text);
}

int check_mount_missing(struct check_run *run)
{
	struct missing_tally tally = { .target = run->target,
				       .finding = &run->finding,
				       .words = { .separator = "; " } };
	const struct view *view;
	int rc = facts_view(run, &view);

	if (rc)
		return rc;
	mounts_missing(view, mount_missing_count, &tally);
	if (tally.failed || tally.unknown)
		return check_say(run, tally.failed ? FINDING_FAIL : FINDING_UNKNOWN, "%s",
				 words_text(&tally.words));
	if (tally.later)
		return check_say(run, FINDING_SKIP, "%u need not be mounted now", tally.later);
	return check_say(run, FINDING_SKIP, "none is missing");
}
