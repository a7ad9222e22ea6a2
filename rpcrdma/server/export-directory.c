/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* A directory, read-only. Every open is beneath it, by openat2(2), follows no symbolic link and
 * stays on its file system; a path that was replaced meanwhile fails the comparison with the
 * inode in the handle. Only objects that "others" may read are served: regular files, directories
 * that others may also search, and symbolic links, which the client resolves.
 *
 * Files are read with pread(2): a file that shrinks gives a short READ, where mapped memory would
 * raise SIGBUS. */
#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>

#include "rpcrdma/server/internal.h"

struct directory_export {
	struct export exp;
	int root;
	struct stat root_stat;
	struct path_table *paths;
};

/* A path below the root, "." for the root itself. */
struct directory_object {
	char path[PATH_MAX];
	struct stat st;
	int fd; /* O_PATH, or opened for reading */
};

static struct directory_export *directory_of(struct export *exp)
{
	return (struct directory_export *)exp;
}

static void directory_object_close(struct directory_object *object)
{
	if (object->fd >= 0)
		close(object->fd);
	object->fd = -1;
}

#define _cleanup_directory_object_ _cleanup_(directory_object_close)

/* Opening */

static uint32_t directory_status(int errnum)
{
	static const struct {
		int errnum;
		uint32_t status;
	} rows[] = {
		{ ENOENT, NFS3_STATUS_NOENT },
		{ EACCES, NFS3_STATUS_ACCES },
		{ EPERM, NFS3_STATUS_ACCES },
		/* openat2: a symbolic link, a path out of the root, another file system */
		{ ELOOP, NFS3_STATUS_ACCES },
		{ EXDEV, NFS3_STATUS_ACCES },
		{ EAGAIN, NFS3_STATUS_JUKEBOX },
		{ EMFILE, NFS3_STATUS_JUKEBOX },
		{ ENFILE, NFS3_STATUS_JUKEBOX },
		{ ENOMEM, NFS3_STATUS_JUKEBOX },
		{ ENOTDIR, NFS3_STATUS_NOTDIR },
		{ EISDIR, NFS3_STATUS_ISDIR },
		{ EINVAL, NFS3_STATUS_INVAL },
		{ ENAMETOOLONG, NFS3_STATUS_NAMETOOLONG },
		{ ESTALE, NFS3_STATUS_STALE },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++)
		if (rows[i].errnum == errnum)
			return rows[i].status;
	return NFS3_STATUS_IO;
}

static int directory_openat(const struct directory_export *dir, const char *path, uint64_t flags)
{
	struct open_how how = {
		.flags = flags | O_CLOEXEC | O_NOFOLLOW,
		.resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS | RESOLVE_NO_SYMLINKS |
			   RESOLVE_NO_XDEV,
	};
	long fd = syscall(SYS_openat2, dir->root, path, &how, sizeof(how));

	/* O_PATH with O_NOFOLLOW opens a symbolic link that is the last component;
	 * RESOLVE_NO_SYMLINKS refuses one in the path. */
	return (int)fd;
}

/* The rule at the top of this file; "others", because the caller's identity must not matter. */
static bool directory_is_served(const struct stat *st)
{
	if (S_ISDIR(st->st_mode))
		return (st->st_mode & 05) == 05;
	return (S_ISREG(st->st_mode) && (st->st_mode & 04)) || S_ISLNK(st->st_mode);
}

static bool directory_same_inode(const struct stat *a, const struct stat *b)
{
	return a->st_ino == b->st_ino && a->st_dev == b->st_dev;
}

/* Opens object->path as an O_PATH descriptor and stats it. */
static uint32_t directory_object_open(const struct directory_export *dir,
				      struct directory_object *object)
{
	object->fd = directory_openat(dir, object->path, O_PATH);
	if (object->fd < 0 || fstat(object->fd, &object->st))
		return directory_status(errno);
	return directory_is_served(&object->st) ? NFS3_STATUS_OK : NFS3_STATUS_ACCES;
}

/* Opens the same object for reading. Its type was checked before, so that no device or FIFO is
 * opened; if one replaces it meanwhile, O_NONBLOCK keeps the open from blocking. */
static uint32_t directory_object_reopen(const struct directory_export *dir,
					struct directory_object *object, uint64_t flags)
{
	struct stat before = object->st;

	directory_object_close(object);
	object->fd = directory_openat(dir, object->path, O_RDONLY | O_NONBLOCK | O_NOCTTY | flags);
	if (object->fd < 0 || fstat(object->fd, &object->st))
		return directory_status(errno);
	return directory_same_inode(&before, &object->st) ? NFS3_STATUS_OK : NFS3_STATUS_STALE;
}

/* Finds the object of a handle, unless the handle is stale. */
static uint32_t directory_object_find(struct export *exp, const struct nfs_fh *fh,
				      struct directory_object *object)
{
	struct directory_export *dir = directory_of(exp);
	uint64_t dev, ino;
	uint32_t status;

	status = export_handle_parse(exp, fh, &dev, &ino);
	if (status)
		return status;
	if (dev == dir->root_stat.st_dev && ino == dir->root_stat.st_ino)
		str_copy(object->path, sizeof(object->path), ".");
	else if (path_table_get(dir->paths, dev, ino, object->path, sizeof(object->path)))
		return NFS3_STATUS_STALE;
	status = directory_object_open(dir, object);
	if (status == NFS3_STATUS_NOENT || status == NFS3_STATUS_NOTDIR)
		return NFS3_STATUS_STALE;
	if (!status && (object->st.st_dev != dev || object->st.st_ino != ino))
		return NFS3_STATUS_STALE;
	return status;
}

static struct nfs_time directory_time(const struct timespec *ts)
{
	return (struct nfs_time){ (uint32_t)ts->tv_sec, (uint32_t)ts->tv_nsec };
}

static void directory_attr(const struct stat *st, struct nfs_attr *attr)
{
	*attr = (struct nfs_attr){
		.type = S_ISDIR(st->st_mode)   ? NFS_DIR
			: S_ISLNK(st->st_mode) ? NFS_LNK
					       : NFS_REG,
		.mode = st->st_mode & 07777,
		.nlink = (uint32_t)st->st_nlink,
		.uid = st->st_uid,
		.gid = st->st_gid,
		.size = (uint64_t)st->st_size,
		.used = (uint64_t)st->st_blocks * 512,
		.fsid = st->st_dev,
		.fileid = st->st_ino,
		.atime = directory_time(&st->st_atim),
		.mtime = directory_time(&st->st_mtim),
		.ctime = directory_time(&st->st_ctim),
	};
}

/* The path of an entry of @dir. ".." is resolved textually, as no component is a symbolic link;
 * the root's parent is the root. */
static uint32_t directory_child_path(char path[PATH_MAX], const char *dir, const char *name)
{
	const bool top = !strcmp(dir, ".");
	char *slash;

	if (strcmp(name, ".") && strcmp(name, ".."))
		return snprintf(path, PATH_MAX, "%s%s%s", top ? "" : dir, top ? "" : "/", name) <
				       PATH_MAX
			       ? NFS3_STATUS_OK
			       : NFS3_STATUS_NAMETOOLONG;
	str_copy(path, PATH_MAX, dir);
	if (!strcmp(name, "."))
		return NFS3_STATUS_OK;
	slash = strrchr(path, '/');
	if (slash && slash > path)
		*slash = '\0';
	else
		str_copy(path, PATH_MAX, ".");
	return NFS3_STATUS_OK;
}

static uint32_t directory_handle(struct directory_export *dir, const struct stat *st,
				 const char *path, struct nfs_fh *fh)
{
	export_handle(&dir->exp, st->st_dev, st->st_ino, fh);
	if (directory_same_inode(st, &dir->root_stat))
		return NFS3_STATUS_OK;
	return path_table_put(dir->paths, st->st_dev, st->st_ino, path) ? NFS3_STATUS_JUKEBOX
									: NFS3_STATUS_OK;
}

/* Callbacks */

static uint32_t directory_root(struct export *exp, struct nfs_fh *fh)
{
	struct directory_export *dir = directory_of(exp);

	return directory_handle(dir, &dir->root_stat, ".", fh);
}

static uint32_t directory_getattr(struct export *exp, const struct nfs_fh *fh,
				  struct nfs_attr *attr)
{
	_cleanup_directory_object_ struct directory_object object = { .fd = -1 };
	uint32_t status = directory_object_find(exp, fh, &object);

	if (!status)
		directory_attr(&object.st, attr);
	return status;
}

static uint32_t directory_lookup(struct export *exp, const struct nfs_fh *dir_fh, const char *name,
				 struct nfs_fh *fh)
{
	_cleanup_directory_object_ struct directory_object dir = { .fd = -1 };
	_cleanup_directory_object_ struct directory_object child = { .fd = -1 };
	uint32_t status = directory_object_find(exp, dir_fh, &dir);

	if (status)
		return status;
	if (!S_ISDIR(dir.st.st_mode))
		return NFS3_STATUS_NOTDIR;
	status = directory_child_path(child.path, dir.path, name);
	if (!status)
		status = directory_object_open(directory_of(exp), &child);
	if (!status)
		status = directory_handle(directory_of(exp), &child.st, child.path, fh);
	return status;
}

static uint32_t directory_readlink(struct export *exp, const struct nfs_fh *fh,
				   struct export_read *read)
{
	_cleanup_directory_object_ struct directory_object object = { .fd = -1 };
	uint32_t status = directory_object_find(exp, fh, &object);
	ssize_t n;

	if (status)
		return status;
	if (!S_ISLNK(object.st.st_mode))
		return NFS3_STATUS_INVAL;
	/* The empty path reads the link that the descriptor refers to. */
	n = readlinkat(object.fd, "", (char *)read->scratch, NFS3_PATH_MAX);
	if (n < 0)
		return directory_status(errno);
	read->data = read->scratch;
	read->len = (uint32_t)n;
	return NFS3_STATUS_OK;
}

/* Reads up to @len bytes, fewer only at the end of the file. */
static ssize_t directory_pread(int fd, uint8_t *buf, size_t len, uint64_t offset)
{
	size_t done = 0;
	ssize_t n = 1;

	if (offset > (uint64_t)INT64_MAX - len)
		return 0; /* beyond the largest file offset */
	while (done < len && n > 0) {
		n = pread(fd, buf + done, len - done, (off_t)(offset + done));
		if (n < 0 && errno == EINTR)
			n = 1;
		else if (n < 0)
			return -1;
		else
			done += (size_t)n;
	}
	return (ssize_t)done;
}

static uint32_t directory_read(struct export *exp, const struct nfs_fh *fh,
			       struct export_read *read)
{
	_cleanup_directory_object_ struct directory_object object = { .fd = -1 };
	uint32_t status = directory_object_find(exp, fh, &object);
	ssize_t n;

	if (status)
		return status;
	if (!S_ISREG(object.st.st_mode))
		return S_ISDIR(object.st.st_mode) ? NFS3_STATUS_ISDIR : NFS3_STATUS_INVAL;
	status = directory_object_reopen(directory_of(exp), &object, 0);
	if (status)
		return status;
	n = directory_pread(object.fd, read->scratch, read->count, read->offset);
	if (n < 0)
		return directory_status(errno);
	read->data = read->scratch;
	read->len = (uint32_t)n;
	read->eof = (uint32_t)n < read->count ||
		    read->offset + read->len >= (uint64_t)object.st.st_size;
	return NFS3_STATUS_OK;
}

/* READDIR */

/* Fills in @entry from one directory entry; false: the entry is hidden. */
static bool directory_entry(struct directory_export *dir, const struct directory_object *object,
			    const struct dirent *de, bool handles, struct export_entry *entry)
{
	_cleanup_directory_object_ struct directory_object child = { .fd = -1 };
	int fd = object->fd;
	const char *name = de->d_name;

	/* The root's ".." is hidden. */
	if (!strcmp(name, "..") && directory_same_inode(&object->st, &dir->root_stat))
		name = ".";
	if (fstatat(fd, name, &child.st, AT_SYMLINK_NOFOLLOW) || !directory_is_served(&child.st) ||
	    child.st.st_dev != dir->root_stat.st_dev ||
	    directory_child_path(child.path, object->path, name))
		return false;
	entry->name = de->d_name;
	entry->cookie = (uint64_t)de->d_off;
	directory_attr(&child.st, &entry->attr);
	entry->fh.len = 0;
	return !handles || !directory_handle(dir, &child.st, child.path, &entry->fh);
}

static uint32_t directory_readdir(struct export *exp, const struct nfs_fh *fh,
				  struct export_readdir *readdir_)
{
	_cleanup_directory_object_ struct directory_object object = { .fd = -1 };
	uint32_t status = directory_object_find(exp, fh, &object);
	struct export_entry entry;
	const struct dirent *de;
	DIR *stream;

	if (status)
		return status;
	if (!S_ISDIR(object.st.st_mode))
		return NFS3_STATUS_NOTDIR;
	/* A cookie is the file system's directory position, which is never negative. */
	if (readdir_->cookie > INT64_MAX)
		return NFS3_STATUS_BAD_COOKIE;
	status = directory_object_reopen(directory_of(exp), &object, O_DIRECTORY);
	if (status)
		return status;
	stream = fdopendir(object.fd);
	if (!stream)
		return directory_status(errno);
	if (readdir_->cookie)
		seekdir(stream, (long)readdir_->cookie);
	for (errno = 0; (de = readdir(stream)); errno = 0)
		if (directory_entry(directory_of(exp), &object, de, readdir_->handles, &entry) &&
		    !readdir_->fn(readdir_->arg, &entry))
			break;
	if (!de) {
		readdir_->eof = !errno;
		status = errno ? directory_status(errno) : NFS3_STATUS_OK;
	}
	closedir(stream);
	object.fd = -1; /* closed with the stream */
	return status;
}

static uint32_t directory_space(struct export *exp, struct export_space *space)
{
	struct statvfs st;

	if (fstatvfs(directory_of(exp)->root, &st))
		return directory_status(errno);
	*space = (struct export_space){
		.bytes = (uint64_t)st.f_blocks * st.f_frsize,
		.bytes_free = (uint64_t)st.f_bfree * st.f_frsize,
		.files = st.f_files,
		.files_free = st.f_ffree,
	};
	return NFS3_STATUS_OK;
}

static void directory_free(struct export *exp)
{
	struct directory_export *dir = directory_of(exp);

	if (dir->root >= 0)
		close(dir->root);
	path_table_free(dir->paths);
	free(dir);
}

static const struct export_ops directory_ops = {
	.free = directory_free,
	.root = directory_root,
	.getattr = directory_getattr,
	.lookup = directory_lookup,
	.readlink = directory_readlink,
	.read = directory_read,
	.readdir = directory_readdir,
	.space = directory_space,
};

static int directory_open(struct directory_export *dir, const char *path)
{
	_cleanup_close_ int probe = -1;
	int rc = export_init(&dir->exp, &directory_ops);

	if (rc)
		return rc;
	dir->paths = path_table_new();
	if (!dir->paths)
		return err_no_memory();
	dir->root = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (dir->root < 0 || fstat(dir->root, &dir->root_stat))
		return err_sys("export %s", path);
	if (!directory_is_served(&dir->root_stat))
		return err_set(EACCES,
			       "export %s: others may not read it (its mode is %04o, r-x "
			       "for others is needed)",
			       path, (unsigned int)dir->root_stat.st_mode & 07777);
	/* openat2(2) needs Linux 5.6, and a sandbox may forbid it. There is no safe fallback. */
	probe = directory_openat(dir, ".", O_PATH);
	return probe < 0 ? err_sys("export %s: openat2", path) : 0;
}

int export_directory_new(struct export **out, const char *path)
{
	struct directory_export *dir = calloc(1, sizeof(*dir));
	int rc;

	if (!dir)
		return err_no_memory();
	dir->root = -1;
	rc = directory_open(dir, path);
	if (rc)
		directory_free(&dir->exp);
	else
		*out = &dir->exp;
	return rc;
}
