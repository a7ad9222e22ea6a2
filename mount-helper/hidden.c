/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* A mount that is invisible until it is proven. mount.nfs runs in its own mount namespace; its
 * mount is checked there, copied (open_tree(2)), and only then moved into place (move_mount(2)), in
 * one step. If the process is killed before, the namespace and its mounts go with it. Linux 5.2.
 *
 * The namespace is a slave of the original one: umounts propagate into it, so it keeps nothing
 * busy; its mounts do not propagate out of it. */
#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/syscall.h>

#include "mount-helper/internal.h"

/* <linux/mount.h>, which does not go together with <sys/mount.h>; glibc has these since 2.36. */
#define TREE_CLONE      1u
#define TREE_CLOEXEC    O_CLOEXEC
#define MOVE_EMPTY_FROM 0x00000004u
#define MOVE_EMPTY_TO   0x00000040u

static int hidden_copy_tree(int fd, const char *path)
{
	return (int)syscall(SYS_open_tree, fd, path,
			    TREE_CLONE | TREE_CLOEXEC | (*path ? 0 : AT_EMPTY_PATH));
}

bool hidden_is_shared(const struct host_mounts *mounts, unsigned int id)
{
	size_t i;

	for (i = 0; i < mounts->count; i++)
		if (mounts->list[i].id == id)
			return mounts->list[i].shared;
	return false;
}

bool hidden_hears_umounts(const struct host *host)
{
	_cleanup_(host_mounts_fini) struct host_mounts mounts = { .count = 0 };
	_cleanup_close_ int root = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	unsigned int id;

	return root >= 0 && !proof_mount_id(host, root, &id) && !host_mounts(host, &mounts) &&
	       hidden_is_shared(&mounts, id);
}

static int hidden_open_namespace(void)
{
	return open("/proc/self/ns/mnt", O_RDONLY | O_CLOEXEC);
}

int hidden_enter(int *home)
{
	_cleanup_close_ int fd = hidden_open_namespace(), here = -1, tree = -1;

	if (fd < 0 || unshare(CLONE_NEWNS))
		return -errno;
	/* EINVAL: in a chroot(2) that is not a mount point. */
	if (mount("none", "/", "", MS_REC | MS_SLAVE, NULL))
		return -errno;
	/* Tries everything that is needed later, before mount.nfs runs. */
	here = hidden_open_namespace();
	tree = hidden_copy_tree(AT_FDCWD, "/");
	if (here < 0 || tree < 0)
		return -errno;
	if (setns(fd, CLONE_NEWNS) || setns(here, CLONE_NEWNS))
		return -errno;
	*home = take_fd(&fd);
	return 0;
}

int hidden_reveal(const struct host *host, const struct hidden *hidden, const char *dir,
		  unsigned int *id)
{
	_cleanup_close_ int tree = hidden_copy_tree(hidden->at, "");
	int rc;

	/* A daemon that mount.nfs started (rpc.statd) would keep it busy. */
	if (tree < 0 || umount2(dir, MNT_DETACH | UMOUNT_NOFOLLOW))
		return -errno;
	/* setns(2) also changes the root directory to that of the original namespace, which does no
	 * harm. */
	if (setns(hidden->home, CLONE_NEWNS))
		return -errno;
	rc = proof_mount_id(host, tree, id);
	if (rc)
		return rc;
	return syscall(SYS_move_mount, tree, "", hidden->to, "", MOVE_EMPTY_FROM | MOVE_EMPTY_TO)
		       ? -errno
		       : 0;
}
