/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The verdict on each NFS mount: requested and actual transport (plugin/view), whether it answers,
 * and an opinion on each aspect. A mount that requested RDMA and runs over TCP works, and nothing
 * else in the system reports it. */
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>

#include "plugin/mounts/internal.h"

const char *const mount_aspect_ids[MOUNT_ASPECTS] = {
	[MOUNT_ANSWER] = "mount.answer",     [MOUNT_TRANSPORT] = "mount.transport",
	[MOUNT_SUBMOUNT] = "mount.submount", [MOUNT_OPTIONS] = "mount.options",
	[MOUNT_COUNTERS] = "mount.counters", [MOUNT_READS] = "bug.read-812",
};

PRINTF_LIKE(3, 0)
static void mounts_audit_set(struct mount_opinion *opinion, enum finding_status status,
			     const char *fmt, va_list ap)
{
	opinion->status = status;
	vsnprintf(opinion->text, sizeof(opinion->text), fmt, ap);
}

void mounts_say(struct mount_opinion *opinion, enum finding_status status, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	mounts_audit_set(opinion, status, fmt, ap);
	va_end(ap);
}

void mounts_say_why(struct mount_opinion *opinion, enum finding_status status, const char *reason,
		    const char *fmt, ...)
{
	va_list ap;

	opinion->reason = status == FINDING_PASS ? NULL : reason;
	va_start(ap, fmt);
	mounts_audit_set(opinion, status, fmt, ap);
	va_end(ap);
}

void mounts_skip(struct mount_opinion *opinion, enum mount_aspect because, const char *fmt, ...)
{
	va_list ap;

	opinion->because = mount_aspect_ids[because];
	va_start(ap, fmt);
	mounts_audit_set(opinion, FINDING_SKIP, fmt, ap);
	va_end(ap);
}

/* --- its transport ------------------------------------------------------------------ */

bool mounts_same_server(const struct nfs_mount *a, const struct nfs_mount *b)
{
	return *a->addr && !strcmp(a->addr, b->addr);
}

/* The same mount in the first look, its answer, and whether the transport is proven: the reply to
 * statfs(2) was counted by an RDMA connection. */
static void mounts_audit_compare(const struct mounts_seen *seen, struct mount_verdict *verdict)
{
	const struct nfs_mount *mount = verdict->mount, *before;
	struct xprt_sum now, then;
	unsigned int i;

	for (i = 0; seen->before && i < seen->before->count; i++) {
		before = &seen->before->list[i];
		if (before->id != mount->id || strcmp(before->dev, mount->dev) ||
		    strcmp(before->target, mount->target))
			continue;
		verdict->before = before;
		verdict->answer = seen->answers ? &seen->answers[i] : NULL;
		break;
	}
	if (verdict->view->run != RUN_RDMA || !verdict->before || !verdict->answer ||
	    verdict->answer->state != MOUNT_ANSWERED)
		return;
	mounts_sum(mount, &now);
	mounts_sum(verdict->before, &then);
	verdict->proven = now.ncolumns > XPRT_RECVS && then.ncolumns > XPRT_RECVS &&
			  now.values[XPRT_RECVS] > then.values[XPRT_RECVS];
}

/* --- does it answer ------------------------------------------------------------------------ */

/* The client's own errors: it did not ask the server. */
static bool mounts_audit_was_not_asked(int error)
{
	static const int errors[] = {
		0,      EACCES, EPERM,  ENOENT, ENOTDIR, ENAMETOOLONG, EXDEV,
		EMFILE, ENFILE, EAGAIN, ENOMEM, ELOOP,   EKEYEXPIRED,  ECHILD
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(errors); i++)
		if (error == errors[i])
			return true;
	return false;
}

static const char *mounts_audit_reason(int error, bool hard)
{
	static const struct {
		int error;
		const char *reason;
	} rows[] = {
		{ 0, "no-time" },          { EACCES, "permission" },
		{ EPERM, "permission" },   { EKEYEXPIRED, "key-expired" },
		{ EXDEV, "mounted-over" }, { ESTALE, "stale" },
	};
	size_t i;

	/* What the options soft and softerr return. */
	if (!hard && (error == EIO || error == ETIMEDOUT))
		return "timed-out";
	for (i = 0; i < ARRAY_SIZE(rows); i++)
		if (rows[i].error == error)
			return rows[i].reason;
	return mounts_audit_was_not_asked(error) ? "not-asked" : "error";
}

static void mounts_audit_answer(const struct mount_verdict *verdict, struct mount_opinion *out)
{
	const struct mount_answer *answer = verdict->answer;
	bool hard = verdict->mount->hard;
	char left[64] = "";

	if (answer && answer->left)
		snprintf(left, sizeof(left), "; process %d survived SIGKILL", answer->left);

	if (verdict->view->covered || !answer)
		mounts_say(out, FINDING_SKIP, "not asked");
	else if (answer->state == MOUNT_ANSWERED)
		mounts_say(out, FINDING_PASS, "answers in %.1f ms", answer->ms);
	else if (answer->state == MOUNT_NO_ANSWER)
		mounts_say_why(out, FINDING_FAIL, hard ? "silent-hard" : "silent-soft",
			       "the server does not answer; programs that use it %s%s",
			       hard ? "wait until it does" : "wait, then get an error", left);
	else if (mounts_audit_was_not_asked(answer->error))
		mounts_say_why(out, FINDING_UNKNOWN, mounts_audit_reason(answer->error, hard),
			       "could not be asked: %s",
			       !answer->error           ? "time ran out"
			       : answer->error == EXDEV ? "something else is mounted there now"
							: strerror(answer->error));
	else
		mounts_say_why(out, FINDING_FAIL, mounts_audit_reason(answer->error, hard),
			       "answers with an error: %s", strerror(answer->error));
}

/* --- all of them --------------------------------------------------------------------------- */

int mounts_audit(const struct mounts_seen *seen, struct mount_verdict **out)
{
	unsigned int i, count = view_nfs(seen->view)->count;
	struct mount_verdict *verdicts = calloc(count + 1, sizeof(*verdicts));

	if (!verdicts)
		return err_no_memory();
	for (i = 0; i < count; i++) {
		verdicts[i].view = view_mount(seen->view, i);
		verdicts[i].mount = verdicts[i].view->mount;
		mounts_audit_compare(seen, &verdicts[i]);
	}
	for (i = 0; i < count; i++) {
		const struct mounts_audit audit = { seen, verdicts, i };
		struct mount_opinion *opinions = verdicts[i].opinions;

		mounts_audit_answer(&verdicts[i], &opinions[MOUNT_ANSWER]);
		mounts_judge_submount(&audit, &opinions[MOUNT_SUBMOUNT]);
		mounts_judge_transport(&audit, &opinions[MOUNT_TRANSPORT]);
		mounts_judge_options(&audit, &opinions[MOUNT_OPTIONS]);
		mounts_judge_counters(&audit, &opinions[MOUNT_COUNTERS]);
		mounts_judge_reads(&audit, &opinions[MOUNT_READS]);
	}
	*out = verdicts;
	return 0;
}

enum finding_status mounts_status(const struct mount_verdict *verdict)
{
	static const enum finding_status order[] = { FINDING_FAIL, FINDING_UNKNOWN, FINDING_WARN,
						     FINDING_PASS };
	unsigned int i, aspect;

	for (i = 0; i < ARRAY_SIZE(order); i++)
		for (aspect = 0; aspect < MOUNT_ASPECTS; aspect++)
			if (verdict->opinions[aspect].status == order[i])
				return order[i];
	return FINDING_SKIP;
}
