/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* A program that is asked for a text. It gets an empty environment, nothing to read, and a process
 * group of its own, which is killed at the deadline, or when it says more than was wanted. */
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "plugin/host/live-internal.h"

#define COMPLAINT_MAX 512
/* A killed process is gone in no time, unless the kernel holds it. */
#define REAP_MS 500

enum { OUT, ERR, PIPES };

struct child {
	pid_t pid;
	int fds[PIPES]; /* our ends, -1: closed */
	char *text;
	size_t len, cap, max;
	char complaint[COMPLAINT_MAX];
	size_t complaint_len;
	bool much;
};

static void fini_child(struct child *child)
{
	int i;

	for (i = 0; i < PIPES; i++)
		if (child->fds[i] >= 0)
			close(child->fds[i]);
	free(child->text);
}

/* posix_spawn's errors are numbers, as ours without the sign. */
static int prepare(posix_spawn_file_actions_t *actions, posix_spawnattr_t *attr,
		   const int theirs[PIPES])
{
	sigset_t none, all;
	int rc;

	sigemptyset(&none);
	sigfillset(&all);
	rc = posix_spawn_file_actions_addopen(actions, 0, "/dev/null", O_RDONLY, 0);
	if (!rc)
		rc = posix_spawn_file_actions_adddup2(actions, theirs[OUT], 1);
	if (!rc)
		rc = posix_spawn_file_actions_adddup2(actions, theirs[ERR], 2);
	if (!rc)
		rc = posix_spawnattr_setsigmask(attr, &none);
	if (!rc)
		rc = posix_spawnattr_setsigdefault(attr, &all);
	if (!rc)
		rc = posix_spawnattr_setpgroup(attr, 0);
	if (!rc)
		rc = posix_spawnattr_setflags(attr, POSIX_SPAWN_SETPGROUP |
							    POSIX_SPAWN_SETSIGDEF |
							    POSIX_SPAWN_SETSIGMASK);
	return rc;
}

static int spawn(struct child *child, const char *const argv[], const int theirs[PIPES])
{
	posix_spawn_file_actions_t actions;
	char *const environment[] = { NULL };
	posix_spawnattr_t attr;
	int rc;

	posix_spawn_file_actions_init(&actions);
	posix_spawnattr_init(&attr);
	rc = prepare(&actions, &attr, theirs);
	if (!rc)
		/* It copies them, for all that its prototype says. */
		rc = posix_spawn(&child->pid, argv[0], &actions, &attr,
				 (char *const *)argv, environment);
	posix_spawn_file_actions_destroy(&actions);
	posix_spawnattr_destroy(&attr);
	errno = rc;
	return rc ? err_sys("%s", argv[0]) : 0;
}

static int start(struct child *child, const char *const argv[])
{
	_cleanup_close_ int out = -1;
	_cleanup_close_ int err = -1;
	int pair[2];

	if (pipe2(pair, O_CLOEXEC))
		return err_sys("a pipe");
	child->fds[OUT] = pair[0];
	out = pair[1];
	if (pipe2(pair, O_CLOEXEC))
		return err_sys("a pipe");
	child->fds[ERR] = pair[0];
	err = pair[1];
	return spawn(child, argv, (int[]){ out, err });
}

static int take_output(struct child *child, const char *buf, size_t len)
{
	size_t cap = child->cap ? child->cap : 64 * 1024;
	char *text;

	if (child->len + len > child->max) {
		child->much = true;
		return 0;
	}
	while (cap <= child->len + len)
		cap *= 2;
	if (cap != child->cap) {
		text = realloc(child->text, cap);
		if (!text)
			return err_sys("memory for what a program says");
		child->text = text;
		child->cap = cap;
	}
	memcpy(child->text + child->len, buf, len);
	child->len += len;
	child->text[child->len] = '\0';
	return 0;
}

static void take_complaint(struct child *child, const char *buf, size_t len)
{
	size_t room = sizeof(child->complaint) - 1 - child->complaint_len;

	len = len < room ? len : room;
	memcpy(child->complaint + child->complaint_len, buf, len);
	child->complaint_len += len;
}

static int take(struct child *child, int which)
{
	char buf[16 * 1024];
	ssize_t n;

	n = read(child->fds[which], buf, sizeof(buf));
	if (n < 0 && errno == EINTR)
		return 0;
	if (n <= 0) {
		close(take_fd(&child->fds[which]));
		return 0;
	}
	if (which == OUT)
		return take_output(child, buf, (size_t)n);
	take_complaint(child, buf, (size_t)n);
	return 0;
}

/* Until it has closed what it says, or says too much. */
static int listen_to(struct child *child, const char *name, uint64_t deadline)
{
	struct pollfd pfds[PIPES];
	int i, rc = 0;

	while (!rc && !child->much && (child->fds[OUT] >= 0 || child->fds[ERR] >= 0)) {
		for (i = 0; i < PIPES; i++)
			pfds[i] = (struct pollfd){ child->fds[i], POLLIN, 0 };
		rc = poll(pfds, PIPES, deadline_left(deadline));
		if (rc < 0 && errno != EINTR)
			return err_sys("wait for %s", name);
		if (!rc)
			return err_set(ETIMEDOUT, "%s does not come to an end", name);
		rc = rc < 0 ? 0 : rc;
		for (i = 0; i < PIPES && rc >= 0; i++)
			if (rc && pfds[i].revents && take(child, i))
				return -ENOMEM;
		rc = 0;
	}
	return child->much
		       ? err_set(EFBIG, "%s says more than %zu bytes", name, child->max)
		       : 0;
}

/* Reaps by the deadline. @status: as of waitpid(2). False: it lives on. */
static bool reap(pid_t pid, int *status, uint64_t deadline)
{
	_cleanup_close_ int fd = (int)syscall(SYS_pidfd_open, pid, 0);
	struct pollfd pfd = { .fd = fd, .events = POLLIN };
	pid_t rc;

	/* Without pidfd_open(2), Linux 5.3: in small steps. */
	for (;;) {
		rc = waitpid(pid, status, WNOHANG);
		if (rc == pid)
			return true;
		if (rc < 0 && errno != EINTR) {
			*status = 0; /* reaped by who ignores SIGCHLD */
			return true;
		}
		if (!deadline_left(deadline))
			return false;
		poll(&pfd, fd >= 0, fd >= 0 ? deadline_left(deadline) : 5);
	}
}

static void first_line(char *text)
{
	text[strcspn(text, "\n")] = '\0';
	finding_clean(text);
}

/* Waits for its end; whatever is left of its group goes with it. */
static int finish(struct child *child, const char *name, int rc, uint64_t deadline)
{
	int status = 0;
	bool ended = !rc && reap(child->pid, &status, deadline);

	kill(-child->pid, SIGKILL);
	if (!ended)
		reap(child->pid, &status, deadline_in(REAP_MS));
	if (rc)
		return rc;
	if (!ended)
		return err_set(ETIMEDOUT, "%s does not come to an end", name);
	first_line(child->complaint);
	if (WIFSIGNALED(status))
		return err_set(EIO, "%s was ended by signal %d", name, WTERMSIG(status));
	if (WEXITSTATUS(status))
		return err_set(EIO, "%s ends with status %d: %s", name,
			       WEXITSTATUS(status), child->complaint);
	return 0;
}

int live_child(const char *const argv[], size_t max, uint64_t deadline,
	       struct host_text *out)
{
	_cleanup_(fini_child) struct child child = { .fds = { -1, -1 }, .max = max };
	int rc;

	if (access(argv[0], X_OK))
		return err_sys("%s", argv[0]);
	rc = start(&child, argv);
	if (rc)
		return rc;
	rc = listen_to(&child, argv[0], deadline);
	rc = finish(&child, argv[0], rc, deadline);
	if (rc)
		return rc;
	if (!child.text)
		rc = take_output(&child, "", 0);
	if (rc)
		return rc;
	if (strlen(child.text) != child.len)
		return err_set(EINVAL, "%s says something that is no text", argv[0]);
	out->len = child.len;
	out->text = take_ptr(child.text);
	return 0;
}
