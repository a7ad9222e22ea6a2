/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Requirements for every transport: connections and messages. */
#include "tests/unit/transport-suite.h"

static void a_send_arrives_as_it_was_sent_over(const struct transport_ops *ops)
{
	static const size_t sizes[] = { 0, 1, 2, 3, 4, 5, 68, 1023, 4095, 4096 };
	_cleanup_free_ uint8_t *data = filled(4096, 1);
	struct pair p;
	size_t i;

	pair_init(&p, ops);
	open_pair(&p);
	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		SUITE_ROW("%zu: %zu", i, sizes[i]);
		CU_ASSERT_EQUAL(pair_send(p.client, data, sizes[i], p.deadline), 0);
		CU_ASSERT_TRUE(receives(p.server, data, sizes[i], p.deadline));
		CU_ASSERT_EQUAL(pair_send(p.server, data + 4096 - sizes[i], sizes[i], p.deadline),
				0);
		CU_ASSERT_TRUE(receives(p.client, data + 4096 - sizes[i], sizes[i], p.deadline));
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

/* InfiniBand's fields have a fixed length: zeros follow. */
static void private_data_are(const struct transport *t, const void *want, size_t len)
{
	size_t i;

	ASSERT_AT_LEAST_FATAL(t->peer_private_len, len);
	ASSERT_BYTES(t->peer_private, want, len);
	for (i = len; i < t->peer_private_len; i++) {
		SUITE_ROW("%zu", i);
		CU_ASSERT_EQUAL(t->peer_private[i], 0);
	}
	if (pair_can(t->ops) & PAIR_PRIVATE_LONG)
		CU_ASSERT_EQUAL(t->peer_private_len, len);
}

static void private_data_reach_both_sides_over(const struct transport_ops *ops)
{
	size_t len = pair_can(ops) & PAIR_PRIVATE_LONG ? 508 : 190;
	_cleanup_free_ uint8_t *most = filled(508, 9);
	struct pair p;

	pair_init(&p, ops);
	p.client_param.private_data = "8 bytes.";
	p.client_param.private_len = 8;
	p.server_param.private_data = most;
	p.server_param.private_len = len;
	open_pair(&p);
	private_data_are(p.server, "8 bytes.", 8);
	private_data_are(p.client, most, len);
	pair_close(&p);
}
OVER_EVERY_TRANSPORT(private_data_reach_both_sides)

static void a_send_longer_than_the_buffer_breaks_the_connection_over(
	const struct transport_ops *ops)
{
	_cleanup_free_ uint8_t *data = filled(300000, 2);
	static const size_t sizes[] = { 4097, 65536, 300000 };
	struct pair p;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		SUITE_ROW("%zu: %zu", i, sizes[i]);
		pair_init(&p, ops);
		p.client_param.recv_size = 300000;
		open_pair(&p);
		CU_ASSERT_EQUAL(pair_send(p.client, data, sizes[i], p.deadline), 0);
		if (fails_for_the_peer(&p, p.server) == -EPROTO)
			ASSERT_CONTAINS(p.server->violation.text, "4096");
		peer_was_told(p.client, p.deadline);
		pair_close(&p);
	}
}
OVER_EVERY_TRANSPORT(a_send_longer_than_the_buffer_breaks_the_connection)

static void more_sends_than_buffers_break_the_connection_over(const struct transport_ops *ops)
{
	struct pair p;
	int i;

	if (lacks(ops, PAIR_OVERRUN_ENDS))
		return;
	pair_init(&p, ops);
	open_pair(&p);
	for (i = 0; i < 5; i++) {
		SUITE_ROW("%d", i);
		CU_ASSERT_EQUAL(send_text(p.client, "one", p.deadline), 0);
	}
	/* The four that had a buffer were received, and are returned first. */
	for (i = 0; i < 4; i++) {
		struct transport_msg msg;
		SUITE_ROW("%d", i);

		CU_ASSERT_EQUAL(ops->recv(p.server, &msg, p.deadline), 0);
	}
	fails_for_the_peer(&p, p.server);
	if (pair_can(ops) & PAIR_SEES)
		ASSERT_CONTAINS(p.server->violation.text, "none of the 4");
	pair_close(&p);
}
OVER_EVERY_TRANSPORT(more_sends_than_buffers_break_the_connection)

static void a_returned_buffer_is_reused_over(const struct transport_ops *ops)
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
OVER_EVERY_TRANSPORT(a_returned_buffer_is_reused)

static void receive_times_out_and_the_connection_stays_over(const struct transport_ops *ops)
{
	struct pair p;
	uint64_t begin = now_ms();

	pair_init(&p, ops);
	open_pair(&p);
	CU_ASSERT_EQUAL(receive_fails(p.server, deadline_in(30)), -ETIMEDOUT);
	ASSERT_AT_LEAST(now_ms() - begin, 29);
	CU_ASSERT_EQUAL(receive_fails(p.client, 0), -ETIMEDOUT);
	greet(&p);
	pair_close(&p);
}
OVER_EVERY_TRANSPORT(receive_times_out_and_the_connection_stays)

static void an_expired_deadline_still_polls_once_over(const struct transport_ops *ops)
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
OVER_EVERY_TRANSPORT(an_expired_deadline_still_polls_once)

static void the_client_sends_first_over(const struct transport_ops *ops)
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
OVER_EVERY_TRANSPORT(the_client_sends_first)

static void messages_before_the_end_are_received_before_it_over(const struct transport_ops *ops)
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

static void connecting_to_a_closed_port_is_refused_over(const struct transport_ops *ops)
{
	struct transport_address where;
	struct transport *t = NULL;
	struct pair p;

	pair_init(&p, ops);
	where = pair_address(ops);
	CU_ASSERT_EQUAL_FATAL(ops->listen(&p.listener, &where), 0);
	where = p.listener->local;
	CU_ASSERT_NOT_EQUAL(transport_port(&where), 0);
	transport_close_p(&p.listener);
	CU_ASSERT_EQUAL(ops->connect(&t, &where, &p.client_param, p.deadline), -ECONNREFUSED);
	CU_ASSERT_PTR_NULL(t);
}
OVER_EVERY_TRANSPORT(connecting_to_a_closed_port_is_refused)

static void a_listener_that_never_answers_is_not_waited_for_over(const struct transport_ops *ops)
{
	struct transport_address where = pair_address(ops);
	struct transport *t = NULL;
	struct pair p;

	pair_init(&p, ops);
	CU_ASSERT_EQUAL_FATAL(ops->listen(&p.listener, &where), 0);
	CU_ASSERT_EQUAL(ops->connect(&t, &p.listener->local, &p.client_param, deadline_in(30)),
			-ETIMEDOUT);
	CU_ASSERT_PTR_NULL(t);
	pair_close(&p);
}
OVER_EVERY_TRANSPORT(a_listener_that_never_answers_is_not_waited_for)

static void an_idle_listener_accepts_no_connection_over(const struct transport_ops *ops)
{
	struct transport_address where = pair_address(ops);
	struct transport *t = NULL;
	struct pair p;

	pair_init(&p, ops);
	CU_ASSERT_EQUAL_FATAL(ops->listen(&p.listener, &where), 0);
	CU_ASSERT_EQUAL(ops->accept(p.listener, &t), -EAGAIN);
	CU_ASSERT_PTR_NULL(t);
	pair_close(&p);
}
OVER_EVERY_TRANSPORT(an_idle_listener_accepts_no_connection)

static void nothing_is_sent_before_the_connection_is_established_over(
	const struct transport_ops *ops)
{
	struct transport *server = NULL;
	struct transport_address where = pair_address(ops);
	struct transport *client = NULL;
	struct pollfd fd = { .events = POLLIN };
	struct pair p;

	pair_init(&p, ops);
	CU_ASSERT_EQUAL_FATAL(ops->listen(&p.listener, &where), 0);
	CU_ASSERT_EQUAL(
		ops->connect(&client, &p.listener->local, &p.client_param, deadline_in(200)),
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
OVER_EVERY_TRANSPORT(nothing_is_sent_before_the_connection_is_established)

static void closing_null_is_allowed_over(const struct transport_ops *ops)
{
	ops->close(NULL);
}
OVER_EVERY_TRANSPORT(closing_null_is_allowed)

static const char *text_of(const char *host, uint16_t port)
{
	static char text[TRANSPORT_ADDRESS_TEXT];
	struct transport_address a;

	if (transport_resolve(host, port, &a, 1, deadline_in(PATIENCE_MS)) != 1)
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
	CU_ASSERT_STRING_EQUAL(text_of("::ffff:192.0.2.1", 65535), "[::ffff:192.0.2.1]:65535");
	CU_ASSERT_STRING_EQUAL(transport_address_text(&nothing, text, sizeof(text)),
			       "unknown address:0");
}

static void an_invalid_name_is_unknown(void)
{
	struct transport_address a;

	CU_ASSERT_EQUAL(transport_resolve("no..such..name", 1, &a, 1, deadline_in(PATIENCE_MS)),
			-ENOENT);
	ASSERT_CONTAINS(err_text(), "no..such..name");
	CU_ASSERT_STRING_EQUAL(err_reason(), "unknown-name");
}

/* Whether the answer is in time or not, the caller gets a result, and nothing leaks. */
static void name_resolution_ends_at_the_deadline(void)
{
	struct transport_address a;
	int rc = transport_resolve("no..such..name", 1, &a, 1, 0);

	ASSERT_EITHER(rc, -EAGAIN, -ENOENT);
	/* The abandoned thread ends before this one. */
	CU_ASSERT_EQUAL(transport_resolve("no..such..name", 1, &a, 1, deadline_in(PATIENCE_MS)),
			-ENOENT);
	poll(NULL, 0, 50);
}

static void transports_are_found_by_name(void)
{
	CU_ASSERT_PTR_EQUAL(transport_find("iwarp"), &transport_iwarp);
	CU_ASSERT_PTR_EQUAL(transport_find("verbs"), &transport_verbs);
	CU_ASSERT_PTR_NULL(transport_find("token-ring"));
	CU_ASSERT_PTR_NULL(transport_find(""));
}

static void a_failed_bind_is_reported_with_its_address(void)
{
	struct transport_address at = pair_loopback();
	struct transport *first = NULL, *second = NULL;

	CU_ASSERT_EQUAL_FATAL(transport_iwarp.listen(&first, &at), 0);
	CU_ASSERT_EQUAL(transport_iwarp.listen(&second, &first->local), -EADDRINUSE);
	ASSERT_CONTAINS(err_text(), "127.0.0.1:");
	CU_ASSERT_PTR_NULL(second);
	transport_close_p(&first);
	CU_ASSERT_PTR_NULL(first);
	transport_close_p(&first);
}

static void a_connection_uses_the_given_source_address(void)
{
	struct transport_address from = pair_loopback();
	struct pair p;

	((struct sockaddr_in *)&from.addr)->sin_addr.s_addr = htonl(0x7f000002);
	transport_set_port(&from, 1);
	pair_init(&p, &transport_iwarp);
	p.client_param.bind = &from;
	open_pair(&p);
	CU_ASSERT_EQUAL(((struct sockaddr_in *)&p.server->peer.addr)->sin_addr.s_addr,
			htonl(0x7f000002));
	CU_ASSERT_NOT_EQUAL(transport_port(&p.server->peer), 1);
	pair_close(&p);
}

static void an_address_of_another_host_is_refused(void)
{
	struct transport_address from = pair_loopback(), to = pair_loopback();
	struct transport *t = NULL;
	struct pair p;

	((struct sockaddr_in *)&from.addr)->sin_addr.s_addr = htonl(0xc0000201);
	transport_set_port(&to, 1);
	pair_init(&p, &transport_iwarp);
	p.client_param.bind = &from;
	CU_ASSERT_EQUAL(transport_iwarp.connect(&t, &to, &p.client_param, p.deadline),
			-EADDRNOTAVAIL);
	ASSERT_CONTAINS(err_text(), "coming from 192.0.2.1");
	CU_ASSERT_PTR_NULL(t);
}

SUITE_MAIN("transport", TEST(a_send_arrives_as_it_was_sent),
	   TEST(a_send_is_gathered_from_many_pieces), TEST(private_data_reach_both_sides),
	   TEST(a_send_longer_than_the_buffer_breaks_the_connection),
	   TEST(more_sends_than_buffers_break_the_connection), TEST(a_returned_buffer_is_reused),
	   TEST(receive_times_out_and_the_connection_stays),
	   TEST(an_expired_deadline_still_polls_once), TEST(the_client_sends_first),
	   TEST(messages_before_the_end_are_received_before_it),
	   TEST(connecting_to_a_closed_port_is_refused),
	   TEST(a_listener_that_never_answers_is_not_waited_for),
	   TEST(an_idle_listener_accepts_no_connection),
	   TEST(nothing_is_sent_before_the_connection_is_established),
	   TEST(closing_null_is_allowed), TEST(addresses_are_shown_with_their_port),
	   TEST(an_invalid_name_is_unknown), TEST(name_resolution_ends_at_the_deadline),
	   TEST(transports_are_found_by_name), TEST(a_failed_bind_is_reported_with_its_address),
	   TEST(a_connection_uses_the_given_source_address),
	   TEST(an_address_of_another_host_is_refused))
