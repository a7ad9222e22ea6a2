/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Requirements for every transport: RDMA Reads. */
#include "tests/unit/transport-suite.h"

#define CROSS_BYTES (1024 * 1024)

/* The client's half of a test with Reads: polls for input until it is stopped. */
struct reader_peer {
	struct transport *t;
	int rc;
};

static void *serve_reads(void *arg)
{
	struct reader_peer *peer = arg;
	struct transport_msg msg;

	peer->rc = peer->t->ops->recv(peer->t, &msg, deadline_in(PATIENCE_MS));
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

static void a_read_returns_the_memory_over(const struct transport_ops *ops)
{
	static const size_t sizes[] = { 0, 1, 4096, 65535, 65536, 2000000 };
	_cleanup_free_ uint8_t *memory = filled(2000000, 77);
	_cleanup_free_ uint8_t *got = calloc(1, 2000001);
	struct transport_region region;
	struct reader_peer peer;
	struct pair p;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		SUITE_ROW("%zu: %zu", i, sizes[i]);
		pair_init(&p, ops);
		open_pair(&p);
		CU_ASSERT_EQUAL(ops->reg(p.client, memory, 2000000, TRANSPORT_REMOTE_READ, &region),
				0);
		greet(&p);
		got[sizes[i]] = 0xee;
		CU_ASSERT_EQUAL(read_from_client(&p, got, sizes[i], region.handle,
						 region.offset + 2000000 - sizes[i], &peer),
				0);
		CU_ASSERT_EQUAL(peer.rc, 0);
		ASSERT_BYTES(got, memory + 2000000 - sizes[i], sizes[i]);
		CU_ASSERT_EQUAL(got[sizes[i]], 0xee);
		if (pair_can(ops) & PAIR_SEES)
			CU_ASSERT_EQUAL(p.client->stats.reads_in, 1);
		CU_ASSERT_EQUAL(p.server->stats.reads_out, 1);
		pair_close(&p);
	}
}
OVER_EVERY_TRANSPORT(a_read_returns_the_memory)

static void bad_read(const struct transport_ops *ops, unsigned int access, uint32_t handle_xor,
		     int64_t move)
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
	ASSERT_EITHER(rc, -EREMOTEIO, -ECONNRESET);
	if (pair_can(ops) & PAIR_NAMES_CULPRIT)
		CU_ASSERT_EQUAL(peer.rc, -EPROTO);
	ASSERT_EITHER(peer.rc, -EPROTO, -ECONNRESET);
	if (pair_can(ops) & PAIR_SEES)
		ASSERT_CONTAINS(p.client->violation.text, "Read of 100 bytes");
	pair_close(&p);
}

static void a_forbidden_read_breaks_the_connection_over(const struct transport_ops *ops)
{
	bad_read(ops, TRANSPORT_REMOTE_READ, 0, 1);
	bad_read(ops, TRANSPORT_REMOTE_READ, 0, -1);
	bad_read(ops, TRANSPORT_REMOTE_READ, 0, INT64_MIN);
	bad_read(ops, TRANSPORT_REMOTE_READ, 1, 0);
	if (!lacks(ops, PAIR_STRICT_READS))
		bad_read(ops, TRANSPORT_REMOTE_WRITE, 0, 0);
}
OVER_EVERY_TRANSPORT(a_forbidden_read_breaks_the_connection)

static void a_peer_without_reads_is_not_read_over(const struct transport_ops *ops)
{
	struct pair p;
	char byte;

	if (lacks(ops, PAIR_STRICT_READS))
		return;
	pair_init(&p, ops);
	p.server_param.ird = 0;
	open_pair(&p);
	CU_ASSERT_EQUAL(p.client->ord, 0);
	CU_ASSERT_EQUAL(ops->read(p.client, &byte, 1, 1, 0, p.deadline), -EOPNOTSUPP);
	greet(&p);
	pair_close(&p);
}
OVER_EVERY_TRANSPORT(a_peer_without_reads_is_not_read)

struct cross {
	struct transport *t;
	struct transport_region from;
	uint8_t *got;
	int rc;
};

static void *cross_run(void *arg)
{
	struct cross *x = arg;
	uint64_t deadline = deadline_in(PATIENCE_MS);
	struct transport_msg msg;
	int i;

	for (i = 0; !x->rc && i < 8; i++)
		x->rc = x->t->ops->read(x->t, x->got, CROSS_BYTES, x->from.handle, x->from.offset,
					deadline);
	if (!x->rc)
		x->rc = send_text(x->t, "end", deadline);
	if (!x->rc)
		x->rc = x->t->ops->recv(x->t, &msg, deadline);
	return NULL;
}

static void two_peers_reading_from_each_other_never_deadlock_over(const struct transport_ops *ops)
{
	_cleanup_free_ uint8_t *data = filled(CROSS_BYTES, 9);
	struct cross client = { .got = calloc(1, CROSS_BYTES) };
	struct cross server = { .got = calloc(1, CROSS_BYTES) };
	pthread_t thread;
	struct pair p;

	pair_init(&p, ops);
	open_pair(&p);
	CU_ASSERT_EQUAL(ops->reg(p.client, data, CROSS_BYTES, TRANSPORT_REMOTE_READ, &server.from),
			0);
	CU_ASSERT_EQUAL(ops->reg(p.server, data, CROSS_BYTES, TRANSPORT_REMOTE_READ, &client.from),
			0);
	greet(&p);
	client.t = p.client;
	server.t = p.server;
	pthread_create(&thread, NULL, cross_run, &client);
	cross_run(&server);
	pthread_join(thread, NULL);
	CU_ASSERT_EQUAL(client.rc, 0);
	CU_ASSERT_EQUAL(server.rc, 0);
	ASSERT_BYTES(client.got, data, CROSS_BYTES);
	ASSERT_BYTES(server.got, data, CROSS_BYTES);
	free(client.got);
	free(server.got);
	pair_close(&p);
}
OVER_EVERY_TRANSPORT(two_peers_reading_from_each_other_never_deadlock)

SUITE_MAIN("transport-read", TEST(a_read_returns_the_memory),
	   TEST(a_forbidden_read_breaks_the_connection), TEST(a_peer_without_reads_is_not_read),
	   TEST(two_peers_reading_from_each_other_never_deadlock))
