/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* NFSv4 COMPOUNDs made by hand, for tests of the server without a connection: an operation is its
 * number and then whatever the test writes to ->args; the answer is read in the same way, whole
 * as TCP would have it. */
#ifndef TESTS_SUPPORT_COMPOUND_H
#define TESTS_SUPPORT_COMPOUND_H

#include "rpcrdma/server/nfs4-internal.h"

#define COMPOUND_REPLY_MAX (SERVER_REPLY_MAX + SERVER_SCRATCH_MAX)

struct compound_test {
	struct export *exp;
	struct nfs4_state *state;
	struct rpc_cred cred;
	bool reduced;
	size_t room; /* 0: SERVER_REPLY_MAX */

	/* the call: minor version, operations */
	struct writer args;
	uint32_t minor, ops;
	uint8_t args_buf[64 * 1024];

	/* the answer */
	struct call call;
	struct rpc_reply reply;
	struct reader results; /* at the first operation's, then behind compound_result() */
	uint32_t status, count;
	uint8_t scratch[SERVER_SCRATCH_MAX];
	uint8_t reply_buf[SERVER_REPLY_MAX];
	uint8_t whole[COMPOUND_REPLY_MAX];

	/* 4.1: SEQUENCE by compound_sequence() */
	uint8_t session[NFS4_SESSIONID_SIZE];
	uint32_t slot, sequenceid; /* of the last */
	bool cache;
};

static inline void compound_start(struct compound_test *t, uint32_t minor)
{
	writer_init(&t->args, t->args_buf, sizeof(t->args_buf));
	t->minor = minor;
	t->ops = 0;
}

/* A bit of its word of a bitmap4. */
#define BIT(attr) (1u << (attr) % 32)

static inline void compound_bitmap(struct compound_test *t, uint32_t a, uint32_t b, uint32_t c)
{
	nfs4_put_bitmap(&t->args, &(struct nfs4_bitmap){ .word = { a, b, c } });
}

static inline struct writer *compound_op(struct compound_test *t, uint32_t op)
{
	t->ops++;
	writer_u32(&t->args, op);
	return &t->args;
}

/* The COMPOUND's arguments before its operations. */
static inline void compound_head(const struct compound_test *t, struct writer *w)
{
	writer_u32(w, 0); /* tag */
	writer_u32(w, t->minor);
	writer_u32(w, t->ops);
}

/* Reply and payloads in one piece. */
static inline size_t compound_flatten(const struct call *call, uint8_t *out, size_t cap)
{
	static const uint8_t zeros[4];
	struct writer w;
	size_t done = 0;
	uint32_t i;

	writer_init(&w, out, cap);
	for (i = 0; i < call->payload_count; i++) {
		const struct payload *p = &call->payload[i];

		writer_bytes(&w, call->reply.base + done, p->at - done);
		writer_bytes(&w, p->data, p->len);
		writer_bytes(&w, zeros, xdr_pad4(p->len) - p->len);
		done = p->at;
	}
	writer_bytes(&w, call->reply.base + done, call->reply.len - done);
	return w.bad ? 0 : w.len;
}

/* These bytes as a COMPOUND. They are on the heap and of their own size, so that a sanitizer sees
 * a byte too many. 0: there is a reply, and it parses; its accept_stat may be anything. */
static inline int compound_run_bytes(struct compound_test *t, const void *args, size_t len)
{
	const struct rpc_call rpc = {
		.xid = 9,
		.prog = NFS_PROGRAM_NUMBER,
		.vers = 4,
		.proc = NFSPROC4_COMPOUND,
		.cred = t->cred,
	};
	uint8_t *message = malloc(600 + len);
	struct writer w;
	size_t whole;
	uint8_t *exact;
	int rc;

	writer_init(&w, message, 600 + len);
	rpc_call_encode(&w, &rpc);
	writer_bytes(&w, args, len);
	exact = malloc(w.len);
	memcpy(exact, message, w.len);
	free(message);
	memset(&t->call, 0, sizeof(t->call));
	reader_init(&t->call.args, exact, w.len);
	t->call.exp = t->exp;
	t->call.nfs4 = t->state;
	t->call.scratch = t->scratch;
	t->call.rtmax = SERVER_READ_MAX;
	t->call.room = t->room ? t->room : SERVER_REPLY_MAX;
	t->call.reduced = t->reduced;
	writer_init(&t->call.reply, t->reply_buf, sizeof(t->reply_buf));
	rc = dispatch_call(&t->call, dispatch_tcp);
	free(exact);
	if (rc)
		return rc;
	whole = compound_flatten(&t->call, t->whole, sizeof(t->whole));
	reader_init(&t->results, t->whole, whole);
	rc = rpc_reply_decode(&t->reply, &t->results);
	if (rc || rpc_reply_check(&t->reply))
		return rc;
	t->status = reader_u32(&t->results);
	reader_opaque(&t->results, NFS4_OPAQUE_LIMIT, &(uint32_t){ 0 });
	t->count = reader_u32(&t->results);
	return t->results.bad ? -EBADMSG : 0;
}

/* The COMPOUND's status, or UINT32_MAX when there is none. */
static inline uint32_t compound_run(struct compound_test *t)
{
	struct writer w;
	uint32_t status = UINT32_MAX;
	uint8_t *buf = malloc(12 + t->args.len);

	writer_init(&w, buf, 12 + t->args.len);
	compound_head(t, &w);
	writer_bytes(&w, t->args.base, t->args.len);
	if (!compound_run_bytes(t, buf, w.len) && !rpc_reply_check(&t->reply))
		status = t->status;
	free(buf);
	return status;
}

/* The next result: its status, or UINT32_MAX when it is of another operation. */
static inline uint32_t compound_result(struct compound_test *t, uint32_t op)
{
	uint32_t got = reader_u32(&t->results), status = reader_u32(&t->results);

	return got == op && !t->results.bad ? status : UINT32_MAX;
}

/* Passes by results that have no body. */
static inline bool compound_pass(struct compound_test *t, uint32_t op)
{
	return compound_result(t, op) == NFS4_OK;
}

/* A COMPOUND in the session begins: the slot's next call. */
static inline void compound_sequence_as(struct compound_test *t, uint32_t sequenceid)
{
	struct writer *w;

	compound_start(t, 1);
	w = compound_op(t, OP_SEQUENCE);
	writer_bytes(w, t->session, sizeof(t->session));
	writer_u32(w, sequenceid);
	writer_u32(w, t->slot);
	writer_u32(w, t->slot);
	writer_bool(w, t->cache);
}

static inline void compound_sequence(struct compound_test *t)
{
	compound_sequence_as(t, ++t->sequenceid);
}

static inline bool compound_pass_sequence(struct compound_test *t)
{
	return compound_pass(t, OP_SEQUENCE) && reader_bytes(&t->results, 36);
}

static inline void compound_name(struct compound_test *t, const char *name)
{
	writer_opaque(&t->args, name, (uint32_t)strlen(name));
}

/* PUTROOTFH, and LOOKUP unless the name is empty. */
static inline void compound_path(struct compound_test *t, const char *name)
{
	compound_op(t, OP_PUTROOTFH);
	if (!*name)
		return;
	compound_op(t, OP_LOOKUP);
	compound_name(t, name);
}

static inline bool compound_pass_path(struct compound_test *t, const char *name)
{
	return compound_pass(t, OP_PUTROOTFH) && (!*name || compound_pass(t, OP_LOOKUP));
}

static inline void compound_read(struct compound_test *t, const struct nfs4_stateid *stateid,
				 uint64_t offset, uint32_t count)
{
	struct writer *w = compound_op(t, OP_READ);

	nfs4_put_stateid(w, stateid);
	writer_u64(w, offset);
	writer_u32(w, count);
}

static const struct nfs4_stateid compound_anonymous = { 0 };

/* 4.1: EXCHANGE_ID and CREATE_SESSION. */

static inline uint32_t compound_exchange_id(struct compound_test *t, const char *owner,
					    const char *verifier, uint32_t flags,
					    uint64_t *clientid, uint32_t *sequenceid)
{
	struct writer *w;
	uint32_t status;

	*clientid = *sequenceid = 0;
	compound_start(t, 1);
	w = compound_op(t, OP_EXCHANGE_ID);
	writer_bytes(w, verifier, NFS4_VERIFIER_SIZE);
	compound_name(t, owner);
	writer_u32(w, flags);
	writer_u32(w, SP4_NONE);
	writer_u32(w, 0);
	status = compound_run(t);
	if (status)
		return status;
	compound_result(t, OP_EXCHANGE_ID);
	*clientid = reader_u64(&t->results);
	*sequenceid = reader_u32(&t->results);
	return NFS4_OK;
}

static inline void compound_channel(struct writer *w, const struct nfs4_channel *channel)
{
	writer_u32(w, 0);
	writer_u32(w, channel->request_max);
	writer_u32(w, channel->response_max);
	writer_u32(w, channel->cached_max);
	writer_u32(w, channel->operations);
	writer_u32(w, channel->requests);
	writer_u32(w, 0);
}

static inline uint32_t compound_create_session(struct compound_test *t, uint64_t clientid,
					       uint32_t sequenceid,
					       const struct nfs4_channel *channel)
{
	struct writer *w;
	const uint8_t *id;

	compound_start(t, 1);
	w = compound_op(t, OP_CREATE_SESSION);
	writer_u64(w, clientid);
	writer_u32(w, sequenceid);
	writer_u32(w, 3); /* persist and backchannel, please */
	compound_channel(w, channel);
	compound_channel(w, channel);
	writer_u32(w, 0x40000000);
	writer_u32(w, 1);
	writer_u32(w, RPC_AUTH_NONE);
	if (compound_run(t))
		return t->status;
	compound_result(t, OP_CREATE_SESSION);
	id = reader_bytes(&t->results, sizeof(t->session));
	if (id)
		memcpy(t->session, id, sizeof(t->session));
	t->slot = 0;
	t->sequenceid = 0;
	return NFS4_OK;
}

static const struct nfs4_channel compound_wishes = {
	.request_max = 1024 * 1024,
	.response_max = 2 * 1024 * 1024,
	.cached_max = 8192,
	.operations = 100,
	.requests = 64,
};

/* A client with a session, as long as there is room. */
static inline uint32_t compound_session(struct compound_test *t, const char *owner,
					uint64_t *clientid)
{
	uint32_t sequenceid = 0, status;

	status = compound_exchange_id(t, owner, "verifier", 0, clientid, &sequenceid);
	return status ? status
		      : compound_create_session(t, *clientid, sequenceid, &compound_wishes);
}

/* Everything in a session of 4.1, or without one in 4.0. */
static inline void compound_begin(struct compound_test *t, uint32_t minor)
{
	if (minor)
		compound_sequence(t);
	else
		compound_start(t, 0);
}

static inline bool compound_pass_begin(struct compound_test *t, uint32_t minor)
{
	return !minor || compound_pass_sequence(t);
}

static inline void compound_free(struct compound_test *t)
{
	if (!t)
		return;
	if (t->state)
		nfs4_state_free(t->state);
	if (t->exp)
		export_free(t->exp);
	free(t);
}

/* A server of the export in memory, without clients. NULL: no memory. */
static inline struct compound_test *compound_new(void)
{
	struct compound_test *t = calloc(1, sizeof(*t));

	if (t && !export_memory_new(&t->exp) && !nfs4_state_new(&t->state))
		return t;
	compound_free(t);
	return NULL;
}

/* The server's clock in tests, in milliseconds. */
static uint64_t compound_now;

static inline uint64_t compound_clock(void)
{
	return compound_now;
}

static inline void compound_wait(unsigned int seconds)
{
	compound_now += seconds * UINT64_C(1000);
}

/* The server again, as if nobody had called, with a clock that compound_wait() moves. False: no
 * memory. */
static inline bool compound_restart(struct compound_test *t)
{
	if (t->state)
		nfs4_state_free(t->state);
	t->state = NULL;
	if (nfs4_state_new(&t->state))
		return false;
	nfs4_state_clock(t->state, compound_clock);
	compound_now = 1000000;
	t->cache = false;
	t->cred = (struct rpc_cred){ .flavor = RPC_AUTH_NONE };
	return true;
}

#endif
