/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Writes all bytes to a descriptor, and replaces a file atomically. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "rpcrdma/base/base.h"

int fd_write_all(int fd, const void *bytes, size_t len)
{
	/* write(2) may write a part, or be interrupted. */
	const char *from = bytes;
	ssize_t done;

	while (len) {
		done = write(fd, from, len);
		if (done < 0 && errno != EINTR)
			return -errno;
		from += done > 0 ? done : 0;
		len -= done > 0 ? (size_t)done : 0;
	}
	return 0;
}

static int fd_fill(int folder, const char *temporary, const struct fd_file *file)
{
	_cleanup_close_ int fd = openat(folder, temporary,
					O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	int rc = fd < 0 ? -errno : fd_write_all(fd, file->bytes, file->len);

	/* Independent of the umask. */
	if (!rc && fchmod(fd, file->mode))
		rc = -errno;
	if (!rc && file->prepare)
		rc = file->prepare(file->arg, fd);
	if (!rc && fsync(fd))
		rc = -errno;
	return rc;
}

/* Not all file systems can rename without replacing. */
static int fd_name(int folder, const char *temporary, const char *name, bool fresh)
{
	if (!fresh)
		return renameat(folder, temporary, folder, name) ? -errno : 0;
	if (!renameat2(folder, temporary, folder, name, RENAME_NOREPLACE))
		return 0;
	if (errno != EINVAL && errno != ENOSYS)
		return -errno;
	if (linkat(folder, temporary, folder, name, 0))
		return -errno;
	unlinkat(folder, temporary, 0);
	return 0;
}

int fd_replace(int folder, const char *temporary, const char *name, const struct fd_file *file)
{
	int rc;

	/* A process that was killed while it wrote may have left it. */
	unlinkat(folder, temporary, 0);
	rc = fd_fill(folder, temporary, file);
	if (!rc)
		rc = fd_name(folder, temporary, name, file->fresh);
	if (!rc && fsync(folder))
		rc = -errno;
	if (rc)
		unlinkat(folder, temporary, 0);
	errno = -rc;
	return rc;
}
