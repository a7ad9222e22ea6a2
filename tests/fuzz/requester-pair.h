/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* A requester and the server's end of its connection, in memory. */
#ifndef TESTS_FUZZ_REQUESTER_PAIR_H
#define TESTS_FUZZ_REQUESTER_PAIR_H

#include <pthread.h>

#include "rpcrdma/client/internal.h"
#include "tests/fuzz/fuzz.h"
#include "tests/support/transport-loop.h"

static struct transport *listener, *peer;
static struct rpcrdma_conn *conn;

static inline void *pair_greet(void *arg)
{
	static const struct rpcrdma_private usual = { .send_size = 4096, .receive_size = 4096 };
	uint8_t data[RPCRDMA_PRIVATE_LEN];
	const struct transport_param param = { .recv_depth = 64,
					       .recv_size = 4096,
					       .ird = 1,
					       .ord = 4,
					       .private_data = data,
					       .private_len = sizeof(data) };

	private_encode(data, &usual);
	while (listener->ops->accept(listener, &peer) == -EAGAIN)
		usleep(20);
	FUZZ_CHECK(!peer->ops->establish(peer, &param, deadline_in(10000)));
	return arg;
}

static inline void pair_open(uint32_t credits)
{
	const struct transport_address any = { .addr.ss_family = AF_INET };
	struct rpcrdma_options options = { .transport = &transport_loop, .credits = credits };
	pthread_t thread;

	FUZZ_CHECK(!transport_loop.listen(&listener, &any));
	options.to = listener->local;
	FUZZ_CHECK(!pthread_create(&thread, NULL, pair_greet, NULL));
	FUZZ_CHECK(!rpcrdma_open(&conn, &options, deadline_in(10000)));
	pthread_join(thread, NULL);
}

/* The first call is answered as it should be: credits for all others. */
static inline void pair_answer_first(uint32_t credits)
{
	struct rpcrdma_call call;
	struct rpcrdma_header h;
	uint8_t buf[256];
	struct writer w;
	struct iovec iov = { buf, 0 };

	rpcrdma_call_init(&call, 100003, 3, 0);
	FUZZ_CHECK(!rpcrdma_start(conn, &call, deadline_in(10000)));
	writer_init(&w, buf, sizeof(buf));
	header_init(&h, call.xid, credits, RDMA_MSG);
	header_encode(&w, &h);
	rpc_reply_encode(&w, &(struct rpc_reply){ .xid = call.xid });
	iov.iov_len = w.len;
	FUZZ_CHECK(!peer->ops->send(peer, &iov, 1, 0, 0, deadline_in(10000)));
	FUZZ_CHECK(!rpcrdma_wait(conn, &call, deadline_in(10000)));
	rpcrdma_call_fini(&call);
}

/* "XXX" followed by the number of a call becomes its XID, which no fuzzer would guess. */
static inline void pair_plant(uint8_t *p, size_t len, const uint32_t *xids, size_t count)
{
	for (; len >= 4; p++, len--)
		if (!memcmp(p, "XXX", 3))
			put_be32(p, xids[p[3] % count]);
}

/* The input as Sends, two bytes of length each, with these XIDs. */
static inline void pair_send_all(const uint8_t *at, const uint8_t *end, const uint32_t *xids,
				 size_t count)
{
	struct iovec iov;

	while (end - at >= 2) {
		size_t len = min_u64(((size_t)at[0] | (size_t)at[1] << 8) % 4097,
				     (size_t)(end - at) - 2);
		uint8_t *message = malloc(len + 1);

		FUZZ_CHECK(message);
		memcpy(message, at + 2, len);
		pair_plant(message, len, xids, count);
		iov = (struct iovec){ message, len };
		if (len && peer->ops->send(peer, &iov, 1, 0, 0, deadline_in(10000)))
			at = end;
		else
			at += 2 + len;
		free(message);
	}
}

static inline void pair_close(void)
{
	rpcrdma_close_p(&conn);
	transport_close_p(&peer);
	transport_close_p(&listener);
}

#endif
