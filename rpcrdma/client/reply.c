/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Replies: the transport header is decoded, the call found, the RPC message taken from the Send
 * or gathered from the Reply chunk, and the RPC reply header decoded. An error in a reply becomes
 * the result of its call; nothing here fails the connection. */
#include <stdio.h>

#include "rpcrdma/client/internal.h"

/* Sums the lengths that the peer returned, refuses more than the chunk holds, and gathers them. */
static int reply_gather_chunk(struct rpcrdma_call *call, struct reader *r)
{
	const struct rpcrdma_header *h = &call->header;
	size_t len = 0, at = 0;
	uint32_t i, n;

	if (!h->has_reply || h->reply.count != call->reply_count || !call->reply_count)
		return err_set(EBADMSG, "RDMA_NOMSG without the Reply chunk that was offered");
	for (i = 0; i < call->reply_count; i++) {
		n = h->segments[h->reply.first + i].length;
		if (n > call->reply[i].length)
			return err_set(
				EBADMSG,
				"reply chunk segment %u was returned with %u bytes, it has %u", i,
				n, call->reply[i].length);
		len += n;
	}
	call->message = malloc(len ? len : 1);
	if (!call->message)
		return err_context(err_no_memory(), "reply of %zu bytes", len);
	for (i = 0; i < call->reply_count; i++) {
		n = h->segments[h->reply.first + i].length;
		memcpy(call->message + at, call->reply[i].base, n);
		at += n;
	}
	call->reply_by_chunk = true;
	reader_init(r, call->message, len);
	return 0;
}

static int reply_copy_inline(struct rpcrdma_call *call, struct reader *r)
{
	size_t len = reader_left(r);
	const uint8_t *bytes = reader_bytes(r, len);

	call->message = malloc(len ? len : 1);
	if (!call->message)
		return err_context(err_no_memory(), "reply of %zu bytes", len);
	if (len)
		memcpy(call->message, bytes, len);
	reader_init(r, call->message, len);
	return 0;
}

/* A server also sends ERR_CHUNK if the reply does not fit (RFC 8166 section 4.5.3): for a call
 * without chunks it says nothing about chunk lists. */
static int reply_error(const struct rpcrdma_call *call)
{
	const struct rpcrdma_header *h = &call->header;

	if (h->rdma_err == ERR_VERS)
		return err_set(EBADE, "RDMA_ERROR ERR_VERS: the server speaks versions %u to %u",
			       h->rdma_vers_low, h->rdma_vers_high);
	if (h->rdma_err == ERR_CHUNK && !call->write_count && !call->reply_count &&
	    !call->long_call)
		return err_set(
			EBADE,
			"RDMA_ERROR ERR_CHUNK in answer to a call without chunks: the server could not answer it");
	if (h->rdma_err == ERR_CHUNK)
		return err_set(EBADE, "RDMA_ERROR ERR_CHUNK: the server refused the chunk lists");
	return err_set(EBADE, "RDMA_ERROR with unknown code %u", h->rdma_err);
}

/* Finds the RPC message, in the Send or in the Reply chunk. */
static int reply_take_message(struct rpcrdma_call *call, struct reader *r)
{
	int rc;

	switch (call->header.rdma_proc) {
	case RDMA_ERROR: return reply_error(call);
	case RDMA_NOMSG: rc = reply_gather_chunk(call, r); break;
	case RDMA_MSG: rc = reply_copy_inline(call, r); break;
	default: return err_set(EBADMSG, "a reply with rdma_proc %u", call->header.rdma_proc);
	}
	if (rc)
		return rc;
	rc = rpc_reply_decode(&call->rpc, r);
	if (rc)
		return rc;
	if (call->rpc.xid != call->xid)
		return err_set(EILSEQ, "the RPC message carries xid %08x in a reply to %08x",
			       call->rpc.xid, call->xid);
	call->results_len = reader_left(r);
	call->results = reader_bytes(r, call->results_len);
	return 0;
}

void reply_receive(struct rpcrdma_conn *conn, const struct transport_msg *msg)
{
	struct rpcrdma_call *call = NULL;
	struct rpcrdma_header h;
	struct reader r;
	bool has_xid, known;
	int rc;

	reader_init(&r, msg->data, msg->len);
	header_init(&h, 0, 0, RDMA_MSG);
	rc = header_decode(&h, &r);
	has_xid = rc != -EMSGSIZE;
	/* The error text says why it cannot be parsed. */
	rc = rc ? -EBADMSG : 0;
	if (has_xid)
		for (call = conn->calls; call && call->xid != h.rdma_xid;)
			call = call->next;
	debug(DEBUG_CONN, "reply xid %08x, %zu bytes: %s", h.rdma_xid, msg->len,
	      rc     ? err_text()
	      : call ? "ours"
		     : "not awaited");
	if (!rc) {
		conn->zero_grants += !h.rdma_credit;
		conn->granted = h.rdma_credit;
	}
	if (!call) {
		known = has_xid && h.rdma_xid - conn->first_xid < conn->next_xid - conn->first_xid;
		conn->again += known && !conn->given_up;
		if (has_xid)
			long_call_answered(conn, h.rdma_xid);
		/* With several in flight the call is unknown: their deadlines end them. */
		if (conn->in_flight != 1)
			return;
		/* A second reply, or one that was attributed to another call: it is not this
		 * call's. */
		if (known)
			return;
		call = conn->calls;
		if (!rc)
			rc = err_set(EILSEQ, "reply with xid %08x; expected %08x", h.rdma_xid,
				     call->xid);
	}
	header_copy(&call->header, &h);
	call->send_len = msg->len;
	if (!rc)
		rc = reply_take_message(call, &r);
	call_finish(conn, call, rc, err_text());
}
