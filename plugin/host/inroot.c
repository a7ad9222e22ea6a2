/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Opens a file below a directory as chroot(2) would resolve it, without root privileges.
 * openat2(2) does it in one step. Where it is missing (Linux before 5.6, valgrind 3.19, a
 * seccomp filter that does not know it), the path is walked with one descriptor per
 * component, so that nothing is resolved twice. */
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "plugin/host/internal.h"

#define DEPTH_MAX 64

struct inroot_walk {
	unsigned int depth;
	int stack[DEPTH_MAX];    /* [0] is the root, borrowed */
	char name[NAME_MAX + 1]; /* of stack[depth] */
	unsigned int links;
	char rest[PATH_MAX];
};

static void inroot_pop(struct inroot_walk *walk)
{
	if (walk->depth)
		close(walk->stack[walk->depth--]);
}

static void inroot_fini(struct inroot_walk *walk)
{
	while (walk->depth)
		inroot_pop(walk);
}

/* Replaces the link by its target in the rest of the path. */
static int inroot_follow_link(struct inroot_walk *walk, int link)
{
	char target[PATH_MAX], joined[PATH_MAX];
	ssize_t len = readlinkat(link, "", target, sizeof(target) - 1);

	if (len < 0)
		return -errno;
	target[len] = '\0';
	if (++walk->links > HOST_LINKS_MAX)
		return -ELOOP;
	if ((size_t)snprintf(joined, sizeof(joined), "%s/%s", target, walk->rest) >= sizeof(joined))
		return -ENAMETOOLONG;
	str_copy(walk->rest, sizeof(walk->rest), joined);
	if (target[0] == '/')
		inroot_fini(walk);
	return 0;
}

static int inroot_check_folder(const struct inroot_walk *walk)
{
	struct stat st;

	if (fstat(walk->stack[walk->depth], &st))
		return -errno;
	return S_ISDIR(st.st_mode) ? 0 : -ENOTDIR;
}

/* One component of the path. @last: it is the last one. */
static int inroot_step(struct inroot_walk *walk, const char *name, bool last, int flags)
{
	_cleanup_close_ int fd = -1;
	struct stat st;
	int rc;

	/* "", "." and "..": valid only in directories. */
	if (!name[0] || !strcmp(name, ".") || !strcmp(name, "..")) {
		rc = inroot_check_folder(walk);
		if (!rc && !strcmp(name, ".."))
			inroot_pop(walk);
		return rc;
	}
	if (strlen(name) > NAME_MAX || walk->depth + 1 == DEPTH_MAX)
		return -ENAMETOOLONG;
	fd = openat(walk->stack[walk->depth], name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &st))
		return -errno;
	if (S_ISLNK(st.st_mode) && !(last && flags & O_NOFOLLOW))
		return inroot_follow_link(walk, fd);
	str_copy(walk->name, sizeof(walk->name), name);
	walk->stack[++walk->depth] = take_fd(&fd);
	return 0;
}

/* Reopens the O_PATH descriptor with @flags. */
static int inroot_reopen(const struct inroot_walk *walk, int flags)
{
	struct stat st;
	int fd;

	if (fstat(walk->stack[walk->depth], &st))
		return -errno;
	if (S_ISDIR(st.st_mode))
		fd = openat(walk->stack[walk->depth], ".", flags | O_CLOEXEC);
	else
		fd = openat(walk->stack[walk->depth - 1], walk->name,
			    flags | O_NOFOLLOW | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

int inroot_open_by_steps(int root, const char *path, int flags)
{
	struct inroot_walk walk = { .stack = { root } };
	int rc = 0;

	if (!str_copy(walk.rest, sizeof(walk.rest), path))
		return -ENAMETOOLONG;
	while (!rc && walk.rest[0]) {
		size_t len = strcspn(walk.rest, "/");
		size_t next = len + strspn(walk.rest + len, "/");
		char name[PATH_MAX];

		memcpy(name, walk.rest, len);
		name[len] = '\0';
		memmove(walk.rest, walk.rest + next, strlen(walk.rest + next) + 1);
		rc = inroot_step(&walk, name, !walk.rest[0], flags);
	}
	if (!rc && path[0] && path[strlen(path) - 1] == '/')
		rc = inroot_check_folder(&walk);
	if (!rc)
		rc = inroot_reopen(&walk, flags);
	inroot_fini(&walk);
	return rc;
}

int inroot_open(int root, const char *path, int flags)
{
	struct open_how how = {
		.flags = (unsigned int)(flags | O_CLOEXEC),
		.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS,
	};
	unsigned int tries;
	long fd;

	/* EAGAIN: a concurrent rename or mount, so ".." cannot be trusted. */
	for (tries = 0; tries < 16; tries++) {
		fd = syscall(SYS_openat2, root, path[0] ? path : ".", &how, sizeof(how));
		if (fd >= 0)
			return (int)fd;
		if (errno != EAGAIN && errno != EINTR)
			break;
	}
	/* Seccomp filters return EPERM for system calls that they do not know. */
	if (errno == ENOSYS || errno == EPERM)
		return inroot_open_by_steps(root, path, flags);
	return -errno;
}
