/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* May this guest use that disk? The question of every gate: libvirt's hook, VDSM's hooks, and the
 * watcher for what is plugged in later. A disk that should be on NFS over RDMA and is not must not
 * be started: it would be slow, or use a local directory in place of the mount.
 *
 * Who wants a mount over RDMA, and whether that binds, plugin/view decides. What nobody wants there passes,
 * whatever it is on. Over TCP "prefer" passes, and says so; where nothing is mounted, that is no TCP
 * either. "off" passes.
 *
 * It is on RDMA if mountinfo and mountstats say so, and no record of that mount says otherwise (a
 * helper that has not proven it yet, or died before). Everything is read from files of the
 * kernel and of this host; no path at or below a network mount is ever touched, so a server that
 * is gone costs nothing. Of what cannot be found out the policy's on-unknown decides. */
#ifndef PLUGIN_GUARD_H
#define PLUGIN_GUARD_H

#include "plugin/journal/journal.h"
#include "plugin/view/view.h"
#include "rpcrdma/finding.h"

/* guard.c */

struct guard;

struct guard_sources {
	const struct host *host;
	/* May be NULL: none known. Borrowed until guard_close(). With @places_unknown set pools, or
	 * some of them, could not be read, and why: a volume of one that is not known is then unknown,
	 * and a disk on an NFS mount that is not over RDMA and wanted so by nobody who is known. One of
	 * a pool whose target is NULL is no file of this host, and passes. */
	const struct view_places *places;
	const char *places_unknown;
	uint64_t now; /* CLOCK_MONOTONIC in ms: for the age of records */
};

/* Over a view of its own. Errors: the policy is broken (-EINVAL, with file
 * and line), or mounts cannot be read: then nothing can be asked. */
int guard_open(struct guard **out, const struct guard_sources *sources);
/* Over another's, which is borrowed. @places: as in struct guard_sources. -ENOMEM. */
int guard_over(struct guard **out, const struct host *host, const struct view *view,
	       const struct view_places *places, const char *places_unknown);
/* That it is over; borrowed. */
const struct view *guard_view(const struct guard *guard);
/* What is not known that may want RDMA, and why: pools, or etc/fstab. NULL: all is. Borrowed. */
const char *guard_unknown(const struct guard *guard);
void guard_close(struct guard *guard);
void guard_close_p(struct guard **guard);

struct guard_disk {
	const char *name;          /* "vda", for the sentence */
	const char *path;          /* absolute; NULL: a volume */
	const char *pool, *volume; /* NULL: a path */
	/* The platform starts the guest without it where its file is missing (libvirt's startupPolicy):
	 * so an empty directory in place of its mount is no reason to refuse. */
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
	bool refuse; /* GUARD_REFUSE, or GUARD_UNKNOWN where on-unknown says so and it is not prefer */
	bool wanted; /* RDMA is requested */
	bool loud;   /* it passes with a warning: prefer, and over TCP */
	const char
		*id; /* of the finding: gate.transport, gate.mount, gate.unknown, ... */
	const char *reason; /* of it; "" where there is nothing to say */
	/* "disk vda (/srv/vm/a.img) is on nas:/vm, mounted at /srv/vm over tcp, and /etc/nfsrdma.conf:3
	 * requires RDMA"; "" where there is nothing to say. */
	char text[GUARD_TEXT_MAX];
	char remedy[GUARD_TEXT_MAX]; /* what to do, a sentence */
	char path[PATH_MAX];         /* the file; of a volume in its pool's target */
	/* Of the mount, or of the one that is missing; "" none, or not known. Of one that is on an
	 * NFS mount also where nobody wants anything. */
	char target[256], fs_spec[256];
	char proto[16];           /* actual transport; "" none, or not known */
	char by[POLICY_FROM_MAX]; /* what requests RDMA; "" */
	char pool[128];           /* that mounts it; "" none */
};

/* Never fails: what goes wrong is unknown. */
void guard_ask(const struct guard *guard, const struct guard_disk *disk,
	       struct guard_verdict *out);
/* The same as a finding, for reports; of one that passes without a word: gate.transport, pass. */
void guard_finding(const struct guard_verdict *verdict, struct finding *out);

#endif
