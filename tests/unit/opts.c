/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* An option string as a list: splitting, keeping, changing and formatting. Refused strings are in
 * tests/options/values.txt. */
#include "plugin/options/options.h"
#include "tests/unit/suite.h"

static struct opts *parse(const char *text)
{
	struct opts *opts = NULL;

	if (opts_parse(&opts, text)) {
		fprintf(stderr, "%s: %s\n", text, err_text());
		abort();
	}
	return opts;
}

static void assert_format(const struct opts *opts, const char *want)
{
	_cleanup_free_ char *text = NULL;

	CU_ASSERT_EQUAL_FATAL(opts_format(opts, &text), 0);
	CU_ASSERT_STRING_EQUAL(text, want);
}

static void lists_are_formatted_as_they_were_parsed(void)
{
	static const char *const texts[] = {
		"",
		"rw",
		"rw,soft,timeo=100",
		"a=,b=c=d,e",
		"context=\"system_u:object_r:nfs_t:s0:c1,c2\",soft",
		"foo=\"a b\",x-gvfs-name=My Disk,comment=one two",
		"x,x,y,x=1,x=2",
		"fr\xc3\xb6hlich",
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(texts); i++) {
		SUITE_ROW("%zu: %s", i, texts[i]);
		_cleanup_(opts_free_p) struct opts *opts = parse(texts[i]);

		assert_format(opts, texts[i]);
		CU_ASSERT_EQUAL(opts_trimmed(opts), 0);
	}
}

static void names_and_values_are_separate(void)
{
	_cleanup_(opts_free_p) struct opts *opts = parse("rw,port=20049,a=,b=c=d");
	struct opt opt = opts_at(opts, 0);

	CU_ASSERT_EQUAL(opts_count(opts), 4);
	CU_ASSERT_STRING_EQUAL(opt.name, "rw");
	CU_ASSERT_PTR_NULL(opt.value);
	opt = opts_at(opts, 1);
	CU_ASSERT_STRING_EQUAL(opt.value, "20049");
	opt = opts_at(opts, 2);
	CU_ASSERT_STRING_EQUAL(opt.value, "");
	opt = opts_at(opts, 3);
	CU_ASSERT_STRING_EQUAL(opt.value, "c=d");
}

static void no_text_is_an_empty_list(void)
{
	_cleanup_(opts_free_p) struct opts *opts = parse(NULL);

	CU_ASSERT_EQUAL(opts_count(opts), 0);
	assert_format(opts, "");
	opts_free(NULL);
}

static void surrounding_blanks_are_dropped_and_counted(void)
{
	_cleanup_(opts_free_p) struct opts *opts = parse(" a, b=1 ,\tc,d,  ,");

	assert_format(opts, "a,b=1,c,d");
	CU_ASSERT_EQUAL(opts_trimmed(opts), 4);
}

static void the_last_option_of_a_name_is_found(void)
{
	_cleanup_(opts_free_p) struct opts *opts = parse("soft,hard,soft,softer=1");

	CU_ASSERT_EQUAL(opts_find(opts, "soft"), 2);
	CU_ASSERT_EQUAL(opts_find(opts, "hard"), 1);
	CU_ASSERT_EQUAL(opts_find(opts, "softe"), -1);
	CU_ASSERT_EQUAL(opts_find(opts, "softer"), 3);
}

static void changes_keep_the_order_of_the_others(void)
{
	_cleanup_(opts_free_p) struct opts *opts = parse("a,b,c");

	CU_ASSERT_EQUAL(opts_replace(opts, 1, "proto", "rdma"), 0);
	assert_format(opts, "a,proto=rdma,c");
	CU_ASSERT_EQUAL(opts_insert(opts, 2, "port", "20049"), 0);
	assert_format(opts, "a,proto=rdma,port=20049,c");
	CU_ASSERT_EQUAL(opts_insert(opts, 0, "rw", NULL), 0);
	CU_ASSERT_EQUAL(opts_append(opts, "z", ""), 0);
	assert_format(opts, "rw,a,proto=rdma,port=20049,c,z=");
	opts_remove(opts, 5);
	opts_remove(opts, 0);
	opts_remove(opts, 1);
	assert_format(opts, "a,port=20049,c");
	CU_ASSERT_EQUAL(opts_replace(opts, 1, "port", NULL), 0);
	assert_format(opts, "a,port,c");
}

/* An option may be replaced by its own text. */
static void an_option_may_replace_itself(void)
{
	_cleanup_(opts_free_p) struct opts *opts = parse("a=1,b=2");
	struct opt opt = opts_at(opts, 1);

	CU_ASSERT_EQUAL(opts_replace(opts, 1, opt.name, opt.value), 0);
	assert_format(opts, "a=1,b=2");
}

static void strings_have_a_maximum_length(void)
{
	char *text = malloc(OPTS_TEXT_MAX + 2);
	struct opts *opts = NULL;

	memset(text, 'a', OPTS_TEXT_MAX + 1);
	text[OPTS_TEXT_MAX] = '\0';
	CU_ASSERT_EQUAL(opts_parse(&opts, text), 0);
	assert_format(opts, text);
	opts_free(take_ptr(opts));
	strcpy(text + OPTS_TEXT_MAX, "a");
	CU_ASSERT_EQUAL(opts_parse(&opts, text), -E2BIG);
	CU_ASSERT_PTR_NULL(opts);
	free(text);
}

static void options_have_a_maximum_number(void)
{
	char text[2 * (OPTS_COUNT_MAX + 1) + 1] = "";
	struct opts *opts = NULL;
	size_t i;

	for (i = 0; i < OPTS_COUNT_MAX; i++)
		strcat(text, "a,");
	CU_ASSERT_EQUAL(opts_parse(&opts, text), 0);
	CU_ASSERT_EQUAL(opts_count(opts), OPTS_COUNT_MAX);
	opts_free(take_ptr(opts));
	strcat(text, "a");
	CU_ASSERT_EQUAL(opts_parse(&opts, text), -E2BIG);
}

SUITE_MAIN("opts", TEST(lists_are_formatted_as_they_were_parsed),
	   TEST(names_and_values_are_separate), TEST(no_text_is_an_empty_list),
	   TEST(surrounding_blanks_are_dropped_and_counted),
	   TEST(the_last_option_of_a_name_is_found), TEST(changes_keep_the_order_of_the_others),
	   TEST(an_option_may_replace_itself), TEST(strings_have_a_maximum_length),
	   TEST(options_have_a_maximum_number))
