/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Options whose meaning over RDMA differs from TCP: pure. */
#include <stdio.h>

#include "plugin/mounts/internal.h"

/* After losing a connection the client waits before each attempt, 5 s at first and twice as
 * long each time, up to this (RPCRDMA_MAX_REEST_TO in net/sunrpc/xprtrdma/xprt_rdma.h). */
#define BACKOFF_MAX_S 30
/* READs below this are smaller than any server asks for. */
#define SMALL_IO (64 * 1024)

/* The number after "NAME=" in an option string; 0 if absent. */
static unsigned int mounts_options_number(const char *options, const char *name)
{
	size_t len = strlen(name);

	while (*options) {
		if (!strncmp(options, name, len) && options[len] == '=')
			return (unsigned int)strtoul(options + len + 1, NULL, 10);
		options += strcspn(options, ",");
		options += *options == ',';
	}
	return 0;
}

static bool mounts_options_has_word(const char *options, const char *word)
{
	size_t len;

	while (*options) {
		len = strcspn(options, ",");
		if (len == strlen(word) && !strncmp(options, word, len))
			return true;
		options += len + (options[len] == ',');
	}
	return false;
}

/* A call fails after timeo, in tenths of a second, for each of its retransmissions and once
 * more: over streams and RDMA the timeout grows by the same step (xprt_calc_majortimeo() in
 * net/sunrpc/xprt.c). */
static void mounts_options_soft(const struct nfs_mount *mount, struct words *bad,
				struct words *notes)
{
	uint64_t tenths = (uint64_t)mount->timeo * ((uint64_t)mount->retrans + 1);
	bool soft = mounts_options_has_word(mount->options, "soft") ||
		    mounts_options_has_word(mount->options, "softerr");

	if (!soft || !mount->timeo)
		return;
	if (tenths < BACKOFF_MAX_S * 10)
		words_add(
			bad,
			"soft with timeo=%u,retrans=%u gives up after %.1f s, but the client may wait %u s before it reconnects",
			mount->timeo, mount->retrans, (double)tenths / 10, BACKOFF_MAX_S);
	else
		words_add(notes, "soft: programs get an error when the server is silent for %.0f s",
			  (double)tenths / 10);
}

static void mounts_options_nconnect(const struct nfs_mount *mount, struct words *bad)
{
	unsigned int wanted = mount->nconnect, from;

	from = mounts_options_number(mount->asked, "nconnect");
	wanted = from > wanted ? from : wanted;
	from = mounts_options_number(mount->fstab, "nconnect");
	wanted = from > wanted ? from : wanted;
	if (wanted <= mount->nxprts || mount->xprts_cut || !mount->nxprts)
		return;
	words_add(bad, "nconnect=%u, but it has %u connection%s%s", wanted, mount->nxprts,
		  mount->nxprts == 1 ? "" : "s",
		  *mount->vers == '4' ? ": with NFSv4 this kernel applies nconnect to TCP only"
				      : ": the first mount of a server decides");
}

void mounts_judge_options(const struct mounts_audit *audit, struct mount_opinion *out)
{
	const struct mount_verdict *self = &audit->verdicts[audit->index];
	const struct nfs_mount *mount = self->mount;
	struct words bad = { .separator = "; " }, notes = { .separator = "; " };
	const char *reason;

	if (self->view->covered || !view_run_is_rdma(self->view->run)) {
		mounts_say(out, FINDING_SKIP, "not over RDMA");
		return;
	}
	mounts_options_soft(mount, &bad, &notes);
	/* The first applies: it does the most harm. */
	reason = bad.count ? "soft" : NULL;
	mounts_options_nconnect(mount, &bad);
	reason = reason || !bad.count ? reason : "nconnect";
	if (mount->rsize && mount->rsize < SMALL_IO)
		words_add(&bad, "rsize=%u makes READs small", mount->rsize);
	if (mount->wsize && mount->wsize < SMALL_IO)
		words_add(&bad, "wsize=%u makes WRITEs small", mount->wsize);
	reason = reason || !bad.count ? reason : "small-io";
	/* RDMA does not place data that must be processed: ddp_allowed in rpcrdma_marshal_req(). */
	if (!strcmp(mount->sec, "krb5i") || !strcmp(mount->sec, "krb5p"))
		words_add(&notes, "sec=%s: data is copied, not placed by RDMA", mount->sec);
	if (bad.count) {
		mounts_say_why(out, FINDING_WARN, reason, "%s", words_text(&bad));
		return;
	}
	mounts_say(out, FINDING_PASS, "%s", notes.count ? words_text(&notes) : "none hinders RDMA");
	out->note = notes.count > 0;
}
