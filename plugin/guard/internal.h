/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The map of plugin/guard.
 *
 *	backing.c what a path lies on, and what is requested there
 *	decide.c  the answer and its message; pure
 *	guard.c   one question for each disk */
#ifndef PLUGIN_GUARD_INTERNAL_H
#define PLUGIN_GUARD_INTERNAL_H

#include "plugin/guard/guard.h"

/* What a path lies on. */
enum guard_backing {
	BACKING_RDMA,         /* an NFS mount, over RDMA */
	BACKING_OTHER,        /* an NFS mount over another transport, or over several */
	BACKING_DOUBTFUL,     /* an NFS mount of unknown transport */
	BACKING_ALIAS,        /* an NFS mount over RDMA, of another source than requested there */
	BACKING_FOREIGN,      /* another file system is mounted where an NFS mount is requested */
	BACKING_EMPTY,        /* nothing is mounted where a mount is requested */
	BACKING_AUTOMOUNT,    /* an automounter would mount it; its transport is unknown */
	BACKING_DEMAND,       /* an automounter will mount it, over RDMA */
	BACKING_DEMAND_OTHER, /* an automounter will mount it, and not over RDMA */
	BACKING_UNKNOWN,      /* its location, or what is requested there, is unknown */
	BACKING_COUNT
};

struct guard_seen {
	enum guard_backing backing;
	struct view_wanted wanted;
	const struct host_mount *mount; /* mount that it lies on; NULL: none known */
	char proto[16];                 /* of an NFS mount; "" not known */
	/* Where a mount is requested: the mount's own target, or a directory below or above
	 * it. */
	char dir[PATH_MAX];
	char why[256];               /* it is unknown or lost */
	char request[VIEW_FILE_MAX]; /* that cannot be read, or all of them; "" none */
	char source[256];            /* that an automounter will mount; "" none, or not known */
	bool domain;                 /* VDSM mounts there, and ignores mounts made by hand */
};

/* The last directory that was judged: disks of a guest usually share one. */
struct guard_memo {
	const struct host_mount *mount; /* NULL: none */
	char dir[PATH_MAX];
	struct guard_seen seen;
};

struct guard {
	const struct host *host;
	const struct view *view;
	struct view *own;                 /* NULL: the view is borrowed */
	const struct view_places *places; /* the caller's; NULL: none */
	const char *places_unknown;
	/* Results are kept, so that each mount is judged once. */
	struct guard_seen **by_mount; /* by index of view_nfs(); NULL: not yet */
	struct guard_memo *last;
};

/* backing.c */

/* What a path lies on, and what is requested there. */
void backing_of_path(const struct guard *guard, const char *path, struct guard_seen *out);
/* The same for a path whose location is unknown, with the reason. */
void backing_unknown(const struct guard *guard, const char *path, const char *why,
		     struct guard_seen *out);

/* decide.c */

/* @file: as configured. Fills in all of @out. */
void decide_disk(const struct guard_seen *seen, const struct guard_disk *disk, const char *file,
		 struct guard_verdict *out);

#endif
