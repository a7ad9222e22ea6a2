/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The child that reads through an existing mount. If its server is down, only this child hangs. It
 * reads only regular files: one that the caller names, or one that was unchanged for a minute, and
 * never the leases and mailboxes of a storage domain. With O_DIRECT, so that no cache answers. */
#include <dirent.h>
#include <fcntl.h>
#include <grp.h>
#include <stdio.h>
#include <sys/fsuid.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <time.h>

#include "plugin/kernel/internal.h"

#define DIRECTORIES_MAX 64
#define ENTRIES_MAX     4096
#define QUIET_SECONDS   60

struct reader_directory {
	char path[KERNEL_PATH_MAX]; /* below the mount */
	uid_t uid;
	gid_t gid;
};

struct reader_search {
	int mount; /* its root */
	dev_t dev;
	struct reader_directory dirs[DIRECTORIES_MAX]; /* a queue */
	unsigned int ndirs, entries, most;
	uint64_t enough; /* size of a file that all READs fit into */
	uint64_t size;   /* of the best */
	struct stat st;
	char best[KERNEL_PATH_MAX];
};

/* Root may be nobody on the server. */
void kernel_set_fsuid(uid_t uid, gid_t gid)
{
	if (geteuid())
		return;
	setgroups(0, NULL);
	setfsgid(gid);
	setfsuid(uid);
}

static bool reader_is_live(const char *path)
{
	static const char *const names[] = { "dom_md/ids", "dom_md/leases", "dom_md/inbox",
					     "dom_md/outbox" };
	size_t i, len = strlen(path), tail;

	for (i = 0; i < ARRAY_SIZE(names); i++) {
		tail = strlen(names[i]);
		if (len >= tail && !strcmp(path + len - tail, names[i]) &&
		    (len == tail || path[len - tail - 1] == '/'))
			return true;
	}
	return false;
}

static void reader_queue(struct reader_search *s, const char *path, const struct stat *st)
{
	struct reader_directory *dir = &s->dirs[s->ndirs++];

	str_copy(dir->path, sizeof(dir->path), path);
	dir->uid = st->st_uid;
	dir->gid = st->st_gid;
}

/* Whether the caller asks for READs of that length. */
static bool reader_wants(const struct kernel_reader_task *task, uint32_t length)
{
	size_t n;

	for (n = 0; n < task->nlengths; n++)
		if (task->lengths[n] == length)
			return true;
	return !task->lengths;
}

/* Queues a directory. Of files the largest, up to what all READs need: then the search ends. */
static void reader_consider(struct reader_search *s, int dir, const char *in, const char *name)
{
	char path[KERNEL_PATH_MAX];
	struct stat st;
	uint64_t size;
	time_t quiet;

	if ((size_t)snprintf(path, sizeof(path), "%s%s%s", in, *in ? "/" : "", name) >=
		    sizeof(path) ||
	    fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT) || st.st_dev != s->dev)
		return;
	if (S_ISDIR(st.st_mode) && s->ndirs < DIRECTORIES_MAX)
		reader_queue(s, path, &st);
	if (!S_ISREG(st.st_mode) || reader_is_live(path))
		return;
	size = min_u64((uint64_t)st.st_size, s->enough);
	quiet = time(NULL) - QUIET_SECONDS;
	if (size <= s->size || st.st_mtime >= quiet || st.st_ctime >= quiet)
		return;
	s->size = size;
	s->st = st;
	str_copy(s->best, sizeof(s->best), path);
}

int kernel_open_mount(const char *target, const char *dev, dev_t *out)
{
	int fd = open(target, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_PATH), rc;
	char found[32];
	struct stat st;

	if (fd < 0)
		return err_sys("%s", target);
	rc = fstat(fd, &st) ? err_sys("%s", target) : 0;
	if (!rc) {
		snprintf(found, sizeof(found), "%u:%u", major(st.st_dev), minor(st.st_dev));
		*out = st.st_dev;
		if (strcmp(found, dev) != 0)
			rc = err_set(ENOENT, "%s is not that mount any more", target);
	}
	if (rc)
		close(fd);
	return rc ? rc : fd;
}

int kernel_open_parent(int mount, dev_t dev, const char *path, const char **last)
{
	int fd = openat(mount, ".", O_PATH | O_DIRECTORY | O_CLOEXEC);
	char name[NAME_MAX + 1];
	struct stat st;
	size_t len;
	int next;

	for (; fd >= 0 && strchr(path, '/'); path += len + 1) {
		len = strcspn(path, "/");
		if (len > NAME_MAX) {
			close(fd);
			errno = ENAMETOOLONG;
			return -1;
		}
		memcpy(name, path, len);
		name[len] = '\0';
		next = openat(fd, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		close(fd);
		fd = next;
		if (fd >= 0 && (fstat(fd, &st) || st.st_dev != dev)) {
			close(fd);
			errno = EXDEV;
			return -1;
		}
	}
	*last = *path ? path : ".";
	return fd;
}

/* @kind: S_IFDIR or S_IFREG: nothing else is opened. @st: of what it is. */
static int reader_open_below(const struct reader_search *s, const char *path, mode_t kind,
			     int flags, struct stat *st)
{
	const char *name;
	_cleanup_close_ int dir = kernel_open_parent(s->mount, s->dev, path, &name);
	_cleanup_close_ int seen = -1;
	char link[64];

	if (dir < 0)
		return -1;
	/* Opens nothing yet: a device or a pipe that has the name by now has side effects. */
	seen = openat(dir, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	if (seen < 0 || fstat(seen, st))
		return -1;
	if ((st->st_mode & S_IFMT) != kind || st->st_dev != s->dev) {
		errno = EXDEV;
		return -1;
	}
	snprintf(link, sizeof(link), "/proc/self/fd/%d", seen);
	return open(link, flags | O_CLOEXEC);
}

static void reader_search_directory(struct reader_search *s, const struct reader_directory *queued)
{
	struct dirent *entry;
	struct stat st;
	DIR *dir;
	int fd = reader_open_below(s, queued->path, S_IFDIR, O_RDONLY | O_DIRECTORY, &st);

	/* Once more as its owner: root may be nobody on the server. Its owner was read when it was
	 * queued: where the directory above cannot be searched now, @st is not filled in. */
	if (fd < 0 && errno == EACCES && !geteuid()) {
		kernel_set_fsuid(queued->uid, queued->gid);
		fd = reader_open_below(s, queued->path, S_IFDIR, O_RDONLY | O_DIRECTORY, &st);
	}
	if (fd < 0)
		return;
	dir = fdopendir(fd);
	if (!dir) {
		close(fd);
		return;
	}
	while (s->size < s->enough && s->entries < s->most && (entry = readdir(dir))) {
		if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, ".."))
			continue;
		s->entries++;
		reader_consider(s, fd, queued->path, entry->d_name);
	}
	closedir(dir);
}

/* A file that was named, or the best below a directory that was. */
static int reader_find_file(struct reader_search *s, const char *path)
{
	_cleanup_close_ int dir = -1;
	const char *name;
	unsigned int i;

	if (strlen(path) >= KERNEL_PATH_MAX)
		return err_set(ENAMETOOLONG, "the path below the mount is too long");
	dir = kernel_open_parent(s->mount, s->dev, path, &name);
	if (dir < 0 || fstatat(dir, name, &s->st, AT_SYMLINK_NOFOLLOW))
		return err_sys("%s", path);
	if (s->st.st_dev != s->dev)
		return err_set(EXDEV, "%s is on another mount", path);
	str_copy(s->best, sizeof(s->best), path);
	if (S_ISREG(s->st.st_mode) && reader_is_live(path))
		return err_set(EPERM, "%s belongs to the host that runs the storage domain", path);
	if (S_ISREG(s->st.st_mode))
		return 0;
	if (!S_ISDIR(s->st.st_mode))
		return err_set(EINVAL, "%s is neither a file nor a directory", path);
	s->best[0] = '\0';
	reader_queue(s, path, &s->st);
	for (i = 0; i < s->ndirs && s->size < s->enough; i++)
		reader_search_directory(s, &s->dirs[i]);
	return s->best[0]
		       ? 0
		       : err_set(ENOENT,
				 "none of %u names is a file that was unchanged for a minute; name one",
				 s->entries);
}

static int reader_open_file(const struct kernel_reader_task *task, struct kernel_chosen *out)
{
	_cleanup_free_ struct reader_search *s = calloc(1, sizeof(*s));
	_cleanup_close_ int mount = -1;
	struct probe_range range;
	unsigned int i;
	int fd, rc;

	if (!s)
		return err_no_memory();
	s->most = task->most_names ? task->most_names : ENTRIES_MAX;
	/* In ascending order of their ends. */
	for (i = 0; i < KERNEL_RANGES; i++) {
		range = kernel_range(i);
		if (reader_wants(task, range.length))
			s->enough = range.offset + range.length;
	}
	if (task->has_cred)
		kernel_set_fsuid(task->uid, task->gid);
	mount = kernel_open_mount(task->target, task->dev, &s->dev);
	if (mount < 0)
		return mount;
	s->mount = mount;
	rc = reader_find_file(s, task->path);
	if (rc)
		return rc;
	out->uid = task->has_cred || geteuid() ? task->uid : s->st.st_uid;
	out->gid = task->has_cred || geteuid() ? task->gid : s->st.st_gid;
	out->size = (uint64_t)s->st.st_size;
	str_copy(out->path, sizeof(out->path), s->best);
	kernel_set_fsuid(out->uid, out->gid);
	fd = reader_open_below(s, s->best, S_IFREG, O_RDONLY | O_DIRECT | O_NONBLOCK | O_NOCTTY,
			       &s->st);
	return fd < 0 ? err_sys("%s", s->best) : fd;
}

int kernel_reader(void *arg, int channel)
{
	const struct kernel_reader_task *task = arg;
	struct kernel_chosen chosen = { .uid = geteuid(), .gid = getegid() };
	struct kernel_range_task read = { .fd = reader_open_file(task, &chosen) };
	void *buf = NULL;
	uint32_t length;

	if (read.fd < 0) {
		chosen.error = -read.fd;
		str_copy(chosen.why, sizeof(chosen.why), err_text());
	}
	if (channel_send(channel, KERNEL_CHOSEN, &chosen, sizeof(chosen), -1) || read.fd < 0 ||
	    posix_memalign(&buf, 4096, KERNEL_READ_MAX))
		read.index = KERNEL_RANGES;
	read.buf = buf;
	for (; read.index < KERNEL_RANGES; read.index++) {
		read.range = kernel_range_of(read.index, chosen.size);
		length = read.range.length;
		if (!length || !reader_wants(task, length))
			continue;
		if (kernel_read_range(channel, &read))
			break;
	}
	free(buf);
	if (read.fd >= 0)
		close(read.fd);
	return 0;
}
