/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The file with VDSM's data, which VDSM creates for this one call, in a directory for temporary
 * files that all users can write to. It is never opened through a link. */
#include <fcntl.h>
#include <sys/stat.h>

#include "hooks/vdsm/internal.h"

int vdsm_input_read(const struct vdsm_call *call, size_t max, char **text, size_t *len)
{
	const char *path = call->file, *slash = strrchr(path, '/');
	_cleanup_free_ char *data = NULL;
	_cleanup_close_ int fd = -1;
	struct stat st;
	int rc;

	if (path[0] != '/' || !slash[1])
		return err_set(EINVAL, "invalid path of VDSM's data: %.200s", path);
	fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &st))
		return err_sys("open VDSM's data, %.200s", path);
	if (!S_ISREG(st.st_mode))
		return err_set(EINVAL, "VDSM's data, %.200s, is not a regular file", path);
	rc = hook_read(fd, max, call->deadline, &data, len);
	if (rc)
		return err_context(rc, "VDSM's data");
	if (!*len)
		return err_set(ENODATA, "VDSM's data is empty");
	*text = take_ptr(data);
	return 0;
}
