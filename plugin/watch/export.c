/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Files for others to read, written atomically. */
#include <stdio.h>

#include "plugin/watch/internal.h"

int export_text(const char *path, const char *text)
{
	const struct fd_file file = { .bytes = text, .len = strlen(text), .mode = 0644 };

	if (strcmp(path, "-") != 0)
		return out_write_file(path, &file, true);
	fflush(stdout);
	return fd_write_all(STDOUT_FILENO, text, file.len) ? err_sys("write the metrics") : 0;
}
