/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The requester and a peer that answers what a test wants, over the in-memory transport. The
 * peer's end is driven by the same thread; only the handshake, and an RDMA Read of the peer's,
 * need a second one. */
#ifndef TESTS_UNIT_CLIENT_PEER_H
#define TESTS_UNIT_CLIENT_PEER_H

#include <pthread.h>
#include <sys/uio.h>

#include "rpcrdma/client/internal.h"
#include "tests/support/transport-loop.h"

#include "tests/unit/suite.h"

#define PROG 100003
#define VERS 3
#define PROC 6

static struct transport *listener, *peer;
static struct rpcrdma_conn *conn;
static const struct rpcrdma_private *peer_private;

static inline uint64_t soon(void)
{
	return deadline_in(PATIENCE_MS);
}

static inline void *greet(void *arg)
{
	uint8_t data[RPCRDMA_PRIVATE_LEN];
	struct transport_param param = { .recv_depth = 64, .recv_size = 4096, .ird = 1, .ord = 4 };

	if (peer_private) {
		private_encode(data, peer_private);
		param.private_data = data;
		param.private_len = sizeof(data);
	}
	while (listener->ops->accept(listener, &peer) == -EAGAIN)
		usleep(100);
	if (peer->ops->establish(peer, &param, soon()))
		abort();
	return arg;
}

static inline void connect_to(const struct rpcrdma_private *theirs, uint32_t credits)
{
	const struct transport_address any = { .addr.ss_family = AF_INET };
	struct rpcrdma_options options = { .transport = &transport_loop, .credits = credits };
	pthread_t thread;

	peer_private = theirs;
	CU_ASSERT_EQUAL_FATAL(transport_loop.listen(&listener, &any), 0);
	options.to = listener->local;
	CU_ASSERT_EQUAL_FATAL(pthread_create(&thread, NULL, greet, NULL), 0);
	CU_ASSERT_EQUAL_FATAL(rpcrdma_open(&conn, &options, soon()), 0);
	pthread_join(thread, NULL);
}

static inline void connect_peer(uint32_t credits)
{
	static const struct rpcrdma_private usual = { .send_size = 4096, .receive_size = 4096 };

	connect_to(&usual, credits);
}

static inline void hang_up(void)
{
	rpcrdma_close_p(&conn);
	transport_close_p(&peer);
	transport_close_p(&listener);
}

static inline void init(struct rpcrdma_call *call)
{
	rpcrdma_call_init(call, PROG, VERS, PROC);
}

/* Starts a call; its xid is what the peer receives. */
static inline void start(struct rpcrdma_call *call)
{
	init(call);
	CU_ASSERT_EQUAL_FATAL(rpcrdma_start(conn, call, soon()), 0);
	CU_ASSERT_EQUAL(call->rc, -EINPROGRESS);
}

/* What the peer gets. */
static inline void take_call(struct rpcrdma_header *h, struct rpc_call *rpc, size_t *args_len)
{
	struct transport_msg msg;
	struct reader r;

	CU_ASSERT_EQUAL_FATAL(peer->ops->recv(peer, &msg, soon()), 0);
	reader_init(&r, msg.data, msg.len);
	CU_ASSERT_EQUAL_FATAL(header_decode(h, &r), 0);
	CU_ASSERT_EQUAL_FATAL(rpc_call_decode(rpc, &r), 0);
	*args_len = reader_left(&r);
	peer->ops->repost(peer, &msg);
}

static inline void drain(void)
{
	struct rpcrdma_header h;
	struct rpc_call rpc;
	size_t len;

	take_call(&h, &rpc, &len);
}

static inline void send_bytes(const void *bytes, size_t len)
{
	struct iovec iov = { (void *)(uintptr_t)bytes, len };

	CU_ASSERT_EQUAL_FATAL(peer->ops->send(peer, &iov, 1, 0, 0, soon()), 0);
}

static inline void rpc_success(struct writer *w, uint32_t xid, const char *results)
{
	const struct rpc_reply reply = { .xid = xid };

	rpc_reply_encode(w, &reply);
	writer_bytes(w, results, strlen(results));
}

/* A reply as it should be, or with another xid in the RPC message. */
static inline void send_reply(uint32_t xid, uint32_t rpc_xid, uint32_t credit, const char *results)
{
	struct rpcrdma_header h;
	uint8_t buf[4096];
	struct writer w;

	writer_init(&w, buf, sizeof(buf));
	header_init(&h, xid, credit, RDMA_MSG);
	CU_ASSERT_EQUAL(header_encode(&w, &h), 0);
	rpc_success(&w, rpc_xid, results);
	send_bytes(buf, w.len);
}

static inline void answer(const struct rpcrdma_call *call, uint32_t credit)
{
	drain();
	send_reply(call->xid, call->xid, credit, "done");
}

static inline void finish(struct rpcrdma_call *call, int rc)
{
	CU_ASSERT_EQUAL(rpcrdma_wait(conn, call, soon()), rc);
	CU_ASSERT_EQUAL(call->rc, rc);
	if (rc)
		CU_ASSERT_STRING_EQUAL(call->text, err_text());
	rpcrdma_call_fini(call);
}

/* The first call, which opens the credits. */
static inline void warm_up(uint32_t credit)
{
	struct rpcrdma_call call;

	start(&call);
	answer(&call, credit);
	finish(&call, 0);
}

/* Transport header 28, RPC header with AUTH_NONE 40: the rest is for arguments, of a call that goes
 * inline. */
static inline void try_args(size_t len)
{
	static const uint8_t args[RPCRDMA_INLINE_SIZE];
	struct rpcrdma_call call;

	init(&call);
	call.args = args;
	call.args_len = len;
	CU_ASSERT_EQUAL(rpcrdma_start(conn, &call, soon()), 0);
	answer(&call, 8);
	finish(&call, 0);
}

#endif
