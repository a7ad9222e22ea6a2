/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The process that mounts: runs mount.nfs, proves the transport of the mount, and unmounts what
 * must not stay. Only this process accesses the directory, which may be on a file system whose
 * server is gone: then it hangs, and its parent does not.
 *
 * A killed process takes its children along: the kernel kills this process when its parent ends,
 * and mount.nfs when this one ends. In the hidden form nothing unproven is then mounted; in the
 * open form a mount may be left. What was noted as pending stays, which keeps guests off the
 * directory while nothing is mounted there. */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mount.h>
#include <sys/stat.h>

#include <libmount/libmount.h>

#include "mount-helper/internal.h"
#include "rpcrdma/child/child.h"

/* After the deadline of mount.nfs: for its end, the proof and the unmount. */
#define GRACE_MS 5000

struct mounter {
	const struct helper *helper;
	const struct mounter_request *request;
	struct mounter_result result;
	struct hidden hidden; /* home -1: not hidden */
	unsigned int home_id,
		before; /* mount ID of the directory, in the original namespace and here */
};

static void mounter_end(struct mounter *mounter, enum mounter_end end, const char *text)
{
	mounter->result.end = end;
	snprintf(mounter->result.text, sizeof(mounter->result.text), "%.*s",
		 (int)sizeof(mounter->result.text) - 1, text);
}

/* Source and directory first, as from mount(8): old versions of mount.nfs require that. The name
 * selects what it does, too. */
static void mounter_args(const struct helper *helper, const char *options,
			 const char *argv[MOUNT_NFS_ARGS_MAX + 1])
{
	const struct args *args = &helper->args;
	size_t n = 0;

	argv[n++] = "mount.nfs";
	argv[n++] = args->spec;
	argv[n++] = helper->dir;
	if (args->sloppy)
		argv[n++] = "-s";
	if (args->fake)
		argv[n++] = "-f";
	if (args->no_mtab)
		argv[n++] = "-n";
	if (args->verbose)
		argv[n++] = "-v";
	if (args->read_only)
		argv[n++] = "-r";
	if (args->read_write)
		argv[n++] = "-w";
	argv[n++] = "-o";
	argv[n++] = options;
	argv[n] = NULL;
}

int mounter_exec(const struct helper *helper)
{
	const char *argv[MOUNT_NFS_ARGS_MAX + 1];

	mounter_args(helper, helper->plan->options, argv);
	return mount_nfs_exec(helper->program, argv);
}

/* --- undoing ---------------------------------------------------------------------------------- */

/* libmount's own data of a mount (/run/mount/utab), where mount.nfs wrote a line. */
static void mounter_forget_utab(const char *dir)
{
	struct libmnt_update *update = mnt_new_update();

	if (update && !mnt_update_set_fs(update, 0, dir, NULL))
		mnt_update_table(update, NULL);
	mnt_free_update(update);
}

enum mounter_fresh {
	FRESH_NO,      /* no new mount */
	FRESH_OPEN,    /* a new mount, opened */
	FRESH_CLOSED,  /* a new mount that does not open: text says why */
	FRESH_UNKNOWN, /* unknown: text says why */
};

/* The topmost mount on a directory, by name: for a directory that does not open. */
static int mounter_topmost(const struct host *host, const char *dir, unsigned int *id)
{
	_cleanup_(host_mounts_fini) struct host_mounts mounts = { .count = 0 };
	const struct host_mount *top = NULL;
	int rc = host_mounts(host, &mounts);
	size_t i;

	if (rc)
		return rc;
	for (i = 0; i < mounts.count; i++)
		if (!strcmp(mounts.list[i].target, dir))
			top = &mounts.list[i];
	if (mounts.cut)
		return err_set(EFBIG, "mountinfo has too many or unreadable lines");
	*id = top ? top->id : 0;
	return top ? 0 : err_set(ENOENT, "%s is not a mount point", dir);
}

/* A mount is new if the ID of the topmost mount has changed. A directory that does not open (a
 * stale handle, an error of the server, no descriptor left) proves nothing. */
static enum mounter_fresh mounter_find_new(const struct mounter *mounter, unsigned int *id, int *fd,
					   char why[MOUNT_NFS_LAST_MAX])
{
	const struct helper *helper = mounter->helper;
	int rc;

	*fd = open(helper->dir, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (*fd < 0)
		rc = err_sys("open %.200s", helper->dir);
	else
		rc = proof_mount_id(helper->host, *fd, id);
	if (!rc)
		return *id != mounter->before ? FRESH_OPEN : FRESH_NO;
	text_copy(why, MOUNT_NFS_LAST_MAX, err_text());
	if (*fd >= 0)
		close(take_fd(fd));
	rc = mounter_topmost(helper->host, helper->dir, id);
	if (rc == -ENOENT)
		return FRESH_NO;
	if (rc)
		return FRESH_UNKNOWN;
	return *id != mounter->before ? FRESH_CLOSED : FRESH_NO;
}

/* Hidden, it ends with this process. */
static bool mounter_undo(struct mounter *mounter)
{
	const char *dir = mounter->helper->dir;
	bool undone = mounter->hidden.home >= 0 || !umount2(dir, UMOUNT_NOFOLLOW) ||
		      !umount2(dir, UMOUNT_NOFOLLOW | MNT_DETACH);

	if (undone)
		mounter_forget_utab(dir);
	return undone;
}

static void mounter_end_left(struct mounter *mounter, const char *what, const char *why)
{
	char text[2 * MOUNT_NFS_LAST_MAX];

	snprintf(text, sizeof(text), "%s%s%s", what, why[0] ? ": " : "", why);
	mounter_end(mounter, MOUNTER_LEFT, text);
}

/* mount.nfs failed or was ended, but may have mounted. */
static void mounter_fail(struct mounter *mounter, const struct mount_nfs_end *end)
{
	char text[64], why[MOUNT_NFS_LAST_MAX] = "";
	_cleanup_close_ int fd = -1;
	enum mounter_fresh fresh;
	unsigned int id;

	mounter->result.status = end->status;
	if (end->interrupted) {
		mounter_end(mounter, MOUNTER_INTERRUPTED, end->last);
	} else if (end->timed_out) {
		mounter_end(mounter, MOUNTER_TIMEOUT, end->last);
	} else if (end->status < 0) {
		snprintf(text, sizeof(text), "mount.nfs was killed by signal %d", end->signal);
		mounter_end(mounter, MOUNTER_FAILED, text);
	} else {
		mounter_end(mounter, MOUNTER_FAILED, end->last);
	}
	if (mounter->helper->plan->remount)
		return;
	fresh = mounter_find_new(mounter, &id, &fd, why);
	if (fresh == FRESH_NO)
		return;
	if (fd >= 0)
		close(take_fd(&fd));
	if (fresh == FRESH_UNKNOWN && mounter->hidden.home < 0)
		mounter_end_left(mounter, "it is unknown whether mount.nfs mounted it", why);
	else if (!mounter_undo(mounter))
		mounter_end_left(mounter, "what mount.nfs mounted could not be unmounted",
				 mounter->result.text);
}

/* --- proof ------------------------------------------------------------------------------------ */

/* A mount that may stay is moved into place, where it is hidden. */
static void mounter_prove(struct mounter *mounter, unsigned int id, bool fresh)
{
	const struct helper *helper = mounter->helper;
	struct proof *proof = &mounter->result.proof;
	int rc = proof_read(helper->host, id, proof);

	if (rc)
		snprintf(proof->why, sizeof(proof->why), "%.255s", err_text());
	proof->mount.id = id;
	debug(DEBUG_MOUNT, "%s on %s: mount %u, device %s, %s by %s, NFSv%s%s%s", helper->args.spec,
	      helper->dir, id, proof->mount.dev, fresh ? "made" : "found", proof->mount.proto,
	      proof->mount.vers, proof->rdma ? "" : ": ", proof->why);
	if (!proof->rdma && !mounter->request->keep && fresh) {
		/* An open descriptor would keep it busy. */
		if (mounter->hidden.at >= 0)
			close(take_fd(&mounter->hidden.at));
		if (mounter_undo(mounter))
			mounter_end(mounter, MOUNTER_UNDONE, "");
		else
			mounter_end(mounter, MOUNTER_LEFT, "it could not be unmounted");
		return;
	}
	if (mounter->hidden.home >= 0 && fresh) {
		rc = hidden_reveal(helper->host, &mounter->hidden, helper->dir, &id);
		if (rc) {
			/* The mount in the namespace ends with this process. */
			mounter_forget_utab(helper->dir);
			mounter_end(mounter, MOUNTER_NOT_HIDDEN, strerror(-rc));
			return;
		}
	} else if (mounter->hidden.home >= 0) {
		id = mounter->home_id;
	}
	proof->mount.id = id;
	mounter_end(mounter, fresh ? MOUNTER_MOUNTED : MOUNTER_ALREADY, "");
}

/* mount.nfs reported success. */
static void mounter_succeed(struct mounter *mounter)
{
	const struct helper *helper = mounter->helper;
	char why[MOUNT_NFS_LAST_MAX] = "", text[2 * MOUNT_NFS_LAST_MAX];
	enum mounter_fresh fresh = FRESH_NO;
	unsigned int id = 0;
	struct proof proof;

	if (!helper->plan->remount)
		fresh = mounter_find_new(mounter, &id, &mounter->hidden.at, why);
	if (fresh == FRESH_OPEN) {
		mounter_prove(mounter, id, true);
	} else if (fresh == FRESH_NO) {
		/* mount.nfs exits with 0 if the same is mounted there already (EBUSY), and if it
		 * continues in the background. */
		if (helper->plan->remount ||
		    (!proof_read(helper->host, mounter->before, &proof) && proof.found &&
		     !strcmp(proof.mount.fs_spec, helper->args.spec)))
			mounter_prove(mounter, mounter->before, false);
		else
			mounter_end(mounter, MOUNTER_NOTHING,
				    "mount.nfs reported no error, but nothing is mounted");
	} else if (fresh == FRESH_UNKNOWN && mounter->hidden.home < 0) {
		mounter_end_left(mounter, "it is unknown whether mount.nfs mounted it", why);
	} else if (mounter_undo(mounter)) {
		snprintf(text, sizeof(text), "the new mount was unmounted again: %s", why);
		mounter_end(mounter, MOUNTER_UNMADE, text);
	} else {
		mounter_end_left(mounter,
				 "the new mount cannot be opened and could not be unmounted", why);
	}
}

/* --- the process ------------------------------------------------------------------------------ */

static int mounter_open_dir(struct mounter *mounter, int *fd, unsigned int *id)
{
	const struct helper *helper = mounter->helper;
	int rc;

	*fd = open(helper->dir, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (*fd < 0)
		rc = err_sys("the directory %s", helper->dir);
	else
		rc = proof_mount_id(helper->host, *fd, id);
	if (rc)
		mounter_end(mounter, MOUNTER_UNMADE, err_text());
	return rc;
}

static void mounter_work(struct mounter *mounter)
{
	const struct helper *helper = mounter->helper;
	const struct mounter_request *request = mounter->request;
	int signals = helper->waiting.signals ? helper->waiting.signals : -1;
	const char *argv[MOUNT_NFS_ARGS_MAX + 1];
	_cleanup_close_ int fd = -1;
	struct mount_nfs_end end;
	int rc;

	if (mounter_open_dir(mounter, &mounter->hidden.to, &mounter->home_id))
		return;
	mounter->before = mounter->home_id;
	if (request->hidden) {
		rc = hidden_enter(&mounter->hidden.home);
		if (rc) {
			mounter_end(mounter, MOUNTER_NOT_HIDDEN, strerror(-rc));
			return;
		}
		mounter->result.hidden = true;
		if (mounter_open_dir(mounter, &fd, &mounter->before))
			return;
		close(take_fd(&fd));
	}
	mounter_args(helper, request->options, argv);
	if (mount_nfs_run(helper->program, argv, signals, request->deadline, &end)) {
		mounter_end(mounter, MOUNTER_UNMADE, err_text());
		return;
	}
	debug(DEBUG_MOUNT, "%s on %s: mount.nfs ended with status %d, signal %d: %s",
	      helper->args.spec, helper->dir, end.status, end.signal, end.last);
	if (end.status) {
		mounter_fail(mounter, &end);
		return;
	}
	mounter->result.status = 0;
	if (helper->args.fake)
		mounter_end(mounter, MOUNTER_FAKED, "");
	else
		mounter_succeed(mounter);
}

static int mounter_child(void *arg, int channel)
{
	struct mounter *mounter = arg;

	/* So it keeps no file system busy. */
	if (chdir("/"))
		return 1;
	mounter_work(mounter);
	return child_answer(channel, &mounter->result, sizeof(mounter->result));
}

/* --- the parent --------------------------------------------------------------------------- */

/* It ended without an answer, or not by the deadline. */
static void mounter_lost(struct mounter_result *out, const struct child_end *end, uint64_t deadline)
{
	char how[CHILD_END_TEXT_MAX];

	memset(out, 0, sizeof(*out));
	out->status = -1;
	out->end = deadline_left(deadline) ? MOUNTER_LEFT : MOUNTER_TIMEOUT;
	if (deadline_left(deadline))
		snprintf(out->text, sizeof(out->text),
			 "the mounting process was killed; it is unknown what it left");
	else
		snprintf(out->text, sizeof(out->text),
			 "the directory or the mount does not answer%s%s",
			 end->fate == CHILD_LEFT ? "; the mounting process " : "",
			 end->fate == CHILD_LEFT ? child_end_text(end, how, sizeof(how)) : "");
}

void mounter_run(struct helper *helper, const struct mounter_request *request,
		 struct mounter_result *out)
{
	uint64_t deadline = request->deadline + GRACE_MS;
	struct mounter mounter = { .helper = helper,
				   .request = request,
				   .result = { .end = MOUNTER_UNMADE, .status = -1 },
				   .hidden = { .home = -1, .at = -1, .to = -1 } };
	const struct child_function function = { .kind = CHILD_MOUNTER,
						 .name = "the mounting process",
						 .run = mounter_child,
						 .arg = &mounter };
	struct child_end end;
	enum wait_end waited;
	struct child child;
	int type = 0;
	ssize_t n = -1;

	*out = mounter.result;
	if (child_start(&child, &function)) {
		snprintf(out->text, sizeof(out->text), "%.*s", (int)sizeof(out->text) - 1,
			 err_text());
		return;
	}
	/* While we wait, our signals are passed on to the process: they end mount.nfs first. */
	while ((waited = waiting_for(&helper->waiting, child.channel, deadline)) == WAIT_SIGNAL)
		kill(child.pid, helper->waiting.signal);
	if (waited == WAIT_READY)
		do
			n = child_receive(&child, &type, out, sizeof(*out), deadline);
		while (n == -EINTR);
	child_finish(&child, 0, &end);
	if (n != sizeof(*out) || type != CHANNEL_ANSWER)
		mounter_lost(out, &end, deadline);
}
