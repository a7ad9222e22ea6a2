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
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <libmount/libmount.h>

#include "mount-helper/internal.h"

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

static void add(const char *argv[CHILD_ARGS_MAX + 1], size_t *n, bool wanted,
		const char *word)
{
	if (wanted)
		argv[(*n)++] = word;
}

/* Source and directory first, as mount(8) has them: mount.nfs of old does not take them
 * otherwise. Its name chooses what it does, too. */
static void make_args(const struct stage *stage, const char *argv[CHILD_ARGS_MAX + 1])
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

static int call_mount_nfs(struct work *work, struct child_end *end)
{
	const char *argv[CHILD_ARGS_MAX + 1];

	make_args(work->stage, argv);
	return child_run(work->stage->program, argv, work->signals, work->stage->deadline,
			 end);
}

int stage_exec(const struct stage *stage)
{
	const char *argv[CHILD_ARGS_MAX + 1];

	make_args(stage, argv);
	return child_exec(stage->program, argv);
}

static void say_failed(struct work *work, const struct child_end *end)
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
	struct child_end end;

	if (open_dir(work, &work->to, &work->home_id))
		return;
	work->before = work->home_id;
	if (work->stage->hidden && go_hidden(work))
		return;
	if (call_mount_nfs(work, &end)) {
		end_as(work, STAGE_UNMADE, err_text());
		return;
	}
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

static void process(const struct stage *stage, pid_t parent, int signals, int to)
{
	struct stage_result result = { .end = STAGE_UNMADE, .status = -1 };
	struct work work = { .stage = stage,
			     .result = &result,
			     .signals = signals,
			     .to = -1,
			     .hidden = { .home = -1, .at = -1, .to = -1 } };
	size_t done = 0;
	ssize_t n;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(1);
	/* Neither keeps a file system busy nor is asked where it is. */
	if (chdir("/"))
		_exit(1);
	do_work(&work);
	for (; done < sizeof(result); done += (size_t)n) {
		n = write(to, (const char *)&result + done, sizeof(result) - done);
		if (n <= 0)
			_exit(1);
	}
	_exit(0);
}

/* --- who waits for it --------------------------------------------------------------------------- */

/* False: it ended without a word, or has not ended by the deadline. */
static bool receive(int from, struct stage_result *out, uint64_t deadline)
{
	struct pollfd pfd = { .fd = from, .events = POLLIN };
	size_t done = 0;
	ssize_t n;

	while (done < sizeof(*out)) {
		if (poll(&pfd, 1, deadline_left(deadline)) < 0 && errno != EINTR)
			return false;
		if (!pfd.revents && !deadline_left(deadline))
			return false;
		n = pfd.revents ? read(from, (char *)out + done, sizeof(*out) - done)
				: -1;
		if (!n || (n < 0 && pfd.revents && errno != EINTR))
			return false;
		done += n > 0 ? (size_t)n : 0;
	}
	return true;
}

static void say_lost(struct stage_result *out, uint64_t deadline)
{
	memset(out, 0, sizeof(*out));
	out->status = -1;
	out->end = deadline_left(deadline) ? STAGE_LEFT : STAGE_TIMEOUT;
	snprintf(out->text, sizeof(out->text), "%s",
		 deadline_left(deadline)
			 ? "the process that mounts was killed: what it left is not known"
			 : "the directory, or the mount, does not answer");
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
static bool wait_for(int from, int signals, pid_t pid, uint64_t deadline)
{
	struct pollfd pfds[] = { { from, POLLIN, 0 }, { signals, POLLIN, 0 } };

	while (deadline_left(deadline)) {
		if (poll(pfds, 2, deadline_left(deadline)) < 0 && errno != EINTR)
			return false;
		forward(signals, pid);
		if (pfds[0].revents)
			return true;
	}
	return false;
}

void stage_run(const struct stage *stage, struct stage_result *out)
{
	uint64_t deadline = stage->deadline + GRACE_MS;
	_cleanup_close_ int signals = block_signals();
	_cleanup_close_ int from = -1;
	_cleanup_close_ int to = -1;
	pid_t parent = getpid(), pid;
	int pair[2];

	*out = (struct stage_result){ .end = STAGE_UNMADE, .status = -1 };
	if (pipe2(pair, O_CLOEXEC)) {
		snprintf(out->text, sizeof(out->text), "no pipe: %s", strerror(errno));
		return;
	}
	from = pair[0];
	to = pair[1];
	pid = fork();
	if (pid < 0) {
		snprintf(out->text, sizeof(out->text), "no process: %s", strerror(errno));
		return;
	}
	if (!pid)
		process(stage, parent, signals, to);
	close(take_fd(&to));
	if (!wait_for(from, signals, pid, deadline) || !receive(from, out, deadline))
		say_lost(out, deadline);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, deadline_left(deadline) ? 0 : WNOHANG);
}
