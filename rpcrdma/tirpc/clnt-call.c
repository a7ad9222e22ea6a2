/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* A call of a CLIENT. Its arguments are encoded and sent inline or as a Read chunk, depending on
 * their length (rpcrdma/client). A result that may not fit in a Send gets a Reply chunk (RFC 8166
 * section 3.5.3). The semantics of clnt_call(3) are as over TCP.
 *
 * The memory of a Reply chunk is reused for the next call. A call that times out keeps its own,
 * and its credit, until the reply arrives or the CLIENT is destroyed: the server may still write
 * there. */
#include "rpcrdma/tirpc/internal.h"

#define REFRESHES_MAX 2     /* of a credential that the server rejects */
#define ONE_WAY_MS    10000 /* to send a one-way call */

/* One call and the memory of its Reply chunk. */
struct clnt_attempt {
	struct clnt_attempt *next;
	struct rpcrdma_call call;
	struct rpcrdma_memory reply; /* base NULL: there is no Reply chunk */
};

/* The call, as passed to cl_call. */
struct clnt_request {
	rpcproc_t proc;
	xdrproc_t xdr_args;
	void *args;
	xdrproc_t xdr_results;
	void *results;
	uint64_t deadline;
	bool one_way; /* a time-out of zero: do not wait for a reply */
};

static enum clnt_stat clnt_call_fail(struct clnt *c, enum clnt_stat stat, int errnum)
{
	c->error.re_status = stat;
	c->error.re_errno = errnum;
	return stat;
}

/* Errors that mean the same at any step; others mean failure to send or to receive. */
static enum clnt_stat clnt_call_fail_rc(struct clnt *c, int rc, enum clnt_stat otherwise)
{
	static const struct {
		int errnum;
		enum clnt_stat stat;
	} rows[] = {
		{ ETIMEDOUT, RPC_TIMEDOUT },
		{ EBADMSG, RPC_CANTDECODERES },
		{ EILSEQ, RPC_CANTDECODERES },
		{ ENOMEM, RPC_SYSTEMERROR },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++)
		if (rows[i].errnum == -rc)
			return clnt_call_fail(c, rows[i].stat, -rc);
	return clnt_call_fail(c, otherwise, -rc);
}

/* Attempts */

static void clnt_attempt_free(struct clnt *c, struct clnt_attempt *a)
{
	if (!a)
		return;
	rpcrdma_forget(c->conn, &a->call);
	rpcrdma_deregister(c->conn, &a->reply);
	rpcrdma_call_fini(&a->call);
	free(a->reply.base);
	free(a);
}

void clnt_call_forget_all(struct clnt *c)
{
	struct clnt_attempt *a;

	clnt_attempt_free(c, take_ptr(c->idle));
	while ((a = c->overdue)) {
		c->overdue = a->next;
		clnt_attempt_free(c, a);
	}
}

/* Frees overdue calls whose reply has arrived. */
static void clnt_call_forget_answered(struct clnt *c)
{
	struct clnt_attempt **link = &c->overdue;
	struct clnt_attempt *a;

	while ((a = *link)) {
		if (a->call.rc == -EINPROGRESS) {
			link = &a->next;
			continue;
		}
		*link = a->next;
		clnt_attempt_free(c, a);
	}
}

/* Reuses the idle one if the bound of results is unchanged. */
static int clnt_attempt_new(struct clnt *c, struct clnt_attempt **out)
{
	struct clnt_attempt *a = take_ptr(c->idle);
	uint32_t len = c->result_max + RPC_REPLY_HEAD_MAX;
	int rc = 0;

	/* No Reply chunk if the largest result fits in a Send. */
	if (RPCRDMA_HEADER_MIN + len <= rpcrdma_reply_inline(c->conn))
		len = 0;
	if (a && a->reply.length == len) {
		*out = a;
		return 0;
	}
	clnt_attempt_free(c, a);
	a = calloc(1, sizeof(*a));
	if (!a)
		return err_no_memory();
	rpcrdma_call_init(&a->call, 0, 0, 0);
	a->call.rc = 0; /* not in flight */
	if (len) {
		a->reply.base = malloc(len);
		a->reply.length = a->reply.base ? len : 0;
		rc = a->reply.base ? rpcrdma_register(c->conn, &a->reply)
				   : err_context(err_no_memory(), "reply of %u bytes", len);
	}
	if (rc)
		clnt_attempt_free(c, a);
	else
		*out = a;
	return rc;
}

/* Encoding */

/* The length is known only after encoding: short arguments are encoded once, long ones are
 * measured first. Returns NULL with c->error set. */
static uint8_t *clnt_call_encode_args(struct clnt *c, const struct clnt_request *w, uint8_t *buf,
				      size_t cap, size_t *len)
{
	unsigned long size;
	uint8_t *args;
	XDR xdrs;

	*len = 0;
	if (!w->xdr_args)
		return buf;
	xdrmem_create(&xdrs, (char *)buf, (u_int)cap, XDR_ENCODE);
	if (w->xdr_args(&xdrs, w->args)) {
		*len = xdr_getpos(&xdrs);
		return buf;
	}
	size = xdr_sizeof(w->xdr_args, w->args);
	if (size > RPCRDMA_MESSAGE_MAX) {
		err_set(EMSGSIZE, "arguments of %lu bytes, a call has %d at most", size,
			RPCRDMA_MESSAGE_MAX);
		clnt_call_fail(c, RPC_CANTSEND, EMSGSIZE);
		return NULL;
	}
	args = malloc(size ? size : 1);
	if (!args) {
		clnt_call_fail(c, RPC_SYSTEMERROR, ENOMEM);
		return NULL;
	}
	xdrmem_create(&xdrs, (char *)args, (u_int)size, XDR_ENCODE);
	if (!size || !w->xdr_args(&xdrs, w->args)) {
		err_set(EINVAL, "the arguments cannot be encoded");
		clnt_call_fail(c, RPC_CANTENCODEARGS, EINVAL);
		free(args);
		return NULL;
	}
	*len = xdr_getpos(&xdrs);
	return args;
}

/* Credential and verifier from the AUTH's own functions; an AUTH that encrypts or signs the
 * arguments would have to process those as well. */
static enum clnt_stat clnt_call_encode_auth(struct clnt *c, AUTH *auth, uint8_t buf[RPC_AUTH_MAX],
					    size_t *len)
{
	XDR xdrs;

	switch (auth->ah_cred.oa_flavor) {
	case AUTH_NONE:
	case AUTH_SYS:
	case AUTH_SHORT: break;
	default:
		err_set(EACCES, "authentication flavour %d is not supported",
			auth->ah_cred.oa_flavor);
		c->error.re_status = RPC_AUTHERROR;
		c->error.re_why = AUTH_FAILED;
		return RPC_AUTHERROR;
	}
	xdrmem_create(&xdrs, (char *)buf, RPC_AUTH_MAX, XDR_ENCODE);
	if (!AUTH_MARSHALL(auth, &xdrs)) {
		err_set(EINVAL, "the credential cannot be encoded");
		return clnt_call_fail(c, RPC_CANTENCODEARGS, EINVAL);
	}
	*len = xdr_getpos(&xdrs);
	return RPC_SUCCESS;
}

/* Replies */

/* Converts to libtirpc's form, which it and the AUTHs evaluate. */
static void clnt_call_reply_msg(const struct rpc_reply *reply, struct rpc_msg *msg)
{
	memset(msg, 0, sizeof(*msg));
	msg->rm_xid = reply->xid;
	msg->rm_direction = REPLY;
	if (reply->reply_stat == RPC_MSG_ACCEPTED) {
		msg->rm_reply.rp_stat = MSG_ACCEPTED;
		msg->acpted_rply.ar_stat = (enum accept_stat)reply->accept_stat;
		msg->acpted_rply.ar_verf.oa_flavor = (enum_t)reply->verf_flavor;
		memcpy(&msg->acpted_rply.ar_verf.oa_base, &reply->verf, sizeof(reply->verf));
		msg->acpted_rply.ar_verf.oa_length = reply->verf_len;
		if (reply->accept_stat == RPC_PROG_MISMATCH) {
			msg->acpted_rply.ar_vers.low = reply->low;
			msg->acpted_rply.ar_vers.high = reply->high;
		}
		return;
	}
	msg->rm_reply.rp_stat = MSG_DENIED;
	msg->rjcted_rply.rj_stat = (enum reject_stat)reply->reject_stat;
	if (reply->reject_stat == RPC_MISMATCH) {
		msg->rjcted_rply.rj_vers.low = reply->low;
		msg->rjcted_rply.rj_vers.high = reply->high;
	} else {
		msg->rjcted_rply.rj_why = (enum auth_stat)reply->auth_stat;
	}
}

/* @again: the credential was refreshed, and the call may be repeated. */
static enum clnt_stat clnt_call_judge(struct clnt *c, AUTH *auth, const struct clnt_request *w,
				      const struct rpcrdma_call *call, bool *again)
{
	struct rpc_msg msg;
	char *results;
	XDR xdrs;

	clnt_call_reply_msg(&call->rpc, &msg);
	_seterr_reply(&msg, &c->error);
	if (c->error.re_status != RPC_SUCCESS) {
		rpc_reply_check(&call->rpc); /* the error text */
		*again = c->error.re_status == RPC_AUTHERROR && AUTH_REFRESH(auth, &msg);
		return c->error.re_status;
	}
	if (!AUTH_VALIDATE(auth, &msg.acpted_rply.ar_verf)) {
		err_set(EACCES, "the verifier of the reply is not valid");
		c->error.re_status = RPC_AUTHERROR;
		c->error.re_why = AUTH_INVALIDRESP;
		return RPC_AUTHERROR;
	}
	if (!w->xdr_results)
		return RPC_SUCCESS;
	memcpy(&results, &call->results, sizeof(results));
	xdrmem_create(&xdrs, results, (u_int)call->results_len, XDR_DECODE);
	if (w->xdr_results(&xdrs, w->results))
		return RPC_SUCCESS;
	err_set(EBADMSG, "the results, %zu bytes, cannot be decoded", call->results_len);
	return clnt_call_fail(c, RPC_CANTDECODERES, EBADMSG);
}

/* The call */

static enum clnt_stat clnt_call_send(struct clnt *c, AUTH *auth, const struct clnt_request *w,
				     struct clnt_attempt *a)
{
	uint8_t auth_buf[RPC_AUTH_MAX], args_buf[RPCRDMA_INLINE_SIZE], *args;
	struct rpcrdma_call *call = &a->call;
	enum clnt_stat stat;
	size_t auth_len;
	int rc;

	rpcrdma_call_init(call, (uint32_t)c->prog, (uint32_t)c->vers, (uint32_t)w->proc);
	call->rc = 0; /* not in flight yet */
	stat = clnt_call_encode_auth(c, auth, auth_buf, &auth_len);
	if (stat)
		return stat;
	args = clnt_call_encode_args(c, w, args_buf, sizeof(args_buf), &call->args_len);
	if (!args)
		return c->error.re_status;
	call->args = args;
	call->auth = auth_buf;
	call->auth_len = auth_len;
	call->reply = &a->reply;
	call->reply_count = a->reply.base ? 1 : 0;
	call->send_ms = RPCRDMA_SEND_MS;
	rc = rpcrdma_start(c->conn, call, w->deadline);
	c->xid = call->xid;
	if (args != args_buf)
		free(args);
	/* Both were copied. */
	call->args = NULL;
	call->auth = NULL;
	return rc ? clnt_call_fail_rc(c, rc, RPC_CANTSEND) : RPC_SUCCESS;
}

static enum clnt_stat clnt_call_once(struct clnt *c, AUTH *auth, const struct clnt_request *w,
				     bool *again)
{
	struct clnt_attempt *a = NULL;
	enum clnt_stat stat;
	int rc;

	rc = clnt_attempt_new(c, &a);
	if (rc)
		return clnt_call_fail_rc(c, rc, RPC_SYSTEMERROR);
	stat = clnt_call_send(c, auth, w, a);
	/* As over TCP: a batched call also requests no results. */
	if (!stat && w->one_way) {
		stat = w->xdr_results ? clnt_call_fail(c, RPC_TIMEDOUT, ETIMEDOUT) : RPC_SUCCESS;
	} else if (!stat) {
		rc = rpcrdma_poll(c->conn, &a->call, w->deadline);
		stat = rc ? clnt_call_fail_rc(c, rc, RPC_CANTRECV)
			  : clnt_call_judge(c, auth, w, &a->call, again);
	}
	/* Its memory is reused only if the server is done with it. */
	if (a->call.rc == -EINPROGRESS) {
		a->next = c->overdue;
		c->overdue = a;
	} else if (a->call.rc) {
		clnt_attempt_free(c, a);
	} else {
		rpcrdma_call_fini(&a->call);
		c->idle = a;
	}
	return stat;
}

enum clnt_stat clnt_call_run(CLIENT *client, rpcproc_t proc, xdrproc_t xdr_args, void *args,
			     xdrproc_t xdr_results, void *results, struct timeval timeout)
{
	struct clnt *c = client->cl_private;
	struct clnt_request w = {
		.proc = proc,
		.xdr_args = xdr_args,
		.args = args,
		.xdr_results = xdr_results,
		.results = results,
	};
	unsigned int refreshes = 0;
	uint64_t ms;
	enum clnt_stat stat;
	bool again;

	rpcrdma_lock(c->conn);
	/* CLSET_TIMEOUT overrides the call's time-out. */
	if (!c->wait_set && clnt_is_timeout(&timeout))
		c->wait = timeout;
	w.one_way = !c->wait.tv_sec && !c->wait.tv_usec;
	ms = (uint64_t)c->wait.tv_sec * 1000 + ((uint64_t)c->wait.tv_usec + 999) / 1000;
	w.deadline = now_ms() + (ms ? ms : ONE_WAY_MS);
	clnt_call_forget_answered(c);
	do {
		again = false;
		memset(&c->error, 0, sizeof(c->error));
		stat = clnt_call_once(c, client->cl_auth, &w, &again);
	} while (again && refreshes++ < REFRESHES_MAX);
	rpcrdma_unlock(c->conn);
	return stat;
}
