/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* RPC programs by table (RFC 5531 section 9): the call's header is decoded, the program, its
 * version and the procedure are found, and everything that is not there is answered as the RFC
 * says. What a procedure does is the program's own. */
#include "rpcrdma/server/internal.h"

#define RPC_VERSION      2
#define AUTH_BADCRED     1 /* auth_stat, RFC 5531 section 9 */
#define REPLY_HEADER_LEN 24

/* MOUNT does not exist over RDMA (RFC 8267 section 5.1). */
const struct rpc_program *const dispatch_rdma[] = { &nfs3_program, NULL };
const struct rpc_program *const dispatch_tcp[] = { &nfs3_program, &mount3_program, NULL };

/* The program in that version; otherwise the reply says what there is. */
static const struct rpc_program *find_program(const struct rpc_program *const *programs,
					      const struct rpc_call *rpc,
					      struct rpc_reply *reply)
{
	reply->accept_stat = RPC_PROG_UNAVAIL;
	for (; *programs; programs++) {
		const struct rpc_program *p = *programs;

		if (p->prog != rpc->prog)
			continue;
		if (p->vers == rpc->vers)
			return p;
		/* Versions of a program are neighbours in the table. */
		if (reply->accept_stat != RPC_PROG_MISMATCH)
			reply->low = p->vers;
		reply->high = p->vers;
		reply->accept_stat = RPC_PROG_MISMATCH;
	}
	return NULL;
}

static enum rpc_accept_stat run(struct call *call, const struct rpc_program *program)
{
	enum rpc_accept_stat stat;

	if (call->rpc.proc >= program->count || !program->procedures[call->rpc.proc].run)
		return RPC_PROC_UNAVAIL;
	call->procedure = &program->procedures[call->rpc.proc];
	/* RFC 8166 section 6.1: an argument that must not be moved to a chunk was. */
	if (call->reduced && !call->procedure->reducible)
		return RPC_GARBAGE_ARGS;
	if (!writer_reserve(&call->reply, REPLY_HEADER_LEN))
		return RPC_SYSTEM_ERR;
	stat = call->procedure->run(call);
	debug(DEBUG_NFS, "xid %08x %s: accept_stat %u, %zu + %u bytes", call->rpc.xid,
	      call->procedure->name, stat, call->reply.len, call->payload_len);
	if (call->args.bad)
		return RPC_GARBAGE_ARGS;
	return call->reply.bad ? RPC_SYSTEM_ERR : stat;
}

/* The header goes in front of the results, which it says were had. */
static void put_header(struct writer *w, const struct rpc_reply *reply)
{
	struct writer head;

	writer_init(&head, w->base, w->cap);
	rpc_reply_encode(&head, reply);
	if (reply->reply_stat != RPC_MSG_ACCEPTED || reply->accept_stat != RPC_SUCCESS)
		*w = head;
}

int dispatch_call(struct call *call, const struct rpc_program *const *programs)
{
	struct rpc_reply reply = { 0 };
	const struct rpc_program *program;
	int rc;

	rc = rpc_call_decode(&call->rpc, &call->args);
	if (rc)
		return rc;
	call->payload = NULL;
	call->payload_len = 0;
	reply.xid = call->rpc.xid;
	if (call->rpc.rpcvers != RPC_VERSION) {
		reply.reply_stat = RPC_MSG_DENIED;
		reply.reject_stat = RPC_MISMATCH;
		reply.low = reply.high = RPC_VERSION;
	} else if (call->rpc.cred.flavor != RPC_AUTH_NONE &&
		   call->rpc.cred.flavor != RPC_AUTH_SYS) {
		reply.reply_stat = RPC_MSG_DENIED;
		reply.reject_stat = RPC_AUTH_ERROR;
		reply.auth_stat = AUTH_BADCRED;
	} else {
		program = find_program(programs, &call->rpc, &reply);
		if (program)
			reply.accept_stat = run(call, program);
	}
	if (reply.reply_stat != RPC_MSG_ACCEPTED || reply.accept_stat != RPC_SUCCESS) {
		call->payload = NULL;
		call->payload_len = 0;
	}
	put_header(&call->reply, &reply);
	return 0;
}
