/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The end of a child. All waits have a deadline: SIGKILL does not end a process blocked in the
 * kernel, as on a dead mount or while soft-iWARP connects. Such a child is abandoned and its pid is
 * reported. If it ends after all, the start of the next child reaps it, or init after this process
 * has ended: the watcher runs for months.
 *
 * A process group is killed before its leader is reaped, as its number is not reused until
 * then. */
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "rpcrdma/base/finding.h"
#include "rpcrdma/child/internal.h"

/* A killed process ends at once, unless it is blocked in the kernel. */
#define KILLED_MS 500
/* Polling interval without pidfd_open(2), before Linux 5.3. */
#define POLL_MS 5

/* Abandoned children that have not been reaped; 0: free. More are left to init. */
static _Atomic pid_t end_abandoned[32];

static void end_abandon(pid_t pid)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(end_abandoned); i++) {
		pid_t none = 0;

		if (atomic_compare_exchange_strong(&end_abandoned[i], &none, pid))
			return;
	}
}

void end_reap_abandoned(void)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(end_abandoned); i++) {
		/* Two threads must not wait for one: its number may belong to another child by
		 * then. */
		pid_t pid = atomic_exchange(&end_abandoned[i], 0);

		if (pid > 0 && !waitpid(pid, NULL, WNOHANG))
			end_abandon(pid);
	}
}

void child_kill(const struct child *child)
{
	if (child->pid <= 0)
		return;
	if (child_is(child->kind, CHILD_GROUP))
		kill(-child->pid, SIGKILL);
	/* The process that waits for an isolated one has left the group, and ends when that has
	 * ended. */
	if (!child_is(child->kind, CHILD_ISOLATED))
		kill(child->pid, SIGKILL);
}

/* Whether it has ended; does not reap it. */
static bool child_has_ended(pid_t pid)
{
	siginfo_t info = { .si_pid = 0 };

	return waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) < 0 ? errno != EINTR
										: info.si_pid != 0;
}

static bool child_await_end(pid_t pid, uint64_t deadline)
{
	_cleanup_close_ int fd = -1;
	struct pollfd pfd = { .events = POLLIN };
	int left;

	if (child_has_ended(pid))
		return true;
	if (!deadline_left(deadline))
		return false;
	fd = (int)syscall(SYS_pidfd_open, pid, 0);
	pfd.fd = fd;
	while ((left = deadline_left(deadline))) {
		if (fd < 0 && left > POLL_MS)
			left = POLL_MS;
		poll(&pfd, fd >= 0, left);
		if (child_has_ended(pid))
			return true;
	}
	return false;
}

bool child_reap(struct child *child, uint64_t deadline, struct child_end *end)
{
	int status = 0;
	pid_t pid;

	*end = (struct child_end){ .fate = CHILD_LEFT, .pid = child->pid };
	if (!child_await_end(child->pid, deadline))
		return false;
	if (child_is(child->kind, CHILD_GROUP) &&
	    !waitid(P_PID, (id_t)child->pid, &(siginfo_t){ 0 }, WEXITED | WNOHANG | WNOWAIT))
		kill(-child->pid, SIGKILL);
	pid = TEMP_FAILURE_RETRY(waitpid(child->pid, &status, WNOHANG));
	if (pid <= 0) {
		end->fate = CHILD_UNKNOWN;
	} else if (WIFSIGNALED(status)) {
		end->fate = CHILD_SIGNALLED;
		end->status = WTERMSIG(status);
	} else {
		end->fate = CHILD_EXITED;
		end->status = WEXITSTATUS(status);
	}
	child->pid = 0;
	start_unguard(child->kind);
	return true;
}

void child_close(struct child *child)
{
	/* It was killed, so it runs no more code of its own. */
	if (child->pid > 0) {
		end_abandon(child->pid);
		start_unguard(child->kind);
	}
	child->pid = 0;
	if (child->channel >= 0)
		close(take_fd(&child->channel));
	if (child->out >= 0)
		close(take_fd(&child->out));
	if (child->err >= 0)
		close(take_fd(&child->err));
}

void child_finish(struct child *child, uint64_t deadline, struct child_end *end)
{
	char text[CHILD_END_TEXT_MAX];
	struct child_end here;
	bool forced = false;

	end = end ? end : &here;
	*end = (struct child_end){ .fate = CHILD_UNKNOWN };
	if (child->pid > 0 && !child_reap(child, deadline, end)) {
		forced = true;
		child_kill(child);
		child_reap(child, deadline_in(KILLED_MS), end);
	}
	end->forced = forced;
	if (end->pid)
		debug(DEBUG_CHILD, "%s: process %d %s", child->name, end->pid,
		      child_end_text(end, text, sizeof(text)));
	child_close(child);
}

void child_finish_p(struct child *child)
{
	child_finish(child, 0, NULL);
}

/* A file of /proc that has one line, clean and without its newline; "" for none. */
static const char *end_proc(pid_t pid, const char *name, char *buf, size_t cap)
{
	char path[64];
	_cleanup_close_ int fd = -1;
	ssize_t n;

	snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	n = fd < 0 ? 0 : read(fd, buf, cap - 1);
	buf[n > 0 ? n : 0] = '\0';
	buf[strcspn(buf, "\n")] = '\0';
	finding_clean(buf);
	return buf;
}

static bool end_is_blocked(pid_t pid)
{
	char text[128], *name_end = NULL;

	if (*end_proc(pid, "stat", text, sizeof(text)))
		name_end = strrchr(text, ')');
	return name_end && !strncmp(name_end, ") D", 3);
}

/* Of @pid and its descendants the one that is blocked in the kernel, or 0: an isolated worker is
 * behind the process that waits for it. */
static pid_t end_blocked(pid_t pid, unsigned int depth)
{
	char name[64], text[512], *at = text, *next;
	pid_t found = end_is_blocked(pid) ? pid : 0;
	long child;

	if (found || !depth)
		return found;
	snprintf(name, sizeof(name), "task/%d/children", (int)pid);
	end_proc(pid, name, text, sizeof(text));
	while (!found && (child = strtol(at, &next, 10)) > 0 && next > at) {
		found = end_blocked((pid_t)child, depth - 1);
		at = next;
	}
	return found;
}

/* Only root may read the function of the kernel. */
static void end_left_text(pid_t pid, char *buf, size_t cap)
{
	pid_t blocked = end_blocked(pid, 2);
	char name[32], where[64];

	pid = blocked ? blocked : pid;
	end_proc(pid, "comm", name, sizeof(name));
	end_proc(pid, "wchan", where, sizeof(where));
	snprintf(buf, cap, "has not ended after SIGKILL (process %d%s%s%s%s)", (int)pid,
		 *name ? ", " : "", name, blocked ? ", blocked in " : "",
		 !blocked                       ? ""
		 : *where && strcmp(where, "0") ? where
						: "the kernel");
}

const char *child_end_text(const struct child_end *end, char *buf, size_t cap)
{
	switch (end->fate) {
	case CHILD_EXITED: snprintf(buf, cap, "ended with status %d", end->status); break;
	case CHILD_SIGNALLED:
		snprintf(buf, cap, "was ended by signal %d (%s)", end->status,
			 strsignal(end->status));
		break;
	case CHILD_LEFT: end_left_text(end->pid, buf, cap); break;
	case CHILD_UNKNOWN: str_copy(buf, cap, "ended, and its status is unknown"); break;
	}
	return buf;
}

/* --- one answer ----------------------------------------------------------------------- */

int child_answer(int channel, const void *answer, size_t len)
{
	return channel_send(channel, CHANNEL_ANSWER, answer, len, -1) ? 1 : 0;
}

int child_call(const struct child_function *function, void *answer, size_t len, uint64_t deadline,
	       struct child_end *end)
{
	/* Room for the answer and one more byte, to detect a longer one. CHANNEL_FAILED is as long
	 * as ERR_TEXT_MAX. */
	size_t cap = len + 1 > CHANNEL_FAILED_MAX ? len + 1 : CHANNEL_FAILED_MAX;
	_cleanup_free_ uint8_t *body = malloc(cap);
	struct child_end ours;
	struct err_kept why;
	char how[CHILD_END_TEXT_MAX];
	struct child child;
	int type = 0, rc;
	ssize_t n;

	end = end ? end : &ours;
	*end = (struct child_end){ .fate = CHILD_UNKNOWN };
	if (!body)
		return err_no_memory();
	rc = child_start(&child, function);
	if (rc)
		return rc;
	do
		n = child_receive(&child, &type, body, cap, deadline);
	while (n == -EINTR);
	err_keep(&why, (int)n);
	/* A child that has answered, or closed its end, is about to exit. */
	child_finish(&child, n == -ETIMEDOUT ? 0 : deadline, end);
	if (n == -EPIPE)
		return err_set(EPIPE, "%s %s", function->name,
			       child_end_text(end, how, sizeof(how)));
	if (n == -ETIMEDOUT && end->fate == CHILD_LEFT)
		return err_set(ETIMEDOUT, "%s; it %s", why.text,
			       child_end_text(end, how, sizeof(how)));
	if (n < 0)
		return err_again(&why);
	if (type != CHANNEL_ANSWER || (size_t)n != len)
		return err_set(EPROTO, "%s answers with a record of %zd bytes, not %zu",
			       function->name, n, len);
	memcpy(answer, body, len);
	return 0;
}
