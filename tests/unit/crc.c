/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* CRC32c against known answers (RFC 3720 appendix B.4 has the second to the fifth): what the build uses, which
 * is ISA-L's where there is one, and the table. */
#include "rpcrdma/transport/internal.h"
#include "tests/unit/suite.h"

static const struct {
	const char *name;
	uint32_t (*more)(uint32_t state, const void *bytes, size_t len);
} implementations[] = {
	{ "this build's", crc_more },
	{ "the table", crc_table_more },
};

static void known_answers_match(void)
{
	uint8_t up[32], down[32], zeros[32] = { 0 }, ones[32];
	/* A SCSI READ (10) in a PDU of iSCSI, RFC 3720's last. */
	static const uint8_t scsi[48] = { 0x01,        0xc0,        [16] = 0x14, [22] = 0x04,
					  [27] = 0x14, [31] = 0x18, [32] = 0x28, [40] = 0x02 };
	const struct {
		const void *bytes;
		size_t len;
		uint32_t crc;
	} answers[] = {
		{ "123456789", 9, 0xe3069283 },
		{ zeros, 32, 0x8a9136aa },
		{ ones, 32, 0x62a8ab43 },
		{ up, 32, 0x46dd794e },
		{ down, 32, 0x113fdb5c },
		{ scsi, 48, 0xd9963a56 },
		{ zeros, 0, 0 },
	};
	size_t i, k;

	memset(ones, 0xff, sizeof(ones));
	for (i = 0; i < 32; i++) {
		up[i] = (uint8_t)i;
		down[i] = (uint8_t)(31 - i);
	}
	for (k = 0; k < ARRAY_SIZE(implementations); k++) {
		for (i = 0; i < ARRAY_SIZE(answers); i++) {
			SUITE_ROW("%s, answer %zu", implementations[k].name, i);
			CU_ASSERT_EQUAL(~implementations[k].more(CRC_START, answers[i].bytes,
								 answers[i].len),
					answers[i].crc);
		}
	}
}

static void crc_of_pieces_equals_crc_of_the_whole(void)
{
	const char *text = "The quick brown fox jumps over the lazy dog, all the day long.";
	size_t len = strlen(text), cut, k;
	uint32_t whole, first;

	for (k = 0; k < ARRAY_SIZE(implementations); k++) {
		whole = implementations[k].more(CRC_START, text, len);
		for (cut = 0; cut <= len; cut++) {
			SUITE_ROW("%s, cut %zu", implementations[k].name, cut);
			first = implementations[k].more(CRC_START, text, cut);
			CU_ASSERT_EQUAL(implementations[k].more(first, text + cut, len - cut),
					whole);
		}
	}
}

/* A bit at a time: for every alignment and length around the steps of both. */
static uint32_t crc_by_bits(uint32_t state, const uint8_t *p, size_t len)
{
	int bit;

	for (; len; len--, p++) {
		state ^= *p;
		for (bit = 0; bit < 8; bit++)
			state = state >> 1 ^ (state & 1 ? 0x82f63b78u : 0);
	}
	return state;
}

static void every_length_and_alignment_is_correct(void)
{
	uint8_t bytes[320];
	uint32_t state = 1, want;
	size_t i, len, from, k;

	for (i = 0; i < sizeof(bytes); i++) {
		state = state * 1103515245 + 12345;
		bytes[i] = (uint8_t)(state >> 16);
	}
	for (from = 0; from < 16; from++) {
		for (len = 0; len <= sizeof(bytes) - 16; len++) {
			want = crc_by_bits(CRC_START, bytes + from, len);
			for (k = 0; k < ARRAY_SIZE(implementations); k++) {
				SUITE_ROW("%s, %zu bytes from %zu", implementations[k].name, len,
					  from);
				CU_ASSERT_EQUAL(
					implementations[k].more(CRC_START, bytes + from, len),
					want);
			}
		}
	}
}

SUITE_MAIN("crc", TEST(known_answers_match), TEST(crc_of_pieces_equals_crc_of_the_whole),
	   TEST(every_length_and_alignment_is_correct))
