/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* External programs: execve(2), and their output until they end. A program may leave processes
 * running that keep its stdout and stderr open, as mount.nfs does with rpc.statd: so its exit
 * counts, not the end of its output. */
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "rpcrdma/child/internal.h"

/* Between asking a program to end and killing it. */
#define TERM_MS 1000
/* Polling interval for its end without pidfd_open(2), before Linux 5.3. */
#define POLL_MS 20
/* Enough reads to empty a pipe of 64 KiB after the program has ended. */
#define DRAIN_READS 64

/* --- start ---------------------------------------------------------------------------- */

int child_exec(const struct child_program *program)
{
	static const char *const none[] = { NULL };
	const char *const *env = program->env ? program->env : none;

	/* The kernel copies both, although the prototype lacks const. */
	execve(program->path, (char *const *)(uintptr_t)program->argv,
	       (char *const *)(uintptr_t)env);
	return err_sys("%s", program->path);
}

static _Noreturn void program_run(const struct child_program *program, int channel, int out,
				  int err)
{
	int null = open("/dev/null", O_RDONLY | O_CLOEXEC), rc;

	if (null < 0 || dup2(null, STDIN_FILENO) < 0 || dup2(out, STDOUT_FILENO) < 0 ||
	    dup2(err, STDERR_FILENO) < 0)
		child_refuse(channel, err_sys("%s", program->path));
	/* Our own descriptors are close-on-exec already, but inherited ones may not be. The
	 * channel closes with them. */
	close_range(STDERR_FILENO + 1, ~0u, CLOSE_RANGE_CLOEXEC);
	rc = child_exec(program);
	child_refuse(channel, rc);
}

struct program_ends {
	int ours, theirs;
};

static void program_ends_close(struct program_ends *ends)
{
	if (ends->ours >= 0)
		close(ends->ours);
	if (ends->theirs >= 0)
		close(ends->theirs);
}

static int program_open_pipe(struct program_ends *ends)
{
	int pair[2];

	if (pipe2(pair, O_CLOEXEC))
		return err_sys("a pipe");
	*ends = (struct program_ends){ pair[0], pair[1] };
	return 0;
}

int child_spawn(struct child *child, const struct child_program *program)
{
	_cleanup_(program_ends_close) struct program_ends out = { -1, -1 }, err = { -1, -1 };
	_cleanup_(program_ends_close) struct program_ends channel = { -1, -1 };
	uint8_t body[CHANNEL_FAILED_MAX];
	int pair[2], type, rc;
	ssize_t n;
	pid_t pid;

	*child = CHILD_NONE;
	rc = start_fill_standard_files();
	if (!rc)
		rc = program_open_pipe(&out);
	if (!rc)
		rc = program_open_pipe(&err);
	if (rc)
		return err_context(rc, "%s", program->path);
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair))
		return err_sys("a channel to %s", program->path);
	channel = (struct program_ends){ pair[0], pair[1] };
	end_reap_abandoned();
	pid = start_fork(program->kind);
	if (pid < 0)
		return err_sys("a process for %s", program->path);
	if (!pid)
		program_run(program, channel.theirs, out.theirs, err.theirs);
	debug(DEBUG_CHILD, "%s: process %d started", program->path, pid);
	close(take_fd(&channel.theirs));
	*child = (struct child){ .pid = pid,
				 .kind = program->kind,
				 .name = program->path,
				 .channel = take_fd(&channel.ours),
				 .out = take_fd(&out.ours),
				 .err = take_fd(&err.ours) };
	/* execve(2) closes the child's end. */
	do
		n = child_receive(child, &type, body, sizeof(body), UINT64_MAX);
	while (n == -EINTR);
	rc = n == -EPIPE ? 0 : (int)n;
	close(take_fd(&child->channel));
	if (rc)
		child_finish_p(child);
	return rc;
}

/* --- what it writes ------------------------------------------------------------------- */

struct program_follow {
	struct child *child;
	struct child_listener *listener;
	int pidfd;
	int rc; /* what the listener's function returned */
};

/* False: no output now, or closed. */
static bool program_take_output(struct program_follow *follow, int *fd, int which)
{
	char buf[16 * 1024];
	ssize_t n = read(*fd, buf, sizeof(buf));

	if (n < 0 && (errno == EINTR || errno == EAGAIN))
		return false;
	if (n <= 0) {
		close(take_fd(fd));
		return false;
	}
	if (!follow->rc)
		follow->rc = follow->listener->output(follow->listener->arg, which, buf, (size_t)n);
	return true;
}

/* Returns true if it has ended. */
static bool program_wait(struct program_follow *follow, int signals, uint64_t deadline,
			 struct child_end *end)
{
	struct child *child = follow->child;
	struct pollfd pfds[] = { { child->out, POLLIN, 0 },
				 { child->err, POLLIN, 0 },
				 { follow->pidfd, POLLIN, 0 },
				 { signals, POLLIN, 0 } };
	struct signalfd_siginfo info;
	int left = deadline_left(deadline);

	if (follow->pidfd < 0 && left > POLL_MS)
		left = POLL_MS;
	if (poll(pfds, ARRAY_SIZE(pfds), left) > 0) {
		if (pfds[0].revents)
			program_take_output(follow, &child->out, STDOUT_FILENO);
		if (pfds[1].revents)
			program_take_output(follow, &child->err, STDERR_FILENO);
		if (pfds[3].revents && read(signals, &info, sizeof(info)) == sizeof(info))
			follow->listener->interrupted = true;
	}
	return child_reap(child, 0, end);
}

/* Sends SIGTERM first if its kind has TERM_FIRST, and then reads its output until it has
 * ended. */
static void program_end(struct program_follow *follow, struct child_end *end)
{
	uint64_t deadline = deadline_in(TERM_MS);

	if (child_is(follow->child->kind, CHILD_TERM_FIRST)) {
		kill(follow->child->pid, SIGTERM);
		while (deadline_left(deadline))
			if (program_wait(follow, -1, deadline, end))
				return;
	}
	child_kill(follow->child);
}

static void program_drain(struct program_follow *follow, int *fd, int which)
{
	int reads;

	if (*fd < 0)
		return;
	fcntl(*fd, F_SETFL, O_NONBLOCK);
	for (reads = 0; reads < DRAIN_READS && *fd >= 0 && program_take_output(follow, fd, which);
	     reads++)
		;
}

int child_follow(struct child *child, struct child_listener *listener, uint64_t deadline,
		 struct child_end *end)
{
	struct program_follow follow = {
		.child = child,
		.listener = listener,
		.pidfd = (int)syscall(SYS_pidfd_open, child->pid, 0),
	};
	bool ended = false, forced;

	while (!ended && !follow.rc && !listener->interrupted && deadline_left(deadline))
		ended = program_wait(&follow, listener->signals, deadline, end);
	forced = !ended;
	if (forced)
		program_end(&follow, end);
	if (follow.pidfd >= 0)
		close(follow.pidfd);
	program_drain(&follow, &child->out, STDOUT_FILENO);
	program_drain(&follow, &child->err, STDERR_FILENO);
	child_finish(child, 0, child->pid ? end : NULL);
	end->forced = forced;
	if (follow.rc)
		return follow.rc;
	if (!forced)
		return 0;
	return listener->interrupted ? err_set(EINTR, "%s: interrupted", child->name)
				     : err_set(ETIMEDOUT, "%s does not exit in time", child->name);
}
