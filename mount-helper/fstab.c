/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* A user's mount ("user" in fstab). mount.nfs, which is setuid, then trusts fstab alone and drops
 * all options it is given; so that line must have everything that makes it a mount over RDMA. */
#include "mount-helper/internal.h"
#include "plugin/host/mount-table.h"

static int fstab_judge_options(const char *text)
{
	_cleanup_(opts_free_p) struct opts *opts = NULL;
	int rc = opts_parse(&opts, text);
	ssize_t proto, port;
	size_t i;

	if (rc)
		return rc;
	proto = opts_find(opts, "proto");
	port = opts_find(opts, "port");
	if (proto < 0 || port < 0 || strncmp(opts_at(opts, (size_t)proto).value ?: "", "rdma", 4))
		return err_set(
			EPERM,
			"only root may mount this: mount.nfs takes the options of other users from /etc/fstab alone; add proto=rdma,port=20049 to the line there");
	for (i = 0; i < opts_count(opts); i++)
		if (!strncmp(opts_at(opts, i).name, "nfsrdma.", 8))
			return err_set(
				EPERM,
				"only root may mount this: mount.nfs reads the line in /etc/fstab itself and rejects %s",
				opts_at(opts, i).name);
	return 0;
}

int fstab_allows_user(const struct host *host, const char *dir)
{
	_cleanup_(mount_table_unref_p) struct libmnt_table *table = NULL;
	int rc = mount_table_fstab(host, &table);
	struct libmnt_fs *fs;

	if (rc)
		return rc;
	fs = mnt_table_find_target(table, dir, MNT_ITER_FORWARD);
	return fs ? fstab_judge_options(mnt_fs_get_options(fs))
		  : err_set(EPERM, "only root may mount it: it is not in /etc/fstab");
}
