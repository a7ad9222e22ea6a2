/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The actual transport of a mount: the one in mountinfo, which is that of the connection in
 * use (nfs_show_mount_options() in fs/nfs/super.c), and every connection in mountstats. An
 * option that requested RDMA proves nothing. */
#include "plugin/view/internal.h"

bool view_is_rdma(const char *proto)
{
	/* With thousands of mounts each may compare itself with all others, so the cheap
	 * test is first. */
	return *proto == 'r' && (!strcmp(proto, "rdma") || !strcmp(proto, "rdma6"));
}

enum view_run view_run(const struct nfs_mount *mount)
{
	unsigned int i, rdma = 0;

	for (i = 0; i < mount->nxprts; i++)
		rdma += view_is_rdma(mount->xprts[i].proto);
	if (!*mount->proto)
		return RUN_UNKNOWN;
	if (!view_is_rdma(mount->proto))
		return rdma ? RUN_MIXED : RUN_OTHER;
	if (!mount->nxprts)
		return RUN_CLAIMED;
	return rdma == mount->nxprts ? RUN_RDMA : RUN_MIXED;
}

bool view_run_is_rdma(enum view_run run)
{
	return run == RUN_RDMA || run == RUN_CLAIMED;
}

const char *view_run_name(const struct nfs_mount *mount)
{
	switch (view_run(mount)) {
	case RUN_UNKNOWN: return "unknown";
	case RUN_MIXED: return "mixed";
	case RUN_RDMA:
	case RUN_CLAIMED: return "rdma";
	case RUN_OTHER: break;
	}
	return mount->proto;
}
