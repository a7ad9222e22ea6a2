/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Files for others to read, written atomically. */
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>

#include "plugin/watch/internal.h"

int export_text(const char *path, const char *text)
{
	const struct fd_file file = { text, strlen(text), 0644, NULL, NULL };
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	char folder[PATH_MAX], temporary[NAME_MAX + 1];
	_cleanup_close_ int fd = -1;

	if (!*name || strlen(name) > NAME_MAX - 16 || strlen(path) >= sizeof(folder))
		return err_set(EINVAL, "%.200s is no name of a file", path);
	snprintf(folder, sizeof(folder), "%.*s", slash ? (int)(slash - path) + 1 : 1,
		 slash ? path : ".");
	fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return err_sys("open the folder %.200s", folder);
	/* node_exporter reads every file whose name ends with .prom; this name does not.
	 * Only one watcher runs, so it replaces what a killed one left. */
	snprintf(temporary, sizeof(temporary), ".%.*s.nfsrdma-new", NAME_MAX - 16, name);
	if (fd_replace(fd, temporary, name, &file))
		return err_sys("write %.200s", path);
	return 0;
}
