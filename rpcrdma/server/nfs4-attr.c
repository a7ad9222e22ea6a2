/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Attributes, RFC 7530 section 5, RFC 8881 section 5: one row for each supported attribute, in
 * numerical order, which is the encoding order. All mandatory attributes are supported, and those
 * that a Linux client requests for mount, stat and statfs. */
#include <stdio.h>

#include "rpcrdma/server/nfs4-internal.h"

#define LINK_MAX_ 32000

typedef void (*put_fn)(struct writer *w, const struct nfs4_attr_source *s);

/* Bitmaps */

void nfs4_get_bitmap(struct reader *r, struct nfs4_bitmap *bitmap)
{
	uint32_t count = reader_u32(r), i;
	const uint8_t *p = NULL;

	*bitmap = (struct nfs4_bitmap){ { 0 } };
	if (count <= SERVER_CALL_MAX / 4)
		p = reader_bytes(r, 4 * (size_t)count);
	else
		r->bad = true;
	for (i = 0; p && i < count && i < NFS4_ATTR_WORDS; i++)
		bitmap->word[i] = get_be32(p + 4 * (size_t)i);
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

static void bitmap_add(struct nfs4_bitmap *bitmap, unsigned int attr)
{
	bitmap->word[attr / 32] |= 1u << attr % 32;
}

/* Values */

uint64_t nfs4_change_of(const struct nfs_attr *attr)
{
	return (uint64_t)attr->ctime.sec << 32 | attr->ctime.nsec;
}

static void put_true(struct writer *w, const struct nfs4_attr_source *s)
{
	(void)s;
	writer_bool(w, true);
}

/* 0 as well: FH4_PERSISTENT; no ACLs; rdattr_error NFS4_OK */
static void put_false(struct writer *w, const struct nfs4_attr_source *s)
{
	(void)s;
	writer_u32(w, 0);
}

static void put_nothing64(struct writer *w, const struct nfs4_attr_source *s)
{
	(void)s;
	writer_u64(w, 0);
}

static void put_supported(struct writer *w, const struct nfs4_attr_source *s);

static void put_type(struct writer *w, const struct nfs4_attr_source *s)
{
	writer_u32(w, s->attr.type);
}

static void put_change(struct writer *w, const struct nfs4_attr_source *s)
{
	writer_u64(w, nfs4_change_of(&s->attr));
}

static void put_size(struct writer *w, const struct nfs4_attr_source *s)
{
	writer_u64(w, s->attr.size);
}

static void put_fsid(struct writer *w, const struct nfs4_attr_source *s)
{
	writer_u64(w, s->attr.fsid);
	writer_u64(w, 0);
}

static void put_lease(struct writer *w, const struct nfs4_attr_source *s)
{
	(void)s;
	writer_u32(w, NFS4_LEASE_SECONDS);
}

static void put_handle(struct writer *w, const struct nfs4_attr_source *s)
{
	writer_opaque(w, s->fh.data, s->fh.len);
}

static void put_fileid(struct writer *w, const struct nfs4_attr_source *s)
{
	writer_u64(w, s->attr.fileid);
}

static void put_files_free(struct writer *w, const struct nfs4_attr_source *s)
{
	writer_u64(w, s->space.files_free);
}

static void put_files_total(struct writer *w, const struct nfs4_attr_source *s)
{
	writer_u64(w, s->space.files);
}

static void put_max_file(struct writer *w, const struct nfs4_attr_source *s)
{
	(void)s;
	writer_u64(w, INT64_MAX);
}

static void put_max_link(struct writer *w, const struct nfs4_attr_source *s)
{
	(void)s;
	writer_u32(w, LINK_MAX_);
}

static void put_max_name(struct writer *w, const struct nfs4_attr_source *s)
{
	(void)s;
	writer_u32(w, NFS3_NAME_MAX);
}

static void put_max_read(struct writer *w, const struct nfs4_attr_source *s)
{
	writer_u64(w, s->c->call->rtmax);
}

static void put_max_write(struct writer *w, const struct nfs4_attr_source *s)
{
	(void)s;
	writer_u64(w, SERVER_WRITE_MAX);
}

static void put_mode(struct writer *w, const struct nfs4_attr_source *s)
{
	writer_u32(w, s->attr.mode);
}

static void put_links(struct writer *w, const struct nfs4_attr_source *s)
{
	writer_u32(w, s->attr.nlink);
}

/* The number as a string without a domain, which a client with AUTH_SYS reads as a numeric id
 * (RFC 7530 section 5.9). */
static void put_id(struct writer *w, uint32_t id)
{
	char text[12];

	writer_opaque(w, text, (uint32_t)snprintf(text, sizeof(text), "%u", id));
}

static void put_owner(struct writer *w, const struct nfs4_attr_source *s)
{
	put_id(w, s->attr.uid);
}

static void put_group(struct writer *w, const struct nfs4_attr_source *s)
{
	put_id(w, s->attr.gid);
}

static void put_space_free(struct writer *w, const struct nfs4_attr_source *s)
{
	writer_u64(w, s->space.bytes_free);
}

static void put_space_total(struct writer *w, const struct nfs4_attr_source *s)
{
	writer_u64(w, s->space.bytes);
}

static void put_space_used(struct writer *w, const struct nfs4_attr_source *s)
{
	writer_u64(w, s->attr.used);
}

static void put_time(struct writer *w, const struct nfs_time *time)
{
	writer_u64(w, time->sec);
	writer_u32(w, time->nsec);
}

static void put_atime(struct writer *w, const struct nfs4_attr_source *s)
{
	put_time(w, &s->attr.atime);
}

static void put_mtime(struct writer *w, const struct nfs4_attr_source *s)
{
	put_time(w, &s->attr.mtime);
}

static void put_ctime(struct writer *w, const struct nfs4_attr_source *s)
{
	put_time(w, &s->attr.ctime);
}

static void put_delta(struct writer *w, const struct nfs4_attr_source *s)
{
	(void)s;
	put_time(w, &(struct nfs_time){ .nsec = 1 });
}

/* Which attributes EXCLUSIVE4_1 can set: none, as nothing can be created. */
static void put_exclcreat(struct writer *w, const struct nfs4_attr_source *s)
{
	(void)s;
	nfs4_put_bitmap(w, &(struct nfs4_bitmap){ { 0 } });
}

/* The table */

static const put_fn attributes[32 * NFS4_ATTR_WORDS] = {
	[FATTR4_SUPPORTED_ATTRS] = put_supported,
	[FATTR4_TYPE] = put_type,
	[FATTR4_FH_EXPIRE_TYPE] = put_false,
	[FATTR4_CHANGE] = put_change,
	[FATTR4_SIZE] = put_size,
	[FATTR4_LINK_SUPPORT] = put_true,
	[FATTR4_SYMLINK_SUPPORT] = put_true,
	[FATTR4_NAMED_ATTR] = put_false,
	[FATTR4_FSID] = put_fsid,
	[FATTR4_UNIQUE_HANDLES] = put_true,
	[FATTR4_LEASE_TIME] = put_lease,
	[FATTR4_RDATTR_ERROR] = put_false,
	[FATTR4_ACLSUPPORT] = put_false,
	[FATTR4_CASE_INSENSITIVE] = put_false,
	[FATTR4_CASE_PRESERVING] = put_true,
	[FATTR4_CHOWN_RESTRICTED] = put_true,
	[FATTR4_FILEHANDLE] = put_handle,
	[FATTR4_FILEID] = put_fileid,
	[FATTR4_FILES_AVAIL] = put_nothing64, /* to a writer */
	[FATTR4_FILES_FREE] = put_files_free,
	[FATTR4_FILES_TOTAL] = put_files_total,
	[FATTR4_HOMOGENEOUS] = put_true,
	[FATTR4_MAXFILESIZE] = put_max_file,
	[FATTR4_MAXLINK] = put_max_link,
	[FATTR4_MAXNAME] = put_max_name,
	[FATTR4_MAXREAD] = put_max_read,
	[FATTR4_MAXWRITE] = put_max_write,
	[FATTR4_MODE] = put_mode,
	[FATTR4_NO_TRUNC] = put_true,
	[FATTR4_NUMLINKS] = put_links,
	[FATTR4_OWNER] = put_owner,
	[FATTR4_OWNER_GROUP] = put_group,
	[FATTR4_RAWDEV] = put_nothing64, /* no devices are served */
	[FATTR4_SPACE_AVAIL] = put_nothing64,
	[FATTR4_SPACE_FREE] = put_space_free,
	[FATTR4_SPACE_TOTAL] = put_space_total,
	[FATTR4_SPACE_USED] = put_space_used,
	[FATTR4_TIME_ACCESS] = put_atime,
	[FATTR4_TIME_DELTA] = put_delta,
	[FATTR4_TIME_METADATA] = put_ctime,
	[FATTR4_TIME_MODIFY] = put_mtime,
	[FATTR4_MOUNTED_ON_FILEID] = put_fileid,
	[FATTR4_SUPPATTR_EXCLCREAT] = put_exclcreat,
};

#define FIRST_OF_41 56 /* RFC 8881 table 4: lower numbers are from 4.0 */

static bool is_supported(uint32_t minor, unsigned int attr)
{
	return attributes[attr] && (minor || attr < FIRST_OF_41);
}

static void put_supported(struct writer *w, const struct nfs4_attr_source *s)
{
	struct nfs4_bitmap all = { { 0 } };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(attributes); i++)
		if (is_supported(s->c->minor, i))
			bitmap_add(&all, i);
	nfs4_put_bitmap(w, &all);
}

void nfs4_put_attrs(struct writer *w, const struct nfs4_attr_source *source,
		    const struct nfs4_bitmap *wanted)
{
	struct nfs4_bitmap have = { { 0 } };
	unsigned int i;
	uint8_t *len;
	size_t start;

	for (i = 0; i < ARRAY_SIZE(attributes); i++)
		if (nfs4_bitmap_has(wanted, i) && is_supported(source->c->minor, i))
			bitmap_add(&have, i);
	nfs4_put_bitmap(w, &have);
	len = writer_reserve(w, 4);
	start = w->len;
	/* Each value is a multiple of four. */
	for (i = 0; i < ARRAY_SIZE(attributes); i++)
		if (nfs4_bitmap_has(&have, i))
			attributes[i](w, source);
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

static uint32_t source_of(const struct compound *c, struct nfs4_attr_source *source)
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
		status = source_of(c, &source);
	if (!status)
		nfs4_put_attrs(&c->call->reply, &source, &wanted);
	return status;
}

/* XDR encoding is unique, so equal attributes have equal bytes. @same: the result. */
static uint32_t compare(struct compound *c, bool *same)
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
	for (i = 0; i < ARRAY_SIZE(attributes); i++)
		if (nfs4_bitmap_has(&given, i) && !is_supported(c->minor, i))
			return NFS4ERR_ATTRNOTSUPP;
	status = source_of(c, &source);
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
	uint32_t status = compare(c, &same);

	return status || same ? status : NFS4ERR_NOT_SAME;
}

uint32_t nfs4_nverify(struct compound *c)
{
	bool same = false;
	uint32_t status = compare(c, &same);

	return status || !same ? status : NFS4ERR_SAME;
}
