/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The checks of group mount: one finding about an aspect of all NFS mounts of this host, or of
 * those of the target's server. They look once and wake no mount, since a check takes a second at most;
 * `nfsrdma mounts` looks closer. */
#include <netdb.h>
#include <stdio.h>

#include "plugin/checks/internal.h"
#include "plugin/host/text.h"

bool check_target_has(const struct check_target *target, const char *source, const char *address)
{
	char name[ADDRESS_NAME_MAX], host[NI_MAXHOST];
	unsigned int i;

	if (!target->server)
		return true;
	text_host_of(source ? source : "", host, sizeof(host));
	if (*host && text_is_host(host, target->server))
		return true;
	for (i = 0; i < target->naddresses; i++) {
		words_address(&target->addresses[i], name);
		if ((address && !strcmp(name, address)) || text_is_host(host, name))
			return true;
	}
	return false;
}

struct mounts_tally {
	unsigned int count[FINDING_STATUS_COUNT];
	unsigned int seen;
	struct words words[FINDING_STATUS_COUNT], noted;
	/* Of each status the first: its reason is that of the finding. */
	const struct mount_verdict *first[FINDING_STATUS_COUNT];
};

/* Several mounts that are not good for several reasons are one finding, with the first one's steps.
 * False: none has that status. */
static bool mounts_say_bad(struct check_run *run, struct mounts_tally *tally,
			   enum mount_aspect aspect, enum finding_status status)
{
	const struct mount_verdict *first = tally->first[status];

	if (!tally->count[status])
		return false;
	if (first->opinions[aspect].reason)
		finding_reason(&run->finding, first->opinions[aspect].reason);
	mounts_names(&run->finding, first, aspect);
	if (tally->count[status] > 1)
		finding_number(&run->finding, "mounts", tally->count[status]);
	check_say(run, status, "%s", words_text(&tally->words[status]));
	return true;
}

static void mounts_count(struct mounts_tally *tally, const struct mount_verdict *verdict,
			 enum mount_aspect aspect)
{
	const struct mount_opinion *opinion = &verdict->opinions[aspect];

	tally->seen++;
	if (!tally->count[opinion->status]++)
		tally->first[opinion->status] = verdict;
	words_add(opinion->note ? &tally->noted : &tally->words[opinion->status], "%.120s: %s",
		  verdict->mount->target, opinion->text);
}

int mounts_check(struct check_run *run, enum mount_aspect aspect)
{
	_cleanup_free_ struct mount_verdict *verdicts = NULL;
	_cleanup_free_ struct mounts_tally *tally = calloc(1, sizeof(*tally));
	struct mounts_seen seen = { .view = NULL };
	const struct nfs_mounts *mounts;
	const char *lacks;
	unsigned int i, good;
	int rc = facts_view(run, &seen.view);

	if (!tally)
		return err_no_memory();
	if (rc)
		return rc;
	mounts = view_nfs(seen.view);
	rc = mounts_audit(&seen, &verdicts);
	if (rc)
		return rc;
	for (i = 0; i < FINDING_STATUS_COUNT; i++)
		tally->words[i].separator = "; ";
	tally->noted.separator = "; ";
	for (i = 0; i < mounts->count; i++)
		if (check_target_has(run->target, mounts->list[i].fs_spec, mounts->list[i].addr))
			mounts_count(tally, &verdicts[i], aspect);
	if (mounts->unreadable && aspect == MOUNT_TRANSPORT && !tally->count[FINDING_FAIL])
		return check_say_why(run, FINDING_UNKNOWN, "malformed",
				     "%u NFS mount%s whose line in mountinfo is malformed",
				     mounts->unreadable, mounts->unreadable == 1 ? "" : "s");
	if (mounts_say_bad(run, tally, aspect, FINDING_FAIL) ||
	    mounts_say_bad(run, tally, aspect, FINDING_UNKNOWN) ||
	    mounts_say_bad(run, tally, aspect, FINDING_WARN))
		return 0;
	good = tally->count[FINDING_PASS];
	if (!good)
		return check_say(run, FINDING_SKIP, "%s",
				 tally->seen           ? "applies to no mount"
				 : run->target->server ? "no mount of that server"
						       : "no NFS mount");
	/* Sources of requests that are not known. */
	lacks = aspect == MOUNT_TRANSPORT ? view_lacks(seen.view) : NULL;
	if (lacks)
		words_add(&tally->noted, "requested transports are not all known: %.200s", lacks);
	if (!tally->noted.count)
		return check_say(run, FINDING_PASS, "%u mount%s", good, good == 1 ? "" : "s");
	check_note(run);
	return check_say(run, FINDING_PASS, "%s", words_text(&tally->noted));
}
