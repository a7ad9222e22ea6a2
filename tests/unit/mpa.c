/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* MPA frames: golden bytes, every truncation of a frame, and impossible lengths. */
#include "rpcrdma/transport/internal.h"
#include "tests/unit/suite.h"

/* CRC and enhanced, revision 2, IRD 16, ORD 0, the private data of RFC 8797. */
static const uint8_t request[32] = "MPA ID Req Frame\x50\x02\x00\x0c\x00\x10\x00\x00"
				   "\xf6\xab\x0e\x18\x01\x00\x03\x03";
static const uint8_t reply[32] = "MPA ID Rep Frame\x50\x02\x00\x0c\x00\x00\x00\x10"
				 "\xf6\xab\x0e\x18\x01\x00\x03\x03";

static void a_request_has_its_golden_bytes(void)
{
	struct mpa_frame f = { .revision = 2,
			       .crc = true,
			       .enhanced = true,
			       .ird = 16,
			       .private_data = request + 24,
			       .private_len = 8 };
	uint8_t buf[MPA_FRAME_MAX];

	CU_ASSERT_EQUAL_FATAL(mpa_encode(buf, MPA_REQUEST, &f), 32);
	ASSERT_BYTES(buf, request, 32);
}

static void a_reply_is_parsed(void)
{
	struct mpa_frame f;

	CU_ASSERT_EQUAL_FATAL(mpa_decode(&f, MPA_REPLY, reply, 32), 32);
	CU_ASSERT_EQUAL(f.revision, 2);
	CU_ASSERT_TRUE(f.crc);
	CU_ASSERT_TRUE(f.enhanced);
	CU_ASSERT_FALSE(f.reject);
	CU_ASSERT_FALSE(f.markers);
	CU_ASSERT_EQUAL(f.ird, 0);
	CU_ASSERT_EQUAL(f.ord, 16);
	CU_ASSERT_EQUAL(f.private_len, 8);
	ASSERT_BYTES(f.private_data, reply + 24, 8);
}

static void each_flag_has_its_bit(void)
{
	static const struct {
		struct mpa_frame f;
		uint8_t bits;
	} rows[] = {
		{ { .markers = true }, 0x80 }, { { .crc = true }, 0x40 },
		{ { .reject = true }, 0x20 },  { { .enhanced = true }, 0x10 },
		{ { .revision = 1 }, 0 },
	};
	uint8_t buf[MPA_FRAME_MAX];
	struct mpa_frame f;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		size_t len = mpa_encode(buf, MPA_REPLY, &rows[i].f);
		SUITE_ROW("%zu", i);

		CU_ASSERT_EQUAL(buf[16], rows[i].bits);
		CU_ASSERT_EQUAL_FATAL(mpa_decode(&f, MPA_REPLY, buf, len), (int)len);
		CU_ASSERT_EQUAL(f.markers, rows[i].f.markers);
		CU_ASSERT_EQUAL(f.crc, rows[i].f.crc);
		CU_ASSERT_EQUAL(f.reject, rows[i].f.reject);
		CU_ASSERT_EQUAL(f.enhanced, rows[i].f.enhanced);
		CU_ASSERT_EQUAL(f.revision, rows[i].f.revision);
	}
}

static void peer_to_peer_bits_are_not_part_of_the_depths(void)
{
	uint8_t buf[32];
	struct mpa_frame f;

	memcpy(buf, reply, 32);
	memset(buf + 20, 0xff, 4);
	CU_ASSERT_EQUAL(mpa_decode(&f, MPA_REPLY, buf, 32), 32);
	CU_ASSERT_EQUAL(f.ird, 0x3fff);
	CU_ASSERT_EQUAL(f.ord, 0x3fff);
}

static void a_partial_frame_requests_exactly_the_rest(void)
{
	struct mpa_frame f;
	size_t len;

	for (len = 0; len < 32; len++) {
		SUITE_ROW("len %zu", len);
		CU_ASSERT_EQUAL(mpa_decode(&f, MPA_REPLY, reply, len), 0);
		CU_ASSERT_EQUAL(mpa_missing(reply, len), (len < 20 ? 20 : 32) - len);
	}
}

static void a_wrong_key_fails_at_its_first_byte(void)
{
	struct mpa_frame f;
	uint8_t buf[32];
	size_t at;

	for (at = 0; at < 16; at++) {
		SUITE_ROW("at %zu", at);
		memcpy(buf, reply, 32);
		buf[at] ^= 0x20;
		CU_ASSERT_EQUAL(mpa_decode(&f, MPA_REPLY, buf, at), 0);
		CU_ASSERT_EQUAL(mpa_decode(&f, MPA_REPLY, buf, at + 1), -EPROTONOSUPPORT);
		CU_ASSERT_EQUAL(mpa_decode(&f, MPA_REPLY, buf, 32), -EPROTONOSUPPORT);
	}
	CU_ASSERT_EQUAL(mpa_decode(&f, MPA_REPLY, request, 32), -EPROTONOSUPPORT);
	CU_ASSERT_EQUAL(mpa_decode(&f, MPA_REPLY, (const uint8_t *)"SSH-2.0-x", 9),
			-EPROTONOSUPPORT);
}

static void private_data_is_limited_to_512_bytes(void)
{
	static const uint16_t lengths[] = { 513, 0x7fff, 0x8000, 0xffff };
	uint8_t buf[MPA_FRAME_MAX];
	struct mpa_frame f;
	size_t i;

	memset(buf, 0, sizeof(buf));
	memcpy(buf, reply, 20);
	put_be16(buf + 18, 512);
	CU_ASSERT_EQUAL(mpa_decode(&f, MPA_REPLY, buf, sizeof(buf)), MPA_FRAME_MAX);
	CU_ASSERT_EQUAL(f.private_len, 508);
	for (i = 0; i < ARRAY_SIZE(lengths); i++) {
		SUITE_ROW("%zu: %u", i, lengths[i]);
		put_be16(buf + 18, lengths[i]);
		CU_ASSERT_EQUAL(mpa_decode(&f, MPA_REPLY, buf, 20), -EPROTO);
	}
}

static void an_enhanced_frame_has_room_for_its_depths(void)
{
	struct mpa_frame f;
	uint8_t buf[32];
	int len;

	memcpy(buf, reply, 32);
	for (len = 0; len < 4; len++) {
		SUITE_ROW("len %d", len);
		buf[19] = (uint8_t)len;
		CU_ASSERT_EQUAL(mpa_decode(&f, MPA_REPLY, buf, 32), -EPROTO);
	}
	buf[19] = 4;
	CU_ASSERT_EQUAL(mpa_decode(&f, MPA_REPLY, buf, 32), 24);
	CU_ASSERT_EQUAL(f.private_len, 0);
}

SUITE_MAIN("mpa", TEST(a_request_has_its_golden_bytes), TEST(a_reply_is_parsed),
	   TEST(each_flag_has_its_bit), TEST(peer_to_peer_bits_are_not_part_of_the_depths),
	   TEST(a_partial_frame_requests_exactly_the_rest),
	   TEST(a_wrong_key_fails_at_its_first_byte), TEST(private_data_is_limited_to_512_bytes),
	   TEST(an_enhanced_frame_has_room_for_its_depths))
