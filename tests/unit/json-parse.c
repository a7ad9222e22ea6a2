/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* JSON that others wrote: what is accepted, and as what; the same with every release of json-c. */
#include "plugin/host/json.h"
#include "rpcrdma/base/base.h"
#include "suite.h"

static struct json_object *json;

static int parse(const char *text)
{
	json_object_put(json);
	return json_parse(text, strlen(text), JSON_UTF8, &json);
}

static void texts_of_the_grammar_are_accepted(void)
{
	static const char *const rows[][2] = {
		{ "{}", "{}" },
		{ " { \"a\" : [ ] ,\t\"b\":{\"c\": null} }\r\n", "{\"a\":[],\"b\":{\"c\":null}}" },
		{ "[1, -2, 0, -0, 1e3, 0.5, 1.5E-2]", "[1,-2,0,0,1e3,0.5,1.5E-2]" },
		{ "[true, false, null]", "[true,false,null]" },
		/* Python's json writes and reads these. */
		{ "[NaN, Infinity, -Infinity]", "[NaN,Infinity,-Infinity]" },
		{ "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"", "\"\\\"\\\\/\\b\\f\\n\\r\\t\"" },
		{ "{\"a\": 1, \"a\": 2}", "{\"a\":2}" },
		{ "{\"\": \"\"}", "{\"\":\"\"}" },
		{ "\"'\"", "\"'\"" },
		{ "\"/* no comment */ // none\"", "\"/* no comment */ // none\"" },
		{ "7", "7" },
		{ "null", "null" },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		SUITE_ROW("%zu: %s", i, rows[i][0]);
		CU_ASSERT_EQUAL_FATAL(parse(rows[i][0]), 0);
		CU_ASSERT_STRING_EQUAL(
			json_object_to_json_string_ext(
				json, JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE),
			rows[i][1]);
	}
}

static void characters_beyond_ascii_are_kept(void)
{
	static const char *const rows[][2] = {
		{ "\"\xc3\xa9\"", "\xc3\xa9" },
		{ "\"\xe2\x82\xac\xf0\x9f\x90\xa7\"", "\xe2\x82\xac\xf0\x9f\x90\xa7" },
		{ "\"\xf4\x8f\xbf\xbf\"", "\xf4\x8f\xbf\xbf" },
		{ "\"\x7f\"", "\x7f" },
		{ "\"\\u00e9\\u20AC\"", "\xc3\xa9\xe2\x82\xac" },
		{ "\"\\ud83d\\udc27\"", "\xf0\x9f\x90\xa7" },
	};
	struct json_object *value = NULL;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		SUITE_ROW("%zu: %s", i, rows[i][0]);
		CU_ASSERT_EQUAL_FATAL(parse(rows[i][0]), 0);
		CU_ASSERT_STRING_EQUAL(json_object_get_string(json), rows[i][1]);
	}
	CU_ASSERT_EQUAL_FATAL(parse("{\"\xc3\xa9\": \"\xc3\xa9\"}"), 0);
	CU_ASSERT(json_object_object_get_ex(json, "\xc3\xa9", &value));
	CU_ASSERT_STRING_EQUAL(json_object_get_string(value), "\xc3\xa9");
}

static void what_is_no_utf8_is_refused(void)
{
	static const char *const rows[] = {
		"\"\xc3\"",
		"\"\xc3(\"",
		"\"\xa9\"",
		"\"\xff\"",
		"\"\xc0\xaf\"",
		"\"\xe0\x80\xaf\"",
		"\"\xed\xa0\x80\"",
		"\"\xf0\x9f\"",
		"\"\xf4\x90\x80\x80\"",
		"{\"\xe9\": 1}",
		"[\"a\", \"b\xe2\x82\"]",
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		SUITE_ROW("%zu", i);
		CU_ASSERT_EQUAL(parse(rows[i]), -EBADMSG);
		CU_ASSERT_PTR_NULL(json);
		CU_ASSERT_PTR_NOT_NULL(strstr(err_text(), "not UTF-8 at byte "));
	}
}

static void bytes_of_files_are_kept(void)
{
	static const char *const rows[] = { "a\xe9\n", "\xc0\xaf", "\xff" };
	_cleanup_(json_put_p) struct json_object *string = NULL;
	const char *text;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		SUITE_ROW("%zu", i);
		json_object_put(string);
		string = json_object_new_string(rows[i]);
		text = json_object_to_json_string(string);
		json_object_put(json);
		CU_ASSERT_EQUAL_FATAL(json_parse(text, strlen(text), JSON_BYTES, &json), 0);
		CU_ASSERT_STRING_EQUAL(json_object_get_string(json), rows[i]);
		CU_ASSERT_EQUAL(parse(text), -EBADMSG);
	}
}

static void other_texts_are_refused(void)
{
	static const char *const rows[][2] = {
		{ "", "it is truncated at byte 0" },
		{ " ", "it is truncated at byte 1" },
		{ "{\"a\": 1", "it is truncated at byte 7" },
		{ "[1,", "it is truncated at byte 3" },
		{ "\"a", "it is truncated at byte 2" },
		{ "\"\\u00", "it is truncated at byte 5" },
		{ "{} x", "unexpected character at byte 3" },
		{ "{}{}", "unexpected character at byte 2" },
		{ "1 2", "unexpected character at byte 2" },
		{ "{}\xc3\xa9", "unexpected character at byte 2" },
		{ "\xef\xbb\xbf{}", "unexpected character at byte 0" },
		{ "[1,]", "unexpected character at byte 3" },
		{ "{\"a\": 1,}", "unexpected character at byte 8" },
		{ "[,1]", "unexpected character at byte 1" },
		{ "[1 2]", "unexpected character at byte 3" },
		{ "{\"a\" 1}", "unexpected character at byte 5" },
		{ "{a: 1}", "unexpected character at byte 1" },
		{ "{'a': 1}", "unexpected character at byte 1" },
		{ "['a']", "unexpected character at byte 1" },
		{ "{1: 1}", "unexpected character at byte 1" },
		{ "[}", "unexpected character at byte 1" },
		{ "/* a */ {}", "unexpected character at byte 0" },
		{ "{} // a", "unexpected character at byte 3" },
		{ "TRUE", "unexpected character at byte 0" },
		{ "nan", "unexpected character at byte 0" },
		{ "nulls", "unexpected character at byte 4" },
		{ "+1", "unexpected character at byte 0" },
		{ "01", "unexpected character at byte 1" },
		{ "-a", "unexpected character at byte 1" },
		{ ".5", "unexpected character at byte 0" },
		{ "1.x", "unexpected character at byte 2" },
		{ "1e", "it is truncated at byte 2" },
		{ "0x10", "unexpected character at byte 1" },
		{ "\"\t\"", "unexpected character at byte 1" },
		{ "\"a\nb\"", "unexpected character at byte 2" },
		{ "\"\\a\"", "unexpected character at byte 2" },
		{ "\"\\u00g0\"", "unexpected character at byte 5" },
		{ "\v{}", "unexpected character at byte 0" },
	};
	char want[80];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		SUITE_ROW("%zu: %s", i, rows[i][0]);
		CU_ASSERT_EQUAL(parse(rows[i][0]), -EBADMSG);
		CU_ASSERT_PTR_NULL(json);
		snprintf(want, sizeof(want), "not JSON: %s", rows[i][1]);
		CU_ASSERT_STRING_EQUAL(err_text(), want);
	}
	json_object_put(json);
	CU_ASSERT_EQUAL(json_parse("{\0}", 3, JSON_UTF8, &json), -EBADMSG);
	CU_ASSERT_EQUAL(json_parse("{}\0", 3, JSON_UTF8, &json), -EBADMSG);
}

/* 0.18 refuses them where it is strict. */
static void integers_beyond_64_bits_are_the_nearest(void)
{
	static const struct {
		const char *text;
		uint64_t value;
	} rows[] = {
		{ "9223372036854775807", INT64_MAX },
		{ "9223372036854775808", (uint64_t)INT64_MAX + 1 },
		{ "18446744073709551615", UINT64_MAX },
		{ "18446744073709551616", UINT64_MAX },
		{ "123456789012345678901234567890", UINT64_MAX },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		SUITE_ROW("%zu: %s", i, rows[i].text);
		CU_ASSERT_EQUAL_FATAL(parse(rows[i].text), 0);
		CU_ASSERT_EQUAL(json_object_get_uint64(json), rows[i].value);
	}
	CU_ASSERT_EQUAL_FATAL(parse("-99999999999999999999"), 0);
	CU_ASSERT_EQUAL(json_object_get_int64(json), INT64_MIN);
}

static void nested(char text[4 * JSON_DEPTH_MAX], size_t depth)
{
	memset(text, '[', depth);
	memset(text + depth, ']', depth);
	text[2 * depth] = '\0';
}

static void depth_is_bounded(void)
{
	char text[4 * JSON_DEPTH_MAX];

	nested(text, JSON_DEPTH_MAX);
	CU_ASSERT_EQUAL(parse(text), 0);
	nested(text, JSON_DEPTH_MAX + 1);
	CU_ASSERT_EQUAL(parse(text), -EBADMSG);
	CU_ASSERT_STRING_EQUAL(err_text(), "not JSON: nested too deep at byte 65");
}

static void what_is_behind_the_length_is_not_read(void)
{
	json_object_put(json);
	CU_ASSERT_EQUAL(json_parse("12", 1, JSON_UTF8, &json), 0);
	CU_ASSERT_EQUAL(json_object_get_int(json), 1);
	json_object_put(json);
	CU_ASSERT_EQUAL(json_parse("\"a\"", 2, JSON_UTF8, &json), -EBADMSG);
}

static void an_object_is_required(void)
{
	static const char *const rows[] = { "[]", "1", "null", "\"a\"" };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		SUITE_ROW("%zu: %s", i, rows[i]);
		json_object_put(json);
		CU_ASSERT_EQUAL(json_parse_object(rows[i], strlen(rows[i]), JSON_UTF8, &json),
				-EBADMSG);
		CU_ASSERT_PTR_NULL(json);
		CU_ASSERT_STRING_EQUAL(err_text(), "JSON, but not an object");
	}
	CU_ASSERT_EQUAL(json_parse_object("{}", 2, JSON_UTF8, &json), 0);
	json_object_put(json);
}

SUITE_MAIN("json-parse", TEST(texts_of_the_grammar_are_accepted),
	   TEST(characters_beyond_ascii_are_kept), TEST(what_is_no_utf8_is_refused),
	   TEST(bytes_of_files_are_kept), TEST(other_texts_are_refused),
	   TEST(integers_beyond_64_bits_are_the_nearest), TEST(depth_is_bounded),
	   TEST(what_is_behind_the_length_is_not_read), TEST(an_object_is_required))
