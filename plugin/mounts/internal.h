/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The map of plugin/mounts.
 *
 *	audit.c      a verdict for each mount
 *	transport.c  the opinion on its transport, and on sub-mounts and referrals
 *	options.c    on its options
 *	counters.c   on its counters
 *	reads.c      on whether its READs are delivered
 *	columns.c    the counters of an RDMA transport
 *	missing.c    mounts over RDMA that are configured and missing
 *	names.c      the names used by the steps of a reason
 *	findings.c   verdicts as findings
 *	metrics.c    verdicts and counters as metrics */
#ifndef PLUGIN_MOUNTS_INTERNAL_H
#define PLUGIN_MOUNTS_INTERNAL_H

#include "plugin/mounts/mounts.h"
#include "plugin/report/words.h"

/* audit.c and the opinions it calls */

/* Compares the addresses that the kernel connects to. */
bool mounts_same_server(const struct nfs_mount *a, const struct nfs_mount *b);

/* Input for an opinion. @index: of the verdict. */
struct mounts_audit {
	const struct mounts_seen *seen;
	struct mount_verdict *verdicts;
	unsigned int index;
};

/* Sets an opinion. */
void mounts_say(struct mount_opinion *opinion, enum finding_status status, const char *fmt, ...)
	PRINTF_LIKE(3, 4);
/* The same, with its reason. */
void mounts_say_why(struct mount_opinion *opinion, enum finding_status status, const char *reason,
		    const char *fmt, ...) PRINTF_LIKE(4, 5);
/* Skipped because of another aspect of the same mount, or of the mount above it. */
void mounts_skip(struct mount_opinion *opinion, enum mount_aspect because, const char *fmt, ...)
	PRINTF_LIKE(3, 4);

/* names.c */

/* The Proto= of nfsmount.conf that applies to a mount, or NULL. */
const struct conf_value *mounts_conf_proto(const struct view *view, const struct nfs_mount *mount);

/* transport.c */

void mounts_judge_transport(const struct mounts_audit *audit, struct mount_opinion *out);
void mounts_judge_submount(const struct mounts_audit *audit, struct mount_opinion *out);

/* options.c */

void mounts_judge_options(const struct mounts_audit *audit, struct mount_opinion *out);

/* counters.c */

void mounts_judge_counters(const struct mounts_audit *audit, struct mount_opinion *out);

/* Columns of several connections, by xprt_columns. */
struct xprt_sum {
	unsigned int nxprts;   /* connections over RDMA */
	unsigned int ncolumns; /* columns that all of them have */
	unsigned int unused;   /* connections whose idle time is 0: just used, or closed */
	uint64_t values[XPRT_COLUMNS];
};

void mounts_sum(const struct nfs_mount *mount, struct xprt_sum *out);

/* reads.c */

void mounts_judge_reads(const struct mounts_audit *audit, struct mount_opinion *out);

#endif
