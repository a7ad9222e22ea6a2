/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* mount.nfs as a child. It gets an absolute path, a short environment, nothing to read, and pipes
 * for what it says, which is handed on: whoever mounts for somebody else waits until all copies of
 * its stderr are closed, and mount.nfs may start daemons (rpc.statd) that keep theirs.
 *
 * It stays in our process group: autofs lets through its own group only, and everybody else waits
 * for the very mount that we are to make. */
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "mount-helper/internal.h"

/* Less than a pipe holds: whoever does not read us keeps nobody waiting. */
#define SAY_MAX (16 * 1024)
/* Between asking it to end and ending it, and for the kernel to let go of it. */
#define TERM_MS 1000
#define KILL_MS 500

enum { OUT, ERR, PIPES };

struct child {
	pid_t pid;
	int pidfd; /* -1: Linux before 5.3 */
	int fds[PIPES];
	size_t said[PIPES];
	char line[CHILD_LAST_MAX]; /* of stderr, so far */
	size_t line_len;
	struct child_end *end;
};

static void child_fini(struct child *child)
{
	int i;

	for (i = 0; i < PIPES; i++)
		if (child->fds[i] >= 0)
			close(child->fds[i]);
	if (child->pidfd >= 0)
		close(child->pidfd);
}

/* --- the child's side --------------------------------------------------------------------- */

int child_exec(const char *program, const char *const argv[])
{
	static char path[] = "PATH=/usr/sbin:/usr/bin:/sbin:/bin", locale[] = "LC_ALL=C";
	static char *const environment[] = { path, locale, NULL };
	char *args[CHILD_ARGS_MAX + 1] = { NULL };
	size_t i;

	for (i = 0; i < CHILD_ARGS_MAX && argv[i]; i++)
		memcpy(&args[i], &argv[i], sizeof(args[i]));
	execve(program, args, environment);
	return err_sys("%s", program);
}

static void become(const char *program, const char *const argv[], const int theirs[PIPES],
		   pid_t parent, int tell)
{
	sigset_t none;
	int null, i, saved;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	/* It could have died before that. */
	if (getppid() != parent)
		_exit(HELPER_FAILED);
	for (i = 1; i < NSIG; i++)
		signal(i, SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	null = open("/dev/null", O_RDONLY);
	if (null >= 0 && dup2(null, 0) == 0 && dup2(theirs[OUT], 1) == 1 &&
	    dup2(theirs[ERR], 2) == 2) {
		/* All others are CLOEXEC, but for what we were started with. */
		close_range(3, ~0u, CLOSE_RANGE_CLOEXEC);
		child_exec(program, argv);
	}
	saved = errno;
	i = (int)write(tell, &saved, sizeof(saved));
	_exit(i > 0 ? HELPER_FAILED : HELPER_SYSTEM);
}

/* --- ours ----------------------------------------------------------------------------------- */

static int make_pipe(int *ours, int *theirs)
{
	int pair[2];

	if (pipe2(pair, O_CLOEXEC))
		return err_sys("a pipe");
	*ours = pair[0];
	*theirs = pair[1];
	return 0;
}

static int start(struct child *child, const char *program, const char *const argv[])
{
	_cleanup_close_ int out = -1;
	_cleanup_close_ int err = -1;
	_cleanup_close_ int told = -1;
	_cleanup_close_ int tell = -1;
	pid_t parent = getpid();
	int rc, why = 0;

	rc = make_pipe(&child->fds[OUT], &out);
	rc = rc ? rc : make_pipe(&child->fds[ERR], &err);
	rc = rc ? rc : make_pipe(&told, &tell);
	if (rc)
		return rc;
	child->pid = fork();
	if (child->pid < 0)
		return err_sys("a process for %s", program);
	if (!child->pid)
		become(program, argv, (int[]){ out, err }, parent, tell);
	child->pidfd = (int)syscall(SYS_pidfd_open, child->pid, 0);
	close(take_fd(&tell));
	/* Closed by a good execve(2). */
	if (read(told, &why, sizeof(why)) != sizeof(why))
		return 0;
	waitpid(child->pid, NULL, 0);
	errno = why;
	return err_sys("%s", program);
}

static void end_line(struct child *child)
{
	child->line[child->line_len] = '\0';
	finding_clean(child->line);
	if (child->line_len)
		memcpy(child->end->last, child->line, sizeof(child->end->last));
	child->line_len = 0;
}

static void keep_last(struct child *child, const char *buf, size_t len)
{
	size_t i;

	for (i = 0; i < len; i++) {
		if (buf[i] == '\n')
			end_line(child);
		else if (child->line_len + 1 < sizeof(child->line))
			child->line[child->line_len++] = buf[i];
	}
}

static void hand_on(struct child *child, int which, const char *buf, size_t len)
{
	size_t room = SAY_MAX - child->said[which];
	ssize_t n;

	if (which == ERR)
		keep_last(child, buf, len);
	len = len < room ? len : room;
	child->said[which] += len;
	for (; len; buf += n, len -= (size_t)n) {
		n = write(which == ERR ? STDERR_FILENO : STDOUT_FILENO, buf, len);
		if (n <= 0)
			return;
	}
}

/* False: it is closed, or there is nothing. */
static bool take(struct child *child, int which)
{
	char buf[4096];
	ssize_t n = read(child->fds[which], buf, sizeof(buf));

	if (n < 0 && (errno == EINTR || errno == EAGAIN))
		return false;
	if (n <= 0) {
		close(take_fd(&child->fds[which]));
		return false;
	}
	hand_on(child, which, buf, (size_t)n);
	return true;
}

static bool reap(struct child *child)
{
	int status;
	pid_t rc = waitpid(child->pid, &status, WNOHANG);

	if (!rc || (rc < 0 && errno == EINTR))
		return false;
	child->end->status = rc > 0 && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
	child->end->signal = rc > 0 && WIFSIGNALED(status) ? WTERMSIG(status) : 0;
	return true;
}

/* Whether a signal came that ends us, and so it. */
static bool was_signalled(int signals)
{
	struct signalfd_siginfo info;

	return signals >= 0 && read(signals, &info, sizeof(info)) == sizeof(info);
}

/* Waits for what comes first. @signals: -1: not for those. True: it has ended. */
static bool wait_a_while(struct child *child, int signals, uint64_t deadline)
{
	struct pollfd pfds[] = { { child->fds[OUT], POLLIN, 0 },
				 { child->fds[ERR], POLLIN, 0 },
				 { child->pidfd, POLLIN, 0 },
				 { signals, POLLIN, 0 } };
	int left = deadline_left(deadline), i;

	if (child->pidfd < 0 && left > 20)
		left = 20;
	if (poll(pfds, ARRAY_SIZE(pfds), left) > 0)
		for (i = 0; i < PIPES; i++)
			if (pfds[i].revents)
				take(child, i);
	if (signals >= 0 && !child->end->interrupted)
		child->end->interrupted = was_signalled(signals);
	return reap(child);
}

static bool wait_until(struct child *child, int signals, uint64_t deadline)
{
	do {
		if (wait_a_while(child, signals, deadline))
			return true;
	} while (!child->end->interrupted && deadline_left(deadline));
	return false;
}

/* SIGTERM, which lets mount.nfs take back its lock files; then SIGKILL. What the kernel holds
 * in a system call is left to it. */
static void end_it(struct child *child)
{
	uint64_t deadline = deadline_in(TERM_MS);
	bool ended = false;

	kill(child->pid, SIGTERM);
	while (!ended && deadline_left(deadline))
		ended = wait_a_while(child, -1, deadline);
	if (ended)
		return;
	kill(child->pid, SIGKILL);
	deadline = deadline_in(KILL_MS);
	while (!ended && deadline_left(deadline))
		ended = wait_a_while(child, -1, deadline);
}

/* What it said before it ended is in the pipes; what others say that it left is not waited for. */
static void drain(struct child *child)
{
	int i, tries;

	for (i = 0; i < PIPES; i++) {
		if (child->fds[i] >= 0)
			fcntl(child->fds[i], F_SETFL, O_NONBLOCK);
		for (tries = 0; tries < 64 && child->fds[i] >= 0 && take(child, i);
		     tries++)
			;
	}
	end_line(child);
}

int child_run(const char *program, const char *const argv[], int signals,
	      uint64_t deadline, struct child_end *out)
{
	_cleanup_(child_fini) struct child child = { .pidfd = -1,
						     .fds = { -1, -1 },
						     .end = out };
	int rc;

	memset(out, 0, sizeof(*out));
	out->status = -1;
	rc = start(&child, program, argv);
	if (rc)
		return rc;
	if (!wait_until(&child, signals, deadline)) {
		out->timed_out = !out->interrupted;
		end_it(&child);
		/* What it says of its own end is none. */
		out->status = -1;
	}
	drain(&child);
	return 0;
}
