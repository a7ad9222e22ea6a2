/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Tables of mounts by libmount, from a text that was read before. */
#include <stdio.h>

#include "plugin/host/mount-table.h"

static int mount_table_skip_line(struct libmnt_table *table, const char *filename, int line)
{
	unsigned int *skipped = mnt_table_get_userdata(table);

	(void)filename, (void)line;
	if (skipped)
		++*skipped;
	return 1;
}

int mount_table_parse(char *text, size_t len, const char *name, unsigned int *skipped,
		      struct libmnt_table **out)
{
	_cleanup_(mount_table_unref_p) struct libmnt_table *table = mnt_new_table();
	/* fmemopen(3) does not accept an empty buffer. */
	FILE *file = len ? fmemopen(text, len, "r") : NULL;
	int rc = 0;

	if (!table || (len && !file))
		rc = err_no_memory();
	if (!rc && file) {
		mnt_table_set_userdata(table, skipped);
		mnt_table_set_parser_errcb(table, mount_table_skip_line);
		if (mnt_table_parse_stream(table, file, name))
			rc = err_set(EBADMSG, "libmount cannot read %s", name);
	}
	if (file)
		fclose(file);
	if (!rc)
		*out = take_ptr(table);
	return rc;
}

int mount_table_fstab(const struct host *host, struct libmnt_table **out)
{
	_cleanup_(host_text_fini) struct host_text text = { NULL, 0 };
	int rc = host_read(host, "etc/fstab", HOST_FILE_MAX, &text);

	return rc ? rc : mount_table_parse(text.text, text.len, "fstab", NULL, out);
}
