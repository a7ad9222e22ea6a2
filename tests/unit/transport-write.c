/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Requirements for every transport: registered memory, and Writes to it. */
#include "tests/unit/transport-suite.h"

/* The server's half of a test with more data than sockets buffer: Writes in equal parts, then a
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
	uint64_t deadline = deadline_in(PATIENCE_MS);
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
	CU_ASSERT_EQUAL(ops->reg(p.client, memory, 300000, TRANSPORT_REMOTE_WRITE, &region), 0);
	CU_ASSERT_NOT_EQUAL(region.handle, 0);
	CU_ASSERT_EQUAL(region.length, 300000);
	greet(&p);
	client_is_written_to(&p, &region, data, 100000);
	ASSERT_BYTES(memory, data, 300000);
	if (pair_can(ops) & PAIR_SEES) {
		CU_ASSERT_EQUAL(p.client->stats.writes_in, 3);
		CU_ASSERT_EQUAL(p.client->stats.write_bytes_in, 300000);
	}
	CU_ASSERT_EQUAL(p.server->stats.write_bytes_out, 300000);
	pair_close(&p);
}
OVER_EVERY_TRANSPORT(writes_are_in_memory_when_the_send_after_them_is_received)

static void a_write_changes_its_range_and_nothing_else_over(const struct transport_ops *ops)
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
		SUITE_ROW("%zu: %zu", i, sizes[i]);
		memset(memory, 0xee, 65536 + 200);
		memset(want, 0xee, 65536 + 200);
		memcpy(want + 100, data, sizes[i]);
		CU_ASSERT_EQUAL(
			ops->reg(p.client, memory + 100, sizes[i], TRANSPORT_REMOTE_WRITE, &region),
			0);
		CU_ASSERT_EQUAL(ops->write(p.server, data, sizes[i], region.handle, region.offset,
					   p.deadline),
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

static void each_placed_write_is_reported_over(const struct transport_ops *ops)
{
	_cleanup_free_ uint8_t *memory = calloc(1, 500000);
	_cleanup_free_ uint8_t *data = filled(500000, 1);
	struct transport_region region;
	struct log log = { .in_order = true };
	struct pair p;

	if (lacks(ops, PAIR_SEES))
		return;
	pair_init(&p, ops);
	p.client_param.on_write = note_write;
	p.client_param.on_write_arg = &log;
	open_pair(&p);
	CU_ASSERT_EQUAL(ops->reg(p.client, memory, 500000, TRANSPORT_REMOTE_WRITE, &region), 0);
	log.handle = region.handle;
	log.next = region.offset;
	greet(&p);
	client_is_written_to(&p, &region, data, 500000);
	ASSERT_BYTES(memory, data, 500000);
	CU_ASSERT_TRUE(log.in_order);
	CU_ASSERT_EQUAL(log.bytes, 500000);
	pair_close(&p);
}
OVER_EVERY_TRANSPORT(each_placed_write_is_reported)

/* A Write to a region that the client registered with @access, shifted and enlarged by these
 * amounts. */
static void bad_write(const struct transport_ops *ops, unsigned int access, uint32_t handle_xor,
		      int64_t move, uint32_t more)
{
	uint8_t memory[300], data[300] = { 0 };
	struct transport_region region;
	struct pair p;
	size_t i;
	int rc;

	memset(memory, 0xee, sizeof(memory));
	pair_init(&p, ops);
	open_pair(&p);
	CU_ASSERT_EQUAL(ops->reg(p.client, memory + 100, 100, access, &region), 0);
	greet(&p);
	CU_ASSERT_EQUAL(ops->write(p.server, data, 100 + more, region.handle ^ handle_xor,
				   region.offset + (uint64_t)move, p.deadline),
			0);
	rc = fails_for_the_peer(&p, p.client);
	if (pair_can(ops) & PAIR_SEES)
		ASSERT_CONTAINS(p.client->violation.text, "Write of");
	/* It stays broken. */
	CU_ASSERT_EQUAL(receive_fails(p.client, p.deadline), rc);
	CU_ASSERT_EQUAL(send_text(p.client, "x", p.deadline), rc);
	peer_was_told(p.server, p.deadline);
	for (i = 0; i < sizeof(memory); i++) {
		SUITE_ROW("%zu", i);
		CU_ASSERT_EQUAL(memory[i], 0xee);
	}
	pair_close(&p);
}

static void a_forbidden_write_breaks_the_connection_over(const struct transport_ops *ops)
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
OVER_EVERY_TRANSPORT(a_forbidden_write_breaks_the_connection)

static void a_deregistered_region_cannot_be_reached_over(const struct transport_ops *ops)
{
	uint8_t memory[100] = { 0 };
	struct transport_region region, copy;
	struct pair p;

	pair_init(&p, ops);
	open_pair(&p);
	CU_ASSERT_EQUAL(ops->reg(p.client, memory, 100, TRANSPORT_REMOTE_WRITE, &region), 0);
	copy = region;
	greet(&p);
	ops->dereg(p.client, &region);
	CU_ASSERT_EQUAL(ops->write(p.server, "x", 1, copy.handle, copy.offset, p.deadline), 0);
	fails_for_the_peer(&p, p.client);
	CU_ASSERT_EQUAL(memory[0], 0);
	pair_close(&p);
}
OVER_EVERY_TRANSPORT(a_deregistered_region_cannot_be_reached)

static void a_send_with_invalidate_removes_the_region_over(const struct transport_ops *ops)
{
	struct iovec iov = { (void *)(uintptr_t)("gone"), 4 };
	uint8_t memory[100] = { 0 };
	struct transport_region region, copy;
	struct transport_msg msg;
	struct pair p;

	if (lacks(ops, PAIR_INVALIDATES))
		return;
	pair_init(&p, ops);
	open_pair(&p);
	CU_ASSERT_EQUAL(ops->reg(p.client, memory, 100, TRANSPORT_REMOTE_WRITE, &region), 0);
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
	CU_ASSERT_EQUAL(ops->write(p.server, "x", 1, copy.handle, copy.offset, p.deadline), 0);
	CU_ASSERT_EQUAL(receive_fails(p.client, p.deadline), -EPROTO);
	CU_ASSERT_EQUAL(memory[0], 0);
	pair_close(&p);
}
OVER_EVERY_TRANSPORT(a_send_with_invalidate_removes_the_region)

static void a_send_that_invalidates_nothing_breaks_the_connection_over(
	const struct transport_ops *ops)
{
	struct iovec iov = { (void *)(uintptr_t)("gone"), 4 };
	struct pair p;

	if (lacks(ops, PAIR_INVALIDATES))
		return;
	pair_init(&p, ops);
	open_pair(&p);
	CU_ASSERT_EQUAL(ops->send(p.client, &iov, 1, TRANSPORT_SEND_INVALIDATE, 0x1234, p.deadline),
			0);
	CU_ASSERT_EQUAL(receive_fails(p.server, p.deadline), -EPROTO);
	ASSERT_CONTAINS(p.server->violation.text, "0x00001234");
	pair_close(&p);
}
OVER_EVERY_TRANSPORT(a_send_that_invalidates_nothing_breaks_the_connection)

static void handles_are_unique_and_never_zero_over(const struct transport_ops *ops)
{
	struct transport_region regions[300];
	uint8_t memory[8];
	struct pair p;
	size_t i, k, bad = 0;

	pair_init(&p, ops);
	open_pair(&p);
	for (i = 0; i < ARRAY_SIZE(regions); i++) {
		SUITE_ROW("%zu", i);
		CU_ASSERT_EQUAL(ops->reg(p.client, memory, 8, TRANSPORT_REMOTE_WRITE, &regions[i]),
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
OVER_EVERY_TRANSPORT(handles_are_unique_and_never_zero)

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
	uint64_t deadline = deadline_in(PATIENCE_MS);
	int i;

	for (i = 0; !f->rc && i < FLOOD_ROUNDS; i++)
		f->rc = f->t->ops->write(f->t, f->data, FLOOD_BYTES, f->to.handle, f->to.offset,
					 deadline);
	if (!f->rc)
		f->rc = send_text(f->t, "end", deadline);
	if (!f->rc)
		f->rc = f->t->ops->recv(f->t, &msg, deadline);
	return NULL;
}

/* More than the sockets buffer: each side must read input while its own output waits. */
static void two_peers_flooding_each_other_never_deadlock_over(const struct transport_ops *ops)
{
	_cleanup_free_ uint8_t *data = filled(FLOOD_BYTES, 1);
	_cleanup_free_ uint8_t *at_client = calloc(1, FLOOD_BYTES);
	_cleanup_free_ uint8_t *at_server = calloc(1, FLOOD_BYTES);
	struct flood client = { .data = data }, server = { .data = data };
	pthread_t thread;
	struct pair p;

	pair_init(&p, ops);
	open_pair(&p);
	CU_ASSERT_EQUAL(
		ops->reg(p.client, at_client, FLOOD_BYTES, TRANSPORT_REMOTE_WRITE, &server.to), 0);
	CU_ASSERT_EQUAL(
		ops->reg(p.server, at_server, FLOOD_BYTES, TRANSPORT_REMOTE_WRITE, &client.to), 0);
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
OVER_EVERY_TRANSPORT(two_peers_flooding_each_other_never_deadlock)

SUITE_MAIN("transport-write", TEST(writes_are_in_memory_when_the_send_after_them_is_received),
	   TEST(a_write_changes_its_range_and_nothing_else), TEST(each_placed_write_is_reported),
	   TEST(a_forbidden_write_breaks_the_connection),
	   TEST(a_deregistered_region_cannot_be_reached),
	   TEST(a_send_with_invalidate_removes_the_region),
	   TEST(a_send_that_invalidates_nothing_breaks_the_connection),
	   TEST(handles_are_unique_and_never_zero),
	   TEST(two_peers_flooding_each_other_never_deadlock))
