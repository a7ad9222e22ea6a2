/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The child that touches the mount. Its mount namespace is a slave of the host's: nothing that is
 * mounted here is seen there, and what is unmounted there is unmounted here, so that nothing is
 * kept busy. It has mount(2) itself do it, because mount.nfs would write down what it mounts
 * (/run/mount/utab), obey nfsmount.conf and start rpc.statd.
 *
 * Whatever kills this process ends the namespace and the mount with it. */
#include <arpa/inet.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <sys/mount.h>

#include "plugin/kernel/internal.h"

int kernel_enter_space(void)
{
	return unshare(CLONE_NEWNS) || mount("none", "/", "", MS_REC | MS_SLAVE, NULL) ? -1 : 0;
}

void kernel_mount_data(const struct kernel_task *task, char *buf, size_t cap)
{
	const char *six = task->ipv6 ? "6" : "";
	size_t used;

	/* retrans=1: a call is sent twice at most, so that the end of the server is no wait. */
	snprintf(buf, cap,
		 "vers=%s,proto=rdma%s,port=%u,addr=%s,soft,nolock,nosharecache,timeo=%u,retrans=1",
		 task->version->name, six, task->ports.rdma, task->address, KERNEL_TIMEO_MS / 100);
	used = strlen(buf);
	if (task->version->vers == 3)
		snprintf(buf + used, cap - used,
			 ",mountproto=tcp%s,mountport=%u,mountaddr=%s,mountvers=3", six,
			 task->ports.mount, task->address);
	else
		snprintf(buf + used, cap - used, ",clientaddr=%s", task->address);
}

/* Returns whether all were right. */
static bool client_read_ranges(int channel, int fd)
{
	_cleanup_free_ uint8_t *expected = malloc(KERNEL_READ_MAX);
	struct kernel_range_task task = { .fd = fd, .expected = expected };
	void *buf = NULL;

	if (!expected || posix_memalign(&buf, 4096, KERNEL_READ_MAX))
		return false;
	task.buf = buf;
	for (; task.index < KERNEL_RANGES; task.index++) {
		task.range = kernel_range(task.index);
		export_memory_fill(expected, task.range.offset, task.range.length);
		if (kernel_read_range(channel, &task))
			break;
	}
	free(buf);
	return task.index == KERNEL_RANGES && !task.failed;
}

/* The server's own directory: nothing of it is on a disk. */
static void client_write(int channel, const struct kernel_task *task)
{
	_cleanup_close_ int fd = -1;
	uint64_t start = now_ms();
	char path[64];

	snprintf(path, sizeof(path), KERNEL_AT "/written-%s", task->version->name);
	fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_DIRECT | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (kernel_send_step(channel, KERNEL_CREATE, fd, start) >= 0)
		kernel_write_file(channel, fd, task->key);
}

int kernel_client(void *arg, int channel)
{
	const struct kernel_task *task = arg;
	char source[160], data[512];
	uint64_t start = now_ms();
	bool right = false;
	int fd, rc;

	rc = kernel_enter_space();
	if (kernel_send_step(channel, KERNEL_SPACE, rc, start))
		return 1;
	snprintf(source, sizeof(source), task->ipv6 ? "[%s]:/%s" : "%s:/%s", task->address,
		 task->secret);
	kernel_mount_data(task, data, sizeof(data));
	debug(DEBUG_MOUNT, "mount(2) %s on %s: %s", source, KERNEL_AT, data);
	start = now_ms();
	rc = mount(source, KERNEL_AT, "nfs", MS_NOSUID | MS_NODEV | MS_NOEXEC, data);
	if (kernel_send_step(channel, KERNEL_MOUNT, rc, start))
		return 1;
	start = now_ms();
	fd = open(KERNEL_AT "/" KERNEL_FILE, O_RDONLY | O_DIRECT | O_NOFOLLOW | O_CLOEXEC);
	if (kernel_send_step(channel, KERNEL_OPEN, fd, start) >= 0) {
		right = client_read_ranges(channel, fd);
		close(fd);
	}
	/* Else what is written cannot be read back. */
	if (right)
		client_write(channel, task);
	start = now_ms();
	rc = umount2(KERNEL_AT, UMOUNT_NOFOLLOW);
	return kernel_send_step(channel, KERNEL_UNMOUNT, rc, start) ? 1 : 0;
}
