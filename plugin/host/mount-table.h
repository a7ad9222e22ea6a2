/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Tables of mounts as libmount reads them: fstab(5) and mountinfo. */
#ifndef PLUGIN_HOST_MOUNT_TABLE_H
#define PLUGIN_HOST_MOUNT_TABLE_H

#include <libmount/libmount.h>

#include "plugin/host/host.h"

/* Skips lines that libmount cannot parse, as mount(8) does, and adds their number to *@skipped,
 * which may be NULL and must live as long as the table. No path of the text is looked up.
 * @name: of the file, for errors. The caller frees *@out with mount_table_unref_p(). */
int mount_table_parse(char *text, size_t len, const char *name, unsigned int *skipped,
		      struct libmnt_table **out);
/* etc/fstab. Errors: as host_read(). */
int mount_table_fstab(const struct host *host, struct libmnt_table **out);

static inline void mount_table_unref_p(struct libmnt_table **table)
{
	mnt_unref_table(*table);
}

#endif
