/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Writing to a descriptor, all of it; and a file that is replaced, whole or not at all. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "rpcrdma/base.h"

int fd_write_all(int fd, const void *bytes, size_t len)
{
	/* write(2) may take a part, or be interrupted. */
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

static int fill(int folder, const char *temporary, const struct fd_file *file)
{
	_cleanup_close_ int fd =
		openat(folder, temporary,
		       O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	int rc = fd < 0 ? -errno : fd_write_all(fd, file->bytes, file->len);

	/* Whatever the umask. */
	if (!rc && fchmod(fd, file->mode))
		rc = -errno;
	if (!rc && file->prepare)
		rc = file->prepare(file->arg, fd);
	if (!rc && fsync(fd))
		rc = -errno;
	return rc;
}

int fd_replace(int folder, const char *temporary, const char *name,
	       const struct fd_file *file)
{
	int rc;

	/* Left by one who was ended while it wrote. */
	unlinkat(folder, temporary, 0);
	rc = fill(folder, temporary, file);
	if (!rc && renameat(folder, temporary, folder, name))
		rc = -errno;
	if (!rc && fsync(folder))
		rc = -errno;
	if (rc)
		unlinkat(folder, temporary, 0);
	errno = -rc;
	return rc;
}
