/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Which transport a mount requests, what requests it, whether that is binding, and which it
 * uses. There is one answer for all: `nfsrdma mounts`, the checks of group mount, the gates
 * (plugin/guard), the watcher, libvirt's pools, `nfsrdma ovirt` and the mount helper only
 * print it.
 *
 * Sources are data, each read once: mountinfo, mountstats and utab (struct nfs_mounts), requests of
 * mount.nfsrdma, nfsrdma.conf, fstab, .mount units, storages of Proxmox VE, VDSM's domains, maps of
 * autofs, nfsmount.conf, and pools. Only the caller can provide pools: from libvirt, or from its
 * files if libvirt must not be called. A view reports which sources are missing. So two callers can
 * get different answers only because one lacks a source.
 *
 * The requested transport of a mount is decided by the first of these that names one:
 * 1. A section [server], [export] or [directory] of nfsrdma.conf with a policy. It covers the
 *    mount: require and prefer request RDMA, and off cancels any other request.
 * 2. What requests RDMA: a pool, a line of fstab, a unit, a storage, the options mount.nfs was
 * given, a call of
 *    mount.nfsrdma (where nothing is mounted: one that did not finish), nfsmount.conf, and last a port that only RDMA uses, which is a guess. A firm
 *    request precedes one for which TCP is acceptable (nfsrdma.policy=prefer, a guess), and the strictest counts. A mount
 *    that the kernel made below another one, or of the same file system, requests what that
 *    one does.
 * 3. A [default] that an administrator wrote. It covers every NFS mount, however it was
 *    mounted: nfsrdma.conf(5) promises "every mount", and a host with the single line "require"
 *    must have no mount over TCP. nfsrdma.policy= of a mount is more specific. The built-in
 *    default does not apply to other mounts: it is what mount.nfsrdma does.
 *    [default] also sets whether the requests of 2 are binding, if they have no nfsrdma.policy=.
 *
 * The actual transport of a mount is the one in mountinfo, unless mountstats has a
 * connection of another kind. Nothing says otherwise.
 *
 * Nothing here touches a path at or below a network mount. */
#ifndef PLUGIN_VIEW_H
#define PLUGIN_VIEW_H

#include "plugin/host/host.h"
#include "plugin/options/options.h"
#include "rpcrdma/base/finding.h"

/* plugin/request/request.h */
struct request;
struct request_list;

/* run.c: pure */

enum view_run {
	RUN_UNKNOWN, /* mountinfo names no transport */
	RUN_RDMA,    /* by mountinfo, and mountstats for every connection */
	RUN_CLAIMED, /* by mountinfo; mountstats has no connection */
	RUN_MIXED,   /* the two differ, or connections differ */
	RUN_OTHER,   /* TCP, UDP */
};

/* Whether this transport is RDMA: "rdma", "rdma6". */
bool view_is_rdma(const char *proto);
enum view_run view_run(const struct nfs_mount *mount);
/* RUN_RDMA, RUN_CLAIMED. */
bool view_run_is_rdma(enum view_run run);
/* "rdma", "tcp", "mixed", "unknown"; borrowed from the mount. */
const char *view_run_name(const struct nfs_mount *mount);

/* asks.c: pure: what an option string requests */

enum view_asked {
	ASKED_UNKNOWN, /* the request is unknown */
	ASKED_ANY,     /* options are known, and name no transport, or say nfsrdma.policy=off */
	ASKED_TCP,     /* or UDP */
	ASKED_RDMA,
};

/* "unknown", "any", "tcp", "rdma". */
const char *view_asked_name(enum view_asked asked);

/* nfsrdma.policy= among the options. */
enum view_force { FORCE_NONE, FORCE_OFF, FORCE_PREFER, FORCE_REQUIRE };

struct view_asks {
	enum view_asked asked; /* even if another option overrides it */
	bool overruled;        /* RDMA, followed by another transport */
	enum view_force force; /* the last applies */
};

/* @type: "nfsrdma" requests RDMA itself; NULL: not known. @options: "": ASKED_UNKNOWN. */
void view_asks(const char *type, const char *options, struct view_asks *out);

/* places.c: directories on which something is configured to be mounted */

enum view_place_kind {
	PLACE_POOL,    /* a libvirt pool */
	PLACE_FSTAB,   /* a line of fstab */
	PLACE_UNIT,    /* a .mount unit of systemd, or an .automount unit with its .mount */
	PLACE_STORAGE, /* an NFS storage of Proxmox VE */
	PLACE_AUTOFS,  /* an entry of an automounter's map */
	PLACE_DOMAIN,  /* a directory below REPOSITORY/mnt, on which VDSM mounts its domains */
	PLACE_PENDING, /* a mount that mount.nfsrdma began since boot, and did not finish */
	PLACE_SECTION, /* [directory PATH] of nfsrdma.conf, without wildcards */
};

struct view_place {
	enum view_place_kind kind;
	char *pool;            /* libvirt's name for it; NULL: none */
	char *target;          /* as configured; NULL: a pool without files on this host */
	char *fs_spec;         /* "nas:/vm"; NULL: not NFS, or not known */
	char *options;         /* as configured; NULL: none */
	enum view_asked asked; /* by its options */
	enum view_force force;
	bool expected; /* it should be mounted now: the pool runs, the line is not noauto */
	/* It need not be mounted, by what an administrator wrote: noauto, a disabled unit. Where
	 * nothing is mounted it requests nothing. */
	bool idle;
	bool plain;               /* mount.nfs mounts it with exactly these options */
	char by[POLICY_FROM_MAX]; /* "pool 'vm'", "/etc/fstab:7" */
	/* For the command that mounts it or takes the request back: of the unit, of the storage,
	 * the file of a request. NULL: none. */
	char *name;
};

/* What its name is, as evidence: "unit", "storage", "request"; NULL: it has none. */
const char *view_place_key(const struct view_place *place);

struct view_places {
	size_t count;
	struct view_place *list;
};

/* Copies @place. -ENOMEM. */
int view_places_add(struct view_places *places, const struct view_place *place);
/* Lines of etc/fstab of type nfs, nfs4 and nfsrdma. An absent file is empty. Errors: of
 * reading. */
int view_places_fstab(const struct host *host, struct view_places *places);
/* The pool of that name, or NULL. */
const struct view_place *view_places_pool(const struct view_places *places, const char *name);
void view_places_fini(struct view_places *places);

/* wanted.c: pure */

/* What requests the transport. */
enum view_by {
	BY_NOBODY,
	BY_SECTION, /* [server], [export], [directory] */
	BY_POOL,
	BY_FSTAB,
	BY_UNIT,    /* a .mount unit */
	BY_STORAGE, /* of Proxmox VE */
	BY_AUTOFS,  /* an automounter's map */
	BY_OPTIONS, /* the options mount.nfs was given */
	BY_REQUEST, /* the call of mount.nfsrdma that mounted it */
	BY_PENDING, /* one that did not finish, where nothing is mounted */
	BY_NFSMOUNT_CONF,
	BY_PORT,  /* a guess: the port is RDMA's */
	BY_ABOVE, /* the mount below which the kernel made it */
	BY_DEFAULT,
};

/* "section", "pool", "fstab"...; "nobody". */
const char *view_by_name(enum view_by by);

struct view_wanted {
	enum view_asked asked; /* RDMA, if anything requests it */
	bool rdma;             /* RDMA is requested, and not switched off */
	/* True: a section or [default] decides; false: a request does. */
	bool covered;
	enum policy_mode mode; /* in force: with @rdma require or prefer */
	enum policy_unknown on_unknown;
	enum view_by by; /* also set if it is switched off */
	bool guess; /* nothing is sure to request it: [default] decides, if it says something */
	/* "/etc/nfsrdma.conf:3", "pool 'vm'", "/etc/fstab:7", "its mount options"; "": no
	 * request */
	char from[POLICY_FROM_MAX];
	bool many; /* @from is a plural */
	/* The request comes from options, a pool or mount.nfsrdma, and not only from today's
	 * policy: it remains when the policy changes. */
	bool lasting;
	const struct view_place *place; /* that requests it, or is covered; NULL */
};

/* "requires", "prefers", "requests", "request". */
const char *view_verb(const struct view_wanted *wanted);
/* "require", "prefer", "off", "nobody". */
const char *view_binds_name(const struct view_wanted *wanted);
/* Whether a mount that the kernel made below another one is part of the same export, and
 * not a referral. */
bool view_is_part(const struct nfs_mount *mount, const struct nfs_mount *above);

/* view.c */

/* Requested and actual transport compared, for reports. */
enum view_state {
	VIEW_CALM,      /* RDMA is not requested */
	VIEW_GOOD,      /* requested, and over RDMA */
	VIEW_TOLERATED, /* requested and not over RDMA, which the policy allows with a warning */
	VIEW_BAD,       /* requested, and not over RDMA */
	VIEW_UNKNOWN,   /* requested, and the actual transport is unknown */
};

/* Why it is unknown whether mount.nfsrdma was to mount something on a directory. */
#define VIEW_FILE_MAX 64

struct view_lost {
	char why[256];            /* "": nothing is lost */
	char file[VIEW_FILE_MAX]; /* whose removal clears it: the request, or the folder of all */
	bool all;                 /* the folder */
};

struct view_mount {
	const struct nfs_mount *mount;
	bool covered; /* a later mount on its directory hides it */
	bool domain;  /* a mount that VDSM made */
	enum view_run run;
	/* Index of the mount below which the kernel made it; UINT_MAX: none. */
	unsigned int below;
	struct view_wanted wanted;
	struct view_lost lost; /* a request for RDMA */
	/* The source differs from that of @wanted.place: it may or may not be the same
	 * export under another name. */
	bool alias;
	enum view_state state;
};

/* What is mounted on a place. */
enum view_dir_mounted {
	DIR_NOT_MOUNTED,
	DIR_NFS,       /* @mount */
	DIR_OTHER,     /* not NFS */
	DIR_AUTOMOUNT, /* an automounter that has not mounted it */
	DIR_UNKNOWN,   /* could not be determined */
};

struct view_dir {
	const struct view_place *place;
	char *path; /* with symbolic links resolved */
	enum view_dir_mounted mounted;
	const struct host_mount *on; /* the mount on it; if there is none, the mount it lies on */
	unsigned int mount;          /* index for DIR_NFS */
	struct view_wanted wanted;
	bool other_source; /* for DIR_NFS: its source differs, as text, from the place's */
	enum view_state state;
};

struct view;

/* A pending request whose mount is there is noted as mounted, so that a later umount leaves nothing
 * that refuses, and one whose mount is gone is removed. For root; an error is not one of the
 * caller. @root: of the view's host. */
void view_settle(const struct view *view, const char *root);

struct view_sources {
	/* Sources not given below are read from it. NULL: then they are unknown. */
	const struct host *host;
	uint64_t now; /* CLOCK_MONOTONIC in ms, before anything was read: for the age of requests */
	/* Only the caller can provide these. Borrowed; NULL: none. */
	const struct view_places *pools;
	const char *pools_unknown; /* why some or all of them are unknown; NULL: all are known */
	/* If given, these are borrowed and not read again. For given mounts, their own
	 * fstab data is used. */
	const struct nfs_mounts *mounts;
	struct policies *policies; /* symbolic links in its directories are resolved */
	const struct conf *nfsmount_conf;
	const struct request_list *requests;
};

/* Errors: the policy is invalid (-EINVAL, with file and line), or mounts cannot be read:
 * then no view is possible; -ENOMEM. */
int view_open(struct view **out, const struct view_sources *sources);
void view_close(struct view *view);
void view_close_p(struct view **view);
/* The sources that could not be read and may request RDMA, with the reason: pools, or
 * etc/fstab. NULL: all were read. Borrowed. */
const char *view_lacks(const struct view *view);

/* Compares @wanted with a mount's actual transport. */
enum view_state view_judge(const struct view_wanted *wanted, const struct view_mount *mount,
			   bool alias);
/* The status of its finding: a tolerated mount warns, and one without a request passes. */
enum finding_status view_status(enum view_state state);
/* Sources are compared as text, as libvirt does, except for redundant slashes. */
bool view_same_source(const char *a, const char *b);

/* The mounts that were read; borrowed. */
const struct nfs_mounts *view_nfs(const struct view *view);
const struct host_mounts *view_tree(const struct view *view);
const struct policies *view_policies(const struct view *view);
const struct conf *view_nfsmount_conf(const struct view *view);
const struct request_list *view_requests(const struct view *view);
/* What was requested on the directory of a mount, of whatever source; it may be broken. NULL:
 * nothing. */
const struct request *view_request(const struct view *view, const struct nfs_mount *mount);
/* What cannot be read of the request of a directory. NULL: of any, the first. */
bool view_lost(const struct view *view, const char *dir, struct view_lost *out);
/* "/rhev/data-center/mnt/", with symbolic links resolved; "" without a host. */
const char *view_domains(const struct view *view);
/* Whether a path belongs to a VDSM storage domain on block devices or GlusterFS, to which
 * no request applies. */
bool view_is_not_nfs(const struct view *view, const char *path);

/* A mount of view_nfs(), by index; evaluated on first use, borrowed. */
const struct view_mount *view_mount(const struct view *view, unsigned int index);
/* All places with a target, by path; sections follow after all others. */
size_t view_ndirs(const struct view *view);
const struct view_dir *view_dir(const struct view *view, size_t index);
/* The directory of a place of sources.pools; NULL: it has no target. */
const struct view_dir *view_dir_of(const struct view *view, const struct view_place *place);
/* What [directory] sections and places request of a directory, whatever is mounted there. */
void view_wanted_at(const struct view *view, const char *path, struct view_wanted *out);
/* What an automounter mounts on a path at or below its trigger, which is not mounted yet. @on: the
 * trigger. */
struct view_demand {
	bool known; /* the rest is known: by fstab, a unit, or a file map */
	bool rdma;  /* it will request RDMA */
	char source[PATH_MAX];
	struct view_wanted wanted; /* of what will be mounted */
	char why[256];             /* not known */
	bool other;                /* not known, but no NFS */
};
void view_demand(const struct view *view, const struct host_mount *on, const char *path,
		 struct view_demand *out);
/* What would be requested of a mount of @source on @target with those options, which is not
 * in the view. */
void view_wanted_of(const struct view *view, const struct view_place *place,
		    struct view_wanted *out);

#endif
