/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Decides whether a guest may use a disk, for every gate: libvirt's hook, VDSM's hooks, and
 * the watcher for disks that are attached later. A guest must not start on a disk that
 * should be on NFS over RDMA and is not: it would be slow, or use a local directory in
 * place of the mount.
 *
 * plugin/view decides what requests RDMA, and whether that is binding. A disk without a
 * request passes, whatever it is on. Over TCP "prefer" passes with a warning; a missing
 * mount does not, since it is not over TCP either. "off" passes.
 *
 * A disk is on RDMA if mountinfo and mountstats say so; nothing says otherwise. Everything is read
 * from files of the kernel and of this host. No path at or below a network mount is ever touched,
 * so an unreachable server does not block this. The policy's on-unknown decides what cannot be
 * determined. */
#ifndef PLUGIN_GUARD_H
#define PLUGIN_GUARD_H

#include "plugin/journal/journal.h"
#include "plugin/view/view.h"
#include "rpcrdma/base/finding.h"

/* guard.c */

struct guard;

struct guard_sources {
	const struct host *host;
	/* May be NULL: none known. Borrowed until guard_close(). @places_unknown: why
	 * pools, or some of them, could not be read. A volume of an unknown pool is then
	 * unknown, and so is a disk on an NFS mount that is not over RDMA and has no known
	 * request. A volume of a pool whose target is NULL is not a file of this host, and
	 * passes. */
	const struct view_places *places;
	const char *places_unknown;
	uint64_t now; /* CLOCK_MONOTONIC in ms: for the age of requests */
};

/* Opens a view of its own. Errors: the policy is invalid (-EINVAL, with file and line), or
 * mounts cannot be read: then no disk can be judged. */
int guard_open(struct guard **out, const struct guard_sources *sources);
/* Uses an existing view, which is borrowed. @places: as in struct guard_sources. -ENOMEM. */
int guard_over(struct guard **out, const struct host *host, const struct view *view,
	       const struct view_places *places, const char *places_unknown);
/* The sources that could not be read and may request RDMA, with the reason: pools, or
 * etc/fstab. NULL: all were read. Borrowed. */
const char *guard_unknown(const struct guard *guard);
void guard_close(struct guard *guard);
void guard_close_p(struct guard **guard);

struct guard_disk {
	const char *name;          /* "vda", for messages */
	const char *path;          /* absolute; NULL: a volume */
	const char *pool, *volume; /* NULL: a path */
	/* The platform starts the guest without this disk if its file is missing (libvirt's
	 * startupPolicy), so an empty directory in place of its mount is no reason to
	 * refuse. */
	bool optional;
};

enum guard_answer {
	GUARD_PASS,    /* it is on RDMA, or RDMA is not requested */
	GUARD_REFUSE,  /* RDMA is requested, and it is not on RDMA */
	GUARD_UNKNOWN, /* its transport is unknown */
};

#define GUARD_TEXT_MAX 512

struct guard_verdict {
	enum guard_answer answer;
	bool refuse;        /* GUARD_REFUSE; GUARD_UNKNOWN by on-unknown, unless prefer */
	bool wanted;        /* RDMA is requested */
	bool loud;          /* it passes with a warning: prefer, and over TCP */
	const char *id;     /* of the finding: gate.transport, gate.mount, gate.unknown, ... */
	const char *reason; /* of the finding; "" if there is no message */
	/* "disk vda (/srv/vm/a.img) is on nas:/vm, mounted at /srv/vm over tcp, and
	 * /etc/nfsrdma.conf:3 requires RDMA"; "" if there is no message. */
	char text[GUARD_TEXT_MAX];
	char remedy[GUARD_TEXT_MAX]; /* what to do, as a sentence */
	char path[PATH_MAX];         /* the file; for a volume in its pool's target */
	/* Of the mount, or of the missing one; "" none, or not known. Also set for a disk
	 * on an NFS mount without a request. */
	char target[256], fs_spec[256];
	char proto[16];           /* actual transport; "" none, or not known */
	char by[POLICY_FROM_MAX]; /* what requests RDMA; "" */
	char pool[128];           /* the pool that mounts it; "" none */
	const char *key;          /* view_place_key(); NULL: it has no name */
	char name[256];
};

/* Never fails: an error makes the answer unknown. */
void guard_ask(const struct guard *guard, const struct guard_disk *disk, struct guard_verdict *out);
/* The verdict as a finding, for reports; one that passes without a message is
 * gate.transport, pass. */
void guard_finding(const struct guard_verdict *verdict, struct finding *out);

#endif
