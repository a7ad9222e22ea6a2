/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Files that a user or a configuration names, often to a program of root. At the name there is a
 * regular file or nothing, unless a stream is wanted; a link there is never followed, and nothing
 * else is replaced. Links on the way are followed only in folders that only root and the
 * caller can change: in others another user chooses where they lead. */
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "rpcrdma/base/base.h"

/* The kernel's limit on a path: MAXSYMLINKS. */
#define LINKS_MAX 40

struct out_walk {
	const char *path; /* for messages */
	int folder;
	unsigned int links;
	char rest[PATH_MAX];
};

static int out_error(const struct out_walk *walk, int errnum, const char *why)
{
	return err_set(errnum, "%.200s: %s", walk->path, why);
}

static bool out_is_private(int folder)
{
	struct stat st;

	return !fstat(folder, &st) && (!st.st_uid || st.st_uid == geteuid()) &&
	       !(st.st_mode & (S_IWGRP | S_IWOTH));
}

static int out_enter(struct out_walk *walk, const char *name)
{
	int fd = openat(walk->folder, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	if (fd < 0)
		return err_sys("%.200s", walk->path);
	cleanup_close(&walk->folder);
	walk->folder = fd;
	return 0;
}

static int out_follow(struct out_walk *walk, const char *target)
{
	char joined[PATH_MAX];

	if (!out_is_private(walk->folder))
		return out_error(
			walk, ELOOP,
			"a symbolic link on the way is in a folder that others can change");
	if (++walk->links > LINKS_MAX)
		return out_error(walk, ELOOP, "too many symbolic links");
	if ((size_t)snprintf(joined, sizeof(joined), "%s/%s", target, walk->rest) >= sizeof(joined))
		return out_error(walk, ENAMETOOLONG, "the path is too long");
	str_copy(walk->rest, sizeof(walk->rest), joined);
	return *target == '/' ? out_enter(walk, "/") : 0;
}

/* A component that is not the last one. */
static int out_step(struct out_walk *walk, const char *name)
{
	char target[PATH_MAX];
	ssize_t len;

	if (!*name || !strcmp(name, "."))
		return 0;
	len = readlinkat(walk->folder, name, target, sizeof(target) - 1);
	if (len < 0)
		return out_enter(walk, name);
	target[len] = '\0';
	return out_follow(walk, target);
}

static int out_walk_all(struct out_walk *walk, char name[NAME_MAX + 1])
{
	char *slash, step[NAME_MAX + 1];
	int rc = *walk->rest == '/' ? out_enter(walk, "/") : 0;

	while (!rc && (slash = strchr(walk->rest, '/'))) {
		*slash = '\0';
		if (!str_copy(step, sizeof(step), walk->rest))
			return out_error(walk, ENAMETOOLONG, "the name is too long");
		memmove(walk->rest, slash + 1, strlen(slash + 1) + 1);
		rc = out_step(walk, step);
	}
	if (rc)
		return rc;
	if (!str_copy(name, NAME_MAX + 1, walk->rest))
		return out_error(walk, ENAMETOOLONG, "the name is too long");
	return *name && strcmp(name, ".") && strcmp(name, "..")
		       ? 0
		       : out_error(walk, EISDIR, "it is no name of a file");
}

/* Returns the folder of the path; @name: in it. */
static int out_open_folder(const char *path, char name[NAME_MAX + 1])
{
	struct out_walk walk = { .path = path, .folder = -1 };
	int rc;

	if (!str_copy(walk.rest, sizeof(walk.rest), path))
		return out_error(&walk, ENAMETOOLONG, "the path is too long");
	walk.folder = open(".", O_PATH | O_DIRECTORY | O_CLOEXEC);
	rc = walk.folder < 0 ? err_sys("open the current folder") : out_walk_all(&walk, name);
	if (rc)
		cleanup_close(&walk.folder);
	return rc ? rc : walk.folder;
}

int out_open_stream(const char *path)
{
	char name[NAME_MAX + 1];
	_cleanup_close_ int folder = out_open_folder(path, name);
	int fd;

	if (folder < 0)
		return folder;
	/* A pipe without a reader is an error; the open does not block. */
	fd = openat(folder, name,
		    O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, 0600);
	if (fd < 0 && errno == ELOOP)
		return err_set(ELOOP, "%.200s: it is a symbolic link, which is not followed", path);
	return fd < 0 ? err_sys("%.200s", path) : fd;
}

static int out_check(const char *path, int folder, const char *name, bool force)
{
	struct stat st;

	if (fstatat(folder, name, &st, AT_SYMLINK_NOFOLLOW))
		return errno == ENOENT ? 0 : err_sys("%.200s", path);
	if (!S_ISREG(st.st_mode))
		return err_set(EEXIST, "%.200s exists and is not a regular file", path);
	return force ? 0 : err_set(EEXIST, "%.200s exists; --force replaces it", path);
}

int out_check_file(const char *path, bool force)
{
	char name[NAME_MAX + 1];
	_cleanup_close_ int folder = out_open_folder(path, name);

	return folder < 0 ? folder : out_check(path, folder, name, force);
}

int out_write_file(const char *path, const struct fd_file *file, bool force)
{
	char name[NAME_MAX + 1], temporary[NAME_MAX + 1];
	_cleanup_close_ int at = out_open_folder(path, name);
	_cleanup_close_ int folder = -1;
	struct fd_file fresh;
	int rc;

	if (at < 0)
		return at;
	/* Of one that is only a path fsync(2) is not possible. */
	folder = openat(at, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (folder < 0)
		return err_sys("open the folder of %.200s", path);
	rc = out_check(path, folder, name, force);
	if (rc)
		return rc;
	/* node_exporter reads every file whose name ends with .prom; this name does not. */
	if (snprintf(temporary, sizeof(temporary), ".%s.nfsrdma-new", name) > NAME_MAX)
		return err_set(ENAMETOOLONG, "%.200s: the name is too long", path);
	fresh = *file;
	fresh.fresh = !force;
	err_clear();
	if (!fd_replace(folder, temporary, name, &fresh))
		return 0;
	/* What prepares the file may have said it. */
	return *err_text() ? -errno : err_sys("write %.200s", path);
}
