/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Calls longer than a Send: what the peer is offered, what it reads, and how long it can. */
#include <stdatomic.h>

#include "tests/unit/client-peer.h"

/* What the peer receives of a long call: the header that describes the message. */
static void take_long_call(struct rpcrdma_header *h, size_t args_len)
{
	struct transport_msg msg;
	struct reader r;

	CU_ASSERT_EQUAL_FATAL(peer->ops->recv(peer, &msg, soon()), 0);
	reader_init(&r, msg.data, msg.len);
	CU_ASSERT_EQUAL_FATAL(header_decode(h, &r), 0);
	CU_ASSERT_EQUAL(reader_left(&r), 0);
	peer->ops->repost(peer, &msg);
	CU_ASSERT_EQUAL(h->rdma_proc, RDMA_NOMSG);
	CU_ASSERT_EQUAL_FATAL(h->read_count, 1);
	CU_ASSERT_EQUAL(h->read_position[0], 0);
	CU_ASSERT_EQUAL(h->segments[0].length, 40 + args_len);
}

/* The Read needs both ends: the requester's end runs while it waits for a reply. */
struct pull {
	struct rpcrdma_segment from;
	uint8_t *into;
	int rc;
	atomic_bool done;
	struct rpcrdma_call *call; /* sent as the answer afterwards, unless NULL */
};

static void *pull_run(void *arg)
{
	struct pull *p = arg;

	p->rc = peer->ops->read(peer, p->into, p->from.length, p->from.handle, p->from.offset,
				soon());
	if (!p->rc && p->call)
		send_reply(p->call->xid, p->call->xid, 8, "done");
	atomic_store(&p->done, true);
	return NULL;
}

static bool on_request;

static void start_args(struct rpcrdma_call *call, const uint8_t *args, size_t len)
{
	init(call);
	call->args = args;
	call->args_len = len;
	call->call_by_chunk = on_request;
	CU_ASSERT_EQUAL_FATAL(rpcrdma_start(conn, call, soon()), 0);
}

static void fill(uint8_t *p, size_t len)
{
	size_t i;

	for (i = 0; i < len; i++)
		p[i] = (uint8_t)(i * 7 + i / 256);
}

/* A long call with these arguments: pulled, compared, answered. */
static void try_long_args(const uint8_t *args, size_t len)
{
	struct rpcrdma_header h;
	struct rpcrdma_call call;
	struct rpc_call rpc;
	struct pull pull = { .call = &call };
	struct reader r;
	pthread_t thread;

	start_args(&call, args, len);
	take_long_call(&h, len);
	pull.from = h.segments[0];
	pull.into = malloc(pull.from.length);
	CU_ASSERT_EQUAL_FATAL(pthread_create(&thread, NULL, pull_run, &pull), 0);
	CU_ASSERT_EQUAL(rpcrdma_wait(conn, &call, soon()), 0);
	pthread_join(thread, NULL);
	CU_ASSERT_EQUAL(pull.rc, 0);
	reader_init(&r, pull.into, pull.from.length);
	CU_ASSERT_EQUAL(rpc_call_decode(&rpc, &r), 0);
	CU_ASSERT_EQUAL(rpc.xid, call.xid);
	CU_ASSERT_EQUAL(rpc.proc, PROC);
	CU_ASSERT_EQUAL_FATAL(reader_left(&r), len);
	ASSERT_BYTES(r.p, args, len);
	free(pull.into);
	rpcrdma_call_fini(&call);
}

static void a_long_call_is_a_read_chunk_at_position_zero(void)
{
	static uint8_t args[RPCRDMA_MESSAGE_MAX - 40];

	fill(args, sizeof(args));
	connect_peer(0);
	try_long_args(args, 4096 - 67);
	try_args(4096 - 68);
	try_long_args(args, 65536);
	try_long_args(args, sizeof(args));
	hang_up();
}

static void a_short_call_goes_so_on_request(void)
{
	static const uint8_t args[100] = "short";

	on_request = true;
	connect_peer(0);
	try_long_args(args, sizeof(args));
	try_long_args(NULL, 0);
	hang_up();
	on_request = false;
}

/* The Send of a call that has its message inline, in @buf. */
static void take_short_call(struct rpcrdma_header *h, struct reader *r, uint8_t buf[4096])
{
	struct transport_msg msg;

	CU_ASSERT_EQUAL_FATAL(peer->ops->recv(peer, &msg, soon()), 0);
	ASSERT_AT_MOST_FATAL(msg.len, 4096);
	memcpy(buf, msg.data, msg.len);
	reader_init(r, buf, msg.len);
	CU_ASSERT_EQUAL_FATAL(header_decode(h, r), 0);
	peer->ops->repost(peer, &msg);
	CU_ASSERT_EQUAL(h->rdma_proc, RDMA_MSG);
}

/* Arguments "head" and "tail", and between them seven bytes that may be reduced. */
static void start_with_data(struct rpcrdma_call *call, const struct rpcrdma_memory *read,
			    uint32_t count)
{
	init(call);
	call->args = "headtail";
	call->args_len = 8;
	call->data = "abcdefg";
	call->data_len = 7;
	call->data_at = 4;
	call->read = read;
	call->read_count = count;
	CU_ASSERT_EQUAL_FATAL(rpcrdma_start(conn, call, soon()), 0);
}

static void data_goes_inline_with_its_padding(void)
{
	struct rpcrdma_header h;
	struct rpcrdma_call call;
	struct rpc_call rpc;
	uint8_t buf[4096];
	struct reader r;

	connect_peer(0);
	start_with_data(&call, NULL, 0);
	take_short_call(&h, &r, buf);
	CU_ASSERT_EQUAL(h.read_count, 0);
	CU_ASSERT_EQUAL(rpc_call_decode(&rpc, &r), 0);
	CU_ASSERT_EQUAL_FATAL(reader_left(&r), 16);
	ASSERT_BYTES(r.p, "headabcdefg\0tail", 16);
	send_reply(call.xid, call.xid, 8, "");
	finish(&call, 0);
	hang_up();
}

/* RFC 8166 section 3.4.5: the position is that of the data in the message, from its xid on; there is
 * no padding. */
static void data_goes_by_read_chunk_without_padding(void)
{
	static uint8_t bytes[7] = { 'a', 'b', 'c', 'd', 'e', 'f', 'g' };
	struct rpcrdma_memory memory[2] = { { .base = bytes, .length = 3 },
					    { .base = bytes + 3, .length = 4 } };
	struct rpcrdma_header h;
	struct rpcrdma_call call;
	struct rpc_call rpc;
	uint8_t buf[4096];
	struct reader r;
	uint32_t position;
	unsigned int i;

	connect_peer(0);
	for (i = 0; i < 2; i++)
		CU_ASSERT_EQUAL_FATAL(rpcrdma_register_source(conn, &memory[i]), 0);
	start_with_data(&call, memory, 2);
	take_short_call(&h, &r, buf);
	CU_ASSERT_EQUAL_FATAL(h.read_count, 2);
	position = (uint32_t)reader_left(&r);
	CU_ASSERT_EQUAL(rpc_call_decode(&rpc, &r), 0);
	position -= (uint32_t)reader_left(&r);
	ASSERT_BYTES(r.p, "headtail", 8);
	CU_ASSERT_EQUAL(reader_left(&r), 8);
	for (i = 0; i < 2; i++) {
		CU_ASSERT_EQUAL(h.read_position[i], position + 4);
		CU_ASSERT_EQUAL(h.segments[i].length, memory[i].length);
		CU_ASSERT_EQUAL(h.segments[i].handle, memory[i].region.handle);
	}
	send_reply(call.xid, call.xid, 8, "");
	finish(&call, 0);
	for (i = 0; i < 2; i++)
		rpcrdma_deregister(conn, &memory[i]);
	hang_up();
}

static void a_call_over_the_bound_is_refused_before_sending(void)
{
	static const uint8_t args[RPCRDMA_MESSAGE_MAX - 39];
	struct rpcrdma_call call;

	connect_peer(0);
	init(&call);
	call.args = args;
	call.args_len = sizeof(args);
	CU_ASSERT_EQUAL(rpcrdma_start(conn, &call, soon()), -EMSGSIZE);
	finish(&call, -EMSGSIZE);
	call.args_len = SIZE_MAX;
	CU_ASSERT_EQUAL(rpcrdma_start(conn, &call, soon()), -EMSGSIZE);
	CU_ASSERT_EQUAL(rpcrdma_transport(conn)->stats.sends_out, 0);
	hang_up();
}

static int read_now(const struct rpcrdma_segment *from)
{
	struct pull pull = { .from = *from, .into = malloc(from->length) };
	struct transport_msg msg;
	pthread_t thread;

	CU_ASSERT_EQUAL_FATAL(pthread_create(&thread, NULL, pull_run, &pull), 0);
	while (!atomic_load(&pull.done))
		if (!conn->transport->ops->recv(conn->transport, &msg, deadline_in(50)))
			conn->transport->ops->repost(conn->transport, &msg);
	pthread_join(thread, NULL);
	free(pull.into);
	return pull.rc;
}

static void a_long_call_cannot_be_read_after_its_reply(void)
{
	static const uint8_t args[8192];
	struct rpcrdma_header h;
	struct rpcrdma_call call;

	connect_peer(0);
	start_args(&call, args, sizeof(args));
	take_long_call(&h, sizeof(args));
	send_reply(call.xid, call.xid, 8, "early");
	finish(&call, 0);
	CU_ASSERT_EQUAL(read_now(&h.segments[0]), -EREMOTEIO);
	hang_up();
}

/* The server may be slow but correct: the offered memory stays until it answers. */
static void a_long_call_that_timed_out_can_be_read_until_its_reply_comes(void)
{
	static const uint8_t args[8192];
	struct rpcrdma_header h;
	struct rpcrdma_call call, next;

	connect_peer(0);
	start_args(&call, args, sizeof(args));
	take_long_call(&h, sizeof(args));
	CU_ASSERT_EQUAL(rpcrdma_wait(conn, &call, deadline_in(20)), -ETIMEDOUT);
	CU_ASSERT_EQUAL(read_now(&h.segments[0]), 0);
	start(&next);
	send_reply(call.xid, call.xid, 8, "late");
	answer(&next, 8);
	finish(&next, 0);
	CU_ASSERT_PTR_NULL(conn->late);
	CU_ASSERT_EQUAL(read_now(&h.segments[0]), -EREMOTEIO);
	rpcrdma_call_fini(&call);
	hang_up();
}

static void a_silent_server_cannot_exhaust_memory(void)
{
	static const uint8_t args[8192];
	struct rpcrdma_header h, first;
	struct rpcrdma_call call;
	struct long_call *lc;
	unsigned int i, count = 0;

	connect_peer(0);
	for (i = 0; i < 20; i++) {
		SUITE_ROW("%u", i);
		start_args(&call, args, sizeof(args));
		take_long_call(i ? &h : &first, sizeof(args));
		CU_ASSERT_EQUAL(rpcrdma_wait(conn, &call, deadline_in(1)), -ETIMEDOUT);
	}
	for (lc = conn->late; lc; lc = lc->next)
		count++;
	CU_ASSERT_EQUAL(count, 16);
	CU_ASSERT_EQUAL(conn->late->memory.region.handle, h.segments[0].handle);
	CU_ASSERT_EQUAL(read_now(&first.segments[0]), -EREMOTEIO);
	hang_up();
}

static void a_long_call_has_write_and_reply_chunks_too(void)
{
	static uint8_t args[8192], memory[2][64];
	struct rpcrdma_memory m[2];
	struct rpcrdma_header h;
	struct rpcrdma_call call;
	unsigned int i;

	connect_peer(0);
	for (i = 0; i < 2; i++) {
		SUITE_ROW("%u", i);
		m[i] = (struct rpcrdma_memory){ .base = memory[i], .length = 64 };
		CU_ASSERT_EQUAL(rpcrdma_register(conn, &m[i]), 0);
	}
	init(&call);
	call.args = args;
	call.args_len = sizeof(args);
	call.write = &m[0];
	call.reply = &m[1];
	call.write_count = call.reply_count = 1;
	CU_ASSERT_EQUAL_FATAL(rpcrdma_start(conn, &call, soon()), 0);
	take_long_call(&h, sizeof(args));
	CU_ASSERT_EQUAL(h.write_count, 1);
	CU_ASSERT_EQUAL(h.segments[h.write[0].first].handle, m[0].region.handle);
	CU_ASSERT(h.has_reply);
	CU_ASSERT_EQUAL(h.segments[h.reply.first].handle, m[1].region.handle);
	CU_ASSERT_NOT_EQUAL(h.segments[0].handle, m[0].region.handle);
	for (i = 0; i < 2; i++)
		rpcrdma_deregister(conn, &m[i]);
	hang_up();
	CU_ASSERT_EQUAL(call.rc, -ECANCELED);
}

static void a_lower_threshold_makes_shorter_calls_long(void)
{
	static uint8_t args[1024];

	connect_to(NULL, 0);
	fill(args, sizeof(args));
	try_args(1024 - 68);
	try_long_args(args, 1024 - 67);
	hang_up();
}

/* The chunk lists are in the Send, however the message is sent. */
static void chunk_lists_longer_than_the_threshold_are_refused(void)
{
	static uint8_t memory[4];
	struct rpcrdma_memory m[RPCRDMA_MAX_SEGMENTS];
	struct rpcrdma_call call;
	unsigned int i;

	connect_to(NULL, 0);
	for (i = 0; i < ARRAY_SIZE(m); i++)
		m[i] = (struct rpcrdma_memory){ .base = memory, .length = 4 };
	init(&call);
	call.reply = m;
	call.reply_count = (1024 - 32) / 16;
	CU_ASSERT_EQUAL(rpcrdma_start(conn, &call, soon()), -EMSGSIZE);
	CU_ASSERT_PTR_NULL(call.long_call);
	call.reply_count = ARRAY_SIZE(m);
	CU_ASSERT_EQUAL(rpcrdma_start(conn, &call, soon()), -EMSGSIZE);
	CU_ASSERT_EQUAL(rpcrdma_transport(conn)->stats.sends_out, 0);
	hang_up();
}

SUITE_MAIN("long-call", TEST(a_long_call_is_a_read_chunk_at_position_zero),
	   TEST(a_short_call_goes_so_on_request), TEST(data_goes_inline_with_its_padding),
	   TEST(data_goes_by_read_chunk_without_padding),
	   TEST(a_call_over_the_bound_is_refused_before_sending),
	   TEST(a_long_call_cannot_be_read_after_its_reply),
	   TEST(a_long_call_that_timed_out_can_be_read_until_its_reply_comes),
	   TEST(a_silent_server_cannot_exhaust_memory),
	   TEST(a_long_call_has_write_and_reply_chunks_too),
	   TEST(chunk_lists_longer_than_the_threshold_are_refused),
	   TEST(a_lower_threshold_makes_shorter_calls_long))
