/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The Terminate control word, in the order of the RFC and in soft-iWARP's. */
#include "rpcrdma/transport/internal.h"
#include "tests/unit/suite.h"

static const char *text_of(uint8_t a, uint8_t b, uint8_t c, uint8_t d)
{
	static char text[128];
	const uint8_t word[TERMINATE_LEN] = { a, b, c, d };

	return terminate_text(word, text, sizeof(text));
}

static void the_control_word_is_built_as_in_the_rfc(void)
{
	uint8_t word[TERMINATE_LEN];

	terminate_encode(word, TERMINATE_MSN, true);
	ASSERT_BYTES(word, "\x12\x03\xc0\x00", 4);
	terminate_encode(word, TERMINATE_CRC, false);
	ASSERT_BYTES(word, "\x20\x02\x00\x00", 4);
}

static void the_rfc_order_is_read(void)
{
	CU_ASSERT_STRING_EQUAL(text_of(0x12, 0x03, 0xc0, 0),
			       "DDP untagged buffer: MSN out of range (12 03 c0 00)");
	CU_ASSERT_STRING_EQUAL(text_of(0x11, 0x00, 0, 0),
			       "DDP tagged buffer: invalid STag (11 00 00 00)");
	CU_ASSERT_STRING_EQUAL(text_of(0x20, 0x02, 0, 0), "MPA: CRC error (20 02 00 00)");
}

static void swapped_nibbles_are_read(void)
{
	CU_ASSERT_STRING_EQUAL(text_of(0x21, 0x03, 0x03, 0),
			       "DDP untagged buffer: MSN out of range (21 03 03 00)");
	/* Without header bits: only one order has a meaning. */
	CU_ASSERT_STRING_EQUAL(text_of(0x21, 0x05, 0, 0),
			       "DDP untagged buffer: message too long for the buffer"
			       " (21 05 00 00)");
	CU_ASSERT_STRING_EQUAL(text_of(0x02, 0x02, 0x03, 0), "MPA: CRC error (02 02 03 00)");
}

static void undefined_values_are_shown_raw(void)
{
	CU_ASSERT_STRING_EQUAL(text_of(0xff, 0xee, 0xdd, 0xcc), "an unknown reason (ff ee dd cc)");
}

static void a_small_buffer_truncates_the_text(void)
{
	const uint8_t word[TERMINATE_LEN] = { 0x11 };
	char text[8];

	terminate_text(word, text, sizeof(text));
	CU_ASSERT_STRING_EQUAL(text, "DDP tag");
}

SUITE_MAIN("terminate", TEST(the_control_word_is_built_as_in_the_rfc), TEST(the_rfc_order_is_read),
	   TEST(swapped_nibbles_are_read), TEST(undefined_values_are_shown_raw),
	   TEST(a_small_buffer_truncates_the_text))
