/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* rpcrdma/base/err.c */
#include <pthread.h>

#include "rpcrdma/base/base.h"
#include "tests/unit/suite.h"

static void errno_is_negated_and_text_kept(void)
{
	CU_ASSERT_EQUAL(err_set(EPROTO, "%u segments", 40u), -EPROTO);
	CU_ASSERT_STRING_EQUAL(err_text(), "40 segments");
	err_clear();
	CU_ASSERT_STRING_EQUAL(err_text(), "");
}

static void system_error_adds_its_text(void)
{
	errno = ENOENT;
	CU_ASSERT_EQUAL(err_sys("open %s", "/x"), -ENOENT);
	CU_ASSERT_STRING_EQUAL(err_text(), "open /x: No such file or directory");
	errno = 12345;
	CU_ASSERT_EQUAL(err_sys("open"), -12345);
	CU_ASSERT_STRING_EQUAL(err_text(), "open: unknown");
}

static void no_memory_has_one_sentence(void)
{
	err_because(err_set(EIO, "earlier"), "other");
	CU_ASSERT_EQUAL(err_no_memory(), -ENOMEM);
	CU_ASSERT_STRING_EQUAL(err_text(), "no memory");
	CU_ASSERT_STRING_EQUAL(err_reason(), "");
	err_context(err_no_memory(), "open %s", "/x");
	CU_ASSERT_STRING_EQUAL(err_text(), "open /x: no memory");
}

static void context_is_outermost_first(void)
{
	err_set(EPROTO, "no magic");
	CU_ASSERT_EQUAL(err_context(-5, "header"), -5);
	CU_ASSERT_EQUAL(err_context(-5, "probe of %s", "host"), -5);
	CU_ASSERT_STRING_EQUAL(err_text(), "probe of host: header: no magic");
}

static void a_reason_belongs_to_its_error(void)
{
	err_clear();
	CU_ASSERT_STRING_EQUAL(err_reason(), "");
	CU_ASSERT_EQUAL(err_because(err_set(ECONNREFUSED, "no"), "refused"), -ECONNREFUSED);
	CU_ASSERT_STRING_EQUAL(err_reason(), "refused");
	err_context(-ECONNREFUSED, "host");
	CU_ASSERT_STRING_EQUAL(err_reason(), "refused");
	err_set(EPROTO, "another");
	CU_ASSERT_STRING_EQUAL(err_reason(), "");
	errno = EIO;
	err_because(err_sys("read"), "word");
	err_clear();
	CU_ASSERT_STRING_EQUAL(err_reason(), "");
}

static void a_saved_error_is_restored(void)
{
	struct err_kept kept;

	err_keep(&kept, err_because(err_set(EPERM, "first"), "forbidden"));
	err_because(err_set(EIO, "second"), "other");
	CU_ASSERT_EQUAL(err_again(&kept), -EPERM);
	CU_ASSERT_STRING_EQUAL(err_text(), "first");
	CU_ASSERT_STRING_EQUAL(err_reason(), "forbidden");
}

static void last_error_may_be_an_argument_of_the_next(void)
{
	err_set(EIO, "inner");
	err_set(EPROTO, "outer: %s", err_text());
	CU_ASSERT_STRING_EQUAL(err_text(), "outer: inner");
	err_context(-EIO, "again (%s)", err_text());
	CU_ASSERT_STRING_EQUAL(err_text(), "again (outer: inner): outer: inner");
	errno = EIO;
	err_sys("%s", err_text());
	CU_ASSERT_STRING_EQUAL(err_text(),
			       "again (outer: inner): outer: inner: Input/output error");
}

static void long_text_is_truncated_and_context_kept(void)
{
	char line[2 * ERR_TEXT_MAX];

	memset(line, 'x', sizeof(line) - 1);
	line[sizeof(line) - 1] = '\0';
	err_set(EIO, "%s", line);
	CU_ASSERT_EQUAL(strlen(err_text()), ERR_TEXT_MAX - 1);
	err_context(-EIO, "outer");
	CU_ASSERT_EQUAL(strlen(err_text()), ERR_TEXT_MAX - 1);
	ASSERT_STARTS(err_text(), "outer: xxx");
	err_context(-EIO, "%s", line);
	CU_ASSERT_EQUAL(strlen(err_text()), ERR_TEXT_MAX - 1);
	CU_ASSERT_EQUAL(err_text()[0], 'x');
	errno = EIO;
	err_sys("%s", line);
	CU_ASSERT_EQUAL(strlen(err_text()), ERR_TEXT_MAX - 1);
}

/* Each length at which the separator or the NUL falls on the end of the slot. */
static void context_near_the_end_of_the_slot_is_intact(void)
{
	char line[ERR_TEXT_MAX + 8];
	size_t len;

	for (len = ERR_TEXT_MAX - 8; len < sizeof(line); len++) {
		SUITE_ROW("len %zu", len);
		memset(line, 'x', len);
		line[len] = '\0';
		err_set(EIO, "inner");
		err_context(-EIO, "%s", line);
		ASSERT_LESS(strlen(err_text()), ERR_TEXT_MAX);
		CU_ASSERT_EQUAL(strspn(err_text(), "x"),
				len < ERR_TEXT_MAX ? len : ERR_TEXT_MAX - 1);
	}
}

static void *other_thread(void *arg)
{
	(void)arg;
	err_set(EIO, "theirs");
	return NULL;
}

static void each_thread_has_its_own_text(void)
{
	pthread_t thread;

	err_set(EIO, "ours");
	CU_ASSERT_EQUAL(pthread_create(&thread, NULL, other_thread, NULL), 0);
	pthread_join(thread, NULL);
	CU_ASSERT_STRING_EQUAL(err_text(), "ours");
}

SUITE_MAIN("err", TEST(errno_is_negated_and_text_kept), TEST(system_error_adds_its_text),
	   TEST(no_memory_has_one_sentence), TEST(context_is_outermost_first),
	   TEST(a_reason_belongs_to_its_error), TEST(a_saved_error_is_restored),
	   TEST(last_error_may_be_an_argument_of_the_next),
	   TEST(long_text_is_truncated_and_context_kept),
	   TEST(context_near_the_end_of_the_slot_is_intact), TEST(each_thread_has_its_own_text))
