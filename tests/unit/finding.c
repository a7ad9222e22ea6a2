/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* rpcrdma/base/finding.c: texts from any source are printable, and parsing a record survives any
 * bytes. */
#include <math.h>

#include "rpcrdma/base/finding.h"
#include "tests/unit/suite.h"

static struct finding sample(void)
{
	struct finding f = { 0 };

	finding_init(&f, "probe.read.write-chunk", FINDING_FAIL, "%u of %u bytes", 812, 4096);
	finding_reason(&f, "refused");
	finding_text(&f, "server", "host %d", 1);
	finding_number(&f, "size", 4096);
	return f;
}

static void every_status_has_a_word(void)
{
	CU_ASSERT_STRING_EQUAL(finding_status_name(FINDING_PASS), "pass");
	CU_ASSERT_STRING_EQUAL(finding_status_name(FINDING_UNKNOWN), "unknown");
	CU_ASSERT_STRING_EQUAL(finding_status_name((enum finding_status)77), "unknown");
}

static void texts_are_formatted_and_truncated(void)
{
	char line[4096];
	_cleanup_(finding_fini) struct finding f = { 0 };

	memset(line, 'x', sizeof(line) - 1);
	line[sizeof(line) - 1] = '\0';
	finding_init(&f, "a.b", FINDING_WARN, "%s", line);
	CU_ASSERT_EQUAL(strlen(f.summary), FINDING_SUMMARY_MAX - 1);
	finding_text(&f, line, "%s", line);
	CU_ASSERT_EQUAL(f.nevidence, 1);
	CU_ASSERT_EQUAL(strlen(f.evidence[0].key), FINDING_KEY_MAX - 1);
	CU_ASSERT_EQUAL(strlen(f.evidence[0].value), FINDING_VALUE_MAX - 1);
}

static void unprintable_bytes_become_question_marks(void)
{
	static const struct {
		const char *in, *out;
	} cases[] = {
		{ "tab\tnewline\n", "tab?newline?" },
		{ "\x1b[2J\x7f", "?[2J?" },
		{ "h\xc3\xb4te \xf0\x9f\x92\xbe", "h\xc3\xb4te \xf0\x9f\x92\xbe" },
		{ "\xe9t\xe9", "?t?" }, /* Latin-1 */
		{ "\xc2\x9b"
		  "2J",
		  "??2J" },                     /* CSI in eight bits */
		{ "\xc0\xaf", "??" },           /* overlong slash */
		{ "\xed\xa0\x80", "???" },      /* half a surrogate pair */
		{ "\xf4\x90\x80\x80", "????" }, /* over U+10FFFF */
		{ "\xff\xfe", "??" },
		{ "cut \xe2\x82", "cut ??" },
	};
	_cleanup_(finding_fini) struct finding f = { 0 };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		SUITE_ROW("%zu: %s", i, cases[i].in);
		finding_init(&f, "a.b", FINDING_PASS, "%s", cases[i].in);
		CU_ASSERT_STRING_EQUAL(f.summary, cases[i].out);
		finding_text(&f, "k", "%s", cases[i].in);
		CU_ASSERT_STRING_EQUAL(f.evidence[0].value, cases[i].out);
	}
}

static void numbers_are_json_numbers(void)
{
	static const struct {
		double in;
		const char *out;
		bool is_number;
	} cases[] = {
		{ 0, "0", true },
		{ 262144, "262144", true },
		{ 0.125, "0.125", true },
		{ -1.5, "-1.5", true },
		{ 1e300, "1e+300", true },
		{ INFINITY, "inf", false },
		{ 4294967296.0, "4294967296", true },
	};
	_cleanup_(finding_fini) struct finding f = { 0 };
	size_t i;

	finding_init(&f, "a.b", FINDING_PASS, "numbers");
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		SUITE_ROW("%zu: %s", i, cases[i].out);
		finding_number(&f, "n", cases[i].in);
		CU_ASSERT_STRING_EQUAL(f.evidence[i].value, cases[i].out);
		CU_ASSERT_EQUAL(f.evidence[i].is_number, cases[i].is_number);
	}
	finding_number(&f, "nan", NAN);
	CU_ASSERT_FALSE(f.evidence[i].is_number);
}

static void evidence_beyond_the_bound_is_dropped(void)
{
	_cleanup_(finding_fini) struct finding f = sample();
	int i;

	for (i = 0; i < 100; i++)
		finding_number(&f, "n", i);
	finding_text(&f, "k", "v");
	CU_ASSERT_EQUAL(f.nevidence, FINDING_EVIDENCE_MAX);
}

/* Growing moves the evidence. */
static void evidence_may_repeat_texts_of_its_finding(void)
{
	_cleanup_(finding_fini) struct finding f = sample();
	char key[16];
	int i;

	for (i = 0; i < 20; i++) {
		snprintf(key, sizeof(key), "again_%d", i);
		finding_text(&f, f.evidence[0].key, "%s %s", finding_evidence(&f, "server"), key);
		CU_ASSERT_STRING_EQUAL(f.evidence[2 + i].key, "server");
		ASSERT_CONTAINS(f.evidence[2 + i].value, key);
		ASSERT_STARTS(f.evidence[2 + i].value, "host 1 again_");
	}
}

static void assert_same(const struct finding *a, const struct finding *b)
{
	unsigned int i;

	CU_ASSERT_EQUAL(a->status, b->status);
	CU_ASSERT_STRING_EQUAL(a->id, b->id);
	CU_ASSERT_STRING_EQUAL(a->reason, b->reason);
	CU_ASSERT_STRING_EQUAL(a->summary, b->summary);
	CU_ASSERT_EQUAL(a->nevidence, b->nevidence);
	for (i = 0; i < a->nevidence; i++) {
		SUITE_ROW("%u", i);
		CU_ASSERT_EQUAL(a->evidence[i].is_number, b->evidence[i].is_number);
		CU_ASSERT_STRING_EQUAL(a->evidence[i].key, b->evidence[i].key);
		CU_ASSERT_STRING_EQUAL(a->evidence[i].value, b->evidence[i].value);
	}
}

static void record_survives_the_round_trip(void)
{
	_cleanup_(finding_fini) struct finding f = sample();
	uint8_t buf[1024];
	_cleanup_(finding_fini) struct finding got = { 0 };
	int len;

	len = finding_encode(&f, buf, sizeof(buf));
	ASSERT_MORE_FATAL(len, 0);
	/* followed by the next one */
	CU_ASSERT_EQUAL(finding_decode(&got, buf, sizeof(buf)), len);
	assert_same(&f, &got);
}

static void a_copy_has_its_own_evidence(void)
{
	_cleanup_(finding_fini) struct finding copy = { 0 }, same = sample();
	struct finding f = sample();

	finding_copy(&copy, &f);
	assert_same(&f, &copy);
	CU_ASSERT_PTR_NOT_EQUAL(f.evidence, copy.evidence);
	finding_text(&f, "more", "text");
	strcpy(f.evidence[0].value, "changed");
	finding_fini(&f);
	assert_same(&same, &copy);
	/* into one that has some, and of one without */
	finding_init(&f, "a.b", FINDING_PASS, "none");
	finding_copy(&copy, &f);
	assert_same(&f, &copy);
	CU_ASSERT_EQUAL(copy.nevidence, 0);
	finding_text(&copy, "k", "v");
	CU_ASSERT_EQUAL(f.nevidence, 0);
}

static void a_finding_can_be_filled_in_again(void)
{
	_cleanup_(finding_fini) struct finding f = sample(), got = sample();
	uint8_t buf[1024];
	int len;

	finding_init(&f, "a.b", FINDING_PASS, "other");
	CU_ASSERT_EQUAL(f.nevidence, 0);
	CU_ASSERT_STRING_EQUAL(finding_evidence(&f, "server"), "");
	finding_text(&f, "k", "v");
	CU_ASSERT_EQUAL(f.nevidence, 1);
	CU_ASSERT_STRING_EQUAL(finding_evidence(&f, "k"), "v");
	len = finding_encode(&f, buf, sizeof(buf));
	CU_ASSERT_EQUAL(finding_decode(&got, buf, sizeof(buf)), len);
	assert_same(&f, &got);
	/* and after its end, as after a record that was refused */
	buf[len - 1] = '\n';
	CU_ASSERT_EQUAL(finding_decode(&got, buf, sizeof(buf)), -EPROTO);
	finding_fini(&got);
	finding_fini(&got);
	CU_ASSERT_EQUAL(got.nevidence, 0);
	finding_copy(&got, &f);
	assert_same(&f, &got);
}

/* Any text that finding_text() accepted: a server's file name must not break the report. */
static void fullest_finding_fits_the_bound(void)
{
	static uint8_t buf[FINDING_RECORD_MAX];
	char line[FINDING_SUMMARY_MAX];
	_cleanup_(finding_fini) struct finding f = { 0 };
	_cleanup_(finding_fini) struct finding got = { 0 };
	int i, len;

	for (i = 0; i < (int)sizeof(line) - 1; i++)
		line[i] = (char)(1 + i % 255);
	line[i] = '\0';
	finding_init(&f, "a.b", FINDING_PASS, "%s", line);
	for (i = 0; i < FINDING_EVIDENCE_MAX; i++)
		finding_text(&f, line, "%s", line);
	len = finding_encode(&f, buf, sizeof(buf));
	ASSERT_MORE_FATAL(len, 0);
	CU_ASSERT_EQUAL(finding_decode(&got, buf, (size_t)len), len);
	assert_same(&f, &got);
}

static void record_that_does_not_fit_is_refused(void)
{
	_cleanup_(finding_fini) struct finding f = sample();
	uint8_t buf[1024];
	int full, cap;

	full = finding_encode(&f, buf, sizeof(buf));
	for (cap = 0; cap < full; cap++) {
		SUITE_ROW("cap %d", cap);
		buf[cap] = 0xaa;
		CU_ASSERT_EQUAL(finding_encode(&f, buf, (size_t)cap), -ENOSPC);
		CU_ASSERT_EQUAL(buf[cap], 0xaa);
	}
	CU_ASSERT_EQUAL(finding_encode(&f, buf, (size_t)full), full);
}

static int decode_exact(struct finding *f, const uint8_t *bytes, size_t len)
{
	_cleanup_free_ uint8_t *exact = malloc(len ? len : 1);

	memcpy(exact, bytes, len);
	return finding_decode(f, exact, len);
}

static void a_partial_record_needs_more_bytes(void)
{
	_cleanup_(finding_fini) struct finding f = sample();
	uint8_t buf[1024];
	_cleanup_(finding_fini) struct finding got = { 0 };
	int full, len;

	full = finding_encode(&f, buf, sizeof(buf));
	for (len = 0; len < full; len++) {
		SUITE_ROW("len %d", len);
		CU_ASSERT_EQUAL(decode_exact(&got, buf, (size_t)len), 0);
	}
	CU_ASSERT_EQUAL(decode_exact(&got, buf, (size_t)full), full);
}

/* The length claims a complete record, but a text in it contradicts that. */
static void record_with_a_wrong_length_is_refused(void)
{
	_cleanup_(finding_fini) struct finding f = sample();
	uint8_t buf[1024];
	_cleanup_(finding_fini) struct finding got = { 0 };
	int full, len;

	full = finding_encode(&f, buf, sizeof(buf));
	for (len = 4; len < full; len++) {
		SUITE_ROW("len %d", len);
		put_be32(buf, (uint32_t)len - 4);
		CU_ASSERT_EQUAL(decode_exact(&got, buf, (size_t)len), -EPROTO);
	}
	put_be32(buf, (uint32_t)full - 3);
	CU_ASSERT_EQUAL(decode_exact(&got, buf, (size_t)full + 1), -EPROTO);
	put_be32(buf, FINDING_RECORD_MAX - 3);
	CU_ASSERT_EQUAL(decode_exact(&got, buf, 4), -EPROTO);
	put_be32(buf, 0xffffffff);
	CU_ASSERT_EQUAL(decode_exact(&got, buf, 4), -EPROTO);
}

/* Every byte with every value: an accepted record can be encoded again. */
static void changed_record_is_refused_or_valid(void)
{
	_cleanup_(finding_fini) struct finding f = sample();
	uint8_t buf[256], bad[256], again[512];
	_cleanup_(finding_fini) struct finding got = { 0 };
	_cleanup_(finding_fini) struct finding same = { 0 };
	int full, at, value, rc;

	full = finding_encode(&f, buf, sizeof(buf));
	ASSERT_MORE_FATAL(full, 0);
	ASSERT_LESS_FATAL(full, (int)sizeof(buf));
	for (at = 0; at < full; at++) {
		SUITE_ROW("at %d", at);
		for (value = 0; value < 256; value++) {
			SUITE_ROW("value %d", value);
			memcpy(bad, buf, (size_t)full);
			bad[at] = (uint8_t)value;
			rc = finding_decode(&got, bad, (size_t)full);
			CU_ASSERT(rc == -EPROTO || rc == 0 || rc == full);
			if (rc <= 0)
				continue;
			rc = finding_encode(&got, again, sizeof(again));
			CU_ASSERT_EQUAL(finding_decode(&same, again, (size_t)rc), rc);
			assert_same(&got, &same);
		}
	}
}

/* One record with one entry, both from the caller. */
static int decode_with(struct finding *got, const char *id, const char *reason, bool is_number,
		       const char *value)
{
	uint8_t buf[256] = { 0 };
	size_t len = 4;

	buf[len++] = FINDING_PASS;
	buf[len++] = 1;
	len += 2 + (size_t)sprintf((char *)buf + len + 2, "%s", id);
	put_be16(buf + 6, (uint16_t)strlen(id));
	put_be16(buf + len, (uint16_t)strlen(reason));
	len += 2 + (size_t)sprintf((char *)buf + len + 2, "%s", reason);
	len += 2; /* no summary */
	buf[len - 2] = buf[len - 1] = 0;
	buf[len++] = is_number;
	memcpy(buf + len, "\0\1k", 3);
	len += 3;
	put_be16(buf + len, (uint16_t)strlen(value));
	memcpy(buf + len + 2, value, strlen(value));
	len += 2 + strlen(value);
	put_be32(buf, (uint32_t)len - 4);
	return finding_decode(got, buf, len);
}

static int decode_made(struct finding *got, const char *id, bool is_number, const char *value)
{
	return decode_with(got, id, "", is_number, value);
}

static void numbers_of_a_record_are_reformatted(void)
{
	static const struct {
		const char *in, *out;
	} cases[] = {
		{ "4096", "4096" }, { "0x10", "16" }, { "+5", "5" },     { "007", "7" },
		{ ".5", "0.5" },    { " 1", "1" },    { "1e2", "100" },  { "", NULL },
		{ "nan", NULL },    { "inf", NULL },  { "1e999", NULL }, { "1,\"x\":2", NULL },
		{ "1 ", NULL },     { "e", NULL },
	};
	_cleanup_(finding_fini) struct finding got = { 0 };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		int rc = decode_made(&got, "a.b", true, cases[i].in);
		SUITE_ROW("%zu: %s", i, cases[i].in);

		CU_ASSERT_EQUAL(rc > 0, cases[i].out != NULL);
		if (rc > 0)
			CU_ASSERT_STRING_EQUAL(got.evidence[0].value, cases[i].out);
	}
}

static void texts_of_a_record_are_printable(void)
{
	_cleanup_(finding_fini) struct finding got = { 0 };

	ASSERT_MORE(decode_made(&got, "a.b", false, "h\xc3\xb4te"), 0);
	CU_ASSERT_EQUAL(decode_made(&got, "a.b", false, "\x1b[2J"), -EPROTO);
	CU_ASSERT_EQUAL(decode_made(&got, "a.b", false, "\xe9t\xe9"), -EPROTO);
	CU_ASSERT_EQUAL(decode_made(&got, "a.b", false, "\xc2\x9b"), -EPROTO);
	CU_ASSERT_EQUAL(decode_made(&got, "", false, "v"), -EPROTO);
	CU_ASSERT_EQUAL(decode_made(&got, "a b", false, "v"), -EPROTO);
	CU_ASSERT_EQUAL(decode_made(&got, "a\"b", false, "v"), -EPROTO);
	ASSERT_MORE(decode_with(&got, "a.b", "refused", false, "v"), 0);
	CU_ASSERT_STRING_EQUAL(got.reason, "refused");
	CU_ASSERT_EQUAL(decode_with(&got, "a.b", "re fused", false, "v"), -EPROTO);
	CU_ASSERT_EQUAL(decode_with(&got, "a.b", "\x1b[2J", false, "v"), -EPROTO);
	CU_ASSERT_EQUAL(
		decode_with(&got, "a.b", "a-word-that-is-longer-than-any-of-ours", false, "v"),
		-EPROTO);
}

static void texts_of_a_record_are_bounded(void)
{
	char id[FINDING_ID_MAX + 1];
	_cleanup_(finding_fini) struct finding got = { 0 };

	memset(id, 'a', sizeof(id));
	id[FINDING_ID_MAX] = '\0';
	CU_ASSERT_EQUAL(decode_made(&got, id, false, "v"), -EPROTO);
	id[FINDING_ID_MAX - 1] = '\0';
	ASSERT_MORE(decode_made(&got, id, false, "v"), 0);
	CU_ASSERT_STRING_EQUAL(got.id, id);
}

SUITE_MAIN("finding", TEST(every_status_has_a_word), TEST(texts_are_formatted_and_truncated),
	   TEST(unprintable_bytes_become_question_marks), TEST(numbers_are_json_numbers),
	   TEST(evidence_beyond_the_bound_is_dropped),
	   TEST(evidence_may_repeat_texts_of_its_finding), TEST(a_copy_has_its_own_evidence),
	   TEST(a_finding_can_be_filled_in_again), TEST(record_survives_the_round_trip),
	   TEST(fullest_finding_fits_the_bound), TEST(record_that_does_not_fit_is_refused),
	   TEST(a_partial_record_needs_more_bytes), TEST(record_with_a_wrong_length_is_refused),
	   TEST(changed_record_is_refused_or_valid), TEST(numbers_of_a_record_are_reformatted),
	   TEST(texts_of_a_record_are_printable), TEST(texts_of_a_record_are_bounded))
