/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Calls: built with the chunks that the caller chose, sent when a credit is free, matched by
 * xid (reply.c), ended by a reply, by the connection's end or by a deadline. */
#include <stdio.h>

#include "rpcrdma/client/internal.h"

void rpcrdma_call_init(struct rpcrdma_call *call, uint32_t prog, uint32_t vers,
		       uint32_t proc)
{
	memset(call, 0, offsetof(struct rpcrdma_call, header));
	memset(&call->rpc, 0, sizeof(*call) - offsetof(struct rpcrdma_call, rpc));
	call->prog = prog;
	call->vers = vers;
	call->proc = proc;
	call->rc = -EINPROGRESS;
}

void rpcrdma_call_fini(struct rpcrdma_call *call)
{
	free(call->message);
	call->message = NULL;
	call->results = NULL;
}

void call_finish(struct rpcrdma_conn *conn, struct rpcrdma_call *call, int rc,
		 const char *text)
{
	struct rpcrdma_call **link = &conn->calls;

	while (*link && *link != call)
		link = &(*link)->next;
	if (*link) {
		*link = call->next;
		conn->in_flight--;
	}
	call->next = NULL;
	call->rc = rc;
	call->done_ns = now_ns();
	snprintf(call->text, sizeof(call->text), "%s", rc ? text : "");
}

void call_fail_all(struct rpcrdma_conn *conn, int rc)
{
	if (!conn->broken) {
		conn->broken = rc;
		snprintf(conn->broken_text, sizeof(conn->broken_text), "%.255s",
			 err_text());
	}
	while (conn->calls)
		call_finish(conn, conn->calls, rc, conn->broken_text);
}

static int add_chunks(struct rpcrdma_header *h, const struct rpcrdma_call *call)
{
	struct rpcrdma_segment segments[RPCRDMA_MAX_SEGMENTS];
	uint32_t i;
	int rc;

	if (call->write_count > RPCRDMA_MAX_SEGMENTS ||
	    call->reply_count > RPCRDMA_MAX_SEGMENTS)
		return err_set(E2BIG, "a chunk of %u segments, %u at most",
			       call->write_count + call->reply_count,
			       RPCRDMA_MAX_SEGMENTS);
	for (i = 0; i < call->write_count; i++)
		segments[i] = (struct rpcrdma_segment){ call->write[i].region.handle,
							call->write[i].length,
							call->write[i].region.offset };
	rc = call->write_count ? header_add_write(h, segments, call->write_count) : 0;
	if (rc)
		return rc;
	for (i = 0; i < call->reply_count; i++)
		segments[i] = (struct rpcrdma_segment){ call->reply[i].region.handle,
							call->reply[i].length,
							call->reply[i].region.offset };
	return call->reply_count ? header_set_reply(h, segments, call->reply_count) : 0;
}

/* The whole Send: transport header, RPC call header, arguments. */
static int build(struct rpcrdma_conn *conn, struct rpcrdma_call *call, struct writer *w)
{
	static const struct rpc_cred none = { .flavor = RPC_AUTH_NONE };
	struct rpc_call rpc = {
		.xid = call->xid,
		.prog = call->prog,
		.vers = call->vers,
		.proc = call->proc,
		.cred = call->cred ? *call->cred : none,
	};
	struct rpcrdma_header *h = &call->header; /* the reply will overwrite it */
	int rc;

	header_init(h, call->xid, conn->wanted, RDMA_MSG);
	rc = add_chunks(h, call);
	if (rc)
		return rc;
	rc = header_encode(w, h);
	if (!rc) {
		rpc_call_encode(w, &rpc);
		writer_bytes(w, call->args, call->args_len);
	}
	if (rc || w->bad)
		return err_set(
			EMSGSIZE,
			"the call is longer than the inline threshold of %zu bytes",
			w->cap);
	return 0;
}

/* Receives one message and lets it find its call. */
static int progress(struct rpcrdma_conn *conn, uint64_t deadline)
{
	const struct transport_ops *ops = conn->transport->ops;
	struct transport_msg msg;
	int rc;

	rc = ops->recv(conn->transport, &msg, deadline);
	if (rc == -ETIMEDOUT)
		return rc;
	if (rc) {
		call_fail_all(conn, rc);
		return rc;
	}
	reply_receive(conn, &msg);
	ops->repost(conn->transport, &msg);
	return 0;
}

static int broken(const struct rpcrdma_conn *conn)
{
	return err_set(-conn->broken, "%s", conn->broken_text);
}

static void append(struct rpcrdma_conn *conn, struct rpcrdma_call *call)
{
	struct rpcrdma_call **link = &conn->calls;

	while (*link)
		link = &(*link)->next;
	*link = call;
	conn->in_flight++;
}

static int start(struct rpcrdma_conn *conn, struct rpcrdma_call *call, uint64_t deadline)
{
	uint8_t buf[RPCRDMA_INLINE_SIZE];
	struct iovec iov = { .iov_base = buf };
	struct writer w;
	int rc;

	while (!conn->broken && conn->in_flight >= rpcrdma_credits(conn)) {
		rc = progress(conn, deadline);
		if (rc)
			return rc;
	}
	if (conn->broken)
		return broken(conn);
	call->xid = conn->next_xid++;
	writer_init(&w, buf, min_u32(sizeof(buf), conn->call_inline));
	rc = build(conn, call, &w);
	if (rc)
		return rc;
	iov.iov_len = w.len;
	call->sent_ns = now_ns();
	append(conn, call);
	debug(DEBUG_CONN,
	      "call xid %08x prog %u proc %u, %zu bytes, %u write and %u reply segments",
	      call->xid, call->prog, call->proc, w.len, call->write_count,
	      call->reply_count);
	rc = conn->transport->ops->send(conn->transport, &iov, 1, 0, 0, deadline);
	if (rc)
		call_fail_all(conn, rc);
	return rc;
}

int rpcrdma_start(struct rpcrdma_conn *conn, struct rpcrdma_call *call, uint64_t deadline)
{
	int rc;

	call->rc = -EINPROGRESS;
	rc = start(conn, call, deadline);
	/* The caller looks at one place for the outcome, whichever half failed. */
	if (rc && call->rc == -EINPROGRESS)
		call_finish(conn, call, rc, err_text());
	return rc;
}

int rpcrdma_wait(struct rpcrdma_conn *conn, struct rpcrdma_call *call, uint64_t deadline)
{
	char text[sizeof(call->text)];
	int rc;

	while (call->rc == -EINPROGRESS) {
		rc = progress(conn, deadline);
		if (rc != -ETIMEDOUT)
			continue;
		snprintf(text, sizeof(text), "no reply to xid %08x after %.1f s",
			 call->xid, (double)(now_ns() - call->sent_ns) / 1e9);
		call_finish(conn, call, -ETIMEDOUT, text);
	}
	if (call->rc)
		err_set(-call->rc, "%s", call->text);
	return call->rc;
}

int rpcrdma_call(struct rpcrdma_conn *conn, struct rpcrdma_call *call, uint64_t deadline)
{
	int rc = rpcrdma_start(conn, call, deadline);

	return rc ? rc : rpcrdma_wait(conn, call, deadline);
}
