/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* GETATTR, VERIFY and NVERIFY, RFC 7530 section 16.7, RFC 8881 section 18.7. Values are encoded by
 * the table of rpcrdma/nfs/codec.c. */
#include "rpcrdma/server/nfs4-internal.h"

void nfs4_attrs_of(const struct compound *c, struct nfs4_attrs *attrs)
{
	struct export *exp = c->call->exp;
	const bool writable = export_is_writable(exp);
	struct export_space space = { 0 };
	unsigned int i;

	exp->ops->space(exp, &space);
	*attrs = (struct nfs4_attrs){
		.fh = c->current.fh,
		.maxread = c->call->rtmax,
		.maxwrite = server_wtmax(exp),
		.available = writable ? space.bytes_free : 0,
		.space_free = space.bytes_free,
		.space_total = space.bytes,
		.files_free = space.files_free,
		.files_total = space.files,
		.lease_seconds = NFS4_LEASE_SECONDS,
		.time_delta.nsec = 1,
	};
	for (i = 0; i < 32 * NFS4_ATTR_WORDS; i++)
		if (nfs4_attr_is_supported(c->minor, i))
			nfs4_bitmap_add(&attrs->supported, i);
	/* What EXCLUSIVE4_1 can set. */
	if (writable)
		nfs4_bitmap_add(&attrs->exclusive, FATTR4_MODE);
}

void nfs4_put_wanted(struct writer *w, const struct nfs4_attrs *attrs,
		     const struct nfs4_bitmap *wanted)
{
	struct nfs4_bitmap have = *wanted;
	unsigned int i;

	for (i = 0; i < NFS4_ATTR_WORDS; i++)
		have.word[i] &= attrs->supported.word[i];
	nfs4_put_attrs(w, attrs, &have);
}

uint32_t nfs4_check_wanted(const struct nfs4_bitmap *wanted)
{
	return nfs4_bitmap_has(wanted, FATTR4_TIME_ACCESS_SET) ||
			       nfs4_bitmap_has(wanted, FATTR4_TIME_MODIFY_SET)
		       ? NFS4ERR_INVAL
		       : NFS4_OK;
}

/* Operations */

static uint32_t nfs4_current_attrs(const struct compound *c, struct nfs4_attrs *attrs)
{
	const struct call *call = c->call;

	nfs4_attrs_of(c, attrs);
	return call->exp->ops->getattr(call->exp, &attrs->fh, &attrs->attr);
}

uint32_t nfs4_getattr(struct compound *c)
{
	struct nfs4_attrs attrs;
	struct nfs4_bitmap wanted;
	uint32_t status;

	nfs4_get_bitmap(&c->call->args, &wanted);
	if (c->call->args.bad)
		return NFS4ERR_BADXDR;
	status = nfs4_check_wanted(&wanted);
	if (!status)
		status = nfs4_current_attrs(c, &attrs);
	if (!status)
		nfs4_put_wanted(&c->call->reply, &attrs, &wanted);
	return status;
}

/* XDR encoding is unique, so equal attributes have equal bytes. @same: the result. */
static uint32_t nfs4_compare_attrs(struct compound *c, bool *same)
{
	struct writer w = c->call->reply; /* the buffer after the reply is free */
	struct nfs4_attrs attrs;
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
	for (i = 0; i < 32 * NFS4_ATTR_WORDS; i++)
		if (nfs4_bitmap_has(&given, i) && !nfs4_attr_is_supported(c->minor, i))
			return NFS4ERR_ATTRNOTSUPP;
	status = nfs4_current_attrs(c, &attrs);
	if (status)
		return status;
	nfs4_put_wanted(&w, &attrs, &given);
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
	uint32_t status = nfs4_compare_attrs(c, &same);

	return status || same ? status : NFS4ERR_NOT_SAME;
}

uint32_t nfs4_nverify(struct compound *c)
{
	bool same = false;
	uint32_t status = nfs4_compare_attrs(c, &same);

	return status || !same ? status : NFS4ERR_SAME;
}
