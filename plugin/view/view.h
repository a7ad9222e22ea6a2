/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Which transport a mount requests, what requests it, whether that binds, and what it uses. One answer for:
 * `nfsrdma mounts`, the checks of group mount, the gates (plugin/guard), the watcher, libvirt's pools,
 * `nfsrdma ovirt` and the mount helper only render it.
 *
 * Sources are data, each read once: mountinfo, mountstats and utab (struct nfs_mounts), records,
 * nfsrdma.conf, fstab, nfsmount.conf, and pools, which only the caller can bring: from libvirt, or from
 * its files where libvirt must not be asked. A view says which it lacks. So two that ask may differ by
 * a source that one of them lacks, and by nothing else.
 *
 * The requested transport of a mount is decided by the first of these that names one:
 *  1. A section [server], [export] or [directory] of nfsrdma.conf with a policy. It covers the mount:
 *     require and prefer request RDMA, off requests nothing, whatever else does.
 *  2. What requests RDMA: a pool, a line of fstab, the options mount.nfs was given, the record of a helper,
 *     nfsmount.conf, and at last a port that only RDMA has, which is a guess. One that is meant counts
 *     before one for which TCP would do (nfsrdma.policy=prefer, a guess). What the kernel made
 *     below another mount, or is mounted from the same file system, is wanted as that one is.
 *  3. A [default] that an administrator wrote. It covers every NFS mount, however it was mounted: "every
 *     mount" is what nfsrdma.conf(5) promises of it, and a host with one line "require" is meant to be
 *     a host without a mount over TCP. nfsrdma.policy= of a mount of its own is more specific.
 *     What is built in says nothing of other people's mounts: it is what mount.nfsrdma does.
 *     [default] also says with what force the requests of 2 apply.
 *
 * What a mount runs over is what mountinfo says, unless mountstats has a connection of another kind; a
 * record that says "unproven" or "tcp" outweighs both.
 *
 * Nothing here touches a path at or below a network mount. */
#ifndef PLUGIN_VIEW_H
#define PLUGIN_VIEW_H

#include "plugin/host/host.h"
#include "plugin/options/options.h"
#include "rpcrdma/finding.h"

struct record_list; /* plugin/record/record.h */

/* run.c: pure */

enum view_run {
	RUN_UNKNOWN, /* mountinfo names no transport */
	RUN_RDMA,    /* mountinfo says so, and mountstats of every connection */
	RUN_CLAIMED, /* mountinfo says so, and mountstats has no connection of it */
	RUN_MIXED,   /* the two say different things, or connections differ */
	RUN_OTHER,   /* TCP, UDP */
};

/* Whether a transport of that name is RDMA: "rdma", "rdma6". */
bool view_is_rdma(const char *proto);
enum view_run view_run(const struct nfs_mount *mount);
/* RUN_RDMA, RUN_CLAIMED. */
bool view_run_is_rdma(enum view_run run);
/* "rdma", "tcp", "mixed", "unknown"; borrowed from the mount. */
const char *view_run_name(const struct nfs_mount *mount);

/* asks.c: pure: what an option string requests */

enum view_asked {
	ASKED_UNKNOWN, /* the request is unknown */
	ASKED_ANY, /* options are known, and name no transport, or say nfsrdma.policy=off */
	ASKED_TCP, /* or UDP */
	ASKED_RDMA,
};

/* "unknown", "any", "tcp", "rdma". */
const char *view_asked_name(enum view_asked asked);

/* nfsrdma.policy= among the options. */
enum view_force { FORCE_NONE, FORCE_OFF, FORCE_PREFER, FORCE_REQUIRE };

struct view_asks {
	enum view_asked asked; /* also if another option overrules it */
	bool overruled;        /* RDMA, and after it something else */
	enum view_force force; /* the last counts */
};

/* @type: "nfsrdma" requests RDMA by itself; NULL: not known. @options: "": ASKED_UNKNOWN. */
void view_asks(const char *type, const char *options, struct view_asks *out);

/* places.c: directories on which something is configured to be mounted */

enum view_place_kind {
	PLACE_POOL,    /* of libvirt's */
	PLACE_FSTAB,   /* a line */
	PLACE_SECTION, /* [directory PATH] of nfsrdma.conf, without wildcards */
};

struct view_place {
	enum view_place_kind kind;
	char *pool;    /* libvirt's name of it; NULL: none */
	char *target;  /* as it is written; NULL: of a pool that has no files here */
	char *fs_spec; /* "nas:/vm"; NULL: not of NFS, or not known */
	char *options; /* as they are written; NULL: none */
	enum view_asked asked; /* by its options */
	enum view_force force;
	bool expected; /* it should be mounted now: the pool runs, the line is not noauto */
	bool plain;    /* mount.nfs mounts it, with the options as they are written */
	char by[POLICY_FROM_MAX]; /* "pool 'vm'", "/etc/fstab:7" */
};

struct view_places {
	size_t count;
	struct view_place *list;
};

/* Copies. -ENOMEM. */
int view_places_add(struct view_places *places, const struct view_place *place);
/* Lines of etc/fstab of type nfs, nfs4 and nfsrdma. Absent is empty. Errors: of reading. */
int view_places_fstab(const struct host *host, struct view_places *places);
/* The pool of that name; NULL. */
const struct view_place *view_places_pool(const struct view_places *places,
					  const char *name);
void view_places_fini(struct view_places *places);

/* wanted.c: pure */

/* Who says what is wanted. */
enum view_by {
	BY_NOBODY,
	BY_SECTION, /* [server], [export], [directory] */
	BY_POOL,
	BY_FSTAB,
	BY_OPTIONS, /* that mount.nfs was given */
	BY_RECORD,  /* of the helper that mounted it */
	BY_NFSMOUNT_CONF,
	BY_PORT,  /* a guess: the port is that of RDMA */
	BY_ABOVE, /* the mount that the kernel made it below */
	BY_DEFAULT,
};

/* "section", "pool", "fstab"...; "nobody". */
const char *view_by_name(enum view_by by);

struct view_wanted {
	enum view_asked asked; /* RDMA, if anything requests it */
	bool rdma;             /* it is wanted over RDMA, and that is not switched off */
	/* A section, or [default], decides; else a request does. */
	bool covered;
	enum policy_mode mode; /* in force: with @rdma require or prefer */
	enum policy_unknown on_unknown;
	enum view_by by; /* also of what is switched off */
	/* "/etc/nfsrdma.conf:3", "pool 'vm'", "/etc/fstab:7", "its mount options"; "" nobody */
	char from[POLICY_FROM_MAX];
	bool many; /* @from is a plural */
	/* Not only by what is written today: by options, a pool or a record, whoever else does. A
	 * policy that is changed tomorrow wants something else, and what a mount was asked for does not
	 * change. */
	bool lasting;
	const struct view_place *place; /* that asks, or is covered; NULL: none */
};

/* "requires", "prefers", "requests", "request". */
const char *view_verb(const struct view_wanted *wanted);
/* "require", "prefer", "off", "nobody". */
const char *view_binds_name(const struct view_wanted *wanted);

/* view.c */

/* Requested and actual transport compared, for reports. */
enum view_state {
	VIEW_CALM, /* RDMA is not requested */
	VIEW_GOOD, /* requested, and over RDMA */
	VIEW_TOLERATED, /* requested and not over RDMA, which the policy allows with a warning */
	VIEW_BAD,     /* requested, and not over RDMA */
	VIEW_UNKNOWN, /* requested, and the actual transport is unknown */
};

struct view_mount {
	const struct nfs_mount *mount;
	bool covered; /* a later mount on its directory hides it */
	bool domain;  /* VDSM mounts there */
	enum view_run run;
	/* Index of the mount that the kernel made it below; UINT_MAX: none. */
	unsigned int below;
	struct view_wanted wanted;
	/* What the records add. */
	bool unproven; /* a record says so, and why */
	bool doubtful; /* they could not be read, and why */
	char why[256];
	/* The source is not the one that @wanted.place has: nobody knows whether it is the same
	 * by another name. */
	bool alias;
	enum view_state state;
};

/* What lies on a place. */
enum view_there {
	THERE_NOTHING,
	THERE_NFS,       /* @mount */
	THERE_STRANGER,  /* no NFS */
	THERE_ON_DEMAND, /* an automounter, which has not mounted it */
	THERE_LOST,      /* could not be found out */
};

struct view_spot {
	const struct view_place *place;
	char *path; /* behind its links */
	enum view_there there;
	const struct host_mount
		*on;        /* that is on it, or, nothing being there, that it lies on */
	unsigned int mount; /* index of THERE_NFS */
	struct view_wanted wanted;
	bool other_source; /* of THERE_NFS: it is not the place's, as a text */
	enum view_state state;
};

struct view;

struct view_sources {
	/* What is not given below is read from it. NULL: then that is not known. */
	const struct host *host;
	uint64_t
		now; /* CLOCK_MONOTONIC in ms, of before anything was read: for the age of records */
	/* Only the caller's. Borrowed; NULL: it brings none. */
	const struct view_places *pools;
	const char *
		pools_unknown; /* why they, or some of them, are not known; NULL: all are */
	/* Given: borrowed, and not read again. Of mounts that are given fstab is what they have. */
	const struct nfs_mounts *mounts;
	struct policies *policies; /* links in its directories are followed */
	const struct conf *nfsmount_conf;
	const struct record_list *records;
	const char *boot_id; /* of @records, given with them */
	bool ignore_records; /* the caller proves mounts itself */
};

/* Errors: the policy is broken (-EINVAL, with file and line), or mounts cannot be read: then nothing
 * can be said; -ENOMEM. */
int view_open(struct view **out, const struct view_sources *sources);
void view_close(struct view *view);
void view_close_p(struct view **view);
/* What is not known that may want RDMA, and why: pools, or etc/fstab. NULL: all is. Borrowed. */
const char *view_lacks(const struct view *view);
/* From now on these are the records; borrowed. What was found of mounts is found anew. */
void view_renew(struct view *view, const struct record_list *records);

/* Compares @wanted with what a mount is. */
enum view_state view_judge(const struct view_wanted *wanted,
			   const struct view_mount *mount, bool alias);
/* That of a finding about it: tolerated warns, and a mount without a request passes. */
enum finding_status view_status(enum view_state state);
/* Sources are compared as texts, as libvirt does it; but for slashes that do not count. */
bool view_same_source(const char *a, const char *b);
/* Of one that the kernel made below another: a part of what that is of, and not a referral. Pure. */
bool view_is_part(const struct nfs_mount *mount, const struct nfs_mount *above);

/* What was read; borrowed. */
const struct nfs_mounts *view_nfs(const struct view *view);
const struct host_mounts *view_tree(const struct view *view);
const struct policies *view_policies(const struct view *view);
const struct conf *view_nfsmount_conf(const struct view *view);
const struct record_list *view_records(const struct view *view);
const char *view_boot_id(const struct view *view);
/* "/rhev/data-center/mnt/", behind its links; "" without a host. */
const char *view_domains(const struct view *view);
/* Whether a path is of a storage domain of VDSM's on block devices or GlusterFS: no wish is about it. */
bool view_is_not_nfs(const struct view *view, const char *path);

/* One of view_nfs(), by index; found on first use, borrowed. */
const struct view_mount *view_mount(const struct view *view, unsigned int index);
/* That of mountinfo's number; NULL: it is no NFS mount that could be read. */
const struct view_mount *view_mount_by_id(const struct view *view, unsigned int id);
/* All places that have a target, by path; sections behind the others. */
size_t view_nspots(const struct view *view);
const struct view_spot *view_spot(const struct view *view, size_t index);
/* Of a place of sources.pools; NULL: it has no target. */
const struct view_spot *view_spot_of(const struct view *view,
				     const struct view_place *place);
/* What sections of directories, and places, want of a directory, whatever is mounted there. */
void view_wanted_at(const struct view *view, const char *dir, struct view_wanted *out);
/* What would be wanted of a mount of @source on @target with those options, which is not in the view. */
void view_wanted_of(const struct view *view, const struct view_place *place,
		    struct view_wanted *out);

#endif
