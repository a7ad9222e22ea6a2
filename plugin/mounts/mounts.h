/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The verdicts on this host's NFS mounts. plugin/view provides requested and actual
 * transport; verdicts and findings are made here, with counters and answers. Pure. Used by
 * `nfsrdma mounts`, the checks of group mount and the watcher. */
#ifndef PLUGIN_MOUNTS_H
#define PLUGIN_MOUNTS_H

#include "plugin/host/host.h"
#include "plugin/live/live.h"
#include "plugin/report/metrics.h"
#include "plugin/view/view.h"
#include "rpcrdma/base/finding.h"

/* audit.c */

/* The state of this host's mounts. On a running system `nfsrdma mounts` looks twice, and
 * asks each mount for an answer in between; other callers look once. */
struct mounts_seen {
	const struct view *view;         /* the present one */
	const struct nfs_mounts *before; /* the first look; NULL: there was only one */
	/* Of @before, by index; NULL: no mount was asked. */
	const struct mount_answer *answers;
};

/* In the order of causes; each is a finding, mount.answer and so on, the last one
 * bug.read-812. */
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
	const char *because; /* id that it was skipped for; NULL: does not apply */
	/* The reason of the finding, unless it passed or was skipped. NULL: none fits. */
	const char *reason;
	char text[MOUNT_TEXT_MAX]; /* without the name of the mount */
};

struct mount_verdict {
	const struct nfs_mount *mount;
	const struct nfs_mount *before;    /* the same at the first look, or NULL */
	const struct mount_answer *answer; /* NULL: not asked */
	const struct view_mount *view;     /* requested and actual transport */
	bool proven;                       /* it was asked, and the reply came over RDMA */
	/* The mount over TCP whose connection it shares, or NULL. */
	const struct nfs_mount *sharer;
	/* Proto= of nfsmount.conf that overrides its options, or NULL. */
	const struct conf_value *proto;
	struct mount_opinion opinions[MOUNT_ASPECTS];
};

extern const char *const mount_aspect_ids[MOUNT_ASPECTS];

/* A verdict for each mount of view_nfs(@seen->view), in its order; borrows from @seen. The caller
 * frees *@out with free(3). Errors: -ENOMEM. */
int mounts_audit(const struct mounts_seen *seen, struct mount_verdict **out);
/* The worst of its opinions. */
enum finding_status mounts_status(const struct mount_verdict *verdict);

/* findings.c */

/* Findings of all verdicts: mount.list, then each aspect. A mount that is not good has a
 * finding of its own; transport and counters have one for every mount. Far fewer than a
 * report can hold. */
void mounts_findings(const struct mounts_seen *seen, const struct mount_verdict *verdicts,
		     finding_sink sink, void *arg);

/* metrics.c */

struct mounts_measured {
	const struct mounts_seen *seen;
	const struct mount_verdict *verdicts;
	const struct host_system *system; /* NULL: not known */
	/* Whether a mount is wanted; NULL: all are. */
	bool (*has)(const void *arg, const struct nfs_mount *mount);
	const void *arg;
};

/* Mounts with metrics of their own; those that need attention come first. */
#define MOUNTS_MEASURED_MAX 250

void mounts_metrics(const struct mounts_measured *what, struct report *report);
/* The same, with the system of @host, if that can be read. */
void mounts_metrics_of(const struct host *host, struct mounts_measured *what,
		       struct report *report);

/* names.c: the names used by the steps of a reason */

/* For mounts_findings(), and for callers that make a finding of a verdict: target, source,
 * server and the other names used by the reasons of @aspect. */
void mounts_names(struct finding *finding, const struct mount_verdict *verdict,
		  enum mount_aspect aspect);

/* missing.c */

/* A directory that requires a mount over RDMA, and has no NFS mount. */
struct mount_missing {
	const struct view_dir *dir;
	const struct view_place *by; /* place that expects it now; NULL: none */
	enum finding_status status;  /* fail, unknown; skip: it need not be mounted now */
	const char *reason;          /* for fail and unknown */
	char text[MOUNT_TEXT_MAX];   /* without the name of the directory */
};

/* Checks whether the transport in a place's options fits its server's address: mount.nfs
 * resolves the server by the transport, and takes "rdma" as IPv4 whatever the address.
 * Returns the reason, "ipv6" or "ipv4", and in *@options the options that fit, for free(3),
 * or NULL. Returns NULL if they fit, or this is unknown. */
const char *mounts_misfit(const struct view_place *place, char **options);
/* The names used by the steps of its reason. */
void mounts_missing_names(struct finding *finding, const struct mount_missing *missing);
/* Only the first place on each directory. */
typedef void (*mount_missing_fn)(void *arg, const struct mount_missing *missing);
void mounts_missing(const struct view *view, mount_missing_fn fn, void *arg);
/* That not all requests of mount.nfsrdma can be read, as mount.missing; false: they can. */
bool mounts_missing_lost(const struct view *view, struct finding *finding);

/* reads.c */

/* What the counters of a mount over RDMA show about this host's kernel client. */
enum reads_state {
	READS_UNKNOWN, /* numbers are missing or inconsistent */
	READS_FEW,     /* fewer than 10 READs */
	READS_UNCLEAR, /* too small for a verdict, or not all READs are counted */
	READS_WHOLE,   /* data from RDMA Writes was delivered: no 812-byte bug */
	READS_LOST,    /* most READs are short, and most bytes received were not delivered */
};

#define READS_TEXT_MAX 384

enum reads_state reads_judge(const struct nfs_reads *reads);
/* The numbers in words, and for READS_LOST what they mean and what to do. Returns @text. */
const char *reads_text(const struct nfs_reads *reads, char text[READS_TEXT_MAX]);
void reads_evidence(struct finding *finding, const struct nfs_reads *reads);
/* The mount over RDMA that proves the bug in the kernel's client (READS_LOST), else one
 * that proves its absence (READS_WHOLE); of several the last one of @spec ("nas:/vm"; or
 * NULL), else the first. NULL: no mount proves either. */
const struct nfs_mount *reads_proof(const struct nfs_mounts *mounts, const char *spec);

/* columns.c */

/* The columns that /proc/self/mountstats prints for an RDMA transport, in its order. */
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
	bool is_sum;        /* over several connections it is the sum; else the minimum */
	enum metric metric; /* with its meaning; METRIC_COUNT: none */
};

extern const struct xprt_column_row xprt_columns[XPRT_COLUMNS];

#endif
