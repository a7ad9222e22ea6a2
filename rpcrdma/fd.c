/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Writing to a descriptor: write(2) may take a part, or be interrupted. */
#include <errno.h>
#include <unistd.h>

#include "rpcrdma/base.h"

int fd_write_all(int fd, const void *bytes, size_t len)
{
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
