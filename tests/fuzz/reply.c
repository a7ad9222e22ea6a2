/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* What a server may send to the requester: Sends of any bytes while calls of each form are in flight, short and
 * long, with a Write chunk and with a Reply chunk. Each call comes to an end, and what it says that it got lies in
 * its own buffers. The input is Sends: two bytes of length each; "XXXX" followed by the number of a call becomes
 * its XID, which no fuzzer would guess. */
#include <pthread.h>

#include "rpcrdma/client/internal.h"
#include "tests/fuzz/fuzz.h"
#include "tests/support/transport-loop.h"

#define CALLS     4
#define CHUNK     4096
#define LONG_ARGS 9000

static struct transport *listener, *peer;
static struct rpcrdma_conn *conn;
static struct rpcrdma_call calls[CALLS];
static uint8_t args[LONG_ARGS], results[CALLS][CHUNK], chunks[CALLS][CHUNK];

static void *greet(void *arg)
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

static void open_pair(void)
{
	const struct transport_address any = { .addr.ss_family = AF_INET };
	struct rpcrdma_options options = { .transport = &transport_loop, .credits = CALLS };
	pthread_t thread;

	FUZZ_CHECK(!transport_loop.listen(&listener, &any));
	options.to = listener->local;
	FUZZ_CHECK(!pthread_create(&thread, NULL, greet, NULL));
	FUZZ_CHECK(!rpcrdma_open(&conn, &options, deadline_in(10000)));
	pthread_join(thread, NULL);
}

static void close_pair(void)
{
	rpcrdma_close_p(&conn);
	transport_close_p(&peer);
	transport_close_p(&listener);
}

/* The first call is answered as it should be: credits for all others. */
static void answer_first(void)
{
	struct rpcrdma_call call;
	struct rpcrdma_header h;
	uint8_t buf[256];
	struct writer w;
	struct iovec iov = { buf, 0 };

	rpcrdma_call_init(&call, 100003, 3, 0);
	FUZZ_CHECK(!rpcrdma_start(conn, &call, deadline_in(10000)));
	writer_init(&w, buf, sizeof(buf));
	header_init(&h, call.xid, CALLS, RDMA_MSG);
	header_encode(&w, &h);
	rpc_reply_encode(&w, &(struct rpc_reply){ .xid = call.xid });
	iov.iov_len = w.len;
	FUZZ_CHECK(!peer->ops->send(peer, &iov, 1, 0, 0, deadline_in(10000)));
	FUZZ_CHECK(!rpcrdma_wait(conn, &call, deadline_in(10000)));
	rpcrdma_call_fini(&call);
}

static void start_call(unsigned int i, struct rpcrdma_memory *memory)
{
	struct rpcrdma_call *call = &calls[i];

	memory->base = chunks[i];
	memory->length = CHUNK;
	rpcrdma_call_init(call, 100003, 3, 6);
	call->args = args;
	call->args_len = i % 2 ? LONG_ARGS : 64;
	FUZZ_CHECK(!rpcrdma_register(conn, memory));
	if (i < 2) {
		call->write = memory;
		call->write_count = 1;
	} else {
		call->reply = memory;
		call->reply_count = 1;
	}
	FUZZ_CHECK(!rpcrdma_start(conn, call, deadline_in(10000)));
}

/* The XIDs, and what the first chunk of a Reply chunk begins with. */
static void plant(uint8_t *p, size_t len)
{
	for (; len >= 5; p++, len--)
		if (!memcmp(p, "XXXX", 4))
			put_be32(p, calls[p[4] % CALLS].xid);
}

static void send_all(const uint8_t *at, const uint8_t *end)
{
	struct iovec iov;

	while (end - at >= 2) {
		size_t len = min_u64(((size_t)at[0] | (size_t)at[1] << 8) % 4097,
				     (size_t)(end - at) - 2);
		uint8_t *message = malloc(len + 1);

		FUZZ_CHECK(message);
		memcpy(message, at + 2, len);
		plant(message, len);
		iov = (struct iovec){ message, len };
		if (len && peer->ops->send(peer, &iov, 1, 0, 0, deadline_in(10000)))
			at = end;
		else
			at += 2 + len;
		free(message);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct rpcrdma_memory memory[CALLS];
	unsigned int i;

	memset(memory, 0, sizeof(memory));
	open_pair();
	answer_first();
	for (i = 0; i < CALLS; i++) {
		/* The beginning of an RPC reply, for a reply that comes by chunk. */
		memset(chunks[i], 0, CHUNK);
		start_call(i, &memory[i]);
		put_be32(chunks[i], calls[i].xid);
		put_be32(chunks[i] + 4, 1);
	}
	send_all(data, data + size);
	peer->ops->close(peer);
	peer = NULL;
	for (i = 0; i < CALLS; i++) {
		FUZZ_CHECK(rpcrdma_wait(conn, &calls[i], deadline_in(10000)) != -EINPROGRESS);
		FUZZ_CHECK(calls[i].rc != -ETIMEDOUT);
		FUZZ_CHECK(strnlen(calls[i].text, sizeof(calls[i].text)) < sizeof(calls[i].text));
		if (!calls[i].rc) {
			FUZZ_CHECK(calls[i].results_len <= CHUNK);
			memcpy(results[i], calls[i].results, calls[i].results_len);
		}
		rpcrdma_call_fini(&calls[i]);
		rpcrdma_deregister(conn, &memory[i]);
	}
	close_pair();
	return 0;
}
