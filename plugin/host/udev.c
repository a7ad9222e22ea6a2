/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* udev rules (udev(7)). Checks interpret them. */
#include "plugin/host/internal.h"

static const char *const udev_dirs[] = { "etc/udev/rules.d",           "run/udev/rules.d",
					 "usr/local/lib/udev/rules.d", "usr/lib/udev/rules.d",
					 "lib/udev/rules.d",           NULL };

static int udev_each_rule(const struct host *host, const char *file, udev_fn fn, void *arg)
{
	_cleanup_(host_text_fini) struct host_text text = { NULL, 0 };
	unsigned int number = 0, first = 1;
	int rc = host_read(host, file, HOST_FILE_MAX, &text);
	char *cursor, *line;

	/* Masked by a dangling link or one to /dev/null. */
	if (rc)
		return rc == -ENOENT || rc == -EINVAL ? 0 : rc;
	cursor = text.text;
	while (!rc && (line = line_next_joined(&cursor, &number))) {
		line = text_trim(line);
		finding_clean(line);
		if (*line && *line != '#')
			rc = fn(arg, file, first, line);
		first = number + 1;
	}
	return rc;
}

int host_udev_each(const struct host *host, udev_fn fn, void *arg)
{
	_cleanup_(host_list_fini) struct host_list files = { NULL, 0, false };
	int rc = dropins_list(host, udev_dirs, ".rules", &files);
	size_t i;

	for (i = 0; !rc && i < files.count; i++)
		rc = udev_each_rule(host, files.names[i], fn, arg);
	return rc;
}
