/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The requester against a peer with scripted answers. */
#include "tests/unit/client-peer.h"

static void a_reply_returns_its_results(void)
{
	struct rpcrdma_call call;

	connect_peer(0);
	start(&call);
	answer(&call, 7);
	CU_ASSERT_EQUAL(rpcrdma_wait(conn, &call, soon()), 0);
	CU_ASSERT_EQUAL(call.results_len, 4);
	ASSERT_BYTES(call.results, "done", 4);
	CU_ASSERT_EQUAL(rpc_reply_check(&call.rpc), 0);
	CU_ASSERT_FALSE(call.reply_by_chunk);
	ASSERT_AT_LEAST(call.done_ns, call.sent_ns);
	rpcrdma_call_fini(&call);
	hang_up();
}

static void the_call_carries_credits_chunks_and_arguments(void)
{
	uint8_t memory[3][100];
	struct rpcrdma_memory m[3];
	struct rpcrdma_header h;
	struct rpcrdma_call call;
	struct rpc_call rpc;
	size_t args, i;

	connect_peer(5);
	for (i = 0; i < 3; i++) {
		SUITE_ROW("%zu", i);
		m[i] = (struct rpcrdma_memory){ .base = memory[i],
						.length = 10 * (uint32_t)i + 10 };
		CU_ASSERT_EQUAL(rpcrdma_register(conn, &m[i]), 0);
	}
	init(&call);
	call.args = "argument";
	call.args_len = 8;
	call.write = m;
	call.write_count = 2;
	call.reply = &m[2];
	call.reply_count = 1;
	CU_ASSERT_EQUAL_FATAL(rpcrdma_start(conn, &call, soon()), 0);
	take_call(&h, &rpc, &args);
	CU_ASSERT_EQUAL(h.rdma_credit, 5);
	CU_ASSERT_EQUAL(h.rdma_xid, rpc.xid);
	CU_ASSERT_EQUAL(rpc.proc, PROC);
	CU_ASSERT_EQUAL(args, 8);
	CU_ASSERT_EQUAL(h.write_count, 1);
	CU_ASSERT_EQUAL(h.write[0].count, 2);
	CU_ASSERT_EQUAL(h.segments[1].handle, m[1].region.handle);
	CU_ASSERT_EQUAL(h.segments[1].length, 20);
	CU_ASSERT(h.has_reply);
	CU_ASSERT_EQUAL(h.reply.count, 1);
	CU_ASSERT_EQUAL(h.segments[h.reply.first].length, 30);
	for (i = 0; i < 3; i++)
		rpcrdma_deregister(conn, &m[i]);
	hang_up();
	CU_ASSERT_EQUAL(call.rc, -ECANCELED);
	rpcrdma_call_fini(&call);
}

static void one_call_may_be_in_flight_until_the_first_reply(void)
{
	struct rpcrdma_call first, second;

	connect_peer(8);
	CU_ASSERT_EQUAL(rpcrdma_credits(conn), 1);
	CU_ASSERT_EQUAL(rpcrdma_granted(conn), 0);
	start(&first);
	init(&second);
	CU_ASSERT_EQUAL(rpcrdma_start(conn, &second, deadline_in(20)), -ETIMEDOUT);
	CU_ASSERT_EQUAL(second.rc, -ETIMEDOUT);
	CU_ASSERT_EQUAL(peer->stats.sends_in, 0);
	answer(&first, 4);
	/* The wait for a credit takes the reply in. */
	start(&second);
	CU_ASSERT_EQUAL(first.rc, 0);
	CU_ASSERT_EQUAL(rpcrdma_credits(conn), 4);
	answer(&second, 4);
	finish(&first, 0);
	finish(&second, 0);
	hang_up();
}

static void credits_are_the_lesser_of_requested_and_granted(void)
{
	struct rpcrdma_call calls[9];
	unsigned int i;

	connect_peer(8);
	warm_up(1000);
	CU_ASSERT_EQUAL(rpcrdma_granted(conn), 1000);
	CU_ASSERT_EQUAL(rpcrdma_credits(conn), 8);
	for (i = 0; i < 8; i++) {
		SUITE_ROW("%u", i);
		start(&calls[i]);
	}
	init(&calls[8]);
	CU_ASSERT_EQUAL(rpcrdma_start(conn, &calls[8], deadline_in(20)), -ETIMEDOUT);
	for (i = 0; i < 8; i++) {
		SUITE_ROW("%u", i);
		answer(&calls[i], 3);
	}
	for (i = 0; i < 8; i++) {
		SUITE_ROW("%u", i);
		finish(&calls[i], 0);
	}
	CU_ASSERT_EQUAL(rpcrdma_credits(conn), 3);
	CU_ASSERT_EQUAL(rpcrdma_zero_grants(conn), 0);
	hang_up();
}

static void a_grant_of_zero_is_counted_and_leaves_one_credit(void)
{
	connect_peer(8);
	warm_up(0);
	warm_up(0);
	CU_ASSERT_EQUAL(rpcrdma_zero_grants(conn), 2);
	CU_ASSERT_EQUAL(rpcrdma_granted(conn), 0);
	CU_ASSERT_EQUAL(rpcrdma_credits(conn), 1);
	warm_up(6);
	CU_ASSERT_EQUAL(rpcrdma_credits(conn), 6);
	hang_up();
}

static void replies_find_their_calls_in_any_order(void)
{
	static const unsigned int order[] = { 3, 0, 4, 2, 1 };
	struct rpcrdma_call calls[5];
	char text[2] = "";
	unsigned int i;

	connect_peer(8);
	warm_up(8);
	for (i = 0; i < 5; i++) {
		SUITE_ROW("%u", i);
		start(&calls[i]);
	}
	for (i = 0; i < 5; i++) {
		SUITE_ROW("%u", i);
		text[0] = (char)('a' + order[i]);
		drain();
		send_reply(calls[order[i]].xid, calls[order[i]].xid, 8, text);
	}
	for (i = 0; i < 5; i++) {
		SUITE_ROW("%u", i);
		CU_ASSERT_EQUAL(rpcrdma_wait(conn, &calls[i], soon()), 0);
		CU_ASSERT_EQUAL(calls[i].results[0], 'a' + i);
		rpcrdma_call_fini(&calls[i]);
	}
	hang_up();
}

static void an_unknown_xid_ends_the_only_waiting_call(void)
{
	struct rpcrdma_call call;

	connect_peer(0);
	start(&call);
	send_reply(call.xid ^ 0x100000, call.xid ^ 0x100000, 4, "");
	finish(&call, -EILSEQ);
	hang_up();
}

static void an_unknown_xid_is_ignored_when_several_calls_wait(void)
{
	struct rpcrdma_call a, b;

	connect_peer(0);
	warm_up(4);
	start(&a);
	start(&b);
	send_reply(a.xid ^ 0x100000, a.xid ^ 0x100000, 4, "");
	send_reply(b.xid, b.xid, 4, "");
	finish(&b, 0);
	CU_ASSERT_EQUAL(a.rc, -EINPROGRESS);
	CU_ASSERT_EQUAL(rpcrdma_wait(conn, &a, deadline_in(20)), -ETIMEDOUT);
	rpcrdma_call_fini(&a);
	hang_up();
}

/* Otherwise one surplus reply would shift every later call by one. */
static void a_late_reply_is_not_matched_to_the_next_call(void)
{
	struct rpcrdma_call first, second;

	connect_peer(0);
	start(&first);
	send_reply(first.xid ^ 0x100000, 0, 4, "");
	finish(&first, -EILSEQ);
	start(&second);
	send_reply(first.xid, first.xid, 4, "");
	send_reply(second.xid, second.xid, 4, "");
	finish(&second, 0);
	/* The first one's own reply, and no second one. */
	CU_ASSERT_EQUAL(rpcrdma_again(conn), 0);
	hang_up();
}

static void second_replies_are_counted(void)
{
	struct rpcrdma_call first, second;

	connect_peer(0);
	start(&first);
	send_reply(first.xid, first.xid, 4, "");
	finish(&first, 0);
	CU_ASSERT_EQUAL(rpcrdma_again(conn), 0);
	start(&second);
	send_reply(first.xid, first.xid, 4, "");
	send_reply(second.xid, second.xid, 4, "");
	finish(&second, 0);
	CU_ASSERT_EQUAL(rpcrdma_again(conn), 1);
	hang_up();
}

/* Replies that are queued at the deadline may have arrived before it: one for each Receive. */
static void endless_replies_do_not_block_a_call(void)
{
	const struct transport *t;
	struct rpcrdma_call first, second, third;
	unsigned int i;

	connect_peer(4);
	t = rpcrdma_transport(conn);
	start(&first);
	drain();
	send_reply(first.xid, first.xid, 1, "");
	finish(&first, 0);
	start(&second);
	for (i = 0; i < 1000; i++)
		send_reply(first.xid, first.xid, 1, "");
	CU_ASSERT_EQUAL(rpcrdma_poll(conn, &second, now_ms() - 1), -ETIMEDOUT);
	ASSERT_CONTAINS(err_text(), "no reply to xid");
	ASSERT_MORE(t->stats.sends_in, 4);
	ASSERT_LESS(t->stats.sends_in, 1 + 4 + 4 + 4);
	/* A call that waits for a credit does not block either. */
	init(&third);
	CU_ASSERT_EQUAL(rpcrdma_start(conn, &third, now_ms() - 1), -ETIMEDOUT);
	ASSERT_LESS(t->stats.sends_in, 1 + 2 * (4 + 4 + 4));
	send_reply(second.xid, second.xid, 1, "");
	finish(&second, 0);
	rpcrdma_call_fini(&third);
	hang_up();
}

static void another_xid_in_the_rpc_message_is_reported(void)
{
	struct rpcrdma_call call;

	connect_peer(0);
	start(&call);
	send_reply(call.xid, call.xid + 1, 4, "");
	finish(&call, -EILSEQ);
	hang_up();
}

static void send_error(uint32_t xid, uint32_t code)
{
	uint8_t buf[64];
	struct rpcrdma_header h;
	struct writer w;

	writer_init(&w, buf, sizeof(buf));
	header_init(&h, xid, 4, RDMA_ERROR);
	h.rdma_err = code;
	h.rdma_vers_low = 2;
	h.rdma_vers_high = 3;
	CU_ASSERT_EQUAL(header_encode(&w, &h), 0);
	send_bytes(buf, w.len);
}

static void rdma_errors_are_reported_by_name(void)
{
	struct rpcrdma_call call;

	connect_peer(0);
	start(&call);
	send_error(call.xid, ERR_VERS);
	finish(&call, -EBADE);
	ASSERT_CONTAINS(call.text, "ERR_VERS");
	ASSERT_CONTAINS(call.text, "2 to 3");
	CU_ASSERT_EQUAL(call.header.rdma_err, ERR_VERS);
	start(&call);
	send_error(call.xid, ERR_CHUNK);
	finish(&call, -EBADE);
	ASSERT_CONTAINS(call.text, "ERR_CHUNK in answer to a call without chunks");
	hang_up();
}

#define REPLY_SEGMENTS 3

struct chunk {
	uint8_t memory[REPLY_SEGMENTS][64];
	struct rpcrdma_memory m[REPLY_SEGMENTS];
};

static void start_with_reply_chunk(struct rpcrdma_call *call, struct chunk *c)
{
	static const uint32_t lengths[REPLY_SEGMENTS] = { 5, 13, 64 };
	unsigned int i;

	for (i = 0; i < REPLY_SEGMENTS; i++) {
		SUITE_ROW("%u", i);
		c->m[i] = (struct rpcrdma_memory){ .base = c->memory[i], .length = lengths[i] };
		CU_ASSERT_EQUAL_FATAL(rpcrdma_register(conn, &c->m[i]), 0);
	}
	init(call);
	call->reply = c->m;
	call->reply_count = REPLY_SEGMENTS;
	CU_ASSERT_EQUAL_FATAL(rpcrdma_start(conn, call, soon()), 0);
}

/* RDMA_NOMSG with a Reply chunk of @count segments of these lengths. */
static void send_nomsg(const struct rpcrdma_call *call, const uint32_t *lengths, uint32_t count)
{
	struct rpcrdma_segment s[8] = { { 0 } };
	struct rpcrdma_header h;
	uint8_t buf[512];
	struct writer w;
	uint32_t i;

	for (i = 0; i < count; i++) {
		s[i].handle = i < call->reply_count ? call->reply[i].region.handle : 1;
		s[i].length = lengths[i];
	}
	writer_init(&w, buf, sizeof(buf));
	header_init(&h, call->xid, 4, RDMA_NOMSG);
	CU_ASSERT_EQUAL(header_set_reply(&h, s, count), 0);
	CU_ASSERT_EQUAL(header_encode(&w, &h), 0);
	send_bytes(buf, w.len);
}

static void release(struct rpcrdma_call *call, struct chunk *c)
{
	unsigned int i;

	for (i = 0; i < REPLY_SEGMENTS; i++)
		rpcrdma_deregister(conn, &c->m[i]);
	rpcrdma_call_fini(call);
}

static void a_reply_chunk_is_assembled_from_its_segments(void)
{
	static const uint32_t lengths[] = { 5, 13, 11 };
	struct rpcrdma_call call;
	uint8_t buf[64];
	struct chunk c;
	struct writer w;
	size_t at = 0;
	uint32_t i;

	connect_peer(0);
	start_with_reply_chunk(&call, &c);
	writer_init(&w, buf, sizeof(buf));
	rpc_success(&w, call.xid, "fives");
	CU_ASSERT_EQUAL(w.len, 29);
	for (i = 0; i < REPLY_SEGMENTS; i++) {
		SUITE_ROW("%u", i);
		CU_ASSERT_EQUAL(peer->ops->write(peer, buf + at, lengths[i], c.m[i].region.handle,
						 c.m[i].region.offset, soon()),
				0);
		at += lengths[i];
	}
	send_nomsg(&call, lengths, REPLY_SEGMENTS);
	CU_ASSERT_EQUAL(rpcrdma_wait(conn, &call, soon()), 0);
	CU_ASSERT(call.reply_by_chunk);
	CU_ASSERT_EQUAL(call.results_len, 5);
	ASSERT_BYTES(call.results, "fives", 5);
	release(&call, &c);
	hang_up();
}

static void chunk_list_errors_are_reported_only_for_calls_with_chunks(void)
{
	struct rpcrdma_call call;
	struct chunk c;

	connect_peer(0);
	start_with_reply_chunk(&call, &c);
	send_error(call.xid, ERR_CHUNK);
	finish(&call, -EBADE);
	ASSERT_CONTAINS(call.text, "the server refused the chunk lists");
	hang_up();
}

static void reply_chunks_that_were_not_offered_are_refused(void)
{
	static const struct {
		uint32_t lengths[4], count;
	} rows[] = {
		{ { 6, 13, 5 }, 3 },  /* more than the segment holds */
		{ { 5, 13, 65 }, 3 }, /* by one */
		{ { UINT32_MAX, UINT32_MAX, UINT32_MAX }, 3 },
		{ { 5, 13 }, 2 },        /* a segment is missing */
		{ { 5, 13, 11, 1 }, 4 }, /* one too many */
		{ { 0 }, 0 },
		{ { 0, 0, 0 }, 3 }, /* no RPC message in it */
	};
	struct rpcrdma_call call;
	struct chunk c;
	size_t i;

	connect_peer(0);
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		SUITE_ROW("%zu", i);
		start_with_reply_chunk(&call, &c);
		send_nomsg(&call, rows[i].lengths, rows[i].count);
		CU_ASSERT_EQUAL(rpcrdma_wait(conn, &call, soon()), -EBADMSG);
		CU_ASSERT_PTR_NULL(call.results);
		release(&call, &c);
	}
	hang_up();
}

static void nomsg_without_a_chunk_is_refused(void)
{
	static const uint32_t length = 100;
	struct rpcrdma_call call;
	uint8_t buf[28] = { 0 };

	connect_peer(0);
	start(&call);
	put_be32(buf, call.xid);
	put_be32(buf + 4, RPCRDMA_VERSION);
	put_be32(buf + 8, 4);
	put_be32(buf + 12, RDMA_NOMSG);
	send_bytes(buf, sizeof(buf));
	finish(&call, -EBADMSG);
	/* A Reply chunk that was not offered. */
	start(&call);
	send_nomsg(&call, &length, 1);
	finish(&call, -EBADMSG);
	hang_up();
}

/* Every truncation of a good reply is a malformed answer to the one waiting call. */
static void short_sends_cannot_be_parsed(void)
{
	struct rpcrdma_call call;
	struct rpcrdma_header h;
	uint8_t buf[128];
	struct writer w;
	size_t len, all;

	connect_peer(0);
	for (len = 0, all = 1; len < all; len++) {
		SUITE_ROW("len %zu", len);
		start(&call);
		writer_init(&w, buf, sizeof(buf));
		header_init(&h, call.xid, 4, RDMA_MSG);
		CU_ASSERT_EQUAL(header_encode(&w, &h), 0);
		rpc_success(&w, call.xid, "");
		all = w.len;
		send_bytes(buf, len);
		finish(&call, -EBADMSG);
	}
	CU_ASSERT_EQUAL(all, 52);
	hang_up();
}

static void headers_of_other_types_cannot_be_parsed(void)
{
	static const struct {
		uint32_t vers, proc;
	} rows[] = { { 2, RDMA_MSG },  { 0, RDMA_MSG }, { 1, RDMA_MSGP },
		     { 1, RDMA_DONE }, { 1, 5 },        { 1, UINT32_MAX } };
	struct rpcrdma_call call;
	uint8_t buf[64] = { 0 };
	size_t i;

	connect_peer(0);
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		SUITE_ROW("%zu", i);
		start(&call);
		put_be32(buf, call.xid);
		put_be32(buf + 4, rows[i].vers);
		put_be32(buf + 8, 4);
		put_be32(buf + 12, rows[i].proc);
		send_bytes(buf, sizeof(buf));
		finish(&call, -EBADMSG);
	}
	hang_up();
}

static void an_rpc_error_is_a_reply(void)
{
	const struct rpc_reply reply = { .accept_stat = RPC_GARBAGE_ARGS };
	struct rpc_reply with_xid = reply;
	struct rpcrdma_call call;
	struct rpcrdma_header h;
	uint8_t buf[128];
	struct writer w;

	connect_peer(0);
	start(&call);
	with_xid.xid = call.xid;
	writer_init(&w, buf, sizeof(buf));
	header_init(&h, call.xid, 4, RDMA_MSG);
	CU_ASSERT_EQUAL(header_encode(&w, &h), 0);
	rpc_reply_encode(&w, &with_xid);
	send_bytes(buf, w.len);
	CU_ASSERT_EQUAL(rpcrdma_wait(conn, &call, soon()), 0);
	CU_ASSERT_EQUAL(rpc_reply_check(&call.rpc), -EINVAL);
	rpcrdma_call_fini(&call);
	hang_up();
}

static void silence_ends_at_the_deadline_and_frees_the_credit(void)
{
	struct rpcrdma_call call;
	uint64_t before = now_ms();

	connect_peer(0);
	start(&call);
	CU_ASSERT_EQUAL(rpcrdma_wait(conn, &call, deadline_in(30)), -ETIMEDOUT);
	ASSERT_AT_LEAST(now_ms() - before, 30);
	ASSERT_WITHIN_MS(now_ms() - before, 5000);
	ASSERT_CONTAINS(err_text(), "no reply to xid");
	rpcrdma_call_fini(&call);
	start(&call);
	hang_up();
}

static void a_disconnect_ends_all_calls_and_later_ones(void)
{
	struct rpcrdma_call calls[3], late;
	unsigned int i;

	connect_peer(0);
	warm_up(8);
	for (i = 0; i < 3; i++) {
		SUITE_ROW("%u", i);
		start(&calls[i]);
	}
	transport_close_p(&peer);
	CU_ASSERT_EQUAL(rpcrdma_wait(conn, &calls[1], soon()), -ECONNRESET);
	for (i = 0; i < 3; i++) {
		SUITE_ROW("%u", i);
		finish(&calls[i], -ECONNRESET);
	}
	init(&late);
	CU_ASSERT_EQUAL(rpcrdma_call(conn, &late, soon()), -ECONNRESET);
	CU_ASSERT_EQUAL(late.rc, -ECONNRESET);
	/* Waiting for a call that was never sent ends at once. */
	CU_ASSERT_EQUAL(rpcrdma_wait(conn, &late, soon()), -ECONNRESET);
	rpcrdma_call_fini(&late);
	hang_up();
}

static void a_call_waiting_for_a_credit_ends_with_the_connection(void)
{
	struct rpcrdma_call first, second;

	connect_peer(0);
	start(&first);
	transport_close_p(&peer);
	init(&second);
	CU_ASSERT_EQUAL(rpcrdma_start(conn, &second, soon()), -ECONNRESET);
	finish(&first, -ECONNRESET);
	finish(&second, -ECONNRESET);
	hang_up();
}

static void a_send_longer_than_our_buffers_ends_the_connection(void)
{
	static const uint8_t large[RPCRDMA_INLINE_SIZE + 1];
	struct rpcrdma_call call;

	connect_peer(0);
	start(&call);
	drain();
	send_bytes(large, sizeof(large));
	finish(&call, -EPROTO);
	CU_ASSERT_STRING_NOT_EQUAL(rpcrdma_transport(conn)->violation.text, "");
	hang_up();
}

static void a_call_goes_inline_up_to_the_threshold(void)
{
	connect_peer(0);
	try_args(4096 - 68);
	try_args(0);
	hang_up();
}

static void without_private_data_the_threshold_is_1024(void)
{
	connect_to(NULL, 0);
	CU_ASSERT_FALSE(rpcrdma_peer_private(conn)->present);
	CU_ASSERT_EQUAL(rpcrdma_call_inline(conn), 1024);
	CU_ASSERT_EQUAL(rpcrdma_reply_inline(conn), 1024);
	try_args(1024 - 68);
	hang_up();
}

static void thresholds_are_the_lesser_of_the_two_ends(void)
{
	static const struct rpcrdma_private larger = { .send_size = 65536, .receive_size = 2048 };

	connect_to(&larger, 0);
	CU_ASSERT(rpcrdma_peer_private(conn)->present);
	CU_ASSERT_EQUAL(rpcrdma_call_inline(conn), 2048);
	CU_ASSERT_EQUAL(rpcrdma_reply_inline(conn), 4096);
	hang_up();
}

static void credential_and_verifier_are_sent_as_encoded(void)
{
	static const uint8_t auth[24] = { 0, 0, 0, 77, 0, 0, 0, 3, 1, 2, 3, 0,
					  0, 0, 0, 78, 0, 0, 0, 4, 5, 6, 7, 8 };
	struct rpcrdma_call call;
	struct transport_msg msg;

	connect_peer(0);
	init(&call);
	call.auth = auth;
	call.auth_len = sizeof(auth);
	CU_ASSERT_EQUAL_FATAL(rpcrdma_start(conn, &call, soon()), 0);
	CU_ASSERT_EQUAL_FATAL(peer->ops->recv(peer, &msg, soon()), 0);
	CU_ASSERT_EQUAL(msg.len, 28 + 24 + sizeof(auth));
	ASSERT_BYTES(msg.data + 28 + 24, auth, sizeof(auth));
	peer->ops->repost(peer, &msg);
	send_reply(call.xid, call.xid, 8, "done");
	finish(&call, 0);
	hang_up();
}

static void a_polled_call_stays_in_flight(void)
{
	struct rpcrdma_call call, second;

	connect_peer(0);
	start(&call);
	CU_ASSERT_EQUAL(rpcrdma_poll(conn, &call, deadline_in(10)), -ETIMEDOUT);
	CU_ASSERT_EQUAL(call.rc, -EINPROGRESS);
	/* It has the only credit. */
	init(&second);
	CU_ASSERT_EQUAL(rpcrdma_start(conn, &second, deadline_in(10)), -ETIMEDOUT);
	answer(&call, 8);
	CU_ASSERT_EQUAL(rpcrdma_poll(conn, &call, soon()), 0);
	CU_ASSERT_EQUAL(call.results_len, 4);
	rpcrdma_call_fini(&call);
	/* A call that is abandoned returns it. */
	start(&call);
	rpcrdma_forget(conn, &call);
	finish(&call, -ECANCELED);
	drain();
	start(&second);
	answer(&second, 8);
	finish(&second, 0);
	hang_up();
}

static void the_next_xid_can_be_chosen(void)
{
	struct rpcrdma_call call;

	connect_peer(0);
	rpcrdma_set_xid(conn, 0xffffffff);
	start(&call);
	CU_ASSERT_EQUAL(call.xid, 0xffffffff);
	answer(&call, 8);
	finish(&call, 0);
	CU_ASSERT_EQUAL(rpcrdma_next_xid(conn), 0);
	start(&call);
	CU_ASSERT_EQUAL(call.xid, 0);
	answer(&call, 8);
	finish(&call, 0);
	hang_up();
}

static uint64_t send_deadline;

static int note_deadline(struct transport *t, const struct iovec *iov, int count,
			 unsigned int flags, uint32_t handle, uint64_t deadline)
{
	send_deadline = deadline;
	return transport_loop.send(t, iov, count, flags, handle, deadline);
}

/* A truncated Send ends the connection. */
static void a_short_deadline_does_not_cut_the_send(void)
{
	struct transport_ops ops = transport_loop;
	uint64_t deadline;
	struct rpcrdma_call call;

	connect_peer(0);
	ops.send = note_deadline;
	conn->transport->ops = &ops;
	init(&call);
	deadline = deadline_in(10);
	CU_ASSERT_EQUAL(rpcrdma_call(conn, &call, deadline), -ETIMEDOUT);
	CU_ASSERT_EQUAL(send_deadline, deadline);
	init(&call);
	call.send_ms = 2000;
	deadline = deadline_in(10);
	CU_ASSERT_EQUAL(rpcrdma_call(conn, &call, deadline), -ETIMEDOUT);
	ASSERT_MORE(send_deadline, deadline + 1000);
	init(&call);
	call.send_ms = 2000;
	deadline = deadline_in(PATIENCE_MS);
	CU_ASSERT_EQUAL(rpcrdma_start(conn, &call, deadline), 0);
	CU_ASSERT_EQUAL(send_deadline, deadline);
	conn->transport->ops = &transport_loop;
	hang_up();
}

static void too_many_segments_are_refused_before_anything_is_sent(void)
{
	struct rpcrdma_memory m = { .length = 4 };
	struct rpcrdma_call call;

	connect_peer(0);
	init(&call);
	call.write = &m;
	call.write_count = RPCRDMA_MAX_SEGMENTS + 1;
	CU_ASSERT_EQUAL(rpcrdma_call(conn, &call, soon()), -E2BIG);
	CU_ASSERT_EQUAL(call.rc, -E2BIG);
	CU_ASSERT_EQUAL(rpcrdma_transport(conn)->stats.sends_out, 0);
	rpcrdma_call_fini(&call);
	hang_up();
}

static void closing_cancels_calls_in_flight_and_keeps_the_error(void)
{
	struct rpcrdma_call call;

	connect_peer(0);
	start(&call);
	hang_up();
	CU_ASSERT_EQUAL(call.rc, -ECANCELED);
	rpcrdma_call_fini(&call);

	connect_peer(0);
	err_set(EIO, "what the caller wants to tell");
	hang_up();
	CU_ASSERT_STRING_EQUAL(err_text(), "what the caller wants to tell");
}

static void a_failed_connection_says_why(void)
{
	struct rpcrdma_options options = { .transport = &transport_loop };

	options.to.addr.ss_family = AF_INET;
	transport_set_port(&options.to, 65535);
	conn = NULL;
	CU_ASSERT_EQUAL(rpcrdma_open(&conn, &options, soon()), -ECONNREFUSED);
	CU_ASSERT_PTR_NULL(conn);
	CU_ASSERT_STRING_EQUAL(err_text(), "nobody listens on port 65535");
}

SUITE_MAIN("client", TEST(a_reply_returns_its_results),
	   TEST(the_call_carries_credits_chunks_and_arguments),
	   TEST(one_call_may_be_in_flight_until_the_first_reply),
	   TEST(credits_are_the_lesser_of_requested_and_granted),
	   TEST(a_grant_of_zero_is_counted_and_leaves_one_credit),
	   TEST(replies_find_their_calls_in_any_order),
	   TEST(an_unknown_xid_ends_the_only_waiting_call),
	   TEST(an_unknown_xid_is_ignored_when_several_calls_wait),
	   TEST(a_late_reply_is_not_matched_to_the_next_call), TEST(second_replies_are_counted),
	   TEST(endless_replies_do_not_block_a_call),
	   TEST(another_xid_in_the_rpc_message_is_reported), TEST(rdma_errors_are_reported_by_name),
	   TEST(a_reply_chunk_is_assembled_from_its_segments),
	   TEST(chunk_list_errors_are_reported_only_for_calls_with_chunks),
	   TEST(reply_chunks_that_were_not_offered_are_refused),
	   TEST(nomsg_without_a_chunk_is_refused), TEST(short_sends_cannot_be_parsed),
	   TEST(headers_of_other_types_cannot_be_parsed), TEST(an_rpc_error_is_a_reply),
	   TIMED(silence_ends_at_the_deadline_and_frees_the_credit),
	   TEST(a_disconnect_ends_all_calls_and_later_ones),
	   TEST(a_call_waiting_for_a_credit_ends_with_the_connection),
	   TEST(a_send_longer_than_our_buffers_ends_the_connection),
	   TEST(a_call_goes_inline_up_to_the_threshold),
	   TEST(credential_and_verifier_are_sent_as_encoded), TEST(a_polled_call_stays_in_flight),
	   TEST(the_next_xid_can_be_chosen), TEST(without_private_data_the_threshold_is_1024),
	   TEST(thresholds_are_the_lesser_of_the_two_ends),
	   TEST(a_short_deadline_does_not_cut_the_send),
	   TEST(too_many_segments_are_refused_before_anything_is_sent),
	   TEST(closing_cancels_calls_in_flight_and_keeps_the_error),
	   TEST(a_failed_connection_says_why))
