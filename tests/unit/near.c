/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Suggestions for a misspelt word. */
#include "rpcrdma/base/base.h"
#include "tests/unit/suite.h"

static const char *meant(const char *word)
{
	static const char *const words[] = { "probe", "plan", "pool", "mounts", "explain" };
	struct near near;
	size_t i;

	near_init(&near, word);
	for (i = 0; i < ARRAY_SIZE(words); i++)
		near_try(&near, words[i]);
	return near_found(&near);
}

static void a_misspelt_word_is_found(void)
{
	CU_ASSERT_STRING_EQUAL(meant("pobe"), "probe");
	CU_ASSERT_STRING_EQUAL(meant("pooll"), "pool");
	CU_ASSERT_STRING_EQUAL(meant("mount"), "mounts");
	CU_ASSERT_STRING_EQUAL(meant("explian"), "explain");
}

static void a_dissimilar_word_is_not_found(void)
{
	char huge[NEAR_WORD_MAX + 2];

	memset(huge, 'a', sizeof(huge) - 1);
	huge[sizeof(huge) - 1] = '\0';
	CU_ASSERT_PTR_NULL(meant("zzzzzz"));
	CU_ASSERT_PTR_NULL(meant("pr"));
	CU_ASSERT_PTR_NULL(meant(""));
	CU_ASSERT_PTR_NULL(meant(huge));
}

SUITE_MAIN("near", TEST(a_misspelt_word_is_found), TEST(a_dissimilar_word_is_not_found))
