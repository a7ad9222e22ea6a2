/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The child that writes to a new file through an existing mount. It makes the file exclusively, and
 * removes it when its parent has seen what it wanted, or wants no more; what has the name by then
 * and is another file stays. */
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

#include "plugin/kernel/internal.h"

#define SPACE_MIN ((uint64_t)1 << 30)

static int scratch_has_space(int dir, const char *name)
{
	struct statvfs fs;
	char link[64];
	uint64_t free_bytes;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", dir);
	if (statvfs(link, &fs))
		return err_sys("free space");
	free_bytes = (uint64_t)fs.f_bavail * fs.f_frsize;
	if (free_bytes < SPACE_MIN)
		return err_set(ENOSPC, "%llu MiB are free for %s, %llu are wanted",
			       (unsigned long long)(free_bytes >> 20), name,
			       (unsigned long long)(SPACE_MIN >> 20));
	return 0;
}

/* After these nothing was made. Of others, as EIO, a server may have made it: NFSv3 sets its
 * attributes by a second call. */
static bool scratch_is_refused(int error)
{
	static const int errors[] = { EEXIST, EACCES,  EPERM, EROFS,
				      ENOENT, ENOTDIR, ELOOP, ENAMETOOLONG };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(errors); i++)
		if (errors[i] == error)
			return true;
	return false;
}

/* Returns its descriptor. */
static int scratch_make_file(const struct kernel_scratch_task *task, int dir, const char *name,
			     struct kernel_chosen *out)
{
	struct stat st;
	int fd, rc = scratch_has_space(dir, name);

	if (rc)
		return rc;
	fd = openat(dir, name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_DIRECT | O_CLOEXEC, 0600);
	if (fd < 0 || fstat(fd, &st)) {
		rc = err_sys("%s", task->path);
		out->unsure = (fd >= 0 || !scratch_is_refused(-rc)) &&
			      (!fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) || errno != ENOENT);
		if (fd >= 0)
			close(fd);
		return rc;
	}
	out->inode = st.st_ino;
	return fd;
}

static int scratch_remove(int dir, const char *name, uint64_t dev, uint64_t inode)
{
	struct stat st;

	if (fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW))
		return errno == ENOENT ? 0 : -1;
	if (st.st_dev != dev || st.st_ino != inode || !S_ISREG(st.st_mode)) {
		errno = EEXIST;
		return -1;
	}
	return unlinkat(dir, name, 0);
}

static int scratch_write_file(const struct kernel_scratch_task *task, int channel, int dir,
			      const char *name, struct kernel_chosen *chosen)
{
	int fd = scratch_make_file(task, dir, name, chosen), type, passed;
	uint64_t start;
	uint8_t end[4];

	if (fd < 0) {
		chosen->error = -fd;
		str_copy(chosen->why, sizeof(chosen->why), err_text());
	}
	if (channel_send(channel, KERNEL_CHOSEN, chosen, sizeof(*chosen), -1) || fd < 0)
		return fd < 0 ? fd : 0;
	kernel_write_file(channel, fd, task->key);
	start = now_ms();
	kernel_send_step(channel, KERNEL_CLOSE, close(fd), start);
	/* Until the parent has read it, too, and closes its side. */
	while (channel_receive(channel, &type, end, sizeof(end), &passed) >= 0)
		;
	return 0;
}

int kernel_scratch(void *arg, int channel)
{
	const struct kernel_scratch_task *task = arg;
	struct kernel_chosen chosen = { .inode = task->inode };
	_cleanup_close_ int mount = -1, dir = -1;
	const char *name;
	uint64_t start;
	dev_t dev;

	if (task->has_cred)
		kernel_set_fsuid(task->uid, task->gid);
	mount = kernel_open_mount(task->target, task->dev, &dev);
	if (mount >= 0)
		dir = kernel_open_parent(mount, dev, task->path, &name);
	if (dir < 0) {
		chosen.error = mount < 0 ? -mount : errno;
		snprintf(chosen.why, sizeof(chosen.why), "%.150s",
			 mount < 0 ? err_text() : strerrordesc_np(errno));
		channel_send(channel, KERNEL_CHOSEN, &chosen, sizeof(chosen), -1);
		return 1;
	}
	if (!task->remove && scratch_write_file(task, channel, dir, name, &chosen))
		return 1;
	start = now_ms();
	kernel_send_step(channel, KERNEL_REMOVE, scratch_remove(dir, name, dev, chosen.inode),
			 start);
	return 0;
}
