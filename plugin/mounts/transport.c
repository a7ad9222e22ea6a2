/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Over what an NFS mount goes against what is wanted of it (plugin/view), and why it may not: pure.
 *
 * Known ways of a mount that asks for RDMA, succeeds, and goes over TCP:
 * - From NFSv4.1 on a client that has a connection to the same server in the same minor version uses
 *   that one, whatever its transport: nfs41_walk_client_list() in fs/nfs/nfs4client.c compares no
 *   protocol. The port that was asked for stays in the options.
 * - "Proto=tcp" in nfsmount.conf comes after the option rdma, and the last one counts.
 * - Below a mount, referrals are tried over RDMA and then over TCP
 *   (nfs4_create_referral_server()).
 * - It was mounted before somebody changed the options; nothing remounts it. */
#include <limits.h>
#include <stdio.h>

#include "plugin/mounts/internal.h"

static bool goes_over_rdma(const struct mount_verdict *verdict)
{
	return view_run_is_rdma(verdict->view->run);
}

/* --- why it may be ------------------------------------------------------------------------- */

/* NFSv4.1 and later. */
static bool has_sessions(const struct nfs_mount *mount)
{
	return !strncmp(mount->vers, "4.", 2) && strcmp(mount->vers, "4.0") != 0;
}

/* A mount over TCP whose connection this one was given: of the same server and version, and not
 * younger, as far as is known; if possible one that was wanted so. */
static const struct mount_verdict *find_trunk(const struct mounts_audit *audit)
{
	const struct mount_verdict *self = &audit->verdicts[audit->index], *found = NULL;
	unsigned int i;

	for (i = 0; i < view_nfs(audit->seen->view)->count && has_sessions(self->mount);
	     i++) {
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

/* Who wants it, as a clause: "/etc/nfsrdma.conf:3 requires RDMA". */
static const char *who(const struct view_wanted *wanted, char buf[POLICY_FROM_MAX + 32])
{
	if (wanted->covered)
		snprintf(buf, POLICY_FROM_MAX + 32, "%.200s %s RDMA", wanted->from,
			 view_verb(wanted));
	else
		snprintf(buf, POLICY_FROM_MAX + 32, "%.200s %s for RDMA", wanted->from,
			 wanted->many ? "ask" : "asks");
	return buf;
}

static void explain(const struct mounts_audit *audit, char *buf, size_t cap)
{
	const struct mount_verdict *self = &audit->verdicts[audit->index];
	const struct view_wanted *wanted = &self->view->wanted;
	const struct mount_verdict *trunk = find_trunk(audit);
	const struct nfs_mount *mount = self->mount;
	struct view_asks asks;

	view_asks(NULL, mount->asked, &asks);
	if (asks.overruled)
		snprintf(
			buf, cap,
			"another transport comes after it, as Proto=tcp in nfsmount.conf adds one");
	else if (trunk && (!*mount->asked || asks.asked == ASKED_RDMA))
		snprintf(
			buf, cap,
			"%.120s of the same server was there over %s, and NFSv%s gives both one connection",
			trunk->mount->target, trunk->mount->proto, mount->vers);
	else if (*mount->asked && asks.asked != ASKED_RDMA && wanted->covered)
		snprintf(buf, cap, "its mount options do not ask for it");
	else if (*mount->asked && asks.asked != ASKED_RDMA)
		snprintf(buf, cap,
			 "it was mounted without them: before %.80s said so, or by hand",
			 wanted->from);
	else
		snprintf(buf, cap, "what made it so is not to be seen here");
}

/* --- the transport --------------------------------------------------------------------------- */

static void judge_unknown(const struct mount_verdict *self, struct mount_opinion *out)
{
	char buf[POLICY_FROM_MAX + 32];

	if (self->view->wanted.rdma)
		mounts_say(out, FINDING_UNKNOWN, "mountinfo names no transport, and %s",
			   who(&self->view->wanted, buf));
	else
		mounts_say(out, FINDING_SKIP,
			   "mountinfo names no transport; nobody asked for RDMA");
}

static void judge_mixed(const struct mount_verdict *self, struct mount_opinion *out)
{
	const struct nfs_mount *mount = self->mount;
	const struct view_wanted *wanted = &self->view->wanted;
	char buf[POLICY_FROM_MAX + 32];
	unsigned int i, rdma = 0;

	for (i = 0; i < mount->nxprts; i++)
		rdma += view_is_rdma(mount->xprts[i].proto);
	mounts_say(
		out,
		self->view->state == VIEW_CALM ? FINDING_WARN
					       : view_status(self->view->state),
		"mountinfo says %s, and of its connections %u go over RDMA and %u do not; %s",
		mount->proto, rdma, mount->nxprts - rdma,
		wanted->rdma ? who(wanted, buf) : "nobody asked for RDMA");
}

/* By mountinfo and mountstats it is, and a record, or another source, is against it. */
static void judge_doubt(const struct mount_verdict *self, struct mount_opinion *out)
{
	const struct view_mount *view = self->view;
	const struct view_place *place = view->wanted.place;
	char buf[POLICY_FROM_MAX + 32];

	who(&view->wanted, buf);
	if (view->unproven)
		mounts_say(out, view_status(view->state),
			   "RDMA by mountinfo, and not proven (%s); %s", view->why, buf);
	else if (view->doubtful)
		mounts_say(out, view_status(view->state),
			   "RDMA by mountinfo, and its record could not be read (%s); %s",
			   view->why, buf);
	else
		mounts_say(
			out, view_status(view->state),
			"RDMA, where %.160s %s %.120s: whether that is the same by another name is not known",
			view->wanted.from, view_verb(&view->wanted),
			place && place->fs_spec ? place->fs_spec : "another source");
}

static void judge_rdma(const struct mount_verdict *self, struct mount_opinion *out)
{
	const struct nfs_mount *mount = self->mount;
	enum view_state state = self->view->state;
	bool asked = self->answer && self->answer->state == MOUNT_ANSWERED;

	if (self->opinions[MOUNT_ANSWER].status == FINDING_FAIL)
		mounts_skip(
			out, MOUNT_ANSWER,
			"RDMA by mountinfo, and not proven, since it does not answer");
	/* A call of our own says more than a record. */
	else if ((state == VIEW_BAD || state == VIEW_TOLERATED ||
		  state == VIEW_UNKNOWN) &&
		 (!self->proven || self->view->alias))
		judge_doubt(self, out);
	else if (self->view->run == RUN_CLAIMED)
		mounts_say(out, FINDING_PASS,
			   "RDMA by mountinfo; mountstats has no connection of it");
	else if (asked && !self->proven)
		mounts_say(out, FINDING_UNKNOWN,
			   "it answers, and no connection over RDMA counted the reply");
	else
		mounts_say(out, FINDING_PASS, "RDMA, %s, %u connection%s",
			   self->proven ? "proven by a call"
					: "by mountinfo and mountstats",
			   mount->nxprts, mount->nxprts == 1 ? "" : "s");
	out->note = out->status == FINDING_PASS &&
		    (self->view->wanted.asked == ASKED_TCP ||
		     self->view->run == RUN_CLAIMED);
}

/* Others of its server that go over RDMA. Of thousands each may ask it of all: first what is without a
 * call. */
static unsigned int count_rdma(const struct mounts_audit *audit)
{
	const struct nfs_mounts *all = view_nfs(audit->seen->view);
	const struct nfs_mount *mount = audit->verdicts[audit->index].mount;
	unsigned int i, count = 0;

	for (i = 0; i < all->count; i++)
		count += all->list[i].proto[0] == 'r' &&
			 goes_over_rdma(&audit->verdicts[i]) &&
			 mounts_same_server(mount, &all->list[i]);
	return count;
}

static void judge_calm(const struct mounts_audit *audit, struct mount_opinion *out)
{
	const struct mount_verdict *self = &audit->verdicts[audit->index];
	const struct view_wanted *wanted = &self->view->wanted;
	const char *proto = self->mount->proto;
	unsigned int others = wanted->asked == ASKED_UNKNOWN ? count_rdma(audit) : 0;

	if (wanted->covered)
		mounts_say(out, FINDING_PASS, "%s; policy off by %.200s", proto,
			   wanted->from);
	else if (others)
		mounts_say(
			out, FINDING_WARN,
			"goes over %s, and %u other mount%s of that server over RDMA; what was wanted here is not known",
			proto, others, others == 1 ? " goes" : "s go");
	else
		mounts_say(out, FINDING_PASS, "%s; %s", proto,
			   wanted->asked == ASKED_TCP   ? "as was wanted"
			   : wanted->asked == ASKED_ANY ? "nobody asked for RDMA"
							: "what was wanted is not known");
}

static void judge_other(const struct mounts_audit *audit, struct mount_opinion *out)
{
	const struct mount_verdict *self = &audit->verdicts[audit->index];
	char why[256], buf[POLICY_FROM_MAX + 32];

	if (self->view->state == VIEW_CALM) {
		judge_calm(audit, out);
		return;
	}
	explain(audit, why, sizeof(why));
	mounts_say(out, view_status(self->view->state), "goes over %s, though %s: %s",
		   self->mount->proto, who(&self->view->wanted, buf), why);
}

void mounts_judge_transport(const struct mounts_audit *audit, struct mount_opinion *out)
{
	const struct mount_verdict *self = &audit->verdicts[audit->index];
	const struct mount_opinion *submount = &self->opinions[MOUNT_SUBMOUNT];

	if (self->view->covered)
		mounts_say(out, FINDING_SKIP, "%s; a later mount lies on its directory",
			   view_run_name(self->mount));
	else if (self->view->run == RUN_UNKNOWN)
		judge_unknown(self, out);
	else if (self->view->run == RUN_MIXED)
		judge_mixed(self, out);
	else if (goes_over_rdma(self))
		judge_rdma(self, out);
	else if (submount->status == FINDING_FAIL || submount->status == FINDING_WARN)
		mounts_skip(out, MOUNT_SUBMOUNT, "%s, see mount.submount",
			    self->mount->proto);
	else if (submount->because)
		mounts_skip(out, MOUNT_TRANSPORT, "%s, as the mount it lies below",
			    self->mount->proto);
	else
		judge_other(audit, out);
}

/* --- sub-mounts and referrals ------------------------------------------------------------------ */

void mounts_judge_submount(const struct mounts_audit *audit, struct mount_opinion *out)
{
	const struct mount_verdict *self = &audit->verdicts[audit->index], *above;
	const struct nfs_mount *mount = self->mount;
	const char *kind;

	if (self->view->below == UINT_MAX || self->view->covered ||
	    self->view->run == RUN_UNKNOWN) {
		mounts_say(out, FINDING_SKIP, "no sub-mount");
		return;
	}
	above = &audit->verdicts[self->view->below];
	kind = view_is_part(mount, above->mount) ? "a sub-mount" : "a referral";
	if (self->view->run == RUN_OTHER && goes_over_rdma(above))
		mounts_say(out, view_status(self->view->state),
			   "goes over %s to %.64s: %s below %.120s, which goes over RDMA",
			   mount->proto, mount->addr, kind, above->mount->target);
	else if (self->view->run == RUN_OTHER && self->view->wanted.by == BY_ABOVE)
		mounts_skip(out, MOUNT_TRANSPORT, "goes over %s, as %.120s above it",
			    mount->proto, above->mount->target);
	else if (self->view->run == RUN_OTHER && self->view->wanted.rdma)
		mounts_say(out, FINDING_SKIP, "wanted over RDMA by itself");
	else
		mounts_say(out, FINDING_PASS, "%s below %.120s, over %s like it", kind,
			   above->mount->target, view_run_name(self->mount));
}
