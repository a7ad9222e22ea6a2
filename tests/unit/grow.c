/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Lists that grow: rpcrdma/base/grow.h. Each test reads what it wrote, so that a sanitizer sees an
 * element without room. */
#include <malloc.h>

#include "rpcrdma/base/grow.h"
#include "tests/unit/suite.h"

static void elements_stay_while_the_list_grows(void)
{
	_cleanup_free_ size_t *list = NULL;
	size_t count, i;

	for (count = 0; count < 100; count++) {
		CU_ASSERT_FATAL(grow(list, count));
		CU_ASSERT_FATAL(malloc_usable_size(list) >= (count + 1) * sizeof(*list));
		list[count] = count;
	}
	for (i = 0; i < count; i++)
		CU_ASSERT_EQUAL(list[i], i);
}

static void elements_may_be_removed_at_any_time(void)
{
	_cleanup_free_ size_t *list = NULL;
	size_t count = 0, most, i;

	for (most = 1; most < 40; most++) {
		for (; count < most; count++) {
			CU_ASSERT_FATAL(grow(list, count));
			CU_ASSERT_FATAL(malloc_usable_size(list) >= (count + 1) * sizeof(*list));
			list[count] = count;
		}
		for (i = 0; i < count; i++)
			CU_ASSERT_EQUAL(list[i], i);
		count = most / 3;
	}
}

SUITE_MAIN("grow", TEST(elements_stay_while_the_list_grows),
	   TEST(elements_may_be_removed_at_any_time))
