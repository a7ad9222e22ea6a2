/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* One NFS operation from request to result, by the version in use: arguments, a slot if there are
 * sessions, the call, and the answers of RPC and NFS. A caller that wants the reply in a chunk
 * offers the chunk; the rest is the same for all. */
#include <stdio.h>

#include "rpcrdma/probe/internal.h"

/* Bounds the tries with a server that loses each session that it creates. */
#define SESSIONS_MAX 3

void operation_init(struct operation *op, enum nfs_op what, const struct nfs_fh *fh)
{
	memset(&op->request, 0, sizeof(op->request));
	op->request.op = what;
	if (fh)
		op->request.fh = *fh;
	op->size = UINT64_MAX;
	op->has_slot = op->started = op->withheld = op->data_inline = false;
	op->stage = OPERATION_CALL;
	memset(&op->result, 0, sizeof(op->result));
	rpcrdma_call_init(&op->call, NFS_PROGRAM_NUMBER, 0, 0);
}

/* The outcome is not known. */
static void operation_lose_slot(struct slots41 *slots, struct operation *op)
{
	if (op->has_slot)
		slots41_lost(slots, &op->request.sequence);
	op->has_slot = false;
}

void operation_fini(struct probe *p, struct operation *op)
{
	operation_lose_slot(&p->client.slots, op);
	rpcrdma_call_fini(&op->call);
}

static bool operation_is_read(enum nfs_op op)
{
	return op == NFS_OP_READ || op == NFS_OP_READ_GETATTR || op == NFS_OP_READ_READ;
}

/* REMOVE excepted: what it removes was made behind this gate, perhaps by a worker that died. */
static bool operation_changes(enum nfs_op op)
{
	return op == NFS_OP_CREATE || op == NFS_OP_SET_MODE || op == NFS_OP_WRITE ||
	       op == NFS_OP_COMMIT;
}

static enum write_gate operation_write_form(const struct operation *op)
{
	if (op->call.call_by_chunk && op->call.read_count)
		return WRITE_ALL;
	return op->call.call_by_chunk || op->call.read_count > 1 ? WRITE_ODD_FORMS
								 : WRITE_AS_CLIENTS;
}

static int operation_pass_write_gate(struct probe *p, struct operation *op)
{
	enum write_gate gate;
	const char *why = "nothing was asked to be written";

	gate = p->options->scratch ? write_allowed(&p->server, &why) : WRITE_NOTHING;
	/* Who only cleans up has not looked at the server. */
	if (op->request.op == NFS_OP_CREATE && p->options->scratch && scratch_was_begun(p))
		gate = WRITE_AS_CLIENTS;
	op->withheld = gate < operation_write_form(op);
	return op->withheld ? err_set(EPERM, "withheld: %s", why) : 0;
}

/* Every READ of a probe or a benchmark passes here, and every operation that changes a file. */
static int operation_pass_gate(struct probe *p, struct operation *op)
{
	const struct gate_request q = {
		.reply_chunk = op->call.reply_count > 0,
		.followed = op->request.op != NFS_OP_READ,
		.offset = op->request.offset,
		.count = op->request.count,
		.size = op->size,
		.most = p->limits.rtmax ? p->limits.rtmax : UINT32_MAX,
	};
	enum gate gate = operation_is_read(op->request.op) ? gate_class(&q) : GATE_OPEN;

	if (operation_changes(op->request.op))
		return operation_pass_write_gate(p, op);
	op->withheld = !gate_lets(p->server.kind, gate);
	if (!op->withheld)
		return 0;
	p->server.withheld[gate]++;
	return err_set(EPERM, "withheld: it can crash nfs-ganesha");
}

static int operation_prepare(struct probe *p, struct operation *op)
{
	ssize_t len;
	int rc;

	rc = operation_pass_gate(p, op);
	if (rc)
		return rc;
	if (p->version->sessions) {
		rc = client41_ready(p);
		if (rc)
			return rc;
		op->has_slot = slots41_take(&p->client.slots, &op->request.sequence);
		if (!op->has_slot)
			return err_set(EBUSY, "all session slots are in use");
	}
	len = p->version->encode(p->version, &op->request, op->args, sizeof(op->args));
	if (len < 0) {
		if (op->has_slot)
			slots41_answered(&p->client.slots, &op->request.sequence, false);
		op->has_slot = false;
		return (int)len;
	}
	op->call.vers = p->version->vers;
	op->call.proc = p->version->proc(op->request.op);
	op->call.cred = &p->cred;
	op->call.args = op->args;
	op->call.args_len = (size_t)len;
	if (op->request.op == NFS_OP_WRITE)
		op->call.data_at = (size_t)len - p->version->write_tail;
	return 0;
}

static void operation_debug(const struct operation *op)
{
	char text[128];

	if (!(debug_mask & (1u << DEBUG_PROBE)))
		return;
	operation_text(op, text, sizeof(text));
	debug(DEBUG_PROBE, "sends %s", text);
}

int operation_start(struct probe *p, struct operation *op, uint64_t deadline)
{
	int rc = operation_prepare(p, op);

	if (rc) {
		op->call.rc = rc;
		snprintf(op->call.text, sizeof(op->call.text), "%.255s", err_text());
		return rc;
	}
	op->started = true;
	operation_debug(op);
	rc = session_start(p, &op->call, deadline);
	op->generation = p->session.generation;
	return rc;
}

/* An RDMA_ERROR ends a call (RFC 8267 section 6.4.2), so the repeated call is a new one: with the
 * same chunks, on the connection that has their memory registered, and with another slot. */
static bool operation_start_again(struct probe *p, struct operation *op)
{
	operation_lose_slot(&p->client.slots, op);
	if (!p->session.conn || op->generation != p->session.generation ||
	    (p->version->sessions && !slots41_in(&p->client.slots, SLOT41_FREE)) ||
	    operation_prepare(p, op))
		return false;
	/* A new session may have replaced the connection. */
	if (!p->session.conn || op->generation != p->session.generation)
		return false;
	rpcrdma_call_fini(&op->call);
	operation_debug(op);
	return !session_start(p, &op->call, session_call_deadline(p, op->request.count));
}

static int operation_decode(const struct nfs_version *version, struct operation *op, bool reduced)
{
	struct reader r;

	reader_init(&r, op->call.results, op->call.results_len);
	return version->decode(version, &op->request, &r, reduced, &op->result);
}

bool operation_left_chunk(const struct operation *op)
{
	return op->data_inline || (op->call.reply_count && !op->call.reply_by_chunk);
}

/* From the reply to the result; sets the stage. */
static int operation_take_reply(struct probe *p, struct operation *op)
{
	const struct rpcrdma_header *h = &op->call.header;
	bool unused;
	int rc;

	op->stage = OPERATION_RPC;
	rc = rpc_reply_check(&op->call.rpc);
	if (rc)
		return rc;
	op->stage = OPERATION_RESULTS;
	rc = operation_decode(p->version, op, op->call.write_count > 0);
	/* The Write chunk was returned without any bytes in it. */
	unused = op->call.write_count && (!h->write_count || !header_chunk_length(h, &h->write[0]));
	if (unused && (rc || op->result.read.len)) {
		op->data_inline = !operation_decode(p->version, op, false);
		/* If the data is not inline either, keep the error of the reduced form. */
		rc = op->data_inline ? 0 : operation_decode(p->version, op, true);
	}
	if (rc)
		return rc;
	op->stage = OPERATION_DONE;
	if (!op->result.status)
		p->liveness.served = p->session.generation;
	if (op->result.sequenced)
		p->client.generation = p->session.generation;
	if (op->has_slot)
		slots41_answered(&p->client.slots, &op->request.sequence, op->result.sequenced);
	op->has_slot = false;
	return 0;
}

int operation_wait(struct probe *p, struct operation *op, uint64_t deadline, bool write_chunk_read)
{
	unsigned int tries = 0;
	int rc;

	op->stage = OPERATION_CALL;
	/* A call that failed before it was sent was not a call. */
	if (!op->started)
		return err_because(err_set(-op->call.rc, "%s", op->call.text),
				   session_reason(op->call.rc));
	p->session.waiting = op;
	rc = session_wait(p, &op->call, deadline, write_chunk_read);
	while (session_again(p, &op->call, &tries)) {
		if (!operation_start_again(p, op)) {
			session_gave_up(&p->behaviour.refused, &op->call);
			break;
		}
		rc = session_wait(p, &op->call, session_call_deadline(p, op->request.count),
				  write_chunk_read);
	}
	p->session.waiting = NULL;
	if (!rc)
		rc = operation_take_reply(p, op);
	/* An unreadable answer does not tell whether the slot's sequence advanced. */
	operation_lose_slot(&p->client.slots, op);
	return rc;
}

int operation_once(struct probe *p, struct operation *op, uint32_t bytes)
{
	uint64_t deadline = session_call_deadline(p, bytes);

	operation_start(p, op, deadline);
	return operation_wait(p, op, deadline, false);
}

bool operation_again(struct probe *p, const struct operation *op, struct retries *retries)
{
	if (op->stage != OPERATION_DONE || !op->result.status)
		return false;
	if (client41_forgotten(p, op))
		return retries->sessions++ < SESSIONS_MAX;
	return session_later(p, op->result.status, retries);
}

int operation_run(struct probe *p, struct operation *op)
{
	struct retries retries = { 0 };
	unsigned int tries = 0;
	int rc;

	op->repeated = false;
	for (;;) {
		rc = operation_once(p, op, op->request.count);
		op->repeated |= session_is_failure(rc);
		/* A failure is noted; try once more, so that it does not hide later results. */
		if (!(session_is_failure(rc) && !tries++ && !p->session.hopeless) &&
		    !operation_again(p, op, &retries))
			return rc;
		/* As before the first try. */
		operation_fini(p, op);
		op->started = false;
		rpcrdma_call_init(&op->call, NFS_PROGRAM_NUMBER, 0, 0);
	}
}

static const char *const op_names[NFS_OP_COUNT] = {
	[NFS_OP_GETATTR] = "GETATTR",     [NFS_OP_LOOKUP] = "LOOKUP",
	[NFS_OP_READLINK] = "READLINK",   [NFS_OP_READ] = "READ",
	[NFS_OP_READDIR] = "READDIR",     [NFS_OP_LIMITS] = "a call for the largest READ",
	[NFS_OP_ROOT] = "PUTROOTFH",      [NFS_OP_READ_GETATTR] = "READ and GETATTR",
	[NFS_OP_READ_READ] = "two READs", [NFS_OP_SPACE] = "a call for the free space",
	[NFS_OP_CREATE] = "CREATE",       [NFS_OP_SET_MODE] = "SETATTR",
	[NFS_OP_WRITE] = "WRITE",         [NFS_OP_COMMIT] = "COMMIT",
	[NFS_OP_REMOVE] = "REMOVE",
};

void operation_text(const struct operation *op, char *buf, size_t cap)
{
	const struct nfs_request *q = &op->request;
	size_t used;

	snprintf(buf, cap, "%s", op_names[q->op]);
	used = strlen(buf);
	if (operation_is_read(q->op) || q->op == NFS_OP_WRITE)
		snprintf(buf + used, cap - used, " of %u bytes at offset %llu", q->count,
			 (unsigned long long)q->offset);
	used = strlen(buf);
	snprintf(buf + used, cap - used, " %s (NFSv%u)",
		 op->call.read_count      ? "by Read chunk"
		 : op->call.call_by_chunk ? "as long call"
		 : op->call.write_count   ? "by Write chunk"
		 : op->call.reply_count   ? "by Reply chunk"
					  : "inline",
		 op->call.vers);
}

/* NFS errors as an errno and as a reason. */
static const struct {
	uint32_t status;
	int errnum;
	const char *reason;
} status_errors[] = {
	{ NFS4ERR_WRONGSEC, EACCES, "kerberos" }, { NFS4ERR_ACCESS, EACCES, "denied" },
	{ NFS4ERR_PERM, EACCES, "denied" },       { NFS4ERR_NOENT, ENOENT, "not-found" },
	{ NFS4ERR_STALE, ESTALE, "stale" },       { NFS4ERR_GRACE, EAGAIN, "grace" },
	{ NFS4ERR_NOSPC, ENOSPC, "no-space" },    { NFS4ERR_DQUOT, EDQUOT, "no-space" },
	{ NFS4ERR_ROFS, EROFS, "read-only" },     { NFS4ERR_EXIST, EEXIST, "exists" },
	{ NFS4ERR_DELAY, EAGAIN, "busy" },        { NFS4ERR_MOVED, EREMOTE, "moved" },
};

int operation_error(const struct nfs_version *version, uint32_t status)
{
	const char *reason = "status";
	int errnum = EIO;
	char busy[96];
	size_t i;

	if (!status)
		return 0;
	for (i = 0; i < ARRAY_SIZE(status_errors); i++)
		if (status_errors[i].status == status) {
			errnum = status_errors[i].errnum;
			reason = status_errors[i].reason;
		}
	if (nfs_status_is_later(status))
		err_set(errnum, "%s", session_busy_text(version, status, busy, sizeof(busy)));
	else
		err_set(errnum, "%s", version->status_text(status));
	return err_because(-errnum, reason);
}

int operation_check(const struct nfs_version *version, const struct operation *op, int rc)
{
	return rc ? rc : operation_error(version, op->result.status);
}

int operation_getattr(struct probe *p, const struct nfs_fh *fh, struct nfs_attr *attr)
{
	struct operation op;
	int rc;

	operation_init(&op, NFS_OP_GETATTR, fh);
	rc = operation_check(p->version, &op, operation_run(p, &op));
	if (!rc && !op.result.has_attr)
		rc = err_set(EBADMSG, "no attributes returned");
	if (!rc)
		*attr = op.result.attr;
	operation_fini(p, &op);
	return err_context(rc, "GETATTR");
}
