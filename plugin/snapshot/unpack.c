/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* An archive for --root: a snapshot as it came. Its bytes are of a stranger, so libarchive reads them in a child
 * that can neither write nor open anything, and sends the entries; this process checks their names and writes
 * them below a new folder that only its user may enter. */
#include <archive.h>
#include <archive_entry.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "plugin/snapshot/internal.h"
#include "rpcrdma/child/child.h"

#define ENTRIES_MAX 20000
#define BYTES_MAX   ((uint64_t)512 * 1024 * 1024)
#define PIECE_MAX   16384
#define DEPTH_FDS   16

struct unpack_end {
	int rc;
	char why[ERR_TEXT_MAX];
};

/* --- the child --------------------------------------------------------------------------------- */

static int unpack_error(struct archive *archive)
{
	const char *text = archive_error_string(archive);

	return err_set(EBADMSG, "%s", text ? text : "no archive");
}

static int unpack_send_data(struct archive *archive, int channel)
{
	char piece[PIECE_MAX];
	la_ssize_t n;
	int rc = 0;

	while (!rc && (n = archive_read_data(archive, piece, sizeof(piece))) > 0)
		rc = channel_send(channel, UNPACK_DATA, piece, (size_t)n, -1);
	return rc ? rc : n < 0 ? unpack_error(archive) : 0;
}

static int unpack_send_entry(struct archive *archive, struct archive_entry *entry, int channel)
{
	const char *path = archive_entry_pathname(entry);
	const char *target = archive_entry_symlink(entry);
	char body[2 * HOST_PATH_MAX];
	size_t len = path ? strlen(path) + 1 : 0;
	int rc;

	if (!path || len > HOST_PATH_MAX)
		return err_set(EBADMSG, "an entry has no name, or too long a one");
	memcpy(body, path, len);
	switch (archive_entry_filetype(entry)) {
	case AE_IFDIR: return channel_send(channel, UNPACK_FOLDER, body, len, -1);
	case AE_IFLNK:
		if (!target || strlen(target) >= HOST_PATH_MAX)
			break;
		memcpy(body + len, target, strlen(target) + 1);
		return channel_send(channel, UNPACK_LINK, body, len + strlen(target) + 1, -1);
	case AE_IFREG:
		if (archive_entry_hardlink(entry))
			break;
		rc = channel_send(channel, UNPACK_FILE, body, len, -1);
		return rc ? rc : unpack_send_data(archive, channel);
	default: break;
	}
	return err_set(EBADMSG, "%.200s is no file, folder or symbolic link", path);
}

static int unpack_send_all(struct archive *archive, int fd, int channel)
{
	struct archive_entry *entry;
	int rc;

	if (!archive || archive_read_support_filter_gzip(archive) != ARCHIVE_OK ||
	    archive_read_support_format_tar(archive) != ARCHIVE_OK)
		return err_no_memory();
	if (archive_read_open_fd(archive, fd, 65536) != ARCHIVE_OK)
		return unpack_error(archive);
	while ((rc = archive_read_next_header(archive, &entry)) == ARCHIVE_OK) {
		rc = unpack_send_entry(archive, entry, channel);
		if (rc)
			return rc;
	}
	return rc == ARCHIVE_EOF ? 0 : unpack_error(archive);
}

static int unpack_run(void *arg, int channel)
{
	struct archive *archive = archive_read_new();
	struct unpack_end end = { .rc = unpack_send_all(archive, *(int *)arg, channel) };

	if (end.rc)
		str_copy(end.why, sizeof(end.why), err_text());
	archive_read_free(archive);
	return channel_send(channel, CHANNEL_ANSWER, &end, sizeof(end), -1) ? 1 : 0;
}

/* --- the folder -------------------------------------------------------------------------------- */

/* No way leads out: no "..", nothing absolute, and no link is followed. */
static bool unpack_is_inside(const char *path)
{
	size_t len;

	if (*path == '/')
		return false;
	for (; *path; path += len + (path[len] == '/')) {
		len = strcspn(path, "/");
		if (len > NAME_MAX || (len == 2 && !strncmp(path, "..", 2)))
			return false;
	}
	return true;
}

static void unpack_note_top(struct unpacked *to, const char *path)
{
	char top[NAME_MAX + 1];

	snprintf(top, sizeof(top), "%.*s", (int)strcspn(path, "/"), path);
	if (to->any && strcmp(to->first, top) != 0)
		*to->first = '\0';
	else
		str_copy(to->first, sizeof(to->first), top);
	to->any = true;
}

/* Opens a folder, which it makes if it has to; closes @at. */
static int unpack_open_folder(int at, const char *name)
{
	int fd = -1, rc = 0;

	if (!mkdirat(at, name, 0700) || errno == EEXIST)
		fd = openat(at, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		rc = err_sys("make the folder %.200s", name);
	close(at);
	return fd < 0 ? rc : fd;
}

/* Opens the folder of the last component, which is *@name then. */
static int unpack_open_parent(struct unpacked *to, char *path, char **name)
{
	int fd = openat(to->fd, ".", O_PATH | O_DIRECTORY | O_CLOEXEC);
	char *slash;

	if (fd < 0)
		return err_sys("open the folder");
	for (; fd >= 0 && (slash = strchr(path, '/')); path = slash + 1) {
		*slash = '\0';
		if (*path && strcmp(path, ".") != 0)
			fd = unpack_open_folder(fd, path);
	}
	*name = path;
	return fd;
}

static int unpack_add(struct unpacked *to, int type, char *path, const char *target)
{
	_cleanup_close_ int fd = -1;
	char *name = path;
	int rc = 0;

	if (to->file >= 0)
		close(to->file);
	to->file = -1;
	while (!strncmp(path, "./", 2))
		path += 2 + strspn(path + 2, "/");
	if (!unpack_is_inside(path))
		return err_set(EBADMSG, "%.200s leads out of the archive", path);
	if (++to->entries > ENTRIES_MAX)
		return err_set(EFBIG, "it has more than %d entries", ENTRIES_MAX);
	if (!*path || !strcmp(path, "."))
		return 0;
	unpack_note_top(to, path);
	fd = unpack_open_parent(to, path, &name);
	if (fd < 0)
		return fd;
	if (!*name)
		return 0;
	if (type == UNPACK_FOLDER)
		rc = mkdirat(fd, name, 0700) && errno != EEXIST;
	else if (type == UNPACK_LINK)
		rc = symlinkat(target, fd, name);
	else
		to->file = openat(fd, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
				  0600);
	return rc || (type == UNPACK_FILE && to->file < 0) ? err_sys("write %.200s", name) : 0;
}

static int unpack_take(struct unpacked *to, int type, char *body, size_t len)
{
	size_t first = len ? strnlen(body, len) + 1 : 1;

	switch (type) {
	case UNPACK_FOLDER:
	case UNPACK_FILE: return first == len ? unpack_add(to, type, body, NULL) : -EPROTO;
	case UNPACK_LINK:
		if (first >= len || first + strnlen(body + first, len - first) + 1 != len)
			return -EPROTO;
		return unpack_add(to, type, body, body + first);
	case UNPACK_DATA:
		to->bytes += len;
		if (to->bytes > BYTES_MAX)
			return err_set(EFBIG, "it has more than %llu MiB",
				       (unsigned long long)(BYTES_MAX >> 20));
		if (to->file < 0)
			return -EPROTO;
		return fd_write_all(to->file, body, len) ? err_sys("unpack it") : 0;
	default: return -EPROTO;
	}
}

int unpack_receive(const struct child *child, struct unpacked *to, uint64_t deadline)
{
	union {
		char bytes[2 * HOST_PATH_MAX > PIECE_MAX ? 2 * HOST_PATH_MAX : PIECE_MAX];
		struct unpack_end end;
	} body;
	ssize_t len;
	int type, rc = 0;

	while (!rc) {
		len = child_receive(child, &type, &body, sizeof(body), deadline);
		if (len < 0)
			return (int)len;
		if (type == CHANNEL_ANSWER && len == sizeof(body.end)) {
			body.end.why[sizeof(body.end.why) - 1] = '\0';
			return body.end.rc ? err_set(EBADMSG, "%s", body.end.why) : 0;
		}
		rc = type == CHANNEL_FAILED
			     ? err_set(EIO, "the process that unpacks it did not start")
			     : unpack_take(to, type, body.bytes, (size_t)len);
		if (rc == -EPROTO)
			err_set(EPROTO, "the process that unpacks it sent nonsense");
	}
	return rc;
}

static int unpack_into(int file, struct unpacked *to, uint64_t deadline)
{
	const struct child_function function = { .kind = CHILD_PARSER,
						 .name = "the process that unpacks",
						 .run = unpack_run,
						 .arg = &file,
						 .keep = &file,
						 .nkeep = 1 };
	struct child child = CHILD_NONE;
	int rc = child_start(&child, &function);

	if (!rc)
		rc = unpack_receive(&child, to, deadline);
	child_finish(&child, rc ? 0 : deadline, NULL);
	if (to->file >= 0)
		close(to->file);
	return rc;
}

int snapshot_unpack(const char *path, uint64_t deadline, struct snapshot_unpacked *out)
{
	_cleanup_close_ int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	const char *folder = getenv("TMPDIR");
	struct unpacked to = { .fd = -1, .file = -1 };
	struct stat top;
	int rc;

	*out = (struct snapshot_unpacked){ .folder = "" };
	if (file < 0)
		return err_sys("open %s", path);
	snprintf(out->folder, sizeof(out->folder), "%.200s/nfsrdma-XXXXXX",
		 folder && *folder == '/' ? folder : "/tmp");
	if (!mkdtemp(out->folder)) {
		rc = err_sys("make a folder to unpack %s", path);
		*out->folder = '\0';
		return rc;
	}
	to.fd = open(out->folder, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	rc = to.fd < 0 ? err_sys("open %s", out->folder) : unpack_into(file, &to, deadline);
	if (!rc && !to.any)
		rc = err_set(EBADMSG, "it is empty");
	/* A snapshot has one folder; an archive may be of a root's content. A link leads out of it. */
	if (to.fd < 0 || fstatat(to.fd, to.first, &top, AT_SYMLINK_NOFOLLOW) ||
	    !S_ISDIR(top.st_mode))
		*to.first = '\0';
	if (to.fd >= 0)
		close(to.fd);
	snprintf(out->root, sizeof(out->root), "%s/%s", out->folder, to.first);
	if (!rc)
		return 0;
	err_context(rc, "%s", path);
	snapshot_unpacked_remove(out);
	return rc;
}

static int unpack_remove_one(const char *path, const struct stat *status, int type,
			     struct FTW *walk)
{
	(void)status, (void)type, (void)walk;
	remove(path);
	return 0;
}

void snapshot_unpacked_remove(struct snapshot_unpacked *unpacked)
{
	if (*unpacked->folder)
		nftw(unpacked->folder, unpack_remove_one, DEPTH_FDS,
		     FTW_DEPTH | FTW_PHYS | FTW_MOUNT);
	*unpacked->folder = '\0';
}
