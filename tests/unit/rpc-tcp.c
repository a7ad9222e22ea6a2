/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* RPC over TCP against a peer that may violate the protocol. */
#include <netinet/tcp.h>

#include "tests/unit/suite.h"
#include "tests/unit/tcp-peer.h"

#define XID 0x11223344

static const struct rpc_call null_call = { .xid = XID, .prog = 100003, .vers = 3 };

struct outcome {
	int rc;
	uint32_t result; /* its first word */
	size_t len;
	unsigned int took_ms;
};

/* One call with 4 bytes of arguments and room for a reply of 64 bytes. */
static struct outcome call_peer(void (*serve)(int fd, void *arg), void *arg, unsigned int ms)
{
	static const uint8_t args[4] = { 0xde, 0xad, 0xbe, 0xef };
	struct outcome o = { .rc = -EIO };
	uint8_t buf[64];
	struct rpc_tcp_exchange exchange = { .call = &null_call,
					     .args = args,
					     .args_len = sizeof(args),
					     .buf = buf,
					     .cap = sizeof(buf) };
	struct tcp_peer peer;
	uint64_t start;
	int fd = -1;

	if (tcp_peer_listen(&peer, AF_INET))
		abort();
	tcp_peer_run(&peer, serve, arg);
	CU_ASSERT_EQUAL(rpc_tcp_connect(&fd, &peer.at, NULL, deadline_in(PATIENCE_MS)), 0);
	start = now_ms();
	o.rc = rpc_tcp_call(fd, &exchange, deadline_in(ms));
	o.len = exchange.results_len;
	o.took_ms = (unsigned int)(now_ms() - start);
	if (o.rc == 0 && o.len >= 4)
		o.result = get_be32(exchange.results);
	close(fd);
	tcp_peer_join(&peer);
	return o;
}

/* The peer's action after it receives the call. */
struct script {
	void (*answer)(int fd, const uint8_t *reply, size_t len);
	uint8_t call[128];
	size_t call_len;
	uint32_t accept_stat;
};

static void serve_script(int fd, void *arg)
{
	struct script *script = arg;
	uint8_t reply[28];

	script->call_len = peer_recv_call(fd, script->call, sizeof(script->call));
	peer_reply_header(reply, XID, script->accept_stat);
	put_be32(reply + 24, 0xcafef00d);
	script->answer(fd, reply, sizeof(reply));
}

static struct outcome call_answered(void (*answer)(int fd, const uint8_t *reply, size_t len))
{
	struct script script = { .answer = answer };

	return call_peer(serve_script, &script, PATIENCE_MS);
}

static bool is_result(const struct outcome *o)
{
	return o->rc == 0 && o->len == 4 && o->result == 0xcafef00d;
}

static void answer_whole(int fd, const uint8_t *reply, size_t len)
{
	peer_send_record(fd, reply, len);
	peer_wait_end(fd);
}

static void a_call_is_one_record(void)
{
	static const uint8_t want[44] = {
		0x11, 0x22, 0x33, 0x44, 0, 0, 0, 0, 0, 0, 0,    2,    0,    1,   0x86,
		0xa3, 0,    0,    0,    3, 0, 0, 0, 0, 0, 0,    0,    0,    0,   0,
		0,    0,    0,    0,    0, 0, 0, 0, 0, 0, 0xde, 0xad, 0xbe, 0xef
	};
	struct script script = { .answer = answer_whole };
	struct outcome o = call_peer(serve_script, &script, PATIENCE_MS);

	CU_ASSERT_TRUE(is_result(&o));
	CU_ASSERT_EQUAL(script.call_len, sizeof(want));
	ASSERT_BYTES(script.call, want, sizeof(want));
}

static void answer_fragments(int fd, const uint8_t *reply, size_t len)
{
	size_t i;

	for (i = 0; i < len; i++) {
		peer_send_fragment(fd, 0, NULL, 0);
		peer_send_fragment(fd, 1, reply + i, 1);
	}
	peer_send_fragment(fd, 0x80000000, NULL, 0);
	peer_wait_end(fd);
}

static void fragments_are_joined_empty_ones_too(void)
{
	struct outcome o = call_answered(answer_fragments);

	CU_ASSERT_TRUE(is_result(&o));
}

static void answer_bytes(int fd, const uint8_t *reply, size_t len)
{
	uint8_t record[32];
	size_t i;
	int one = 1;

	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	put_be32(record, 0x80000000u | (uint32_t)len);
	memcpy(record + 4, reply, len);
	for (i = 0; i < sizeof(record); i++) {
		peer_send(fd, record + i, 1);
		usleep(500);
	}
	peer_wait_end(fd);
}

static void a_record_can_arrive_byte_by_byte(void)
{
	struct outcome o = call_answered(answer_bytes);

	CU_ASSERT_TRUE(is_result(&o));
}

struct marks {
	uint32_t first, second; /* the second follows 60 bytes, if there is one */
};

static void serve_marks(int fd, void *arg)
{
	const struct marks *marks = arg;
	uint8_t call[128], zeros[60] = { 0 };

	peer_recv_call(fd, call, sizeof(call));
	peer_send_fragment(fd, marks->first, zeros, marks->second ? sizeof(zeros) : 0);
	if (marks->second)
		peer_send_fragment(fd, marks->second, NULL, 0);
	peer_wait_end(fd);
}

static void a_reply_longer_than_the_room_is_refused_unread(void)
{
	static const struct marks marks[] = { { 65, 0 },         { 0x80000041, 0 },
					      { 0x7fffffff, 0 }, { 0xffffffff, 0 },
					      { 60, 5 },         { 60, 0x7fffffff },
					      { 60, 0xffffffff } };
	struct outcome o;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(marks); i++) {
		SUITE_ROW("%zu", i);
		o = call_peer(serve_marks, (void *)&marks[i], PATIENCE_MS);
		CU_ASSERT_EQUAL(o.rc, -EMSGSIZE);
		ASSERT_WITHIN_MS(o.took_ms, 2000);
	}
}

static void answer_no_end(int fd, const uint8_t *reply, size_t len)
{
	int i;

	(void)reply;
	(void)len;
	for (i = 0; i < 2000; i++)
		peer_send_fragment(fd, 0, NULL, 0);
	peer_wait_end(fd);
}

static void endless_empty_fragments_are_refused(void)
{
	struct outcome o = call_answered(answer_no_end);

	CU_ASSERT_EQUAL(o.rc, -EBADMSG);
	ASSERT_CONTAINS(err_text(), "fragments");
}

static void answer_late_ones_first(int fd, const uint8_t *reply, size_t len)
{
	uint8_t other[28];
	uint32_t i;

	memcpy(other, reply, len);
	for (i = 1; i <= 5; i++) {
		put_be32(other, XID - i);
		peer_send_record(fd, other, len);
	}
	peer_send_record(fd, other, 4); /* of another xid: not parsed */
	peer_send_record(fd, reply, len);
	peer_wait_end(fd);
}

static void answer_others_only(int fd, const uint8_t *reply, size_t len)
{
	uint8_t other[28];
	uint32_t i;

	memcpy(other, reply, len);
	put_be32(other, ~XID);
	for (i = 0; i < 100; i++)
		peer_send_record(fd, other, len);
	peer_wait_end(fd);
}

static void a_reply_with_another_xid_is_skipped(void)
{
	struct outcome o = call_answered(answer_late_ones_first);

	CU_ASSERT_TRUE(is_result(&o));
	o = call_answered(answer_others_only);
	CU_ASSERT_EQUAL(o.rc, -EBADMSG);
	ASSERT_CONTAINS(err_text(), "none of them to our call");
}

static void serve_cut(int fd, void *arg)
{
	uint8_t call[128], reply[28];
	const size_t *len = arg;

	peer_recv_call(fd, call, sizeof(call));
	peer_reply_header(reply, XID, RPC_SUCCESS);
	peer_send_record(fd, reply, *len);
	peer_wait_end(fd);
}

static void a_record_too_short_for_a_reply_is_refused(void)
{
	struct outcome o;
	size_t len;

	for (len = 0; len < 24; len++) {
		SUITE_ROW("len %zu", len);
		o = call_peer(serve_cut, &len, PATIENCE_MS);
		CU_ASSERT_EQUAL(o.rc, -EBADMSG);
	}
}

static void answer_call(int fd, const uint8_t *reply, size_t len)
{
	uint8_t call[28];

	memcpy(call, reply, len);
	put_be32(call + 4, RPC_CALL);
	peer_send_record(fd, call, len);
	peer_wait_end(fd);
}

static void a_call_is_not_a_reply(void)
{
	CU_ASSERT_EQUAL(call_answered(answer_call).rc, -EBADMSG);
}

static void answer_nothing(int fd, const uint8_t *reply, size_t len)
{
	(void)reply;
	(void)len;
	peer_wait_end(fd);
}

static void answer_half(int fd, const uint8_t *reply, size_t len)
{
	peer_send_fragment(fd, 0x80000000u | (uint32_t)len, reply, len / 2);
	peer_wait_end(fd);
}

/* Faster than any single wait, slower than the deadline. */
static void answer_drops(int fd, const uint8_t *reply, size_t len)
{
	int i;

	peer_send_fragment(fd, 0x80000000u | (uint32_t)len, NULL, 0);
	for (i = 0; i < 20; i++) {
		peer_send(fd, reply + i, 1);
		usleep(60000);
	}
}

static void silence_ends_at_the_deadline(void)
{
	static void (*const answers[])(int fd, const uint8_t *reply,
				       size_t len) = { answer_nothing, answer_half, answer_drops };
	struct script script;
	struct outcome o;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(answers); i++) {
		SUITE_ROW("%zu", i);
		script = (struct script){ .answer = answers[i] };
		o = call_peer(serve_script, &script, 200);
		CU_ASSERT_EQUAL(o.rc, -ETIMEDOUT);
		ASSERT_AT_LEAST(o.took_ms, 150);
		ASSERT_WITHIN_MS(o.took_ms, 1500);
	}
}

static void answer_close(int fd, const uint8_t *reply, size_t len)
{
	(void)fd;
	(void)reply;
	(void)len;
}

static void answer_half_and_close(int fd, const uint8_t *reply, size_t len)
{
	peer_send_fragment(fd, 0x80000000u | (uint32_t)len, reply, len / 2);
}

static void answer_reset(int fd, const uint8_t *reply, size_t len)
{
	struct linger linger = { .l_onoff = 1 };

	(void)reply;
	(void)len;
	setsockopt(fd, SOL_SOCKET, SO_LINGER, &linger, sizeof(linger));
}

static void a_lost_connection_is_reported_at_once(void)
{
	CU_ASSERT_EQUAL(call_answered(answer_close).rc, -ECONNRESET);
	CU_ASSERT_EQUAL(call_answered(answer_half_and_close).rc, -ECONNRESET);
	CU_ASSERT_STRING_EQUAL(err_text(), "the peer closed the connection");
	CU_ASSERT_EQUAL(call_answered(answer_reset).rc, -ECONNRESET);
}

static void answer_too_weak(int fd, const uint8_t *reply, size_t len)
{
	uint8_t denied[20];

	(void)len;
	memcpy(denied, reply, 8);
	put_be32(denied + 8, RPC_MSG_DENIED);
	put_be32(denied + 12, RPC_AUTH_ERROR);
	put_be32(denied + 16, 5);
	peer_send_record(fd, denied, sizeof(denied));
	peer_wait_end(fd);
}

static void an_rpc_error_is_returned(void)
{
	struct script script = { .answer = answer_whole, .accept_stat = RPC_PROG_UNAVAIL };

	CU_ASSERT_EQUAL(call_peer(serve_script, &script, PATIENCE_MS).rc, -EOPNOTSUPP);
	CU_ASSERT_EQUAL(call_answered(answer_too_weak).rc, -EACCES);
}

static void serve_deaf(int fd, void *arg)
{
	const int *until = arg;
	uint8_t byte;

	(void)fd;
	if (read(*until, &byte, 1) < 0)
		abort();
}

static void a_peer_that_does_not_read_ends_at_the_deadline(void)
{
	const size_t size = 16 << 20;
	uint8_t *args = calloc(1, size), buf[64];
	struct rpc_tcp_exchange exchange = {
		.call = &null_call, .args = args, .args_len = size, .buf = buf, .cap = sizeof(buf)
	};
	struct tcp_peer peer;
	int pipes[2];
	int fd = -1;

	if (pipe(pipes) || tcp_peer_listen(&peer, AF_INET))
		abort();
	tcp_peer_run(&peer, serve_deaf, &pipes[0]);
	CU_ASSERT_EQUAL(rpc_tcp_connect(&fd, &peer.at, NULL, deadline_in(PATIENCE_MS)), 0);
	CU_ASSERT_EQUAL(rpc_tcp_call(fd, &exchange, deadline_in(200)), -ETIMEDOUT);
	close(fd);
	close(pipes[1]);
	tcp_peer_join(&peer);
	close(pipes[0]);
	free(args);
}

static void connecting_to_a_closed_port_is_refused(void)
{
	struct rpc_tcp_source source = { .reserved = true };
	struct tcp_peer peer;
	int fd = -1;

	if (tcp_peer_listen(&peer, AF_INET))
		abort();
	close(peer.listener);
	CU_ASSERT_EQUAL(rpc_tcp_connect(&fd, &peer.at, NULL, deadline_in(PATIENCE_MS)),
			-ECONNREFUSED);
	CU_ASSERT_EQUAL(fd, -1);
	ASSERT_CONTAINS(err_text(), "connect to ");
	CU_ASSERT_EQUAL(rpc_tcp_connect(&fd, &peer.at, &source, deadline_in(PATIENCE_MS)),
			-ECONNREFUSED);
}

/* A listener whose queue is full leaves a SYN unanswered, as an absent host does. */
static void a_connect_without_an_answer_ends_at_the_deadline(void)
{
	struct tcp_peer peer;
	int fds[4] = { -1, -1, -1, -1 };
	uint64_t start = now_ms();
	size_t i;
	int rc = 0;

	if (tcp_peer_listen(&peer, AF_INET))
		abort();
	for (i = 0; i < ARRAY_SIZE(fds) && !rc; i++)
		rc = rpc_tcp_connect(&fds[i], &peer.at, NULL, deadline_in(300));
	CU_ASSERT_EQUAL(rc, -ETIMEDOUT);
	ASSERT_WITHIN_MS(now_ms() - start, 3000);
	for (i = 0; i < ARRAY_SIZE(fds); i++)
		cleanup_close(&fds[i]);
	close(peer.listener);
}

static uint16_t local_port(int fd)
{
	struct transport_address at = { .len = sizeof(at.addr) };

	getsockname(fd, (struct sockaddr *)&at.addr, &at.len);
	return transport_port(&at);
}

/* Can run as any user: the received port is printed. */
static void check_reserved(int family)
{
	struct tcp_peer peer;
	struct rpc_tcp_source sources[2] = { { .reserved = true }, { .reserved = true } };
	int fds[2] = { -1, -1 };
	size_t i;

	if (tcp_peer_listen(&peer, family))
		return; /* no IPv6 here */
	for (i = 0; i < 2; i++) {
		SUITE_ROW("%zu", i);
		CU_ASSERT_EQUAL(
			rpc_tcp_connect(&fds[i], &peer.at, &sources[i], deadline_in(PATIENCE_MS)),
			0);
		CU_ASSERT_EQUAL(sources[i].reserved, local_port(fds[i]) < 1024);
		ASSERT_AT_LEAST(local_port(fds[i]), 512);
	}
	CU_ASSERT_EQUAL(sources[0].reserved, sources[1].reserved);
	CU_ASSERT(geteuid() != 0 || sources[0].reserved);
	CU_ASSERT_NOT_EQUAL(local_port(fds[0]), local_port(fds[1]));
	cleanup_close(&fds[0]);
	cleanup_close(&fds[1]);
	close(peer.listener);
}

static void a_reserved_port_is_bound_if_allowed(void)
{
	check_reserved(AF_INET);
	check_reserved(AF_INET6);
}

SUITE_MAIN("rpc-tcp", TEST(a_call_is_one_record), TEST(fragments_are_joined_empty_ones_too),
	   TEST(a_record_can_arrive_byte_by_byte),
	   TIMED(a_reply_longer_than_the_room_is_refused_unread),
	   TEST(endless_empty_fragments_are_refused), TEST(a_reply_with_another_xid_is_skipped),
	   TEST(a_record_too_short_for_a_reply_is_refused), TEST(a_call_is_not_a_reply),
	   TIMED(silence_ends_at_the_deadline), TEST(a_lost_connection_is_reported_at_once),
	   TEST(an_rpc_error_is_returned), TEST(a_peer_that_does_not_read_ends_at_the_deadline),
	   TEST(connecting_to_a_closed_port_is_refused),
	   TIMED(a_connect_without_an_answer_ends_at_the_deadline),
	   TEST(a_reserved_port_is_bound_if_allowed))
