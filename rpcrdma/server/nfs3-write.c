/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The NFSv3 procedures that change files, RFC 1813 sections 3.3.2, 3.3.7, 3.3.8, 3.3.12 and
 * 3.3.21. pre_op_attr is optional, and never sent. */
#include "rpcrdma/server/internal.h"

#define UNCHECKED 0 /* createmode3 */
#define GUARDED   1
#define EXCLUSIVE 2

#define SET_TO_CLIENT_TIME 2 /* time_how */

static void nfs3_put_wcc(struct call *call, const struct nfs_fh *fh)
{
	writer_bool(&call->reply, false);
	nfs3_put_post_op(call, fh);
}

static bool nfs3_get_optional(struct reader *r, uint32_t *value)
{
	bool has = reader_bool(r);

	if (has)
		*value = reader_u32(r);
	return has;
}

/* Times are not set: they say when this server changed the file. */
static void nfs3_skip_time(struct reader *r)
{
	if (reader_u32(r) == SET_TO_CLIENT_TIME)
		reader_u64(r);
}

static void nfs3_get_sattr(struct reader *r, struct export_setattr *set)
{
	*set = (struct export_setattr){ .has_size = false };
	set->has_mode = nfs3_get_optional(r, &set->mode);
	set->has_uid = nfs3_get_optional(r, &set->uid);
	set->has_gid = nfs3_get_optional(r, &set->gid);
	set->has_size = reader_bool(r);
	if (set->has_size)
		set->size = reader_u64(r);
	nfs3_skip_time(r);
	nfs3_skip_time(r);
}

enum rpc_accept_stat nfs3_setattr(struct call *call)
{
	struct export_setattr set;
	struct nfs_fh fh;

	if (!export_is_writable(call->exp))
		return nfs3_refuse(call);
	nfs_get_fh(&call->args, NFS3_FH_MAX, &fh);
	nfs3_get_sattr(&call->args, &set);
	/* sattrguard3 is not checked: one client changes a file here. */
	if (reader_bool(&call->args))
		reader_u64(&call->args);
	if (call->args.bad)
		return RPC_GARBAGE_ARGS;
	writer_u32(&call->reply, call->exp->ops->setattr(call->exp, &fh, &set));
	nfs3_put_wcc(call, &fh);
	return RPC_SUCCESS;
}

enum rpc_accept_stat nfs3_write(struct call *call)
{
	struct call_write w = { .len = 0 };
	uint32_t count, status;

	if (!export_is_writable(call->exp))
		return nfs3_refuse(call);
	nfs_get_fh(&call->args, NFS3_FH_MAX, &w.fh);
	w.offset = reader_u64(&call->args);
	count = reader_u32(&call->args);
	w.stable = reader_u32(&call->args);
	if (!call_write_data(call, &w) || call->args.bad || count != w.len || w.stable > FILE_SYNC)
		return RPC_GARBAGE_ARGS;
	status = call_write(call, &w);
	writer_u32(&call->reply, status);
	nfs3_put_wcc(call, &w.fh);
	if (status)
		return RPC_SUCCESS;
	writer_u32(&call->reply, w.count);
	writer_u32(&call->reply, w.committed);
	writer_bytes(&call->reply, w.verifier, sizeof(w.verifier));
	return RPC_SUCCESS;
}

enum rpc_accept_stat nfs3_create(struct call *call)
{
	char name[NFS3_NAME_MAX + 1];
	struct export_create create = { .name = name,
					.uid = call->rpc.cred.uid,
					.gid = call->rpc.cred.gid };
	struct export_setattr set = { .has_size = false };
	struct nfs_fh dir, fh;
	const uint8_t *verifier;
	uint32_t status, how;

	if (!export_is_writable(call->exp))
		return nfs3_refuse(call);
	nfs_get_fh(&call->args, NFS3_FH_MAX, &dir);
	status = nfs3_get_name(&call->args, name);
	how = reader_u32(&call->args);
	create.guarded = how == GUARDED;
	create.exclusive = how == EXCLUSIVE;
	if (how == EXCLUSIVE) {
		verifier = reader_bytes(&call->args, sizeof(create.verifier));
		if (verifier)
			memcpy(create.verifier, verifier, sizeof(create.verifier));
	} else {
		nfs3_get_sattr(&call->args, &set);
		create.mode = set.has_mode ? set.mode : 0;
		create.truncate = how == UNCHECKED && set.has_size && !set.size;
	}
	if (call->args.bad || how > EXCLUSIVE)
		return RPC_GARBAGE_ARGS;
	fault_create(call, &create);
	if (!status)
		status = call->exp->ops->create(call->exp, &dir, &create, &fh);
	writer_u32(&call->reply, status);
	if (!status) {
		writer_bool(&call->reply, true);
		nfs_put_fh(&call->reply, &fh);
		nfs3_put_post_op(call, &fh);
	}
	nfs3_put_wcc(call, &dir);
	return RPC_SUCCESS;
}

enum rpc_accept_stat nfs3_remove(struct call *call)
{
	char name[NFS3_NAME_MAX + 1];
	struct nfs_fh dir;
	uint32_t status;

	if (!export_is_writable(call->exp))
		return nfs3_refuse(call);
	nfs_get_fh(&call->args, NFS3_FH_MAX, &dir);
	status = nfs3_get_name(&call->args, name);
	if (call->args.bad)
		return RPC_GARBAGE_ARGS;
	if (!status)
		status = call->exp->ops->remove(call->exp, &dir, name);
	writer_u32(&call->reply, status);
	nfs3_put_wcc(call, &dir);
	return RPC_SUCCESS;
}

enum rpc_accept_stat nfs3_commit(struct call *call)
{
	static const struct export_setattr nothing = { .has_size = false };
	uint8_t verifier[8];
	struct nfs_fh fh;
	uint32_t status;

	if (!export_is_writable(call->exp))
		return nfs3_refuse(call);
	nfs_get_fh(&call->args, NFS3_FH_MAX, &fh);
	reader_u64(&call->args); /* offset and count: all is committed */
	reader_u32(&call->args);
	if (call->args.bad)
		return RPC_GARBAGE_ARGS;
	status = call->exp->ops->setattr(call->exp, &fh, &nothing);
	writer_u32(&call->reply, status);
	nfs3_put_wcc(call, &fh);
	if (status)
		return RPC_SUCCESS;
	call_commit(call, verifier);
	writer_bytes(&call->reply, verifier, sizeof(verifier));
	return RPC_SUCCESS;
}
