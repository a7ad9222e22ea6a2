/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The plan of a mount: the rows of tests/options, and what rows cannot express. */
#include "plugin/options/options.h"
#include "tests/unit/rows.h"

/* What the directives of a file set. */
static struct {
	char spec[256], dir[256], policy[4096], policy_file[PATH_MAX];
	enum ip_family family;
} given;

/* Each sets one thing; "@fresh" resets all. A policy grows by a line each time. */
static void on_directive(char *text)
{
	char *rest = strchr(text, ' ');

	if (rest)
		*rest++ = '\0';
	if (!strcmp(text, "fresh")) {
		memset(&given, 0, sizeof(given));
		strcpy(given.spec, "nas1:/export");
	} else if (!strcmp(text, "spec")) {
		snprintf(given.spec, sizeof(given.spec), "%s", rest);
	} else if (!strcmp(text, "dir")) {
		snprintf(given.dir, sizeof(given.dir), "%s", rest);
	} else if (!strcmp(text, "family")) {
		given.family = !strcmp(rest, "4") ? IP_V4 : IP_V6;
	} else if (!strcmp(text, "policy")) {
		size_t used = strlen(given.policy);

		snprintf(given.policy + used, sizeof(given.policy) - used, "%s\n", rest);
	} else if (!strcmp(text, "policy-file")) {
		snprintf(given.policy_file, sizeof(given.policy_file), "%s/../%s",
			 getenv("NFSRDMA_TESTS"), rest);
	} else {
		abort();
	}
}

static void add_shipped(struct policies *policies)
{
	char text[8192];
	FILE *file = fopen(given.policy_file, "re");
	size_t len = file ? fread(text, 1, sizeof(text) - 1, file) : 0;

	if (!file || !len || len == sizeof(text) - 1)
		abort();
	fclose(file);
	text[len] = '\0';
	if (policy_add(policies, "shipped", text))
		abort();
}

static int make_plan(struct plan **out, const char *options)
{
	_cleanup_(policy_free_p) struct policies *policies = NULL;
	struct plan_request request = { .spec = given.spec,
					.options = options,
					.dir = given.dir[0] ? given.dir : NULL,
					.family = given.family };
	char text[sizeof(given.policy)];
	int rc = policy_new(&policies);

	strcpy(text, given.policy);
	rc = rc ? rc : policy_add(policies, "conf", text);
	if (rc)
		return rc;
	if (given.policy_file[0])
		add_shipped(policies);
	request.policies = policies;
	rc = plan_make(out, &request);
	/* Borrowed from the policies, which are freed here. */
	if (!rc)
		(*out)->policy.options = (*out)->policy.options_v3 = NULL;
	return rc;
}

static void change_text(const struct plan_change *change, char *buf, size_t cap)
{
	snprintf(buf, cap, "%s -> %s: %s", change->before ? change->before : "(none)",
		 change->after ? change->after : "(none)", change->reason);
}

/* "rdma6 20049 4.1 proven", what matters for the mount. */
static void facts_text(const struct plan *plan, char *buf, size_t cap)
{
	char version[16] = "any";

	if (plan->nfs_major && plan->nfs_minor >= 0)
		snprintf(version, sizeof(version), "%d.%d", plan->nfs_major, plan->nfs_minor);
	else if (plan->nfs_major)
		snprintf(version, sizeof(version), "%d", plan->nfs_major);
	snprintf(buf, cap, "%s %u %s %s %s%s%s", plan->transport[0] ? plan->transport : "none",
		 plan->port, version, policy_mode_name(plan->policy.mode),
		 plan->wants_rdma ? "proven" : "unproven", plan->remount ? " remount" : "",
		 plan->background ? " background" : "");
}

static void check_notes(const struct row *row, const struct plan *plan)
{
	unsigned int i, warning = 0, change = 0;
	char text[1024];

	for (i = 0; i < row->nnotes; i++) {
		const char *note = row->notes[i] + 2;

		if (row->notes[i][0] == '~') {
			ROW_CHECK(row,
				  warning < plan->nwarnings &&
					  strstr(plan->warnings[warning], note),
				  "no warning '%s'", note);
			warning++;
		} else if (row->notes[i][0] == '+') {
			for (text[0] = '\0'; change < plan->nchanges && !strstr(text, note);)
				change_text(&plan->changes[change++], text, sizeof(text));
			ROW_CHECK(row, strstr(text, note), "no change '%s'", note);
		} else if (row->notes[i][0] == ':') {
			facts_text(plan, text, sizeof(text));
			ROW_CHECK(row, !strcmp(text, note), "facts '%s', not '%s'", text, note);
		} else if (row->notes[i][0] == '|') {
			ROW_CHECK(row, plan->tcp_options && !strcmp(plan->tcp_options, note),
				  "TCP '%s', not '%s'",
				  plan->tcp_options ? plan->tcp_options : "NULL", note);
		} else {
			abort();
		}
	}
	ROW_CHECK(row, warning >= plan->nwarnings, "warning '%s'",
		  plan->warnings[warning < plan->nwarnings ? warning : 0]);
}

/* A plan's result is its own plan, unless an option is removed or reported once only. */
static void check_again(const struct row *row, const struct plan *plan)
{
	_cleanup_(plan_free_p) struct plan *again = NULL;
	int rc;

	if (plan->policy.mode != POLICY_REQUIRE)
		return;
	rc = make_plan(&again, plan->options);
	ROW_CHECK(row, !rc && !again->nchanges && !strcmp(again->options, plan->options),
		  "planned again: '%s'", rc ? err_text() : again->options);
}

static void on_row(const struct row *row)
{
	_cleanup_(plan_free_p) struct plan *plan = NULL;
	int rc = make_plan(&plan, row->given);

	if (row->is_error) {
		ROW_CHECK(row, rc && strstr(err_text(), row->expected), "no error '%s', %s",
			  row->expected, rc ? err_text() : plan->options);
		return;
	}
	ROW_CHECK(row, !rc, "%s", err_text());
	if (rc)
		return;
	ROW_CHECK(row, !strcmp(plan->options, row->expected), "'%s', not '%s'", plan->options,
		  row->expected);
	check_notes(row, plan);
	check_again(row, plan);
}

static const struct rows_runner runner = { on_directive, on_row };

static void rows_of(const char *name)
{
	char fresh[] = "fresh";

	on_directive(fresh);
	rows_read(name, &runner);
}

static void transports_and_ports_are_completed_in_place(void)
{
	rows_of("transport.txt");
}

static void contradictions_are_refused_with_a_sentence(void)
{
	rows_of("contradictions.txt");
}

static void values_have_limits(void)
{
	rows_of("values.txt");
}

static void unknown_options_are_kept(void)
{
	rows_of("kept.txt");
}

static void the_policy_adds_its_options(void)
{
	rows_of("policy.txt");
}

static void options_of_vdsm_become_a_mount_over_rdma(void)
{
	rows_of("vdsm.txt");
}

static void the_table_has_enough_rows(void)
{
	ASSERT_AT_LEAST(rows_run, 150);
	printf(" %u rows ", rows_run);
}

static void an_empty_plan_can_be_freed(void)
{
	plan_free(NULL);
	CU_PASS();
}

/* mount(2) takes at most a page. */
static void options_longer_than_a_page_are_refused(void)
{
	_cleanup_(plan_free_p) struct plan *plan = NULL;
	char text[4000], fresh[] = "fresh";

	on_directive(fresh);
	memset(text, 'a', sizeof(text));
	text[3839 - strlen(",proto=rdma,port=20049")] = '\0';
	CU_ASSERT_EQUAL(make_plan(&plan, text), 0);
	plan_free(take_ptr(plan));
	strcat(text, "a");
	CU_ASSERT_EQUAL(make_plan(&plan, text), -E2BIG);
	ASSERT_CONTAINS(err_text(), "3840 bytes");
}

static void the_default_plan_requires_rdma(void)
{
	_cleanup_(plan_free_p) struct plan *plan = NULL;
	const struct plan_request request = { .spec = "nas1:/export" };

	CU_ASSERT_EQUAL_FATAL(plan_make(&plan, &request), 0);
	CU_ASSERT_STRING_EQUAL(plan->options, "proto=rdma,port=20049");
	CU_ASSERT_STRING_EQUAL(plan->policy.mode_from, "built in");
	CU_ASSERT_EQUAL(plan->policy.check, POLICY_CHECK_CONNECT);
	CU_ASSERT_EQUAL(plan->policy.deadline_ms, 10000);
	CU_ASSERT(plan->wants_rdma);
	CU_ASSERT_FALSE(plan->tcp_options);
}

SUITE_MAIN("plan", TEST(transports_and_ports_are_completed_in_place),
	   TEST(contradictions_are_refused_with_a_sentence), TEST(values_have_limits),
	   TEST(unknown_options_are_kept), TEST(the_policy_adds_its_options),
	   TEST(options_of_vdsm_become_a_mount_over_rdma), TEST(the_table_has_enough_rows),
	   TEST(an_empty_plan_can_be_freed), TEST(options_longer_than_a_page_are_refused),
	   TEST(the_default_plan_requires_rdma))
