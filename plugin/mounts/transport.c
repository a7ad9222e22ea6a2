/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Over what an NFS mount goes against what was wanted, and why it may not: pure.
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
	return verdict->run == RUN_RDMA || verdict->run == RUN_CLAIMED;
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

	for (i = 0; i < audit->seen->now->count && has_sessions(self->mount); i++) {
		const struct mount_verdict *other = &audit->verdicts[i];

		if (other == self || other->run != RUN_OTHER ||
		    !mounts_same_server(other->mount, self->mount) ||
		    strcmp(other->mount->vers, self->mount->vers) != 0 ||
		    other->mount->age < self->mount->age)
			continue;
		if (!found || found->wish == WISH_RDMA)
			found = other;
	}
	return found;
}

static void explain(const struct mounts_audit *audit, char *buf, size_t cap)
{
	const struct mount_verdict *self = &audit->verdicts[audit->index];
	const struct mount_verdict *trunk = find_trunk(audit);
	const struct nfs_mount *mount = self->mount;

	if (mounts_overruled(mount->asked))
		snprintf(
			buf, cap,
			"another transport comes after it, as Proto=tcp in nfsmount.conf adds one");
	else if (trunk && (!*mount->asked || !strcmp(self->wish_by, "its options")))
		snprintf(
			buf, cap,
			"%.120s of the same server was there over %s, and NFSv%s gives both one connection",
			trunk->mount->target, trunk->mount->proto, mount->vers);
	else if (*mount->asked && strcmp(self->wish_by, "its options") != 0)
		snprintf(buf, cap,
			 "it was mounted without them: before %s said so, or by hand",
			 self->wish_by);
	else
		snprintf(buf, cap, "what made it so is not to be seen here");
}

/* --- the transport --------------------------------------------------------------------------- */

static void judge_mixed(const struct nfs_mount *mount, struct mount_opinion *out)
{
	unsigned int i, rdma = 0;

	for (i = 0; i < mount->nxprts; i++)
		rdma += mounts_is_rdma(mount->xprts[i].proto);
	mounts_say(
		out, FINDING_FAIL,
		"mountinfo says %s, and of its connections %u go over RDMA and %u do not",
		mount->proto, rdma, mount->nxprts - rdma);
}

static void judge_rdma(const struct mount_verdict *self, struct mount_opinion *out)
{
	const struct nfs_mount *mount = self->mount;
	bool asked = self->answer && self->answer->state == MOUNT_ANSWERED;

	if (self->opinions[MOUNT_ANSWER].status == FINDING_FAIL)
		mounts_skip(
			out, MOUNT_ANSWER,
			"RDMA by mountinfo, and not proven, since it does not answer");
	else if (self->run == RUN_CLAIMED)
		mounts_say(out, FINDING_UNKNOWN,
			   "mountinfo says RDMA, and mountstats has no connection of it");
	else if (asked && !self->proven)
		mounts_say(out, FINDING_UNKNOWN,
			   "it answers, and no connection over RDMA counted the reply");
	else
		mounts_say(out, FINDING_PASS, "RDMA, %s, %u connection%s",
			   self->proven ? "proven by a call"
					: "by mountinfo and mountstats",
			   mount->nxprts, mount->nxprts == 1 ? "" : "s");
	out->note = out->status == FINDING_PASS && self->wish == WISH_TCP;
}

/* Others of its server that go over RDMA. */
static unsigned int count_rdma(const struct mounts_audit *audit)
{
	const struct nfs_mount *mount = audit->verdicts[audit->index].mount;
	unsigned int i, count = 0;

	for (i = 0; i < audit->seen->now->count; i++)
		count += goes_over_rdma(&audit->verdicts[i]) &&
			 mounts_same_server(mount, audit->verdicts[i].mount);
	return count;
}

static void judge_other(const struct mounts_audit *audit, struct mount_opinion *out)
{
	const struct mount_verdict *self = &audit->verdicts[audit->index];
	const char *proto = self->mount->proto;
	unsigned int others = count_rdma(audit);
	char why[256];

	if (self->wish == WISH_RDMA) {
		explain(audit, why, sizeof(why));
		mounts_say(out, self->lenient ? FINDING_WARN : FINDING_FAIL,
			   "goes over %s, though %s ask%s for RDMA: %s", proto,
			   self->wish_by, strcmp(self->wish_by, "its options") ? "s" : "",
			   why);
	} else if (self->wish == WISH_UNKNOWN && others) {
		mounts_say(
			out, FINDING_WARN,
			"goes over %s, and %u other mount%s of that server over RDMA; what was wanted here is not known",
			proto, others, others == 1 ? " goes" : "s go");
	} else {
		mounts_say(out, FINDING_PASS, "%s; %s", proto,
			   self->wish == WISH_TCP    ? "as was wanted"
			   : self->wish == WISH_NONE ? "nobody asked for RDMA"
						     : "what was wanted is not known");
	}
}

void mounts_judge_transport(const struct mounts_audit *audit, struct mount_opinion *out)
{
	const struct mount_verdict *self = &audit->verdicts[audit->index];
	const struct mount_opinion *submount = &self->opinions[MOUNT_SUBMOUNT];

	if (self->covered)
		mounts_say(out, FINDING_SKIP, "%s; a later mount lies on its directory",
			   mounts_run_name(self));
	else if (self->run == RUN_UNKNOWN)
		mounts_say(out, FINDING_UNKNOWN, "mountinfo names no transport");
	else if (self->run == RUN_MIXED)
		judge_mixed(self->mount, out);
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

/* A part of what is mounted above, and not a referral to somewhere else. */
static bool is_part(const struct nfs_mount *mount, const struct nfs_mount *above)
{
	size_t len = strlen(above->fs_spec);

	return mounts_same_server(mount, above) &&
	       !strncmp(mount->fs_spec, above->fs_spec, len);
}

void mounts_judge_submount(const struct mounts_audit *audit, struct mount_opinion *out)
{
	const struct mount_verdict *self = &audit->verdicts[audit->index], *above;
	const struct nfs_mount *mount = self->mount;
	const char *kind;

	if (self->below == UINT_MAX || self->covered || self->run == RUN_UNKNOWN) {
		mounts_say(out, FINDING_SKIP, "no sub-mount");
		return;
	}
	above = &audit->verdicts[self->below];
	kind = is_part(mount, above->mount) ? "a sub-mount" : "a referral";
	if (self->run == RUN_OTHER && goes_over_rdma(above))
		/* Where libmount keeps nothing, somebody may have mounted it by hand. */
		mounts_say(out,
			   is_part(mount, above->mount) || *above->mount->asked
				   ? FINDING_FAIL
				   : FINDING_WARN,
			   "goes over %s to %.64s: %s below %.120s, which goes over RDMA",
			   mount->proto, mount->addr, kind, above->mount->target);
	else if (self->run == RUN_OTHER && self->wish == WISH_RDMA)
		mounts_skip(out, MOUNT_TRANSPORT, "goes over %s, as %.120s above it",
			    mount->proto, above->mount->target);
	else
		mounts_say(out, FINDING_PASS, "%s below %.120s, over %s like it", kind,
			   above->mount->target, mounts_run_name(self));
}
