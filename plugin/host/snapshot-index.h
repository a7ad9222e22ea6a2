/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The index of a snapshot: what was queried, and what did not exist. */
#ifndef PLUGIN_HOST_SNAPSHOT_INDEX_H
#define PLUGIN_HOST_SNAPSHOT_INDEX_H

#include "plugin/host/host.h"

#define SNAPSHOT_INDEX_PATH   ".nfsrdma/index.json"
#define SNAPSHOT_INDEX_SCHEMA "nfsrdma-snapshot/1"

/* The content of a file of which only the name was queried. */
extern const char snapshot_index_unread[];

struct snapshot_index;

/* *@out is NULL if there is no index, so it is no snapshot. Errors: -EBADMSG; of reading. */
int snapshot_index_open(struct snapshot_index **out, const struct host *host);
void snapshot_index_close(struct snapshot_index *index);
/* The recorded error of reading or listing @path; 0: none. */
int snapshot_index_error(const struct snapshot_index *index, const char *path);
/* Why @path does not exist below @root: -ENOENT: it did not exist, without err_text();
 * its recorded error, or -ENODATA, with err_text(). */
int snapshot_index_missing(const struct snapshot_index *index, int root, const char *path);
/* Returns 0, or -ENODATA if the snapshot does not have all names in it. */
int snapshot_index_listed(const struct snapshot_index *index, const char *path);
/* Returns 0, or -ENODATA if the file is a placeholder for one that was not read. */
int snapshot_index_content(int fd, const char *path);

#endif
