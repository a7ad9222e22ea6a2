/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Calls: built with the chunks that the caller chose, sent when a credit is free, matched by xid
 * (reply.c), ended by a reply, by the connection's end or by a deadline. Only the length decides
 * whether a call is sent inline or as a chunk (long-call.c). */
#include <stdio.h>

#include "rpcrdma/client/internal.h"

void rpcrdma_call_init(struct rpcrdma_call *call, uint32_t prog, uint32_t vers, uint32_t proc)
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

void call_finish(struct rpcrdma_conn *conn, struct rpcrdma_call *call, int rc, const char *text)
{
	struct rpcrdma_call **link = &conn->calls;

	while (*link && *link != call)
		link = &(*link)->next;
	if (*link) {
		*link = call->next;
		conn->in_flight--;
	}
	conn->given_up |= rc == -ETIMEDOUT || rc == -ECANCELED || rc == -EILSEQ;
	long_call_done(conn, call, rc == -ETIMEDOUT || rc == -ECANCELED);
	call->next = NULL;
	call->rc = rc;
	call->done_ns = now_ns();
	str_copy(call->text, sizeof(call->text), rc ? text : "");
}

void call_fail_all(struct rpcrdma_conn *conn, int rc)
{
	if (!conn->broken) {
		conn->broken = rc;
		snprintf(conn->broken_text, sizeof(conn->broken_text), "%.255s", err_text());
	}
	while (conn->calls)
		call_finish(conn, conn->calls, rc, conn->broken_text);
}

void message_copy(const struct message *m, uint8_t *to)
{
	unsigned int i;

	for (i = 0; i < MESSAGE_PIECES; i++) {
		if (m->pieces[i].len)
			memcpy(to, m->pieces[i].bytes, m->pieces[i].len);
		to += m->pieces[i].len;
	}
}

/* Errors: -EMSGSIZE. */
static int message_init(struct message *m, const struct rpcrdma_call *call, const void *head,
			size_t head_len)
{
	static const uint8_t zeros[4];
	const size_t data = call->read_count ? 0 : call->data_len;
	const uint8_t *args = call->args;
	unsigned int i;

	*m = (struct message){ .position = (uint32_t)(head_len + call->data_at) };
	m->pieces[0] = (struct message_piece){ head, head_len };
	m->pieces[1] = (struct message_piece){ args, data ? call->data_at : call->args_len };
	if (data) {
		m->pieces[2] = (struct message_piece){ call->data, data };
		m->pieces[3] = (struct message_piece){ zeros, -data & 3 };
		m->pieces[4] = (struct message_piece){ args + call->data_at,
						       call->args_len - call->data_at };
	}
	for (i = 0; i < MESSAGE_PIECES; i++) {
		if (m->pieces[i].len > RPCRDMA_MESSAGE_MAX - m->len)
			return err_set(EMSGSIZE, "a call with %zu bytes of arguments, %d at most",
				       call->args_len, RPCRDMA_MESSAGE_MAX);
		m->len += m->pieces[i].len;
	}
	return 0;
}

static int call_add_chunks(struct rpcrdma_header *h, const struct rpcrdma_call *call)
{
	struct rpcrdma_segment segments[RPCRDMA_MAX_SEGMENTS];
	uint32_t i;
	int rc;

	if (call->write_count > RPCRDMA_MAX_SEGMENTS || call->reply_count > RPCRDMA_MAX_SEGMENTS)
		return err_set(E2BIG, "a chunk of %u segments, %u at most",
			       call->write_count + call->reply_count, RPCRDMA_MAX_SEGMENTS);
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

/* The transport header, with the message's own chunk if it is a long one. */
static int call_build_header(struct rpcrdma_conn *conn, struct rpcrdma_call *call,
			     uint32_t position, struct writer *w)
{
	struct rpcrdma_header *h = &call->header; /* the reply will overwrite it */
	const struct long_call *lc = call->long_call;
	struct rpcrdma_segment segment;
	uint32_t i;
	int rc = 0;

	header_init(h, call->xid, conn->wanted, lc ? RDMA_NOMSG : RDMA_MSG);
	if (lc) {
		segment = (struct rpcrdma_segment){ lc->memory.region.handle, lc->memory.length,
						    lc->memory.region.offset };
		rc = header_add_read(h, 0, &segment);
	}
	for (i = 0; i < call->read_count && !rc; i++) {
		segment = (struct rpcrdma_segment){ call->read[i].region.handle,
						    call->read[i].length,
						    call->read[i].region.offset };
		rc = header_add_read(h, position, &segment);
	}
	if (!rc)
		rc = call_add_chunks(h, call);
	if (rc)
		return rc;
	if (header_encode(w, h))
		return err_set(EMSGSIZE, "the chunk lists exceed the inline threshold of %zu bytes",
			       w->cap);
	return 0;
}

/* The whole Send. */
static int call_build(struct rpcrdma_conn *conn, struct rpcrdma_call *call, struct writer *w)
{
	static const struct rpc_cred none = { .flavor = RPC_AUTH_NONE };
	const struct rpc_call rpc = {
		.xid = call->xid,
		.prog = call->prog,
		.vers = call->vers,
		.proc = call->proc,
		.cred = call->cred ? *call->cred : none,
		.auth = call->auth,
		.auth_len = call->auth_len,
	};
	uint8_t buf[RPC_CALL_HEAD_MAX], *place;
	struct message message;
	struct writer head;
	int rc;

	writer_init(&head, buf, sizeof(buf));
	rpc_call_encode(&head, &rpc);
	if (head.bad)
		return err_set(EMSGSIZE, "a call with a credential that does not fit");
	rc = message_init(&message, call, buf, head.len);
	if (!rc)
		rc = call_build_header(conn, call, message.position, w);
	if (rc)
		return rc;
	if (!call->call_by_chunk && message.len <= w->cap - w->len) {
		place = writer_reserve(w, message.len);
		if (place)
			message_copy(&message, place);
		return 0;
	}
	rc = long_call_new(conn, call, &message);
	if (rc)
		return rc;
	writer_init(w, w->base, w->cap);
	return call_build_header(conn, call, message.position, w);
}

/* Receives one message and completes its call. After the deadline it takes as many as may have
 * arrived before it, one for each Receive, but no more, or a peer that sends without end would
 * block the caller. @late counts them, from 0. */
static int call_progress(struct rpcrdma_conn *conn, uint64_t deadline, uint32_t *late)
{
	const struct transport_ops *ops = conn->transport->ops;
	struct transport_msg msg;
	int rc;

	if (!deadline_left(deadline) && (*late)++ > conn->wanted + RECEIVES_SPARE)
		return err_set(ETIMEDOUT, "no reply in time, only other messages");
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

static int call_start(struct rpcrdma_conn *conn, struct rpcrdma_call *call, uint64_t deadline)
{
	uint8_t buf[RPCRDMA_INLINE_SIZE];
	struct iovec iov = { .iov_base = buf };
	struct rpcrdma_call **link = &conn->calls;
	uint64_t least;
	uint32_t late = 0;
	struct writer w;
	int rc;

	while (!conn->broken && conn->in_flight >= rpcrdma_credits(conn)) {
		rc = call_progress(conn, deadline, &late);
		if (rc)
			return rc;
	}
	if (conn->broken)
		return err_set(-conn->broken, "%s", conn->broken_text);
	call->xid = conn->next_xid++;
	writer_init(&w, buf, min_u32(sizeof(buf), conn->call_inline));
	rc = call_build(conn, call, &w);
	if (rc)
		return rc;
	iov.iov_len = call->call_len = w.len;
	call->sent_ns = now_ns();
	while (*link)
		link = &(*link)->next;
	*link = call;
	conn->in_flight++;
	debug(DEBUG_CONN,
	      "call xid %08x prog %u proc %u, %zu bytes, %u write and %u reply segments", call->xid,
	      call->prog, call->proc, w.len, call->write_count, call->reply_count);
	if (call->send_ms) {
		least = deadline_in(call->send_ms);
		deadline = least > deadline ? least : deadline;
	}
	rc = conn->transport->ops->send(conn->transport, &iov, 1, 0, 0, deadline);
	if (rc)
		call_fail_all(conn, rc);
	return rc;
}

int rpcrdma_start(struct rpcrdma_conn *conn, struct rpcrdma_call *call, uint64_t deadline)
{
	int rc;

	call->rc = -EINPROGRESS;
	rc = call_start(conn, call, deadline);
	/* The caller checks one place for the outcome, whichever half failed. */
	if (rc && call->rc == -EINPROGRESS)
		call_finish(conn, call, rc, err_text());
	return rc;
}

int rpcrdma_poll(struct rpcrdma_conn *conn, struct rpcrdma_call *call, uint64_t deadline)
{
	uint32_t late = 0;

	while (call->rc == -EINPROGRESS)
		if (call_progress(conn, deadline, &late) == -ETIMEDOUT)
			return err_set(ETIMEDOUT, "no reply to xid %08x after %.1f s", call->xid,
				       (double)(now_ns() - call->sent_ns) / 1e9);
	if (call->rc)
		err_set(-call->rc, "%s", call->text);
	return call->rc;
}

int rpcrdma_idle(struct rpcrdma_conn *conn, uint64_t deadline)
{
	uint32_t late = 0;
	int rc = conn->broken;

	while (!rc)
		rc = call_progress(conn, deadline, &late);
	return rc == -ETIMEDOUT ? 0 : rc;
}

int rpcrdma_wait(struct rpcrdma_conn *conn, struct rpcrdma_call *call, uint64_t deadline)
{
	int rc = rpcrdma_poll(conn, call, deadline);

	if (call->rc == -EINPROGRESS)
		call_finish(conn, call, rc, err_text());
	return rc;
}

void rpcrdma_forget(struct rpcrdma_conn *conn, struct rpcrdma_call *call)
{
	if (call->rc == -EINPROGRESS)
		call_finish(conn, call, -ECANCELED, "no longer awaited");
}

int rpcrdma_call(struct rpcrdma_conn *conn, struct rpcrdma_call *call, uint64_t deadline)
{
	int rc = rpcrdma_start(conn, call, deadline);

	return rc ? rc : rpcrdma_wait(conn, call, deadline);
}
