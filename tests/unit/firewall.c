/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* How rules treat a packet: the cases of tests/firewall, most of them as nft printed them, and
 * malformed rulesets. tests/cli/firewall.sh compares the same cases with the kernel. */
#include <dirent.h>
#include <netinet/in.h>

#include "plugin/firewall/firewall.h"
#include "rpcrdma/base/finding.h"
#include "suite.h"
#include "tests/support/firewall-case.h"

#define CASES_MIN   30
#define PACKETS_MIN 150

static unsigned int cases, packets;

static void check_packet(const char *ruleset, struct json_object *json)
{
	struct json_object *want = json_object_object_get(json, "want"),
			   *why = json_object_object_get(json, "why");
	enum firewall_answer answer = FIREWALL_UNKNOWN;
	char text[FIREWALL_WHY_MAX] = "";
	struct firewall_packet packet;
	const char *said;
	bool good;
	int rc;

	rc = firewall_case_packet(json, &packet);
	if (!rc)
		rc = firewall_eval(ruleset, strlen(ruleset), &packet, &answer, text, sizeof(text),
				   NULL);
	said = rc ? err_text() : firewall_case_answer(answer);
	good = want && !strcmp(said, json_object_get_string(want)) &&
	       (!why || strstr(text, json_object_get_string(why))) && finding_is_clean(text) &&
	       text[0];
	suite_saw("%s: %s (%s)", json_object_to_json_string(json), said, text);
	CU_ASSERT(good);
	packets++;
}

static void check_case(const char *folder, const char *name)
{
	struct json_object *json, *list;
	char path[700];
	const char *ruleset;
	size_t i;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	json = json_object_from_file(path);
	CU_ASSERT_PTR_NOT_NULL_FATAL(json);
	ruleset = json_object_to_json_string_ext(json_object_object_get(json, "ruleset"),
						 JSON_C_TO_STRING_PLAIN);
	list = json_object_object_get(json, "packets");
	for (i = 0; i < json_object_array_length(list); i++) {
		SUITE_ROW("%zu", i);
		check_packet(ruleset, json_object_array_get_idx(list, i));
	}
	json_object_put(json);
	cases++;
}

static void rulesets_give_the_expected_answers(void)
{
	const char *tests = getenv("NFSRDMA_TESTS");
	char folder[400];
	struct dirent *entry;
	DIR *dir;

	snprintf(folder, sizeof(folder), "%s/firewall", tests ? tests : "tests");
	dir = opendir(folder);
	CU_ASSERT_PTR_NOT_NULL_FATAL(dir);
	while ((entry = readdir(dir))) {
		SUITE_ROW("%s", entry->d_name);
		if (strstr(entry->d_name, ".json"))
			check_case(folder, entry->d_name);
	}
	closedir(dir);
	ASSERT_AT_LEAST(cases, CASES_MIN);
	ASSERT_AT_LEAST(packets, PACKETS_MIN);
}

/* UDP 4791 from 192.0.2.1 to 192.0.2.2 through eth0. */
static struct firewall_packet roce(void)
{
	struct json_object *json = json_tokener_parse(
		"{\"in\":\"eth0\",\"udp\":4791,\"from\":\"192.0.2.1\",\"to\":\"192.0.2.2\"}");
	struct firewall_packet packet;

	CU_ASSERT_EQUAL(firewall_case_packet(json, &packet), 0);
	json_object_put(json);
	return packet;
}

/* 0 and the answer in *answer, or the error. */
static int ask(const char *ruleset, size_t len, enum firewall_answer *answer, char *why)
{
	struct firewall_packet packet = roce();

	return firewall_eval(ruleset, len, &packet, answer, why, FIREWALL_WHY_MAX, NULL);
}

#define BASE \
	"{\"chain\":{\"family\":\"inet\",\"table\":\"t\",\"name\":\"in\",\"hook\":\"input\",\"prio\":0,\"policy\":\"drop\"}}"
#define CHAIN(name) "{\"chain\":{\"family\":\"inet\",\"table\":\"t\",\"name\":\"" name "\"}}"
#define RULE(chain, expr) \
	"{\"rule\":{\"family\":\"inet\",\"table\":\"t\",\"chain\":\"" chain "\",\"expr\":" expr "}}"
#define RULESET(...) "{\"nftables\":[" __VA_ARGS__ "]}"

/* Rulesets that nft does not print: the result is an answer or an error, never accept. */
static const struct {
	const char *ruleset;
	int rc;
	enum firewall_answer answer;
} strange[] = {
	{ "", -EBADMSG, FIREWALL_UNKNOWN },
	{ "nft: error", -EBADMSG, FIREWALL_UNKNOWN },
	{ "{\"nftables\": [", -EBADMSG, FIREWALL_UNKNOWN },
	{ "{}", -EBADMSG, FIREWALL_UNKNOWN },
	{ "[]", -EBADMSG, FIREWALL_UNKNOWN },
	{ "{\"nftables\": {}}", -EBADMSG, FIREWALL_UNKNOWN },
	{ "{\"nftables\": null}", -EBADMSG, FIREWALL_UNKNOWN },
	{ RULESET(""), 0, FIREWALL_ACCEPT },
	{ RULESET("null,1,\"x\",[],{},{\"a\":1,\"b\":2},{\"chain\":null},{\"rule\":[]}"), 0,
	  FIREWALL_ACCEPT },
	{ RULESET(BASE), 0, FIREWALL_DROP },
	{ RULESET(BASE "," RULE("in", "null")), 0, FIREWALL_DROP },
	{ RULESET(BASE "," RULE("in", "[null]")), 0, FIREWALL_UNKNOWN },
	{ RULESET(BASE "," RULE("in", "[{\"accept\":null,\"drop\":null}]")), 0, FIREWALL_UNKNOWN },
	{ RULESET(BASE "," RULE("in", "[\"accept\"]")), 0, FIREWALL_ACCEPT },
	{ RULESET(BASE "," RULE("in", "[{\"match\":null},{\"accept\":null}]")), 0,
	  FIREWALL_UNKNOWN },
	{ RULESET(BASE "," RULE("in", "[{\"jump\":null}]")), 0, FIREWALL_UNKNOWN },
	{ RULESET(BASE "," RULE("in", "[{\"jump\":{\"target\":\"nowhere\"}}]")), 0,
	  FIREWALL_UNKNOWN },
	{ RULESET(BASE "," RULE("in", "[{\"jump\":{\"target\":\"in\"}}]")), 0, FIREWALL_UNKNOWN },
	{ RULESET(BASE "," CHAIN("a") "," CHAIN("b") "," RULE("in", "[{\"goto\":{\"target\":\"a\"}}]") "," RULE(
		  "a",
		  "[{\"jump\":{\"target\":\"b\"}}]") "," RULE("b",
							      "[{\"goto\":{\"target\":\"a\"}}]")),
	  0, FIREWALL_UNKNOWN },
	/* a set that does not exist; one that is not a set; a map without pairs */
	{ RULESET(BASE "," RULE(
		  "in",
		  "[{\"match\":{\"op\":\"==\",\"left\":{\"meta\":{\"key\":\"l4proto\"}},\"right\":\"@x\"}},{\"accept\":null}]")),
	  0, FIREWALL_UNKNOWN },
	{ RULESET(BASE "," RULE(
		  "in", "[{\"vmap\":{\"key\":{\"meta\":{\"key\":\"l4proto\"}},\"data\":\"@x\"}}]")),
	  0, FIREWALL_UNKNOWN },
	{ RULESET(BASE "," RULE(
		  "in",
		  "[{\"vmap\":{\"key\":{\"meta\":{\"key\":\"l4proto\"}},\"data\":{\"set\":[1,[],[\"udp\"],[\"udp\",1,2],null]}}}]")),
	  0, FIREWALL_UNKNOWN },
	{ RULESET(BASE "," RULE(
		  "in",
		  "[{\"match\":{\"op\":\"==\",\"left\":{\"concat\":[]},\"right\":4791}},{\"accept\":null}]")),
	  0, FIREWALL_UNKNOWN },
	/* invalid prefixes and ranges */
	{ RULESET(BASE "," RULE(
		  "in",
		  "[{\"match\":{\"op\":\"==\",\"left\":{\"payload\":{\"protocol\":\"ip\",\"field\":\"saddr\"}},\"right\":{\"prefix\":{\"addr\":\"192.0.2.0\",\"len\":33}}}},{\"accept\":null}]")),
	  0, FIREWALL_UNKNOWN },
	{ RULESET(BASE "," RULE(
		  "in",
		  "[{\"match\":{\"op\":\"==\",\"left\":{\"payload\":{\"protocol\":\"ip\",\"field\":\"saddr\"}},\"right\":{\"prefix\":{\"addr\":\"192.0.2.0\",\"len\":-1}}}},{\"accept\":null}]")),
	  0, FIREWALL_UNKNOWN },
	{ RULESET(BASE "," RULE(
		  "in",
		  "[{\"match\":{\"op\":\"==\",\"left\":{\"payload\":{\"protocol\":\"udp\",\"field\":\"dport\"}},\"right\":{\"range\":[1]}}},{\"accept\":null}]")),
	  0, FIREWALL_UNKNOWN },
	{ RULESET(BASE "," RULE(
		  "in",
		  "[{\"match\":{\"op\":\"==\",\"left\":{\"payload\":{\"protocol\":\"udp\",\"field\":\"dport\"}},\"right\":\"roce\"}},{\"accept\":null}]")),
	  0, FIREWALL_UNKNOWN },
};

static void malformed_rulesets_never_accept(void)
{
	enum firewall_answer answer;
	char why[FIREWALL_WHY_MAX];
	size_t i;
	int rc;

	for (i = 0; i < sizeof(strange) / sizeof(strange[0]); i++) {
		SUITE_ROW("%zu: %s", i, strange[i].ruleset);
		answer = FIREWALL_UNKNOWN;
		rc = ask(strange[i].ruleset, strlen(strange[i].ruleset), &answer, why);
		CU_ASSERT_EQUAL(rc, strange[i].rc);
		CU_ASSERT_EQUAL(answer, strange[i].answer);
	}
}

/* A text that grows. */
struct text {
	char *text;
	size_t len, cap;
};

static void append(struct text *to, const char *text)
{
	size_t len = strlen(text);

	if (to->len + len + 1 > to->cap) {
		to->cap = 2 * (to->len + len + 1);
		to->text = realloc(to->text, to->cap);
	}
	memcpy(to->text + to->len, text, len + 1);
	to->len += len;
}

/* Chains c0 to c@n, each of which jumps to the next @times times; the last one accepts. */
static struct text ladder(unsigned int n, unsigned int times)
{
	struct text out = { NULL, 0, 0 };
	char buf[256];
	unsigned int i, j;

	append(&out, "{\"nftables\":[" BASE);
	for (i = 0; i <= n; i++) {
		snprintf(buf, sizeof(buf),
			 ",{\"chain\":{\"family\":\"inet\",\"table\":\"t\",\"name\":\"c%u\"}}", i);
		append(&out, buf);
	}
	append(&out, "," RULE("in", "[{\"jump\":{\"target\":\"c0\"}}]"));
	for (i = 0; i < n; i++)
		for (j = 0; j < times; j++) {
			snprintf(buf, sizeof(buf),
				 "," RULE("c%u", "[{\"jump\":{\"target\":\"c%u\"}}]"), i, i + 1);
			append(&out, buf);
		}
	snprintf(buf, sizeof(buf), "," RULE("c%u", "[{\"counter\":null}]"), n);
	append(&out, buf);
	append(&out, "]}");
	return out;
}

static void jumps_are_followed_to_the_kernels_depth(void)
{
	struct text deep = ladder(14, 1), deeper = ladder(15, 1);
	enum firewall_answer answer = FIREWALL_UNKNOWN;
	char why[FIREWALL_WHY_MAX];

	CU_ASSERT_EQUAL(ask(deep.text, deep.len, &answer, why), 0);
	CU_ASSERT_EQUAL(answer, FIREWALL_DROP);
	CU_ASSERT_EQUAL(ask(deeper.text, deeper.len, &answer, why), 0);
	CU_ASSERT_EQUAL(answer, FIREWALL_UNKNOWN);
	ASSERT_CONTAINS(why, "jump");
	free(deep.text);
	free(deeper.text);
}

/* There are 64^14 paths through it. */
static void chains_are_walked_once(void)
{
	struct text fan = ladder(14, 64);
	enum firewall_answer answer = FIREWALL_UNKNOWN;
	char why[FIREWALL_WHY_MAX];
	uint64_t start = now_ms();

	CU_ASSERT_EQUAL(ask(fan.text, fan.len, &answer, why), 0);
	CU_ASSERT_EQUAL(answer, FIREWALL_DROP);
	ASSERT_WITHIN_MS(now_ms() - start, 2000);
	free(fan.text);
}

/* A set of @elements that matches no packet, looked up @times times. */
static struct text big_set(unsigned int elements, unsigned int times)
{
	struct text out = { NULL, 0, 0 };
	char buf[64];
	unsigned int i;

	append(&out, "{\"nftables\":[" BASE
		     ",{\"set\":{\"family\":\"inet\",\"table\":\"t\",\"name\":\"s\",\"elem\":[0");
	for (i = 0; i < elements; i++) {
		snprintf(buf, sizeof(buf), ",\"10.%u.%u.%u\"", i >> 16 & 255, i >> 8 & 255,
			 i & 255);
		append(&out, buf);
	}
	append(&out, "]}}");
	for (i = 0; i < times; i++)
		append(&out,
		       "," RULE(
			       "in",
			       "[{\"match\":{\"op\":\"==\",\"left\":{\"payload\":{\"protocol\":\"ip\",\"field\":\"saddr\"}},\"right\":\"@s\"}},{\"drop\":null}]"));
	append(&out, "]}");
	return out;
}

static void large_sets_are_searched_up_to_a_limit(void)
{
	struct text big = big_set(100000, 1), bigger = big_set(100000, 1000);
	enum firewall_answer answer = FIREWALL_UNKNOWN;
	char why[FIREWALL_WHY_MAX];
	uint64_t start = now_ms();

	CU_ASSERT_EQUAL(ask(big.text, big.len, &answer, why), 0);
	CU_ASSERT_EQUAL(answer, FIREWALL_DROP);
	CU_ASSERT_EQUAL(ask(bigger.text, bigger.len, &answer, why), -E2BIG);
	/* Half a second; memory checkers need longer. */
	ASSERT_WITHIN_MS(now_ms() - start, 40000);
	free(big.text);
	free(bigger.text);
}

static void too_many_parts_are_refused_before_parsing(void)
{
	size_t len = 3 * 1024 * 1024;
	char *text = malloc(len), why[FIREWALL_WHY_MAX];
	enum firewall_answer answer;
	size_t i;

	for (i = 0; i < len; i++)
		text[i] = "[],"[i % 3];
	CU_ASSERT_EQUAL(ask(text, len, &answer, why), -E2BIG);
	memset(text, '[', 1000);
	CU_ASSERT_EQUAL(ask(text, 1000, &answer, why), -EBADMSG);
	CU_ASSERT_EQUAL(ask(text, (size_t)LIVE_NFT_MAX + 1, &answer, why), -E2BIG);
	free(text);
}

/* A name in the ruleset is untrusted text. */
static void names_are_cleaned_and_truncated(void)
{
	static const char ruleset[] = RULESET(
		"{\"chain\":{\"family\":\"inet\",\"table\":\"\\u001b[31m\",\"name\":\"a\\nb\",\"hook\":\"input\",\"prio\":0,\"policy\":\"drop\"}}");
	enum firewall_answer answer;
	char why[24];
	struct firewall_packet packet = roce();

	CU_ASSERT_EQUAL(
		firewall_eval(ruleset, strlen(ruleset), &packet, &answer, why, sizeof(why), NULL),
		0);
	CU_ASSERT_EQUAL(answer, FIREWALL_DROP);
	CU_ASSERT(finding_is_clean(why));
	CU_ASSERT_EQUAL(strlen(why), sizeof(why) - 1);
}

static void expect_place(const char *ruleset, enum firewall_answer want, const char *family,
			 const char *chain)
{
	struct firewall_place place = { "x", "x", "x" };
	struct firewall_packet packet = roce();
	enum firewall_answer answer;
	char why[FIREWALL_WHY_MAX];

	CU_ASSERT_EQUAL(
		firewall_eval(ruleset, strlen(ruleset), &packet, &answer, why, sizeof(why), &place),
		0);
	CU_ASSERT_EQUAL(answer, want);
	CU_ASSERT_STRING_EQUAL(place.family, family);
	CU_ASSERT_STRING_EQUAL(place.chain, chain);
}

static void the_location_of_a_drop_is_returned(void)
{
	expect_place(RULESET(BASE), FIREWALL_DROP, "inet", "in");
	expect_place(RULESET(BASE "," CHAIN("a") "," RULE(
			     "in",
			     "[{\"jump\":{\"target\":\"a\"}}]") "," RULE("a", "[{\"drop\":null}]")),
		     FIREWALL_DROP, "inet", "a");
	expect_place(RULESET(BASE "," RULE("in", "[{\"accept\":null}]")), FIREWALL_ACCEPT, "", "");
}

#define SPORT(op, value)                                                                      \
	RULESET(BASE "," RULE(                                                                \
		"in", "[{\"match\":{\"op\":\"" op                                             \
		      "\",\"left\":{\"payload\":{\"protocol\":\"udp\",\"field\":\"sport\"}}," \
		      "\"right\":" value "}},{\"accept\":null}]"))

/* RoCE replies do not come from port 4791, as rules for "replies" expect. */
static void dynamic_source_ports_have_a_range(void)
{
	static const struct {
		const char *ruleset;
		enum firewall_answer want;
	} sports[] = {
		{ SPORT("==", "4791"), FIREWALL_DROP },
		{ SPORT("==", "50000"), FIREWALL_UNKNOWN },
		{ SPORT("==", "{\"range\":[1024,65535]}"), FIREWALL_ACCEPT },
		{ SPORT("==", "{\"range\":[49152,65535]}"), FIREWALL_ACCEPT },
		{ SPORT("==", "{\"range\":[49153,65535]}"), FIREWALL_UNKNOWN },
		{ SPORT("==", "{\"range\":[1,49151]}"), FIREWALL_DROP },
		{ SPORT("!=", "4791"), FIREWALL_ACCEPT },
	};
	struct firewall_packet packet = roce();
	enum firewall_answer answer;
	char why[FIREWALL_WHY_MAX];
	size_t i;

	packet.dynamic_source = true;
	for (i = 0; i < ARRAY_SIZE(sports); i++) {
		SUITE_ROW("%zu: %s", i, sports[i].ruleset);
		CU_ASSERT_EQUAL(firewall_eval(sports[i].ruleset, strlen(sports[i].ruleset), &packet,
					      &answer, why, sizeof(why), NULL),
				0);
		CU_ASSERT_EQUAL(answer, sports[i].want);
	}
	packet.dynamic_source = false;
	CU_ASSERT_EQUAL(firewall_eval(sports[0].ruleset, strlen(sports[0].ruleset), &packet,
				      &answer, why, sizeof(why), NULL),
			0);
	CU_ASSERT_EQUAL(answer, FIREWALL_UNKNOWN);
}

SUITE_MAIN("firewall", TEST(rulesets_give_the_expected_answers),
	   TEST(malformed_rulesets_never_accept), TEST(jumps_are_followed_to_the_kernels_depth),
	   TIMED(chains_are_walked_once), TIMED(large_sets_are_searched_up_to_a_limit),
	   TEST(too_many_parts_are_refused_before_parsing), TEST(names_are_cleaned_and_truncated),
	   TEST(the_location_of_a_drop_is_returned), TEST(dynamic_source_ports_have_a_range))
