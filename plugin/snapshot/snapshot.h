/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Everything that readers query while a snapshot is open, as an archive. plugin/host reads it back
 * (snapshot-index.c), plugin/live its record. */
#ifndef PLUGIN_SNAPSHOT_H
#define PLUGIN_SNAPSHOT_H

#include <limits.h>

#include "plugin/host/host.h"

struct snapshot;

/* Starts watching @host, which must outlive the snapshot. Errors: -ENOMEM. */
int snapshot_open(struct snapshot **out, struct host *host);
void snapshot_close(struct snapshot *snapshot);
void snapshot_close_p(struct snapshot **snapshot);
/* Adds a file of the record, ".nfsrdma/nft.json": a live_file (live.h) with the snapshot
 * as @arg. */
int snapshot_file(void *arg, const char *path, const char *text, size_t len);

struct snapshot_summary {
	char folder[96];      /* in the archive: "node1-20260101-120000" */
	unsigned int files;   /* with content */
	unsigned int refused; /* what only root may see */
};

/* Writes a gzipped tar archive with one directory, for --root as it is or unpacked. It does not
 * contain the secrets that secrets.c names. Errors: of the first event that could not be
 * stored; of write(2). */
int snapshot_write(struct snapshot *snapshot, int fd, struct snapshot_summary *out);

/* An archive that was unpacked. */
struct snapshot_unpacked {
	char folder[256];              /* below $TMPDIR or /tmp; "": none */
	char root[256 + NAME_MAX + 2]; /* what host_open() takes: its only folder, or itself */
};

/* The archive is untrusted. Errors: -EBADMSG it is none, or has entries that no snapshot has; -EFBIG; of reading
 * and writing; -ETIMEDOUT. */
int snapshot_unpack(const char *path, uint64_t deadline, struct snapshot_unpacked *out);
/* Removes it from the disk. */
void snapshot_unpacked_remove(struct snapshot_unpacked *unpacked);

#endif
