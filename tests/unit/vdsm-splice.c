/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Members set in a JSON text: the addition is there, and nothing else has changed. */
#include "hooks/vdsm/internal.h"
#include "hooks/vdsm/json.h"
#include "tests/unit/suite.h"

static struct splice splice;

static int open_text(const char *text)
{
	splice_fini(&splice);
	return splice_open(&splice, text, strlen(text));
}

static void text_is(const char *text)
{
	CU_ASSERT_STRING_EQUAL(splice.text, text);
	CU_ASSERT_EQUAL(splice.len, strlen(text));
}

struct row {
	const char *before, *after;
};

static void a_word_is_added_to_a_list_once(void)
{
	static const struct row rows[] = {
		{ "{}", "{\"f\": [\"W\"]}" },
		{ " { } \n", " {\"f\": [\"W\"] } \n" },
		{ "{\"a\": 1}", "{\"a\": 1, \"f\": [\"W\"]}" },
		{ "{\"a\": 1 }\n", "{\"a\": 1, \"f\": [\"W\"] }\n" },
		{ "{\"f\": []}", "{\"f\": [\"W\"]}" },
		{ "{\"f\": [ ] }", "{\"f\": [\"W\" ] }" },
		{ "{\"f\": [\"x\"], \"z\": 2}", "{\"f\": [\"x\", \"W\"], \"z\": 2}" },
		{ "{\"f\":[\"x\",[1,{}] ],\"z\":2}",
		  "{\"f\":[\"x\",[1,{}], \"W\" ],\"z\":2}" },
		{ "{\"f\": [\"]\", \"}\\\"\"]}", "{\"f\": [\"]\", \"}\\\"\", \"W\"]}" },
		/* It exists, however it is escaped. */
		{ "{\"f\": [\"W\", \"x\"]}", "{\"f\": [\"W\", \"x\"]}" },
		{ "{\"f\": [\"\\u0057\"]}", "{\"f\": [\"\\u0057\"]}" },
		/* So is the name. */
		{ "{\"\\u0066\": [\"x\"]}", "{\"\\u0066\": [\"x\", \"W\"]}" },
		/* Of two members the last applies, as for Python. */
		{ "{\"f\": [\"W\"], \"f\": [\"x\"]}",
		  "{\"f\": [\"W\"], \"f\": [\"x\", \"W\"]}" },
		/* Members of other objects do not count. */
		{ "{\"a\": {\"f\": [1]}, \"b\": [{\"f\": []}]}",
		  "{\"a\": {\"f\": [1]}, \"b\": [{\"f\": []}], \"f\": [\"W\"]}" },
		{ "{\"ff\": [], \"xf\": [], \"\": []}",
		  "{\"ff\": [], \"xf\": [], \"\": [], \"f\": [\"W\"]}" },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		SUITE_ROW("%zu: %s", i, rows[i].before);
		CU_ASSERT_EQUAL_FATAL(open_text(rows[i].before), 0);
		CU_ASSERT_EQUAL(splice_list(&splice, "f", "W"), 0);
		text_is(rows[i].after);
		CU_ASSERT_EQUAL(splice_list(&splice, "f", "W"), 0);
		text_is(rows[i].after);
	}
	splice_fini(&splice);
}

static void a_member_that_is_not_a_list_is_kept(void)
{
	static const char *const rows[] = { "null", "\"W\"", "{\"W\": 1}", "7", "true" };
	char text[64];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		SUITE_ROW("%zu: %s", i, rows[i]);
		snprintf(text, sizeof(text), "{\"f\": %s}", rows[i]);
		CU_ASSERT_EQUAL_FATAL(open_text(text), 0);
		CU_ASSERT_EQUAL(splice_list(&splice, "f", "W"), -EBADMSG);
		CU_ASSERT_STRING_EQUAL(err_text(), "\"f\" is not a list");
		text_is(text);
	}
	splice_fini(&splice);
}

static void a_member_is_set_in_place_or_appended(void)
{
	static const struct row rows[] = {
		{ "{}", "{\"m\": {\"v\": 1}}" },
		{ "{\"a\": []}", "{\"a\": [], \"m\": {\"v\": 1}}" },
		{ "{\"m\": 0, \"a\": \"m\"}", "{\"m\": {\"v\": 1}, \"a\": \"m\"}" },
		{ "{\"m\" : {\"m\": [1, 2]} }", "{\"m\" : {\"v\": 1} }" },
		{ "{\"m\":null}", "{\"m\":{\"v\": 1}}" },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		SUITE_ROW("%zu: %s", i, rows[i].before);
		CU_ASSERT_EQUAL_FATAL(open_text(rows[i].before), 0);
		CU_ASSERT_EQUAL(splice_set(&splice, "m", "{\"v\": 1}"), 0);
		text_is(rows[i].after);
		CU_ASSERT_EQUAL(splice_set(&splice, "m", "{\"v\": 1}"), 0);
		text_is(rows[i].after);
	}
	splice_fini(&splice);
}

/* Text that json-c would not print as it read it, and Python output that is not valid JSON. */
static void other_values_stay_byte_for_byte(void)
{
	static const char values[] =
		"\"a\": 123456789012345678901234567890, \"b\": -9223372036854775809, "
		"\"c\": 0.1, \"d\": 1e400, \"e\": 1.0, \"f\": 1E+2, \"g\": -0.0, \"h\": NaN, "
		"\"i\": Infinity, \"j\": -Infinity, \"k\": 3.14159265358979323846264338, "
		"\"l\": \"\\u00e9\\/\\ud83d\\ude00\\ud800\", \"m\": \"\\u0000\", "
		"\"z\": 18446744073709551616, \"y\": {\"b\": 1, \"a\": 1, \"b\": 2}";
	char before[512], after[600];

	snprintf(before, sizeof(before), "{%s}", values);
	snprintf(after, sizeof(after), "{%s, \"n\": [], \"o\": [\"W\"]}", values);
	CU_ASSERT_EQUAL_FATAL(open_text(before), 0);
	CU_ASSERT_EQUAL(splice_set(&splice, "n", "[]"), 0);
	CU_ASSERT_EQUAL(splice_list(&splice, "o", "W"), 0);
	text_is(after);
	splice_fini(&splice);
}

static void text_that_is_not_an_object_is_refused(void)
{
	static const char *const rows[] = {
		"",
		" ",
		"[]",
		"null",
		"7",
		"\"x\"",
		"{",
		"{\"a\"",
		"{\"a\":",
		"{\"a\": 1",
		"{\"a\":1,}",
		"{} {}",
		"{}x",
		"{'a': 1}",
		"{a: 1}",
		"notjson",
		"{\"a\": 1}}",
		"{/**/}",
		"{\"a\" 1}",
		"\xef\xbb\xbf{}",
		"{\"a\": \"\xff\"}",
		"{\"a\": \"\n",
		"{\"a\": [}",
		"{\"a\": tru}",
		"{\"a\": {'b': 1}}",
		"{\"a\": {'\"': 1}}",
		"{\"a\": '\"'}",
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		SUITE_ROW("%zu: %s", i, rows[i]);
		CU_ASSERT_EQUAL(open_text(rows[i]), -EBADMSG);
	}
	CU_ASSERT_EQUAL(splice_open(&splice, "{}\0{}", 5), -EBADMSG);
	splice_fini(&splice);
}

static void depth_is_bounded(void)
{
	char text[4 * JSON_DEPTH_MAX + 16];
	size_t depth, i, at;

	for (depth = JSON_DEPTH_MAX / 2; depth < 2 * JSON_DEPTH_MAX; depth++) {
		SUITE_ROW("depth %zu", depth);
		at = (size_t)sprintf(text, "{\"a\": ");
		for (i = 0; i < depth; i++)
			text[at++] = '[';
		for (i = 0; i < depth; i++)
			text[at++] = ']';
		strcpy(text + at, "}");
		if (open_text(text))
			break;
		CU_ASSERT_EQUAL(splice_set(&splice, "b", "1"), 0);
	}
	ASSERT_AT_LEAST(depth, JSON_DEPTH_MAX - 2);
	ASSERT_AT_MOST(depth, JSON_DEPTH_MAX);
	splice_fini(&splice);
}

static void the_new_value_must_be_json(void)
{
	CU_ASSERT_EQUAL_FATAL(open_text("{\"a\": 1}"), 0);
	CU_ASSERT_EQUAL(splice_set(&splice, "m", "{"), -EBADMSG);
	CU_ASSERT_EQUAL(splice_set(&splice, "m", "1, \"a\": 2}, {"), -EBADMSG);
	text_is("{\"a\": 1}");
	/* The text is valid JSON, but lacks the new member. */
	CU_ASSERT_EQUAL(splice_set(&splice, "m\": 1, \"n", "2"), -EBADMSG);
	ASSERT_CONTAINS(err_text(), "was added but is missing");
	text_is("{\"a\": 1}");
	splice_fini(&splice);
}

SUITE_MAIN("vdsm-splice", TEST(a_word_is_added_to_a_list_once),
	   TEST(a_member_that_is_not_a_list_is_kept),
	   TEST(a_member_is_set_in_place_or_appended),
	   TEST(other_values_stay_byte_for_byte),
	   TEST(text_that_is_not_an_object_is_refused), TEST(depth_is_bounded),
	   TEST(the_new_value_must_be_json))
