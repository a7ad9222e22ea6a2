/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The directory by its one absolute name, as mountinfo will have it. mount(8) hands us that already;
 * a person who calls the helper need not. To find it out one has to go there, which hangs below a
 * mount whose server is gone: so a process goes, and is not waited for long. */
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "mount-helper/internal.h"

#define PATIENCE_MS 2000

struct answer {
	int errnum;
	char path[PATH_MAX];
};

static void ask(const char *dir, int to)
{
	struct answer answer = { 0 };
	ssize_t n;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (!realpath(dir, answer.path))
		answer.errnum = errno;
	/* Smaller than a pipe, so written at once. */
	n = write(to, &answer, sizeof(answer));
	_exit(n == sizeof(answer) ? 0 : 1);
}

static int receive(int from, struct answer *answer)
{
	uint64_t deadline = deadline_in(PATIENCE_MS);
	struct pollfd pfd = { .fd = from, .events = POLLIN };
	size_t done = 0;
	ssize_t n;

	while (done < sizeof(*answer)) {
		if (poll(&pfd, 1, deadline_left(deadline)) < 0 && errno != EINTR)
			return -errno;
		if (!pfd.revents && !deadline_left(deadline))
			return -ETIMEDOUT;
		if (!pfd.revents)
			continue;
		n = read(from, (char *)answer + done, sizeof(*answer) - done);
		if (!n)
			return -EPIPE;
		done += n > 0 ? (size_t)n : 0;
	}
	return 0;
}

static int ask_child(const char *dir, struct answer *answer)
{
	_cleanup_close_ int from = -1;
	_cleanup_close_ int to = -1;
	int pair[2], rc;
	pid_t pid;

	if (pipe2(pair, O_CLOEXEC))
		return -errno;
	from = pair[0];
	to = pair[1];
	pid = fork();
	if (pid < 0)
		return -errno;
	if (!pid)
		ask(dir, to);
	close(take_fd(&to));
	rc = receive(from, answer);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, rc == -ETIMEDOUT ? WNOHANG : 0);
	return rc;
}

int dir_resolve(const char *dir, char out[PATH_MAX])
{
	struct answer answer;
	int rc = ask_child(dir, &answer);

	rc = rc ? rc : -answer.errnum;
	if (!rc) {
		memcpy(out, answer.path, PATH_MAX);
		out[PATH_MAX - 1] = '\0';
		return 0;
	}
	errno = -rc;
	return err_sys("the directory %.200s", dir);
}
