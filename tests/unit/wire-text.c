/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* rpcrdma/wire/text.c: texts are complete or truncated, never past their end. Texts of valid
 * headers are in tests/wire/. */
#include "rpcrdma/wire/wire.h"
#include "tests/unit/suite.h"

static void header_text_is_truncated_at_any_size(void)
{
	const struct rpcrdma_segment segment = { 1, 2, 3 };
	struct rpcrdma_header h;
	char whole[512], cut[512];
	size_t cap;
	int full;

	header_init(&h, 1, 2, RDMA_MSG);
	header_add_read(&h, 92, &segment);
	header_add_write(&h, &segment, 1);
	header_set_reply(&h, &segment, 1);
	full = header_text(&h, whole, sizeof(whole));
	CU_ASSERT_EQUAL((size_t)full, strlen(whole));
	for (cap = 1; cap <= (size_t)full; cap++) {
		SUITE_ROW("cap %zu", cap);
		memset(cut, 'x', sizeof(cut));
		CU_ASSERT_EQUAL(header_text(&h, cut, cap), (int)cap - 1);
		CU_ASSERT_EQUAL(strlen(cut), cap - 1);
		CU_ASSERT_EQUAL(strncmp(cut, whole, cap - 1), 0);
		CU_ASSERT_EQUAL(cut[cap], 'x');
	}
	CU_ASSERT_EQUAL(header_text(&h, NULL, 0), 0);
}

static void unknown_values_are_numbers(void)
{
	struct rpcrdma_header h;
	char text[256];

	header_init(&h, 1, 2, 99);
	header_text(&h, text, sizeof(text));
	ASSERT_CONTAINS(text, "rdma_proc 99\n");
	h.rdma_proc = RDMA_ERROR;
	h.rdma_err = 7;
	header_text(&h, text, sizeof(text));
	ASSERT_CONTAINS(text, "rdma_err 7\n");
}

static void hex_is_in_groups_of_four_bytes(void)
{
	char text[64];

	hex_text("\xf6\xab\x0e\x18\x01\x00", 6, text, sizeof(text));
	CU_ASSERT_STRING_EQUAL(text, "f6ab0e18 0100");
	hex_text("\xff", 1, text, sizeof(text));
	CU_ASSERT_STRING_EQUAL(text, "ff");
	hex_text("", 0, text, sizeof(text));
	CU_ASSERT_STRING_EQUAL(text, "");
}

static void truncated_hex_ends_in_dots(void)
{
	static const struct {
		size_t cap;
		const char *want;
	} cases[] = {
		{ 1, "" },
		{ 2, "." },
		{ 3, ".." },
		{ 4, "..." },
		{ 5, "..." },
		{ 6, "01..." },
		{ 8, "0102..." },
		{ 12, "01020304..." },
		{ 14, "01020304..." },
		{ 15, "01020304 05..." },
		{ 17, "01020304 0506..." },
		{ 18, "01020304 05060708" },
	};
	char text[64];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		SUITE_ROW("%zu: %s", i, cases[i].want);
		memset(text, 'x', sizeof(text));
		hex_text("\1\2\3\4\5\6\7\10", 8, text, cases[i].cap);
		CU_ASSERT_STRING_EQUAL(text, cases[i].want);
		CU_ASSERT_EQUAL(text[cases[i].cap], 'x');
	}
	hex_text("\1", 1, NULL, 0);
}

SUITE_MAIN("wire-text", TEST(header_text_is_truncated_at_any_size),
	   TEST(unknown_values_are_numbers), TEST(hex_is_in_groups_of_four_bytes),
	   TEST(truncated_hex_ends_in_dots))
