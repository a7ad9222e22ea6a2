/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The one main() of the unit tests. A test is a function named as a sentence:
 *
 *	static void context_is_outermost_first(void) { ... CU_ASSERT(...); }
 *	SUITE_MAIN("err", TEST(context_is_outermost_first), TEST(...))
 *
 * CUnit prints its summary; the plain line after it is what tests/run adds up. */
#ifndef TESTS_UNIT_SUITE_H
#define TESTS_UNIT_SUITE_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <CUnit/Basic.h>

struct suite_test {
	const char *name;
	CU_TestFunc func;
};

#define TEST(func)          \
	{                   \
#func, func \
	}

static int suite_run(const char *name, const struct suite_test *tests, size_t count)
{
	unsigned int failed;
	CU_pSuite suite;
	size_t i;

	if (CU_initialize_registry() != CUE_SUCCESS)
		return 2;
	suite = CU_add_suite(name, NULL, NULL);
	for (i = 0; suite && i < count; i++)
		if (!CU_add_test(suite, tests[i].name, tests[i].func))
			suite = NULL;
	if (!suite) {
		fprintf(stderr, "%s: %s\n", name, CU_get_error_msg());
		return 2;
	}
	CU_basic_set_mode(CU_BRM_NORMAL);
	CU_basic_run_tests();
	failed = CU_get_number_of_tests_failed();
	printf("%u passed, %u failed, 0 skipped\n", CU_get_number_of_tests_run() - failed,
	       failed);
	CU_cleanup_registry();
	return failed ? 1 : 0;
}

#define SUITE_MAIN(name, ...)                                                    \
	int main(void)                                                           \
	{                                                                        \
		static const struct suite_test tests[] = { __VA_ARGS__ };        \
		return suite_run(name, tests, sizeof(tests) / sizeof(tests[0])); \
	}

/* Byte strings, with both shown when they differ. */
#define ASSERT_BYTES(got, want, len) CU_ASSERT_EQUAL(memcmp(got, want, len), 0)

#endif
