/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Attributes, RFC 7530 section 5, RFC 8881 section 5: one row for each supported attribute, in
 * numerical order, which is the encoding order. All mandatory attributes are supported, and those
 * that a Linux client requests for mount, stat and statfs. */
#include <stdio.h>

#include "rpcrdma/server/nfs4-internal.h"

#define LINK_MAX_ 32000

typedef void (*fattr4_put_fn)(struct writer *w, const struct nfs4_attr_source *s);

/* Bitmaps */

void nfs4_get_bitmap(struct reader *r, struct nfs4_bitmap *bitmap)
{
	uint32_t count = reader_u32(r), i;
	const uint8_t *p = NULL;

	*bitmap = (struct nfs4_bitmap){ .beyond = false };
	if (count <= SERVER_CALL_MAX / 4)
		p = reader_bytes(r, 4 * (size_t)count);
	else
		r->bad = true;
	for (i = 0; p && i < count; i++)
		if (i < NFS4_ATTR_WORDS)
			bitmap->word[i] = get_be32(p + 4 * (size_t)i);
		else
			bitmap->beyond |= get_be32(p + 4 * (size_t)i) != 0;
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

static void nfs4_bitmap_add(struct nfs4_bitmap *bitmap, unsigned int attr)
{
	bitmap->word[attr / 32] |= 1u << attr % 32;
}

/* Values */

uint64_t nfs4_change_of(const struct nfs_attr *attr)
{
	return (uint64_t)attr->ctime.sec << 32 | attr->ctime.nsec;
}

static void fattr4_put_true(struct writer *w, const struct nfs4_attr_source *s)
{
	(void)s;
	writer_bool(w, true);
}

/* 0 as well: FH4_PERSISTENT; no ACLs; rdattr_error NFS4_OK */
static void fattr4_put_false(struct writer *w, const struct nfs4_attr_source *s)
{
	(void)s;
	writer_u32(w, 0);
}

static void fattr4_put_zero64(struct writer *w, const struct nfs4_attr_source *s)
{
	(void)s;
	writer_u64(w, 0);
}

static void fattr4_put_supported_attrs(struct writer *w, const struct nfs4_attr_source *s);

static void fattr4_put_type(struct writer *w, const struct nfs4_attr_source *s)
{
	writer_u32(w, s->attr.type);
}

static void fattr4_put_change(struct writer *w, const struct nfs4_attr_source *s)
{
	writer_u64(w, nfs4_change_of(&s->attr));
}

static void fattr4_put_size(struct writer *w, const struct nfs4_attr_source *s)
{
	writer_u64(w, s->attr.size);
}

static void fattr4_put_fsid(struct writer *w, const struct nfs4_attr_source *s)
{
	writer_u64(w, s->attr.fsid);
	writer_u64(w, 0);
}

static void fattr4_put_lease_time(struct writer *w, const struct nfs4_attr_source *s)
{
	(void)s;
	writer_u32(w, NFS4_LEASE_SECONDS);
}

static void fattr4_put_filehandle(struct writer *w, const struct nfs4_attr_source *s)
{
	writer_opaque(w, s->fh.data, s->fh.len);
}

static void fattr4_put_fileid(struct writer *w, const struct nfs4_attr_source *s)
{
	writer_u64(w, s->attr.fileid);
}

static void fattr4_put_files_free(struct writer *w, const struct nfs4_attr_source *s)
{
	writer_u64(w, s->space.files_free);
}

static void fattr4_put_files_total(struct writer *w, const struct nfs4_attr_source *s)
{
	writer_u64(w, s->space.files);
}

static void fattr4_put_maxfilesize(struct writer *w, const struct nfs4_attr_source *s)
{
	(void)s;
	writer_u64(w, INT64_MAX);
}

static void fattr4_put_maxlink(struct writer *w, const struct nfs4_attr_source *s)
{
	(void)s;
	writer_u32(w, LINK_MAX_);
}

static void fattr4_put_maxname(struct writer *w, const struct nfs4_attr_source *s)
{
	(void)s;
	writer_u32(w, NFS3_NAME_MAX);
}

static void fattr4_put_maxread(struct writer *w, const struct nfs4_attr_source *s)
{
	writer_u64(w, s->c->call->rtmax);
}

static void fattr4_put_maxwrite(struct writer *w, const struct nfs4_attr_source *s)
{
	writer_u64(w, server_wtmax(s->c->call->exp));
}

static void fattr4_put_mode(struct writer *w, const struct nfs4_attr_source *s)
{
	writer_u32(w, s->attr.mode);
}

static void fattr4_put_numlinks(struct writer *w, const struct nfs4_attr_source *s)
{
	writer_u32(w, s->attr.nlink);
}

/* The number as a string without a domain, which a client with AUTH_SYS reads as a numeric id
 * (RFC 7530 section 5.9). */
static void fattr4_put_id(struct writer *w, uint32_t id)
{
	char text[12];

	writer_opaque(w, text, (uint32_t)snprintf(text, sizeof(text), "%u", id));
}

static void fattr4_put_owner(struct writer *w, const struct nfs4_attr_source *s)
{
	fattr4_put_id(w, s->attr.uid);
}

static void fattr4_put_owner_group(struct writer *w, const struct nfs4_attr_source *s)
{
	fattr4_put_id(w, s->attr.gid);
}

/* To a writer */
static void fattr4_put_space_avail(struct writer *w, const struct nfs4_attr_source *s)
{
	writer_u64(w, export_is_writable(s->c->call->exp) ? s->space.bytes_free : 0);
}

static void fattr4_put_space_free(struct writer *w, const struct nfs4_attr_source *s)
{
	writer_u64(w, s->space.bytes_free);
}

static void fattr4_put_space_total(struct writer *w, const struct nfs4_attr_source *s)
{
	writer_u64(w, s->space.bytes);
}

static void fattr4_put_space_used(struct writer *w, const struct nfs4_attr_source *s)
{
	writer_u64(w, s->attr.used);
}

static void fattr4_put_time(struct writer *w, const struct nfs_time *time)
{
	writer_u64(w, time->sec);
	writer_u32(w, time->nsec);
}

static void fattr4_put_time_access(struct writer *w, const struct nfs4_attr_source *s)
{
	fattr4_put_time(w, &s->attr.atime);
}

static void fattr4_put_time_modify(struct writer *w, const struct nfs4_attr_source *s)
{
	fattr4_put_time(w, &s->attr.mtime);
}

static void fattr4_put_time_metadata(struct writer *w, const struct nfs4_attr_source *s)
{
	fattr4_put_time(w, &s->attr.ctime);
}

static void fattr4_put_time_delta(struct writer *w, const struct nfs4_attr_source *s)
{
	(void)s;
	fattr4_put_time(w, &(struct nfs_time){ .nsec = 1 });
}

/* Which attributes EXCLUSIVE4_1 can set. */
static void fattr4_put_suppattr_exclcreat(struct writer *w, const struct nfs4_attr_source *s)
{
	struct nfs4_bitmap set = { .beyond = false };

	if (export_is_writable(s->c->call->exp))
		nfs4_bitmap_add(&set, FATTR4_MODE);
	nfs4_put_bitmap(w, &set);
}

/* The table */

static const fattr4_put_fn fattr4_table[32 * NFS4_ATTR_WORDS] = {
	[FATTR4_SUPPORTED_ATTRS] = fattr4_put_supported_attrs,
	[FATTR4_TYPE] = fattr4_put_type,
	[FATTR4_FH_EXPIRE_TYPE] = fattr4_put_false,
	[FATTR4_CHANGE] = fattr4_put_change,
	[FATTR4_SIZE] = fattr4_put_size,
	[FATTR4_LINK_SUPPORT] = fattr4_put_true,
	[FATTR4_SYMLINK_SUPPORT] = fattr4_put_true,
	[FATTR4_NAMED_ATTR] = fattr4_put_false,
	[FATTR4_FSID] = fattr4_put_fsid,
	[FATTR4_UNIQUE_HANDLES] = fattr4_put_true,
	[FATTR4_LEASE_TIME] = fattr4_put_lease_time,
	[FATTR4_RDATTR_ERROR] = fattr4_put_false,
	[FATTR4_ACLSUPPORT] = fattr4_put_false,
	[FATTR4_CASE_INSENSITIVE] = fattr4_put_false,
	[FATTR4_CASE_PRESERVING] = fattr4_put_true,
	[FATTR4_CHOWN_RESTRICTED] = fattr4_put_true,
	[FATTR4_FILEHANDLE] = fattr4_put_filehandle,
	[FATTR4_FILEID] = fattr4_put_fileid,
	[FATTR4_FILES_AVAIL] = fattr4_put_zero64, /* to a writer */
	[FATTR4_FILES_FREE] = fattr4_put_files_free,
	[FATTR4_FILES_TOTAL] = fattr4_put_files_total,
	[FATTR4_HOMOGENEOUS] = fattr4_put_true,
	[FATTR4_MAXFILESIZE] = fattr4_put_maxfilesize,
	[FATTR4_MAXLINK] = fattr4_put_maxlink,
	[FATTR4_MAXNAME] = fattr4_put_maxname,
	[FATTR4_MAXREAD] = fattr4_put_maxread,
	[FATTR4_MAXWRITE] = fattr4_put_maxwrite,
	[FATTR4_MODE] = fattr4_put_mode,
	[FATTR4_NO_TRUNC] = fattr4_put_true,
	[FATTR4_NUMLINKS] = fattr4_put_numlinks,
	[FATTR4_OWNER] = fattr4_put_owner,
	[FATTR4_OWNER_GROUP] = fattr4_put_owner_group,
	[FATTR4_RAWDEV] = fattr4_put_zero64, /* no devices are served */
	[FATTR4_SPACE_AVAIL] = fattr4_put_space_avail,
	[FATTR4_SPACE_FREE] = fattr4_put_space_free,
	[FATTR4_SPACE_TOTAL] = fattr4_put_space_total,
	[FATTR4_SPACE_USED] = fattr4_put_space_used,
	[FATTR4_TIME_ACCESS] = fattr4_put_time_access,
	[FATTR4_TIME_DELTA] = fattr4_put_time_delta,
	[FATTR4_TIME_METADATA] = fattr4_put_time_metadata,
	[FATTR4_TIME_MODIFY] = fattr4_put_time_modify,
	[FATTR4_MOUNTED_ON_FILEID] = fattr4_put_fileid,
	[FATTR4_SUPPATTR_EXCLCREAT] = fattr4_put_suppattr_exclcreat,
};

#define FIRST_OF_41 56 /* RFC 8881 table 4: lower numbers are from 4.0 */

bool nfs4_attr_is_supported(uint32_t minor, unsigned int attr)
{
	return fattr4_table[attr] && (minor || attr < FIRST_OF_41);
}

static void fattr4_put_supported_attrs(struct writer *w, const struct nfs4_attr_source *s)
{
	struct nfs4_bitmap all = { .beyond = false };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(fattr4_table); i++)
		if (nfs4_attr_is_supported(s->c->minor, i))
			nfs4_bitmap_add(&all, i);
	nfs4_put_bitmap(w, &all);
}

void nfs4_put_attrs(struct writer *w, const struct nfs4_attr_source *source,
		    const struct nfs4_bitmap *wanted)
{
	struct nfs4_bitmap have = { .beyond = false };
	unsigned int i;
	uint8_t *len;
	size_t start;

	for (i = 0; i < ARRAY_SIZE(fattr4_table); i++)
		if (nfs4_bitmap_has(wanted, i) && nfs4_attr_is_supported(source->c->minor, i))
			nfs4_bitmap_add(&have, i);
	nfs4_put_bitmap(w, &have);
	len = writer_reserve(w, 4);
	start = w->len;
	/* Each value is a multiple of four. */
	for (i = 0; i < ARRAY_SIZE(fattr4_table); i++)
		if (nfs4_bitmap_has(&have, i))
			fattr4_table[i](w, source);
	if (len)
		put_be32(len, (uint32_t)(w->len - start));
}

uint32_t nfs4_check_wanted(const struct nfs4_bitmap *wanted)
{
	return nfs4_bitmap_has(wanted, FATTR4_TIME_ACCESS_SET) ||
			       nfs4_bitmap_has(wanted, FATTR4_TIME_MODIFY_SET)
		       ? NFS4ERR_INVAL
		       : NFS4_OK;
}

/* Operations */

static uint32_t fattr4_source(const struct compound *c, struct nfs4_attr_source *source)
{
	const struct call *call = c->call;

	*source = (struct nfs4_attr_source){ .c = c, .fh = c->current.fh };
	call->exp->ops->space(call->exp, &source->space);
	return call->exp->ops->getattr(call->exp, &source->fh, &source->attr);
}

uint32_t nfs4_getattr(struct compound *c)
{
	struct nfs4_attr_source source;
	struct nfs4_bitmap wanted;
	uint32_t status;

	nfs4_get_bitmap(&c->call->args, &wanted);
	if (c->call->args.bad)
		return NFS4ERR_BADXDR;
	status = nfs4_check_wanted(&wanted);
	if (!status)
		status = fattr4_source(c, &source);
	if (!status)
		nfs4_put_attrs(&c->call->reply, &source, &wanted);
	return status;
}

/* XDR encoding is unique, so equal attributes have equal bytes. @same: the result. */
static uint32_t fattr4_compare(struct compound *c, bool *same)
{
	struct writer w = c->call->reply; /* the buffer after the reply is free */
	struct nfs4_attr_source source;
	struct nfs4_bitmap given, have;
	const uint8_t *values, *own;
	uint32_t len, own_len, status;
	struct reader r;
	unsigned int i;

	nfs4_get_bitmap(&c->call->args, &given);
	values = reader_opaque(&c->call->args, SERVER_CALL_MAX, &len);
	if (!values)
		return NFS4ERR_BADXDR;
	status = nfs4_check_wanted(&given);
	if (status)
		return status;
	if (nfs4_bitmap_has(&given, FATTR4_RDATTR_ERROR))
		return NFS4ERR_INVAL;
	for (i = 0; i < ARRAY_SIZE(fattr4_table); i++)
		if (nfs4_bitmap_has(&given, i) && !nfs4_attr_is_supported(c->minor, i))
			return NFS4ERR_ATTRNOTSUPP;
	status = fattr4_source(c, &source);
	if (status)
		return status;
	nfs4_put_attrs(&w, &source, &given);
	reader_init(&r, w.base + c->call->reply.len, w.len - c->call->reply.len);
	nfs4_get_bitmap(&r, &have);
	own = reader_opaque(&r, SERVER_REPLY_MAX, &own_len);
	if (w.bad || !own)
		return nfs4_too_big(c);
	*same = own_len == len && !memcmp(own, values, len);
	return NFS4_OK;
}

uint32_t nfs4_verify(struct compound *c)
{
	bool same = false;
	uint32_t status = fattr4_compare(c, &same);

	return status || same ? status : NFS4ERR_NOT_SAME;
}

uint32_t nfs4_nverify(struct compound *c)
{
	bool same = false;
	uint32_t status = fattr4_compare(c, &same);

	return status || !same ? status : NFS4ERR_SAME;
}
