/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The verdict on each NFS mount: requested and actual transport (plugin/view), whether it answers, and an
 * opinion on each aspect. A mount that requested RDMA and runs over TCP works, and nothing else in the
 * system reports it. */
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

void mounts_say_why(struct mount_opinion *opinion, enum finding_status status,
		    const char *reason, const char *fmt, ...)
{
	va_list ap;

	opinion->reason = status == FINDING_PASS ? NULL : reason;
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

/* --- its transport ------------------------------------------------------------------ */

bool mounts_same_server(const struct nfs_mount *a, const struct nfs_mount *b)
{
	return *a->addr && !strcmp(a->addr, b->addr);
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

/* The reply to statfs(2) was counted by an RDMA connection. */
static bool is_proven(const struct mount_verdict *verdict)
{
	struct xprt_sum now, before;

	if (verdict->view->run != RUN_RDMA || !verdict->before || !verdict->answer ||
	    verdict->answer->state != MOUNT_ANSWERED)
		return false;
	mounts_sum(verdict->mount, &now);
	mounts_sum(verdict->before, &before);
	return now.ncolumns > XPRT_RECVS && before.ncolumns > XPRT_RECVS &&
	       now.values[XPRT_RECVS] > before.values[XPRT_RECVS];
}

static void look_at(const struct mounts_seen *seen, unsigned int index,
		    struct mount_verdict *out)
{
	out->view = view_mount(seen->view, index);
	out->mount = out->view->mount;
	find_before(seen, out);
	out->proven = is_proven(out);
}

/* --- does it answer ------------------------------------------------------------------------ */

/* The client's own errors: it did not ask the server. */
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
		return "time ran out";
	return error == EXDEV ? "something else is mounted there now" : strerror(error);
}

static const char *reason_of(int error, bool hard)
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
	return was_not_asked(error) ? "not-asked" : "error";
}

static void judge_answer(const struct mount_verdict *verdict, struct mount_opinion *out)
{
	const struct mount_answer *answer = verdict->answer;
	bool hard = verdict->mount->hard;
	char left[64] = "";

	if (answer && answer->left)
		snprintf(left, sizeof(left), "; process %d survived SIGKILL",
			 answer->left);

	if (verdict->view->covered || !answer)
		mounts_say(out, FINDING_SKIP, "not asked");
	else if (answer->state == MOUNT_ANSWERED)
		mounts_say(out, FINDING_PASS, "answers in %.1f ms", answer->ms);
	else if (answer->state == MOUNT_SILENT)
		mounts_say_why(out, FINDING_FAIL, hard ? "silent-hard" : "silent-soft",
			       "the server does not answer; programs that use it %s%s",
			       hard ? "wait until it does" : "wait, then get an error",
			       left);
	else if (was_not_asked(answer->error))
		mounts_say_why(out, FINDING_UNKNOWN, reason_of(answer->error, hard),
			       "could not be asked: %s", why_not_asked(answer->error));
	else
		mounts_say_why(out, FINDING_FAIL, reason_of(answer->error, hard),
			       "answers with an error: %s", strerror(answer->error));
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
	unsigned int i, count = view_nfs(seen->view)->count;
	struct mount_verdict *verdicts = calloc(count + 1, sizeof(*verdicts));

	if (!verdicts)
		return err_set(ENOMEM, "no memory");
	for (i = 0; i < count; i++)
		look_at(seen, i, &verdicts[i]);
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
