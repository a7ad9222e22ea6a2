/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* A gzipped tar archive in the format of GNU tar ("Basic Tar Format" in its manual): an
 * entry is a header of 512 bytes and its content, padded to a multiple of 512; a name or
 * link target of more than 100 bytes precedes it as the content of a separate entry.
 * sysfs has such targets. GNU tar, libarchive, busybox and Python read this format. Every
 * entry is owned by root, has the archive's time, and is readable by the user who unpacks
 * it. */
#include <stdio.h>

#include <zlib.h>

#include "plugin/snapshot/internal.h"

#define BLOCK 512

struct archive_header {
	char name[100];
	char mode[8], uid[8], gid[8];
	char size[12], mtime[12];
	char chksum[8];
	char typeflag;
	char linkname[100];
	char magic[8]; /* with the version */
	char uname[32], gname[32];
	char rest[183];
};

_Static_assert(sizeof(struct archive_header) == BLOCK, "a header of tar has 512 bytes");

enum archive_type {
	TYPE_FILE = '0',
	TYPE_LINK = '2',
	TYPE_FOLDER = '5',
	TYPE_TARGET = 'K',
	TYPE_NAME = 'L'
};

struct archive {
	int fd;
	uint64_t mtime;
	z_stream stream;
	uint8_t packed[65536];
};

/* @flush: Z_NO_FLUSH, or Z_FINISH for the last call. */
static int archive_put(struct archive *archive, const void *bytes, size_t len, int flush)
{
	z_stream *stream = &archive->stream;
	int state;

	stream->next_in = (Bytef *)bytes;
	stream->avail_in = (uInt)len;
	do {
		stream->next_out = archive->packed;
		stream->avail_out = sizeof(archive->packed);
		state = deflate(stream, flush);
		if (fd_write_all(archive->fd, archive->packed,
				 sizeof(archive->packed) - stream->avail_out))
			return err_sys("write the archive");
	} while (flush == Z_FINISH ? state != Z_STREAM_END : !stream->avail_out);
	return 0;
}

/* zlib counts bytes in 32 bits. */
static int archive_put_content(struct archive *archive, const void *bytes, size_t len)
{
	static const uint8_t zeros[BLOCK];
	size_t fill = (BLOCK - len % BLOCK) % BLOCK;
	int rc;

	if (len > UINT32_MAX)
		return err_set(EFBIG, "a file of the archive has more than 4 GiB");
	rc = len ? archive_put(archive, bytes, len, Z_NO_FLUSH) : 0;
	return rc || !fill ? rc : archive_put(archive, zeros, fill, Z_NO_FLUSH);
}

/* Writes octal digits and a final NUL. */
static void archive_put_octal(char *field, size_t size, uint64_t value)
{
	for (field[--size] = '\0'; size--; value >>= 3)
		field[size] = (char)('0' + (value & 7));
}

static int archive_put_header(struct archive *archive, enum archive_type type,
			      const char *name, const char *target, size_t len)
{
	struct archive_header header;
	const uint8_t *bytes = (const uint8_t *)&header;
	unsigned int sum = 0;
	size_t i;

	memset(&header, 0, sizeof(header));
	/* Long ones are truncated, without a NUL. */
	memcpy(header.name, name, strnlen(name, sizeof(header.name)));
	memcpy(header.linkname, target, strnlen(target, sizeof(header.linkname)));
	archive_put_octal(header.mode, sizeof(header.mode),
			  type == TYPE_FOLDER ? 0755 : 0644);
	archive_put_octal(header.uid, sizeof(header.uid), 0);
	archive_put_octal(header.gid, sizeof(header.gid), 0);
	archive_put_octal(header.size, sizeof(header.size), len);
	archive_put_octal(header.mtime, sizeof(header.mtime), archive->mtime);
	header.typeflag = (char)type;
	memcpy(header.magic, "ustar  ", sizeof(header.magic));
	str_copy(header.uname, sizeof(header.uname), "root");
	str_copy(header.gname, sizeof(header.gname), "root");
	/* The sum of all bytes, with blanks for the checksum itself. */
	memset(header.chksum, ' ', sizeof(header.chksum));
	for (i = 0; i < sizeof(header); i++)
		sum += bytes[i];
	archive_put_octal(header.chksum, sizeof(header.chksum) - 1, sum);
	return archive_put(archive, &header, sizeof(header), Z_NO_FLUSH);
}

/* Precedes an entry whose name or target does not fit in its header. */
static int archive_put_long(struct archive *archive, enum archive_type type,
			    const char *text)
{
	size_t len = strlen(text);
	int rc;

	if (len <= 100)
		return 0;
	rc = archive_put_header(archive, type, "././@LongLink", "", len + 1);
	return rc ? rc : archive_put_content(archive, text, len + 1);
}

static int archive_put_entry(struct archive *archive, enum archive_type type,
			     const char *name, const char *target, size_t len)
{
	int rc = archive_put_long(archive, TYPE_TARGET, target);

	if (!rc)
		rc = archive_put_long(archive, TYPE_NAME, name);
	return rc ? rc : archive_put_header(archive, type, name, target, len);
}

int archive_open(struct archive **out, int fd, uint64_t mtime)
{
	struct archive *archive = calloc(1, sizeof(*archive));

	/* 16: with gzip's header; 8: default memory level. */
	if (!archive || deflateInit2(&archive->stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED,
				     16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY) != Z_OK) {
		free(archive);
		return err_no_memory();
	}
	archive->fd = fd;
	archive->mtime = mtime;
	*out = archive;
	return 0;
}

int archive_folder(struct archive *archive, const char *path)
{
	char name[HOST_PATH_MAX * 2];

	snprintf(name, sizeof(name), "%s/", path);
	return archive_put_entry(archive, TYPE_FOLDER, name, "", 0);
}

int archive_link(struct archive *archive, const char *path, const char *target)
{
	return archive_put_entry(archive, TYPE_LINK, path, target, 0);
}

int archive_file(struct archive *archive, const char *path, const void *bytes, size_t len)
{
	int rc = archive_put_entry(archive, TYPE_FILE, path, "", len);

	return rc ? rc : archive_put_content(archive, bytes, len);
}

/* Two empty blocks, then padding to a record of twenty blocks: GNU tar warns otherwise. */
int archive_end(struct archive *archive)
{
	static const uint8_t zeros[20 * BLOCK];
	size_t used = archive->stream.total_in % sizeof(zeros);
	size_t left = sizeof(zeros) - used;

	if (left < (size_t)2 * BLOCK) {
		int rc = archive_put(archive, zeros, left, Z_NO_FLUSH);

		if (rc)
			return rc;
		left = sizeof(zeros);
	}
	return archive_put(archive, zeros, left, Z_FINISH);
}

void archive_close_p(struct archive **archive)
{
	if (!*archive)
		return;
	deflateEnd(&(*archive)->stream);
	free(*archive);
	*archive = NULL;
}
