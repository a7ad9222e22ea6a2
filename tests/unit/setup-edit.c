/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Changes in files of others: one line changes, the rest stays. */
#include "plugin/setup/internal.h"
#include "tests/unit/suite.h"

static void expect_set(const char *text, const char *value, const char *want)
{
	char *got = edit_set(text, "nfsd", "rdma", value), *again;

	CU_ASSERT_PTR_NOT_NULL_FATAL(got);
	CU_ASSERT_STRING_EQUAL(got, want);
	again = edit_set(got, "nfsd", "rdma", value);
	CU_ASSERT_STRING_EQUAL(again, want);
	free(again);
	free(got);
}

static void a_comment_becomes_the_setting(void)
{
	expect_set("[nfsd]\n# threads=8\n# rdma=n\n# rdma-port=20049\n[x]\n", "y",
		   "[nfsd]\n# threads=8\nrdma=y\n# rdma-port=20049\n[x]\n");
	expect_set("[nfsd]\n;Rdma = n\n", "y", "[nfsd]\nrdma=y\n");
}

static void the_line_that_applies_is_replaced(void)
{
	expect_set("[ NFSD ]\n rdma = n\nrdma=no\n# rdma=n\n", "y",
		   "[ NFSD ]\n rdma = n\nrdma=y\n# rdma=n\n");
	expect_set("[nfsd]\nrdma=n \\\n more\nthreads=4\n", "y", "[nfsd]\nrdma=y\nthreads=4\n");
}

static void other_sections_are_not_touched(void)
{
	expect_set("[mountd]\nrdma=n\n[nfsd \"x\"]\nrdma=n\n", "y",
		   "[mountd]\nrdma=n\n[nfsd \"x\"]\nrdma=n\n\n[nfsd]\nrdma=y\n");
	expect_set("[nfsd]\n[nfsd \"x]\nrdma=n\n[nfsd\nrdma=n\n", "y",
		   "[nfsd]\n[nfsd \"x]\nrdma=y\n[nfsd\nrdma=n\n");
	expect_set("[nfsd]\nthreads=8\n\n[mountd]\n# rdma=n\n", "y",
		   "[nfsd]\nthreads=8\nrdma=y\n\n[mountd]\n# rdma=n\n");
}

static void an_empty_text_gets_a_section(void)
{
	expect_set(NULL, "y", "[nfsd]\nrdma=y\n");
	expect_set("", "y", "[nfsd]\nrdma=y\n");
}

static void a_last_line_without_newline_gets_one(void)
{
	expect_set("[nfsd]\nthreads=8", "y", "[nfsd]\nthreads=8\nrdma=y\n");
	expect_set("[nfsd]", "y", "[nfsd]\nrdma=y\n");
	expect_set("[nfsd]\nrdma=n", "y", "[nfsd]\nrdma=y\n");
	expect_set("[a]\nx=1", "y", "[a]\nx=1\n\n[nfsd]\nrdma=y\n");
}

static void similar_keys_are_left_alone(void)
{
	expect_set("[nfsd]\nrdma-port=1\nxrdma=1\n", "y", "[nfsd]\nrdma-port=1\nxrdma=1\nrdma=y\n");
}

static void expect_uncomment(const char *text, const char *want)
{
	bool found;
	char *got = edit_uncomment(text, "xprtrdma", &found);

	CU_ASSERT_EQUAL(found, want != NULL);
	if (want)
		CU_ASSERT_STRING_EQUAL(got, want);
	free(got);
}

static void one_word_of_a_list_is_uncommented(void)
{
	expect_uncomment("# NFS over RDMA client support\n# xprtrdma\n# svcrdma\n",
			 "# NFS over RDMA client support\nxprtrdma\n# svcrdma\n");
	expect_uncomment("#xprtrdma", "xprtrdma\n");
	expect_uncomment("a\n  #\txprtrdma \nb\n", "a\nxprtrdma\nb\n");
}

static void a_sentence_is_not_a_module(void)
{
	expect_uncomment("# xprtrdma is loaded by udev\n", NULL);
	expect_uncomment("xprtrdma\n", NULL);
	expect_uncomment("# xprtrdma2\n", NULL);
	expect_uncomment("", NULL);
}

static void appended_text_starts_a_new_line(void)
{
	char *got = edit_append(NULL, "rpcrdma");

	CU_ASSERT_STRING_EQUAL(got, SETUP_HEADER "rpcrdma\n");
	free(got);
	got = edit_append("a", "b");
	CU_ASSERT_STRING_EQUAL(got, "a\nb\n");
	free(got);
}

SUITE_MAIN("setup-edit", TEST(a_comment_becomes_the_setting),
	   TEST(the_line_that_applies_is_replaced), TEST(other_sections_are_not_touched),
	   TEST(an_empty_text_gets_a_section), TEST(a_last_line_without_newline_gets_one),
	   TEST(similar_keys_are_left_alone), TEST(one_word_of_a_list_is_uncommented),
	   TEST(a_sentence_is_not_a_module), TEST(appended_text_starts_a_new_line))
