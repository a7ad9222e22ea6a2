/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* What is to be said of each NFS mount: over what it was wanted (wish.c), over what it goes,
 * whether it answers, and an opinion about each aspect. A mount over TCP that was wanted over RDMA
 * works, and nothing else in the system says so. */
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>

#include "plugin/mounts/internal.h"

/* Steps from a sub-mount to what it lies below. */
#define DEPTH_MAX 64

const char *const mount_aspect_ids[MOUNT_ASPECTS] = {
	[MOUNT_ANSWER] = "mount.answer",     [MOUNT_TRANSPORT] = "mount.transport",
	[MOUNT_SUBMOUNT] = "mount.submount", [MOUNT_OPTIONS] = "mount.options",
	[MOUNT_COUNTERS] = "mount.counters", [MOUNT_READS] = "bug.read-812",
};

PRINTF_LIKE(3, 0)
static void vsay(struct mount_opinion *opinion, enum finding_status status,
		 const char *fmt, va_list ap)
{
	opinion->status = status;
	vsnprintf(opinion->text, sizeof(opinion->text), fmt, ap);
}

void mounts_say(struct mount_opinion *opinion, enum finding_status status,
		const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsay(opinion, status, fmt, ap);
	va_end(ap);
}

void mounts_skip(struct mount_opinion *opinion, enum mount_aspect because,
		 const char *fmt, ...)
{
	va_list ap;

	opinion->because = mount_aspect_ids[because];
	va_start(ap, fmt);
	vsay(opinion, FINDING_SKIP, fmt, ap);
	va_end(ap);
}

/* --- what it is -------------------------------------------------------------------------- */

enum mount_run mounts_run(const struct nfs_mount *mount)
{
	unsigned int i, rdma = 0;

	for (i = 0; i < mount->nxprts; i++)
		rdma += mounts_is_rdma(mount->xprts[i].proto);
	if (!*mount->proto)
		return RUN_UNKNOWN;
	if (!mounts_is_rdma(mount->proto))
		return rdma ? RUN_MIXED : RUN_OTHER;
	if (!mount->nxprts)
		return RUN_CLAIMED;
	return rdma == mount->nxprts ? RUN_RDMA : RUN_MIXED;
}

static bool is_same(const struct nfs_mount *a, const struct nfs_mount *b)
{
	return a->id == b->id && !strcmp(a->dev, b->dev) && !strcmp(a->target, b->target);
}

static void find_before(const struct mounts_seen *seen, struct mount_verdict *verdict)
{
	unsigned int i;

	for (i = 0; seen->before && i < seen->before->count; i++) {
		if (!is_same(&seen->before->list[i], verdict->mount))
			continue;
		verdict->before = &seen->before->list[i];
		verdict->answer = seen->answers ? &seen->answers[i] : NULL;
		return;
	}
}

/* What a mount lies on is covered by it. */
static void cover(const struct nfs_mounts *mounts, struct mount_verdict *verdicts,
		  unsigned int index)
{
	const struct nfs_mount *mount = &mounts->list[index], *under;

	if (mount->parent >= mounts->count || mount->parent == index)
		return;
	under = &mounts->list[mount->parent];
	if (mount->parent_id == under->id && !strcmp(mount->target, under->target))
		verdicts[mount->parent].covered = true;
}

static bool lies_below(const char *path, const char *above)
{
	size_t len = strlen(above);

	return !strncmp(path, above, len) &&
	       (path[len] == '/' || (len && above[len - 1] == '/'));
}

/* One that the kernel made by itself, where the server has another file system, or refers to
 * another server. Nobody ever gave it options. */
static unsigned int find_below(const struct nfs_mounts *mounts,
			       const struct nfs_mount *mount)
{
	if (mount->parent >= mounts->count || *mount->asked || *mount->fstab ||
	    !lies_below(mount->target, mounts->list[mount->parent].target))
		return UINT_MAX;
	return mount->parent;
}

/* The reply to statfs(2) was counted by a connection over RDMA. */
static bool is_proven(const struct mount_verdict *verdict)
{
	struct xprt_sum now, before;

	if (verdict->run != RUN_RDMA || !verdict->before || !verdict->answer ||
	    verdict->answer->state != MOUNT_ANSWERED)
		return false;
	mounts_sum(verdict->mount, &now);
	mounts_sum(verdict->before, &before);
	return now.ncolumns > XPRT_RECVS && before.ncolumns > XPRT_RECVS &&
	       now.values[XPRT_RECVS] > before.values[XPRT_RECVS];
}

static void look_at(const struct mounts_seen *seen, const struct nfs_mount *mount,
		    struct mount_verdict *out)
{
	out->mount = mount;
	find_before(seen, out);
	mounts_wish(seen, out);
	out->run = mounts_run(mount);
	out->proven = is_proven(out);
	out->below = find_below(seen->now, mount);
}

/* What the kernel made below another mount is wanted as that one is. */
static void inherit_wish(struct mount_verdict *verdicts, unsigned int index)
{
	const struct mount_verdict *above = &verdicts[index];
	unsigned int steps;

	for (steps = 0; above->below != UINT_MAX && steps < DEPTH_MAX; steps++)
		above = &verdicts[above->below];
	if (above == &verdicts[index])
		return;
	verdicts[index].wish = above->run == RUN_RDMA || above->run == RUN_CLAIMED
				       ? WISH_RDMA
				       : above->wish;
	verdicts[index].wish_by = "the mount above";
	verdicts[index].lenient = above->lenient;
	verdicts[index].guessed = above->guessed;
}

/* --- does it answer ------------------------------------------------------------------------ */

/* Errors of the client itself, or of the way there, where the server was not asked. */
static bool was_not_asked(int error)
{
	static const int errors[] = { 0,           EACCES,       EPERM,  ENOENT,
				      ENOTDIR,     ENAMETOOLONG, EXDEV,  EMFILE,
				      ENFILE,      EAGAIN,       ENOMEM, ELOOP,
				      EKEYEXPIRED, ECHILD };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(errors); i++)
		if (error == errors[i])
			return true;
	return false;
}

static const char *why_not_asked(int error)
{
	if (!error)
		return "the time ran out before";
	return error == EXDEV ? "something else is mounted there now" : strerror(error);
}

static void judge_answer(const struct mount_verdict *verdict, struct mount_opinion *out)
{
	const struct mount_answer *answer = verdict->answer;
	char left[64] = "";

	if (answer && answer->left)
		snprintf(left, sizeof(left), "; process %d has not ended after SIGKILL",
			 answer->left);

	if (verdict->covered || !answer)
		mounts_say(out, FINDING_SKIP, "not asked");
	else if (answer->state == MOUNT_ANSWERED)
		mounts_say(out, FINDING_PASS, "answers in %.1f ms", answer->ms);
	else if (answer->state == MOUNT_SILENT)
		mounts_say(out, FINDING_FAIL,
			   "does not answer: whoever touches it waits%s%s",
			   verdict->mount->hard ? ", without an end" : "", left);
	else if (was_not_asked(answer->error))
		mounts_say(out, FINDING_UNKNOWN, "could not be asked: %s",
			   why_not_asked(answer->error));
	else
		mounts_say(out, FINDING_FAIL, "answers with an error: %s",
			   strerror(answer->error));
}

/* --- all of them --------------------------------------------------------------------------- */

static void judge(const struct mounts_seen *seen, struct mount_verdict *verdicts,
		  unsigned int index)
{
	struct mount_opinion *opinions = verdicts[index].opinions;
	const struct mounts_audit audit = { seen, verdicts, index };

	judge_answer(&verdicts[index], &opinions[MOUNT_ANSWER]);
	mounts_judge_submount(&audit, &opinions[MOUNT_SUBMOUNT]);
	mounts_judge_transport(&audit, &opinions[MOUNT_TRANSPORT]);
	mounts_judge_options(&audit, &opinions[MOUNT_OPTIONS]);
	mounts_judge_counters(&audit, &opinions[MOUNT_COUNTERS]);
	mounts_judge_reads(&audit, &opinions[MOUNT_READS]);
}

int mounts_audit(const struct mounts_seen *seen, struct mount_verdict **out)
{
	unsigned int i, count = seen->now->count;
	struct mount_verdict *verdicts = calloc(count + 1, sizeof(*verdicts));

	if (!verdicts)
		return err_set(ENOMEM, "no memory");
	for (i = 0; i < count; i++)
		look_at(seen, &seen->now->list[i], &verdicts[i]);
	for (i = 0; i < count; i++) {
		cover(seen->now, verdicts, i);
		inherit_wish(verdicts, i);
	}
	for (i = 0; i < count; i++)
		judge(seen, verdicts, i);
	*out = verdicts;
	return 0;
}

enum finding_status mounts_status(const struct mount_verdict *verdict)
{
	static const enum finding_status order[] = { FINDING_FAIL, FINDING_UNKNOWN,
						     FINDING_WARN, FINDING_PASS };
	unsigned int i, aspect;

	for (i = 0; i < ARRAY_SIZE(order); i++)
		for (aspect = 0; aspect < MOUNT_ASPECTS; aspect++)
			if (verdict->opinions[aspect].status == order[i])
				return order[i];
	return FINDING_SKIP;
}

const char *mounts_wish_name(enum mount_wish wish)
{
	static const char *const names[] = {
		[WISH_UNKNOWN] = "unknown",
		[WISH_NONE] = "any",
		[WISH_TCP] = "tcp",
		[WISH_RDMA] = "rdma",
	};

	return names[wish];
}

const char *mounts_run_name(const struct mount_verdict *verdict)
{
	return verdict->run == RUN_UNKNOWN             ? "unknown"
	       : verdict->run == RUN_MIXED             ? "mixed"
	       : mounts_is_rdma(verdict->mount->proto) ? "rdma"
						       : verdict->mount->proto;
}
