/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* FPDU headers, encoded and decoded, against golden frames. */
#include "rpcrdma/transport/internal.h"
#include "tests/unit/suite.h"

/* A Send that carries an NFSv3 NULL call, MSN 1. */
static const uint8_t send_frame[92] =
	"\x00\x56\x41\x43\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x01"
	"\x00\x00\x00\x00\x11\x22\x33\x44\x00\x00\x00\x01\x00\x00\x00\x20"
	"\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00"
	"\x11\x22\x33\x44\x00\x00\x00\x00\x00\x00\x00\x02\x00\x01\x86\xa3"
	"\x00\x00\x00\x03\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00"
	"\x00\x00\x00\x00\x00\x00\x00\x00\xe9\x94\xdb\x85";
/* "hello" to 0x00010203 at 0x1000, with three bytes of pad. */
static const uint8_t write_frame[28] =
	"\x00\x13\xc1\x40\x00\x01\x02\x03\x00\x00\x00\x00\x00\x00\x10\x00"
	"\x68\x65\x6c\x6c\x6f\x00\x00\x00\x2a\x93\x9b\x5e";
static const uint8_t read_request_frame[52] =
	"\x00\x2e\x41\x41\x00\x00\x00\x00\x00\x00\x00\x01\x00\x00\x00\x01"
	"\x00\x00\x00\x00\x00\x00\x0a\x01\xff\xff\x88\x80\x00\x00\x00\x00"
	"\x00\x00\x10\x00\x00\x01\x02\x03\x00\x00\x00\x00\x00\x00\x20\x00"
	"\x80\x8a\x8b\xbb";
static const uint8_t read_response_frame[24] =
	"\x00\x12\xc1\x42\x00\x00\x0a\x01\xff\xff\x88\x80\x00\x00\x00\x00"
	"\x44\x41\x54\x41\x8f\x31\xdb\x82";
static const uint8_t terminate_frame[28] =
	"\x00\x16\x41\x47\x00\x00\x00\x00\x00\x00\x00\x02\x00\x00\x00\x01"
	"\x00\x00\x00\x00\x11\x00\x00\x00\x7c\xb9\x4e\x29";

/* The whole frame for this header and payload. */
static size_t build(uint8_t *buf, struct fpdu *f, const void *payload, uint32_t len)
{
	size_t n;
	uint32_t crc;

	f->payload = len;
	n = fpdu_encode(buf, f);
	memcpy(buf + n, payload, len);
	n += len;
	memset(buf + n, 0, fpdu_pad(f));
	n += fpdu_pad(f);
	crc = ~crc_more(CRC_START, buf, n);
	buf[n++] = crc & 0xff;
	buf[n++] = crc >> 8 & 0xff;
	buf[n++] = crc >> 16 & 0xff;
	buf[n++] = crc >> 24;
	CU_ASSERT_EQUAL(n, fpdu_total(f));
	return n;
}

static void a_send_has_its_golden_bytes(void)
{
	uint8_t buf[128];
	struct fpdu f;

	fpdu_init(&f, RDMAP_SEND);
	f.msn = 1;
	CU_ASSERT_EQUAL_FATAL(build(buf, &f, send_frame + 20, 68), sizeof(send_frame));
	ASSERT_BYTES(buf, send_frame, sizeof(send_frame));
}

static void a_write_has_its_golden_bytes(void)
{
	uint8_t buf[128];
	struct fpdu f;

	fpdu_init(&f, RDMAP_WRITE);
	f.stag = 0x00010203;
	f.to = 0x1000;
	CU_ASSERT_EQUAL_FATAL(build(buf, &f, "hello", 5), sizeof(write_frame));
	ASSERT_BYTES(buf, write_frame, sizeof(write_frame));
}

static void a_read_request_has_its_golden_bytes(void)
{
	struct read_request r = { 0x0a01, 0xffff888000000000, 4096, 0x00010203, 0x2000 };
	uint8_t buf[128], body[READ_REQUEST_LEN];
	struct read_request again;
	struct fpdu f;

	fpdu_init(&f, RDMAP_READ_REQUEST);
	f.msn = 1;
	read_request_encode(body, &r);
	CU_ASSERT_EQUAL_FATAL(build(buf, &f, body, sizeof(body)), sizeof(read_request_frame));
	ASSERT_BYTES(buf, read_request_frame, sizeof(read_request_frame));
	read_request_decode(&again, read_request_frame + 20);
	CU_ASSERT_EQUAL(again.sink_stag, r.sink_stag);
	CU_ASSERT_EQUAL(again.sink_to, r.sink_to);
	CU_ASSERT_EQUAL(again.size, r.size);
	CU_ASSERT_EQUAL(again.source_stag, r.source_stag);
	CU_ASSERT_EQUAL(again.source_to, r.source_to);
}

static void a_read_response_has_its_golden_bytes(void)
{
	uint8_t buf[128];
	struct fpdu f;

	fpdu_init(&f, RDMAP_READ_RESPONSE);
	f.stag = 0x0a01;
	f.to = 0xffff888000000000;
	CU_ASSERT_EQUAL_FATAL(build(buf, &f, "DATA", 4), sizeof(read_response_frame));
	ASSERT_BYTES(buf, read_response_frame, sizeof(read_response_frame));
}

static void a_terminate_has_its_golden_bytes(void)
{
	uint8_t buf[128], body[TERMINATE_LEN];
	struct fpdu f;

	fpdu_init(&f, RDMAP_TERMINATE);
	f.msn = 1;
	terminate_encode(body, TERMINATE_TAGGED_STAG, false);
	CU_ASSERT_EQUAL_FATAL(build(buf, &f, body, sizeof(body)), sizeof(terminate_frame));
	ASSERT_BYTES(buf, terminate_frame, sizeof(terminate_frame));
}

static void every_opcode_has_its_control_bytes(void)
{
	static const uint8_t control[RDMAP_OPCODES][2] = {
		{ 0xc1, 0x40 }, { 0x41, 0x41 }, { 0xc1, 0x42 }, { 0x41, 0x43 },
		{ 0x41, 0x44 }, { 0x41, 0x45 }, { 0x41, 0x46 }, { 0x41, 0x47 },
	};
	uint8_t buf[FPDU_HEAD_MAX];
	struct fpdu f;
	int i;

	for (i = 0; i < RDMAP_OPCODES; i++) {
		SUITE_ROW("%d", i);
		fpdu_init(&f, i);
		fpdu_encode(buf, &f);
		ASSERT_BYTES(buf + 2, control[i], 2);
		f.last = false;
		fpdu_encode(buf, &f);
		CU_ASSERT_EQUAL(buf[2], control[i][0] & ~0x40);
	}
}

static void a_header_survives_the_round_trip(void)
{
	struct fpdu f = { .tagged = false,
			  .last = true,
			  .ddp_version = 3,
			  .rdmap_version = 2,
			  .opcode = 15,
			  .stag = 0xfedcba98,
			  .qn = 0x01234567,
			  .msn = 0xffffffff,
			  .mo = 0x80000001,
			  .payload = 65517 };
	uint8_t buf[FPDU_HEAD_MAX];
	struct fpdu g;

	CU_ASSERT_EQUAL(fpdu_encode(buf, &f), 20);
	CU_ASSERT_EQUAL(fpdu_head_len(buf), 20);
	CU_ASSERT_EQUAL_FATAL(fpdu_decode(&g, buf, 20), 20);
	CU_ASSERT_EQUAL(g.tagged, f.tagged);
	CU_ASSERT_EQUAL(g.last, f.last);
	CU_ASSERT_EQUAL(g.ddp_version, f.ddp_version);
	CU_ASSERT_EQUAL(g.rdmap_version, f.rdmap_version);
	CU_ASSERT_EQUAL(g.opcode, f.opcode);
	CU_ASSERT_EQUAL(g.stag, f.stag);
	CU_ASSERT_EQUAL(g.qn, f.qn);
	CU_ASSERT_EQUAL(g.msn, f.msn);
	CU_ASSERT_EQUAL(g.mo, f.mo);
	CU_ASSERT_EQUAL(g.payload, f.payload);
}

static void the_longest_frame_is_65535_and_its_length_field(void)
{
	struct fpdu f;
	uint8_t buf[FPDU_HEAD_MAX];

	fpdu_init(&f, RDMAP_WRITE);
	f.payload = 65535 - 14;
	CU_ASSERT_EQUAL(fpdu_encode(buf, &f), 16);
	CU_ASSERT_EQUAL(get_be16(buf), 65535);
	CU_ASSERT_EQUAL(fpdu_pad(&f), 3);
	CU_ASSERT_EQUAL(fpdu_total(&f), 2 + 65535 + 3 + 4);
}

static void a_length_below_the_header_is_refused(void)
{
	uint8_t buf[FPDU_HEAD_MAX];
	struct fpdu f;
	int i;

	for (i = 0; i < 18; i++) {
		SUITE_ROW("%d", i);
		memcpy(buf, send_frame, sizeof(buf));
		put_be16(buf, (uint16_t)i);
		CU_ASSERT_EQUAL(fpdu_decode(&f, buf, sizeof(buf)), -EPROTO);
	}
	put_be16(buf, 18);
	CU_ASSERT_EQUAL(fpdu_decode(&f, buf, sizeof(buf)), 20);
	CU_ASSERT_EQUAL(f.payload, 0);
	memcpy(buf, write_frame, 16);
	put_be16(buf, 13);
	CU_ASSERT_EQUAL(fpdu_decode(&f, buf, 16), -EPROTO);
	put_be16(buf, 14);
	CU_ASSERT_EQUAL(fpdu_decode(&f, buf, 16), 16);
}

static void padding_aligns_the_crc_to_a_word(void)
{
	struct fpdu f;
	uint32_t i;

	fpdu_init(&f, RDMAP_SEND);
	for (i = 0; i < 9; i++) {
		SUITE_ROW("%u", i);
		f.payload = i;
		CU_ASSERT_EQUAL((20 + i + fpdu_pad(&f)) % 4, 0);
		ASSERT_LESS(fpdu_pad(&f), 4);
	}
}

SUITE_MAIN("fpdu", TEST(a_send_has_its_golden_bytes), TEST(a_write_has_its_golden_bytes),
	   TEST(a_read_request_has_its_golden_bytes), TEST(a_read_response_has_its_golden_bytes),
	   TEST(a_terminate_has_its_golden_bytes), TEST(every_opcode_has_its_control_bytes),
	   TEST(a_header_survives_the_round_trip),
	   TEST(the_longest_frame_is_65535_and_its_length_field),
	   TEST(a_length_below_the_header_is_refused), TEST(padding_aligns_the_crc_to_a_word))
