/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* rpcrdma/wire/header.c: headers survive the round trip, and every field at its extremes has the
 * result that wire.h documents. Golden frames are in golden.c. */
#include "rpcrdma/wire/wire.h"
#include "tests/unit/suite.h"

static const struct rpcrdma_segment segment = { 0x100, 4096, 0x10000000 };

/* From a buffer of exactly this size, so that a sanitizer detects reads beyond it. */
static int decode(struct rpcrdma_header *h, const uint8_t *bytes, size_t len)
{
	_cleanup_free_ uint8_t *exact = malloc(len ? len : 1);
	struct reader r;

	memcpy(exact, bytes, len);
	reader_init(&r, exact, len);
	return header_decode(h, &r);
}

static int decode_words(struct rpcrdma_header *h, const uint32_t *words, size_t count)
{
	uint8_t bytes[64];
	size_t i;

	for (i = 0; i < count; i++)
		put_be32(bytes + 4 * i, words[i]);
	return decode(h, bytes, 4 * count);
}

#define DECODE_WORDS(h, ...)                               \
	decode_words(h, (const uint32_t[]){ __VA_ARGS__ }, \
		     sizeof((const uint32_t[]){ __VA_ARGS__ }) / sizeof(uint32_t))

static size_t encode(const struct rpcrdma_header *h, uint8_t *buf, size_t cap)
{
	struct writer w;

	writer_init(&w, buf, cap);
	CU_ASSERT_EQUAL(header_encode(&w, h), 0);
	return w.len;
}

/* Two Read chunks, two Write chunks (one of them empty) and a Reply chunk. */
static void build_full(struct rpcrdma_header *h)
{
	const struct rpcrdma_segment three[3] = { segment, { 1, 0, 0 }, { 2, ~0u, ~0ull } };

	header_init(h, 0x11223344, 32, RDMA_MSG);
	CU_ASSERT_EQUAL(header_add_read(h, 0, &segment), 0);
	CU_ASSERT_EQUAL(header_add_read(h, 92, &segment), 0);
	CU_ASSERT_EQUAL(header_add_write(h, three, 3), 0);
	CU_ASSERT_EQUAL(header_add_write(h, NULL, 0), 0);
	CU_ASSERT_EQUAL(header_set_reply(h, three, 2), 0);
}

static void sizes_match_rfc_8166(void)
{
	struct rpcrdma_segment sixteen[16] = { { 0 } };
	uint8_t buf[512];
	struct rpcrdma_header h;

	header_init(&h, 1, 1, RDMA_MSG);
	CU_ASSERT_EQUAL(encode(&h, buf, sizeof(buf)), RPCRDMA_HEADER_MIN);
	header_add_read(&h, 0, &segment);
	CU_ASSERT_EQUAL(encode(&h, buf, sizeof(buf)), 52);
	header_add_write(&h, &segment, 1);
	CU_ASSERT_EQUAL(encode(&h, buf, sizeof(buf)), 36 + 24 + 16);
	header_init(&h, 1, 1, RDMA_MSG);
	header_add_write(&h, sixteen, 16);
	CU_ASSERT_EQUAL(encode(&h, buf, sizeof(buf)), 292);
	header_init(&h, 1, 1, RDMA_MSG);
	header_set_reply(&h, &segment, 1);
	CU_ASSERT_EQUAL(encode(&h, buf, sizeof(buf)), 48);
	header_init(&h, 1, 1, RDMA_ERROR);
	h.rdma_err = ERR_CHUNK;
	CU_ASSERT_EQUAL(encode(&h, buf, sizeof(buf)), RPCRDMA_ERR_CHUNK_LEN);
	h.rdma_err = ERR_VERS;
	CU_ASSERT_EQUAL(encode(&h, buf, sizeof(buf)), RPCRDMA_ERR_VERS_LEN);
}

static void lists_survive_the_round_trip(void)
{
	struct rpcrdma_header built, got;
	uint8_t buf[512];
	size_t len;

	build_full(&built);
	len = encode(&built, buf, sizeof(buf));
	CU_ASSERT_EQUAL(decode(&got, buf, len), 0);
	CU_ASSERT_EQUAL(got.rdma_xid, 0x11223344);
	CU_ASSERT_EQUAL(got.rdma_vers, RPCRDMA_VERSION);
	CU_ASSERT_EQUAL(got.rdma_credit, 32);
	CU_ASSERT_EQUAL(got.rdma_proc, RDMA_MSG);
	CU_ASSERT_EQUAL(got.read_count, 2);
	CU_ASSERT_EQUAL(got.read_position[0], 0);
	CU_ASSERT_EQUAL(got.read_position[1], 92);
	CU_ASSERT_EQUAL(got.write_count, 2);
	CU_ASSERT_EQUAL(got.write[0].count, 3);
	CU_ASSERT_EQUAL(got.write[1].count, 0);
	CU_ASSERT_TRUE(got.has_reply);
	CU_ASSERT_EQUAL(got.reply.count, 2);
	CU_ASSERT_EQUAL(got.segment_count, 7);
	CU_ASSERT_EQUAL(got.segments[got.write[0].first + 2].handle, 2);
	CU_ASSERT_EQUAL(got.segments[got.write[0].first + 2].length, ~0u);
	CU_ASSERT_EQUAL(got.segments[got.write[0].first + 2].offset, ~0ull);
	CU_ASSERT_EQUAL(header_chunk_length(&got, &got.write[0]), 4096ull + 0xffffffff);
	CU_ASSERT_EQUAL(header_chunk_length(&got, &got.write[1]), 0);
}

static void the_reader_ends_at_the_message(void)
{
	static const uint8_t frame[RPCRDMA_HEADER_MIN + 4] = { [7] = 1, [28] = 'm' };
	struct rpcrdma_header h;
	struct reader r;

	reader_init(&r, frame, sizeof(frame));
	CU_ASSERT_EQUAL(header_decode(&h, &r), 0);
	CU_ASSERT_PTR_EQUAL(r.p, frame + RPCRDMA_HEADER_MIN);
	CU_ASSERT_EQUAL(reader_left(&r), 4);
}

static void a_header_that_does_not_fit_is_not_written(void)
{
	struct rpcrdma_header h;
	uint8_t buf[512];
	size_t full, cap;

	build_full(&h);
	full = encode(&h, buf, sizeof(buf));
	for (cap = 0; cap < full; cap++) {
		struct writer w;
		SUITE_ROW("cap %zu", cap);

		writer_init(&w, buf, cap);
		CU_ASSERT_EQUAL(header_encode(&w, &h), -ENOBUFS);
		CU_ASSERT_EQUAL(w.len, 0);
	}
}

static void building_stops_at_the_bounds(void)
{
	static struct rpcrdma_segment many[RPCRDMA_MAX_SEGMENTS + 1];
	struct rpcrdma_header h;
	int i;

	header_init(&h, 1, 1, RDMA_MSG);
	CU_ASSERT_EQUAL(header_add_write(&h, many, RPCRDMA_MAX_SEGMENTS + 1), -E2BIG);
	CU_ASSERT_EQUAL(header_add_write(&h, many, UINT32_MAX), -E2BIG);
	for (i = 0; i < RPCRDMA_MAX_CHUNKS; i++) {
		SUITE_ROW("%d", i);
		CU_ASSERT_EQUAL(header_add_write(&h, many, 1), 0);
	}
	CU_ASSERT_EQUAL(header_add_write(&h, NULL, 0), -E2BIG);
	CU_ASSERT_EQUAL(h.write_count, RPCRDMA_MAX_CHUNKS);
	CU_ASSERT_EQUAL(header_set_reply(&h, many, 249), -E2BIG);
	CU_ASSERT_FALSE(h.has_reply);
	CU_ASSERT_EQUAL(header_set_reply(&h, many, 248), 0);

	header_init(&h, 1, 1, RDMA_MSG);
	for (i = 0; i < RPCRDMA_MAX_SEGMENTS; i++) {
		SUITE_ROW("%d", i);
		CU_ASSERT_EQUAL(header_add_read(&h, 0, &segment), 0);
	}
	CU_ASSERT_EQUAL(header_add_read(&h, 0, &segment), -E2BIG);
	CU_ASSERT_EQUAL(h.read_count, RPCRDMA_MAX_SEGMENTS);
}

static void a_frame_truncated_at_any_byte_is_refused(void)
{
	struct rpcrdma_header h;
	uint8_t buf[512];
	size_t full, len;

	build_full(&h);
	full = encode(&h, buf, sizeof(buf));
	for (len = 0; len < full; len++) {
		SUITE_ROW("len %zu", len);
		CU_ASSERT_EQUAL(decode(&h, buf, len),
				len < RPCRDMA_HEADER_MIN ? -EMSGSIZE : -EBADMSG);
		CU_ASSERT_EQUAL(h.segment_count + h.read_count + h.write_count, 0);
		CU_ASSERT_FALSE(h.has_reply);
	}
	CU_ASSERT_EQUAL(decode(&h, buf, full), 0);
}

/* Section 4.5: 28 bytes at least; but an ERR_CHUNK has 20. */
static void an_error_truncated_at_any_byte_is_refused(void)
{
	struct rpcrdma_header h;
	uint8_t buf[64];
	size_t len;

	header_init(&h, 1, 1, RDMA_ERROR);
	h.rdma_err = ERR_VERS;
	encode(&h, buf, sizeof(buf));
	for (len = 0; len < RPCRDMA_ERR_VERS_LEN; len++) {
		SUITE_ROW("len %zu", len);
		CU_ASSERT_EQUAL(decode(&h, buf, len),
				len < RPCRDMA_ERR_CHUNK_LEN ? -EMSGSIZE : -EBADMSG);
	}
	put_be32(buf + 16, ERR_CHUNK);
	CU_ASSERT_EQUAL(decode(&h, buf, RPCRDMA_ERR_CHUNK_LEN - 1), -EMSGSIZE);
	CU_ASSERT_EQUAL(decode(&h, buf, RPCRDMA_ERR_CHUNK_LEN), 0);
}

static void an_error_accepts_any_version(void)
{
	struct rpcrdma_header h;

	CU_ASSERT_EQUAL(DECODE_WORDS(&h, 9, 7, 64, RDMA_ERROR, ERR_VERS, 1, 2), 0);
	CU_ASSERT_EQUAL(h.rdma_vers, 7);
	CU_ASSERT_EQUAL(h.rdma_err, ERR_VERS);
	CU_ASSERT_EQUAL(h.rdma_vers_low, 1);
	CU_ASSERT_EQUAL(h.rdma_vers_high, 2);
	CU_ASSERT_EQUAL(DECODE_WORDS(&h, 9, 7, 64, RDMA_ERROR, ERR_CHUNK), 0);
	CU_ASSERT_EQUAL(DECODE_WORDS(&h, 9, 1, 64, RDMA_ERROR, 0), -EBADMSG);
	CU_ASSERT_EQUAL(DECODE_WORDS(&h, 9, 1, 64, RDMA_ERROR, 3), -EBADMSG);
	CU_ASSERT_EQUAL(h.rdma_proc, RDMA_ERROR);
}

static void version_and_proc_are_set_when_refused(void)
{
	static const struct {
		uint32_t vers, proc;
		int rc;
	} cases[] = {
		{ 0, RDMA_MSG, -EPROTONOSUPPORT },
		{ 2, RDMA_MSG, -EPROTONOSUPPORT },
		{ 2, 99, -EPROTONOSUPPORT },
		{ 0xffffffff, 0, -EPROTONOSUPPORT },
		{ 1, RDMA_MSGP, -EBADMSG },
		{ 1, RDMA_DONE, -EBADMSG },
		{ 1, 5, -EBADMSG },
		{ 1, 0xffffffff, -EBADMSG },
		{ 1, RDMA_NOMSG, -EBADMSG },
		{ 1, RDMA_MSG, 0 },
	};
	struct rpcrdma_header h;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		SUITE_ROW("%zu", i);
		CU_ASSERT_EQUAL(DECODE_WORDS(&h, 7, cases[i].vers, 8, cases[i].proc, 0, 0, 0),
				cases[i].rc);
		CU_ASSERT_EQUAL(h.rdma_xid, 7);
		CU_ASSERT_EQUAL(h.rdma_vers, cases[i].vers);
		CU_ASSERT_EQUAL(h.rdma_credit, 8);
		CU_ASSERT_EQUAL(h.rdma_proc, cases[i].proc);
	}
}

static void xid_and_credit_may_be_anything(void)
{
	struct rpcrdma_header h;

	CU_ASSERT_EQUAL(DECODE_WORDS(&h, 0, 1, 0, 0, 0, 0, 0), 0);
	CU_ASSERT_EQUAL(DECODE_WORDS(&h, ~0u, 1, ~0u, 0, 0, 0, 0), 0);
	CU_ASSERT_EQUAL(h.rdma_xid, ~0u);
	CU_ASSERT_EQUAL(h.rdma_credit, ~0u);
}

static void flag_of_a_list_is_zero_or_one(void)
{
	struct rpcrdma_header h;

	CU_ASSERT_EQUAL(DECODE_WORDS(&h, 1, 1, 1, 0, 2, 0, 0), -EBADMSG);
	CU_ASSERT_EQUAL(DECODE_WORDS(&h, 1, 1, 1, 0, 0, 2, 0), -EBADMSG);
	CU_ASSERT_EQUAL(DECODE_WORDS(&h, 1, 1, 1, 0, 0, 0, 2), -EBADMSG);
	CU_ASSERT_EQUAL(DECODE_WORDS(&h, 1, 1, 1, 0, 0, 0, 0x01000000), -EBADMSG);
	/* the second entry of each list */
	CU_ASSERT_EQUAL(DECODE_WORDS(&h, 1, 1, 1, 0, 1, 0, 1, 2, 0, 3, 2, 0, 0), -EBADMSG);
	CU_ASSERT_EQUAL(DECODE_WORDS(&h, 1, 1, 1, 0, 0, 1, 0, 2, 0), -EBADMSG);
}

/* @room segments actually follow the count. */
static int decode_count(bool reply, uint32_t words, uint32_t room)
{
	_cleanup_free_ uint8_t *buf = calloc(1, 64 + 16 * (size_t)room);
	struct rpcrdma_header h;
	size_t at = reply ? 24 : 20;

	put_be32(buf + 4, 1);
	put_be32(buf + at, 1);
	put_be32(buf + at + 4, words);
	return decode(&h, buf, at + 8 + 16 * (size_t)room + (reply ? 0 : 8));
}

static void segment_counts_at_their_extremes(void)
{
	static const struct {
		uint32_t count, room;
		int rc;
	} cases[] = {
		{ 0, 0, 0 },
		{ 1, 1, 0 },
		{ 16, 16, 0 },
		{ 253, 253, 0 },
		{ 256, 256, 0 },
		{ 257, 257, -E2BIG },
		{ 300, 300, -E2BIG },
		/* 16 times these is 16, 0 and -16 in 32 bits */
		{ 0x10000001, 1, -EBADMSG },
		{ 0x10000000, 1, -EBADMSG },
		{ 0xffffffff, 1, -EBADMSG },
		{ 0x7fffffff, 257, -EBADMSG },
		{ 2, 0, -EBADMSG },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		SUITE_ROW("%zu", i);
		CU_ASSERT_EQUAL(decode_count(false, cases[i].count, cases[i].room), cases[i].rc);
		CU_ASSERT_EQUAL(decode_count(true, cases[i].count, cases[i].room), cases[i].rc);
	}
}

static void too_many_chunks_are_refused(void)
{
	uint8_t buf[128] = { [7] = 1 };
	struct rpcrdma_header h;
	uint32_t i;

	for (i = 0; i <= RPCRDMA_MAX_CHUNKS; i++)
		put_be32(buf + 20 + 8 * i, 1);
	CU_ASSERT_EQUAL(decode(&h, buf, 20 + 8 * i + 8), -E2BIG);
	CU_ASSERT_EQUAL(h.write_count, 0);
	put_be32(buf + 20 + 8 * RPCRDMA_MAX_CHUNKS, 0);
	CU_ASSERT_EQUAL(decode(&h, buf, 20 + 8 * i), 0);
	CU_ASSERT_EQUAL(h.write_count, RPCRDMA_MAX_CHUNKS);
}

static void too_many_read_segments_are_refused(void)
{
	static uint8_t buf[28 + 24 * (RPCRDMA_MAX_SEGMENTS + 1)] = { [7] = 1 };
	struct rpcrdma_header h;
	size_t i;

	for (i = 0; i <= RPCRDMA_MAX_SEGMENTS; i++)
		put_be32(buf + 16 + 24 * i, 1);
	CU_ASSERT_EQUAL(decode(&h, buf, sizeof(buf)), -E2BIG);
	put_be32(buf + 16 + 24 * RPCRDMA_MAX_SEGMENTS, 0);
	CU_ASSERT_EQUAL(decode(&h, buf, sizeof(buf)), 0);
	CU_ASSERT_EQUAL(h.read_count, RPCRDMA_MAX_SEGMENTS);
}

/* A frame with every kind of field; each word is set to each extreme. An accepted frame has one
 * encoding; a refused one has one of the documented errors. */
static void every_word_at_its_extremes_has_a_defined_result(void)
{
	static const uint32_t extremes[] = { 0,   1,   2,          3,          4,
					     16,  253, 256,        257,        0x10000001,
					     ~0u, 5,   0x7fffffff, 0x80000000, 0xfffffff0 };
	uint8_t full[512], buf[512], again[512] = { 0 };
	struct rpcrdma_header h;
	size_t len, word, i;

	build_full(&h);
	len = encode(&h, full, sizeof(full));
	for (word = 0; word < len / 4; word++) {
		SUITE_ROW("word %zu", word);
		for (i = 0; i < ARRAY_SIZE(extremes); i++) {
			int rc;
			SUITE_ROW("%zu: %u", i, extremes[i]);

			memcpy(buf, full, len);
			put_be32(buf + 4 * word, extremes[i]);
			rc = decode(&h, buf, len);
			CU_ASSERT(rc == 0 || rc == -EBADMSG || rc == -E2BIG ||
				  rc == -EPROTONOSUPPORT);
			if (!rc)
				ASSERT_BYTES(again, buf, encode(&h, again, sizeof(again)));
		}
	}
}

static uint32_t random_u32(uint64_t *state)
{
	/* xorshift64: the same numbers on every machine */
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return (uint32_t)(*state >> 16);
}

static void build_random(struct rpcrdma_header *h, uint64_t *state)
{
	static struct rpcrdma_segment segments[64];
	uint32_t i, n;

	header_init(h, random_u32(state), random_u32(state), RDMA_MSG);
	for (i = 0; i < ARRAY_SIZE(segments); i++)
		segments[i] = (struct rpcrdma_segment){
			.handle = random_u32(state),
			.length = random_u32(state),
			.offset = (uint64_t)random_u32(state) << 32 | random_u32(state),
		};
	for (n = random_u32(state) % 20; n; n--)
		header_add_read(h, random_u32(state), &segments[n]);
	/* Chunks that do not fit are skipped. */
	for (n = random_u32(state) % (RPCRDMA_MAX_CHUNKS + 2); n; n--)
		header_add_write(h, segments, random_u32(state) % 64);
	if (random_u32(state) % 2)
		header_set_reply(h, segments, random_u32(state) % 64);
}

static void assert_same(const struct rpcrdma_header *a, const struct rpcrdma_header *b)
{
	static char one[65536], two[65536];

	CU_ASSERT_EQUAL(a->segment_count, b->segment_count);
	header_text(a, one, sizeof(one));
	header_text(b, two, sizeof(two));
	CU_ASSERT_STRING_EQUAL(one, two);
}

static void random_headers_survive_the_round_trip(void)
{
	static struct rpcrdma_header built, got;
	static uint8_t buf[8192], again[8192];
	uint64_t state = 0x9e3779b97f4a7c15;
	size_t len;
	int i;

	for (i = 0; i < 500; i++) {
		SUITE_ROW("%d", i);
		build_random(&built, &state);
		len = encode(&built, buf, sizeof(buf));
		CU_ASSERT_EQUAL(decode(&got, buf, len), 0);
		assert_same(&built, &got);
		CU_ASSERT_EQUAL(encode(&got, again, sizeof(again)), len);
		ASSERT_BYTES(again, buf, len);
		ASSERT_LESS(decode(&got, buf, random_u32(&state) % len), 0);
	}
}

static void a_copy_has_all_that_is_encoded(void)
{
	static struct rpcrdma_header built, copy;
	static uint8_t buf[8192], again[8192];
	uint64_t state = 0xbf58476d1ce4e5b9;
	size_t len;
	int i;

	for (i = 0; i < 500; i++) {
		SUITE_ROW("%d", i);
		build_random(&built, &state);
		len = encode(&built, buf, sizeof(buf));
		memset(&copy, 0xa5, sizeof(copy));
		header_copy(&copy, &built);
		CU_ASSERT_EQUAL(encode(&copy, again, sizeof(again)), len);
		ASSERT_BYTES(again, buf, len);
	}
}

SUITE_MAIN("header", TEST(sizes_match_rfc_8166), TEST(lists_survive_the_round_trip),
	   TEST(the_reader_ends_at_the_message), TEST(a_header_that_does_not_fit_is_not_written),
	   TEST(building_stops_at_the_bounds), TEST(a_frame_truncated_at_any_byte_is_refused),
	   TEST(an_error_truncated_at_any_byte_is_refused), TEST(an_error_accepts_any_version),
	   TEST(version_and_proc_are_set_when_refused), TEST(xid_and_credit_may_be_anything),
	   TEST(flag_of_a_list_is_zero_or_one), TEST(segment_counts_at_their_extremes),
	   TEST(too_many_chunks_are_refused), TEST(too_many_read_segments_are_refused),
	   TEST(every_word_at_its_extremes_has_a_defined_result),
	   TEST(random_headers_survive_the_round_trip), TEST(a_copy_has_all_that_is_encoded))
