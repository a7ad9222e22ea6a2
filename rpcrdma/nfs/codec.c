/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Attributes of NFSv3 (RFC 1813 section 2.6) and NFSv4 (RFC 7530 section 5, RFC 8881 section 5).
 * fattr3 is a list of fields. fattr4 is a bitmap of the attributes present, then one opaque with
 * the values in the order of their numbers and nothing between them: a decoder that does not know
 * a number cannot find the next value. One row describes a value for both directions. */
#include <stddef.h>
#include <stdio.h>

#include "rpcrdma/nfs/codec.h"

#define BITMAP_MAX (32 * 1024) /* words, of a client's */

/* How a value is encoded, and which part of the struct it is. */
enum attr_kind {
	ATTR_NONE,
	ATTR_CONST32, /* what our server sends; a client ignores it */
	ATTR_CONST64,
	ATTR_U32,
	ATTR_U64,
	ATTR_TYPE,
	ATTR_CHANGE,  /* made of ctime */
	ATTR_FSID,    /* two numbers in NFSv4 */
	ATTR_ID,      /* a number as text */
	ATTR_TIME3,   /* seconds in 32 bits, */
	ATTR_TIME4,   /* in 64 */
	ATTR_SETTIME, /* only written by clients, and ignored */
	ATTR_BITMAP,
	ATTR_FH,
};

struct attr_row {
	enum attr_kind kind;
	uint32_t at; /* offset */
	uint64_t constant;
};

/* Handles and bitmaps */

void nfs_get_fh(struct reader *r, uint32_t max, struct nfs_fh *fh)
{
	const uint8_t *p = reader_opaque(r, max, &fh->len);

	if (p)
		memcpy(fh->data, p, fh->len);
}

void nfs_put_fh(struct writer *w, const struct nfs_fh *fh)
{
	writer_opaque(w, fh->data, fh->len);
}

static void attr_get_bitmap(struct reader *r, uint32_t max, struct nfs4_bitmap *bitmap)
{
	uint32_t count = reader_u32(r), i;
	const uint8_t *p = NULL;

	*bitmap = (struct nfs4_bitmap){ .beyond = false };
	if (count <= max)
		p = reader_bytes(r, 4 * (size_t)count);
	else
		r->bad = true;
	for (i = 0; p && i < count; i++)
		if (i < NFS4_ATTR_WORDS)
			bitmap->word[i] = get_be32(p + 4 * (size_t)i);
		else
			bitmap->beyond |= get_be32(p + 4 * (size_t)i) != 0;
}

void nfs4_get_bitmap(struct reader *r, struct nfs4_bitmap *bitmap)
{
	attr_get_bitmap(r, BITMAP_MAX, bitmap);
}

void nfs4_put_bitmap(struct writer *w, const struct nfs4_bitmap *bitmap)
{
	uint32_t count = NFS4_ATTR_WORDS, i;

	while (count && !bitmap->word[count - 1])
		count--;
	writer_u32(w, count);
	for (i = 0; i < count; i++)
		writer_u32(w, bitmap->word[i]);
}

bool nfs4_bitmap_has(const struct nfs4_bitmap *bitmap, unsigned int attr)
{
	return bitmap->word[attr / 32] >> attr % 32 & 1;
}

void nfs4_bitmap_add(struct nfs4_bitmap *bitmap, unsigned int attr)
{
	bitmap->word[attr / 32] |= 1u << attr % 32;
}

/* Values */

uint64_t nfs4_change_of(const struct nfs_attr *attr)
{
	return (uint64_t)attr->ctime.sec << 32 | attr->ctime.nsec;
}

/* A number in digits (RFC 7530 section 5.9). False: a name, which is not mapped here. */
static bool attr_get_id(struct reader *r, uint32_t *id)
{
	uint32_t len, i;
	const uint8_t *text = reader_opaque(r, NFS4_OPAQUE_LIMIT, &len);
	uint64_t value = 0;

	for (i = 0; i < len && text[i] >= '0' && text[i] <= '9' && value <= UINT32_MAX; i++)
		value = 10 * value + (text[i] - '0');
	*id = len && i == len ? (uint32_t)min_u64(value, UINT32_MAX) : UINT32_MAX;
	return len && i == len && value <= UINT32_MAX;
}

/* nfstime4 has signed seconds in 64 bits. */
static uint32_t attr_get_seconds(struct reader *r)
{
	int64_t seconds = (int64_t)reader_u64(r);

	return seconds < 0 ? 0 : (uint32_t)min_u64((uint64_t)seconds, UINT32_MAX);
}

static void attr_get(struct reader *r, const struct attr_row *row, void *values)
{
	void *at = (uint8_t *)values + row->at;
	struct nfs_time *time = at;
	uint32_t *u32 = at;
	uint64_t *u64 = at;

	switch (row->kind) {
	case ATTR_NONE: r->bad = true; break;
	case ATTR_CONST32: reader_u32(r); break;
	case ATTR_CHANGE:
	case ATTR_CONST64: reader_u64(r); break;
	case ATTR_U32: *u32 = reader_u32(r); break;
	case ATTR_U64: *u64 = reader_u64(r); break;
	case ATTR_TYPE:
		/* An enum: RFC 4506 section 4.3 makes any other value an error. NFSv4's two
		 * additional types are those of named attributes, which are never opened here. */
		*u32 = reader_u32(r);
		r->bad |= *u32 < NFS_REG || *u32 > NFS_FIFO;
		break;
	case ATTR_FSID:
		*u64 = reader_u64(r);
		*u64 ^= reader_u64(r);
		break;
	case ATTR_ID:
		if (!attr_get_id(r, u32))
			((struct nfs4_attrs *)values)->unmapped = true;
		break;
	case ATTR_TIME3:
	case ATTR_TIME4:
		time->sec = row->kind == ATTR_TIME3 ? reader_u32(r) : attr_get_seconds(r);
		time->nsec = reader_u32(r);
		break;
	case ATTR_SETTIME:
		if (reader_u32(r) == 1) /* SET_TO_CLIENT_TIME4 */
			reader_bytes(r, 12);
		break;
	case ATTR_BITMAP: nfs4_get_bitmap(r, at); break;
	case ATTR_FH: nfs_get_fh(r, NFS4_FHSIZE, at); break;
	}
}

static void attr_put(struct writer *w, const struct attr_row *row, const void *values)
{
	const void *at = (const uint8_t *)values + row->at;
	const struct nfs_time *time = at;
	const uint32_t *u32 = at;
	const uint64_t *u64 = at;
	char id[12];

	switch (row->kind) {
	case ATTR_NONE:
	case ATTR_SETTIME: break;
	case ATTR_CONST32: writer_u32(w, (uint32_t)row->constant); break;
	case ATTR_CONST64: writer_u64(w, row->constant); break;
	case ATTR_TYPE:
	case ATTR_U32: writer_u32(w, *u32); break;
	case ATTR_U64: writer_u64(w, *u64); break;
	case ATTR_CHANGE: writer_u64(w, nfs4_change_of(at)); break;
	case ATTR_FSID:
		writer_u64(w, *u64);
		writer_u64(w, 0);
		break;
	/* Without a domain, which a client with AUTH_SYS reads as a numeric id. */
	case ATTR_ID: writer_opaque(w, id, (uint32_t)snprintf(id, sizeof(id), "%u", *u32)); break;
	case ATTR_TIME3:
	case ATTR_TIME4:
		if (row->kind == ATTR_TIME4)
			writer_u32(w, 0);
		writer_u32(w, time->sec);
		writer_u32(w, time->nsec);
		break;
	case ATTR_BITMAP: nfs4_put_bitmap(w, at); break;
	case ATTR_FH: nfs_put_fh(w, at); break;
	}
}

/* NFSv3 */

#define ROW3(kind_, member_)                                 \
	{                                                    \
		kind_, offsetof(struct nfs_attr, member_), 0 \
	}

static const struct attr_row nfs3_rows[] = {
	ROW3(ATTR_TYPE, type),   ROW3(ATTR_U32, mode),    ROW3(ATTR_U32, nlink),
	ROW3(ATTR_U32, uid),     ROW3(ATTR_U32, gid),     ROW3(ATTR_U64, size),
	ROW3(ATTR_U64, used),    { ATTR_CONST64, 0, 0 }, /* rdev: no devices are served */
	ROW3(ATTR_U64, fsid),    ROW3(ATTR_U64, fileid),  ROW3(ATTR_TIME3, atime),
	ROW3(ATTR_TIME3, mtime), ROW3(ATTR_TIME3, ctime),
};

void nfs3_get_attr(struct reader *r, struct nfs_attr *attr)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(nfs3_rows); i++)
		attr_get(r, &nfs3_rows[i], attr);
}

void nfs3_put_attr(struct writer *w, const struct nfs_attr *attr)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(nfs3_rows); i++)
		attr_put(w, &nfs3_rows[i], attr);
}

/* NFSv4: all mandatory attributes, and those that a Linux client requests for mount, stat and
 * statfs. */

#define ROW4(kind_, member_)                                   \
	{                                                      \
		kind_, offsetof(struct nfs4_attrs, member_), 0 \
	}
#define TRUE4                      \
	{                          \
		ATTR_CONST32, 0, 1 \
	}
#define FALSE4                     \
	{                          \
		ATTR_CONST32, 0, 0 \
	}
#define FIRST_OF_41 56 /* RFC 8881 table 4: lower numbers are from 4.0 */

static const struct attr_row nfs4_rows[32 * NFS4_ATTR_WORDS] = {
	[FATTR4_SUPPORTED_ATTRS] = ROW4(ATTR_BITMAP, supported),
	[FATTR4_TYPE] = ROW4(ATTR_TYPE, attr.type),
	[FATTR4_FH_EXPIRE_TYPE] = { ATTR_CONST32, 0, 0 }, /* FH4_PERSISTENT */
	[FATTR4_CHANGE] = ROW4(ATTR_CHANGE, attr),
	[FATTR4_SIZE] = ROW4(ATTR_U64, attr.size),
	[FATTR4_LINK_SUPPORT] = TRUE4,
	[FATTR4_SYMLINK_SUPPORT] = TRUE4,
	[FATTR4_NAMED_ATTR] = FALSE4,
	[FATTR4_FSID] = ROW4(ATTR_FSID, attr.fsid),
	[FATTR4_UNIQUE_HANDLES] = TRUE4,
	[FATTR4_LEASE_TIME] = ROW4(ATTR_U32, lease_seconds),
	[FATTR4_RDATTR_ERROR] = ROW4(ATTR_U32, rdattr_error),
	[FATTR4_ACLSUPPORT] = { ATTR_CONST32, 0, 0 }, /* none */
	[FATTR4_CASE_INSENSITIVE] = FALSE4,
	[FATTR4_CASE_PRESERVING] = TRUE4,
	[FATTR4_CHOWN_RESTRICTED] = TRUE4,
	[FATTR4_FILEHANDLE] = ROW4(ATTR_FH, fh),
	[FATTR4_FILEID] = ROW4(ATTR_U64, attr.fileid),
	[FATTR4_FILES_AVAIL] = { ATTR_CONST64, 0, 0 }, /* to a writer */
	[FATTR4_FILES_FREE] = ROW4(ATTR_U64, files_free),
	[FATTR4_FILES_TOTAL] = ROW4(ATTR_U64, files_total),
	[FATTR4_HOMOGENEOUS] = TRUE4,
	[FATTR4_MAXFILESIZE] = { ATTR_CONST64, 0, INT64_MAX },
	[FATTR4_MAXLINK] = { ATTR_CONST32, 0, 32000 },
	[FATTR4_MAXNAME] = { ATTR_CONST32, 0, NFS3_NAME_MAX },
	[FATTR4_MAXREAD] = ROW4(ATTR_U64, maxread),
	[FATTR4_MAXWRITE] = ROW4(ATTR_U64, maxwrite),
	[FATTR4_MODE] = ROW4(ATTR_U32, attr.mode),
	[FATTR4_NO_TRUNC] = TRUE4,
	[FATTR4_NUMLINKS] = ROW4(ATTR_U32, attr.nlink),
	[FATTR4_OWNER] = ROW4(ATTR_ID, attr.uid),
	[FATTR4_OWNER_GROUP] = ROW4(ATTR_ID, attr.gid),
	[FATTR4_RAWDEV] = { ATTR_CONST64, 0, 0 }, /* no devices are served */
	[FATTR4_SPACE_AVAIL] = ROW4(ATTR_U64, available),
	[FATTR4_SPACE_FREE] = ROW4(ATTR_U64, space_free),
	[FATTR4_SPACE_TOTAL] = ROW4(ATTR_U64, space_total),
	[FATTR4_SPACE_USED] = ROW4(ATTR_U64, attr.used),
	[FATTR4_TIME_ACCESS] = ROW4(ATTR_TIME4, attr.atime),
	[FATTR4_TIME_ACCESS_SET] = { ATTR_SETTIME, 0, 0 },
	[FATTR4_TIME_DELTA] = ROW4(ATTR_TIME4, time_delta),
	[FATTR4_TIME_METADATA] = ROW4(ATTR_TIME4, attr.ctime),
	[FATTR4_TIME_MODIFY] = ROW4(ATTR_TIME4, attr.mtime),
	[FATTR4_TIME_MODIFY_SET] = { ATTR_SETTIME, 0, 0 },
	[FATTR4_MOUNTED_ON_FILEID] = ROW4(ATTR_U64, attr.fileid),
	[FATTR4_SUPPATTR_EXCLCREAT] = ROW4(ATTR_BITMAP, exclusive),
};

bool nfs4_attr_is_supported(uint32_t minor, unsigned int attr)
{
	return nfs4_rows[attr].kind != ATTR_NONE && nfs4_rows[attr].kind != ATTR_SETTIME &&
	       (minor || attr < FIRST_OF_41);
}

void nfs4_get_values(struct reader *r, const struct nfs4_bitmap *present, struct nfs4_attrs *attrs)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(nfs4_rows); i++)
		if (nfs4_bitmap_has(present, i))
			attr_get(r, &nfs4_rows[i], attrs);
}

void nfs4_put_attrs(struct writer *w, const struct nfs4_attrs *attrs,
		    const struct nfs4_bitmap *present)
{
	unsigned int i;
	uint8_t *len;
	size_t start;

	nfs4_put_bitmap(w, present);
	len = writer_reserve(w, 4);
	start = w->len;
	/* Each value is a multiple of four. */
	for (i = 0; i < ARRAY_SIZE(nfs4_rows); i++)
		if (nfs4_bitmap_has(present, i))
			attr_put(w, &nfs4_rows[i], attrs);
	if (len)
		put_be32(len, (uint32_t)(w->len - start));
}

void nfs4_get_attrs(struct reader *r, const struct nfs4_bitmap *asked, struct nfs4_attrs *attrs)
{
	struct reader values;
	const uint8_t *bytes;
	uint32_t len, i;

	memset(attrs, 0, sizeof(*attrs));
	attr_get_bitmap(r, NFS4_BITMAP_MAX, &attrs->present);
	r->bad |= attrs->present.beyond;
	for (i = 0; i < NFS4_ATTR_WORDS; i++)
		r->bad |= (attrs->present.word[i] & ~asked->word[i]) != 0;
	bytes = reader_opaque(r, UINT32_MAX, &len);
	if (!bytes)
		return;
	reader_init(&values, bytes, len);
	nfs4_get_values(&values, &attrs->present, attrs);
	r->bad |= values.bad || reader_left(&values);
	if (!nfs4_bitmap_has(&attrs->present, FATTR4_SPACE_USED))
		attrs->attr.used = attrs->attr.size;
}
