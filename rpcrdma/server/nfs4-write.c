/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The NFSv4 operations that change files, RFC 7530 sections 16.3, 16.25, 16.32 and 16.36, RFC 8881
 * sections 18.3, 18.25, 18.30 and 18.32. */
#include "rpcrdma/server/nfs4-internal.h"

/* RFC 8881 section 5.5: read-only attributes are INVAL. */
static uint32_t nfs4_check_settable(uint32_t minor, const struct nfs4_bitmap *given)
{
	static const unsigned int settable[] = {
		FATTR4_SIZE,
		FATTR4_MODE,
		FATTR4_OWNER,
		FATTR4_OWNER_GROUP,
		FATTR4_TIME_ACCESS_SET,
		FATTR4_TIME_MODIFY_SET,
	};
	struct nfs4_bitmap left = *given;
	uint32_t status = given->beyond ? NFS4ERR_ATTRNOTSUPP : NFS4_OK;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(settable); i++)
		left.word[settable[i] / 32] &= ~(1u << settable[i] % 32);
	for (i = 0; i < 32 * NFS4_ATTR_WORDS && !status; i++)
		if (nfs4_bitmap_has(&left, i))
			status = nfs4_attr_is_supported(minor, i) ? NFS4ERR_INVAL
								  : NFS4ERR_ATTRNOTSUPP;
	return status;
}

uint32_t nfs4_get_setattrs(struct compound *c, struct export_setattr *set,
			   struct nfs4_bitmap *given)
{
	struct reader *args = &c->call->args, r;
	struct nfs4_attrs attrs = { .lease_seconds = 0 };
	const uint8_t *values;
	uint32_t status, len;

	*set = (struct export_setattr){ .has_size = false };
	nfs4_get_bitmap(args, given);
	values = reader_opaque(args, SERVER_CALL_MAX, &len);
	if (!values)
		return NFS4ERR_BADXDR;
	status = nfs4_check_settable(c->minor, given);
	if (status)
		return status;
	reader_init(&r, values, len);
	/* Times are not set: they say when this server changed the file. */
	nfs4_get_values(&r, given, &attrs);
	args->bad |= r.bad || reader_left(&r);
	*set = (struct export_setattr){
		.has_size = nfs4_bitmap_has(given, FATTR4_SIZE),
		.has_mode = nfs4_bitmap_has(given, FATTR4_MODE),
		.has_uid = nfs4_bitmap_has(given, FATTR4_OWNER),
		.has_gid = nfs4_bitmap_has(given, FATTR4_OWNER_GROUP),
		.size = attrs.attr.size,
		.mode = attrs.attr.mode,
		.uid = attrs.attr.uid,
		.gid = attrs.attr.gid,
	};
	/* Names are not known here. */
	return attrs.unmapped ? NFS4ERR_BADOWNER : NFS4_OK;
}

uint32_t nfs4_setattr(struct compound *c)
{
	const struct call *call = c->call;
	struct nfs4_stateid stateid;
	struct export_setattr set;
	struct nfs4_bitmap given;
	uint32_t status;

	if (!export_is_writable(call->exp))
		return nfs4_refuse(c);
	nfs4_get_used_stateid(c, &stateid);
	status = nfs4_get_setattrs(c, &set, &given);
	if (call->args.bad)
		return NFS4ERR_BADXDR;
	if (status)
		return status;
	status = set.has_size ? nfs4_opens_use(c->state, c->minor, c->slot.clientid, &stateid,
					       &c->current.fh, OPEN4_SHARE_ACCESS_WRITE)
			      : NFS4_OK;
	if (!status)
		status = call->exp->ops->setattr(call->exp, &c->current.fh, &set);
	if (!status)
		nfs4_put_bitmap(&c->call->reply, &given);
	return status;
}

uint32_t nfs4_write(struct compound *c)
{
	struct call *call = c->call;
	struct call_write w = { .fh = c->current.fh };
	struct nfs4_stateid stateid;
	uint32_t status;

	if (!export_is_writable(call->exp))
		return nfs4_refuse(c);
	nfs4_get_used_stateid(c, &stateid);
	w.offset = reader_u64(&call->args);
	w.stable = reader_u32(&call->args);
	if (!call_write_data(call, &w) || call->args.bad)
		return NFS4ERR_BADXDR;
	if (w.stable > FILE_SYNC)
		return NFS4ERR_INVAL;
	status = nfs4_opens_use(c->state, c->minor, c->slot.clientid, &stateid, &c->current.fh,
				OPEN4_SHARE_ACCESS_WRITE);
	if (!status)
		status = call_write(call, &w);
	if (status)
		return status;
	writer_u32(&call->reply, w.count);
	writer_u32(&call->reply, w.committed);
	writer_bytes(&call->reply, w.verifier, sizeof(w.verifier));
	return NFS4_OK;
}

uint32_t nfs4_commit(struct compound *c)
{
	static const struct export_setattr nothing = { .has_size = false };
	const struct call *call = c->call;
	uint8_t verifier[8];
	uint32_t status;

	if (!export_is_writable(call->exp))
		return nfs4_refuse(c);
	reader_u64(&c->call->args); /* offset and count: all is committed */
	reader_u32(&c->call->args);
	if (call->args.bad)
		return NFS4ERR_BADXDR;
	status = call->exp->ops->setattr(call->exp, &c->current.fh, &nothing);
	if (status)
		return status;
	call_commit(call, verifier);
	writer_bytes(&c->call->reply, verifier, sizeof(verifier));
	return NFS4_OK;
}

uint32_t nfs4_remove(struct compound *c)
{
	const struct call *call = c->call;
	char name[NFS3_NAME_MAX + 1];
	struct nfs_attr attr;
	uint32_t status;

	if (!export_is_writable(call->exp))
		return nfs4_refuse(c);
	status = nfs4_get_name(&c->call->args, name);
	if (call->args.bad)
		return NFS4ERR_BADXDR;
	if (!status)
		status = call->exp->ops->getattr(call->exp, &c->current.fh, &attr);
	if (!status)
		status = call->exp->ops->remove(call->exp, &c->current.fh, name);
	if (status)
		return status;
	/* change_info4, as in OPEN */
	writer_bool(&c->call->reply, true);
	writer_u64(&c->call->reply, nfs4_change_of(&attr));
	writer_u64(&c->call->reply, nfs4_change_of(&attr));
	return NFS4_OK;
}
