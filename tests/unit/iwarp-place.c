/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Every invalid frame, each field at its extremes: the error text, the Terminate that the peer
 * gets, and that no byte of memory changes. */
#include "tests/unit/iwarp-peer.h"

struct untagged_row {
	struct fpdu f;
	uint32_t len;
	const char *words;
	unsigned int reason;
};

#define UNTAGGED(op, queue) \
	.opcode = (op), .qn = (queue), .last = true, .ddp_version = 1, .rdmap_version = 1
#define SEND UNTAGGED(RDMAP_SEND, 0)

static const struct untagged_row untagged_rows[] = {
	{ { UNTAGGED(3, 0), .msn = 0 }, 4, "Send has MSN 0, expected 1", TERMINATE_MSN },
	{ { SEND, .msn = 2 }, 4, "Send has MSN 2, expected 1", TERMINATE_MSN },
	{ { SEND, .msn = UINT32_MAX }, 4, "MSN 4294967295", TERMINATE_MSN },
	{ { SEND, .msn = 1, .mo = 1 }, 4, "message offset 1, expected 0", TERMINATE_MO },
	{ { SEND, .msn = 1, .mo = UINT32_MAX }, 4, "offset 4294967295", TERMINATE_MO },
	{ { UNTAGGED(3, 1), .msn = 1 }, 4, "Send on queue 1, it belongs on queue 0", TERMINATE_QN },
	{ { UNTAGGED(3, 3), .msn = 1 }, 4, "Send on queue 3", TERMINATE_QN },
	{ { UNTAGGED(3, UINT32_MAX), .msn = 1 }, 4, "queue 4294967295", TERMINATE_QN },
	{ { SEND, .msn = 1 },
	  1025,
	  "Send of 1025 bytes or more, receive buffers have 1024",
	  TERMINATE_TOO_LONG },
	{ { SEND, .msn = 1 }, 65517, "Send of 65517 bytes or more", TERMINATE_TOO_LONG },
	{ { UNTAGGED(4, 0), .msn = 1, .stag = 0xdead },
	  4,
	  "Send with Invalidate names STag 0x0000dead: no region",
	  TERMINATE_INVALIDATE },
	{ { UNTAGGED(6, 0), .msn = 1, .stag = 0 },
	  4,
	  "names STag 0x00000000: no region",
	  TERMINATE_INVALIDATE },
	{ { UNTAGGED(8, 0), .msn = 1 }, 4, "RDMAP opcode 8, the highest is 7", TERMINATE_OPCODE },
	{ { UNTAGGED(15, 0), .msn = 1 }, 4, "RDMAP opcode 15", TERMINATE_OPCODE },
	{ { UNTAGGED(0, 0), .msn = 1 },
	  4,
	  "RDMA Write in an untagged DDP segment",
	  TERMINATE_OPCODE },
	{ { UNTAGGED(2, 0), .msn = 1 }, 4, "RDMA Read Response in an untagged", TERMINATE_OPCODE },
	{ { .opcode = 3, .last = true, .ddp_version = 0, .rdmap_version = 1, .msn = 1 },
	  4,
	  "DDP version 0, expected 1",
	  TERMINATE_UNTAGGED_VERSION },
	{ { .opcode = 3, .last = true, .ddp_version = 3, .rdmap_version = 1, .msn = 1 },
	  4,
	  "DDP version 3, expected 1",
	  TERMINATE_UNTAGGED_VERSION },
	{ { .opcode = 3, .last = true, .ddp_version = 1, .rdmap_version = 0, .msn = 1 },
	  4,
	  "RDMAP version 0, expected 1",
	  TERMINATE_RDMAP_VERSION },
	{ { .opcode = 3, .last = true, .ddp_version = 1, .rdmap_version = 3, .msn = 1 },
	  4,
	  "RDMAP version 3, expected 1",
	  TERMINATE_RDMAP_VERSION },
	{ { UNTAGGED(1, 1), .msn = 1 },
	  27,
	  "RDMA Read Request has 27 bytes",
	  TERMINATE_CATASTROPHIC },
	{ { UNTAGGED(1, 1), .msn = 1 }, 29, "has 29 bytes", TERMINATE_CATASTROPHIC },
	{ { UNTAGGED(1, 1), .msn = 1 }, 0, "has 0 bytes", TERMINATE_CATASTROPHIC },
	{ { .opcode = 1, .qn = 1, .ddp_version = 1, .rdmap_version = 1, .msn = 1 },
	  28,
	  "and goes on",
	  TERMINATE_CATASTROPHIC },
	{ { UNTAGGED(1, 0), .msn = 1 }, 28, "Read Request on queue 0", TERMINATE_QN },
	{ { UNTAGGED(1, 1), .msn = 2 }, 28, "Read Request has MSN 2", TERMINATE_MSN },
	{ { UNTAGGED(1, 1), .msn = 1, .mo = 4 }, 28, "message offset 4", TERMINATE_MO },
	{ { UNTAGGED(7, 2), .msn = 1 }, 3, "Terminate of 3 bytes", TERMINATE_CATASTROPHIC },
};

static void each_bad_untagged_frame_is_reported(void)
{
	struct fixture *x = malloc(sizeof(*x));
	struct fpdu f;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(untagged_rows); i++) {
		SUITE_ROW("%zu: %s", i, untagged_rows[i].words);
		open_fixture(x);
		f = untagged_rows[i].f;
		build(x, &f, payload, untagged_rows[i].len);
		send_frame(x);
		breaks(x, untagged_rows[i].words, untagged_rows[i].reason);
	}
	CU_ASSERT_TRUE(untouched());
	free(x);
}

/* Relative to the region. */
struct tagged_row {
	uint8_t opcode;
	uint32_t stag_xor;
	uint64_t move;
	uint32_t len;
	const char *words;
	unsigned int reason;
};

static const struct tagged_row tagged_rows[] = {
	{ 0, 1, 0, 4, "no region has this STag", TERMINATE_TAGGED_STAG },
	{ 0, 0xffffffff, 0, 4, "no region has this STag", TERMINATE_TAGGED_STAG },
	{ 0, 0, -1ull, 4, "the region has 4096 bytes at", TERMINATE_TAGGED_BOUNDS },
	{ 0, 0, 4093, 4, "the region has 4096 bytes at", TERMINATE_TAGGED_BOUNDS },
	{ 0, 0, 4096, 1, "RDMA Write of 1 bytes", TERMINATE_TAGGED_BOUNDS },
	{ 0, 0, 0, 4097, "RDMA Write of 4097 bytes", TERMINATE_TAGGED_BOUNDS },
	{ 0, 0, 0, 65521, "RDMA Write of 65521 bytes", TERMINATE_TAGGED_BOUNDS },
	{ 0, 0, 1ull << 32, 4, "the region has", TERMINATE_TAGGED_BOUNDS },
	{ 0, 0, 1ull << 63, 4, "the region has", TERMINATE_TAGGED_BOUNDS },
	{ 2, 0, 0, 4, "Read Response of 4 bytes, and no Read is outstanding", TERMINATE_OPCODE },
	{ 3, 0, 0, 4, "Send in a tagged DDP segment", TERMINATE_OPCODE },
	{ 1, 0, 0, 28, "RDMA Read Request in a tagged", TERMINATE_OPCODE },
	{ 7, 0, 0, 4, "Terminate in a tagged", TERMINATE_OPCODE },
	{ 9, 0, 0, 4, "RDMAP opcode 9", TERMINATE_OPCODE },
};

static void each_bad_tagged_frame_is_reported(void)
{
	struct fixture *x = malloc(sizeof(*x));
	struct fpdu f;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(tagged_rows); i++) {
		SUITE_ROW("%zu: %s", i, tagged_rows[i].words);
		open_fixture(x);
		fpdu_init(&f, RDMAP_WRITE);
		f.opcode = tagged_rows[i].opcode;
		f.stag = x->region.handle ^ tagged_rows[i].stag_xor;
		f.to = x->region.offset + tagged_rows[i].move;
		build(x, &f, payload, tagged_rows[i].len);
		send_frame(x);
		breaks(x, tagged_rows[i].words, tagged_rows[i].reason);
		CU_ASSERT_TRUE(untouched());
	}
	free(x);
}

static void a_write_over_the_end_of_64_bits_is_refused(void)
{
	struct fixture *x = malloc(sizeof(*x));
	struct fpdu f;

	open_fixture(x);
	fpdu_init(&f, RDMAP_WRITE);
	f.stag = x->region.handle;
	f.to = UINT64_MAX;
	build(x, &f, payload, 2);
	send_frame(x);
	breaks(x, "the end is beyond 64 bits", TERMINATE_TAGGED_WRAP);
	free(x);
}

static void a_frame_shorter_than_its_header_is_refused_at_once(void)
{
	static const uint16_t lengths[] = { 0, 1, 13, 17 };
	struct fixture *x = malloc(sizeof(*x));
	size_t i;

	for (i = 0; i < ARRAY_SIZE(lengths); i++) {
		SUITE_ROW("%zu: %u", i, lengths[i]);
		open_fixture(x);
		build_send(x, 1, "");
		put_be16(x->frame, lengths[i]);
		/* The first four bytes are enough to detect it. */
		x->len = 4;
		send_frame(x);
		breaks(x, "a DDP header has 18", TERMINATE_MPA);
	}
	free(x);
}

static void a_wrong_crc_is_never_delivered(void)
{
	struct fixture *x = malloc(sizeof(*x));
	size_t at;

	for (at = 20; at < 28; at++) {
		SUITE_ROW("at %zu", at);
		open_fixture(x);
		build_send(x, 1, "good");
		x->frame[at] ^= 0x10;
		send_frame(x);
		breaks(x, "Send with 4 bytes of payload has CRC 0x", TERMINATE_CRC);
	}
	free(x);
}

static void read_requests_are_limited_by_the_ird(void)
{
	struct read_request r = { .sink_stag = 1, .size = MEMORY };
	struct fixture *x = malloc(sizeof(*x));
	uint8_t body[READ_REQUEST_LEN], memory_to_read[MEMORY] = { 0 };
	struct transport_region region;
	struct fpdu f;
	size_t len = 0;
	int i;

	open_fixture(x);
	CU_ASSERT_EQUAL(x->raw.t->ops->reg(x->raw.t, memory_to_read, MEMORY, TRANSPORT_REMOTE_READ,
					   &region),
			0);
	r.source_stag = region.handle;
	r.source_to = region.offset;
	read_request_encode(body, &r);
	/* Three in one piece, so that none is answered before the last one is read. */
	for (i = 1; i <= 3; i++) {
		fpdu_init(&f, RDMAP_READ_REQUEST);
		f.msn = (uint32_t)i;
		len += raw_peer_build(x->frame + len, &f, body, sizeof(body));
	}
	raw_peer_send(&x->raw, x->frame, len);
	memmove(x->frame, x->frame + len / 3 * 2, len / 3);
	x->len = len / 3;
	breaks(x, "RDMA Read Request number 3, with 2 outstanding and an IRD of 2",
	       TERMINATE_NO_BUFFER);
	free(x);
}

static void bad_read(struct fixture *x, struct read_request *r, const char *words,
		     unsigned int reason)
{
	uint8_t body[READ_REQUEST_LEN];
	struct fpdu f;

	read_request_encode(body, r);
	fpdu_init(&f, RDMAP_READ_REQUEST);
	f.msn = 1;
	build(x, &f, body, sizeof(body));
	send_frame(x);
	breaks(x, words, reason);
}

static void reads_beyond_a_region_are_refused(void)
{
	static const struct {
		uint32_t stag_xor, size;
		uint64_t move;
		const char *words;
		unsigned int reason;
	} rows[] = {
		{ 1, 4, 0, "no region has this STag", TERMINATE_READ_STAG },
		{ 0, 101, 0, "RDMA Read of 101 bytes", TERMINATE_READ_BOUNDS },
		{ 0, UINT32_MAX, 0, "RDMA Read of 4294967295 bytes", TERMINATE_READ_BOUNDS },
		{ 0, 1, 100, "the region has 100 bytes", TERMINATE_READ_BOUNDS },
		{ 0, 1, -1ull, "the region has 100 bytes", TERMINATE_READ_BOUNDS },
	};
	struct fixture *x = malloc(sizeof(*x));
	struct transport_region region;
	struct read_request r = { .sink_stag = 1 };
	uint8_t there[100] = { 0 };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		SUITE_ROW("%zu: %s", i, rows[i].words);
		open_fixture(x);
		x->raw.t->ops->reg(x->raw.t, there, 100, TRANSPORT_REMOTE_READ, &region);
		r.source_stag = region.handle ^ rows[i].stag_xor;
		r.source_to = region.offset + rows[i].move;
		r.size = rows[i].size;
		bad_read(x, &r, rows[i].words, rows[i].reason);
	}
	open_fixture(x);
	r.source_stag = x->region.handle;
	r.source_to = x->region.offset;
	r.size = 1;
	bad_read(x, &r, "not open for reading", TERMINATE_ACCESS);
	open_fixture(x);
	x->raw.t->ops->reg(x->raw.t, there, 100, TRANSPORT_REMOTE_READ, &region);
	r.source_stag = region.handle;
	r.source_to = UINT64_MAX;
	r.size = 2;
	bad_read(x, &r, "RDMA Read of 2 bytes", TERMINATE_READ_WRAP);
	free(x);
}

static void messages_must_not_interleave(void)
{
	struct fixture *x = malloc(sizeof(*x));
	struct fpdu f;

	open_fixture(x);
	fpdu_init(&f, RDMAP_SEND);
	f.msn = 1;
	f.last = false;
	build(x, &f, "half", 4);
	send_frame(x);
	fpdu_init(&f, RDMAP_SEND_SE);
	f.msn = 1;
	f.mo = 4;
	build(x, &f, "half", 4);
	send_frame(x);
	breaks(x, "Send with Solicited Event in the middle of a Send", TERMINATE_OPCODE);
	open_fixture(x);
	fpdu_init(&f, RDMAP_SEND);
	f.msn = 1;
	f.last = false;
	build(x, &f, "half", 4);
	send_frame(x);
	f.mo = 3;
	f.last = true;
	build(x, &f, "half", 4);
	send_frame(x);
	breaks(x, "message offset 3, expected 4", TERMINATE_MO);
	free(x);
}

static void segments_must_fit_the_buffer(void)
{
	struct fixture *x = malloc(sizeof(*x));
	struct fpdu f;

	open_fixture(x);
	fpdu_init(&f, RDMAP_SEND);
	f.msn = 1;
	f.last = false;
	build(x, &f, payload, 1000);
	send_frame(x);
	f.mo = 1000;
	build(x, &f, payload, 25);
	send_frame(x);
	breaks(x, "Send of 1025 bytes or more", TERMINATE_TOO_LONG);
	free(x);
}

static void the_rest_of_a_write_to_a_revoked_region_is_refused(void)
{
	struct fixture *x = malloc(sizeof(*x));
	uint8_t sevens[100];
	struct fpdu f;

	memset(sevens, 7, sizeof(sevens));
	open_fixture(x);
	fpdu_init(&f, RDMAP_WRITE);
	f.stag = x->region.handle;
	f.to = x->region.offset;
	build(x, &f, sevens, 100);
	raw_peer_send(&x->raw, x->frame, 50);
	CU_ASSERT_EQUAL(receive(x, 20), -ETIMEDOUT);
	x->raw.t->ops->dereg(x->raw.t, &x->region);
	raw_peer_send(&x->raw, x->frame + 50, x->len - 50);
	breaks(x, "the region was released meanwhile", TERMINATE_TAGGED_STAG);
	ASSERT_BYTES(memory + 1, sevens, 34);
	CU_ASSERT_EQUAL(memory[35], 0xee);
	free(x);
}

static void a_read_response_must_match_its_request(void)
{
	static const struct {
		uint32_t stag_xor, len;
		uint64_t move;
		bool more;
		const char *words;
	} rows[] = {
		{ 1, 8, 0, false, "RDMA Read Response to STag" },
		{ 0, 8, 4, false, "expected STag" },
		{ 0, 9, 0, false, "ends with 9 bytes after 0 of 8" },
		{ 0, 7, 0, false, "ends with 7 bytes after 0 of 8" },
		{ 0, 9, 0, true, "goes on with 9 bytes after 0 of 8" },
	};
	struct fixture *x = malloc(sizeof(*x));
	struct read_request r;
	struct fpdu f;
	uint8_t got[8];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		struct iwarp *c;
		SUITE_ROW("%zu: %s", i, rows[i].words);

		open_fixture(x);
		build_send(x, 1, "go");
		send_frame(x);
		CU_ASSERT_TRUE(receives(x, "go"));
		/* The request is sent, and no answer arrives. */
		c = (struct iwarp *)x->raw.t;
		CU_ASSERT_EQUAL(c->t.ord, 2);
		memset(got, 0xee, sizeof(got));
		CU_ASSERT_EQUAL(x->raw.t->ops->read(x->raw.t, got, 8, 0x77, 0x88, deadline_in(20)),
				-ETIMEDOUT);
		CU_ASSERT_EQUAL(raw_peer_read_fpdu(&x->raw, x->frame, sizeof(x->frame)), 52);
		read_request_decode(&r, x->frame + 20);
		CU_ASSERT_EQUAL(r.size, 8);
		CU_ASSERT_EQUAL(r.source_stag, 0x77);
		CU_ASSERT_EQUAL(r.source_to, 0x88);
		/* Simulates an answer, for the parser only. */
		c->failed.rc = 0;
		fpdu_init(&f, RDMAP_READ_RESPONSE);
		f.stag = r.sink_stag ^ rows[i].stag_xor;
		f.to = r.sink_to + rows[i].move;
		f.last = !rows[i].more;
		build(x, &f, payload, rows[i].len);
		send_frame(x);
		CU_ASSERT_EQUAL(receive(x, 5000), -EPROTO);
		ASSERT_CONTAINS(x->raw.t->violation.text, rows[i].words);
		CU_ASSERT_EQUAL(got[0], 0xee);
		raw_peer_close(&x->raw);
	}
	free(x);
}

SUITE_MAIN("iwarp-place", TEST(each_bad_untagged_frame_is_reported),
	   TEST(each_bad_tagged_frame_is_reported),
	   TEST(a_write_over_the_end_of_64_bits_is_refused),
	   TEST(a_frame_shorter_than_its_header_is_refused_at_once),
	   TEST(a_wrong_crc_is_never_delivered), TEST(read_requests_are_limited_by_the_ird),
	   TEST(reads_beyond_a_region_are_refused), TEST(messages_must_not_interleave),
	   TEST(segments_must_fit_the_buffer),
	   TEST(the_rest_of_a_write_to_a_revoked_region_is_refused),
	   TEST(a_read_response_must_match_its_request))
