/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The verdicts on this host's NFS mounts. plugin/view says what each is requested to be and what it is;
 * here that becomes verdicts and findings, together with counters and answers. Pure. Used by
 * `nfsrdma mounts`, the checks of group mount and the watcher. */
#ifndef PLUGIN_MOUNTS_H
#define PLUGIN_MOUNTS_H

#include "plugin/host/host.h"
#include "plugin/host/live.h"
#include "plugin/view/view.h"
#include "rpcrdma/finding.h"

/* audit.c */

/* What was seen of this host's mounts. `nfsrdma mounts` on a running system looks twice, and asks each
 * mount for an answer in between; everyone else looks once. */
struct mounts_seen {
	const struct view *view;         /* of now */
	const struct nfs_mounts *before; /* the first look; NULL: there was only one */
	/* Of @before, by index; NULL: no mount was asked. */
	const struct mount_answer *answers;
};

/* In the order of causes; each is a finding, mount.answer and so on, and the last bug.read-812. */
enum mount_aspect {
	MOUNT_ANSWER,
	MOUNT_TRANSPORT,
	MOUNT_SUBMOUNT,
	MOUNT_OPTIONS,
	MOUNT_COUNTERS,
	MOUNT_READS, /* bug.read-812 */
	MOUNT_ASPECTS
};

#define MOUNT_TEXT_MAX 400

struct mount_opinion {
	enum finding_status status;
	bool note;           /* it passed, but reports something */
	const char *because; /* id of what it was skipped for; NULL: does not apply */
	/* Why, unless it passed or was skipped: a reason of the finding. NULL: none fits. */
	const char *reason;
	char text[MOUNT_TEXT_MAX]; /* without the name of the mount */
};

struct mount_verdict {
	const struct nfs_mount *mount;
	const struct nfs_mount *before;    /* the same at the first look, or NULL */
	const struct mount_answer *answer; /* NULL: not asked */
	const struct view_mount *view;     /* requested and actual transport */
	bool proven; /* it was asked, and the reply came over RDMA */
	/* The mount over TCP whose connection it shares; NULL: none is known. */
	const struct nfs_mount *sharer;
	/* Proto= of nfsmount.conf that overrules its options; NULL: none does. */
	const struct conf_value *proto;
	struct mount_opinion opinions[MOUNT_ASPECTS];
};

extern const char *const mount_aspect_ids[MOUNT_ASPECTS];

/* A verdict for each mount of view_nfs(@seen->view), in its order; borrows from @seen. The caller frees
 * *@out with free(3). Errors: -ENOMEM. */
int mounts_audit(const struct mounts_seen *seen, struct mount_verdict **out);
/* The worst of its opinions. */
enum finding_status mounts_status(const struct mount_verdict *verdict);

/* findings.c */

/* Findings of all verdicts: mount.list, then each aspect. What is not good has a finding for each
 * mount; transport and counters have one for every mount. Far fewer than a report can hold. */
void mounts_findings(const struct mounts_seen *seen, const struct mount_verdict *verdicts,
		     finding_sink sink, void *arg);

/* names.c: what the steps of a reason name */

/* Of mounts_findings(), and for whoever makes a finding of a verdict: target, source, server and what
 * else the reasons of @aspect have in their texts. */
void mounts_names(struct finding *finding, const struct mount_verdict *verdict,
		  enum mount_aspect aspect);

/* missing.c */

/* A directory that requires a mount over RDMA, and has no NFS mount. */
struct mount_missing {
	const struct view_spot *spot;
	const struct view_place *by; /* that expects it now; NULL: nothing does */
	enum finding_status status;  /* fail, unknown; skip: it need not be mounted now */
	const char *reason;          /* of fail and unknown */
	char text[MOUNT_TEXT_MAX];   /* without the name of the directory */
};

/* Options of a place whose transport is not of its server's address: mount.nfs resolves the server by
 * the transport, and "rdma" is IPv4 to it whatever the address. The reason, "ipv6" or "ipv4", and in
 * *@options those that fit, for free(3), or NULL; NULL: they fit, or it cannot be told. */
const char *mounts_misfit(const struct view_place *place, char **options);
/* What the steps of its reason name. */
void mounts_missing_names(struct finding *finding, const struct mount_missing *missing);
/* The first of several on one directory. */
typedef void (*mount_missing_fn)(void *arg, const struct mount_missing *missing);
void mounts_missing(const struct view *view, mount_missing_fn fn, void *arg);

/* reads.c */

/* What the counters of a mount over RDMA show about this host's kernel client. */
enum reads_state {
	READS_UNKNOWN, /* numbers are missing, or make no sense */
	READS_FEW,     /* fewer than 10 READs */
	READS_UNCLEAR, /* too small for a verdict, or not all are counted */
	READS_WHOLE,   /* data from RDMA Writes was delivered: no 812-byte bug */
	READS_LOST, /* most READs are short, and most bytes received were not delivered */
};

#define READS_TEXT_MAX 384

enum reads_state reads_judge(const struct nfs_reads *reads);
/* The numbers in words, and of READS_LOST what they mean and what to do. Returns @text. */
const char *reads_text(const struct nfs_reads *reads, char text[READS_TEXT_MAX]);
void reads_evidence(struct finding *finding, const struct nfs_reads *reads);
/* The mount over RDMA that proves the kernel's client guilty (READS_LOST), else one that proves it
 * sound (READS_WHOLE); of several the last that is of @spec ("nas:/vm"; or NULL), else the first. NULL: no mount proves
 * either. */
const struct nfs_mount *reads_proof(const struct nfs_mounts *mounts, const char *spec);

/* columns.c */

/* What /proc/self/mountstats prints of an RDMA transport, in its order. */
enum xprt_column {
	XPRT_CONNECTS = 2,
	XPRT_IDLE = 4,
	XPRT_SENDS = 5,
	XPRT_RECVS = 6,
	XPRT_BAD_XIDS = 7,
	XPRT_BAD_REPLIES = 19,
	XPRT_COLUMNS = 27,
};

struct xprt_column_row {
	const char *name;
	bool is_sum; /* of several connections it is the sum; else the least */
	const char *meaning;
};

extern const struct xprt_column_row xprt_columns[XPRT_COLUMNS];

#endif
