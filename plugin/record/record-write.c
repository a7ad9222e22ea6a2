/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The only writer of records. A record is replaced by rename(2), after its data and before
 * its folder are synced. So a reader sees the old or the new record, also after a crash.
 * The folder is usually a tmpfs; fsync(2) is for systems where it is not.
 *
 * Helpers and the watcher write at the same time. A process that decides by a file's
 * contents holds a lock from reading it to the rename, and every writer takes it, for as
 * long as a small file takes. Only root can open the lock's file; otherwise any user could
 * hold the lock. */
#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/stat.h>

#include "plugin/record/internal.h"

/* Readable by all, writable only by root, regardless of the umask. */
#define FOLDER_MODE 0755
#define FILE_MODE   0644

#define LOCK_FILE ".lock"
#define LOCK_MS   500

static int record_enter(int parent, const char *name)
{
	int fd;

	if (mkdirat(parent, name, FOLDER_MODE) && errno != EEXIST)
		return err_sys("make the folder %s of /" RECORD_FOLDER, name);
	fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return err_sys("open the folder %s of /" RECORD_FOLDER, name);
	return fd;
}

int record_open(const char *root)
{
	_cleanup_close_ int top = open(root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	_cleanup_close_ int run = -1;
	_cleanup_close_ int ours = -1;
	mode_t mask;
	int fd;

	if (top < 0)
		return err_sys("open %s", root);
	/* If @root is not a system's root, its /run may be a symbolic link; only systems
	 * have records. */
	mask = umask(0022);
	run = record_enter(top, "run");
	ours = run < 0 ? run : record_enter(run, "nfsrdma");
	fd = ours < 0 ? ours : record_enter(ours, "mounts");
	umask(mask);
	return fd;
}

/* Returns a descriptor to close, or -1: the holder does not release the lock (it was
 * stopped), or the lock's file cannot be created. The caller then continues without a lock:
 * a mount that hangs for its record is worse than a record that is rejected. */
static int record_lock(int folder)
{
	uint64_t deadline = deadline_in(LOCK_MS);
	int fd = openat(folder, LOCK_FILE, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);

	while (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB)) {
		if (errno != EWOULDBLOCK || !deadline_left(deadline)) {
			close(fd);
			return -1;
		}
		poll(NULL, 0, 2);
	}
	return fd;
}

/* Writes @name atomically. With the lock it replaces what a killed writer left; without it,
 * its temporary name is unique. */
static int record_put_file(int folder, const char *name, const char *text, bool locked)
{
	const struct fd_file file = { text, strlen(text), FILE_MODE, NULL, NULL, false };
	char temporary[RECORD_NAME_MAX + 16];

	if (locked)
		snprintf(temporary, sizeof(temporary), ".%s.new", name);
	else
		snprintf(temporary, sizeof(temporary), ".%s.%d", name, (int)getpid());
	if (fd_replace(folder, temporary, name, &file))
		return err_sys("write /" RECORD_FOLDER "/%s", name);
	return 0;
}

int record_write(int folder, const struct record *record, const struct report *report)
{
	_cleanup_free_ char *text = NULL;
	_cleanup_close_ int lock = -1;
	char name[RECORD_NAME_MAX];
	int rc = record_encode(record, report, &text);

	if (rc)
		return rc;
	lock = record_lock(folder);
	return record_put_file(folder, record_file_name(record, name), text, lock >= 0);
}

static int record_remove_file(int folder, const char *name)
{
	if (unlinkat(folder, name, 0) && errno != ENOENT)
		return err_sys("remove /" RECORD_FOLDER "/%s", name);
	return 0;
}

int record_remove(int folder, unsigned int id, const char *target)
{
	_cleanup_close_ int lock = -1;
	char name[RECORD_NAME_MAX];
	int rc = 0;

	lock = record_lock(folder);
	if (id)
		rc = record_remove_file(folder, record_name(id, name));
	if (!rc && target)
		rc = record_remove_file(folder, record_pending_name(target, name));
	if (!rc && fsync(folder))
		rc = err_sys("sync /" RECORD_FOLDER);
	return rc;
}

/* More than a host has mounts; further records are ignored. */
#define FORGET_MAX 16384

/* False: absent, or malformed. */
static bool record_read_at(int folder, const char *name, struct record *out)
{
	_cleanup_free_ char *text = calloc(1, RECORD_MAX + 1);
	_cleanup_close_ int fd = openat(folder, name,
					O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	size_t used = 0;
	ssize_t n = 1;

	while (text && fd >= 0 && used < RECORD_MAX && n > 0) {
		n = read(fd, text + used, RECORD_MAX - used);
		used += n > 0 ? (size_t)n : 0;
	}
	return used && !record_decode(text, out);
}

/* Whether the file has a record of @target, and of @mounts (NULL: ignored) none is its. */
static bool record_is_left(int folder, const char *name, const char *target,
			   const struct nfs_mounts *mounts, uint64_t now)
{
	struct record record;
	unsigned int i;

	if (!record_read_at(folder, name, &record) || strcmp(record.target, target) != 0)
		return false;
	for (i = 0; mounts && i < mounts->count; i++)
		if (record_is_of(&record, &mounts->list[i], now))
			return false;
	/* The mount of a pending record is not known. */
	return !mounts || record.id;
}

/* Removes the records of a directory: all, or those whose mount is not in @mounts. */
static int record_remove_left(int folder, const char *target, const struct nfs_mounts *mounts,
			      uint64_t now)
{
	char clean[sizeof(((struct record *)NULL)->target)];
	_cleanup_close_ int lock = -1;
	int fd = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC), rc = 0, pid;
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	unsigned int left = FORGET_MAX;
	struct dirent *entry;
	const char *name, *dot;

	if (!dir) {
		rc = err_sys("list /" RECORD_FOLDER);
		cleanup_close(&fd);
		return rc;
	}
	text_copy(clean, sizeof(clean), target);
	lock = record_lock(folder);
	while (!rc && left-- && (entry = readdir(dir))) {
		name = entry->d_name;
		if (*name != '.') {
			if (record_is_left(folder, name, clean, mounts, now))
				rc = record_remove_file(folder, name);
			continue;
		}
		/* Left by a killed writer that had no lock. If that process still exists,
		 * it may be writing. */
		dot = strrchr(name, '.');
		pid = dot > name ? atoi(dot + 1) : 0;
		if (pid > 0 && kill(pid, 0) && errno == ESRCH)
			unlinkat(folder, name, 0);
	}
	closedir(dir);
	return rc;
}

int record_forget(int folder, const char *target)
{
	return record_remove_left(folder, target, NULL, 0);
}

int record_tidy(int folder, const char *target, const struct nfs_mounts *there, uint64_t now)
{
	if (there->cut || there->unreadable)
		return 0;
	return record_remove_left(folder, target, there, now);
}

/* --- for the watcher ------------------------------------------------------------------ */

/* A record with a time in the future is ignored. */
static bool record_is_newer(int folder, const char *name, const struct record *ours)
{
	struct record theirs;

	return record_read_at(folder, name, &theirs) && theirs.checked_ms >= ours->checked_ms &&
	       theirs.checked_ms <= now_ms() && !strcmp(theirs.boot_id, ours->boot_id);
}

int record_renew(int folder, const struct record *record, const struct report *report)
{
	_cleanup_free_ char *text = NULL;
	_cleanup_close_ int lock = -1;
	char name[RECORD_NAME_MAX], pending[RECORD_NAME_MAX];
	int rc = record_encode(record, report, &text);

	if (rc)
		return rc;
	lock = record_lock(folder);
	record_file_name(record, name);
	if (record_is_newer(folder, name, record) ||
	    record_is_newer(folder, record_pending_name(record->target, pending), record))
		return 1;
	return record_put_file(folder, name, text, lock >= 0);
}

int record_drop(int folder, const struct record *seen)
{
	_cleanup_close_ int lock = -1;
	char name[RECORD_NAME_MAX];
	struct record now;

	lock = record_lock(folder);
	record_file_name(seen, name);
	if (!record_read_at(folder, name, &now) || now.checked_ms != seen->checked_ms ||
	    strcmp(now.boot_id, seen->boot_id) || strcmp(now.target, seen->target))
		return 0;
	return record_remove_file(folder, name);
}

int record_settle(int folder, const struct record *pending, const struct nfs_mount *mount,
		  enum record_state state)
{
	struct record record = *pending, now;
	char name[RECORD_NAME_MAX], left[RECORD_NAME_MAX];
	_cleanup_free_ char *text = NULL;
	_cleanup_close_ int lock = -1;
	int rc;

	record_of_mount(&record, mount);
	record.state = state;
	/* A record that is older than the mount would be of another one: it is seen now. */
	record.checked_ms = now_ms();
	rc = record_encode(&record, NULL, &text);
	if (rc)
		return rc;
	lock = record_lock(folder);
	record_pending_name(pending->target, left);
	if (!record_read_at(folder, left, &now) || now.checked_ms != pending->checked_ms ||
	    strcmp(now.boot_id, pending->boot_id) != 0)
		return 0;
	record_file_name(&record, name);
	/* What its helper or the watcher wrote since then says more. */
	record.checked_ms = pending->checked_ms;
	if (!record_is_newer(folder, name, &record))
		rc = record_put_file(folder, name, text, lock >= 0);
	return rc ? rc : record_remove_file(folder, left);
}
