/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* NFSv4 operations on filehandles, names and data. Names are bytes, as everywhere on Linux; "."
 * and ".." are not names (RFC 7530 section 12.3, RFC 8881 section 2.6.3). */
#include "rpcrdma/server/nfs4-internal.h"

/* Helpers of several operations */

uint32_t nfs4_get_name(struct reader *r, char *name)
{
	uint32_t len;
	const uint8_t *p = reader_opaque(r, SERVER_CALL_MAX, &len);

	*name = '\0';
	if (!p)
		return NFS4_OK; /* the operation fails, as the reader is bad */
	if (!len)
		return NFS4ERR_INVAL;
	if (len > NFS3_NAME_MAX)
		return NFS4ERR_NAMETOOLONG;
	if (memchr(p, '\0', len) || memchr(p, '/', len))
		return NFS4ERR_BADCHAR;
	memcpy(name, p, len);
	name[len] = '\0';
	return strcmp(name, ".") && strcmp(name, "..") ? NFS4_OK : NFS4ERR_BADNAME;
}

uint32_t nfs4_wrong_type(const struct compound *c, uint32_t type)
{
	if (type == NFS_DIR)
		return NFS4ERR_ISDIR;
	if (type == NFS_LNK)
		return c->minor ? NFS4ERR_SYMLINK : NFS4ERR_INVAL;
	return c->minor ? NFS4ERR_WRONG_TYPE : NFS4ERR_INVAL;
}

static uint32_t nfs4_current_type(const struct compound *c, uint32_t *type)
{
	const struct call *call = c->call;
	struct nfs_attr attr;
	uint32_t status = call->exp->ops->getattr(call->exp, &c->current.fh, &attr);

	*type = status ? 0 : attr.type;
	return status;
}

uint32_t nfs4_lookup_name(struct compound *c, const char *name, struct nfs_fh *fh)
{
	struct call *call = c->call;
	uint32_t type, status = nfs4_current_type(c, &type);

	if (status)
		return status;
	if (type != NFS_DIR)
		return type == NFS_LNK ? NFS4ERR_SYMLINK : NFS4ERR_NOTDIR;
	return call->exp->ops->lookup(call->exp, &c->current.fh, name, fh);
}

/* Sets the current filehandle and clears the current stateid, which belonged to the last one. */
static void nfs4_set_current(struct compound *c, const struct nfs_fh *fh)
{
	c->current = (struct nfs4_filehandle){ .fh = *fh };
}

/* Filehandles */

uint32_t nfs4_putfh(struct compound *c)
{
	uint64_t a, b;
	struct nfs_fh fh = { 0 };
	uint32_t status;

	nfs_get_fh(&c->call->args, NFS4_FHSIZE, &fh);
	if (c->call->args.bad)
		return NFS4ERR_BADXDR;
	status = export_handle_parse(c->call->exp, &fh, &a, &b);
	if (!status)
		nfs4_set_current(c, &fh);
	return status;
}

uint32_t nfs4_putrootfh(struct compound *c)
{
	struct nfs_fh fh;
	uint32_t status = c->call->exp->ops->root(c->call->exp, &fh);

	if (!status)
		nfs4_set_current(c, &fh);
	return status;
}

uint32_t nfs4_getfh(struct compound *c)
{
	if (c->call->exp->is_referral)
		return NFS4ERR_MOVED;
	nfs_put_fh(&c->call->reply, &c->current.fh);
	return NFS4_OK;
}

uint32_t nfs4_savefh(struct compound *c)
{
	c->saved = c->current;
	return NFS4_OK;
}

uint32_t nfs4_restorefh(struct compound *c)
{
	if (!c->saved.fh.len)
		return c->minor ? NFS4ERR_NOFILEHANDLE : NFS4ERR_RESTOREFH;
	c->current = c->saved;
	return NFS4_OK;
}

/* Names */

/* The object that LOOKUP or SECINFO names. */
static uint32_t nfs4_find_named(struct compound *c, struct nfs_fh *fh)
{
	char name[NFS3_NAME_MAX + 1];
	uint32_t status = nfs4_get_name(&c->call->args, name);

	if (c->call->args.bad)
		return NFS4ERR_BADXDR;
	return status ? status : nfs4_lookup_name(c, name, fh);
}

/* The root has no parent. */
static uint32_t nfs4_find_parent(struct compound *c, struct nfs_fh *fh)
{
	struct nfs_fh root;
	uint32_t status = c->call->exp->ops->root(c->call->exp, &root);

	if (status)
		return status;
	if (root.len == c->current.fh.len && !memcmp(root.data, c->current.fh.data, root.len))
		return NFS4ERR_NOENT;
	return nfs4_lookup_name(c, "..", fh);
}

uint32_t nfs4_lookup(struct compound *c)
{
	struct nfs_fh fh;
	uint32_t status = nfs4_find_named(c, &fh);

	if (!status)
		nfs4_set_current(c, &fh);
	return status;
}

uint32_t nfs4_lookupp(struct compound *c)
{
	struct nfs_fh fh;
	uint32_t status = nfs4_find_parent(c, &fh);

	if (!status)
		nfs4_set_current(c, &fh);
	return status;
}

static void nfs4_put_flavours(struct compound *c)
{
	writer_u32(&c->call->reply, 2);
	writer_u32(&c->call->reply, RPC_AUTH_SYS);
	writer_u32(&c->call->reply, RPC_AUTH_NONE);
	/* RFC 8881 section 2.6.3.1.1.8: so that no unchecked name can follow */
	if (c->minor)
		c->current.fh.len = 0;
}

uint32_t nfs4_secinfo(struct compound *c)
{
	struct nfs_fh fh;
	uint32_t status = nfs4_find_named(c, &fh);

	if (!status)
		nfs4_put_flavours(c);
	return status;
}

uint32_t nfs4_secinfo_no_name(struct compound *c)
{
	const uint32_t style = reader_u32(&c->call->args); /* 0 this object, 1 its parent */
	struct nfs_fh fh;
	uint32_t status = NFS4_OK;

	if (style > 1)
		return NFS4ERR_BADXDR;
	if (style)
		status = nfs4_find_parent(c, &fh);
	if (!status)
		nfs4_put_flavours(c);
	return status;
}

/* Objects */

#define ACCESS_ALL 0x3f

uint32_t nfs4_access(struct compound *c)
{
	const struct call *call = c->call;
	const uint32_t wanted = reader_u32(&c->call->args) & ACCESS_ALL;
	struct nfs_attr attr;
	uint32_t status = call->exp->ops->getattr(call->exp, &c->current.fh, &attr);

	if (status)
		return status;
	writer_u32(&c->call->reply, wanted); /* supported */
	writer_u32(&c->call->reply, wanted & nfs3_access_granted(call->exp, &attr));
	return NFS4_OK;
}

/* The rest of the scratch is for the next payload. */
static uint32_t nfs4_add_payload(struct compound *c, const struct export_read *read)
{
	if (!call_payload(c->call, read->data, read->len))
		return nfs4_too_big(c);
	if (read->data == read->scratch)
		c->scratch_used += read->len;
	return NFS4_OK;
}

uint32_t nfs4_readlink(struct compound *c)
{
	const struct call *call = c->call;
	struct export_read read = { .scratch = call->scratch + c->scratch_used };
	uint32_t status;

	if (server_scratch_max(call->rtmax) - c->scratch_used < NFS3_PATH_MAX)
		return nfs4_too_big(c);
	status = call->exp->ops->readlink(call->exp, &c->current.fh, &read);
	if (status == NFS3_STATUS_INVAL)
		return c->minor ? NFS4ERR_WRONG_TYPE : NFS4ERR_INVAL;
	return status ? status : nfs4_add_payload(c, &read);
}

uint32_t nfs4_read(struct compound *c)
{
	struct call *call = c->call;
	struct export_read read = { .scratch = call->scratch + c->scratch_used };
	struct nfs4_stateid stateid;
	uint32_t type, status;

	nfs4_get_used_stateid(c, &stateid);
	read.offset = reader_u64(&call->args);
	read.count = min_u32(reader_u32(&call->args), call->rtmax);
	if (call->args.bad)
		return NFS4ERR_BADXDR;
	status = nfs4_opens_use(c->state, c->minor, c->slot.clientid, &stateid, &c->current.fh,
				OPEN4_SHARE_ACCESS_READ);
	if (status)
		return status;
	if (read.count > server_scratch_max(call->rtmax) - c->scratch_used)
		return nfs4_too_big(c);
	status = call->exp->ops->read(call->exp, &c->current.fh, &read);
	/* NFSv3 has no more specific status for a wrong type. */
	if (status == NFS3_STATUS_INVAL && !nfs4_current_type(c, &type) && type != NFS_REG)
		return nfs4_wrong_type(c, type);
	if (status)
		return status;
	/* The COMPOUND's first READ is recorded for the faults. */
	if (!call->read.served)
		call->read = (struct call_read){
			.tried = true,
			.served = true,
			.fh = c->current.fh,
			.offset = read.offset,
			.asked = read.count,
			.payload = call->payload_count,
			.status = c->status_at,
			.eof = call->reply.len,
			.end = c->status_at + 4,
			.compound = c->start,
			.results = c->count_at,
			.result_count = c->index + 1,
		};
	writer_bool(&call->reply, read.eof);
	return nfs4_add_payload(c, &read);
}
