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

#include "plugin/live/internal.h"
#include "rpcrdma/child/child.h"

/* In parallel; further mounts wait for the first of them to answer. */
#define PARALLEL_MAX 128
/* A killed process exits at once unless the kernel holds it. */
#define REAP_MS 200

struct live_mounts_reply {
	int64_t error; /* errno; 0: the mount answered */
	uint64_t ns;
};

struct live_mounts_child {
	struct child child; /* pid 0: none */
	unsigned int index;
};

struct live_mounts_query {
	const struct nfs_mounts *mounts;
	struct mount_answer *answers;
	unsigned int next, running;
	struct live_mounts_child children[PARALLEL_MAX];
};

/* In the child. Something else may be mounted on the target by now; statfs(2) itself
 * never returns EXDEV. */
static int live_mounts_statfs(const struct nfs_mount *mount)
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

static int live_mounts_run(void *arg, int channel)
{
	const struct nfs_mount *mount = arg;
	uint64_t start = now_ns();
	struct live_mounts_reply reply = { 0, 0 };

	reply.error = live_mounts_statfs(mount);
	reply.ns = now_ns() - start;
	return child_answer(channel, &reply, sizeof(reply));
}

static void live_mounts_start(struct live_mounts_query *query, struct live_mounts_child *child)
{
	unsigned int index = query->next++;
	struct mount_answer *out = &query->answers[index];
	struct nfs_mount *mount = &query->mounts->list[index];
	const struct child_function function = { .kind = CHILD_TOUCH,
						 .name = "the process that asks a mount",
						 .run = live_mounts_run,
						 .arg = mount };

	/* The target was truncated, so it is another path. */
	if (strlen(mount->target) + 1 >= sizeof(mount->target)) {
		out->error = ENAMETOOLONG;
		return;
	}
	out->error = -child_start(&child->child, &function);
	if (out->error)
		return;
	out->state = MOUNT_NO_ANSWER;
	child->index = index;
	query->running++;
}

static void live_mounts_finish(struct live_mounts_query *query, struct live_mounts_child *child)
{
	struct mount_answer *out = &query->answers[child->index];
	struct live_mounts_reply reply;
	int type;

	if (child_receive(&child->child, &type, &reply, sizeof(reply), UINT64_MAX) ==
	    sizeof(reply)) {
		out->state = reply.error ? MOUNT_REFUSED : MOUNT_ANSWERED;
		out->error = (int)reply.error;
		out->ms = (double)reply.ns / 1e6;
	} else {
		/* It was killed by another process. */
		out->state = MOUNT_NOT_QUERIED;
		out->error = ECHILD;
	}
	/* It exits by itself at once. */
	child_finish(&child->child, 0, NULL);
	query->running--;
}

static bool live_mounts_wait(struct live_mounts_query *query, uint64_t deadline)
{
	struct pollfd pfds[PARALLEL_MAX];
	struct live_mounts_child *children[PARALLEL_MAX];
	nfds_t count = 0, i;
	int rc;

	for (i = 0; i < PARALLEL_MAX; i++) {
		if (!query->children[i].child.pid)
			continue;
		children[count] = &query->children[i];
		pfds[count++] = (struct pollfd){ query->children[i].child.channel, POLLIN, 0 };
	}
	rc = poll(pfds, count, deadline_left(deadline));
	for (i = 0; i < count && rc > 0; i++)
		if (pfds[i].revents)
			live_mounts_finish(query, children[i]);
	return (rc > 0 || (rc < 0 && errno == EINTR)) && deadline_left(deadline);
}

/* Kills the processes that did not answer; this ends a wait for NFS, but not every other
 * wait. */
static void live_mounts_kill(struct live_mounts_query *query)
{
	uint64_t deadline = deadline_in(REAP_MS);
	struct child_end end;
	struct live_mounts_child *child;
	unsigned int i;

	for (i = 0; i < PARALLEL_MAX; i++)
		child_kill(&query->children[i].child);
	for (i = 0; i < PARALLEL_MAX; i++) {
		child = &query->children[i];
		if (!child->child.pid)
			continue;
		if (!child_reap(&child->child, deadline, &end))
			query->answers[child->index].left = end.pid;
		child_close(&child->child);
	}
}

int live_mounts(const struct nfs_mounts *mounts, uint64_t deadline, struct mount_answer **out)
{
	_cleanup_free_ struct mount_answer *answers = calloc(mounts->count + 1, sizeof(*answers));
	_cleanup_free_ struct live_mounts_query *query = calloc(1, sizeof(*query));
	unsigned int i;

	if (!answers || !query)
		return err_no_memory();
	query->mounts = mounts;
	query->answers = answers;
	for (i = 0; i < PARALLEL_MAX; i++)
		query->children[i].child = CHILD_NONE;
	do {
		for (i = 0; i < PARALLEL_MAX; i++)
			while (!query->children[i].child.pid && deadline_left(deadline) &&
			       query->next < mounts->count)
				live_mounts_start(query, &query->children[i]);
	} while (query->running && live_mounts_wait(query, deadline));
	live_mounts_kill(query);
	*out = take_ptr(answers);
	return 0;
}
