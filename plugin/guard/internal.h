/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The map of plugin/guard.
 *
 *	ground.c  what a path lies on, and what is wanted there
 *	decide.c  the answer, and its words; pure
 *	guard.c   the question
 */
#ifndef PLUGIN_GUARD_INTERNAL_H
#define PLUGIN_GUARD_INTERNAL_H

#include "plugin/guard/guard.h"

/* On what a path lies. */
enum guard_ground {
	GROUND_RDMA,     /* an NFS mount, over RDMA */
	GROUND_OTHER,    /* an NFS mount, over something else, or not RDMA alone */
	GROUND_UNPROVEN, /* an NFS mount over RDMA, of which a record says otherwise */
	GROUND_DOUBTFUL, /* an NFS mount of unknown transport */
	GROUND_ALIAS, /* an NFS mount over RDMA, of another source than is wanted there */
	GROUND_STRANGER,  /* what is no NFS is mounted where a mount is wanted */
	GROUND_EMPTY,     /* nothing is mounted where a mount is wanted */
	GROUND_AUTOMOUNT, /* an automounter would mount it */
	GROUND_LOST,      /* where it leads, or what is requested there, is unknown */
	GROUND_COUNT
};

struct guard_seen {
	enum guard_ground ground;
	struct view_wanted wanted;
	const struct host_mount *mount; /* that it lies on; NULL: none known */
	char proto[16];                 /* of an NFS mount; "" not known */
	/* Where a mount is wanted: the mount's own target, or a directory below or above it. */
	char dir[PATH_MAX];
	char why[256]; /* unproven, doubtful, lost */
	bool domain;   /* VDSM mounts there: what is mounted by hand it does not know */
};

/* The last directory that was asked: disks of a guest lie beside each other. */
struct guard_memo {
	const struct host_mount *mount; /* NULL: none */
	char dir[PATH_MAX];
	struct guard_seen seen;
};

struct guard {
	const struct host *host;
	const struct view *view;
	struct view *own;                 /* NULL: another's */
	const struct view_places *places; /* of the caller; NULL: none */
	const char *places_unknown;
	/* What was found out is kept, so that no disk is asked twice. */
	struct guard_seen **by_mount; /* by index of view_nfs(); NULL: not yet */
	struct guard_memo *last;
};

/* ground.c */

/* Where a path leads, and what is requested there. */
void ground_of_path(const struct guard *guard, const char *path, struct guard_seen *out);
/* The same where it is not known, and why. */
void ground_lost(const struct guard *guard, const char *path, const char *why,
		 struct guard_seen *out);

/* decide.c */

/* @file: as it is written. Fills in all of @out. */
void decide(const struct guard_seen *seen, const struct guard_disk *disk,
	    const char *file, struct guard_verdict *out);

#endif
