/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The map of plugin/record.
 *
 *	record-json.c   the bytes of a record, and back; names of files
 *	record.c        reading: what is believed
 *	record-list.c   all of them
 *	record-write.c  writing and removing
 */
#ifndef PLUGIN_RECORD_INTERNAL_H
#define PLUGIN_RECORD_INTERNAL_H

#include "plugin/record/record.h"

/* A report of all checks of a host is a fifth of it. */
#define RECORD_MAX (512 * 1024)

/* record-json.c */

#define RECORD_NAME_MAX 48

/* "90.json"; of a directory "pending-0123456789abcdef.json". Both pure. */
const char *record_name(unsigned int id, char name[RECORD_NAME_MAX]);
const char *record_pending_name(const char *target, char name[RECORD_NAME_MAX]);

/* record.c */

/* The record in a file below the host's root. Errors: of reading; -EBADMSG. */
int record_read(const struct host *host, const char *path, struct record *out);

/* Where records are looked for: in files, or among those that were read. */
struct record_source {
	const struct host *host;
	const struct record_list *list; /* NULL: @host's files */
	const char *boot_id;            /* NULL: @host's */
};

int record_source_find(const struct record_source *from, const struct nfs_mount *mount,
		       uint64_t now, uint64_t max_age_ms, struct record *out);
int record_source_pending(const struct record_source *from, const char *target,
			  struct record *out);

/* record-list.c */

/* That of a file's name. Errors: -ENOENT; as it was read. */
int record_list_get(const struct record_list *list, const char *name, struct record *out);

#endif
