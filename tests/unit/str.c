/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The strings of rpcrdma/base/base.h */
#include "rpcrdma/base/base.h"
#include "tests/unit/suite.h"

static void text_that_fits_is_copied(void)
{
	char buf[4];

	CU_ASSERT_TRUE(str_copy(buf, sizeof(buf), ""));
	CU_ASSERT_STRING_EQUAL(buf, "");
	CU_ASSERT_TRUE(str_copy(buf, sizeof(buf), "abc"));
	CU_ASSERT_STRING_EQUAL(buf, "abc");
	CU_ASSERT_TRUE(str_copy(buf, sizeof(buf), "\x01\n\xff"));
	CU_ASSERT_STRING_EQUAL(buf, "\x01\n\xff");
}

static void longer_text_is_truncated_and_reported(void)
{
	char buf[6] = "?????";

	CU_ASSERT_FALSE(str_copy(buf, 4, "abcd"));
	CU_ASSERT_STRING_EQUAL(buf, "abc");
	CU_ASSERT_EQUAL(buf[4], '?');
	CU_ASSERT_FALSE(str_copy(buf, 1, "a"));
	CU_ASSERT_STRING_EQUAL(buf, "");
}

SUITE_MAIN("str", TEST(text_that_fits_is_copied), TEST(longer_text_is_truncated_and_reported))
