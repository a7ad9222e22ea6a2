/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The JSON report: schema nfsrdma-report/1, byte for byte, and valid for any bytes of a peer. */
#include "plugin/host/json.h"
#include "plugin/report/internal.h"
#include "suite.h"

static char *render(const struct report *report)
{
	const struct report_style style = { 0 };
	char *text = NULL;
	size_t len = 0;
	FILE *mem = open_memstream(&text, &len);

	CU_ASSERT_EQUAL(report_print(report, report_format_find("json"), mem, &style), 0);
	fclose(mem);
	return text;
}

static struct json_object *parse(const struct report *report)
{
	_cleanup_free_ char *text = render(report);
	struct json_object *object;

	CU_ASSERT_EQUAL_FATAL(json_parse(text, strlen(text), JSON_UTF8, &object), 0);
	CU_ASSERT_PTR_NOT_NULL_FATAL(object);
	return object;
}

static struct report *sample(void)
{
	struct report *report = report_new("probe");
	_cleanup_(finding_fini) struct finding finding = { 0 };

	report_times(report, 1767225600, 123.44);
	report_subject(report, "nfs_version", "3");
	report_subject(report, "server", "nas1");
	report_subject(report, "port", "20049");
	finding_init(&finding, "probe.read.write-chunk.pad", FINDING_FAIL, "3 of 5");
	finding_number(&finding, "ratio", 0.5);
	finding_text(&finding, "kind", "pad");
	CU_ASSERT_EQUAL(report_add(report, &finding), 0);
	return report;
}

static void the_object_matches_the_schema(void)
{
	static const char want[] =
		"{\n"
		"  \"schema\": \"nfsrdma-report/1\",\n"
		"  \"version\": \"" NFSRDMA_VERSION "\",\n"
		"  \"command\": \"probe\",\n"
		"  \"subject\": {\n"
		"    \"server\": \"nas1\",\n"
		"    \"port\": 20049,\n"
		"    \"export\": null,\n"
		"    \"file\": null,\n"
		"    \"transport\": null,\n"
		"    \"nfs_version\": \"3\"\n"
		"  },\n"
		"  \"verdict\": \"fail\",\n"
		"  \"answer\": \"NFS over RDMA with nas1 violates the protocol, but not for Linux clients: 3 of 5.\",\n"
		"  \"started\": \"2026-01-01T00:00:00Z\",\n"
		"  \"elapsed_ms\": 123.4,\n"
		"  \"reads\": null,\n"
		"  \"findings\": [\n"
		"    {\n"
		"      \"id\": \"probe.read.write-chunk.pad\",\n"
		"      \"title\": \"Write chunk padding\",\n"
		"      \"status\": \"fail\",\n"
		"      \"reason\": null,\n"
		"      \"consequence\": \"protocol\",\n"
		"      \"because_of\": null,\n"
		"      \"summary\": \"3 of 5\",\n"
		"      \"cause\": \"";
	_cleanup_(report_free_p) struct report *report = sample();
	_cleanup_free_ char *text = render(report);

	CU_ASSERT_EQUAL(strncmp(text, want, sizeof(want) - 1), 0);
	ASSERT_CONTAINS(text, "      \"evidence\": {\n"
			      "        \"ratio\": 0.5,\n"
			      "        \"kind\": \"pad\"\n"
			      "      },\n"
			      "      \"see\": [\n"
			      "        \"RFC 8166 3.4.6.2\"\n"
			      "      ]\n"
			      "    }\n"
			      "  ]\n"
			      "}\n");
}

static void the_matrix_has_a_result_for_each_size(void)
{
	_cleanup_(report_free_p) struct report *report = sample();
	struct json_object *object, *reads, *sizes, *row, *results;
	struct matrix matrix = { 0 };

	matrix_add(&matrix, MATRIX_REPLY_CHUNK, 813, MATRIX_WRONG);
	report_matrix(report, &matrix);
	object = parse(report);
	reads = json_object_object_get(object, "reads");
	sizes = json_object_object_get(reads, "sizes");
	CU_ASSERT_EQUAL(json_object_array_length(sizes), MATRIX_COLUMNS);
	CU_ASSERT_EQUAL(json_object_get_int(json_object_array_get_idx(sizes, 3)), 856);
	CU_ASSERT_PTR_NULL(json_object_array_get_idx(sizes, MATRIX_COLUMNS - 1));
	row = json_object_array_get_idx(json_object_object_get(reads, "rows"), 1);
	CU_ASSERT_STRING_EQUAL(json_object_get_string(json_object_object_get(row, "mechanism")),
			       "reply-chunk");
	results = json_object_object_get(row, "results");
	CU_ASSERT_EQUAL(json_object_array_length(results), MATRIX_COLUMNS);
	CU_ASSERT_STRING_EQUAL(json_object_get_string(json_object_array_get_idx(results, 2)),
			       "untested");
	CU_ASSERT_STRING_EQUAL(json_object_get_string(json_object_array_get_idx(results, 3)),
			       "failed");
	json_object_put(object);
}

static struct json_object *first_finding(struct json_object *object)
{
	return json_object_array_get_idx(json_object_object_get(object, "findings"), 0);
}

static const char *string_at(struct json_object *object, const char *key)
{
	return json_object_get_string(json_object_object_get(object, key));
}

static void a_good_finding_has_empty_cause_and_remedy(void)
{
	_cleanup_(report_free_p) struct report *report = report_new("probe");
	struct json_object *object, *found;
	_cleanup_(finding_fini) struct finding finding = { 0 };

	finding_init(&finding, "probe.null", FINDING_PASS, "answered");
	report_add(report, &finding);
	object = parse(report);
	found = first_finding(object);
	CU_ASSERT_STRING_EQUAL(string_at(found, "cause"), "");
	CU_ASSERT_STRING_EQUAL(string_at(found, "remedy"), "");
	CU_ASSERT_STRING_EQUAL(string_at(found, "status"), "pass");
	CU_ASSERT_STRING_EQUAL(string_at(object, "verdict"), "pass");
	json_object_put(object);
}

static const char *cause_of(const struct report *report, const char *id, enum finding_status status)
{
	static char cause[MEANING_CAUSE_MAX];
	_cleanup_(finding_fini) struct finding finding = { 0 };

	finding_init(&finding, id, status, "seen");
	return report_cause(report, &finding, cause);
}

static const char *remedy_of(const struct report *report, const char *id,
			     enum finding_status status)
{
	static char remedy[REPORT_REMEDY_MAX];
	_cleanup_(finding_fini) struct finding finding = { 0 };

	finding_init(&finding, id, status, "seen");
	return report_remedy(report, &finding, remedy);
}

/* READs that were cut short must not be reported as wrong data from the server. */
static void an_unknown_finding_has_its_own_remedy(void)
{
	_cleanup_(report_free_p) struct report *report = report_new("probe");
	static const char id[] = "probe.read.write-chunk";
	const struct meaning *m = meaning_find(id);

	ASSERT_STARTS(cause_of(report, id, FINDING_FAIL), "No known cause fits ");
	CU_ASSERT_STRING_EQUAL(cause_of(report, id, FINDING_UNKNOWN), "");
	CU_ASSERT_STRING_EQUAL(remedy_of(report, id, FINDING_UNKNOWN), m->unknown);
	CU_ASSERT_STRING_NOT_EQUAL(m->unknown, m->remedy);
	CU_ASSERT_STRING_EQUAL(remedy_of(report, id, FINDING_SKIP), "");
	/* Of one that has no such text, and reasons, none is known. */
	ASSERT_STARTS(cause_of(report, "probe.connect", FINDING_UNKNOWN), "No known cause fits ");
}

static void an_empty_report_is_valid_and_unknown(void)
{
	_cleanup_(report_free_p) struct report *report = report_new("probe");
	struct json_object *object = parse(report);

	CU_ASSERT_STRING_EQUAL(string_at(object, "verdict"), "unknown");
	CU_ASSERT_EQUAL(json_object_array_length(json_object_object_get(object, "findings")), 0);
	json_object_put(object);
}

static void peer_bytes_become_valid_utf8(void)
{
	_cleanup_(report_free_p) struct report *report = report_new("probe");
	struct json_object *object;
	_cleanup_(finding_fini) struct finding finding = { 0 };

	finding_init(&finding, "probe.mount", FINDING_FAIL, "seen");
	strcpy(finding.summary, "\xff \xc0\xaf \xed\xa0\x80 \" \\ \x1f \xc3\xa9");
	finding_text(&finding, "k", "v");
	strcpy(finding.evidence[0].key, "\xfe\"");
	report_add(report, &finding);
	report_subject(report, "export", "/\x80");
	object = parse(report);
	CU_ASSERT_STRING_EQUAL(string_at(first_finding(object), "summary"),
			       "\xef\xbf\xbd \xef\xbf\xbd\xef\xbf\xbd "
			       "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd \" \\ \xef\xbf\xbd "
			       "\xc3\xa9");
	CU_ASSERT_STRING_EQUAL(string_at(json_object_object_get(object, "subject"), "export"),
			       "/\xef\xbf\xbd");
	json_object_put(object);
}

/* Evidence that claims to be a number, and its type in the output. */
static void only_numbers_are_unquoted(void)
{
	static const struct {
		const char *text;
		bool bare;
	} cases[] = {
		{ "0", true },     { "-0", true },         { "813", true },  { "1.5", true },
		{ "-1e9", true },  { "1e+15", true },      { "", false },    { "-", false },
		{ "01", false },   { "+1", false },        { ".5", false },  { "1.", false },
		{ "1e", false },   { "1e+", false },       { "inf", false }, { "nan", false },
		{ "0x10", false }, { "1,\"x\":2", false },
	};
	_cleanup_(report_free_p) struct report *report = report_new("probe");
	struct json_object *object, *value;
	_cleanup_(finding_fini) struct finding finding = { 0 };
	char key[8];
	size_t i;

	finding_init(&finding, "probe.credits", FINDING_FAIL, "seen");
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		snprintf(key, sizeof(key), "k%zu", i);
		finding_number(&finding, key, 1);
		strcpy(finding.evidence[i].value, cases[i].text);
	}
	report_add(report, &finding);
	object = parse(report);
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		SUITE_ROW("%zu: %s", i, cases[i].text);
		snprintf(key, sizeof(key), "k%zu", i);
		value = json_object_object_get(
			json_object_object_get(first_finding(object), "evidence"), key);
		CU_ASSERT_EQUAL(json_object_is_type(value, json_type_string), !cases[i].bare);
	}
	json_object_put(object);
}

static void a_consequence_names_its_cause(void)
{
	_cleanup_(report_free_p) struct report *report = report_new("probe");
	_cleanup_free_ char *text = NULL;
	_cleanup_(finding_fini) struct finding finding = { 0 };

	finding_init(&finding, "probe.connect", FINDING_FAIL, "refused");
	CU_ASSERT_EQUAL(report_add(report, &finding), 0);
	finding_init(&finding, "probe.null", FINDING_FAIL, "no answer");
	CU_ASSERT_EQUAL(report_add(report, &finding), 0);
	text = render(report);
	ASSERT_CONTAINS(text, "\"because_of\": null,\n      \"summary\": \"refused\"");
	ASSERT_CONTAINS(text,
			"\"because_of\": \"probe.connect\",\n      \"summary\": \"no answer\"");
}

SUITE_MAIN("json", TEST(a_consequence_names_its_cause), TEST(the_object_matches_the_schema),
	   TEST(the_matrix_has_a_result_for_each_size),
	   TEST(a_good_finding_has_empty_cause_and_remedy),
	   TEST(an_unknown_finding_has_its_own_remedy), TEST(an_empty_report_is_valid_and_unknown),
	   TEST(peer_bytes_become_valid_utf8), TEST(only_numbers_are_unquoted))
