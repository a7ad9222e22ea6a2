/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The map of plugin/record.
 *
 *	record-encode.c encoding a record, with its report
 *	record-json.c   decoding a record; file names
 *	record.c        reading and validating one, from its file or from a list
 *	record-list.c   reading all records
 *	record-write.c  writing and removing */
#ifndef PLUGIN_RECORD_INTERNAL_H
#define PLUGIN_RECORD_INTERNAL_H

#include "plugin/record/record.h"

/* Five times the size of a report with all checks of a host. */
#define RECORD_MAX (512 * 1024)

/* record-json.c */

#define RECORD_NAME_MAX 48

/* "90.json"; for a directory "pending-0123456789abcdef.json". Both pure. */
const char *record_name(unsigned int id, char name[RECORD_NAME_MAX]);
const char *record_pending_name(const char *target, char name[RECORD_NAME_MAX]);
/* The one of these that the record has. */
const char *record_file_name(const struct record *record, char name[RECORD_NAME_MAX]);

/* record.c */

/* Reads the record in a file below the host's root. Errors: of reading; -EBADMSG. */
int record_read(const struct host *host, const char *path, struct record *out);

#endif
