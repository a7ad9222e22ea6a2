/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* NFS mounts: mountinfo lists them with their options, mountstats their transports,
 * etc/fstab and run/mount/utab the requested options. The first two list the mounts in
 * the same order. */
#include "plugin/host/internal.h"
#include "plugin/host/mount-table.h"

/* Some 5 KB for each mount. */
#define MOUNTSTATS_MAX (64 * 1024 * 1024)

struct mounts_join_state {
	struct nfs_mounts *mounts;
	bool *joined;
	unsigned int first; /* not yet joined: usually the next one */
};

/* Two mounts may share a target; the first in mountstats is then the first in mountinfo. */
static int mounts_join_one(void *arg, const struct nfs_mount *stats)
{
	struct mounts_join_state *join = arg;
	struct nfs_mount *mount;
	unsigned int i;

	while (join->first < join->mounts->count && join->joined[join->first])
		join->first++;
	for (i = join->first; i < join->mounts->count; i++) {
		mount = &join->mounts->list[i];
		if (join->joined[i] || strcmp(mount->target, stats->target) ||
		    strcmp(mount->fs_spec, stats->fs_spec))
			continue;
		join->joined[i] = true;
		mount->age = stats->age;
		mount->reads = stats->reads;
		memcpy(mount->operations, stats->operations, sizeof(mount->operations));
		mount->nxprts = stats->nxprts;
		mount->xprts_cut = stats->xprts_cut;
		memcpy(mount->xprts, stats->xprts, sizeof(mount->xprts));
		break;
	}
	return 0;
}

int mounts_join(struct nfs_mounts *mounts, char *stats)
{
	_cleanup_free_ bool *joined = calloc(mounts->count + 1, sizeof(*joined));
	struct mounts_join_state join = { mounts, joined, 0 };

	if (!joined)
		return err_no_memory();
	return mountstats_parse(stats, mounts_join_one, &join);
}

static void mounts_take_fstab(struct libmnt_table *table, struct nfs_mounts *mounts)
{
	struct libmnt_fs *fs;
	const char *options;
	unsigned int i;

	for (i = 0; i < mounts->count; i++) {
		/* Without a cache, paths are compared as strings, and no path is looked
		 * up. */
		fs = mnt_table_find_target(table, mounts->list[i].target, MNT_ITER_FORWARD);
		options = fs ? mnt_fs_get_options(fs) : NULL;
		if (options)
			text_copy(mounts->list[i].fstab, sizeof(mounts->list[i].fstab), options);
	}
}

static int mounts_add_fstab(const struct host *host, struct nfs_mounts *mounts)
{
	_cleanup_(mount_table_unref_p) struct libmnt_table *table = NULL;
	int rc = mount_table_fstab(host, &table);

	if (rc == -ENOENT || rc == -ENOMEM)
		return rc == -ENOENT ? 0 : rc;
	/* Then the requested options are unknown, but the mounts are known. */
	if (rc)
		text_copy(mounts->fstab_unknown, sizeof(mounts->fstab_unknown), err_text());
	else
		mounts_take_fstab(table, mounts);
	return 0;
}

/* @mountinfo: split in place. */
static int mounts_read_nfs(const struct host *host, char *mountinfo, bool fstab,
			   struct nfs_mounts *out)
{
	_cleanup_(host_text_fini) struct host_text stats = { NULL, 0 };
	_cleanup_(host_text_fini) struct host_text utab = { NULL, 0 };
	struct nfs_mounts mounts;
	int rc = mountinfo_parse(mountinfo, &mounts);

	if (rc)
		return rc;
	if (!mounts.count) {
		*out = mounts;
		return 0;
	}
	rc = host_read(host, "proc/self/mountstats", MOUNTSTATS_MAX, &stats);
	if (!rc)
		rc = mounts_join(&mounts, stats.text);
	else if (rc == -ENOENT)
		rc = 0;
	if (!rc && fstab)
		rc = mounts_add_fstab(host, &mounts);
	/* If utab cannot be read, the requested options are unknown, but the mounts are
	 * known. */
	if (!rc && !host_read(host, "run/mount/utab", HOST_FILE_MAX, &utab))
		utab_parse(utab.text, &mounts);
	if (rc)
		host_nfs_mounts_fini(&mounts);
	else
		*out = mounts;
	return rc;
}

int host_nfs_mounts(const struct host *host, struct nfs_mounts *out)
{
	_cleanup_(host_text_fini) struct host_text text = { NULL, 0 };
	int rc = host_read(host, "proc/self/mountinfo", MOUNTINFO_MAX, &text);

	return rc ? rc : mounts_read_nfs(host, text.text, true, out);
}

int host_all_mounts(const struct host *host, struct host_mounts *tree, struct nfs_mounts *out)
{
	_cleanup_(host_text_fini) struct host_text text = { NULL, 0 };
	_cleanup_free_ char *copy = NULL;
	int rc = host_read(host, "proc/self/mountinfo", MOUNTINFO_MAX, &text);

	if (rc)
		return rc;
	copy = strdup(text.text);
	rc = copy ? mount_tree_parse(copy, tree) : err_no_memory();
	if (rc)
		return rc;
	rc = mounts_read_nfs(host, text.text, false, out);
	if (rc)
		host_mounts_fini(tree);
	return rc;
}

void host_nfs_mounts_fini(struct nfs_mounts *mounts)
{
	free(mounts->list);
	memset(mounts, 0, sizeof(*mounts));
}
