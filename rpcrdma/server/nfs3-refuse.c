/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The NFSv3 procedures that write. All return NFS3ERR_ROFS with the failure body of RFC 1813: the
 * attributes of the objects that would have changed. The procedure's row lists the handles and
 * names in its arguments and the bodies in its result. */
#include "rpcrdma/server/internal.h"

#define HANDLES_MAX 2

enum rpc_accept_stat nfs3_refuse(struct call *call)
{
	uint32_t status = NFS3_STATUS_OK, count = 0, wrong, i;
	struct nfs_fh handles[HANDLES_MAX] = { { .len = 0 } };
	char name[NFS3_NAME_MAX + 1];
	struct nfs_attr attr;
	const char *shape;

	/* The arguments in the row; the first error is the status. */
	for (shape = call->procedure->args; *shape; shape++) {
		if (*shape == 'n') {
			wrong = nfs3_get_name(&call->args, name);
		} else {
			nfs_get_fh(&call->args, NFS3_FH_MAX, &handles[count]);
			wrong = call->args.bad ? NFS3_STATUS_OK
					       : call->exp->ops->getattr(call->exp, &handles[count],
									 &attr);
			count++;
		}
		if (!status)
			status = wrong;
	}
	if (call->args.bad)
		return RPC_GARBAGE_ARGS;
	writer_u32(&call->reply, status ? status : NFS3_STATUS_ROFS);
	for (i = 0; call->procedure->results[i]; i++) {
		/* wcc_data: pre_op_attr, which is optional, and post_op_attr */
		if (call->procedure->results[i] == 'w')
			writer_bool(&call->reply, false);
		nfs3_put_post_op(call, &handles[i]);
	}
	return RPC_SUCCESS;
}
