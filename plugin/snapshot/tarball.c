/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The archive of a snapshot, by libarchive: gzipped, in the format of GNU tar, which does not limit names and
 * targets of links; sysfs has long ones. Every entry is owned by root, has the archive's time, and is readable
 * by the user who unpacks it. */
#include <archive.h>
#include <archive_entry.h>

#include "plugin/snapshot/internal.h"

struct tarball {
	struct archive *archive;
	struct archive_entry *entry;
	time_t mtime;
};

static int tarball_error(const struct tarball *tarball)
{
	const char *text = archive_error_string(tarball->archive);

	errno = archive_errno(tarball->archive);
	return errno > 0 ? err_sys("write the archive")
			 : err_set(EIO, "write the archive: %s", text ? text : "");
}

static int tarball_put(struct tarball *tarball, const char *path, mode_t mode, const char *target,
		       const void *bytes, size_t len)
{
	struct archive_entry *entry = archive_entry_clear(tarball->entry);

	archive_entry_set_pathname(entry, path);
	archive_entry_set_mode(entry, mode);
	archive_entry_set_uname(entry, "root");
	archive_entry_set_gname(entry, "root");
	archive_entry_set_mtime(entry, tarball->mtime, 0);
	archive_entry_set_size(entry, (la_int64_t)len);
	if (target)
		archive_entry_set_symlink(entry, target);
	if (archive_write_header(tarball->archive, entry) != ARCHIVE_OK ||
	    archive_write_data(tarball->archive, bytes, len) != (la_ssize_t)len)
		return tarball_error(tarball);
	return 0;
}

int tarball_open(struct tarball **out, int fd, time_t mtime)
{
	_cleanup_(tarball_close_p) struct tarball *tarball = calloc(1, sizeof(*tarball));

	if (!tarball)
		return err_no_memory();
	tarball->archive = archive_write_new();
	tarball->entry = archive_entry_new();
	tarball->mtime = mtime;
	if (!tarball->archive || !tarball->entry)
		return err_no_memory();
	if (archive_write_add_filter_gzip(tarball->archive) != ARCHIVE_OK ||
	    archive_write_set_format_gnutar(tarball->archive) != ARCHIVE_OK ||
	    archive_write_open_fd(tarball->archive, fd) != ARCHIVE_OK)
		return tarball_error(tarball);
	*out = take_ptr(tarball);
	return 0;
}

int tarball_folder(struct tarball *tarball, const char *path)
{
	return tarball_put(tarball, path, S_IFDIR | 0755, NULL, "", 0);
}

int tarball_link(struct tarball *tarball, const char *path, const char *target)
{
	return tarball_put(tarball, path, S_IFLNK | 0644, target, "", 0);
}

int tarball_file(struct tarball *tarball, const char *path, const void *bytes, size_t len)
{
	return tarball_put(tarball, path, S_IFREG | 0644, NULL, bytes, len);
}

int tarball_end(struct tarball *tarball)
{
	return archive_write_close(tarball->archive) == ARCHIVE_OK ? 0 : tarball_error(tarball);
}

void tarball_close_p(struct tarball **tarball)
{
	if (!*tarball)
		return;
	/* Not the rest, if something failed. */
	if ((*tarball)->archive)
		archive_write_fail((*tarball)->archive);
	archive_write_free((*tarball)->archive);
	archive_entry_free((*tarball)->entry);
	free(*tarball);
	*tarball = NULL;
}
