/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* A mount that nobody sees before it is proven. mount.nfs runs in a mount namespace of its own;
 * what it mounted there is looked at, copied (open_tree(2)), and put into place (move_mount(2))
 * only then, in one step. Whoever is killed in between takes the namespace and all that is mounted
 * there along. Linux 5.2.
 *
 * The namespace is a slave of the one before: an umount there is one here, too, so that this one
 * keeps nothing busy; a mount here is none there. */
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

static int copy_tree(int fd, const char *path)
{
	return (int)syscall(SYS_open_tree, fd, path,
			    TREE_CLONE | TREE_CLOEXEC | (*path ? 0 : AT_EMPTY_PATH));
}

static int move_tree(int tree, int dir)
{
	return (int)syscall(SYS_move_mount, tree, "", dir, "",
			    MOVE_EMPTY_FROM | MOVE_EMPTY_TO);
}

static int open_space(void)
{
	return open("/proc/self/ns/mnt", O_RDONLY | O_CLOEXEC);
}

/* Everything that will be needed, before mount.nfs runs. */
static int try_out(int home)
{
	_cleanup_close_ int here = open_space();
	_cleanup_close_ int tree = copy_tree(AT_FDCWD, "/");

	if (here < 0 || tree < 0)
		return -errno;
	return setns(home, CLONE_NEWNS) || setns(here, CLONE_NEWNS) ? -errno : 0;
}

int hidden_enter(int *home)
{
	_cleanup_close_ int fd = open_space();
	int rc;

	if (fd < 0 || unshare(CLONE_NEWNS))
		return -errno;
	/* EINVAL: in a chroot(2) that is no mount point. */
	if (mount("none", "/", "", MS_REC | MS_SLAVE, NULL))
		return -errno;
	rc = try_out(fd);
	if (!rc)
		*home = take_fd(&fd);
	return rc;
}

int hidden_reveal(const struct host *host, const struct hidden *hidden, unsigned int *id)
{
	_cleanup_close_ int tree = copy_tree(hidden->at, "");
	int rc;

	/* What mount.nfs left running (rpc.statd) would keep it busy. */
	if (tree < 0 || umount2(hidden->path, MNT_DETACH | UMOUNT_NOFOLLOW))
		return -errno;
	/* Here a root directory is lost, and the one of home is got, which nothing needs. */
	if (setns(hidden->home, CLONE_NEWNS))
		return -errno;
	rc = proof_mount_id(host, tree, id);
	if (rc)
		return rc;
	return move_tree(tree, hidden->to) ? -errno : 0;
}
