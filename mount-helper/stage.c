/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The process that mounts: runs mount.nfs, proves what came of it, and undoes what is not to stay.
 * It alone touches the directory, which may lie on a file system whose server is gone: then it
 * hangs, and the process that waits for it does not.
 *
 * Whoever is killed takes along what depends on it: the kernel kills this process when its parent
 * ends, and mount.nfs when this one does. In the hidden form nothing is mounted then that was not
 * proven; in the open form a mount may be left, and the record says that it is unproven. */
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mount.h>
#include <sys/signalfd.h>
#include <sys/stat.h>

#include <libmount/libmount.h>

#include "mount-helper/internal.h"
#include "rpcrdma/child/child.h"

/* Beyond mount.nfs's own deadline: for its end, the proof and the undoing. */
#define GRACE_MS 5000

struct work {
	const struct stage *stage;
	struct stage_result *result;
	int signals;
	int to;               /* the directory, at home */
	struct hidden hidden; /* home: -1: in the open */
	unsigned int home_id,
		before; /* of the mount that the directory is on, here and now */
};

static void end_as(struct work *work, enum stage_end end, const char *text)
{
	work->result->end = end;
	snprintf(work->result->text, sizeof(work->result->text), "%.*s",
		 (int)sizeof(work->result->text) - 1, text);
}

/* --- mount.nfs -------------------------------------------------------------------------------- */

static void add(const char *argv[MOUNT_NFS_ARGS_MAX + 1], size_t *n, bool wanted,
		const char *word)
{
	if (wanted)
		argv[(*n)++] = word;
}

/* Source and directory first, as mount(8) has them: mount.nfs of old does not take them
 * otherwise. Its name chooses what it does, too. */
static void make_args(const struct stage *stage, const char *argv[MOUNT_NFS_ARGS_MAX + 1])
{
	size_t n = 0;

	add(argv, &n, true, "mount.nfs");
	add(argv, &n, true, stage->spec);
	add(argv, &n, true, stage->dir);
	add(argv, &n, stage->args->sloppy, "-s");
	add(argv, &n, stage->args->fake, "-f");
	add(argv, &n, stage->args->no_mtab, "-n");
	add(argv, &n, stage->args->verbose, "-v");
	add(argv, &n, stage->args->read_only, "-r");
	add(argv, &n, stage->args->read_write, "-w");
	add(argv, &n, true, "-o");
	add(argv, &n, true, stage->options);
	argv[n] = NULL;
}

static int call_mount_nfs(struct work *work, struct mount_nfs_end *end)
{
	const char *argv[MOUNT_NFS_ARGS_MAX + 1];

	make_args(work->stage, argv);
	return mount_nfs_run(work->stage->program, argv, work->signals,
			     work->stage->deadline, end);
}

int stage_exec(const struct stage *stage)
{
	const char *argv[MOUNT_NFS_ARGS_MAX + 1];

	make_args(stage, argv);
	return mount_nfs_exec(stage->program, argv);
}

static void say_failed(struct work *work, const struct mount_nfs_end *end)
{
	char text[64];

	work->result->status = end->status;
	if (end->interrupted) {
		end_as(work, STAGE_INTERRUPTED, "interrupted");
	} else if (end->timed_out) {
		end_as(work, STAGE_TIMEOUT, end->last);
	} else if (end->status < 0) {
		snprintf(text, sizeof(text), "mount.nfs was ended by signal %d",
			 end->signal);
		end_as(work, STAGE_FAILED, text);
	} else {
		end_as(work, STAGE_FAILED, end->last);
	}
}

/* --- undoing ---------------------------------------------------------------------------------- */

/* What libmount keeps of a mount besides the kernel (/run/mount/utab): mount.nfs wrote a line. */
static void forget_utab(const char *dir)
{
	struct libmnt_update *update = mnt_new_update();

	if (update && !mnt_update_set_fs(update, 0, dir, NULL))
		mnt_update_table(update, NULL);
	mnt_free_update(update);
}

/* Only what is new: the number of the topmost mount there is another than before. */
static bool is_new(const struct work *work, unsigned int *id, int *fd)
{
	*fd = open(work->stage->dir, O_PATH | O_DIRECTORY | O_CLOEXEC);
	return *fd >= 0 && !proof_mount_id(work->stage->host, *fd, id) &&
	       *id != work->before;
}

/* Hidden, it ends with this process. */
static bool undo(struct work *work)
{
	const char *dir = work->stage->dir;
	bool gone = work->hidden.home >= 0 || !umount2(dir, UMOUNT_NOFOLLOW) ||
		    !umount2(dir, UMOUNT_NOFOLLOW | MNT_DETACH);

	if (gone)
		forget_utab(dir);
	return gone;
}

/* mount.nfs failed, or was ended: it can have mounted before. */
static void undo_rest(struct work *work)
{
	_cleanup_close_ int fd = -1;
	unsigned int id;

	if (work->stage->remount || !is_new(work, &id, &fd))
		return;
	close(take_fd(&fd));
	if (!undo(work))
		end_as(work, STAGE_LEFT, "what it left mounted could not be undone");
}

/* --- proof ------------------------------------------------------------------------------------ */

/* In place, or put there. */
static void settle(struct work *work, enum stage_end end)
{
	struct stage_result *result = work->result;
	unsigned int id = result->proof.id;
	int rc = 0;

	if (work->hidden.home >= 0 && end == STAGE_MOUNTED)
		rc = hidden_reveal(work->stage->host, &work->hidden, &id);
	else if (work->hidden.home >= 0)
		id = work->home_id;
	if (rc) {
		/* The mount of the namespace ends with this process. */
		forget_utab(work->stage->dir);
		end_as(work, STAGE_NOT_HIDDEN, strerror(-rc));
		return;
	}
	result->proof.id = id;
	end_as(work, end, "");
}

static void prove(struct work *work, unsigned int id, bool fresh)
{
	struct stage_result *result = work->result;
	int rc = proof_read(work->stage->host, id, &result->proof);

	if (rc)
		snprintf(result->proof.why, sizeof(result->proof.why), "%.255s",
			 err_text());
	result->proof.id = id;
	debug(DEBUG_MOUNT, "%s on %s: mount %u, device %s, %s by %s, NFSv%s%s%s",
	      work->stage->spec, work->stage->dir, id, result->proof.dev,
	      fresh ? "made" : "found", result->proof.proto, result->proof.vers,
	      result->proof.rdma ? "" : ": ", result->proof.why);
	if (result->proof.rdma || work->stage->keep || !fresh) {
		settle(work, fresh ? STAGE_MOUNTED : STAGE_ALREADY);
		return;
	}
	/* Nothing of it may be open when it is to go. */
	if (work->hidden.at >= 0)
		close(take_fd(&work->hidden.at));
	if (undo(work))
		end_as(work, STAGE_UNDONE, "");
	else
		end_as(work, STAGE_LEFT, "it could not be undone");
}

/* mount.nfs takes it for success if the same is mounted there already (EBUSY), and if it goes on in
 * the background. */
static void look_at_old(struct work *work)
{
	struct proof proof;

	if (work->stage->remount) {
		prove(work, work->before, false);
	} else if (!proof_read(work->stage->host, work->before, &proof) && proof.found &&
		   !strcmp(proof.fs_spec, work->stage->spec)) {
		prove(work, work->before, false);
	} else {
		end_as(work, STAGE_NOTHING,
		       "mount.nfs ended without an error, and nothing is mounted");
	}
}

static void look_at(struct work *work)
{
	unsigned int id;

	if (work->stage->remount || !is_new(work, &id, &work->hidden.at))
		look_at_old(work);
	else
		prove(work, id, true);
}

/* --- the process ------------------------------------------------------------------------------ */

static int open_dir(struct work *work, int *fd, unsigned int *id)
{
	int rc;

	*fd = open(work->stage->dir, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (*fd < 0)
		rc = err_sys("the directory %s", work->stage->dir);
	else
		rc = proof_mount_id(work->stage->host, *fd, id);
	if (rc)
		end_as(work, STAGE_UNMADE, err_text());
	return rc;
}

static int go_hidden(struct work *work)
{
	_cleanup_close_ int fd = -1;
	int rc = hidden_enter(&work->hidden.home);

	if (rc) {
		end_as(work, STAGE_NOT_HIDDEN, strerror(-rc));
		return rc;
	}
	work->result->hidden = true;
	work->hidden.path = work->stage->dir;
	work->hidden.to = work->to;
	return open_dir(work, &fd, &work->before);
}

static void do_work(struct work *work)
{
	struct mount_nfs_end end;

	if (open_dir(work, &work->to, &work->home_id))
		return;
	work->before = work->home_id;
	if (work->stage->hidden && go_hidden(work))
		return;
	if (call_mount_nfs(work, &end)) {
		end_as(work, STAGE_UNMADE, err_text());
		return;
	}
	debug(DEBUG_MOUNT, "%s on %s: mount.nfs ended with status %d, signal %d: %s",
	      work->stage->spec, work->stage->dir, end.status, end.signal, end.last);
	if (end.status) {
		say_failed(work, &end);
		undo_rest(work);
		return;
	}
	work->result->status = 0;
	if (work->stage->args->fake)
		end_as(work, STAGE_FAKED, "");
	else
		look_at(work);
}

struct stage_task {
	const struct stage *stage;
	int signals;
};

static int stage_work(void *arg, int channel)
{
	const struct stage_task *task = arg;
	struct stage_result result = { .end = STAGE_UNMADE, .status = -1 };
	struct work work = { .stage = task->stage,
			     .result = &result,
			     .signals = task->signals,
			     .to = -1,
			     .hidden = { .home = -1, .at = -1, .to = -1 } };

	/* Neither keeps a file system busy nor is asked where it is. */
	if (chdir("/"))
		return 1;
	do_work(&work);
	return child_answer(channel, &result, sizeof(result));
}

/* --- who waits for it --------------------------------------------------------------------------- */

/* False: it ended without a word, or has not ended by the deadline. */
static bool receive(const struct child *child, struct stage_result *out,
		    uint64_t deadline)
{
	int type, passed;
	ssize_t n;

	do
		n = child_receive(child, &type, out, sizeof(*out), &passed, deadline);
	while (n == -EINTR);
	return n == sizeof(*out) && type == CHANNEL_ANSWER;
}

static void say_lost(struct stage_result *out, const struct child_end *end,
		     uint64_t deadline)
{
	char how[96];

	memset(out, 0, sizeof(*out));
	out->status = -1;
	out->end = deadline_left(deadline) ? STAGE_LEFT : STAGE_TIMEOUT;
	if (deadline_left(deadline))
		snprintf(out->text, sizeof(out->text),
			 "the process that mounts was killed: what it left is not known");
	else
		snprintf(out->text, sizeof(out->text),
			 "the directory, or the mount, does not answer%s%s",
			 end->fate == CHILD_LEFT ? "; the process that mounts " : "",
			 end->fate == CHILD_LEFT ? child_end_text(end, how, sizeof(how))
						 : "");
}

/* Signals that end us end mount.nfs first, and are looked at by who waits for it. */
static int block_signals(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	sigaddset(&set, SIGQUIT);
	sigprocmask(SIG_BLOCK, &set, NULL);
	return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

static void forward(int signals, pid_t pid)
{
	struct signalfd_siginfo info;

	while (signals >= 0 && read(signals, &info, sizeof(info)) == sizeof(info))
		kill(pid, (int)info.ssi_signo);
}

/* Our own signals are the process's, too, while we wait. */
static bool wait_for(const struct child *child, int signals, uint64_t deadline)
{
	struct pollfd pfds[] = { { child->channel, POLLIN, 0 }, { signals, POLLIN, 0 } };

	while (deadline_left(deadline)) {
		if (poll(pfds, 2, deadline_left(deadline)) < 0 && errno != EINTR)
			return false;
		forward(signals, child->pid);
		if (pfds[0].revents)
			return true;
	}
	return false;
}

void stage_run(const struct stage *stage, struct stage_result *out)
{
	uint64_t deadline = stage->deadline + GRACE_MS;
	_cleanup_close_ int signals = block_signals();
	struct stage_task task = { stage, signals };
	const struct child_function function = { .kind = CHILD_MOUNTER,
						 .name = "the process that mounts",
						 .run = stage_work,
						 .arg = &task };
	struct child_end end;
	struct child child;
	bool answered;

	*out = (struct stage_result){ .end = STAGE_UNMADE, .status = -1 };
	if (child_start(&child, &function)) {
		snprintf(out->text, sizeof(out->text), "%.*s", (int)sizeof(out->text) - 1,
			 err_text());
		return;
	}
	answered = wait_for(&child, signals, deadline) && receive(&child, out, deadline);
	child_finish(&child, 0, &end);
	if (!answered)
		say_lost(out, &end, deadline);
}
