/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* RPC dispatch by table (RFC 5531 section 9): decodes the call header, looks up program, version
 * and procedure, and answers an unknown one with the RFC's error. The program implements its
 * procedures. */
#include "rpcrdma/server/internal.h"

#define RPC_VERSION  2
#define AUTH_BADCRED 1 /* auth_stat, RFC 5531 section 9 */

/* MOUNT does not exist over RDMA (RFC 8267 section 5.1). */
const struct rpc_program *const dispatch_rdma[] = { &nfs3_program, &nfs4_program, NULL };
const struct rpc_program *const dispatch_tcp[] = { &nfs3_program, &nfs4_program, &mount3_program,
						   NULL };

bool call_payload(struct call *call, const uint8_t *data, uint32_t len)
{
	if (call->payload_count == CALL_PAYLOADS)
		return false;
	writer_u32(&call->reply, len);
	call->payload[call->payload_count++] =
		(struct payload){ .data = data, .len = len, .at = call->reply.len };
	return true;
}

size_t call_reply_length(const struct call *call)
{
	size_t len = call->reply.len;
	uint32_t i;

	for (i = 0; i < call->payload_count; i++)
		len += xdr_pad4(call->payload[i].len);
	return len;
}

/* struct iovec has no const; the data are only read. */
static struct iovec payload_piece(const uint8_t *data, size_t len)
{
	struct iovec iov = { .iov_len = len };

	memcpy(&iov.iov_base, &data, sizeof(data));
	return iov;
}

int payload_pieces(struct iovec iov[PAYLOAD_PIECES], const uint8_t *message, size_t len,
		   const struct payload *payload, uint32_t count)
{
	static const uint8_t zeros[4];
	size_t done = 0;
	int n = 0;
	uint32_t i;

	for (i = 0; i < count; i++) {
		const struct payload *p = &payload[i];

		if (p->by_chunk)
			continue;
		iov[n++] = payload_piece(message + done, p->at - done);
		iov[n++] = payload_piece(p->data, p->len);
		iov[n++] = payload_piece(zeros, xdr_pad4(p->len) - p->len);
		done = p->at;
	}
	iov[n++] = payload_piece(message + done, len - done);
	return n;
}

bool dispatch_match(const struct rpc_call *rpc, uint32_t prog, uint32_t vers,
		    struct rpc_reply *reply)
{
	if (prog != rpc->prog)
		return false;
	if (vers == rpc->vers)
		return true;
	if (reply->accept_stat != RPC_PROG_MISMATCH)
		reply->low = reply->high = vers;
	reply->accept_stat = RPC_PROG_MISMATCH;
	reply->low = min_u32(reply->low, vers);
	reply->high = vers > reply->high ? vers : reply->high;
	return false;
}

static const struct rpc_program *dispatch_find(const struct rpc_program *const *programs,
					       const struct rpc_call *rpc, struct rpc_reply *reply)
{
	for (; *programs; programs++)
		if (dispatch_match(rpc, (*programs)->prog, (*programs)->vers, reply))
			return *programs;
	return NULL;
}

static enum rpc_accept_stat dispatch_run(struct call *call, const struct rpc_program *program)
{
	enum rpc_accept_stat stat;

	if (call->rpc.proc >= program->count || !program->procedures[call->rpc.proc].run)
		return RPC_PROC_UNAVAIL;
	call->procedure = &program->procedures[call->rpc.proc];
	/* RFC 8166 section 6.1: an argument that is not DDP-eligible came by chunk. */
	if ((call->reduced || call->chunk.len) && !call->procedure->reducible)
		return RPC_GARBAGE_ARGS;
	if (!writer_reserve(&call->reply, REPLY_HEADER_LEN))
		return RPC_SYSTEM_ERR;
	stat = call->procedure->run(call);
	debug(DEBUG_NFS, "xid %08x %s: accept_stat %u, %zu + %zu bytes", call->rpc.xid,
	      call->procedure->name, stat, call->reply.len,
	      call_reply_length(call) - call->reply.len);
	if (call->args.bad)
		return RPC_GARBAGE_ARGS;
	return call->reply.bad ? RPC_SYSTEM_ERR : stat;
}

int dispatch_call(struct call *call, const struct rpc_program *const *programs)
{
	struct rpc_reply reply = { 0 };
	const struct rpc_program *program;
	struct writer head;
	int rc;

	rc = rpc_call_decode(&call->rpc, &call->args);
	if (rc)
		return rc;
	call->payload_count = 0;
	memset(&call->read, 0, sizeof(call->read));
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
		reply.accept_stat = RPC_PROG_UNAVAIL;
		/* NFS requires an export. */
		program = call->exp ? dispatch_find(programs, &call->rpc, &reply) : NULL;
		if (program)
			reply.accept_stat = dispatch_run(call, program);
		else
			programs_run(call, &reply);
	}
	/* The header precedes the results; that of an RPC error replaces them. */
	writer_init(&head, call->reply.base, call->reply.cap);
	rpc_reply_encode(&head, &reply);
	if (reply.reply_stat != RPC_MSG_ACCEPTED || reply.accept_stat != RPC_SUCCESS) {
		call->payload_count = 0;
		memset(&call->read, 0, sizeof(call->read));
		call->reply = head;
	}
	return 0;
}
