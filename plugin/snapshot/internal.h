/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The map of plugin/snapshot.
 *
 *	snapshot.c   watches the host, and stores what readers query
 *	tree.c       where a path leads, and every component on it
 *	write.c      the records, the index, the archive
 *	tarball.c    a tar archive
 *	unpack.c     the same for --root
 *	secrets.c    what it may contain of a file, with secrets-settings.c and secrets-files.c   pure
 */
#ifndef PLUGIN_SNAPSHOT_INTERNAL_H
#define PLUGIN_SNAPSHOT_INTERNAL_H

#include "plugin/host/answer-json.h"
#include "plugin/host/files.h"
#include "plugin/host/snapshot-index.h"
#include "plugin/snapshot/snapshot.h"

#define SNAPSHOT_PACKAGES ".nfsrdma/packages"

enum snapshot_entry_type { SNAPSHOT_FOLDER, SNAPSHOT_LINK, SNAPSHOT_FILE };

struct snapshot_entry {
	char *path;
	enum snapshot_entry_type type;
	char *target;          /* of a link */
	bool opened;           /* its content is stored too */
	bool secret;           /* its content must not be stored */
	struct host_text text; /* of a file; NULL: not stored */
};

struct snapshot_query {
	char *path;
	bool absent, listed, read;
	struct json_object *error;
};

struct snapshot {
	struct host *host;
	void *entries, *queries;      /* of tsearch(3) */
	struct json_object *packages; /* name: version, "" not installed; NULL: unknown */
	struct json_object *remote;
	int rc; /* of the first event that could not be kept */
	/* While the archive is written. */
	struct tarball *archive;
	struct snapshot_summary *summary;
	struct json_object *listed, *absent, *errors;
};

/* tree.c */

/* Returns the node of @path; a new one has @size bytes, zero except for its path. NULL:
 * out of memory, which also sets snapshot->rc. */
void *snapshot_tree_add(struct snapshot *snapshot, void **tree, const char *path, size_t size);
/* Returns the member at @path, in which only the last component may be a link. NULL:
 * nothing. */
struct snapshot_entry *snapshot_tree_lookup(struct snapshot *snapshot, const char *path);
/* Adds every component on the path to the archive. NULL: it leads nowhere. */
struct snapshot_entry *snapshot_tree_resolve(struct snapshot *snapshot, const char *path,
					     bool follow);
void snapshot_tree_free(struct snapshot *snapshot);

/* snapshot.c */

/* Sets snapshot->rc, unless an earlier event has set it. */
void snapshot_no_memory(struct snapshot *snapshot);

/* Frees the previous content of @to. Errors: -ENOMEM without err_text(). */
int snapshot_copy(struct host_text *to, const void *bytes, size_t len);

/* tarball.c */

struct tarball;

/* @fd: remains owned by the caller. @mtime: of every entry. */
int tarball_open(struct tarball **out, int fd, time_t mtime);
/* Paths are relative and have no trailing slash; a directory precedes its content.
 * Errors: of write(2); -ENOMEM. */
int tarball_folder(struct tarball *tarball, const char *path);
int tarball_link(struct tarball *tarball, const char *path, const char *target);
int tarball_file(struct tarball *tarball, const char *path, const void *bytes, size_t len);
/* Writes the end of the archive and all data still buffered. */
int tarball_end(struct tarball *tarball);
void tarball_close_p(struct tarball **tarball);

/* secrets.c: pure */

/* Whether snapshots must not contain the content of this file. */
bool secrets_is_secret(const char *path);
/* Whether the content of the file at this real path may be stored as it is. */
bool secrets_is_kept_whole(const char *path);
/* Replaces a file's text by what snapshots may contain of it. @real: its path below the root without
 * links. @path: by which it was read. @by: the file that includes it, or NULL. Errors: -EBADMSG:
 * nothing of it; -ENOMEM. */
int secrets_strip(const char *real, const char *path, const char *by, struct host_text *text);

/* unpack.c */

struct child;

/* Records of the child; the last one is CHANNEL_ANSWER. */
enum unpack_record {
	UNPACK_FOLDER = 2, /* its path, with the NUL */
	UNPACK_FILE,       /* the same */
	UNPACK_DATA,       /* of the file before */
	UNPACK_LINK        /* path, NUL, target, NUL */
};

struct unpacked {
	int fd;   /* of the folder that everything goes below */
	int file; /* that is being written; -1 */
	unsigned int entries;
	uint64_t bytes;
	char first[NAME_MAX + 1]; /* the only component at the top; "" there are others */
	bool any;
};

/* Writes what the child sends, which may have been taken over. Errors: as of snapshot_unpack(); -EPROTO. */
int unpack_receive(const struct child *child, struct unpacked *to, uint64_t deadline);

#endif
