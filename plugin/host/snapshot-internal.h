/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The map of the snapshot:
 *
 *	snapshot.c        watches the host, and keeps what readers are told
 *	snapshot-tree.c   where a path leads, and all that is on the way
 *	snapshot-write.c  the records, the index, the archive
 *	archive.c         a tar archive
 *	secrets.c         what is not in it
 */
#ifndef PLUGIN_HOST_SNAPSHOT_INTERNAL_H
#define PLUGIN_HOST_SNAPSHOT_INTERNAL_H

#include "plugin/host/live-internal.h"

#define PACKAGES ".nfsrdma/packages"

struct archive;

enum member_type { MEMBER_FOLDER, MEMBER_LINK, MEMBER_FILE };

struct member {
	char *path;
	enum member_type type;
	char *target;          /* of a link */
	bool opened;           /* its content is wanted */
	bool secret;           /* and it is private */
	struct host_text text; /* of a file, NULL: not held */
};

struct asked {
	char *path;
	bool absent, listed, read;
	struct json_object *error;
};

struct snapshot {
	struct host *host;
	void *entries, *asked;        /* of tsearch(3) */
	struct json_object *packages; /* name: version, "" not installed; NULL: unknown */
	struct json_object *remote;
	int rc; /* of the first event that could not be kept */
	/* While the archive is written. */
	struct archive *archive;
	struct snapshot_summary *summary;
	struct json_object *listed, *absent, *errors;
};

/* snapshot-tree.c */

/* The node of @path; a new one has @size bytes of zeros but for its path. NULL: no memory, which
 * is then snapshot->rc. */
void *snapshot_tree_add(struct snapshot *snapshot, void **tree, const char *path,
			size_t size);
/* What is at @path, in which there are no links but perhaps the last part. NULL: nothing. */
struct member *snapshot_tree_look(struct snapshot *snapshot, const char *path);
/* Puts all that is on the way into the archive. NULL: it leads nowhere. */
struct member *snapshot_tree_place(struct snapshot *snapshot, const char *path,
				   bool follow);
void snapshot_tree_free(struct snapshot *snapshot);

/* snapshot.c */

/* -ENOMEM without words. What @to had is freed. */
int snapshot_copy(struct host_text *to, const void *bytes, size_t len);

/* archive.c: a gzipped tar archive, in GNU's form, which has no limit to names */

/* @fd: stays the caller's. @mtime: of every entry, seconds since 1970. */
int archive_open(struct archive **out, int fd, uint64_t mtime);
/* Paths are relative and without a slash at the end; a directory comes before what is in it.
 * Errors: of write(2); -ENOMEM. */
int archive_folder(struct archive *archive, const char *path);
int archive_link(struct archive *archive, const char *path, const char *target);
int archive_file(struct archive *archive, const char *path, const void *bytes,
		 size_t len);
/* What is an archive's end, and all that was not written yet. */
int archive_end(struct archive *archive);
void archive_close_p(struct archive **archive);

/* secrets.c: pure */

/* No snapshot has the content of such a file. */
bool secrets_is_secret(const char *path);
/* Removes secrets from a file's text. @path: below the root. */
void secrets_strip(const char *path, struct host_text *text);

#endif
