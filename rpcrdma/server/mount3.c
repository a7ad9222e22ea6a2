/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* MOUNT version 3, RFC 1813 appendix I: "/" is exported to all hosts, and directories below it
 * can be mounted too. Mounts are not recorded. */
#include "rpcrdma/server/internal.h"

static enum rpc_accept_stat mount3_void(struct call *call)
{
	(void)call;
	return RPC_SUCCESS;
}

/* Walks the components of a path of @len bytes from the root. */
static uint32_t mount3_lookup_path(struct call *call, const char *path, size_t len,
				   struct nfs_fh *fh)
{
	const struct export_ops *ops = call->exp->ops;
	char name[NFS3_NAME_MAX + 1];
	uint32_t status = ops->root(call->exp, fh);
	struct nfs_fh dir;
	size_t n;

	while (!status && len) {
		const char *slash = memchr(path, '/', len);

		n = slash ? (size_t)(slash - path) : len;
		if (n > NFS3_NAME_MAX)
			return NFS3_STATUS_NAMETOOLONG;
		memcpy(name, path, n);
		name[n] = '\0';
		dir = *fh;
		if (n)
			status = ops->lookup(call->exp, &dir, name, fh);
		path += slash ? n + 1 : n;
		len -= slash ? n + 1 : n;
	}
	return status;
}

static enum rpc_accept_stat mount3_mnt_call(struct call *call)
{
	struct nfs_attr attr;
	struct nfs_fh fh;
	uint32_t len, status;
	const uint8_t *path = reader_opaque(&call->args, MOUNT3_PATH_MAX, &len);

	if (!path)
		return RPC_GARBAGE_ARGS;
	status = memchr(path, '\0', len) ? NFS3_STATUS_NOENT
					 : mount3_lookup_path(call, (const char *)path, len, &fh);
	if (!status)
		status = call->exp->ops->getattr(call->exp, &fh, &attr);
	if (!status && attr.type != NFS_DIR)
		status = NFS3_STATUS_NOTDIR;
	writer_u32(&call->reply, status);
	if (status)
		return RPC_SUCCESS;
	nfs_put_fh(&call->reply, &fh);
	writer_u32(&call->reply, 2);
	writer_u32(&call->reply, RPC_AUTH_SYS);
	writer_u32(&call->reply, RPC_AUTH_NONE);
	return RPC_SUCCESS;
}

static enum rpc_accept_stat mount3_dump(struct call *call)
{
	writer_bool(&call->reply, false);
	return RPC_SUCCESS;
}

static enum rpc_accept_stat mount3_umnt(struct call *call)
{
	uint32_t len;

	return reader_opaque(&call->args, MOUNT3_PATH_MAX, &len) ? RPC_SUCCESS : RPC_GARBAGE_ARGS;
}

static enum rpc_accept_stat mount3_export(struct call *call)
{
	writer_bool(&call->reply, true);
	writer_opaque(&call->reply, "/", 1);
	writer_bool(&call->reply, false); /* groups: none, so all hosts */
	writer_bool(&call->reply, false); /* no other export */
	return RPC_SUCCESS;
}

static const struct rpc_procedure mount3_procedures[] = {
	[MOUNT3_NULL] = { .name = "MOUNT NULL", .run = mount3_void },
	[MOUNT3_MNT] = { .name = "MNT", .run = mount3_mnt_call },
	[MOUNT3_DUMP] = { .name = "DUMP", .run = mount3_dump },
	[MOUNT3_UMNT] = { .name = "UMNT", .run = mount3_umnt },
	[MOUNT3_UMNTALL] = { .name = "UMNTALL", .run = mount3_void },
	[MOUNT3_EXPORT] = { .name = "EXPORT", .run = mount3_export },
};

const struct rpc_program mount3_program = {
	.prog = MOUNT_PROGRAM_NUMBER,
	.vers = 3,
	.procedures = mount3_procedures,
	.count = ARRAY_SIZE(mount3_procedures),
};
