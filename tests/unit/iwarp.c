/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* An established iWARP connection against a bare socket: frames in pieces, incomplete frames,
 * all kinds of ends, and the frames that are sent. */
#include <sys/ioctl.h>

#include "tests/unit/iwarp-peer.h"

static void without_a_crc_its_field_is_ignored(void)
{
	struct transport_param param = usual;
	struct fixture *x = malloc(sizeof(*x));
	uint8_t reply[24];

	param.no_crc = true;
	CU_ASSERT_EQUAL_FATAL(
		raw_peer_open(&x->raw, "MPA ID Req Frame\x10\x02\x00\x04\x00\x04\x00\x04", 24), 0);
	CU_ASSERT_EQUAL(transport_iwarp.establish(x->raw.t, &param, x->raw.deadline), 0);
	CU_ASSERT_TRUE(raw_peer_read(&x->raw, reply, 24));
	build_send(x, 1, "good");
	memcpy(x->frame + 24, "junk", 4);
	send_frame(x);
	CU_ASSERT_TRUE(receives(x, "good"));
	/* and ours is zero */
	CU_ASSERT_EQUAL(x->raw.t->ops->send(x->raw.t, NULL, 0, 0, 0, x->raw.deadline), 0);
	CU_ASSERT_EQUAL(raw_peer_read_fpdu(&x->raw, x->frame, sizeof(x->frame)), 24);
	ASSERT_BYTES(x->frame + 20, "\0\0\0\0", 4);
	raw_peer_close(&x->raw);
	free(x);
}

static void a_segmented_send_around_a_write_is_assembled(void)
{
	struct fixture *x = malloc(sizeof(*x));
	struct transport_msg msg;
	struct fpdu f, w;

	open_fixture(x);
	fpdu_init(&f, RDMAP_SEND);
	f.msn = 1;
	f.last = false;
	build(x, &f, "one, ", 5);
	send_frame(x);
	fpdu_init(&w, RDMAP_WRITE);
	w.stag = x->region.handle;
	w.to = x->region.offset + 10;
	build(x, &w, "WRITE", 5);
	send_frame(x);
	f.mo = 5;
	build(x, &f, "", 0);
	send_frame(x);
	f.last = true;
	build(x, &f, "two", 3);
	send_frame(x);
	CU_ASSERT_EQUAL_FATAL(x->raw.t->ops->recv(x->raw.t, &msg, x->raw.deadline), 0);
	CU_ASSERT_EQUAL(msg.len, 8);
	ASSERT_BYTES(msg.data, "one, two", 8);
	ASSERT_BYTES(memory + 11, "WRITE", 5);
	raw_peer_close(&x->raw);
	free(x);
}

static void an_empty_write_needs_no_region(void)
{
	struct fixture *x = malloc(sizeof(*x));
	struct fpdu f;

	open_fixture(x);
	fpdu_init(&f, RDMAP_WRITE);
	f.stag = 0xdeadbeef;
	f.to = UINT64_MAX;
	build(x, &f, "", 0);
	send_frame(x);
	build_send(x, 1, "after");
	send_frame(x);
	CU_ASSERT_TRUE(receives(x, "after"));
	raw_peer_close(&x->raw);
	free(x);
}

/* A Write of 300 bytes, another of 5, and a Send, in pieces of every length. */
static void frames_may_arrive_in_any_pieces(void)
{
	static const size_t steps[] = { 1, 2, 3, 7, 16, 17, 19, 20, 21, 60, 333 };
	struct fixture *x = malloc(sizeof(*x));
	struct fpdu f;
	uint8_t text[300];
	size_t i, at, len;

	memset(text, 't', sizeof(text));
	for (i = 0; i < ARRAY_SIZE(steps); i++) {
		SUITE_ROW("%zu: %zu", i, steps[i]);
		open_fixture(x);
		fpdu_init(&f, RDMAP_WRITE);
		f.stag = x->region.handle;
		f.to = x->region.offset;
		len = raw_peer_build(x->frame, &f, text, 300);
		f.to += 4091;
		len += raw_peer_build(x->frame + len, &f, "hello", 5);
		fpdu_init(&f, RDMAP_SEND);
		f.msn = 1;
		len += raw_peer_build(x->frame + len, &f, "done", 4);
		for (at = 0; at < len; at += steps[i]) {
			SUITE_ROW("at %zu", at);
			raw_peer_send(&x->raw, x->frame + at, min_u64(steps[i], len - at));
			if (at + steps[i] < len)
				CU_ASSERT_EQUAL(receive(x, 0), -ETIMEDOUT);
		}
		CU_ASSERT_TRUE(receives(x, "done"));
		ASSERT_BYTES(memory + 1, text, 300);
		CU_ASSERT_EQUAL(memory[301], 0xee);
		ASSERT_BYTES(memory + 4092, "hello\xee", 6);
		raw_peer_close(&x->raw);
	}
	free(x);
}

static void an_incomplete_frame_is_reported_at_the_deadline(void)
{
	struct fixture *x = malloc(sizeof(*x));

	open_fixture(x);
	build_send(x, 1, "0123456789012345678901234567890123456789");
	raw_peer_send(&x->raw, x->frame, 3);
	CU_ASSERT_EQUAL(receive(x, 20), -ETIMEDOUT);
	ASSERT_CONTAINS(err_text(), "stopped after 3 bytes of an FPDU's header");
	raw_peer_send(&x->raw, x->frame + 3, 27);
	CU_ASSERT_EQUAL(receive(x, 20), -ETIMEDOUT);
	ASSERT_CONTAINS(err_text(), "stopped after 30 of 64 bytes of Send");
	raw_peer_send(&x->raw, x->frame + 30, 32);
	CU_ASSERT_EQUAL(receive(x, 20), -ETIMEDOUT);
	ASSERT_CONTAINS(err_text(), "stopped after 62 of 64 bytes of Send");
	raw_peer_send(&x->raw, x->frame + 62, 2);
	CU_ASSERT_TRUE(receives(x, "0123456789012345678901234567890123456789"));
	raw_peer_close(&x->raw);
	free(x);
}

/* The socket keeps long timeouts, poll(2) short ones. */
static void a_long_silence_ends_at_the_deadline(void)
{
	struct fixture *x = malloc(sizeof(*x));
	uint64_t start = now_ms();

	open_fixture(x);
	CU_ASSERT_EQUAL(receive(x, 600), -ETIMEDOUT);
	ASSERT_AT_LEAST(now_ms() - start, 600);
	ASSERT_WITHIN_MS(now_ms() - start, 5000);
	build_send(x, 1, "late");
	send_frame(x);
	CU_ASSERT_TRUE(receives(x, "late"));
	raw_peer_close(&x->raw);
	free(x);
}

/* Valid but meaningless frames without end. */
static void make_flood(struct fixture *x, uint8_t *bytes, size_t len, bool sends)
{
	struct fpdu f;
	size_t at;

	if (sends) {
		fpdu_init(&f, RDMAP_SEND);
		f.msn = 1;
		f.last = false;
	} else {
		fpdu_init(&f, RDMAP_WRITE);
	}
	build(x, &f, "", 0);
	CU_ASSERT_EQUAL_FATAL(len % x->len, 0);
	for (at = 0; at < len; at += x->len)
		memcpy(bytes + at, x->frame, x->len);
}

static void an_endless_stream_ends_at_the_deadline(void)
{
	static uint8_t bytes[24 * 20 * 2048];
	struct fixture *x = malloc(sizeof(*x));
	struct raw_flood flood = { .bytes = bytes, .len = sizeof(bytes) };
	unsigned int ms[] = { 700, 100, 0 };
	uint64_t start;
	size_t i, sends;

	for (sends = 0; sends < 2; sends++) {
		SUITE_ROW("sends %zu", sends);
		open_fixture(x);
		make_flood(x, bytes, sizeof(bytes), sends);
		flood.fd = x->raw.fd;
		CU_ASSERT_EQUAL_FATAL(raw_flood_begin(&flood), 0);
		for (i = 0; i < ARRAY_SIZE(ms); i++) {
			SUITE_ROW("%u ms", ms[i]);
			start = now_ms();
			CU_ASSERT_EQUAL(receive(x, ms[i]), -ETIMEDOUT);
			ASSERT_AT_LEAST(now_ms() - start, ms[i]);
			ASSERT_WITHIN_MS(now_ms() - start, ms[i] + 1000);
		}
		raw_flood_end(&flood);
		raw_peer_close(&x->raw);
	}
	free(x);
}

/* A peer that is never slower than we are: it sends another Write for each one placed. */
static struct {
	struct fixture *x;
	unsigned int placed;
} echo;

#define ECHO_FRAMES 1000
#define ECHO_MAX    4000000

static void send_another(void *arg, const struct transport_tagged *placed)
{
	(void)arg, (void)placed;
	if (++echo.placed < ECHO_MAX)
		send_frame(echo.x);
}

static void data_after_the_deadline_is_not_read(void)
{
	static const unsigned int ms[] = { 0, 300 };
	struct transport_param param = usual;
	struct fixture *x = malloc(sizeof(*x));
	struct fpdu w;
	size_t i, row;

	param.on_write = send_another;
	for (row = 0; row < ARRAY_SIZE(ms); row++) {
		SUITE_ROW("%u ms", ms[row]);
		open_with(x, &param);
		echo.x = x;
		fpdu_init(&w, RDMAP_WRITE);
		w.stag = x->region.handle;
		w.to = x->region.offset;
		build(x, &w, payload, 1);
		echo.placed = ms[row] ? 0 : ECHO_MAX - 50 * ECHO_FRAMES;
		for (i = 0; i < ECHO_FRAMES; i++)
			send_frame(x);
		CU_ASSERT_EQUAL(receive(x, ms[row]), -ETIMEDOUT);
		/* It would have continued. */
		ASSERT_LESS(echo.placed, ECHO_MAX);
		raw_peer_close(&x->raw);
	}
	free(x);
}

/* The peer accepts no data, and sends forever. */
static void a_send_ends_at_the_deadline(void)
{
	static uint8_t bytes[24 * 20 * 2048];
	static const uint8_t much[1 << 20];
	struct fixture *x = malloc(sizeof(*x));
	struct raw_flood flood = { .bytes = bytes, .len = sizeof(bytes) };
	uint64_t start, deadline;
	unsigned int i;
	int rc = 0;

	open_fixture(x);
	make_flood(x, bytes, sizeof(bytes), false);
	flood.fd = x->raw.fd;
	CU_ASSERT_EQUAL_FATAL(raw_flood_begin(&flood), 0);
	start = now_ms();
	deadline = deadline_in(500);
	for (i = 0; i < 64 && !rc; i++)
		rc = x->raw.t->ops->write(x->raw.t, much, sizeof(much), 1, 0, deadline);
	CU_ASSERT_EQUAL(rc, -ETIMEDOUT);
	ASSERT_CONTAINS(err_text(), "the peer accepts no data");
	ASSERT_WITHIN_MS(now_ms() - start, 1500);
	raw_flood_end(&flood);
	raw_peer_close(&x->raw);
	free(x);
}

/* A busy machine may check late. */
static void data_that_arrived_in_time_is_received_after_the_deadline(void)
{
	struct fixture *x = malloc(sizeof(*x));
	uint64_t deadline = deadline_in(PATIENCE_MS);
	struct transport_msg msg;
	struct fpdu w;
	int waiting = 0;
	size_t sent;

	open_fixture(x);
	fpdu_init(&w, RDMAP_WRITE);
	w.stag = x->region.handle;
	w.to = x->region.offset;
	build(x, &w, payload, MEMORY);
	send_frame(x);
	send_frame(x);
	send_frame(x);
	sent = 3 * x->len;
	build_send(x, 1, "in time");
	send_frame(x);
	sent += x->len;
	while (!ioctl(x->raw.t->fd, FIONREAD, &waiting) && (size_t)waiting < sent &&
	       deadline_left(deadline))
		usleep(1000);
	CU_ASSERT_EQUAL_FATAL(x->raw.t->ops->recv(x->raw.t, &msg, now_ms() - 1), 0);
	CU_ASSERT_EQUAL(msg.len, 7);
	raw_peer_close(&x->raw);
	free(x);
}

static void a_frame_truncated_by_a_close_is_not_delivered(void)
{
	struct fixture *x = malloc(sizeof(*x));
	size_t cut;

	for (cut = 1; cut < 28; cut++) {
		SUITE_ROW("cut %zu", cut);
		open_fixture(x);
		build_send(x, 1, "cut!");
		raw_peer_send(&x->raw, x->frame, cut);
		shutdown(x->raw.fd, SHUT_WR);
		CU_ASSERT_EQUAL(receive(x, 5000), -ECONNRESET);
		ASSERT_CONTAINS(err_text(), "closed the connection after");
		raw_peer_close(&x->raw);
	}
	free(x);
}

static void a_reset_ends_the_connection(void)
{
	struct linger now = { .l_onoff = 1 };
	struct fixture *x = malloc(sizeof(*x));

	open_fixture(x);
	setsockopt(x->raw.fd, SOL_SOCKET, SO_LINGER, &now, sizeof(now));
	close(x->raw.fd);
	x->raw.fd = -1;
	CU_ASSERT_EQUAL(receive(x, 5000), -ECONNRESET);
	raw_peer_close(&x->raw);
	free(x);
}

static void a_terminate_is_described(void)
{
	static const struct {
		const char *body;
		uint32_t len;
		const char *words;
	} rows[] = {
		{ "\x11\x00\x00\x00", 4, "DDP tagged buffer: invalid STag (11 00 00 00)" },
		{ "\x21\x05\x03\x00", 4, "message too long for the buffer (21 05 03 00)" },
		{ "\x77\x77\x77\x77", 4, "an unknown reason (77 77 77 77)" },
	};
	struct fixture *x = malloc(sizeof(*x));
	struct fpdu f;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		SUITE_ROW("%zu: %s", i, rows[i].body);
		open_fixture(x);
		fpdu_init(&f, RDMAP_TERMINATE);
		f.msn = 1;
		build(x, &f, rows[i].body, rows[i].len);
		send_frame(x);
		CU_ASSERT_EQUAL(receive(x, 5000), -EREMOTEIO);
		ASSERT_CONTAINS(err_text(), rows[i].words);
		CU_ASSERT_STRING_EQUAL(x->raw.t->violation.text, "");
		/* Later calls get the same error. */
		CU_ASSERT_EQUAL(x->raw.t->ops->write(x->raw.t, "x", 1, 1, 1, 0), -EREMOTEIO);
		ASSERT_CONTAINS(err_text(), rows[i].words);
		raw_peer_close(&x->raw);
	}
	/* One of the maximum frame size. */
	open_fixture(x);
	fpdu_init(&f, RDMAP_TERMINATE);
	f.msn = 1;
	build(x, &f, payload, 65517);
	send_frame(x);
	CU_ASSERT_EQUAL(receive(x, 5000), -EREMOTEIO);
	raw_peer_close(&x->raw);
	free(x);
}

static void a_server_that_speaks_first_breaks_the_protocol(void)
{
	uint8_t script[32 + 28];
	struct raw_server s = { .script = script, .len = sizeof(script), .stays = true };
	struct transport *t = NULL;
	struct transport_msg msg;
	struct fpdu f;

	memcpy(script,
	       "MPA ID Rep Frame\x50\x02\x00\x0c\x00\x00\x00\x10"
	       "\xf6\xab\x0e\x18\x01\x00\x03\x03",
	       32);
	fpdu_init(&f, RDMAP_SEND);
	f.msn = 1;
	raw_peer_build(script + 32, &f, "soon", 4);
	CU_ASSERT_EQUAL_FATAL(raw_server_open(&s), 0);
	CU_ASSERT_EQUAL(transport_iwarp.connect(&t, &s.at, &usual, deadline_in(PATIENCE_MS)), 0);
	CU_ASSERT_EQUAL(t->ops->recv(t, &msg, deadline_in(PATIENCE_MS)), -EPROTO);
	ASSERT_CONTAINS(err_text(), "Send before the first FPDU");
	transport_close_p(&t);
	raw_server_close(&s);
}

/* A reply without C to a request with it; then this first FPDU. */
static int first_frame_of_the_unsure(bool good, bool second_good, bool *crc)
{
	uint8_t script[24 + 28 + 28];
	struct raw_server s = { .script = script, .len = sizeof(script), .stays = true };
	struct iovec iov = { (void *)(uintptr_t)("x"), 1 };
	struct transport *t = NULL;
	struct transport_msg msg;
	struct fpdu f;
	int rc;

	memcpy(script, "MPA ID Rep Frame\x10\x02\x00\x04\x00\x00\x00\x10", 24);
	fpdu_init(&f, RDMAP_SEND);
	f.msn = 1;
	raw_peer_build(script + 24, &f, "one!", 4);
	script[24 + 27] ^= !good;
	f.msn = 2;
	raw_peer_build(script + 52, &f, "two!", 4);
	script[52 + 27] ^= !second_good;
	CU_ASSERT_EQUAL_FATAL(raw_server_open(&s), 0);
	CU_ASSERT_EQUAL_FATAL(transport_iwarp.connect(&t, &s.at, &usual, deadline_in(PATIENCE_MS)),
			      0);
	CU_ASSERT_EQUAL(t->ops->send(t, &iov, 1, 0, 0, deadline_in(PATIENCE_MS)), 0);
	CU_ASSERT_EQUAL(t->ops->recv(t, &msg, deadline_in(PATIENCE_MS)), 0);
	rc = t->ops->recv(t, &msg, deadline_in(PATIENCE_MS));
	*crc = t->crc;
	transport_close_p(&t);
	raw_server_close(&s);
	return rc;
}

static void a_peer_without_a_crc_is_accepted(void)
{
	bool crc;

	CU_ASSERT_EQUAL(first_frame_of_the_unsure(false, false, &crc), 0);
	CU_ASSERT_FALSE(crc);
	CU_ASSERT_EQUAL(first_frame_of_the_unsure(true, true, &crc), 0);
	CU_ASSERT_TRUE(crc);
	CU_ASSERT_EQUAL(first_frame_of_the_unsure(true, false, &crc), -EPROTO);
}

static void the_fault_corrupts_the_crc_from_the_third_message(void)
{
	struct transport_param param = usual;
	struct fixture *x = malloc(sizeof(*x));
	int i;

	param.corrupt_crc = true;
	open_with(x, &param);
	build_send(x, 1, "go");
	send_frame(x);
	CU_ASSERT_TRUE(receives(x, "go"));
	for (i = 1; i <= 4; i++) {
		size_t len;
		uint32_t crc;
		SUITE_ROW("%d", i);

		CU_ASSERT_EQUAL(x->raw.t->ops->write(x->raw.t, "abcd", 4, 1, 2, x->raw.deadline),
				0);
		len = raw_peer_read_fpdu(&x->raw, x->frame, sizeof(x->frame));
		CU_ASSERT_EQUAL_FATAL(len, 24);
		crc = ~crc_more(CRC_START, x->frame, 20);
		CU_ASSERT_EQUAL(x->frame[20] == (crc & 0xff), i < 3);
	}
	raw_peer_close(&x->raw);
	free(x);
}

static void a_long_message_is_sent_in_segments(void)
{
	struct fixture *x = malloc(sizeof(*x));
	struct iovec iov = { (void *)(uintptr_t)payload, 70000 };
	size_t len, total = 0, head;
	uint64_t next = 0x1000;
	struct fpdu f;

	open_fixture(x);
	build_send(x, 1, "go");
	send_frame(x);
	CU_ASSERT_TRUE(receives(x, "go"));
	((struct iwarp *)x->raw.t)->tx.mulpdu = 1442;
	CU_ASSERT_EQUAL(x->raw.t->ops->send(x->raw.t, &iov, 1, 0, 0, x->raw.deadline), 0);
	do {
		len = raw_peer_read_fpdu(&x->raw, x->frame, sizeof(x->frame));
		ASSERT_MORE_FATAL(len, 0);
		ASSERT_AT_MOST_FATAL(len, 1448);
		CU_ASSERT_EQUAL(fpdu_decode(&f, x->frame, 20), 20);
		CU_ASSERT_EQUAL(f.msn, 1);
		CU_ASSERT_EQUAL(f.mo, total);
		total += f.payload;
	} while (!f.last);
	CU_ASSERT_EQUAL(total, 70000);
	CU_ASSERT_EQUAL(x->raw.t->ops->write(x->raw.t, payload, 70000, 5, next, x->raw.deadline),
			0);
	for (total = 0; total < 70000; total += f.payload) {
		SUITE_ROW("total %zu", total);
		ASSERT_MORE_FATAL(raw_peer_read_fpdu(&x->raw, x->frame, sizeof(x->frame)), 0);
		head = (size_t)fpdu_decode(&f, x->frame, 16);
		CU_ASSERT_EQUAL(head, 16);
		CU_ASSERT_EQUAL(f.to, next + total);
		CU_ASSERT_EQUAL(f.last, total + f.payload == 70000);
	}
	raw_peer_close(&x->raw);
	free(x);
}

static void a_peer_that_accepts_no_data_times_out(void)
{
	_cleanup_free_ uint8_t *much = calloc(1, 32 << 20);
	struct fixture *x = malloc(sizeof(*x));
	uint64_t begin;

	open_fixture(x);
	build_send(x, 1, "go");
	send_frame(x);
	CU_ASSERT_TRUE(receives(x, "go"));
	begin = now_ms();
	CU_ASSERT_EQUAL(x->raw.t->ops->write(x->raw.t, much, 32 << 20, 1, 0, deadline_in(100)),
			-ETIMEDOUT);
	ASSERT_WITHIN_MS(now_ms() - begin, 3000);
	ASSERT_CONTAINS(err_text(), "accepts no data");
	CU_ASSERT_EQUAL(receive(x, 10), -ETIMEDOUT);
	raw_peer_close(&x->raw);
	free(x);
}

/* Read Requests from a peer that then does not read: receive keeps its deadline. */
static void an_unread_answer_does_not_block(void)
{
	_cleanup_free_ uint8_t *much = calloc(1, 32 << 20);
	struct fixture *x = malloc(sizeof(*x));
	struct read_request r = { .sink_stag = 9, .sink_to = 1, .size = 32 << 20 };
	uint8_t body[READ_REQUEST_LEN];
	struct transport_region region;
	uint64_t begin;
	size_t total = 0;
	struct fpdu f;

	open_fixture(x);
	x->raw.t->ops->reg(x->raw.t, much, 32 << 20, TRANSPORT_REMOTE_READ, &region);
	r.source_stag = region.handle;
	r.source_to = region.offset;
	read_request_encode(body, &r);
	fpdu_init(&f, RDMAP_READ_REQUEST);
	f.msn = 1;
	build(x, &f, body, sizeof(body));
	send_frame(x);
	begin = now_ms();
	CU_ASSERT_EQUAL(receive(x, 50), -ETIMEDOUT);
	ASSERT_WITHIN_MS(now_ms() - begin, 2000);
	/* Nothing was lost: the data read now is the whole answer, in order. */
	while (total < 32 << 20) {
		raw_peer_read(&x->raw, x->frame, 16);
		CU_ASSERT_EQUAL(fpdu_decode(&f, x->frame, 16), 16);
		CU_ASSERT_EQUAL_FATAL(f.to, 1 + total);
		total += f.payload;
		while (recv(x->raw.fd, x->frame, 1, MSG_PEEK) < 0)
			receive(x, 0);
		for (size_t want = fpdu_total(&f) - 16; want;) {
			ssize_t n = recv(x->raw.fd, x->frame, want, 0);

			if (n < 0)
				receive(x, 0);
			want -= n > 0 ? (size_t)n : 0;
		}
		receive(x, 0);
	}
	CU_ASSERT_TRUE(f.last);
	raw_peer_close(&x->raw);
	free(x);
}

SUITE_MAIN("iwarp", TEST(without_a_crc_its_field_is_ignored),
	   TEST(a_segmented_send_around_a_write_is_assembled), TEST(an_empty_write_needs_no_region),
	   TEST(frames_may_arrive_in_any_pieces),
	   TEST(an_incomplete_frame_is_reported_at_the_deadline),
	   TIMED(a_long_silence_ends_at_the_deadline),
	   TIMED(an_endless_stream_ends_at_the_deadline), TIMED(a_send_ends_at_the_deadline),
	   TEST(data_after_the_deadline_is_not_read),
	   TEST(data_that_arrived_in_time_is_received_after_the_deadline),
	   TEST(a_frame_truncated_by_a_close_is_not_delivered), TEST(a_reset_ends_the_connection),
	   TEST(a_terminate_is_described), TEST(a_server_that_speaks_first_breaks_the_protocol),
	   TEST(a_peer_without_a_crc_is_accepted),
	   TEST(the_fault_corrupts_the_crc_from_the_third_message),
	   TEST(a_long_message_is_sent_in_segments), TIMED(a_peer_that_accepts_no_data_times_out),
	   TIMED(an_unread_answer_does_not_block))
