/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* fattr4 (RFC 7530 section 5, RFC 7531): a bitmap of the attributes present, then one opaque with
 * the values in the order of their numbers and nothing between them. A decoder that does not know
 * a number cannot find the next value, so a server may set only those that were requested. */
#include "rpcrdma/nfs/version-internal.h"

/* An enum: RFC 4506 section 4.3 makes any other value an error. NFSv4's two additional types are
 * those of named attributes, which are never opened here. */
static void nfs4_attr_read_type(struct nfs4_attrs *a, struct reader *r)
{
	a->attr.type = reader_u32(r);
	if (a->attr.type < NFS_REG || a->attr.type > NFS_FIFO)
		r->bad = true;
}

static void nfs4_attr_read_size(struct nfs4_attrs *a, struct reader *r)
{
	a->attr.size = reader_u64(r);
}

static void nfs4_attr_read_fsid(struct nfs4_attrs *a, struct reader *r)
{
	uint64_t major = reader_u64(r);

	a->attr.fsid = major ^ reader_u64(r);
}

static void nfs4_attr_read_lease(struct nfs4_attrs *a, struct reader *r)
{
	a->lease_seconds = reader_u32(r);
}

static void nfs4_attr_read_rdattr_error(struct nfs4_attrs *a, struct reader *r)
{
	a->rdattr_error = reader_u32(r);
}

static void nfs4_attr_read_filehandle(struct nfs4_attrs *a, struct reader *r)
{
	nfs4_fh_read(&a->fh, r);
}

static void nfs4_attr_read_fileid(struct nfs4_attrs *a, struct reader *r)
{
	a->attr.fileid = reader_u64(r);
}

static void nfs4_attr_read_maxread(struct nfs4_attrs *a, struct reader *r)
{
	a->maxread = reader_u64(r);
}

static void nfs4_attr_read_maxwrite(struct nfs4_attrs *a, struct reader *r)
{
	a->maxwrite = reader_u64(r);
}

static void nfs4_attr_read_mode(struct nfs4_attrs *a, struct reader *r)
{
	a->attr.mode = reader_u32(r);
}

static void nfs4_attr_read_numlinks(struct nfs4_attrs *a, struct reader *r)
{
	a->attr.nlink = reader_u32(r);
}

/* A number in digits (RFC 7530 section 5.9), or a name, which is not mapped here. */
static uint32_t nfs4_attr_read_id(struct reader *r)
{
	const uint8_t *text;
	uint64_t id = 0;
	uint32_t len, i;

	text = reader_opaque(r, NFS4_OPAQUE_LIMIT, &len);
	if (!text || len == 0)
		return UINT32_MAX;
	for (i = 0; i < len; i++) {
		if (text[i] < '0' || text[i] > '9' || id > UINT32_MAX)
			return UINT32_MAX;
		id = 10 * id + (text[i] - '0');
	}
	return (uint32_t)min_u64(id, UINT32_MAX);
}

static void nfs4_attr_read_owner(struct nfs4_attrs *a, struct reader *r)
{
	a->attr.uid = nfs4_attr_read_id(r);
}

static void nfs4_attr_read_owner_group(struct nfs4_attrs *a, struct reader *r)
{
	a->attr.gid = nfs4_attr_read_id(r);
}

static void nfs4_attr_read_space_avail(struct nfs4_attrs *a, struct reader *r)
{
	a->available = reader_u64(r);
}

static void nfs4_attr_read_space_used(struct nfs4_attrs *a, struct reader *r)
{
	a->attr.used = reader_u64(r);
}

/* nfstime4 has signed seconds in 64 bits. */
static void nfs4_attr_read_time(struct nfs_time *time, struct reader *r)
{
	int64_t seconds = (int64_t)reader_u64(r);

	time->sec = seconds < 0 ? 0 : (uint32_t)min_u64((uint64_t)seconds, UINT32_MAX);
	time->nsec = reader_u32(r);
}

static void nfs4_attr_read_time_access(struct nfs4_attrs *a, struct reader *r)
{
	nfs4_attr_read_time(&a->attr.atime, r);
}

static void nfs4_attr_read_time_metadata(struct nfs4_attrs *a, struct reader *r)
{
	nfs4_attr_read_time(&a->attr.ctime, r);
}

static void nfs4_attr_read_time_modify(struct nfs4_attrs *a, struct reader *r)
{
	nfs4_attr_read_time(&a->attr.mtime, r);
}

/* In the order of their numbers. */
static const struct {
	enum fattr4 number;
	void (*read)(struct nfs4_attrs *a, struct reader *r);
} nfs4_attr_rows[] = {
	{ FATTR4_TYPE, nfs4_attr_read_type },
	{ FATTR4_SIZE, nfs4_attr_read_size },
	{ FATTR4_FSID, nfs4_attr_read_fsid },
	{ FATTR4_LEASE_TIME, nfs4_attr_read_lease },
	{ FATTR4_RDATTR_ERROR, nfs4_attr_read_rdattr_error },
	{ FATTR4_FILEHANDLE, nfs4_attr_read_filehandle },
	{ FATTR4_FILEID, nfs4_attr_read_fileid },
	{ FATTR4_MAXREAD, nfs4_attr_read_maxread },
	{ FATTR4_MAXWRITE, nfs4_attr_read_maxwrite },
	{ FATTR4_MODE, nfs4_attr_read_mode },
	{ FATTR4_NUMLINKS, nfs4_attr_read_numlinks },
	{ FATTR4_OWNER, nfs4_attr_read_owner },
	{ FATTR4_OWNER_GROUP, nfs4_attr_read_owner_group },
	{ FATTR4_SPACE_AVAIL, nfs4_attr_read_space_avail },
	{ FATTR4_SPACE_USED, nfs4_attr_read_space_used },
	{ FATTR4_TIME_ACCESS, nfs4_attr_read_time_access },
	{ FATTR4_TIME_METADATA, nfs4_attr_read_time_metadata },
	{ FATTR4_TIME_MODIFY, nfs4_attr_read_time_modify },
};

bool nfs4_attrs_has(const struct nfs4_attrs *a, enum fattr4 number)
{
	return a->present[number / 32] >> (number % 32) & 1;
}

/* bitmap4; refuses bits that are not in @asked. */
static void nfs4_attr_read_bitmap(uint32_t present[NFS4_ATTR_WORDS],
				  const uint32_t asked[NFS4_ATTR_WORDS], struct reader *r)
{
	uint32_t count = reader_u32(r), word, i;

	if (count > NFS4_BITMAP_MAX)
		r->bad = true;
	for (i = 0; i < count && !r->bad; i++) {
		word = reader_u32(r);
		if (word & ~(i < NFS4_ATTR_WORDS ? asked[i] : 0))
			r->bad = true;
		else if (i < NFS4_ATTR_WORDS)
			present[i] = word;
	}
}

void nfs4_attrs_read(struct nfs4_attrs *a, const uint32_t asked[NFS4_ATTR_WORDS], struct reader *r)
{
	struct reader values;
	const uint8_t *bytes;
	uint32_t len;
	size_t i;

	memset(a, 0, sizeof(*a));
	nfs4_attr_read_bitmap(a->present, asked, r);
	bytes = reader_opaque(r, UINT32_MAX, &len);
	if (!bytes)
		return;
	reader_init(&values, bytes, len);
	for (i = 0; i < ARRAY_SIZE(nfs4_attr_rows); i++)
		if (nfs4_attrs_has(a, nfs4_attr_rows[i].number))
			nfs4_attr_rows[i].read(a, &values);
	if (values.bad || reader_left(&values))
		r->bad = true;
	if (!nfs4_attrs_has(a, FATTR4_SPACE_USED))
		a->attr.used = a->attr.size;
}
