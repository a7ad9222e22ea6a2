/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Whether this host's kernel client can read more than 812 bytes over NFS/RDMA, by the counters of any
 * of its mounts: also where a server is named, since the defect is not the server's. The version is
 * checked by client.kernel-defects. */
#include "plugin/checks/internal.h"

int check_bug_read_812(struct check_run *run)
{
	static const struct host_system unknown;
	const struct nfs_mounts *mounts;
	int rc = facts_mounts(run, &mounts);

	if (rc)
		return rc;
	if (!reads_proof(mounts, NULL))
		return mounts_check(run, MOUNT_READS);
	read_812_judge(mounts, &unknown, NULL, &run->finding);
	return 0;
}
