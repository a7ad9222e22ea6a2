/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The recorded state of a mount, for all programs that judge mounts: the mount helper
 * writes it, the watcher refreshes it, the gates and `nfsrdma mounts` read it. A record is
 * a file below /run/nfsrdma/mounts, which only root can write:
 *
 *	<id>.json            for the mount with this id in mountinfo
 *	pending-<hash>.json  for a directory where a mount is in progress, or where the helper
 *	                     died before it could record the mount: there is no id yet
 *
 * The file is the report of the checks and the proof (plugin/report, schema
 * nfsrdma-report/1) with one more object:
 *
 *	"mount": {
 *	  "id": 90,                      of mountinfo; null in a pending record
 *	  "dev": "0:53",                 null in a pending record
 *	  "target": "/srv/vm",           the mount point
 *	  "fs_spec": "nas:/vm",          the source
 *	  "boot_id": "…",                of proc/sys/kernel/random/boot_id
 *	  "wanted": "rdma",              what its options and the policy request; "" nothing
 *	  "policy": "require",           in force at mount time; "" or absent: not known
 *	  "effective": "rdma",           the actual transport; "" not known
 *	  "state": "unproven" | "proven" | "tcp" | "gone",
 *	  "checked_monotonic_ms": 12345, time of the check, by CLOCK_MONOTONIC
 *	  "by": "mount.nfsrdma" }
 *
 * Ids, device numbers and directories are reused, so a record alone proves nothing. Read it
 * with record_find(), which accepts a record only if it is of this boot, matches the mount
 * in mountinfo, is recent enough, and no pending record of its directory is newer. Only
 * RECORD_PROVEN says that a mount is over RDMA. A missing or rejected record means unknown,
 * which is not RDMA either.
 *
 * Readers treat records as untrusted: they are bounded, and a malformed one is -EBADMSG. */
#ifndef PLUGIN_RECORD_H
#define PLUGIN_RECORD_H

#include "plugin/host/host.h"
#include "plugin/report/report.h"

enum record_state {
	RECORD_UNPROVEN, /* a mount is in progress, or its helper was killed: not RDMA */
	RECORD_PROVEN,   /* mountinfo says RDMA, and so does mountstats if it has data */
	RECORD_TCP,      /* mounted over another transport */
	RECORD_GONE,     /* it was mounted, and is no longer */
	RECORD_STATE_COUNT
};

const char *record_state_name(enum record_state state);

struct record {
	unsigned int id; /* 0: pending */
	char dev[16];
	char target[256], fs_spec[256]; /* cut, clean: struct nfs_mount */
	char boot_id[40];
	char wanted[16], policy[16], effective[16];
	enum record_state state;
	uint64_t checked_ms;
	char by[32];
};

/* Whether a record is of this very mount. Mount ids are reused at once, so a record from
 * before the mount was made is of another mount. @now: CLOCK_MONOTONIC at the time the
 * mount was read. The caller compares boot ids. */
bool record_is_of(const struct record *record, const struct nfs_mount *mount, uint64_t now);
/* It was mounted with policy "prefer", possibly by a mount option, so TCP is acceptable. */
bool record_is_lenient(const struct record *record);
/* Fills in the fields that describe the mount; the caller sets the others. */
void record_of_mount(struct record *record, const struct nfs_mount *mount);

/* record-encode.c: pure */

/* @report: the report that the record extends; NULL: none. The caller frees *@out with
 * free(3). Errors: -ENOMEM. */
int record_encode(const struct record *record, const struct report *report, char **out);

/* record-json.c: pure */

/* Errors: -EBADMSG with the reason. */
int record_decode(const char *text, struct record *out);

/* record.c: reading, below the host's root */

#define RECORD_FOLDER "run/nfsrdma/mounts"
/* The watcher's interval; a record older than twice this is rejected. */
#define RECORD_PERIOD_MS 30000

struct record_list;

/* The source of records: files, or a list that was read before. */
struct record_source {
	const struct host *host;
	const struct record_list *list; /* NULL: @host's files */
	const char *boot_id;            /* NULL: @host's; "" not known: then no record is valid */
};

/* The record of @mount, if it is valid at @now (CLOCK_MONOTONIC) and at most @max_age_ms
 * old. With -ESTALE @out is the rejected record, and the error's text is the reason.
 * Errors: -ENOENT there is none; -ESTALE it is of another mount or boot, or too old, or a
 * helper is working on that directory (a pending record is newer); -EBADMSG; of reading. */
int record_find(const struct record_source *from, const struct nfs_mount *mount, uint64_t now,
		uint64_t max_age_ms, struct record *out);
/* The pending record of a directory. Errors: -ENOENT; -ESTALE of another boot or directory. */
int record_find_pending(const struct record_source *from, const char *target, struct record *out);
/* "/run/nfsrdma/mounts/pending-0123456789abcdef.json". Pure. */
#define RECORD_PATH_MAX 64
const char *record_pending_path(const char *target, char path[RECORD_PATH_MAX]);
/* The id of this boot. Errors: of reading. */
int record_boot_id(const struct host *host, char *buf, size_t cap);

/* record-list.c */

/* A file that is malformed, unreadable or wrongly named. */
struct record_broken {
	char name[48]; /* truncated: no name of a record is longer */
	int rc;
	char why[224];
};

struct record_list {
	size_t count;
	struct record *list; /* in the order of file names */
	unsigned int nbroken;
	struct record_broken *broken;
};

/* All records, valid or not. An absent folder is an empty list. Errors: of reading the
 * folder; -ENOMEM. */
int record_list(const struct host *host, struct record_list *out);
void record_list_fini(struct record_list *list);

/* record-write.c: the only writer. Writes are atomic, and synced to disk on return. */

/* An open folder of records: kept open across a change of mount namespace. */
#define RECORD_ROOT "/"
/* Creates missing parts of run/nfsrdma/mounts below @root. Returns a descriptor, or -errno. */
int record_open(const char *root);
int record_write(int folder, const struct record *record, const struct report *report);
/* An absent record is no error. @id 0: no mount; @target NULL: no pending record. */
int record_remove(int folder, unsigned int id, const char *target);
/* Removes all records of a directory, regardless of their mount. */
int record_forget(int folder, const char *target);
/* Removes the records of a directory whose mounts are gone: umount(8) without our helper
 * leaves them, as VDSM's "umount -f -l" does. @there: the mounts at @now; nothing is
 * removed if that list is incomplete. */
int record_tidy(int folder, const char *target, const struct nfs_mounts *there, uint64_t now);
/* @pending is of @mount, which is there: it becomes the record of that mount. Nothing is done if
 * the file has changed since it was read. */
int record_settle(int folder, const struct record *pending, const struct nfs_mount *mount,
		  enum record_state state);
/* For a caller that looked at @record->checked_ms and writes now. If another process has
 * since written the record, or a pending one of the directory, with the same or a later
 * time, that one has newer information and is kept. Mount ids are reused, so it may already
 * be of another mount. Returns 1 if it was kept; else as record_write(). */
int record_renew(int folder, const struct record *record, const struct report *report);
/* Removes the file of @seen, if it still contains that record. */
int record_drop(int folder, const struct record *seen);

#endif
