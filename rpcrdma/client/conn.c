/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* One RPC-over-RDMA connection: private data (RFC 8797), inline thresholds, credits (RFC 8166
 * section 3.3), and memory that the peer may write.
 *
 * The R flag is never set: our regions are plain ones, and a server's remote invalidation would
 * revoke one during a call that still uses it. */
#include <stdio.h>

#include "rpcrdma/client/internal.h"

int rpcrdma_open(struct rpcrdma_conn **out, const struct rpcrdma_options *options,
		 uint64_t deadline)
{
	const struct rpcrdma_private ours = { .send_size = RPCRDMA_INLINE_SIZE,
					      .receive_size = RPCRDMA_INLINE_SIZE };
	_cleanup_(rpcrdma_close_p) struct rpcrdma_conn *conn = NULL;
	uint8_t private_data[RPCRDMA_PRIVATE_LEN];
	struct transport_param param = {
		.bind = options->bind,
		.device = options->device,
		.recv_size = RPCRDMA_INLINE_SIZE,
		/* Linux rejects a client that permits no RDMA Reads (svc_rdma_accept). */
		.ird = 16,
		.no_crc = options->no_crc,
		.mpa_revision = options->mpa_revision,
		.mpa_retry = !options->mpa_revision,
		.answer_by = options->answer_by,
		.pcap = options->pcap,
		.on_write = options->on_write,
		.on_write_arg = options->on_write_arg,
	};
	int rc;

	conn = calloc(1, sizeof(*conn));
	if (!conn)
		return err_no_memory();
	pthread_mutex_init(&conn->lock, NULL);
	conn->wanted = options->credits ? options->credits : RPCRDMA_CREDITS;
	conn->next_xid = (uint32_t)random_number();
	conn->first_xid = conn->next_xid;
	param.recv_depth = conn->wanted + RECEIVES_SPARE;
	if (!options->no_private_data) {
		private_encode(private_data, &ours);
		param.private_data = private_data;
		param.private_len = sizeof(private_data);
	}
	rc = options->transport->connect(&conn->transport, &options->to, &param, deadline);
	if (rc)
		return rc;
	private_decode(&conn->peer, conn->transport->peer_private,
		       conn->transport->peer_private_len);
	conn->call_inline = min_u32(RPCRDMA_INLINE_SIZE, conn->peer.receive_size);
	conn->reply_inline = min_u32(options->no_private_data ? RPCRDMA_INLINE_MIN
							      : RPCRDMA_INLINE_SIZE,
				     conn->peer.send_size);
	debug(DEBUG_CONN, "connected, inline thresholds call %u reply %u", conn->call_inline,
	      conn->reply_inline);
	*out = take_ptr(conn);
	return 0;
}

void rpcrdma_close(struct rpcrdma_conn *conn)
{
	if (!conn)
		return;
	/* Without calls the caller's own error is kept. */
	if (conn->calls) {
		err_set(ECANCELED, "the connection was closed at this end");
		call_fail_all(conn, -ECANCELED);
	}
	long_call_release_all(conn);
	if (conn->transport)
		conn->transport->ops->close(conn->transport);
	pthread_mutex_destroy(&conn->lock);
	free(conn);
}

void rpcrdma_close_p(struct rpcrdma_conn **conn)
{
	rpcrdma_close(*conn);
	*conn = NULL;
}

const struct transport *rpcrdma_transport(const struct rpcrdma_conn *conn)
{
	return conn->transport;
}

const struct rpcrdma_private *rpcrdma_peer_private(const struct rpcrdma_conn *conn)
{
	return &conn->peer;
}

uint32_t rpcrdma_call_inline(const struct rpcrdma_conn *conn)
{
	return conn->call_inline;
}

uint32_t rpcrdma_reply_inline(const struct rpcrdma_conn *conn)
{
	return conn->reply_inline;
}

uint32_t rpcrdma_credits(const struct rpcrdma_conn *conn)
{
	uint32_t usable = min_u32(conn->wanted, conn->granted);

	/* A grant of 0 would block all calls: it is only counted as a violation. */
	return usable ? usable : 1;
}

uint32_t rpcrdma_granted(const struct rpcrdma_conn *conn)
{
	return conn->granted;
}

uint32_t rpcrdma_zero_grants(const struct rpcrdma_conn *conn)
{
	return conn->zero_grants;
}

uint32_t rpcrdma_again(const struct rpcrdma_conn *conn)
{
	return conn->again;
}

void rpcrdma_set_xid(struct rpcrdma_conn *conn, uint32_t xid)
{
	conn->first_xid = conn->next_xid = xid;
}

uint32_t rpcrdma_next_xid(const struct rpcrdma_conn *conn)
{
	return conn->next_xid;
}

void rpcrdma_lock(struct rpcrdma_conn *conn)
{
	pthread_mutex_lock(&conn->lock);
}

void rpcrdma_unlock(struct rpcrdma_conn *conn)
{
	pthread_mutex_unlock(&conn->lock);
}

int rpcrdma_register(struct rpcrdma_conn *conn, struct rpcrdma_memory *memory)
{
	return conn->transport->ops->reg(conn->transport, memory->base, memory->length,
					 TRANSPORT_REMOTE_WRITE, &memory->region);
}

int rpcrdma_register_source(struct rpcrdma_conn *conn, struct rpcrdma_memory *memory)
{
	return conn->transport->ops->reg(conn->transport, memory->base, memory->length,
					 TRANSPORT_REMOTE_READ, &memory->region);
}

void rpcrdma_deregister(struct rpcrdma_conn *conn, struct rpcrdma_memory *memory)
{
	if (memory->region.handle)
		conn->transport->ops->dereg(conn->transport, &memory->region);
	memset(&memory->region, 0, sizeof(memory->region));
}
