/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* One command at a time changes the files of a machine: it holds a lock on /var/lib/nfsrdma, a folder
 * that only root may open, or any user could hold the lock. An empty folder is removed. */
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/stat.h>

#include "plugin/setup/internal.h"

#define RETRY_MS 20

int lock_check_ours(const struct host *host, int fd, const char *name)
{
	struct stat st;

	if (fstat(fd, &st))
		return err_sys("%s%s", host_prefix(host), name);
	if (S_ISLNK(st.st_mode))
		return err_set(ELOOP, "%s%s is a symbolic link; expected what setup made",
			       host_prefix(host), name);
	if ((st.st_uid != geteuid() && st.st_uid != 0) || st.st_mode & 022)
		return err_set(EPERM, "others may write to %s%s, so it is not trusted",
			       host_prefix(host), name);
	return 0;
}

/* The one before may have removed the folder at its end, and another may be there by now. */
static bool lock_is_current(const struct host *host, int dir)
{
	_cleanup_close_ int now = host_open_at(host, LOCK_FOLDER, O_PATH | O_DIRECTORY);
	struct stat ours, theirs;

	return now >= 0 && !fstat(dir, &ours) && !fstat(now, &theirs) &&
	       ours.st_ino == theirs.st_ino && ours.st_dev == theirs.st_dev;
}

/* 1: once more. */
static int lock_try(struct setup_lock *lock, bool create, uint64_t deadline)
{
	_cleanup_close_ int dir = -1;
	struct made_dirs made = { .count = 0 };
	int rc = 0;

	if (create) {
		rc = place_missing(lock->host, LOCK_FOLDER "/", &made);
		if (!rc)
			rc = place_make_dirs(lock->host, &made, 0700);
	}
	if (made.count)
		lock->made = made;
	if (rc)
		return rc;
	dir = host_open_at(lock->host, LOCK_FOLDER, O_RDONLY | O_DIRECTORY);
	if (dir < 0)
		return dir;
	rc = lock_check_ours(lock->host, dir, LOCK_FOLDER);
	if (rc)
		return rc;
	while (flock(dir, LOCK_EX | LOCK_NB)) {
		if (errno != EWOULDBLOCK && errno != EINTR)
			return err_sys("lock %s" LOCK_FOLDER, host_prefix(lock->host));
		if (!deadline_left(deadline))
			return err_set(EBUSY, "another nfsrdma command is running");
		poll(NULL, 0, RETRY_MS);
	}
	if (!lock_is_current(lock->host, dir))
		return 1;
	lock->dir = take_fd(&dir);
	return 0;
}

int setup_lock_take(struct setup_lock *lock, const struct host *host, bool create,
		    uint64_t deadline)
{
	int rc;

	*lock = (struct setup_lock){ .host = host, .dir = -1 };
	do {
		rc = lock_try(lock, create, deadline);
		/* Removed between the two. */
		if (rc == -ENOENT && create && deadline_left(deadline))
			rc = 1;
	} while (rc == 1);
	return rc;
}

/* A killed command may have left the folder, without a record of who made it. */
int lock_remove_folder(const struct host *host, const struct made_dirs *made)
{
	static const struct made_dirs ours = { 1, { LOCK_FOLDER } };

	return place_remove_dirs(host, made->count ? made : &ours);
}

void setup_lock_drop(struct setup_lock *lock)
{
	if (lock->dir < 0)
		return;
	lock_remove_folder(lock->host, &lock->made);
	close(lock->dir);
	lock->dir = -1;
}
