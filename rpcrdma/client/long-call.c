/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Long calls, RFC 8166 section 3.5.3: the RPC message is memory that the server reads, a Read
 * chunk at position zero, and the Send is RDMA_NOMSG. Padding is part of the message.
 *
 * A server may read at any time. The memory of a call that is no longer awaited is therefore kept
 * until its reply arrives; revoking it earlier would end the connection. If there are too many,
 * the oldest is released, so that a silent server cannot use up all memory. */
#include "rpcrdma/client/internal.h"

#define LATE_MAX 16

static void long_call_release(struct rpcrdma_conn *conn, struct long_call *lc)
{
	rpcrdma_deregister(conn, &lc->memory);
	free(lc);
}

int long_call_new(struct rpcrdma_conn *conn, struct rpcrdma_call *call, const struct message *m)
{
	const size_t len = m->len;
	struct long_call *lc;
	int rc;

	lc = malloc(sizeof(*lc) + len);
	if (!lc)
		return err_context(err_no_memory(), "call of %zu bytes", len);
	memset(lc, 0, sizeof(*lc));
	lc->xid = call->xid;
	lc->memory.base = lc->bytes;
	lc->memory.length = (uint32_t)len;
	message_copy(m, lc->bytes);
	rc = conn->transport->ops->reg(conn->transport, lc->bytes, len, TRANSPORT_REMOTE_READ,
				       &lc->memory.region);
	if (rc) {
		free(lc);
		return rc;
	}
	call->long_call = lc;
	return 0;
}

void long_call_done(struct rpcrdma_conn *conn, struct rpcrdma_call *call, bool late)
{
	struct long_call *lc = take_ptr(call->long_call);
	struct long_call **oldest = &conn->late;
	unsigned int count = 0;

	if (!lc)
		return;
	if (!late) {
		long_call_release(conn, lc);
		return;
	}
	/* The link that holds the oldest, if there are too many. */
	while (*oldest && ++count < LATE_MAX)
		oldest = &(*oldest)->next;
	if (*oldest)
		long_call_release(conn, take_ptr(*oldest));
	lc->next = conn->late;
	conn->late = lc;
}

void long_call_answered(struct rpcrdma_conn *conn, uint32_t xid)
{
	struct long_call **link = &conn->late;
	struct long_call *lc;

	while (*link && (*link)->xid != xid)
		link = &(*link)->next;
	lc = *link;
	if (!lc)
		return;
	*link = lc->next;
	long_call_release(conn, lc);
}

void long_call_release_all(struct rpcrdma_conn *conn)
{
	struct long_call *lc;

	while ((lc = conn->late)) {
		conn->late = lc->next;
		long_call_release(conn, lc);
	}
}
