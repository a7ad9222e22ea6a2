/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The actual transport of a mount: the one in mountinfo, which is that of the connection in use
 * (nfs_show_mount_options() in fs/nfs/super.c), and every connection in mountstats. An option that
 * requests RDMA proves nothing: if an NFSv4.1 server is already mounted over TCP, the kernel uses
 * that connection, and shows port= as requested (nfs41_walk_client_list() in fs/nfs/nfs4client.c).
 * */
#include <stdio.h>

#include "mount-helper/internal.h"

int proof_mount_id(const struct host *host, int fd, unsigned int *id)
{
	_cleanup_(host_text_fini) struct host_text text = { NULL, 0 };
	char path[64], *cursor, *line;
	int rc;

	snprintf(path, sizeof(path), "proc/self/fdinfo/%d", fd);
	rc = host_read(host, path, 64 * 1024, &text);
	if (rc)
		return rc;
	for (cursor = text.text; (line = line_next(&cursor));)
		if (sscanf(line, "mnt_id: %9u", id) == 1)
			return 0;
	return err_set(EBADMSG, "/%s has no mnt_id", path);
}

/* Trunking: the same server, version and transport. */
static void proof_find_other(const struct nfs_mounts *mounts, const struct nfs_mount *mount,
			     struct proof *out)
{
	unsigned int i;

	for (i = 0; i < mounts->count; i++) {
		const struct nfs_mount *other = &mounts->list[i];

		if (other->id == mount->id || view_is_rdma(other->proto) ||
		    strcmp(other->addr, mount->addr) || strcmp(other->vers, mount->vers) ||
		    !mount->addr[0])
			continue;
		text_copy(out->other, sizeof(out->other), other->target);
		return;
	}
}

static void proof_judge(const struct nfs_mounts *mounts, const struct nfs_mount *mount,
			struct proof *out)
{
	enum view_run run = view_run(mount);

	out->found = true;
	out->mount = *mount;
	out->rdma = view_run_is_rdma(run);
	if (out->rdma)
		return;
	proof_find_other(mounts, mount, out);
	if (run == RUN_MIXED)
		snprintf(out->why, sizeof(out->why), "mountinfo says %s, but mountstats disagrees",
			 mount->proto);
	else if (run == RUN_UNKNOWN)
		snprintf(out->why, sizeof(out->why), "mountinfo names no transport");
	else
		snprintf(out->why, sizeof(out->why), "it is over %s", mount->proto);
}

int proof_read(const struct host *host, unsigned int id, struct proof *out)
{
	struct nfs_mounts mounts = { 0 };
	int rc = host_nfs_mounts(host, &mounts);
	unsigned int i;

	memset(out, 0, sizeof(*out));
	if (rc)
		return rc;
	for (i = 0; i < mounts.count && mounts.list[i].id != id; i++)
		;
	if (i < mounts.count)
		proof_judge(&mounts, &mounts.list[i], out);
	else
		snprintf(out->why, sizeof(out->why), "it is not an NFS mount");
	host_nfs_mounts_fini(&mounts);
	return 0;
}
