/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The map of plugin/guard.
 *
 *	places.c  directories on which somebody wants something mounted
 *	wish.c    who wants a mount, or what is mounted on a directory, over RDMA; pure
 *	note.c    what the records say of a mount
 *	ground.c  what a path lies on, and who wants what there
 *	decide.c  the answer, and its words; pure
 *	guard.c   what is read once, and the question
 */
#ifndef PLUGIN_GUARD_INTERNAL_H
#define PLUGIN_GUARD_INTERNAL_H

#include "plugin/guard/guard.h"
#include "plugin/mounts/mounts.h"
#include "plugin/record/record.h"

/* Whether somebody wants it over RDMA, and who. */
struct guard_wish {
	bool covered; /* a section of a server, an export or a directory says its mode */
	bool wanted;  /* it does and is not off; or somebody else asks for RDMA */
	bool many;    /* @by is more than one thing: "its mount options" */
	enum policy_mode mode; /* in force */
	enum policy_unknown on_unknown;
	char by[POLICY_FROM_MAX];
	const struct guard_place *place; /* that asks, or is covered; NULL: none */
};

/* On what a path lies. */
enum guard_ground {
	GROUND_RDMA,     /* an NFS mount, over RDMA */
	GROUND_OTHER,    /* an NFS mount, over something else, or not RDMA alone */
	GROUND_UNPROVEN, /* an NFS mount over RDMA, of which a record says otherwise */
	GROUND_DOUBTFUL, /* an NFS mount, and nobody can say what it goes over */
	GROUND_ALIAS, /* an NFS mount over RDMA, of another source than is wanted there */
	GROUND_STRANGER,  /* what is no NFS is mounted where a mount is wanted */
	GROUND_EMPTY,     /* nothing is mounted where a mount is wanted */
	GROUND_AUTOMOUNT, /* an automounter would mount it */
	GROUND_LOST, /* it could not be found out where it leads, or who wants what */
	GROUND_COUNT
};

struct guard_seen {
	enum guard_ground ground;
	struct guard_wish wish;
	const struct host_mount *mount; /* that it lies on; NULL: none known */
	char proto[16];                 /* of an NFS mount; "" not known */
	/* Where a mount is wanted: the mount's own target, or a directory below or above it. */
	char dir[PATH_MAX];
	char why[256]; /* unproven, doubtful, lost */
	bool domain;   /* VDSM mounts there: what is mounted by hand it does not know */
};

/* A place with its links resolved. */
struct guard_spot {
	const struct guard_place *place;
	char *path;
};

/* The last directory that was asked: disks of a guest lie beside each other. */
struct guard_memo {
	const struct host_mount *mount; /* NULL: none */
	char dir[PATH_MAX];
	struct guard_seen seen;
};

struct guard {
	const struct host *host;
	uint64_t now;
	char boot_id[40];           /* "" not known */
	char repository[PATH_MAX];  /* VDSM's */
	char domains[PATH_MAX + 8]; /* its storage domains are below: REPOSITORY/mnt/ */
	const struct guard_places *places; /* of the caller; NULL: none */
	const char *places_unknown;
	char fstab_unknown[256]; /* why it could not be read; "" it could */
	char unknown[640];       /* both; "" neither */
	struct guard_places fstab;
	struct host_mounts mounts;
	struct nfs_mounts nfs;
	struct policies *policies;
	struct conf *nfsmount_conf; /* NULL: not known */
	struct mount_verdict *verdicts;
	size_t nspots;
	struct guard_spot *spots; /* by path */
	/* What was found out is kept, so that no disk is asked twice. */
	struct guard_seen **by_mount; /* by index of nfs; NULL: not yet */
	struct guard_memo *last;
};

/* wish.c */

/* Brings guard->spots into the order in which they are looked for. */
void wish_sort(struct guard *guard);
/* What directory sections, and places, want of a directory. */
void wish_of_dir(const struct guard *guard, const char *dir, struct guard_wish *out);
/* What sections want of a mount, and nothing else. @source: "nas:/vm". */
void wish_of_mount(const struct guard *guard, const char *source, const char *dir,
		   struct guard_wish *out);
/* Somebody asks for RDMA; where it is wanted already, or covered, that stays. */
void wish_ask(struct guard_wish *wish, const char *by, bool many);
/* Whether one of the places at a directory is for this source. */
bool wish_is_there(const struct guard *guard, const char *dir, const char *source);

/* note.c */

struct guard_note {
	bool wanted;   /* over RDMA */
	bool lenient;  /* and TCP would do */
	bool unproven; /* why: it says so */
	bool doubtful; /* why: it could not be read */
	char why[256];
};

/* @index: of guard->nfs. */
void note_of_mount(const struct guard *guard, unsigned int index, struct guard_note *out);
/* Keeps a reason, clean and cut. */
void note_why(char why[256], const char *text);

/* ground.c */

/* Where a path leads, and who wants what there. */
void ground_of_path(const struct guard *guard, const char *path, struct guard_seen *out);
/* The same where it is not known, and why. */
void ground_lost(const struct guard *guard, const char *path, const char *why,
		 struct guard_seen *out);

/* decide.c */

/* @file: as somebody wrote it. Fills in all of @out. */
void decide(const struct guard_seen *seen, const struct guard_disk *disk,
	    const char *file, struct guard_verdict *out);

#endif
