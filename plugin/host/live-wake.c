/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Queries NFS mounts. Linux closes an RDMA connection that was idle for five minutes
 * (RPCRDMA_IDLE_DISC_TO in net/sunrpc/xprtrdma), and its counters then look like those of
 * a broken one. statfs(2) is never answered from a cache, so it reopens the connection.
 *
 * A process that touches a path below a network mount may hang forever. So each mount is
 * touched by its own process, all in parallel, and none is waited for beyond the
 * deadline. A process that hangs and cannot be killed is left running. */
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/sysmacros.h>

#include "plugin/host/live-internal.h"
#include "rpcrdma/child/child.h"

/* In parallel; further mounts wait for the first of them to answer. */
#define ASKED_MAX 128
/* A killed process exits at once unless the kernel holds it. */
#define REAP_MS 200

struct reply {
	int64_t error; /* errno; 0: the mount answered */
	uint64_t ns;
};

struct asked {
	struct child child; /* pid 0: none */
	unsigned int index;
};

struct asking {
	const struct nfs_mounts *mounts;
	struct mount_answer *answers;
	unsigned int next, running;
	struct asked asked[ASKED_MAX];
};

/* In the child. Something else may be mounted on the target by now; statfs(2) itself
 * never returns EXDEV. */
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
	/* Calls use the connections in turn (nconnect). */
	for (i = 0; i < times; i++)
		if (fstatfs(fd, &fs))
			return errno;
	return 0;
}

static int touch_run(void *arg, int channel)
{
	const struct nfs_mount *mount = arg;
	uint64_t start = now_ns();
	struct reply reply = { 0, 0 };

	reply.error = touch(mount);
	reply.ns = now_ns() - start;
	return child_answer(channel, &reply, sizeof(reply));
}

static void start(struct asking *asking, struct asked *asked)
{
	unsigned int index = asking->next++;
	struct mount_answer *out = &asking->answers[index];
	struct nfs_mount *mount = &asking->mounts->list[index];
	const struct child_function function = { .kind = CHILD_TOUCH,
						 .name = "the process that asks a mount",
						 .run = touch_run,
						 .arg = mount };

	/* The target was truncated, so it is another path. */
	if (strlen(mount->target) + 1 >= sizeof(mount->target)) {
		out->error = ENAMETOOLONG;
		return;
	}
	out->error = -child_start(&asked->child, &function);
	if (out->error)
		return;
	out->state = MOUNT_SILENT;
	asked->index = index;
	asking->running++;
}

static void finish(struct asking *asking, struct asked *asked)
{
	struct mount_answer *out = &asking->answers[asked->index];
	struct reply reply;
	int type, passed;

	if (child_receive(&asked->child, &type, &reply, sizeof(reply), &passed,
			  UINT64_MAX) == sizeof(reply)) {
		out->state = reply.error ? MOUNT_REFUSED : MOUNT_ANSWERED;
		out->error = (int)reply.error;
		out->ms = (double)reply.ns / 1e6;
	} else {
		/* It was killed by another process. */
		out->state = MOUNT_UNASKED;
		out->error = ECHILD;
	}
	/* It exits by itself at once. */
	child_finish(&asked->child, 0, NULL);
	asking->running--;
}

static bool wait_for_some(struct asking *asking, uint64_t deadline)
{
	struct pollfd pfds[ASKED_MAX];
	struct asked *asked[ASKED_MAX];
	nfds_t count = 0, i;
	int rc;

	for (i = 0; i < ASKED_MAX; i++) {
		if (!asking->asked[i].child.pid)
			continue;
		asked[count] = &asking->asked[i];
		pfds[count++] = (struct pollfd){ asking->asked[i].child.channel, POLLIN,
						 0 };
	}
	rc = poll(pfds, count, deadline_left(deadline));
	for (i = 0; i < count && rc > 0; i++)
		if (pfds[i].revents)
			finish(asking, asked[i]);
	return (rc > 0 || (rc < 0 && errno == EINTR)) && deadline_left(deadline);
}

/* Kills the processes that did not answer; this ends a wait for NFS, but not every other
 * wait. */
static void abandon(struct asking *asking)
{
	uint64_t deadline = deadline_in(REAP_MS);
	struct child_end end;
	struct asked *asked;
	unsigned int i;

	for (i = 0; i < ASKED_MAX; i++)
		child_kill(&asking->asked[i].child);
	for (i = 0; i < ASKED_MAX; i++) {
		asked = &asking->asked[i];
		if (!asked->child.pid)
			continue;
		if (!child_reap(&asked->child, deadline, &end))
			asking->answers[asked->index].left = end.pid;
		child_close(&asked->child);
	}
}

int live_wake(const struct nfs_mounts *mounts, uint64_t deadline,
	      struct mount_answer **out)
{
	_cleanup_free_ struct mount_answer *answers = calloc(mounts->count + 1,
							     sizeof(*answers));
	_cleanup_free_ struct asking *asking = calloc(1, sizeof(*asking));
	unsigned int i;

	if (!answers || !asking)
		return err_set(ENOMEM, "no memory");
	asking->mounts = mounts;
	asking->answers = answers;
	for (i = 0; i < ASKED_MAX; i++)
		asking->asked[i].child = CHILD_NONE;
	do {
		for (i = 0; i < ASKED_MAX; i++)
			while (!asking->asked[i].child.pid && deadline_left(deadline) &&
			       asking->next < mounts->count)
				start(asking, &asking->asked[i]);
	} while (asking->running && wait_for_some(asking, deadline));
	abandon(asking);
	*out = take_ptr(answers);
	return 0;
}
