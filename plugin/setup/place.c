/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* A file put in its place below the root: written beside it under a name that nothing reads,
 * flushed, renamed over it, and the folder flushed. A reader sees the old text or the new one,
 * also after a loss of power.
 *
 * Folders may be reached by links, which lead nowhere but below the root; the file itself must be
 * none: replacing a link would cut it off from what it leads to. */
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/xattr.h>

#include "plugin/setup/internal.h"

struct place_attr {
	bool exists;
	unsigned int mode, uid, gid;
};

#define ATTR_ACL "system.posix_acl_access"

static int place_open_folder(const struct host *host, const char *path, const char **name)
{
	const char *slash = strrchr(path, '/');
	char folder[HOST_PATH_MAX];

	*name = slash ? slash + 1 : path;
	if (!**name || strlen(path) >= HOST_PATH_MAX)
		return err_set(EINVAL, "'%.64s' is not a path of a file", path);
	snprintf(folder, HOST_PATH_MAX, "%.*s", slash ? (int)(slash - path) : 0, path);
	return host_open_at(host, folder, O_RDONLY | O_DIRECTORY);
}

/* Not a name that a reader takes for a ".conf" or ".rules". */
static int place_temporary_name(const char *name, char buf[NAME_MAX + 1])
{
	if (snprintf(buf, NAME_MAX + 1, ".%s" PLACE_SUFFIX, name) > NAME_MAX)
		return err_set(ENAMETOOLONG, "the name %.64s is too long", name);
	return 0;
}

/* --- reading --------------------------------------------------------------------- */

static int place_read_both(const struct host *host, const char *path, char **text,
			   struct place_attr *attr)
{
	_cleanup_close_ int fd = host_open_at(host, path, O_PATH | O_NOFOLLOW);
	struct host_text got = { NULL, 0 };
	struct stat st;
	int rc;

	*text = NULL;
	memset(attr, 0, sizeof(*attr));
	if (fd < 0)
		return fd == -ENOENT ? 0 : fd;
	if (fstat(fd, &st))
		return err_sys("%s%s", host_prefix(host), path);
	if (S_ISLNK(st.st_mode))
		return err_set(ELOOP, "%s%s is a symbolic link, and setup does not replace it",
			       host_prefix(host), path);
	rc = host_read(host, path, SETUP_TEXT_MAX, &got);
	if (rc)
		return rc;
	*attr = (struct place_attr){ true, st.st_mode & 07777, st.st_uid, st.st_gid };
	*text = got.text;
	return 0;
}

int place_read(const struct host *host, const char *path, char **text)
{
	struct place_attr attr;

	return place_read_both(host, path, text, &attr);
}

int place_read_link(const struct host *host, const char *path, char **text)
{
	_cleanup_close_ int fd = host_open_at(host, path, O_PATH | O_NOFOLLOW);
	char target[PATH_MAX];
	struct stat st;
	ssize_t len;

	*text = NULL;
	if (fd < 0)
		return fd == -ENOENT ? 0 : fd;
	if (fstat(fd, &st))
		return err_sys("%s%s", host_prefix(host), path);
	if (!S_ISLNK(st.st_mode))
		return err_set(EEXIST, "%s%s is not a symbolic link", host_prefix(host), path);
	len = readlinkat(fd, "", target, sizeof(target) - 1);
	if (len < 0)
		return err_sys("%s%s", host_prefix(host), path);
	target[len] = '\0';
	*text = strdup(target);
	return *text ? 0 : err_no_memory();
}

int place_get(const struct host *host, enum setup_kind kind, const char *path, char **text)
{
	return kind == SETUP_FILE ? place_read(host, path, text)
				  : place_read_link(host, path, text);
}

/* --- folders --------------------------------------------------------------------- */

int place_missing(const struct host *host, const char *path, struct made_dirs *out)
{
	const char *slash = path;
	int rc;

	out->count = 0;
	while ((slash = strchr(slash, '/'))) {
		char dir[HOST_PATH_MAX];

		snprintf(dir, sizeof(dir), "%.*s", (int)(slash - path), path);
		slash++;
		rc = host_exists(host, dir);
		if (!rc)
			continue;
		if (rc != -ENOENT)
			return rc;
		if (out->count == PLACE_MADE_MAX || strlen(dir) >= SETUP_PATH_MAX)
			return err_set(ENOENT, "%s%s does not exist", host_prefix(host), dir);
		str_copy(out->list[out->count++], SETUP_PATH_MAX, dir);
	}
	return 0;
}

static int place_make_dir(const struct host *host, const char *path, unsigned int mode)
{
	_cleanup_close_ int folder = -1;
	const char *name;

	folder = place_open_folder(host, path, &name);
	if (folder < 0)
		return folder;
	if (mkdirat(folder, name, mode) && errno != EEXIST)
		return err_sys("make %s%s", host_prefix(host), path);
	if (fsync(folder))
		return err_sys("flush the folder of %s%s", host_prefix(host), path);
	return 0;
}

int place_make_dirs(const struct host *host, const struct made_dirs *dirs, unsigned int mode)
{
	unsigned int i;
	int rc = 0;

	for (i = 0; !rc && i < dirs->count; i++)
		rc = place_make_dir(host, dirs->list[i], i + 1 == dirs->count ? mode : 0755);
	return rc;
}

/* 1: it stays, for there is something in it, or it is none. */
static int place_remove_dir(const struct host *host, const char *path)
{
	_cleanup_close_ int folder = -1;
	const char *name;

	folder = place_open_folder(host, path, &name);
	if (folder == -ENOENT)
		return 0;
	if (folder < 0)
		return folder;
	if (unlinkat(folder, name, AT_REMOVEDIR)) {
		if (errno == ENOENT)
			return 0;
		return errno == ENOTEMPTY || errno == EEXIST || errno == EBUSY || errno == ENOTDIR
			       ? 1
			       : err_sys("remove %s%s", host_prefix(host), path);
	}
	if (fsync(folder))
		return err_sys("flush the folder of %s%s", host_prefix(host), path);
	return 0;
}

int place_remove_dirs(const struct host *host, const struct made_dirs *dirs)
{
	unsigned int i;
	int rc = 0;

	for (i = dirs->count; !rc && i-- > 0;)
		rc = place_remove_dir(host, dirs->list[i]);
	return rc < 0 ? rc : 0;
}

/* --- writing --------------------------------------------------------------------- */

/* What belongs to a file and not to its bytes: SELinux's label, an ACL, what its owner noted. Not
 * the kernel's own, such as IMA's hash of the old text. */
static bool place_keeps_attribute(const char *name)
{
	return !strcmp(name, "security.selinux") || !strcmp(name, ATTR_ACL) ||
	       !strncmp(name, "user.", 5);
}

static int place_copy_attribute(int from, int to, const char *name)
{
	_cleanup_free_ char *value = malloc(XATTR_SIZE_MAX);
	ssize_t len = value ? fgetxattr(from, name, value, XATTR_SIZE_MAX) : -1;

	if (!value)
		return -ENOMEM;
	/* Gone since it was listed. */
	if (len < 0)
		return errno == ENODATA ? 0 : -errno;
	return fsetxattr(to, name, value, (size_t)len, 0) ? -errno : 0;
}

/* Of the file that is replaced; a new one gets its folder's. */
static int place_copy_attributes(int folder, const char *name, int to)
{
	_cleanup_close_ int from = openat(folder, name,
					  O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	_cleanup_free_ char *names = NULL;
	const char *attribute;
	ssize_t len;
	int rc = 0;

	if (from < 0)
		return errno == ENOENT ? 0 : -errno;
	/* That of the folder's default, which the old one may not have. */
	if (fremovexattr(to, ATTR_ACL) && errno != ENODATA && errno != EOPNOTSUPP)
		return -errno;
	names = malloc(XATTR_LIST_MAX);
	if (!names)
		return -ENOMEM;
	len = flistxattr(from, names, XATTR_LIST_MAX);
	/* A file system without attributes has none to keep. */
	if (len < 0)
		return errno == EOPNOTSUPP ? 0 : -errno;
	for (attribute = names; !rc && attribute < names + len; attribute += strlen(attribute) + 1)
		if (place_keeps_attribute(attribute))
			rc = place_copy_attribute(from, to, attribute);
	return rc;
}

/* What a file is to become, and what it stands in the place of. */
struct place_successor {
	int folder;
	const char *name;
	const struct place_attr *attr;
};

static int place_prepare(void *arg, int fd)
{
	const struct place_successor *successor = arg;
	const struct place_attr *attr = successor->attr;
	struct stat st;

	if (fstat(fd, &st))
		return -errno;
	/* The mode last: a change of owner takes bits away. */
	if ((st.st_uid != attr->uid || st.st_gid != attr->gid) && fchown(fd, attr->uid, attr->gid))
		return -errno;
	if (fchmod(fd, attr->mode))
		return -errno;
	return place_copy_attributes(successor->folder, successor->name, fd);
}

static int place_replace(int folder, const char *name, const char *text,
			 const struct place_attr *attr)
{
	struct place_successor successor = { folder, name, attr };
	const struct fd_file file = { text, strlen(text), 0600, place_prepare, &successor, false };
	char temporary[NAME_MAX + 1];
	int rc = place_temporary_name(name, temporary);

	return rc ? rc : fd_replace(folder, temporary, name, &file);
}

static int place_unlink(int folder, const char *name)
{
	return unlinkat(folder, name, 0) || fsync(folder) ? -errno : 0;
}

int place_write(const struct host *host, const char *path, const char *before, const char *text)
{
	const struct place_attr fresh = { true, 0644, geteuid(), getegid() };
	_cleanup_close_ int folder = -1;
	_cleanup_free_ char *now = NULL;
	struct place_attr seen;
	const char *name;
	int rc;

	folder = place_open_folder(host, path, &name);
	if (folder < 0)
		return folder;
	rc = place_read_both(host, path, &now, &seen);
	if (rc)
		return rc;
	if (!same_text(now, before))
		return err_set(ESTALE, "%s%s has just been changed by another program",
			       host_prefix(host), path);
	rc = text ? place_replace(folder, name, text, seen.exists ? &seen : &fresh)
		  : place_unlink(folder, name);
	if (rc) {
		errno = -rc;
		return err_sys("%s %s%s", text ? "write" : "remove", host_prefix(host), path);
	}
	return 0;
}

static int place_replace_link(int folder, const char *name, const char *target)
{
	char temporary[NAME_MAX + 1];
	int rc = place_temporary_name(name, temporary);

	if (rc)
		return rc;
	unlinkat(folder, temporary, 0);
	if (symlinkat(target, folder, temporary))
		return -errno;
	if (renameat(folder, temporary, folder, name)) {
		rc = -errno;
		unlinkat(folder, temporary, 0);
		return rc;
	}
	return fsync(folder) ? -errno : 0;
}

int place_write_link(const struct host *host, const char *path, const char *before,
		     const char *text)
{
	_cleanup_close_ int folder = -1;
	_cleanup_free_ char *now = NULL;
	const char *name;
	int rc;

	folder = place_open_folder(host, path, &name);
	if (folder < 0)
		return folder;
	rc = place_read_link(host, path, &now);
	if (rc)
		return rc;
	if (!same_text(now, before))
		return err_set(ESTALE, "%s%s has just been changed by another program",
			       host_prefix(host), path);
	rc = text ? place_replace_link(folder, name, text) : place_unlink(folder, name);
	if (rc) {
		errno = -rc;
		return err_sys("%s %s%s", text ? "link" : "remove", host_prefix(host), path);
	}
	return 0;
}

void place_tidy(const struct host *host, const char *path)
{
	_cleanup_close_ int folder = -1;
	char temporary[NAME_MAX + 1];
	const char *name;

	folder = place_open_folder(host, path, &name);
	if (folder >= 0 && !place_temporary_name(name, temporary))
		unlinkat(folder, temporary, 0);
}
