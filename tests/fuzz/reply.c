/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* What a server may send to the requester: Sends of any bytes while calls of each form are in flight, short and
 * long, with a Write chunk and with a Reply chunk. Each call comes to an end, and what it says that it got lies in
 * its own buffers. The input is Sends (requester-pair.h). */
#include "tests/fuzz/requester-pair.h"

#define CALLS     4
#define CHUNK     4096
#define LONG_ARGS 9000

static struct rpcrdma_call calls[CALLS];
static uint8_t args[LONG_ARGS], results[CALLS][CHUNK], chunks[CALLS][CHUNK];

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

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct rpcrdma_memory memory[CALLS];
	uint32_t xids[CALLS];
	unsigned int i;

	memset(memory, 0, sizeof(memory));
	pair_open(CALLS);
	pair_answer_first(CALLS);
	for (i = 0; i < CALLS; i++) {
		/* The beginning of an RPC reply, for a reply that comes by chunk. */
		memset(chunks[i], 0, CHUNK);
		start_call(i, &memory[i]);
		xids[i] = calls[i].xid;
		put_be32(chunks[i], calls[i].xid);
		put_be32(chunks[i] + 4, 1);
	}
	pair_send_all(data, data + size, xids, CALLS);
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
	pair_close();
	return 0;
}
