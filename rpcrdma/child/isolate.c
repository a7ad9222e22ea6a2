/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* A PID namespace for a child, in which it sees and can signal only its own descendants. An
 * ordinary user needs a user namespace for it, in which it stays that user. Where the kernel or
 * its policy allows neither, the child runs without, and deny.c alone keeps it from other
 * processes.
 *
 * The namespace takes two more processes, none of which reads what a peer sent:
 *
 *	the child that the parent knows: waits for the worker, and ends as that ended
 *	  the first process of the namespace: when it ends, the kernel kills all others
 *	  the worker
 *
 * The first process of a namespace survives signals from within, so that it cannot be the worker:
 * abort(3) would not end it. It ends with the child, however that ends, by a pipe. */
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "rpcrdma/child/internal.h"

static void isolate_write(const char *path, const char *text)
{
	_cleanup_close_ int fd = open(path, O_WRONLY | O_CLOEXEC);

	if (fd < 0 || write(fd, text, strlen(text)) < 0)
		debug(DEBUG_CHILD, "%s: %s", path, strerror(errno));
}

/* The user stays the same. Without a map, as under AppArmor's restriction, it has no name, and
 * the same rights. */
static void isolate_map_user(uid_t uid, gid_t gid)
{
	char map[40];

	/* These files belong to root while the process is not dumpable. */
	prctl(PR_SET_DUMPABLE, 1, 0, 0, 0);
	isolate_write("/proc/self/setgroups", "deny");
	snprintf(map, sizeof(map), "%u %u 1", uid, uid);
	isolate_write("/proc/self/uid_map", map);
	snprintf(map, sizeof(map), "%u %u 1", gid, gid);
	isolate_write("/proc/self/gid_map", map);
	prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
}

bool isolate_enter(void)
{
	uid_t uid = geteuid();
	gid_t gid = getegid();

	if (unshare(CLONE_NEWPID | (uid ? CLONE_NEWUSER : 0))) {
		debug(DEBUG_CHILD, "no PID namespace: %s", strerror(errno));
		return false;
	}
	if (uid)
		isolate_map_user(uid, gid);
	return true;
}

/* The first process: orphans are reaped by the kernel. */
static _Noreturn void isolate_hold(int pipe)
{
	char byte;

	signal(SIGCHLD, SIG_IGN);
	dup2(pipe, STDIN_FILENO);
	start_close_from(STDIN_FILENO + 1);
	while (read(STDIN_FILENO, &byte, 1) < 0 && errno == EINTR)
		;
	_exit(0);
}

static int isolate_reap(pid_t pid)
{
	int status = 0;
	pid_t got;

	do
		got = waitpid(pid, &status, 0);
	while (got < 0 && errno == EINTR);
	return status;
}

/* The child that the parent knows. It leaves the group that the parent kills: its end then says
 * that the worker has ended, not that a signal was sent. Signals to the parent's group, as a hangup
 * that the parent ignores, are not for it: all are blocked. */
static _Noreturn void isolate_wait(pid_t first, pid_t worker, int pipe)
{
	int status, sig;
	sigset_t others;

	setpgid(0, getpgid(getppid()));
	dup2(pipe, STDIN_FILENO);
	start_close_from(STDIN_FILENO + 1);
	status = isolate_reap(worker);
	/* Not left to init: that of a container may reap nothing. */
	close(STDIN_FILENO);
	isolate_reap(first);
	if (!WIFSIGNALED(status))
		_exit(WEXITSTATUS(status));
	sig = WTERMSIG(status);
	signal(sig, SIG_DFL);
	kill(getpid(), sig);
	sigfillset(&others);
	sigdelset(&others, sig);
	sigprocmask(SIG_SETMASK, &others, NULL);
	_exit(1);
}

int isolate_split(void)
{
	pid_t first, worker = -1;
	sigset_t all, before;
	int ends[2];

	if (pipe2(ends, O_CLOEXEC))
		return err_sys("a pipe");
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, &before);
	first = fork();
	if (!first) {
		close(ends[1]);
		isolate_hold(ends[0]);
	}
	if (first > 0)
		worker = fork();
	if (worker < 0)
		return err_sys("a process in a PID namespace");
	if (worker) {
		close(ends[0]);
		isolate_wait(first, worker, ends[1]);
	}
	close(ends[0]);
	close(ends[1]);
	sigprocmask(SIG_SETMASK, &before, NULL);
	/* The parent is outside, so it has no number here; a first process that adopted this one
	 * has. */
	if (prctl(PR_SET_PDEATHSIG, SIGKILL) || getppid())
		_exit(1);
	return 0;
}
