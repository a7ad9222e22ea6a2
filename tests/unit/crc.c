/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* CRC32c against known answers (RFC 3720 appendix B.4 has the second to the fifth). */
#include "rpcrdma/transport/internal.h"
#include "tests/unit/suite.h"

static uint32_t crc_of(const void *p, size_t len)
{
	return ~crc_more(CRC_START, p, len);
}

static void known_answers_match(void)
{
	uint8_t buf[32] = { 0 };
	int i;

	CU_ASSERT_EQUAL(crc_of("123456789", 9), 0xe3069283);
	CU_ASSERT_EQUAL(crc_of(buf, 32), 0x8a9136aa);
	memset(buf, 0xff, 32);
	CU_ASSERT_EQUAL(crc_of(buf, 32), 0x62a8ab43);
	for (i = 0; i < 32; i++)
		buf[i] = (uint8_t)i;
	CU_ASSERT_EQUAL(crc_of(buf, 32), 0x46dd794e);
	for (i = 0; i < 32; i++)
		buf[i] = (uint8_t)(31 - i);
	CU_ASSERT_EQUAL(crc_of(buf, 32), 0x113fdb5c);
	CU_ASSERT_EQUAL(crc_of(buf, 0), 0);
}

static void crc_of_pieces_equals_crc_of_the_whole(void)
{
	const char *text =
		"The quick brown fox jumps over the lazy dog, all the day long.";
	size_t len = strlen(text), cut;
	uint32_t whole = crc_of(text, len);

	for (cut = 0; cut <= len; cut++) {
		SUITE_ROW("cut %zu", cut);
		CU_ASSERT_EQUAL(
			~crc_more(crc_more(CRC_START, text, cut), text + cut, len - cut),
			whole);
	}
}

SUITE_MAIN("crc", TEST(known_answers_match), TEST(crc_of_pieces_equals_crc_of_the_whole))
