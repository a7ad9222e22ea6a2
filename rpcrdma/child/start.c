/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* fork(2), and the first steps of a child: it ties its life to the parent's, resets signals,
 * closes descriptors not passed to it, opens files that only the caller may open, and is
 * confined. */
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/socket.h>

#include "rpcrdma/child/internal.h"

/* With the channel and random_keep()'s. */
#define KEEP_MAX (CHILD_KEEP_MAX + 2)
/* Linux before 5.9 has no close_range(2). */
#define FILES_ASSUMED 1024

/* Of this process: children that must not reach into it. A child of the same user could write its
 * memory (/proc/PID/mem) and trace it. */
static atomic_uint start_guards;
static bool start_was_dumpable;

static void start_guard(enum child_kind kind)
{
	if (!child_is(kind, CHILD_DENY) || atomic_fetch_add(&start_guards, 1))
		return;
	start_was_dumpable = prctl(PR_GET_DUMPABLE) == 1;
	prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
}

/* Files of /proc/self that only the owner reads belong to root meanwhile. */
void start_unguard(enum child_kind kind)
{
	if (child_is(kind, CHILD_DENY) && atomic_fetch_sub(&start_guards, 1) == 1 &&
	    start_was_dumpable)
		prctl(PR_SET_DUMPABLE, 1, 0, 0, 0);
}

/* If the parent died before prctl(2), there is no death signal. */
static void start_die_with(pid_t parent)
{
	if (prctl(PR_SET_PDEATHSIG, SIGKILL) || getppid() != parent)
		_exit(1);
}

pid_t start_fork(enum child_kind kind)
{
	struct sigaction action = { .sa_handler = SIG_DFL };
	pid_t parent = getpid(), pid = fork();
	sigset_t none;
	int i;

	/* Called by parent and child: the second call has no effect, and neither waits. */
	if (pid >= 0 && child_is(kind, CHILD_GROUP))
		setpgid(pid, pid);
	if (pid)
		return pid;
	start_die_with(parent);
	if (child_is(kind, CHILD_KEEP_SIGNALS))
		return 0;
	for (i = 1; i < NSIG; i++)
		sigaction(i, &action, NULL); /* fails for KILL, STOP and libc's own */
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	if (child_is(kind, CHILD_NO_INTERRUPT))
		signal(SIGINT, SIG_IGN);
	return 0;
}

int start_fill_standard_files(void)
{
	int fd;

	do {
		fd = open("/dev/null", O_RDWR | O_CLOEXEC);
	} while (fd >= 0 && fd <= STDERR_FILENO);
	if (fd < 0)
		return err_sys("open /dev/null");
	close(fd);
	return 0;
}

static void start_close_range(unsigned int first, unsigned int last)
{
	if (first > last || !close_range(first, last, 0))
		return;
	for (; first <= last && first < FILES_ASSUMED; first++)
		close((int)first);
}

static int start_compare_fds(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

void start_close_from(unsigned int first)
{
	start_close_range(first, ~0u);
}

void start_close_others(int *keep, size_t nkeep)
{
	unsigned int first = STDERR_FILENO + 1;
	size_t i;

	qsort(keep, nkeep, sizeof(*keep), start_compare_fds);
	for (i = 0; i < nkeep; i++) {
		if (keep[i] < (int)first)
			continue;
		start_close_range(first, (unsigned int)keep[i] - 1);
		first = (unsigned int)keep[i] + 1;
	}
	start_close_from(first);
}

int start_standard_files(enum child_kind kind)
{
	_cleanup_close_ int null = open("/dev/null", O_RDWR | O_CLOEXEC);
	bool silent = child_is(kind, CHILD_SILENT);

	if (null < 0)
		return err_sys("open /dev/null");
	if (silent && !child_is(kind, CHILD_KEEP_STDIN) && dup2(null, STDIN_FILENO) < 0)
		return err_sys("stdin");
	if (silent && dup2(null, STDOUT_FILENO) < 0)
		return err_sys("stdout");
	if ((child_is(kind, CHILD_MUTE) || (silent && !debug_mask)) &&
	    dup2(null, STDERR_FILENO) < 0)
		return err_sys("stderr");
	return 0;
}

_Noreturn void child_refuse(int channel, int rc)
{
	uint8_t body[CHANNEL_FAILED_MAX];
	size_t reason = strlen(err_reason()) + 1, text = strlen(err_text()) + 1;

	put_be32(body, (uint32_t)-rc);
	memcpy(body + 4, err_reason(), reason);
	memcpy(body + 4 + reason, err_text(), text);
	channel_send(channel, CHANNEL_FAILED, body, 4 + reason + text, -1);
	_exit(1);
}

/* What starts other processes, while it still may. */
static int start_split(const struct child_function *function, int channel, bool isolated)
{
	int rc = isolated ? isolate_split() : 0;

	if (!rc && function->spawn)
		rc = function->spawn(function->arg, channel);
	if (!rc && child_is(function->kind, CHILD_DENY))
		deny_install(function->kind);
	return rc;
}

static _Noreturn void start_function(const struct child_function *function, int channel,
				     pid_t parent)
{
	int keep[KEEP_MAX] = { channel, random_keep() }, rc = 0;
	bool isolated;

	if (function->nkeep)
		memcpy(keep + 2, function->keep, function->nkeep * sizeof(*keep));
	if (!child_is(function->kind, CHILD_ALL_FDS))
		start_close_others(keep, function->nkeep + 2);
	/* A closed peer or a file size limit must fail the call, not kill the process. */
	if (!child_is(function->kind, CHILD_KEEP_SIGNALS)) {
		signal(SIGPIPE, SIG_IGN);
		signal(SIGXFSZ, SIG_IGN);
	}
	/* The function may open /dev/stdout, so it precedes start_standard_files(). */
	if (function->prepare)
		rc = function->prepare(function->arg, channel);
	if (!rc)
		rc = start_standard_files(function->kind);
	isolated = !rc && child_is(function->kind, CHILD_ISOLATED) && isolate_enter();
	if (!rc)
		rc = confine_drop(function->kind);
	/* The change of identity cleared the death signal. */
	start_die_with(parent);
	if (!rc)
		rc = start_split(function, channel, isolated);
	if (rc)
		child_refuse(channel, rc);
	_exit(function->run(function->arg, channel));
}

int child_start(struct child *child, const struct child_function *function)
{
	_cleanup_close_ int ours = -1, theirs = -1;
	pid_t parent = getpid(), pid;
	int pair[2], rc;

	*child = CHILD_NONE;
	if (function->nkeep > CHILD_KEEP_MAX)
		return err_set(EINVAL, "a child process keeps %zu descriptors", function->nkeep);
	rc = start_fill_standard_files();
	if (rc)
		return err_context(rc, "%s", function->name);
	if (socketpair(AF_UNIX, (function->stream ? SOCK_STREAM : SOCK_SEQPACKET) | SOCK_CLOEXEC, 0,
		       pair))
		return err_sys("a channel to %s", function->name);
	ours = pair[0];
	theirs = pair[1];
	start_guard(function->kind);
	end_reap_abandoned();
	pid = start_fork(function->kind);
	if (pid < 0) {
		rc = err_sys("a process for %s", function->name);
		start_unguard(function->kind);
		return rc;
	}
	if (!pid) {
		close(ours);
		start_function(function, theirs, parent);
	}
	debug(DEBUG_CHILD, "%s: process %d started", function->name, pid);
	*child = (struct child){ .pid = pid,
				 .kind = function->kind,
				 .name = function->name,
				 .channel = take_fd(&ours),
				 .out = -1,
				 .err = -1 };
	return 0;
}

/* The child may be compromised by its peer, so check the number and the text. */
static int start_take_failure(const struct child *child, const uint8_t *body, size_t len)
{
	uint32_t errnum = len > 6 ? get_be32(body) : 0;
	const char *reason = (const char *)body + 4, *text;
	size_t rest = len - 4, used = errnum ? strnlen(reason, rest) + 1 : 0;

	text = reason + used;
	if (!errnum || errnum > 4095 || used > ERR_REASON_MAX || used >= rest ||
	    strnlen(text, rest - used) != rest - used - 1)
		return err_set(EPROTO, "%s failed without a reason", child->name);
	return err_because(err_set((int)errnum, "%.500s", text), reason);
}

ssize_t child_receive(const struct child *child, int *type, void *body, size_t cap,
		      uint64_t deadline)
{
	struct pollfd pfd = { .fd = child->channel, .events = POLLIN };
	int left = deadline_left(deadline);
	_cleanup_close_ int passed = -1;
	ssize_t n;

	*type = 0;
	/* A child that sends without end is bound by the deadline too. */
	n = left ? poll(&pfd, 1, left) : 0;
	if (!n)
		return err_set(ETIMEDOUT, "no answer from %s in time", child->name);
	if (n < 0 && errno == EINTR)
		return err_set(EINTR, "interrupted");
	if (n < 0)
		return err_sys("wait for %s", child->name);
	n = channel_receive(child->channel, type, body, cap, &passed);
	if (n < 0)
		return err_context((int)n, "%s", child->name);
	return *type == CHANNEL_FAILED ? start_take_failure(child, body, (size_t)n) : n;
}
