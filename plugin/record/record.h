/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* What is known of a mount, for all programs that judge mounts: the mount helper writes it, the
 * watcher keeps it young, the gates and `nfsrdma mounts` read it. A record is a file below
 * /run/nfsrdma/mounts, which only root writes:
 *
 *	<id>.json            of the mount with this id in mountinfo
 *	pending-<hash>.json  of a directory on which something is about to be mounted, or was by
 *	                     a helper that did not live to say what: there is no id yet
 *
 * The file is the report of the checks and the proof (plugin/report, schema nfsrdma-report/1) with
 * one more object:
 *
 *	"mount": {
 *	  "id": 90,                      of mountinfo; null in a pending record
 *	  "dev": "0:53",                 null in a pending record
 *	  "target": "/srv/vm",           where it is mounted
 *	  "fs_spec": "nas:/vm",          what
 *	  "boot_id": "…",                of proc/sys/kernel/random/boot_id
 *	  "wanted": "rdma",              what its options and the policy ask for; "" nothing
 *	  "policy": "require",           in force when it was mounted; "" not known, also where absent
 *	  "effective": "rdma",           what it runs over; "" not known
 *	  "state": "unproven" | "proven" | "tcp" | "gone",
 *	  "checked_monotonic_ms": 12345, when that was found out, by CLOCK_MONOTONIC
 *	  "by": "mount.nfsrdma" }
 *
 * Ids, device numbers and directories are used again, so a record alone proves nothing.
 * record_find() is how it is to be read: believed only if it is of this boot, matches the mount as
 * mountinfo has it now, is young enough, and no pending record of its directory is younger. Only
 * RECORD_PROVEN says that a mount is over RDMA. No record, or one that is not believed, is unknown,
 * which is not RDMA either.
 *
 * Records are hostile to a reader: bounded, and -EBADMSG what is not of this form. */
#ifndef PLUGIN_RECORD_H
#define PLUGIN_RECORD_H

#include "plugin/host/host.h"
#include "plugin/report/report.h"

enum record_state {
	RECORD_UNPROVEN, /* a mount is in progress, or its helper was killed: not RDMA */
	RECORD_PROVEN,   /* mountinfo, and mountstats where it has something, say RDMA */
	RECORD_TCP,      /* mounted, over something else */
	RECORD_GONE,     /* it was there, and is not any more */
	RECORD_STATE_COUNT
};

const char *record_state_name(enum record_state state);

struct record {
	unsigned int id; /* 0: pending */
	char dev[16];
	char target[256], fs_spec[256]; /* cut and clean, as in struct nfs_mount */
	char boot_id[40];
	char wanted[16], policy[16], effective[16];
	enum record_state state;
	uint64_t checked_ms;
	char by[32];
};

/* Whether a record is of this very mount. Its numbers are used again, at once, so that a record from
 * before the mount was made is of another. @now: CLOCK_MONOTONIC, of when the mount was read. Boots are
 * the caller's. */
bool record_is_of(const struct record *record, const struct nfs_mount *mount,
		  uint64_t now);
/* It was mounted with policy "prefer", by an option of the mount perhaps: TCP would do. */
bool record_is_lenient(const struct record *record);
/* Of a mount that is there; the rest is the caller's. */
void record_of_mount(struct record *record, const struct nfs_mount *mount);

/* record-json.c: pure */

/* @report: what stands beside it; NULL: nothing. *@out is the caller's, for free(3).
 * Errors: -ENOMEM. */
int record_encode(const struct record *record, const struct report *report, char **out);
/* Errors: -EBADMSG with what is wrong. */
int record_decode(const char *text, struct record *out);

/* record.c: reading, below the host's root */

#define RECORD_FOLDER "run/nfsrdma/mounts"
/* The watcher looks this often; a record of twice that age is not believed. */
#define RECORD_PERIOD_MS 30000

/* What is recorded of @mount, if it is to be believed at @now (CLOCK_MONOTONIC) with at most
 * @max_age_ms. With -ESTALE @out is what was not believed, with its reason as the error's text.
 * Errors: -ENOENT there is none; -ESTALE it is of another mount or boot, or too old, or a helper
 * is at that directory (a pending record is younger); -EBADMSG; of reading. */
int record_find(const struct host *host, const struct nfs_mount *mount, uint64_t now,
		uint64_t max_age_ms, struct record *out);
/* The pending record of a directory. Errors: -ENOENT; -ESTALE of another boot or directory. */
int record_find_pending(const struct host *host, const char *target, struct record *out);
/* This boot's. Errors: of reading. */
int record_boot_id(const struct host *host, char *buf, size_t cap);

/* record-list.c */

/* A file that is malformed, could not be read, or has another name. */
struct record_broken {
	char name[48]; /* cut: no name of a record is longer */
	int rc;
	char why[224];
};

struct record_list {
	size_t count;
	struct record *list; /* in the order of their files' names */
	unsigned int nbroken;
	struct record_broken *broken;
};

/* All that are there, whether or not they are to be believed. Absent is empty. Errors: of reading the
 * folder; -ENOMEM. */
int record_list(const struct host *host, struct record_list *out);
void record_list_fini(struct record_list *list);
/* As record_find() and record_find_pending(), of records that were read already. @boot_id: "" not
 * known: then there is none that could be believed. */
int record_list_find(const struct record_list *list, const char *boot_id,
		     const struct nfs_mount *mount, uint64_t now, uint64_t max_age_ms,
		     struct record *out);
int record_list_find_pending(const struct record_list *list, const char *boot_id,
			     const char *target, struct record *out);

/* record-write.c: the only writer. Whole or not at all, and on disk when it returns. */

/* An open folder of records: kept open across a change of mount namespace. */
#define RECORD_ROOT "/"
/* Makes what is missing of @root's run/nfsrdma/mounts. Returns a descriptor, or -errno. */
int record_open(const char *root);
int record_write(int folder, const struct record *record, const struct report *report);
/* Absent is no error. @id 0: of no mount; @target NULL: no pending record. */
int record_remove(int folder, unsigned int id, const char *target);
/* All records of a directory, whatever mount they are of. */
int record_forget(int folder, const char *target);
/* Those of a directory whose mounts are gone: umount(8) without our helper leaves them, as VDSM's
 * "umount -f -l" does. @there: the mounts that are there at @now; nothing is removed where they are
 * not all known. */
int record_tidy(int folder, const char *target, const struct nfs_mounts *there,
		uint64_t now);
/* For who looked at @record->checked_ms, and writes now: a record, or a pending one of the directory,
 * that is no older than that was written by somebody who knows more, and stays as it is. Numbers of
 * mounts are used again, so that it may be of another mount already. Returns 1: so it was; else as
 * record_write(). */
int record_renew(int folder, const struct record *record, const struct report *report);
/* Removes the file of @seen, if that is still what is in it. */
int record_drop(int folder, const struct record *seen);

#endif
