/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The stock mount.nfs: for the mount helper, and for a trial. */
#ifndef PLUGIN_MOUNT_NFS_H
#define PLUGIN_MOUNT_NFS_H

#include "rpcrdma/child/child.h"

#define MOUNT_NFS_PROGRAM "/sbin/mount.nfs"

#define MOUNT_NFS_ARGS_MAX 16
#define MOUNT_NFS_LAST_MAX 512

struct mount_nfs_end {
	int status;       /* 0 to 255; -1: it did not exit */
	int signal;       /* that ended it, where status is -1 */
	bool timed_out;   /* it was ended at the deadline, or could not be */
	pid_t left;       /* it survives SIGKILL, held by the kernel; or 0 */
	bool interrupted; /* by a signal to us */
	/* The last line that it said on stderr; clean. Handed on only where it ended well: else it
	 * is the caller's, whose own sentence has it. */
	char last[MOUNT_NFS_LAST_MAX];
};

/* Runs @program, which dies with us, and hands on what it says. @signals: a signalfd(2) of those
 * that are to end it; -1: none. What it leaves running holds none of our descriptors.
 * Errors: -errno it could not be started, with words. */
int mount_nfs_run(const char *program, const char *const argv[], int signals, uint64_t deadline,
		  struct mount_nfs_end *out);

/* Becomes it. Returns only with -errno and words. */
int mount_nfs_exec(const char *program, const char *const argv[]);

#endif
