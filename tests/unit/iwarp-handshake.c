/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The MPA start-up against peers that answer correctly, wrongly, in pieces, or not at all. */
#include <sys/socket.h>

#include "tests/support/raw-peer.h"
#include "tests/support/transport-pair.h"
#include "tests/unit/suite.h"

static const struct transport_param usual = {
	.recv_depth = 4, .recv_size = 4096, .ird = 16, .ord = 0
};

/* The answer of Linux svcrdma over soft-iWARP. */
static const uint8_t good_reply[32] = "MPA ID Rep Frame\x50\x02\x00\x0c\x00\x00\x00\x10"
				      "\xf6\xab\x0e\x18\x01\x00\x03\x03";

/* Connects to a server with this script; returns the result of connect. */
static int connect_to(struct raw_server *s, const void *script, size_t len,
		      const struct transport_param *param, struct transport **t)
{
	uint64_t deadline;
	int rc;

	s->script = script;
	s->len = len;
	CU_ASSERT_EQUAL_FATAL(raw_server_open(s), 0);
	deadline = deadline_in(s->stays ? 500 : PATIENCE_MS);
	err_clear();
	rc = transport_iwarp.connect(t, &s->at, param, deadline);
	if (rc)
		CU_ASSERT_PTR_NULL(*t);
	return rc;
}

static int fails_with(const void *script, size_t len, const char *words)
{
	struct raw_server s = { 0 };
	struct transport *t = NULL;
	int rc = connect_to(&s, script, len, &usual, &t);

	ASSERT_CONTAINS(err_text(), words);
	transport_close_p(&t);
	raw_server_close(&s);
	return rc;
}

static int reply_with(size_t at, uint8_t value, const char *words)
{
	uint8_t reply[32];

	memcpy(reply, good_reply, 32);
	reply[at] = value;
	return fails_with(reply, 32, words);
}

static void the_request_suits_a_linux_server(void)
{
	struct transport_param param = usual;
	struct raw_server s = { 0 };
	struct transport *t = NULL;

	param.private_data = "\xf6\xab\x0e\x18\x01\x00\x03\x03";
	param.private_len = 8;
	CU_ASSERT_EQUAL(connect_to(&s, good_reply, 32, &param, &t), 0);
	CU_ASSERT_EQUAL(s.heard_len, 32);
	ASSERT_BYTES(s.heard,
		     "MPA ID Req Frame\x50\x02\x00\x0c\x00\x10\x00\x00"
		     "\xf6\xab\x0e\x18\x01\x00\x03\x03",
		     32);
	CU_ASSERT_PTR_NOT_NULL_FATAL(t);
	CU_ASSERT_TRUE(t->crc);
	CU_ASSERT_EQUAL(t->ord, 0);
	CU_ASSERT_EQUAL(t->peer_private_len, 8);
	ASSERT_BYTES(t->peer_private, good_reply + 24, 8);
	transport_close_p(&t);
	raw_server_close(&s);
}

static void reads_are_offered_even_if_unused(void)
{
	struct transport_param param = usual;
	struct raw_server s = { 0 };
	struct transport *t = NULL;

	param.ird = 0;
	param.no_crc = true;
	CU_ASSERT_EQUAL(connect_to(&s, good_reply, 32, &param, &t), 0);
	ASSERT_BYTES(s.heard + 16, "\x10\x02\x00\x04\x00\x01\x00\x00", 8);
	CU_ASSERT_TRUE(t->crc); /* the reply wants it */
	transport_close_p(&t);
	raw_server_close(&s);
}

static void a_reply_may_arrive_byte_by_byte(void)
{
	struct raw_server s = { .gap_ms = 1, .stays = true };
	struct transport *t = NULL;
	struct transport_msg msg;

	CU_ASSERT_EQUAL(connect_to(&s, good_reply, 32, &usual, &t), 0);
	CU_ASSERT_EQUAL(t->ops->recv(t, &msg, deadline_in(10)), -ETIMEDOUT);
	transport_close_p(&t);
	raw_server_close(&s);
}

static void reads_are_limited_by_the_peer(void)
{
	struct transport_param param = usual;
	struct raw_server s = { 0 };
	struct transport *t = NULL;
	uint8_t reply[32];

	memcpy(reply, good_reply, 32);
	reply[21] = 3;
	param.ord = 9;
	CU_ASSERT_EQUAL(connect_to(&s, reply, 32, &param, &t), 0);
	CU_ASSERT_EQUAL(t->ord, 3);
	transport_close_p(&t);
	raw_server_close(&s);
}

static void the_crc_is_off_if_neither_side_wants_it(void)
{
	struct transport_param param = usual;
	struct raw_server s = { 0 };
	struct transport *t = NULL;
	uint8_t reply[32];

	memcpy(reply, good_reply, 32);
	reply[16] = 0x10;
	param.no_crc = true;
	CU_ASSERT_EQUAL(connect_to(&s, reply, 32, &param, &t), 0);
	CU_ASSERT_FALSE(t->crc);
	transport_close_p(&t);
	raw_server_close(&s);
}

static void a_reply_of_revision_1_is_accepted(void)
{
	struct raw_server s = { 0 };
	struct transport *t = NULL;

	CU_ASSERT_EQUAL(connect_to(&s, "MPA ID Rep Frame\x40\x01\x00\x00", 20, &usual, &t), 0);
	CU_ASSERT_EQUAL(t->ord, 0);
	CU_ASSERT_EQUAL(t->peer_private_len, 0);
	transport_close_p(&t);
	raw_server_close(&s);
}

static void other_services_are_named_by_their_answer(void)
{
	CU_ASSERT_EQUAL(fails_with("SSH-2.0-OpenSSH_9.2p1\r\n", 23,
				   "does not speak MPA: \"SSH-2.0-OpenSSH_9.2p1\""),
			-EPROTONOSUPPORT);
	CU_ASSERT_EQUAL(fails_with("HTTP/1.1 400 Bad Request\r\nX: y\r\n\r\n", 34,
				   "does not speak MPA: \"HTTP/1.1 400 Bad Request\""),
			-EPROTONOSUPPORT);
	CU_ASSERT_EQUAL(fails_with("\x00\xff\"", 3, "\"\\x00\\xff\\x22\""), -EPROTONOSUPPORT);
	CU_ASSERT_EQUAL(fails_with("M?", 2, "\"M?\""), -EPROTONOSUPPORT);
	/* An echo service. */
	CU_ASSERT_EQUAL(fails_with("MPA ID Req Frame\x50\x02\x00\x04\x00\x10\x00\x00", 24,
				   "\"MPA ID Req Frame"),
			-EPROTONOSUPPORT);
}

static void a_reject_refuses_the_connection(void)
{
	CU_ASSERT_EQUAL(fails_with("MPA ID Rep Frame\x60\x01\x00\x00", 20,
				   "rejected the connection (MPA revision 1, flag R)"),
			-ECONNREFUSED);
	CU_ASSERT_EQUAL(reply_with(16, 0x70, "rejected"), -ECONNREFUSED);
}

#define REJECT_1     "MPA ID Rep Frame\x20\x01\x00\x00"
#define REJECT_1_CRC "MPA ID Rep Frame\x60\x01\x00\x00"
#define REJECT_2     "MPA ID Rep Frame\x20\x02\x00\x00"
#define REJECT_2_CRC "MPA ID Rep Frame\x60\x02\x00\x00"
#define ACCEPT_1     "MPA ID Rep Frame\x00\x01\x00\x00"
#define ACCEPT_1_CRC "MPA ID Rep Frame\x40\x01\x00\x00"
#define ACCEPT_2     "MPA ID Rep Frame\x00\x02\x00\x00"

static struct transport_param retrying(void)
{
	struct transport_param param = usual;

	param.mpa_retry = true;
	return param;
}

/* soft-iWARP of 2015 closes at revision 2, and rejects a CRC that it does not want. It is never
 * asked again for both: it may crash after rejecting one. */
static void a_refusal_is_retried_with_less(void)
{
	static const struct {
		const char *name;
		const char *before; /* "": the connection is closed; NULL: there was none */
		const char *reply;
		const char *request; /* the last one, from its flags on */
		const char *refused;
		bool crc;
	} rows[] = {
		{ "nothing was refused", NULL, ACCEPT_2, "\x50\x02\x00\x04", NULL, true },
		{ "closed at revision 2", "", ACCEPT_1, "\x00\x01\x00\x00", "MPA revision 2",
		  false },
		{ "closed at revision 2, and the peer wants a CRC", "", ACCEPT_1_CRC,
		  "\x00\x01\x00\x00", "MPA revision 2", true },
		{ "rejected by revision 1", REJECT_1_CRC, ACCEPT_1, "\x00\x01\x00\x00",
		  "MPA revision 2", false },
		{ "rejected without a CRC", REJECT_2, ACCEPT_2, "\x10\x02\x00\x04", "the CRC",
		  false },
	};
	const struct transport_param param = retrying();
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		struct raw_server s = { .before = rows[i].before,
					.before_len = rows[i].before && *rows[i].before ? 20 : 0 };
		struct transport *t = NULL;
		SUITE_ROW("%s", rows[i].name);

		CU_ASSERT_EQUAL(connect_to(&s, rows[i].reply, 20, &param, &t), 0);
		ASSERT_BYTES(s.heard + 16, rows[i].request, 4);
		CU_ASSERT_PTR_NOT_NULL_FATAL(t);
		CU_ASSERT_EQUAL(!t->refused, !rows[i].refused);
		if (t->refused && rows[i].refused)
			CU_ASSERT_STRING_EQUAL(t->refused, rows[i].refused);
		CU_ASSERT_EQUAL(t->mpa_revision, rows[i].request[1]);
		CU_ASSERT_EQUAL(t->crc, rows[i].crc);
		transport_close_p(&t);
		raw_server_close(&s);
	}
}

/* If that is refused too, the first error is reported; a plain refusal is not retried. */
static void repeated_refusals_report_the_first(void)
{
	const struct transport_param param = retrying();
	struct raw_server s = { .before = "" }, once = { 0 };
	struct transport *t = NULL;

	CU_ASSERT_EQUAL(connect_to(&s, REJECT_1, 20, &param, &t), -ECONNRESET);
	ASSERT_CONTAINS(err_text(), "closed the connection before its MPA reply");
	CU_ASSERT_EQUAL(s.heard[16], 0);
	raw_server_close(&s);

	CU_ASSERT_EQUAL(connect_to(&once, REJECT_2_CRC, 20, &param, &t), -ECONNREFUSED);
	ASSERT_BYTES(once.heard + 16, "\x50\x02", 2);
	raw_server_close(&once);
}

static void invalid_replies_are_refused(void)
{
	CU_ASSERT_EQUAL(reply_with(16, 0xd0, "markers"), -EPROTONOSUPPORT);
	CU_ASSERT_STRING_EQUAL(err_reason(), "mpa-version");
	CU_ASSERT_EQUAL(reply_with(17, 0, "revision 0"), -EPROTO);
	CU_ASSERT_STRING_EQUAL(err_reason(), "mpa-version");
	CU_ASSERT_EQUAL(reply_with(17, 3, "revision 3"), -EPROTO);
	CU_ASSERT_EQUAL(reply_with(17, 255, "revision 255"), -EPROTO);
	CU_ASSERT_EQUAL(reply_with(18, 255, "65292 bytes of private data, 512 at most"), -EPROTO);
	CU_ASSERT_EQUAL(reply_with(18, 2, "524 bytes of private data"), -EPROTO);
	CU_ASSERT_EQUAL(reply_with(19, 0, "flag S and only 0 bytes"), -EPROTO);
	CU_ASSERT_EQUAL(reply_with(19, 3, "flag S and only 3 bytes"), -EPROTO);
}

static void an_early_close_is_reported(void)
{
	struct raw_server s = { .deaf = true };
	struct transport *t = NULL;
	size_t len;
	char words[64];

	CU_ASSERT_EQUAL(fails_with("", 0, "closed the connection before its MPA reply"),
			-ECONNRESET);
	for (len = 1; len < 32; len++) {
		SUITE_ROW("len %zu", len);
		snprintf(words, sizeof(words), "after %zu of %d bytes of its MPA reply", len,
			 len < 20 ? 20 : 32);
		CU_ASSERT_EQUAL(fails_with(good_reply, len, words), -ECONNRESET);
		CU_ASSERT_STRING_EQUAL(err_reason(), "closed");
	}
	/* If our request is unread, the peer's kernel sends a reset. */
	CU_ASSERT_EQUAL(connect_to(&s, "", 0, &usual, &t), -ECONNRESET);
	raw_server_close(&s);
}

static void half_a_reply_ends_at_the_deadline(void)
{
	static const size_t cuts[] = { 1, 7, 16, 19, 20, 31 };
	char words[64];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(cuts); i++) {
		struct raw_server s = { .stays = true };
		struct transport *t = NULL;
		uint64_t begin = now_ms();
		SUITE_ROW("%zu: %zu", i, cuts[i]);

		CU_ASSERT_EQUAL(connect_to(&s, good_reply, cuts[i], &usual, &t), -ETIMEDOUT);
		ASSERT_WITHIN_MS(now_ms() - begin, 2000);
		snprintf(words, sizeof(words), "stopped after %zu of %d bytes", cuts[i],
			 cuts[i] < 20 ? 20 : 32);
		ASSERT_CONTAINS(err_text(), words);
		raw_server_close(&s);
	}
}

static void silence_ends_at_the_deadline(void)
{
	struct raw_server s = { .stays = true };
	struct transport *t = NULL;

	CU_ASSERT_EQUAL(connect_to(&s, "", 0, &usual, &t), -ETIMEDOUT);
	ASSERT_CONTAINS(err_text(), "no MPA reply in time");
	raw_server_close(&s);
}

static void too_much_private_data_is_a_caller_error(void)
{
	struct transport_param param = usual;
	struct raw_server s = { 0 };
	struct transport *t = NULL;
	char data[600] = { 0 };

	param.private_data = data;
	param.private_len = 509;
	CU_ASSERT_EQUAL(connect_to(&s, "", 0, &param, &t), -EINVAL);
	raw_server_close(&s);
}

/* The passive side. */

static int answer(const void *request, size_t len, const struct transport_param *param,
		  uint8_t *reply, size_t reply_len, struct raw_peer *r)
{
	int rc = raw_peer_open(r, request, len);

	CU_ASSERT_EQUAL_FATAL(rc, 0);
	rc = transport_iwarp.establish(r->t, param, deadline_in(100));
	if (reply_len)
		CU_ASSERT_TRUE(raw_peer_read(r, reply, reply_len));
	return rc;
}

/* The request of a Linux client: no CRC, IRD 128, R set in its private data. */
static const uint8_t linux_request[32] = "MPA ID Req Frame\x10\x02\x00\x0c\x00\x80\x00\x00"
					 "\xf6\xab\x0e\x18\x01\x01\x03\x03";

static void a_linux_client_is_answered_with_a_crc(void)
{
	struct transport_param param = usual;
	struct raw_peer r;
	uint8_t reply[32];

	param.ord = 16;
	param.private_data = good_reply + 24;
	param.private_len = 8;
	CU_ASSERT_EQUAL(answer(linux_request, 32, &param, reply, 32, &r), 0);
	ASSERT_BYTES(reply, good_reply, 32);
	CU_ASSERT_TRUE(r.t->crc);
	CU_ASSERT_EQUAL(r.t->ord, 16);
	ASSERT_BYTES(r.t->peer_private, linux_request + 24, 8);
	raw_peer_close(&r);
}

static void a_linux_client_may_go_without_a_crc(void)
{
	struct transport_param param = usual;
	struct raw_peer r;
	uint8_t reply[24];

	param.no_crc = true;
	CU_ASSERT_EQUAL(answer(linux_request, 32, &param, reply, 24, &r), 0);
	CU_ASSERT_EQUAL(reply[16], 0x10);
	CU_ASSERT_FALSE(r.t->crc);
	raw_peer_close(&r);
}

static void a_request_of_revision_1_is_answered_in_kind(void)
{
	struct raw_peer r;
	uint8_t reply[20];

	CU_ASSERT_EQUAL(answer("MPA ID Req Frame\x40\x01\x00\x02hi", 22, &usual, reply, 20, &r), 0);
	ASSERT_BYTES(reply, "MPA ID Rep Frame\x40\x01\x00\x00", 20);
	CU_ASSERT_EQUAL(r.t->peer_private_len, 2);
	CU_ASSERT_EQUAL(r.t->ord, 0);
	raw_peer_close(&r);
}

static void markers_and_unknown_revisions_are_rejected(void)
{
	struct raw_peer r;
	uint8_t reply[20];

	CU_ASSERT_EQUAL(answer("MPA ID Req Frame\xc0\x02\x00\x00", 20, &usual, reply, 20, &r),
			-EPROTONOSUPPORT);
	ASSERT_BYTES(reply, "MPA ID Rep Frame\x20\x02\x00\x00", 20);
	raw_peer_close(&r);
	CU_ASSERT_EQUAL(answer("MPA ID Req Frame\x40\x03\x00\x00", 20, &usual, reply, 20, &r),
			-EPROTO);
	ASSERT_BYTES(reply, "MPA ID Rep Frame\x20\x02\x00\x00", 20);
	raw_peer_close(&r);
	CU_ASSERT_EQUAL(answer("MPA ID Req Frame\x40\x00\x00\x00", 20, &usual, reply, 20, &r),
			-EPROTO);
	raw_peer_close(&r);
}

static void peer_to_peer_start_up_is_declined(void)
{
	struct raw_peer r;
	uint8_t reply[24];

	CU_ASSERT_EQUAL(answer("MPA ID Req Frame\x50\x02\x00\x04\xc0\x04\xc0\x04", 24, &usual,
			       reply, 24, &r),
			0);
	ASSERT_BYTES(reply + 20, "\x00\x04\x00\x00", 4);
	raw_peer_close(&r);
}

static void clients_that_do_not_speak_mpa_are_identified(void)
{
	struct raw_peer r;

	CU_ASSERT_EQUAL(answer("GET / HTTP/1.1\r\n\r\n", 18, &usual, NULL, 0, &r),
			-EPROTONOSUPPORT);
	ASSERT_CONTAINS(err_text(), "\"GET / HTTP/1.1\"");
	raw_peer_close(&r);
	CU_ASSERT_EQUAL(answer("MPA ID Req", 10, &usual, NULL, 0, &r), -ETIMEDOUT);
	ASSERT_CONTAINS(err_text(), "MPA request stopped after 10 of 20");
	raw_peer_close(&r);
	CU_ASSERT_EQUAL(answer("", 0, &usual, NULL, 0, &r), -ETIMEDOUT);
	raw_peer_close(&r);
	CU_ASSERT_EQUAL_FATAL(raw_peer_open(&r, "MPA", 3), 0);
	shutdown(r.fd, SHUT_WR);
	CU_ASSERT_EQUAL(transport_iwarp.establish(r.t, &usual, r.deadline), -ECONNRESET);
	raw_peer_close(&r);
}

SUITE_MAIN("iwarp-handshake", TEST(the_request_suits_a_linux_server),
	   TEST(reads_are_offered_even_if_unused), TEST(a_reply_may_arrive_byte_by_byte),
	   TEST(reads_are_limited_by_the_peer), TEST(the_crc_is_off_if_neither_side_wants_it),
	   TEST(a_reply_of_revision_1_is_accepted), TEST(other_services_are_named_by_their_answer),
	   TEST(a_reject_refuses_the_connection), TEST(a_refusal_is_retried_with_less),
	   TEST(repeated_refusals_report_the_first), TEST(invalid_replies_are_refused),
	   TEST(an_early_close_is_reported), TIMED(half_a_reply_ends_at_the_deadline),
	   TEST(silence_ends_at_the_deadline), TEST(too_much_private_data_is_a_caller_error),
	   TEST(a_linux_client_is_answered_with_a_crc), TEST(a_linux_client_may_go_without_a_crc),
	   TEST(a_request_of_revision_1_is_answered_in_kind),
	   TEST(markers_and_unknown_revisions_are_rejected),
	   TEST(peer_to_peer_start_up_is_declined),
	   TEST(clients_that_do_not_speak_mpa_are_identified))
