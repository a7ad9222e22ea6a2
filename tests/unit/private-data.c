/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* rpcrdma/wire/private-data.c */
#include "rpcrdma/wire/wire.h"
#include "tests/unit/suite.h"

static const uint8_t golden[RPCRDMA_PRIVATE_LEN] = { 0xf6, 0xab, 0x0e, 0x18, 1, 0, 3, 3 };

static void assert_absent(const struct rpcrdma_private *p)
{
	CU_ASSERT_FALSE(p->present);
	CU_ASSERT_FALSE(p->remote_invalidate);
	CU_ASSERT_EQUAL(p->send_size, RPCRDMA_INLINE_MIN);
	CU_ASSERT_EQUAL(p->receive_size, RPCRDMA_INLINE_MIN);
}

static void four_kilobytes_are_encoded_as_three(void)
{
	const struct rpcrdma_private p = { .send_size = 4096, .receive_size = 4096 };
	uint8_t buf[RPCRDMA_PRIVATE_LEN];

	private_encode(buf, &p);
	ASSERT_BYTES(buf, golden, sizeof(golden));
}

static void sizes_round_down_and_stay_in_range(void)
{
	static const struct {
		uint32_t bytes;
		uint8_t code;
	} cases[] = {
		{ 0, 0 },          { 1023, 0 },         { 1024, 0 },     { 2047, 0 },
		{ 2048, 1 },       { 262143, 254 },     { 262144, 255 }, { 262145, 255 },
		{ 1u << 20, 255 }, { 0xffffffff, 255 },
	};
	uint8_t buf[RPCRDMA_PRIVATE_LEN];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct rpcrdma_private p = { .send_size = cases[i].bytes };
		SUITE_ROW("%zu", i);

		private_encode(buf, &p);
		CU_ASSERT_EQUAL(buf[6], cases[i].code);
		CU_ASSERT_EQUAL(buf[7], 0);
	}
}

static void every_byte_value_is_decoded(void)
{
	uint8_t buf[RPCRDMA_PRIVATE_LEN];
	struct rpcrdma_private p;
	unsigned int v;

	for (v = 0; v < 256; v++) {
		SUITE_ROW("v %u", v);
		memcpy(buf, golden, sizeof(buf));
		buf[5] = buf[6] = (uint8_t)v;
		buf[7] = (uint8_t)(255 - v);
		private_decode(&p, buf, sizeof(buf));
		CU_ASSERT_TRUE(p.present);
		CU_ASSERT_EQUAL(p.remote_invalidate, v & 1);
		CU_ASSERT_EQUAL(p.send_size, (v + 1) * 1024);
		CU_ASSERT_EQUAL(p.receive_size, (256 - v) * 1024);
	}
}

/* InfiniBand pads with zeros; other layers prepend bytes of their own. */
static void magic_is_found_at_any_offset(void)
{
	uint8_t buf[64];
	struct rpcrdma_private p;
	size_t at;

	for (at = 0; at <= sizeof(buf) - sizeof(golden); at++) {
		SUITE_ROW("at %zu", at);
		memset(buf, 0, sizeof(buf));
		memcpy(buf + at, golden, sizeof(golden));
		private_decode(&p, buf, sizeof(buf));
		CU_ASSERT_TRUE(p.present);
		CU_ASSERT_EQUAL(p.receive_size, 4096);
	}
	/* the start of a magic before the whole one */
	memcpy(buf, "\xf6\xab\xf6\xab\x0e\x18\x01\x01\xff\x00", 10);
	private_decode(&p, buf, 10);
	CU_ASSERT_TRUE(p.present);
	CU_ASSERT_TRUE(p.remote_invalidate);
	CU_ASSERT_EQUAL(p.send_size, 262144);
	CU_ASSERT_EQUAL(p.receive_size, 1024);
}

static void truncated_private_data_is_absent(void)
{
	struct rpcrdma_private p;
	size_t len;

	for (len = 0; len < sizeof(golden); len++) {
		_cleanup_free_ uint8_t *exact = malloc(len ? len : 1);
		SUITE_ROW("len %zu", len);

		memcpy(exact, golden, len);
		private_decode(&p, exact, len);
		assert_absent(&p);
	}
	private_decode(&p, NULL, 0);
	assert_absent(&p);
}

static void other_magic_or_version_is_absent(void)
{
	struct rpcrdma_private p;
	uint8_t buf[RPCRDMA_PRIVATE_LEN];
	size_t i;

	for (i = 0; i < 5; i++) {
		SUITE_ROW("%zu", i);
		memcpy(buf, golden, sizeof(buf));
		buf[5] = 1;
		buf[i] ^= 0xff;
		private_decode(&p, buf, sizeof(buf));
		assert_absent(&p);
	}
}

SUITE_MAIN("private-data", TEST(four_kilobytes_are_encoded_as_three),
	   TEST(sizes_round_down_and_stay_in_range), TEST(every_byte_value_is_decoded),
	   TEST(magic_is_found_at_any_offset), TEST(truncated_private_data_is_absent),
	   TEST(other_magic_or_version_is_absent))
