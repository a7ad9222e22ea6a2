/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* What every transport must do, whichever it is: each test runs over all of them. */
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>

#include "rpcrdma/transport/transport.h"
#include "tests/support/transport-loop.h"
#include "tests/support/transport-pair.h"
#include "tests/unit/suite.h"

static const struct transport_ops *const all[] = { &transport_iwarp, &transport_loop };

#define OVER_EVERY_TRANSPORT(test)                                                     \
	static void test(void)                                                         \
	{                                                                              \
		size_t i;                                                              \
		for (i = 0; i < ARRAY_SIZE(all); i++) {                                \
			unsigned int before = CU_get_number_of_failures();             \
			test##_over(all[i]);                                           \
			if (CU_get_number_of_failures() != before)                     \
				printf("\n    over %s: %s", all[i]->name, err_text()); \
		}                                                                      \
	}

static void open_pair(struct pair *p)
{
	CU_ASSERT_EQUAL_FATAL(pair_open(p), 0);
}

static void *filled(size_t len, uint8_t seed)
{
	uint8_t *p = malloc(len + 1);
	size_t i;

	for (i = 0; i < len; i++)
		p[i] = (uint8_t)(seed + i * 7 + (i >> 8));
	return p;
}

static int send_text(struct transport *t, const char *text, uint64_t deadline)
{
	return pair_send(t, text, strlen(text), deadline);
}

/* Receives one message and compares it. */
static bool receives(struct transport *t, const void *data, size_t len, uint64_t deadline)
{
	struct transport_msg msg;
	bool same;

	if (t->ops->recv(t, &msg, deadline))
		return false;
	same = msg.len == len && !memcmp(msg.data, data, len);
	t->ops->repost(t, &msg);
	return same;
}

static bool receives_text(struct transport *t, const char *text, uint64_t deadline)
{
	return receives(t, text, strlen(text), deadline);
}

/* The server may speak only after the client has. */
static void greet(struct pair *p)
{
	CU_ASSERT_EQUAL_FATAL(send_text(p->client, "hello", p->deadline), 0);
	CU_ASSERT_TRUE_FATAL(receives_text(p->server, "hello", p->deadline));
}

static int receive_fails(struct transport *t, uint64_t deadline)
{
	struct transport_msg msg;

	return t->ops->recv(t, &msg, deadline);
}

static void peer_was_told(struct transport *t, uint64_t deadline)
{
	int rc = receive_fails(t, deadline);

	CU_ASSERT_TRUE(rc == -EREMOTEIO || rc == -ECONNRESET);
}

static void a_send_arrives_as_it_was_sent_over(const struct transport_ops *ops)
{
	static const size_t sizes[] = { 0, 1, 2, 3, 4, 5, 68, 1023, 4095, 4096 };
	_cleanup_free_ uint8_t *data = filled(4096, 1);
	struct pair p;
	size_t i;

	pair_init(&p, ops);
	open_pair(&p);
	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		CU_ASSERT_EQUAL(pair_send(p.client, data, sizes[i], p.deadline), 0);
		CU_ASSERT_TRUE(receives(p.server, data, sizes[i], p.deadline));
		CU_ASSERT_EQUAL(
			pair_send(p.server, data + 4096 - sizes[i], sizes[i], p.deadline),
			0);
		CU_ASSERT_TRUE(
			receives(p.client, data + 4096 - sizes[i], sizes[i], p.deadline));
	}
	CU_ASSERT_EQUAL(p.client->stats.sends_out, ARRAY_SIZE(sizes));
	CU_ASSERT_EQUAL(p.client->stats.sends_in, ARRAY_SIZE(sizes));
	pair_close(&p);
}
OVER_EVERY_TRANSPORT(a_send_arrives_as_it_was_sent)

static void a_send_is_gathered_from_many_pieces_over(const struct transport_ops *ops)
{
	_cleanup_free_ uint8_t *data = filled(4096, 3);
	struct iovec iov[64];
	struct pair p;
	size_t i;

	for (i = 0; i < 64; i++)
		iov[i] = (struct iovec){ data + i * 64, 64 };
	iov[7].iov_len = 0;
	memmove(data + 7 * 64, data + 8 * 64, 4096 - 8 * 64);
	for (i = 8; i < 64; i++)
		iov[i].iov_base = data + (i - 1) * 64;
	pair_init(&p, ops);
	open_pair(&p);
	CU_ASSERT_EQUAL(ops->send(p.client, iov, 64, 0, 0, p.deadline), 0);
	CU_ASSERT_TRUE(receives(p.server, data, 63 * 64, p.deadline));
	pair_close(&p);
}
OVER_EVERY_TRANSPORT(a_send_is_gathered_from_many_pieces)

static void private_data_reach_both_sides_over(const struct transport_ops *ops)
{
	_cleanup_free_ uint8_t *most = filled(508, 9);
	struct pair p;

	pair_init(&p, ops);
	p.client_param.private_data = "8 bytes.";
	p.client_param.private_len = 8;
	p.server_param.private_data = most;
	p.server_param.private_len = 508;
	open_pair(&p);
	CU_ASSERT_EQUAL_FATAL(p.server->peer_private_len, 8);
	ASSERT_BYTES(p.server->peer_private, "8 bytes.", 8);
	CU_ASSERT_EQUAL_FATAL(p.client->peer_private_len, 508);
	ASSERT_BYTES(p.client->peer_private, most, 508);
	pair_close(&p);
}
OVER_EVERY_TRANSPORT(private_data_reach_both_sides)

/* The server's half of a test with more data than sockets hold: Writes in equal parts, then a
 * Send. */
struct writer_peer {
	struct transport *t;
	const uint8_t *data;
	struct transport_region to;
	uint32_t part;
	int rc;
};

static void *write_all(void *arg)
{
	struct writer_peer *w = arg;
	uint64_t deadline = deadline_in(20000);
	uint32_t at;

	for (at = 0; !w->rc && at < w->to.length; at += w->part)
		w->rc = w->t->ops->write(w->t, w->data + at, w->part, w->to.handle,
					 w->to.offset + at, deadline);
	if (!w->rc)
		w->rc = send_text(w->t, "done", deadline);
	return NULL;
}

static void client_is_written_to(struct pair *p, const struct transport_region *to,
				 const uint8_t *data, uint32_t part)
{
	struct writer_peer w = { .t = p->server, .data = data, .to = *to, .part = part };
	pthread_t thread;

	pthread_create(&thread, NULL, write_all, &w);
	CU_ASSERT_TRUE(receives_text(p->client, "done", p->deadline));
	pthread_join(thread, NULL);
	CU_ASSERT_EQUAL(w.rc, 0);
}

static void writes_are_in_memory_when_the_send_after_them_is_received_over(
	const struct transport_ops *ops)
{
	_cleanup_free_ uint8_t *data = filled(300000, 5);
	_cleanup_free_ uint8_t *memory = calloc(1, 300000);
	struct transport_region region;
	struct pair p;

	pair_init(&p, ops);
	open_pair(&p);
	CU_ASSERT_EQUAL(
		ops->reg(p.client, memory, 300000, TRANSPORT_REMOTE_WRITE, &region), 0);
	CU_ASSERT_NOT_EQUAL(region.handle, 0);
	CU_ASSERT_EQUAL(region.length, 300000);
	greet(&p);
	client_is_written_to(&p, &region, data, 100000);
	ASSERT_BYTES(memory, data, 300000);
	CU_ASSERT_EQUAL(p.client->stats.writes_in, 3);
	CU_ASSERT_EQUAL(p.client->stats.write_bytes_in, 300000);
	CU_ASSERT_EQUAL(p.server->stats.write_bytes_out, 300000);
	pair_close(&p);
}
OVER_EVERY_TRANSPORT(writes_are_in_memory_when_the_send_after_them_is_received)

static void a_write_changes_its_range_and_nothing_else_over(
	const struct transport_ops *ops)
{
	static const size_t sizes[] = { 0, 1, 3, 811, 812, 813, 4096, 65536 };
	_cleanup_free_ uint8_t *data = filled(65536, 11);
	_cleanup_free_ uint8_t *memory = malloc(65536 + 200);
	_cleanup_free_ uint8_t *want = malloc(65536 + 200);
	struct transport_region region;
	struct pair p;
	size_t i;

	pair_init(&p, ops);
	open_pair(&p);
	greet(&p);
	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		memset(memory, 0xee, 65536 + 200);
		memset(want, 0xee, 65536 + 200);
		memcpy(want + 100, data, sizes[i]);
		CU_ASSERT_EQUAL(ops->reg(p.client, memory + 100, sizes[i],
					 TRANSPORT_REMOTE_WRITE, &region),
				0);
		CU_ASSERT_EQUAL(ops->write(p.server, data, sizes[i], region.handle,
					   region.offset, p.deadline),
				0);
		CU_ASSERT_EQUAL(send_text(p.server, "done", p.deadline), 0);
		CU_ASSERT_TRUE(receives_text(p.client, "done", p.deadline));
		ASSERT_BYTES(memory, want, 65536 + 200);
		ops->dereg(p.client, &region);
	}
	pair_close(&p);
}
OVER_EVERY_TRANSPORT(a_write_changes_its_range_and_nothing_else)

struct log {
	uint64_t bytes, next;
	uint32_t handle;
	bool in_order;
};

static void note_write(void *arg, const struct transport_tagged *placed)
{
	struct log *log = arg;

	log->in_order &= placed->handle == log->handle && placed->offset == log->next;
	log->next += placed->length;
	log->bytes += placed->length;
}

static void each_placed_write_is_told_over(const struct transport_ops *ops)
{
	_cleanup_free_ uint8_t *memory = calloc(1, 500000);
	_cleanup_free_ uint8_t *data = filled(500000, 1);
	struct transport_region region;
	struct log log = { .in_order = true };
	struct pair p;

	pair_init(&p, ops);
	p.client_param.on_write = note_write;
	p.client_param.on_write_arg = &log;
	open_pair(&p);
	CU_ASSERT_EQUAL(
		ops->reg(p.client, memory, 500000, TRANSPORT_REMOTE_WRITE, &region), 0);
	log.handle = region.handle;
	log.next = region.offset;
	greet(&p);
	client_is_written_to(&p, &region, data, 500000);
	ASSERT_BYTES(memory, data, 500000);
	CU_ASSERT_TRUE(log.in_order);
	CU_ASSERT_EQUAL(log.bytes, 500000);
	pair_close(&p);
}
OVER_EVERY_TRANSPORT(each_placed_write_is_told)

/* A Write to a region that the client registered with @access, moved and enlarged so. */
static void bad_write(const struct transport_ops *ops, unsigned int access,
		      uint32_t handle_xor, int64_t move, uint32_t more)
{
	uint8_t memory[300], data[300] = { 0 };
	struct transport_region region;
	struct pair p;
	size_t i;

	memset(memory, 0xee, sizeof(memory));
	pair_init(&p, ops);
	open_pair(&p);
	CU_ASSERT_EQUAL(ops->reg(p.client, memory + 100, 100, access, &region), 0);
	greet(&p);
	CU_ASSERT_EQUAL(ops->write(p.server, data, 100 + more, region.handle ^ handle_xor,
				   region.offset + (uint64_t)move, p.deadline),
			0);
	CU_ASSERT_EQUAL(receive_fails(p.client, p.deadline), -EPROTO);
	CU_ASSERT_PTR_NOT_NULL(strstr(p.client->violation.text, "Write of"));
	/* It stays so. */
	CU_ASSERT_EQUAL(receive_fails(p.client, p.deadline), -EPROTO);
	CU_ASSERT_EQUAL(send_text(p.client, "x", p.deadline), -EPROTO);
	peer_was_told(p.server, p.deadline);
	for (i = 0; i < sizeof(memory); i++)
		CU_ASSERT_EQUAL(memory[i], 0xee);
	pair_close(&p);
}

static void a_write_that_is_not_allowed_breaks_the_connection_over(
	const struct transport_ops *ops)
{
	const unsigned int w = TRANSPORT_REMOTE_WRITE;

	bad_write(ops, w, 0, 1, 0);
	bad_write(ops, w, 0, -1, 0);
	bad_write(ops, w, 0, 0, 1);
	bad_write(ops, w, 0, INT64_MIN, 0);
	bad_write(ops, w, 0, 0x100000000, 0);
	bad_write(ops, w, 1, 0, 0);
	bad_write(ops, w, 0x80000000, 0, 0);
	bad_write(ops, TRANSPORT_REMOTE_READ, 0, 0, 0);
	bad_write(ops, 0, 0, 0, 0);
}
OVER_EVERY_TRANSPORT(a_write_that_is_not_allowed_breaks_the_connection)

static void a_deregistered_region_cannot_be_reached_over(const struct transport_ops *ops)
{
	uint8_t memory[100] = { 0 };
	struct transport_region region, copy;
	struct pair p;

	pair_init(&p, ops);
	open_pair(&p);
	CU_ASSERT_EQUAL(ops->reg(p.client, memory, 100, TRANSPORT_REMOTE_WRITE, &region),
			0);
	copy = region;
	greet(&p);
	ops->dereg(p.client, &region);
	CU_ASSERT_EQUAL(
		ops->write(p.server, "x", 1, copy.handle, copy.offset, p.deadline), 0);
	CU_ASSERT_EQUAL(receive_fails(p.client, p.deadline), -EPROTO);
	CU_ASSERT_EQUAL(memory[0], 0);
	pair_close(&p);
}
OVER_EVERY_TRANSPORT(a_deregistered_region_cannot_be_reached)

static void a_send_with_invalidate_removes_the_region_over(
	const struct transport_ops *ops)
{
	struct iovec iov = { (void *)(uintptr_t) "gone", 4 };
	uint8_t memory[100] = { 0 };
	struct transport_region region, copy;
	struct transport_msg msg;
	struct pair p;

	pair_init(&p, ops);
	open_pair(&p);
	CU_ASSERT_EQUAL(ops->reg(p.client, memory, 100, TRANSPORT_REMOTE_WRITE, &region),
			0);
	copy = region;
	greet(&p);
	CU_ASSERT_EQUAL(ops->send(p.server, &iov, 1,
				  TRANSPORT_SEND_INVALIDATE | TRANSPORT_SEND_SOLICITED,
				  region.handle, p.deadline),
			0);
	CU_ASSERT_EQUAL_FATAL(ops->recv(p.client, &msg, p.deadline), 0);
	CU_ASSERT_TRUE(msg.invalidated);
	CU_ASSERT_TRUE(msg.solicited);
	CU_ASSERT_EQUAL(msg.invalidate_handle, region.handle);
	ops->repost(p.client, &msg);
	ops->dereg(p.client, &region);
	CU_ASSERT_EQUAL(
		ops->write(p.server, "x", 1, copy.handle, copy.offset, p.deadline), 0);
	CU_ASSERT_EQUAL(receive_fails(p.client, p.deadline), -EPROTO);
	CU_ASSERT_EQUAL(memory[0], 0);
	pair_close(&p);
}
OVER_EVERY_TRANSPORT(a_send_with_invalidate_removes_the_region)

static void a_send_that_invalidates_nothing_breaks_the_connection_over(
	const struct transport_ops *ops)
{
	struct iovec iov = { (void *)(uintptr_t) "gone", 4 };
	struct pair p;

	pair_init(&p, ops);
	open_pair(&p);
	CU_ASSERT_EQUAL(ops->send(p.client, &iov, 1, TRANSPORT_SEND_INVALIDATE, 0x1234,
				  p.deadline),
			0);
	CU_ASSERT_EQUAL(receive_fails(p.server, p.deadline), -EPROTO);
	CU_ASSERT_PTR_NOT_NULL(strstr(p.server->violation.text, "0x00001234"));
	pair_close(&p);
}
OVER_EVERY_TRANSPORT(a_send_that_invalidates_nothing_breaks_the_connection)

static void a_send_longer_than_the_buffer_breaks_the_connection_over(
	const struct transport_ops *ops)
{
	_cleanup_free_ uint8_t *data = filled(300000, 2);
	static const size_t sizes[] = { 4097, 65536, 300000 };
	struct pair p;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		pair_init(&p, ops);
		open_pair(&p);
		CU_ASSERT_EQUAL(pair_send(p.client, data, sizes[i], p.deadline), 0);
		CU_ASSERT_EQUAL(receive_fails(p.server, p.deadline), -EPROTO);
		CU_ASSERT_PTR_NOT_NULL(strstr(p.server->violation.text, "4096"));
		peer_was_told(p.client, p.deadline);
		pair_close(&p);
	}
}
OVER_EVERY_TRANSPORT(a_send_longer_than_the_buffer_breaks_the_connection)

static void more_sends_than_buffers_break_the_connection_over(
	const struct transport_ops *ops)
{
	struct pair p;
	int i;

	pair_init(&p, ops);
	open_pair(&p);
	for (i = 0; i < 5; i++)
		CU_ASSERT_EQUAL(send_text(p.client, "one", p.deadline), 0);
	/* The four that had a buffer were received, and come first. */
	for (i = 0; i < 4; i++) {
		struct transport_msg msg;

		CU_ASSERT_EQUAL(ops->recv(p.server, &msg, p.deadline), 0);
	}
	CU_ASSERT_EQUAL(receive_fails(p.server, p.deadline), -EPROTO);
	CU_ASSERT_PTR_NOT_NULL(strstr(p.server->violation.text, "none of the 4"));
	pair_close(&p);
}
OVER_EVERY_TRANSPORT(more_sends_than_buffers_break_the_connection)

static void a_buffer_that_was_given_back_is_used_again_over(
	const struct transport_ops *ops)
{
	struct pair p;
	char text[32];
	int i, good = 0;

	pair_init(&p, ops);
	open_pair(&p);
	for (i = 0; i < 1000; i++) {
		snprintf(text, sizeof(text), "message %d", i);
		good += !send_text(p.client, text, p.deadline) &&
			receives_text(p.server, text, p.deadline);
	}
	CU_ASSERT_EQUAL(good, 1000);
	pair_close(&p);
}
OVER_EVERY_TRANSPORT(a_buffer_that_was_given_back_is_used_again)

static void receive_times_out_and_the_connection_stays_over(
	const struct transport_ops *ops)
{
	struct pair p;
	uint64_t begin = now_ms();

	pair_init(&p, ops);
	open_pair(&p);
	CU_ASSERT_EQUAL(receive_fails(p.server, deadline_in(30)), -ETIMEDOUT);
	CU_ASSERT_TRUE(now_ms() - begin >= 29);
	CU_ASSERT_EQUAL(receive_fails(p.client, 0), -ETIMEDOUT);
	greet(&p);
	pair_close(&p);
}
OVER_EVERY_TRANSPORT(receive_times_out_and_the_connection_stays)

static void a_deadline_that_has_passed_still_looks_once_over(
	const struct transport_ops *ops)
{
	struct pollfd fd = { .events = POLLIN };
	struct transport_msg msg;
	struct pair p;

	pair_init(&p, ops);
	open_pair(&p);
	CU_ASSERT_EQUAL(send_text(p.client, "here", p.deadline), 0);
	fd.fd = p.server->fd;
	CU_ASSERT_EQUAL(poll(&fd, 1, 5000), 1);
	CU_ASSERT_EQUAL(ops->recv(p.server, &msg, 0), 0);
	pair_close(&p);
}
OVER_EVERY_TRANSPORT(a_deadline_that_has_passed_still_looks_once)

static void the_side_that_was_connected_to_speaks_second_over(
	const struct transport_ops *ops)
{
	struct pair p;

	pair_init(&p, ops);
	open_pair(&p);
	CU_ASSERT_EQUAL(send_text(p.server, "early", deadline_in(30)), -ETIMEDOUT);
	greet(&p);
	CU_ASSERT_EQUAL(send_text(p.server, "in time", p.deadline), 0);
	CU_ASSERT_TRUE(receives_text(p.client, "in time", p.deadline));
	pair_close(&p);
}
OVER_EVERY_TRANSPORT(the_side_that_was_connected_to_speaks_second)

static void messages_before_the_end_are_received_before_it_over(
	const struct transport_ops *ops)
{
	struct pair p;

	pair_init(&p, ops);
	open_pair(&p);
	CU_ASSERT_EQUAL(send_text(p.client, "one", p.deadline), 0);
	CU_ASSERT_EQUAL(send_text(p.client, "two", p.deadline), 0);
	transport_close_p(&p.client);
	CU_ASSERT_TRUE(receives_text(p.server, "one", p.deadline));
	CU_ASSERT_TRUE(receives_text(p.server, "two", p.deadline));
	CU_ASSERT_EQUAL(receive_fails(p.server, p.deadline), -ECONNRESET);
	CU_ASSERT_EQUAL(send_text(p.server, "three", p.deadline), -ECONNRESET);
	pair_close(&p);
}
OVER_EVERY_TRANSPORT(messages_before_the_end_are_received_before_it)

/* The client's half of a test with Reads: looks for input until it is told to stop. */
struct reader_peer {
	struct transport *t;
	int rc;
};

static void *serve_reads(void *arg)
{
	struct reader_peer *peer = arg;
	struct transport_msg msg;

	peer->rc = peer->t->ops->recv(peer->t, &msg, deadline_in(20000));
	return NULL;
}

static int read_from_client(struct pair *p, void *data, size_t len, uint32_t handle,
			    uint64_t offset, struct reader_peer *peer)
{
	pthread_t thread;
	int rc;

	peer->t = p->client;
	pthread_create(&thread, NULL, serve_reads, peer);
	rc = p->ops->read(p->server, data, len, handle, offset, p->deadline);
	if (!rc)
		CU_ASSERT_EQUAL(send_text(p->server, "stop", p->deadline), 0);
	pthread_join(thread, NULL);
	return rc;
}

static void a_read_brings_what_is_there_over(const struct transport_ops *ops)
{
	static const size_t sizes[] = { 0, 1, 4096, 65535, 65536, 2000000 };
	_cleanup_free_ uint8_t *memory = filled(2000000, 77);
	_cleanup_free_ uint8_t *got = calloc(1, 2000001);
	struct transport_region region;
	struct reader_peer peer;
	struct pair p;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		pair_init(&p, ops);
		open_pair(&p);
		CU_ASSERT_EQUAL(ops->reg(p.client, memory, 2000000, TRANSPORT_REMOTE_READ,
					 &region),
				0);
		greet(&p);
		got[sizes[i]] = 0xee;
		CU_ASSERT_EQUAL(read_from_client(&p, got, sizes[i], region.handle,
						 region.offset + 2000000 - sizes[i],
						 &peer),
				0);
		CU_ASSERT_EQUAL(peer.rc, 0);
		ASSERT_BYTES(got, memory + 2000000 - sizes[i], sizes[i]);
		CU_ASSERT_EQUAL(got[sizes[i]], 0xee);
		CU_ASSERT_EQUAL(p.client->stats.reads_in, 1);
		CU_ASSERT_EQUAL(p.server->stats.reads_out, 1);
		pair_close(&p);
	}
}
OVER_EVERY_TRANSPORT(a_read_brings_what_is_there)

static void bad_read(const struct transport_ops *ops, unsigned int access,
		     uint32_t handle_xor, int64_t move)
{
	uint8_t memory[100] = { 0 }, got[100];
	struct transport_region region;
	struct reader_peer peer;
	struct pair p;
	int rc;

	pair_init(&p, ops);
	open_pair(&p);
	CU_ASSERT_EQUAL(ops->reg(p.client, memory, 100, access, &region), 0);
	greet(&p);
	rc = read_from_client(&p, got, 100, region.handle ^ handle_xor,
			      region.offset + (uint64_t)move, &peer);
	CU_ASSERT_TRUE(rc == -EREMOTEIO || rc == -ECONNRESET);
	CU_ASSERT_EQUAL(peer.rc, -EPROTO);
	CU_ASSERT_PTR_NOT_NULL(strstr(p.client->violation.text, "Read of 100 bytes"));
	pair_close(&p);
}

static void a_read_that_is_not_allowed_breaks_the_connection_over(
	const struct transport_ops *ops)
{
	bad_read(ops, TRANSPORT_REMOTE_READ, 0, 1);
	bad_read(ops, TRANSPORT_REMOTE_READ, 0, -1);
	bad_read(ops, TRANSPORT_REMOTE_READ, 0, INT64_MIN);
	bad_read(ops, TRANSPORT_REMOTE_READ, 1, 0);
	bad_read(ops, TRANSPORT_REMOTE_WRITE, 0, 0);
}
OVER_EVERY_TRANSPORT(a_read_that_is_not_allowed_breaks_the_connection)

static void nothing_is_read_from_who_takes_no_reads_over(const struct transport_ops *ops)
{
	struct pair p;
	char byte;

	pair_init(&p, ops);
	p.server_param.ird = 0;
	open_pair(&p);
	CU_ASSERT_EQUAL(p.client->ord, 0);
	CU_ASSERT_EQUAL(ops->read(p.client, &byte, 1, 1, 0, p.deadline), -EOPNOTSUPP);
	greet(&p);
	pair_close(&p);
}
OVER_EVERY_TRANSPORT(nothing_is_read_from_who_takes_no_reads)

#define FLOOD_BYTES  (1024 * 1024)
#define FLOOD_ROUNDS 24

struct flood {
	struct transport *t;
	struct transport_region to;
	const uint8_t *data;
	int rc;
};

static void *flood_run(void *arg)
{
	struct flood *f = arg;
	struct transport_msg msg;
	uint64_t deadline = deadline_in(20000);
	int i;

	for (i = 0; !f->rc && i < FLOOD_ROUNDS; i++)
		f->rc = f->t->ops->write(f->t, f->data, FLOOD_BYTES, f->to.handle,
					 f->to.offset, deadline);
	if (!f->rc)
		f->rc = send_text(f->t, "end", deadline);
	if (!f->rc)
		f->rc = f->t->ops->recv(f->t, &msg, deadline);
	return NULL;
}

/* More than the sockets hold: each must take input while its own output waits. */
static void two_peers_that_flood_each_other_never_lock_over(
	const struct transport_ops *ops)
{
	_cleanup_free_ uint8_t *data = filled(FLOOD_BYTES, 1);
	_cleanup_free_ uint8_t *at_client = calloc(1, FLOOD_BYTES);
	_cleanup_free_ uint8_t *at_server = calloc(1, FLOOD_BYTES);
	struct flood client = { .data = data }, server = { .data = data };
	pthread_t thread;
	struct pair p;

	pair_init(&p, ops);
	open_pair(&p);
	CU_ASSERT_EQUAL(ops->reg(p.client, at_client, FLOOD_BYTES, TRANSPORT_REMOTE_WRITE,
				 &server.to),
			0);
	CU_ASSERT_EQUAL(ops->reg(p.server, at_server, FLOOD_BYTES, TRANSPORT_REMOTE_WRITE,
				 &client.to),
			0);
	greet(&p);
	client.t = p.client;
	server.t = p.server;
	pthread_create(&thread, NULL, flood_run, &client);
	flood_run(&server);
	pthread_join(thread, NULL);
	CU_ASSERT_EQUAL(client.rc, 0);
	CU_ASSERT_EQUAL(server.rc, 0);
	ASSERT_BYTES(at_client, data, FLOOD_BYTES);
	ASSERT_BYTES(at_server, data, FLOOD_BYTES);
	pair_close(&p);
}
OVER_EVERY_TRANSPORT(two_peers_that_flood_each_other_never_lock)

struct cross {
	struct transport *t;
	struct transport_region from;
	uint8_t *got;
	int rc;
};

static void *cross_run(void *arg)
{
	struct cross *x = arg;
	uint64_t deadline = deadline_in(20000);
	struct transport_msg msg;
	int i;

	for (i = 0; !x->rc && i < 8; i++)
		x->rc = x->t->ops->read(x->t, x->got, FLOOD_BYTES, x->from.handle,
					x->from.offset, deadline);
	if (!x->rc)
		x->rc = send_text(x->t, "end", deadline);
	if (!x->rc)
		x->rc = x->t->ops->recv(x->t, &msg, deadline);
	return NULL;
}

static void two_peers_that_read_from_each_other_never_lock_over(
	const struct transport_ops *ops)
{
	_cleanup_free_ uint8_t *data = filled(FLOOD_BYTES, 9);
	struct cross client = { .got = calloc(1, FLOOD_BYTES) };
	struct cross server = { .got = calloc(1, FLOOD_BYTES) };
	pthread_t thread;
	struct pair p;

	pair_init(&p, ops);
	open_pair(&p);
	CU_ASSERT_EQUAL(ops->reg(p.client, data, FLOOD_BYTES, TRANSPORT_REMOTE_READ,
				 &server.from),
			0);
	CU_ASSERT_EQUAL(ops->reg(p.server, data, FLOOD_BYTES, TRANSPORT_REMOTE_READ,
				 &client.from),
			0);
	greet(&p);
	client.t = p.client;
	server.t = p.server;
	pthread_create(&thread, NULL, cross_run, &client);
	cross_run(&server);
	pthread_join(thread, NULL);
	CU_ASSERT_EQUAL(client.rc, 0);
	CU_ASSERT_EQUAL(server.rc, 0);
	ASSERT_BYTES(client.got, data, FLOOD_BYTES);
	ASSERT_BYTES(server.got, data, FLOOD_BYTES);
	free(client.got);
	free(server.got);
	pair_close(&p);
}
OVER_EVERY_TRANSPORT(two_peers_that_read_from_each_other_never_lock)

static void who_connects_to_nobody_is_refused_over(const struct transport_ops *ops)
{
	struct transport_address where;
	struct transport *t = NULL;
	struct pair p;

	pair_init(&p, ops);
	where = pair_loopback();
	CU_ASSERT_EQUAL_FATAL(ops->listen(&p.listener, &where), 0);
	where = p.listener->local;
	CU_ASSERT_NOT_EQUAL(transport_port(&where), 0);
	transport_close_p(&p.listener);
	CU_ASSERT_EQUAL(ops->connect(&t, &where, &p.client_param, p.deadline),
			-ECONNREFUSED);
	CU_ASSERT_PTR_NULL(t);
}
OVER_EVERY_TRANSPORT(who_connects_to_nobody_is_refused)

static void a_listener_that_never_answers_is_not_waited_for_over(
	const struct transport_ops *ops)
{
	struct transport_address where = pair_loopback();
	struct transport *t = NULL;
	struct pair p;

	pair_init(&p, ops);
	CU_ASSERT_EQUAL_FATAL(ops->listen(&p.listener, &where), 0);
	CU_ASSERT_EQUAL(
		ops->connect(&t, &p.listener->local, &p.client_param, deadline_in(30)),
		-ETIMEDOUT);
	CU_ASSERT_PTR_NULL(t);
	pair_close(&p);
}
OVER_EVERY_TRANSPORT(a_listener_that_never_answers_is_not_waited_for)

static void an_idle_listener_has_nobody_to_accept_over(const struct transport_ops *ops)
{
	struct transport_address where = pair_loopback();
	struct transport *t = NULL;
	struct pair p;

	pair_init(&p, ops);
	CU_ASSERT_EQUAL_FATAL(ops->listen(&p.listener, &where), 0);
	CU_ASSERT_EQUAL(ops->accept(p.listener, &t), -EAGAIN);
	CU_ASSERT_PTR_NULL(t);
	pair_close(&p);
}
OVER_EVERY_TRANSPORT(an_idle_listener_has_nobody_to_accept)

static void nothing_goes_before_the_connection_is_established_over(
	const struct transport_ops *ops)
{
	struct transport *server = NULL;
	struct transport_address where = pair_loopback();
	struct transport *client = NULL;
	struct pollfd fd = { .events = POLLIN };
	struct pair p;

	pair_init(&p, ops);
	CU_ASSERT_EQUAL_FATAL(ops->listen(&p.listener, &where), 0);
	CU_ASSERT_EQUAL(ops->connect(&client, &p.listener->local, &p.client_param,
				     deadline_in(20)),
			-ETIMEDOUT);
	fd.fd = p.listener->fd;
	CU_ASSERT_EQUAL_FATAL(poll(&fd, 1, 5000), 1);
	CU_ASSERT_EQUAL_FATAL(ops->accept(p.listener, &server), 0);
	CU_ASSERT_EQUAL(send_text(server, "x", p.deadline), -ENOTCONN);
	CU_ASSERT_EQUAL(receive_fails(server, p.deadline), -ENOTCONN);
	CU_ASSERT_EQUAL(ops->write(server, "x", 1, 1, 1, p.deadline), -ENOTCONN);
	transport_close_p(&server);
	pair_close(&p);
}
OVER_EVERY_TRANSPORT(nothing_goes_before_the_connection_is_established)

static void handles_are_never_twice_and_never_zero_over(const struct transport_ops *ops)
{
	struct transport_region regions[300];
	uint8_t memory[8];
	struct pair p;
	size_t i, k, bad = 0;

	pair_init(&p, ops);
	open_pair(&p);
	for (i = 0; i < ARRAY_SIZE(regions); i++) {
		CU_ASSERT_EQUAL(ops->reg(p.client, memory, 8, TRANSPORT_REMOTE_WRITE,
					 &regions[i]),
				0);
		bad += !regions[i].handle;
		for (k = 0; k < i; k++)
			bad += regions[i].handle == regions[k].handle;
	}
	CU_ASSERT_EQUAL(bad, 0);
	for (i = 0; i < ARRAY_SIZE(regions); i += 2)
		ops->dereg(p.client, &regions[i]);
	pair_close(&p);
}
OVER_EVERY_TRANSPORT(handles_are_never_twice_and_never_zero)

static void nothing_to_close_is_fine_over(const struct transport_ops *ops)
{
	ops->close(NULL);
}
OVER_EVERY_TRANSPORT(nothing_to_close_is_fine)

static const char *text_of(const char *host, uint16_t port)
{
	static char text[TRANSPORT_ADDRESS_TEXT];
	struct transport_address a;
	size_t count = 0;

	if (transport_resolve(host, port, &a, 1, &count, deadline_in(5000)) || count != 1)
		return "not resolved";
	CU_ASSERT_EQUAL(transport_port(&a), port);
	return transport_address_text(&a, text, sizeof(text));
}

static void addresses_are_shown_with_their_port(void)
{
	struct transport_address nothing = { 0 };
	char text[TRANSPORT_ADDRESS_TEXT];

	CU_ASSERT_STRING_EQUAL(text_of("192.0.2.1", 20049), "192.0.2.1:20049");
	CU_ASSERT_STRING_EQUAL(text_of("2001:db8::1", 1), "[2001:db8::1]:1");
	CU_ASSERT_STRING_EQUAL(text_of("::ffff:192.0.2.1", 65535),
			       "[::ffff:192.0.2.1]:65535");
	CU_ASSERT_STRING_EQUAL(transport_address_text(&nothing, text, sizeof(text)),
			       "unknown address:0");
}

static void a_name_that_cannot_be_is_not_known(void)
{
	struct transport_address a;
	size_t count = 7;

	CU_ASSERT_EQUAL(
		transport_resolve("no..such..name", 1, &a, 1, &count, deadline_in(5000)),
		-ENOENT);
	CU_ASSERT_EQUAL(count, 7);
	CU_ASSERT_PTR_NOT_NULL(strstr(err_text(), "no..such..name"));
}

/* Whether the answer comes in time or not, who waits gets one, and nothing is lost. */
static void a_resolver_is_not_waited_for_beyond_the_deadline(void)
{
	struct transport_address a;
	size_t count = 7;
	int rc = transport_resolve("no..such..name", 1, &a, 1, &count, 0);

	CU_ASSERT_TRUE(rc == -EAGAIN || rc == -ENOENT);
	CU_ASSERT_EQUAL(count, 7);
	/* The thread that was left behind ends before this one. */
	CU_ASSERT_EQUAL(
		transport_resolve("no..such..name", 1, &a, 1, &count, deadline_in(5000)),
		-ENOENT);
	poll(NULL, 0, 50);
}

static void transports_are_found_by_name(void)
{
	CU_ASSERT_PTR_EQUAL(transport_find("iwarp"), &transport_iwarp);
	CU_ASSERT_PTR_NULL(transport_find("token-ring"));
	CU_ASSERT_PTR_NULL(transport_find(""));
}

static void what_cannot_be_bound_is_said_with_its_address(void)
{
	struct transport_address at = pair_loopback();
	struct transport *first = NULL, *second = NULL;

	CU_ASSERT_EQUAL_FATAL(transport_iwarp.listen(&first, &at), 0);
	CU_ASSERT_EQUAL(transport_iwarp.listen(&second, &first->local), -EADDRINUSE);
	CU_ASSERT_PTR_NOT_NULL(strstr(err_text(), "127.0.0.1:"));
	CU_ASSERT_PTR_NULL(second);
	transport_close_p(&first);
	CU_ASSERT_PTR_NULL(first);
	transport_close_p(&first);
}

SUITE_MAIN("transport", TEST(a_send_arrives_as_it_was_sent),
	   TEST(a_send_is_gathered_from_many_pieces), TEST(private_data_reach_both_sides),
	   TEST(writes_are_in_memory_when_the_send_after_them_is_received),
	   TEST(a_write_changes_its_range_and_nothing_else),
	   TEST(each_placed_write_is_told),
	   TEST(a_write_that_is_not_allowed_breaks_the_connection),
	   TEST(a_deregistered_region_cannot_be_reached),
	   TEST(a_send_with_invalidate_removes_the_region),
	   TEST(a_send_that_invalidates_nothing_breaks_the_connection),
	   TEST(a_send_longer_than_the_buffer_breaks_the_connection),
	   TEST(more_sends_than_buffers_break_the_connection),
	   TEST(a_buffer_that_was_given_back_is_used_again),
	   TEST(receive_times_out_and_the_connection_stays),
	   TEST(a_deadline_that_has_passed_still_looks_once),
	   TEST(the_side_that_was_connected_to_speaks_second),
	   TEST(messages_before_the_end_are_received_before_it),
	   TEST(a_read_brings_what_is_there),
	   TEST(a_read_that_is_not_allowed_breaks_the_connection),
	   TEST(nothing_is_read_from_who_takes_no_reads),
	   TEST(two_peers_that_flood_each_other_never_lock),
	   TEST(two_peers_that_read_from_each_other_never_lock),
	   TEST(who_connects_to_nobody_is_refused),
	   TEST(a_listener_that_never_answers_is_not_waited_for),
	   TEST(an_idle_listener_has_nobody_to_accept),
	   TEST(nothing_goes_before_the_connection_is_established),
	   TEST(handles_are_never_twice_and_never_zero), TEST(nothing_to_close_is_fine),
	   TEST(addresses_are_shown_with_their_port),
	   TEST(a_name_that_cannot_be_is_not_known),
	   TEST(a_resolver_is_not_waited_for_beyond_the_deadline),
	   TEST(transports_are_found_by_name),
	   TEST(what_cannot_be_bound_is_said_with_its_address))
