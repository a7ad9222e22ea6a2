/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Another mount namespace. mount(8) -N hands us a descriptor of one as a path ("/proc/17/fd/4"),
 * and goes there itself only for its own system calls. mount.nfs knows no -N: so we go, and it
 * is that namespace's mount.nfs. What we read of this host (policy, /proc) was opened before. */
#include <fcntl.h>
#include <sched.h>

#include "mount-helper/internal.h"

int space_enter(const char *path)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return err_sys("-N %.200s", path);
	if (setns(fd, CLONE_NEWNS))
		return err_sys("enter the mount namespace %.200s", path);
	return 0;
}
