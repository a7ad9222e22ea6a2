/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* NFS version 4, minor versions 0 and 1: the program and the COMPOUND procedure (RFC 7530 section
 * 15.2, RFC 8881 section 16.2). Operations run in order until one fails; the status of the last
 * one is the COMPOUND's.
 *
 * Supported: operations for reading, sessions with a reply cache, open state; and where the export
 * is writable those that make, write and remove files. ROFS: others that write. NOTSUPP: locks, delegations, layouts, the backchannel, named attributes. */
#include "rpcrdma/server/nfs4-internal.h"

#define MINOR_MAX 1

enum {
	FH = 1,      /* works on the current filehandle */
	SAVED = 2,   /* and on the saved one */
	V41 = 4,     /* new in 4.1 */
	V40 = 8,     /* removed in 4.1: NOTSUPP (RFC 8881 section 17) */
	ALONE = 16,  /* is allowed outside a session, as the only operation */
	BITMAP = 32, /* a failure returns an empty bitmap4 of set attributes */
};

/* CHANGES: an operation that a read-only export refuses. */
/* clang-format off */
#define CHANGES(name_, run_, flags_, args_) \
	{ .name = name_, .run = run_, .flags = flags_, .args = args_ }
#define ROFS(name_, flags_, args_) \
	{ .name = name_, .run = nfs4_refuse, .flags = flags_, .args = args_ }
#define NOTSUPP(name_, flags_) { .name = name_, .run = nfs4_notsupp, .flags = flags_ }
/* clang-format on */

static const struct nfs4_op nfs4_operations[] = {
	[OP_ACCESS] = { "ACCESS", nfs4_access, FH, NULL },
	[OP_CLOSE] = { "CLOSE", nfs4_close, FH, NULL },
	[OP_COMMIT] = CHANGES("COMMIT", nfs4_commit, FH, "84"),
	[OP_CREATE] = ROFS("CREATE", FH, "tna"),
	[OP_DELEGPURGE] = NOTSUPP("DELEGPURGE", 0),
	[OP_DELEGRETURN] = NOTSUPP("DELEGRETURN", FH),
	[OP_GETATTR] = { "GETATTR", nfs4_getattr, FH, NULL },
	[OP_GETFH] = { "GETFH", nfs4_getfh, FH, NULL },
	[OP_LINK] = ROFS("LINK", FH | SAVED, "n"),
	[OP_LOCK] = NOTSUPP("LOCK", FH),
	[OP_LOCKT] = NOTSUPP("LOCKT", FH),
	[OP_LOCKU] = NOTSUPP("LOCKU", FH),
	[OP_LOOKUP] = { "LOOKUP", nfs4_lookup, FH, NULL },
	[OP_LOOKUPP] = { "LOOKUPP", nfs4_lookupp, FH, NULL },
	[OP_NVERIFY] = { "NVERIFY", nfs4_nverify, FH, NULL },
	[OP_OPEN] = { "OPEN", nfs4_open, FH, NULL },
	[OP_OPENATTR] = NOTSUPP("OPENATTR", FH),
	[OP_OPEN_CONFIRM] = { "OPEN_CONFIRM", nfs4_open_confirm, FH | V40, NULL },
	[OP_OPEN_DOWNGRADE] = { "OPEN_DOWNGRADE", nfs4_open_downgrade, FH, NULL },
	[OP_PUTFH] = { "PUTFH", nfs4_putfh, 0, NULL },
	[OP_PUTPUBFH] = { "PUTPUBFH", nfs4_putrootfh, 0, NULL },
	[OP_PUTROOTFH] = { "PUTROOTFH", nfs4_putrootfh, 0, NULL },
	[OP_READ] = { "READ", nfs4_read, FH, NULL },
	[OP_READDIR] = { "READDIR", nfs4_readdir, FH, NULL },
	[OP_READLINK] = { "READLINK", nfs4_readlink, FH, NULL },
	[OP_REMOVE] = CHANGES("REMOVE", nfs4_remove, FH, "n"),
	[OP_RENAME] = ROFS("RENAME", FH | SAVED, "nn"),
	[OP_RENEW] = { "RENEW", nfs4_renew, V40, NULL },
	[OP_RESTOREFH] = { "RESTOREFH", nfs4_restorefh, 0, NULL },
	[OP_SAVEFH] = { "SAVEFH", nfs4_savefh, FH, NULL },
	[OP_SECINFO] = { "SECINFO", nfs4_secinfo, FH, NULL },
	[OP_SETATTR] = CHANGES("SETATTR", nfs4_setattr, FH | BITMAP, "sa"),
	[OP_SETCLIENTID] = { "SETCLIENTID", nfs4_setclientid, V40, NULL },
	[OP_SETCLIENTID_CONFIRM] = { "SETCLIENTID_CONFIRM", nfs4_setclientid_confirm, V40, NULL },
	[OP_VERIFY] = { "VERIFY", nfs4_verify, FH, NULL },
	[OP_WRITE] = CHANGES("WRITE", nfs4_write, FH, "s84d"),
	[OP_RELEASE_LOCKOWNER] = { "RELEASE_LOCKOWNER", nfs4_release_lockowner, V40, NULL },
	[OP_BACKCHANNEL_CTL] = NOTSUPP("BACKCHANNEL_CTL", V41),
	[OP_BIND_CONN_TO_SESSION] = { "BIND_CONN_TO_SESSION", nfs4_bind_conn_to_session,
				      V41 | ALONE, NULL },
	[OP_EXCHANGE_ID] = { "EXCHANGE_ID", nfs4_exchange_id, V41 | ALONE, NULL },
	[OP_CREATE_SESSION] = { "CREATE_SESSION", nfs4_create_session, V41 | ALONE, NULL },
	[OP_DESTROY_SESSION] = { "DESTROY_SESSION", nfs4_destroy_session, V41 | ALONE, NULL },
	[OP_FREE_STATEID] = { "FREE_STATEID", nfs4_free_stateid, V41, NULL },
	[OP_GET_DIR_DELEGATION] = NOTSUPP("GET_DIR_DELEGATION", V41 | FH),
	[OP_GETDEVICEINFO] = NOTSUPP("GETDEVICEINFO", V41),
	[OP_GETDEVICELIST] = NOTSUPP("GETDEVICELIST", V41 | FH),
	[OP_LAYOUTCOMMIT] = NOTSUPP("LAYOUTCOMMIT", V41 | FH),
	[OP_LAYOUTGET] = NOTSUPP("LAYOUTGET", V41 | FH),
	[OP_LAYOUTRETURN] = NOTSUPP("LAYOUTRETURN", V41 | FH),
	[OP_SECINFO_NO_NAME] = { "SECINFO_NO_NAME", nfs4_secinfo_no_name, V41 | FH, NULL },
	[OP_SEQUENCE] = { "SEQUENCE", nfs4_sequence, V41, NULL },
	[OP_SET_SSV] = NOTSUPP("SET_SSV", V41),
	[OP_TEST_STATEID] = { "TEST_STATEID", nfs4_test_stateid, V41, NULL },
	[OP_WANT_DELEGATION] = NOTSUPP("WANT_DELEGATION", V41),
	[OP_DESTROY_CLIENTID] = { "DESTROY_CLIENTID", nfs4_destroy_clientid, V41 | ALONE, NULL },
	[OP_RECLAIM_COMPLETE] = { "RECLAIM_COMPLETE", nfs4_reclaim_complete, V41, NULL },
};

static const struct nfs4_op nfs4_illegal = { .name = "ILLEGAL" };

static const struct nfs4_op *nfs4_op_find(const struct compound *c, uint32_t number)
{
	const struct nfs4_op *op = &nfs4_illegal;

	if (number < ARRAY_SIZE(nfs4_operations) && nfs4_operations[number].run)
		op = &nfs4_operations[number];
	return c->minor == 0 && (op->flags & V41) ? &nfs4_illegal : op;
}

uint32_t nfs4_too_big(const struct compound *c)
{
	return c->minor ? NFS4ERR_REP_TOO_BIG : NFS4ERR_RESOURCE;
}

/* RFC 8881 section 2.10.2.1 and the descriptions of the operations that create sessions. */
static uint32_t nfs4_op_check_session(const struct compound *c, const struct nfs4_op *op)
{
	bool first = c->index == 0;

	if (op->run == nfs4_sequence)
		return first ? NFS4_OK : NFS4ERR_SEQUENCE_POS;
	if (first && !(op->flags & ALONE))
		return NFS4ERR_OP_NOT_IN_SESSION;
	if (first && c->count > 1)
		return NFS4ERR_NOT_ONLY_OP;
	/* BIND_CONN_TO_SESSION concerns the connection, so it must come alone. */
	return !first && op->run == nfs4_bind_conn_to_session ? NFS4ERR_NOT_ONLY_OP : NFS4_OK;
}

/* Checks before the operation is run. */
static uint32_t nfs4_op_check(const struct compound *c, const struct nfs4_op *op)
{
	uint32_t status = NFS4_OK;

	if (!op->run)
		return NFS4ERR_OP_ILLEGAL;
	if (c->minor)
		status = nfs4_op_check_session(c, op);
	if (status)
		return status;
	if (c->slot.retry)
		return NFS4ERR_RETRY_UNCACHED_REP;
	if (c->minor && (op->flags & V40))
		return NFS4ERR_NOTSUPP;
	if (c->index >= NFS4_OPERATIONS)
		return NFS4ERR_RESOURCE;
	if (((op->flags & FH) && !c->current.fh.len) || ((op->flags & SAVED) && !c->saved.fh.len))
		return NFS4ERR_NOFILEHANDLE;
	return NFS4_OK;
}

/* Whether the reply has room. A following operation needs its number and status. */
static uint32_t nfs4_op_check_room(const struct compound *c)
{
	const struct call *call = c->call;
	size_t next = c->index + 1 < c->count ? 8 : 0, len = call_reply_length(call) + next;

	/* Payloads may go by Write chunk, which is decided later. */
	if (call->reply.bad || call->reply.len + next > call->room)
		return nfs4_too_big(c);
	if (!c->in_session)
		return NFS4_OK;
	if (len > c->slot.response_max)
		return NFS4ERR_REP_TOO_BIG;
	return c->slot.cache && len > c->slot.cached_max ? NFS4ERR_REP_TOO_BIG_TO_CACHE : NFS4_OK;
}

static uint32_t nfs4_op_run(struct compound *c)
{
	struct call *call = c->call;
	const uint32_t payloads = call->payload_count;
	const struct call_read read = call->read;
	const uint32_t number = reader_u32(&call->args);
	uint32_t status, room;

	c->op = nfs4_op_find(c, number);
	writer_u32(&call->reply, c->op->run ? number : OP_ILLEGAL);
	c->status_at = call->reply.len;
	writer_u32(&call->reply, NFS4_OK);
	status = call->args.bad ? NFS4ERR_BADXDR : nfs4_op_check(c, c->op);
	if (!status)
		status = c->op->run(c);
	if (c->slot.replayed)
		return NFS4_OK;
	if (call->args.bad)
		status = NFS4ERR_BADXDR;
	call->args.bad = false;
	room = nfs4_op_check_room(c);
	call->reply.bad = false;
	if (room || status) {
		status = room ? room : status;
		/* A failed operation has only its status as the result, with two exceptions.
		 * One is CLID_INUSE, which has the address of the current owner. */
		if (status != NFS4ERR_CLID_INUSE)
			call->reply.len = c->status_at + 4;
		if (c->op->flags & BITMAP)
			writer_u32(&call->reply, 0);
		call->payload_count = payloads;
		call->read = read;
	}
	/* Record a READ even if it failed. */
	call->read.tried |= c->op->run == nfs4_read;
	put_be32(call->reply.base + c->status_at, status);
	debug(DEBUG_NFS, "xid %08x %s: %u", call->rpc.xid, c->op->name, status);
	return status;
}

static uint32_t nfs4_compound_run(struct compound *c)
{
	struct writer *w = &c->call->reply;
	uint32_t status = NFS4_OK;

	for (; c->index < c->count && !status; c->index++) {
		/* There is no room even for a failure. */
		if (w->cap - w->len < 12)
			return nfs4_too_big(c);
		status = nfs4_op_run(c);
		if (c->slot.replayed)
			return NFS4_OK;
		put_be32(w->base + c->count_at, c->index + 1);
		put_be32(w->base + c->start, status);
	}
	return status;
}

static enum rpc_accept_stat nfs4_compound(struct call *call)
{
	struct compound c = {
		.call = call,
		.state = call->nfs4,
		.args = call->args.p,
		.args_len = reader_left(&call->args),
		.start = call->reply.len,
	};
	uint32_t tag_len, status = NFS4ERR_MINOR_VERS_MISMATCH;
	const uint8_t *tag = reader_opaque(&call->args, NFS4_OPAQUE_LIMIT, &tag_len);

	c.minor = reader_u32(&call->args);
	c.count = reader_u32(&call->args);
	if (call->args.bad)
		return RPC_GARBAGE_ARGS;
	if (!call->nfs4)
		return RPC_PROC_UNAVAIL;
	writer_u32(&call->reply, c.minor > MINOR_MAX ? status : NFS4_OK);
	writer_opaque(&call->reply, tag, tag_len);
	c.count_at = call->reply.len;
	writer_u32(&call->reply, 0);
	if (call->reply.bad)
		return RPC_SYSTEM_ERR;
	if (c.minor <= MINOR_MAX)
		status = nfs4_compound_run(&c);
	if (c.in_session && !c.slot.retry)
		nfs4_slots_end(c.state, &c.slot, call, c.start);
	/* RFC 8166 section 6.1: a chunk that was not of a DDP-eligible argument. */
	return (call->reduced || (call->chunk.len && !call->chunk.taken)) && !status &&
			       !c.slot.replayed
		       ? RPC_GARBAGE_ARGS
		       : RPC_SUCCESS;
}

static enum rpc_accept_stat nfs4_null(struct call *call)
{
	(void)call;
	return RPC_SUCCESS;
}

/* WRITE's data and CREATE's link text may come by Read chunk (RFC 8267 section 6). */
static const struct rpc_procedure nfs4_procedures[] = {
	[NFSPROC4_NULL] = { .name = "NULL", .run = nfs4_null },
	[NFSPROC4_COMPOUND] = { .name = "COMPOUND", .run = nfs4_compound, .reducible = true },
};

const struct rpc_program nfs4_program = {
	.prog = NFS_PROGRAM_NUMBER,
	.vers = 4,
	.procedures = nfs4_procedures,
	.count = ARRAY_SIZE(nfs4_procedures),
};
