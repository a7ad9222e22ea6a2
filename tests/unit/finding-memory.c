/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* rpcrdma/base/finding.c without memory for evidence: the finding says so, it keeps what it has,
 * and it is not passed on. */
#include <stdlib.h>

#include "tests/unit/suite.h"

/* The number of calls that succeed. */
static unsigned int calls_left;

static void *reallocarray_or_fail(void *old, size_t count, size_t size)
{
	if (!calls_left)
		return NULL;
	calls_left--;
	return reallocarray(old, count, size);
}

#define reallocarray reallocarray_or_fail
#include "rpcrdma/base/finding.c"
#undef reallocarray

static void begin(struct finding *f, unsigned int calls)
{
	finding_init(f, "a.b", FINDING_FAIL, "three");
	calls_left = calls;
	finding_text(f, "one", "1");
	finding_number(f, "two", 2);
	finding_text(f, "three", "3");
}

static void evidence_without_memory_marks_the_finding(void)
{
	_cleanup_(finding_fini) struct finding f = { 0 };
	unsigned int i;

	for (i = 0; i <= 3; i++) {
		SUITE_ROW("%u", i);
		begin(&f, i);
		CU_ASSERT_EQUAL(f.no_memory, i < 3);
		CU_ASSERT_EQUAL(f.nevidence, i);
		CU_ASSERT_STRING_EQUAL(finding_evidence(&f, "one"), i ? "1" : "");
		CU_ASSERT_STRING_EQUAL(finding_evidence(&f, "three"), i == 3 ? "3" : "");
		CU_ASSERT_STRING_EQUAL(f.summary, "three");
		finding_fini(&f);
	}
}

/* Memory that is there again does not bring back what was lost. */
static void the_mark_stays_until_the_finding_is_filled_in_again(void)
{
	_cleanup_(finding_fini) struct finding f = { 0 };

	begin(&f, 1);
	calls_left = 100;
	finding_text(&f, "four", "4");
	CU_ASSERT_TRUE(f.no_memory);
	CU_ASSERT_EQUAL(f.nevidence, 2);
	begin(&f, 100);
	CU_ASSERT_FALSE(f.no_memory);
	CU_ASSERT_EQUAL(f.nevidence, 3);
}

static void a_marked_finding_has_no_record(void)
{
	_cleanup_(finding_fini) struct finding f = { 0 };
	uint8_t buf[1024];

	begin(&f, 2);
	CU_ASSERT_EQUAL(finding_encode(&f, buf, sizeof(buf)), -ENOMEM);
	ASSERT_CONTAINS(err_text(), "a.b");
}

static void a_copy_without_memory_is_marked(void)
{
	_cleanup_(finding_fini) struct finding f = { 0 }, copy = { 0 }, again = { 0 };

	begin(&f, 100);
	calls_left = 2;
	finding_copy(&copy, &f);
	CU_ASSERT_TRUE(copy.no_memory);
	CU_ASSERT_FALSE(f.no_memory);
	CU_ASSERT_EQUAL(copy.nevidence, 2);
	CU_ASSERT_EQUAL(f.nevidence, 3);
	/* so is the copy of it */
	calls_left = 100;
	finding_copy(&again, &copy);
	CU_ASSERT_TRUE(again.no_memory);
	finding_copy(&copy, &f);
	CU_ASSERT_FALSE(copy.no_memory);
	CU_ASSERT_EQUAL(copy.nevidence, 3);
}

static void a_record_without_memory_is_refused(void)
{
	_cleanup_(finding_fini) struct finding f = { 0 }, got = { 0 };
	uint8_t buf[1024];
	int len;

	begin(&f, 100);
	len = finding_encode(&f, buf, sizeof(buf));
	ASSERT_MORE_FATAL(len, 0);
	calls_left = 2;
	CU_ASSERT_EQUAL(finding_decode(&got, buf, (size_t)len), -ENOMEM);
	calls_left = 100;
	CU_ASSERT_EQUAL(finding_decode(&got, buf, (size_t)len), len);
	CU_ASSERT_FALSE(got.no_memory);
	CU_ASSERT_EQUAL(got.nevidence, 3);
}

SUITE_MAIN("finding-memory", TEST(evidence_without_memory_marks_the_finding),
	   TEST(the_mark_stays_until_the_finding_is_filled_in_again),
	   TEST(a_marked_finding_has_no_record), TEST(a_copy_without_memory_is_marked),
	   TEST(a_record_without_memory_is_refused))
