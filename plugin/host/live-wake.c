/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Asks NFS mounts for an answer. Linux closes an RDMA connection that was idle for five minutes
 * (RPCRDMA_IDLE_DISC_TO in net/sunrpc/xprtrdma), and its counters then look like those of one that
 * is broken; statfs(2) is never answered from a cache, so that it opens it again.
 *
 * A path below a network mount can hold whoever touches it for ever. So each mount is touched by a
 * process of its own, all of them at a time, and nobody waits for one longer than until the
 * deadline. A process that hangs in a way that the kernel lets nobody kill is left behind. */
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>

#include "plugin/host/live-internal.h"

/* At a time; more have to wait for the first of them to answer. */
#define ASKED_MAX 128
/* A killed process is gone in no time, unless the kernel holds it. */
#define REAP_MS 200

struct reply {
	int64_t error; /* errno; 0: it answered */
	uint64_t ns;
};

struct child {
	pid_t pid; /* 0: none */
	int fd;
	unsigned int index;
};

struct asking {
	const struct nfs_mounts *mounts;
	struct mount_answer *answers;
	unsigned int next, running;
	struct child children[ASKED_MAX];
};

/* In the child. Something else may be on the target by now; EXDEV is no error of statfs(2). */
static int touch(const struct nfs_mount *mount)
{
	int fd = open(mount->target, O_PATH | O_CLOEXEC);
	unsigned int i, times = mount->nxprts ? mount->nxprts : 1;
	struct statfs fs;
	struct stat st;
	char dev[16];

	if (fd < 0 || fstat(fd, &st))
		return errno;
	snprintf(dev, sizeof(dev), "%u:%u", major(st.st_dev), minor(st.st_dev));
	if (strcmp(dev, mount->dev) != 0)
		return EXDEV;
	/* Calls go to the connections in turn (nconnect). */
	for (i = 0; i < times; i++)
		if (fstatfs(fd, &fs))
			return errno;
	return 0;
}

__attribute__((noreturn)) static void answer(const struct nfs_mount *mount, int fd)
{
	uint64_t start = now_ns();
	struct reply reply = { 0, 0 };

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	reply.error = touch(mount);
	reply.ns = now_ns() - start;
	_exit(write(fd, &reply, sizeof(reply)) != sizeof(reply));
}

static void start(struct asking *asking, struct child *child)
{
	unsigned int index = asking->next++;
	struct mount_answer *out = &asking->answers[index];
	const struct nfs_mount *mount = &asking->mounts->list[index];
	int pair[2];
	pid_t pid;

	/* It was cut, so it is another path. */
	if (strlen(mount->target) + 1 >= sizeof(mount->target)) {
		out->error = ENAMETOOLONG;
		return;
	}
	if (pipe2(pair, O_CLOEXEC)) {
		out->error = errno;
		return;
	}
	pid = fork();
	if (!pid)
		answer(mount, pair[1]);
	out->error = pid < 0 ? errno : 0;
	close(pair[1]);
	if (pid < 0) {
		close(pair[0]);
		return;
	}
	out->state = MOUNT_SILENT;
	*child = (struct child){ pid, pair[0], index };
	asking->running++;
}

/* True: it is gone. */
static bool reap(pid_t pid)
{
	pid_t rc;

	do
		rc = waitpid(pid, NULL, WNOHANG);
	while (rc < 0 && errno == EINTR);
	return rc != 0;
}

static void finish(struct asking *asking, struct child *child)
{
	struct mount_answer *out = &asking->answers[child->index];
	struct reply reply;

	if (read(child->fd, &reply, sizeof(reply)) == sizeof(reply)) {
		out->state = reply.error ? MOUNT_REFUSED : MOUNT_ANSWERED;
		out->error = (int)reply.error;
		out->ms = (double)reply.ns / 1e6;
	} else {
		/* It was ended by somebody else. */
		out->state = MOUNT_UNASKED;
		out->error = ECHILD;
	}
	close(child->fd);
	/* It ends by itself, at once. */
	kill(child->pid, SIGKILL);
	waitpid(child->pid, NULL, 0);
	child->pid = 0;
	asking->running--;
}

static bool wait_for_some(struct asking *asking, uint64_t deadline)
{
	struct pollfd pfds[ASKED_MAX];
	struct child *children[ASKED_MAX];
	nfds_t count = 0, i;
	int rc;

	for (i = 0; i < ASKED_MAX; i++) {
		if (!asking->children[i].pid)
			continue;
		children[count] = &asking->children[i];
		pfds[count++] = (struct pollfd){ asking->children[i].fd, POLLIN, 0 };
	}
	rc = poll(pfds, count, deadline_left(deadline));
	for (i = 0; i < count && rc > 0; i++)
		if (pfds[i].revents)
			finish(asking, children[i]);
	return (rc > 0 || (rc < 0 && errno == EINTR)) && deadline_left(deadline);
}

static void start_some(struct asking *asking, uint64_t deadline)
{
	unsigned int i;

	for (i = 0; i < ASKED_MAX; i++)
		while (!asking->children[i].pid && deadline_left(deadline) &&
		       asking->next < asking->mounts->count)
			start(asking, &asking->children[i]);
}

/* Who did not answer is killed; a wait of NFS ends by that, others may not. */
static void abandon(struct asking *asking)
{
	uint64_t deadline = deadline_in(REAP_MS);
	struct child *child;
	unsigned int i;

	for (i = 0; i < ASKED_MAX; i++)
		if (asking->children[i].pid)
			kill(asking->children[i].pid, SIGKILL);
	for (i = 0; i < ASKED_MAX; i++) {
		child = &asking->children[i];
		if (!child->pid)
			continue;
		close(child->fd);
		while (!reap(child->pid) && deadline_left(deadline))
			poll(NULL, 0, 5);
	}
}

int live_wake(const struct nfs_mounts *mounts, uint64_t deadline,
	      struct mount_answer **out)
{
	_cleanup_free_ struct mount_answer *answers = calloc(mounts->count + 1,
							     sizeof(*answers));
	_cleanup_free_ struct asking *asking = calloc(1, sizeof(*asking));

	if (!answers || !asking)
		return err_set(ENOMEM, "no memory");
	asking->mounts = mounts;
	asking->answers = answers;
	do
		start_some(asking, deadline);
	while (asking->running && wait_for_some(asking, deadline));
	abandon(asking);
	*out = take_ptr(answers);
	return 0;
}
