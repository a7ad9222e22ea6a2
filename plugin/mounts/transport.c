/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The actual transport of an NFS mount against the requested one (plugin/view), and why
 * they differ: pure.
 *
 * A mount that requests RDMA can succeed and run over TCP:
 * - From NFSv4.1 on a client that has a connection to the same server in the same minor version
 *   uses that one, whatever its transport: nfs41_walk_client_list() in fs/nfs/nfs4client.c
 *   compares no protocol. The requested port stays in the options.
 * - "Proto=tcp" in nfsmount.conf comes after the option rdma, and the last one applies.
 * - Below a mount, referrals are tried over RDMA and then over TCP
 *   (nfs4_create_referral_server()).
 * - It was mounted before its options were changed; nothing remounts it. */
#include <limits.h>
#include <stdio.h>

#include "plugin/mounts/internal.h"

/* --- the cause ----------------------------------------------------------------------------- */

/* A mount over TCP whose connection this one shares: of the same server and version, and
 * not known to be younger; preferably one for which TCP was requested. */
static const struct mount_verdict *mounts_transport_find_trunk(const struct mounts_audit *audit)
{
	const struct mount_verdict *self = &audit->verdicts[audit->index], *found = NULL;
	unsigned int i;

	/* Only NFSv4.1 and later share connections. */
	if (strncmp(self->mount->vers, "4.", 2) || !strcmp(self->mount->vers, "4.0"))
		return NULL;
	for (i = 0; i < view_nfs(audit->seen->view)->count; i++) {
		const struct mount_verdict *other = &audit->verdicts[i];

		if (other == self || other->view->run != RUN_OTHER ||
		    !mounts_same_server(other->mount, self->mount) ||
		    strcmp(other->mount->vers, self->mount->vers) != 0 ||
		    other->mount->age < self->mount->age)
			continue;
		if (!found || found->view->wanted.rdma)
			found = other;
	}
	return found;
}

/* As a clause: "/etc/nfsrdma.conf:3 requires RDMA". */
static const char *mounts_transport_request(const struct view_wanted *wanted,
					    char buf[POLICY_FROM_MAX + 32])
{
	snprintf(buf, POLICY_FROM_MAX + 32, "%.200s %s RDMA", wanted->from, view_verb(wanted));
	return buf;
}

enum mounts_cause {
	CAUSE_OVERRULED,     /* by Proto= in nfsmount.conf */
	CAUSE_LATER_OPTION,  /* by another option */
	CAUSE_SHARED,        /* the connection of another mount */
	CAUSE_NOT_REQUESTED, /* by its options, which the policy covers */
	CAUSE_BEFORE,        /* mounted without RDMA, and requested since */
	CAUSE_UNSEEN,
	CAUSE_COUNT
};

/* How it is mounted again. */
enum mounts_remount { REMOUNT_BY_HAND, REMOUNT_POOL, REMOUNT_DOMAIN, REMOUNT_COUNT };

static const char *const mounts_transport_reasons[REMOUNT_COUNT][CAUSE_COUNT] = {
	[REMOUNT_BY_HAND] = { "overruled", "later-option", "shared-connection", "not-requested",
			      "mounted-before", "unexplained" },
	[REMOUNT_POOL] = { "pool", "pool", "pool-shared", "pool", "pool", "pool" },
	[REMOUNT_DOMAIN] = { "vdsm", "vdsm", "vdsm-shared", "vdsm", "vdsm", "vdsm" },
};

static enum mounts_cause mounts_transport_find_cause(const struct mounts_audit *audit)
{
	struct mount_verdict *self = &audit->verdicts[audit->index];
	const struct mount_verdict *trunk = mounts_transport_find_trunk(audit);
	const struct nfs_mount *mount = self->mount;
	struct view_asks asks;

	view_asks(NULL, mount->asked, &asks);
	if (asks.overruled) {
		self->proto = mounts_conf_proto(audit->seen->view, mount);
		return self->proto ? CAUSE_OVERRULED : CAUSE_LATER_OPTION;
	}
	if (trunk && (!*mount->asked || asks.asked == ASKED_RDMA)) {
		self->sharer = trunk->mount;
		return CAUSE_SHARED;
	}
	if (!*mount->asked || asks.asked == ASKED_RDMA)
		return CAUSE_UNSEEN;
	return self->view->wanted.covered ? CAUSE_NOT_REQUESTED : CAUSE_BEFORE;
}

static void mounts_transport_explain(const struct mount_verdict *self, enum mounts_cause cause,
				     char *buf, size_t cap)
{
	if (cause == CAUSE_OVERRULED)
		snprintf(buf, cap, "Proto= in /%.120s:%u overrules it", self->proto->file,
			 self->proto->line);
	else if (cause == CAUSE_LATER_OPTION)
		snprintf(buf, cap, "a later mount option overrules it");
	else if (cause == CAUSE_SHARED)
		snprintf(buf, cap, "it shares the %s connection of %.120s (same server, NFSv%s)",
			 self->sharer->proto, self->sharer->target, self->mount->vers);
	else if (cause == CAUSE_NOT_REQUESTED)
		snprintf(buf, cap, "its mount options do not request RDMA");
	else if (cause == CAUSE_BEFORE)
		snprintf(buf, cap, "it was mounted without RDMA");
	else
		snprintf(buf, cap, "the cause cannot be determined from here");
}

/* --- the transport ------------------------------------------------------------------ */

static void mounts_transport_unknown(const struct mount_verdict *self, struct mount_opinion *out)
{
	char buf[POLICY_FROM_MAX + 32];

	if (self->view->wanted.rdma)
		mounts_say_why(out, FINDING_UNKNOWN, "no-transport",
			       "mountinfo names no transport, but %s",
			       mounts_transport_request(&self->view->wanted, buf));
	else
		mounts_say(out, FINDING_SKIP,
			   "mountinfo names no transport; RDMA was not requested");
}

static void mounts_transport_mixed(const struct mount_verdict *self, struct mount_opinion *out)
{
	const struct nfs_mount *mount = self->mount;
	const struct view_wanted *wanted = &self->view->wanted;
	char buf[POLICY_FROM_MAX + 32];
	unsigned int i, rdma = 0;

	for (i = 0; i < mount->nxprts; i++)
		rdma += view_is_rdma(mount->xprts[i].proto);
	mounts_say_why(
		out, self->view->state == VIEW_CALM ? FINDING_WARN : view_status(self->view->state),
		"mixed", "mountinfo says %s, but %u of %u connections use RDMA; %s", mount->proto,
		rdma, mount->nxprts,
		wanted->rdma ? mounts_transport_request(wanted, buf) : "RDMA was not requested");
}

/* Over RDMA, of another source than requested there. */
static void mounts_transport_alias(const struct mount_verdict *self, struct mount_opinion *out)
{
	const struct view_mount *view = self->view;
	const struct view_place *place = view->wanted.place;

	mounts_say_why(
		out, view_status(view->state), "other-source",
		"RDMA, but %.160s %s %.120s there: unknown whether both names mean the same export",
		view->wanted.from, view_verb(&view->wanted),
		place && place->fs_spec ? place->fs_spec : "another source");
}

static void mounts_transport_rdma(const struct mount_verdict *self, struct mount_opinion *out)
{
	const struct nfs_mount *mount = self->mount;
	bool asked = self->answer && self->answer->state == MOUNT_ANSWERED;

	if (self->opinions[MOUNT_ANSWER].status == FINDING_FAIL)
		mounts_skip(out, MOUNT_ANSWER,
			    "RDMA by mountinfo, but not proven: the server does not answer");
	else if (self->view->alias && self->view->state != VIEW_CALM)
		mounts_transport_alias(self, out);
	else if (self->view->run == RUN_CLAIMED)
		mounts_say(out, FINDING_PASS,
			   "RDMA by mountinfo; mountstats has no connection for it");
	else if (asked && !self->proven)
		mounts_say_why(out, FINDING_UNKNOWN, "uncounted",
			       "it answers, but no RDMA connection counted the reply");
	else
		mounts_say(out, FINDING_PASS, "RDMA, %s, %u connection%s",
			   self->proven ? "proven by a call" : "by mountinfo and mountstats",
			   mount->nxprts, mount->nxprts == 1 ? "" : "s");
	out->note = out->status == FINDING_PASS &&
		    (self->view->wanted.asked == ASKED_TCP || self->view->run == RUN_CLAIMED);
}

/* Other mounts of its server over RDMA. With thousands of mounts each compares itself with
 * all, so cheap tests come first. */
static unsigned int mounts_transport_count_rdma(const struct mounts_audit *audit)
{
	const struct nfs_mounts *all = view_nfs(audit->seen->view);
	const struct nfs_mount *mount = audit->verdicts[audit->index].mount;
	unsigned int i, count = 0;

	for (i = 0; i < all->count; i++)
		count += all->list[i].proto[0] == 'r' &&
			 view_run_is_rdma(audit->verdicts[i].view->run) &&
			 mounts_same_server(mount, &all->list[i]);
	return count;
}

static void mounts_transport_calm(const struct mounts_audit *audit, struct mount_opinion *out)
{
	const struct mount_verdict *self = &audit->verdicts[audit->index];
	const struct view_wanted *wanted = &self->view->wanted;
	const char *proto = self->mount->proto;
	unsigned int others = wanted->asked == ASKED_UNKNOWN ? mounts_transport_count_rdma(audit)
							     : 0;

	if (wanted->covered)
		mounts_say(out, FINDING_PASS, "%s; policy off by %.200s", proto, wanted->from);
	else if (others)
		mounts_say_why(
			out, FINDING_WARN, "rdma-beside",
			"over %s, but %u other mount%s of that server over RDMA; the requested transport is unknown",
			proto, others, others == 1 ? " is" : "s are");
	else
		mounts_say(out, FINDING_PASS, "%s; %s", proto,
			   wanted->asked == ASKED_TCP   ? "as requested"
			   : wanted->asked == ASKED_ANY ? "RDMA was not requested"
							: "requested transport unknown");
}

static void mounts_transport_other(const struct mounts_audit *audit, struct mount_opinion *out)
{
	const struct mount_verdict *self = &audit->verdicts[audit->index];
	char why[256], buf[POLICY_FROM_MAX + 32];
	const struct view_place *place = self->view->wanted.place;
	enum mounts_remount how = self->view->domain     ? REMOUNT_DOMAIN
				  : place && place->pool ? REMOUNT_POOL
							 : REMOUNT_BY_HAND;
	enum mounts_cause cause;

	if (self->view->state == VIEW_CALM) {
		mounts_transport_calm(audit, out);
		return;
	}
	cause = mounts_transport_find_cause(audit);
	mounts_transport_explain(self, cause, why, sizeof(why));
	mounts_say_why(out, view_status(self->view->state), mounts_transport_reasons[how][cause],
		       "over %s, but %s: %s", self->mount->proto,
		       mounts_transport_request(&self->view->wanted, buf), why);
}

void mounts_judge_transport(const struct mounts_audit *audit, struct mount_opinion *out)
{
	const struct mount_verdict *self = &audit->verdicts[audit->index];
	const struct mount_opinion *submount = &self->opinions[MOUNT_SUBMOUNT];

	if (self->view->covered)
		mounts_say(out, FINDING_SKIP, "%s; mounted over by a later mount",
			   view_run_name(self->mount));
	else if (self->view->run == RUN_UNKNOWN)
		mounts_transport_unknown(self, out);
	else if (self->view->run == RUN_MIXED)
		mounts_transport_mixed(self, out);
	else if (view_run_is_rdma(self->view->run))
		mounts_transport_rdma(self, out);
	else if (submount->status == FINDING_FAIL || submount->status == FINDING_WARN)
		mounts_skip(out, MOUNT_SUBMOUNT, "%s, see mount.submount", self->mount->proto);
	else if (submount->because)
		mounts_skip(out, MOUNT_TRANSPORT, "%s, as the mount above it", self->mount->proto);
	else
		mounts_transport_other(audit, out);
}

/* --- sub-mounts and referrals ------------------------------------------------------- */

void mounts_judge_submount(const struct mounts_audit *audit, struct mount_opinion *out)
{
	const struct mount_verdict *self = &audit->verdicts[audit->index], *above;
	const struct nfs_mount *mount = self->mount;
	const char *kind;
	bool part;

	if (self->view->below == UINT_MAX || self->view->covered ||
	    self->view->run == RUN_UNKNOWN) {
		mounts_say(out, FINDING_SKIP, "no sub-mount");
		return;
	}
	above = &audit->verdicts[self->view->below];
	part = view_is_part(mount, above->mount);
	kind = part ? "sub-mount" : "referral";
	if (self->view->run == RUN_OTHER && view_run_is_rdma(above->view->run))
		mounts_say_why(out, view_status(self->view->state), part ? "sub-mount" : "referral",
			       "over %s to %.64s: a %s below %.120s, which is over RDMA",
			       mount->proto, mount->addr, kind, above->mount->target);
	else if (self->view->run == RUN_OTHER && self->view->wanted.by == BY_ABOVE)
		mounts_skip(out, MOUNT_TRANSPORT, "over %s, as %.120s above it", mount->proto,
			    above->mount->target);
	else if (self->view->run == RUN_OTHER && self->view->wanted.rdma)
		mounts_say(out, FINDING_SKIP, "requests RDMA by itself");
	else
		mounts_say(out, FINDING_PASS, "a %s below %.120s, over %s like it", kind,
			   above->mount->target, view_run_name(self->mount));
}
