/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The one list of steps at the end of a report, and lines of facts. */
#include "plugin/host/json.h"
#include "plugin/report/internal.h"
#include "tests/unit/suite.h"

static char *render(const struct report *report, const char *format,
		    const struct report_style *style)
{
	char *text = NULL;
	size_t len = 0;
	FILE *mem = open_memstream(&text, &len);

	CU_ASSERT_EQUAL(report_print(report, report_format_find(format), mem, style), 0);
	fclose(mem);
	return text;
}

static void add(struct report *report, const char *id, enum finding_status status,
		const char *reason, const char *fact)
{
	_cleanup_(finding_fini) struct finding f = { 0 };

	finding_init(&f, id, status, "it is %s", id);
	finding_reason(&f, reason);
	if (fact)
		finding_text(&f, "fact", "%s", fact);
	CU_ASSERT_EQUAL_FATAL(report_add(report, &f), 0);
}

static unsigned int count(const char *text, const char *part)
{
	unsigned int n = 0;

	for (; (text = strstr(text, part)); text += strlen(part))
		n++;
	return n;
}

/* A warning precedes by the order of causes, and two failures share their steps. */
static struct report *sick(void)
{
	struct report *report = report_new("doctor");

	report_subject(report, "server", "nas1");
	add(report, "client.module", FINDING_WARN, "blacklisted", NULL);
	add(report, "probe.connect", FINDING_FAIL, "refused", NULL);
	add(report, "probe.connect", FINDING_FAIL, "not-listening", NULL);
	add(report, "doctor.plan", FINDING_FAIL, "", "yes");
	return report;
}

static void the_list_has_each_step_once_failures_first(void)
{
	_cleanup_(report_free_p) struct report *report = sick();
	_cleanup_free_ struct report_step *steps = NULL;
	struct report_step one[REPORT_STEPS_MAX];
	unsigned int n = report_all_steps(report, &steps), shared, i, j;

	shared = report_steps(report, report->findings[1], one);
	CU_ASSERT_FATAL(shared > 0 && n > shared + 1);
	for (i = 0; i < shared; i++)
		CU_ASSERT_STRING_EQUAL(steps[i].text, one[i].text);
	/* Without a reason the fix is the step; the warning is last. */
	CU_ASSERT_STRING_EQUAL(steps[shared].text, meaning_find("doctor.plan")->remedy);
	CU_ASSERT_EQUAL(report_steps(report, report->findings[0], one), n - shared - 1);
	CU_ASSERT_STRING_EQUAL(steps[shared + 1].text, one[0].text);
	for (i = 0; i < n; i++)
		for (j = 0; j < i; j++)
			CU_ASSERT_TRUE(strcmp(steps[i].text, steps[j].text) != 0 ||
				       strcmp(steps[i].command, steps[j].command) != 0);
}

/* A consequence of a failure is fixed with it. */
static void a_consequence_has_no_steps(void)
{
	_cleanup_(report_free_p) struct report *report = report_new("doctor");
	_cleanup_free_ struct report_step *root = NULL, *both = NULL;
	unsigned int n;

	add(report, "fabric.gid", FINDING_FAIL, "bridge", NULL);
	n = report_all_steps(report, &root);
	CU_ASSERT_TRUE(n > 0);
	add(report, "fabric.route", FINDING_FAIL, "bridge", NULL);
	CU_ASSERT_PTR_NOT_NULL_FATAL(report_because(report, report->findings[1]));
	CU_ASSERT_EQUAL(report_all_steps(report, &both), n);
}

static void a_good_report_has_no_list(void)
{
	_cleanup_(report_free_p) struct report *report = report_new("doctor");
	const struct report_style style = { .width = 80 };
	_cleanup_free_ char *text = NULL, *json = NULL;
	_cleanup_(json_put_p) struct json_object *object = NULL;
	struct json_object *list;
	struct report_step *steps;

	report_todo(report);
	add(report, "client.module", FINDING_PASS, "", NULL);
	CU_ASSERT_EQUAL(report_all_steps(report, &steps), 0);
	CU_ASSERT_PTR_NULL(steps);
	text = render(report, "text", &style);
	ASSERT_LACKS(text, "\nSteps\n");
	json = render(report, "json", &style);
	CU_ASSERT_EQUAL_FATAL(json_parse_object(json, strlen(json), JSON_UTF8, &object), 0);
	CU_ASSERT_TRUE_FATAL(json_object_object_get_ex(object, "steps", &list));
	CU_ASSERT_TRUE(json_object_is_type(list, json_type_array));
	CU_ASSERT_EQUAL(json_object_array_length(list), 0);
}

static void steps_are_only_in_the_list(void)
{
	_cleanup_(report_free_p) struct report *report = sick();
	const struct report_style brief = { .width = 80 };
	const struct report_style verbose = { .width = 80, .verbose = true };
	_cleanup_free_ char *before = render(report, "text", &brief);
	_cleanup_free_ char *json = render(report, "json", &brief);
	_cleanup_free_ char *text = NULL, *all = NULL;

	ASSERT_CONTAINS(before, "        Steps ");
	ASSERT_LACKS(before, "\nSteps\n");
	CU_ASSERT_EQUAL(count(json, "\n  \"steps\": "), 0);
	report_todo(report);
	text = render(report, "text", &brief);
	ASSERT_CONTAINS(text, "\nSteps\n     1. ");
	ASSERT_LACKS(text, "apply here, too");
	ASSERT_LACKS(text, "Remedy");
	CU_ASSERT_EQUAL(count(text, " 1. "), 1);
	all = render(report, "text", &verbose);
	ASSERT_CONTAINS(all, "\nSteps\n     1. ");
	ASSERT_LACKS(all, "Remedy");
}

static void facts_are_a_line_each(void)
{
	_cleanup_(report_free_p) struct report *report = report_new("status");
	const struct report_style style = { .width = 80, .terse = true };
	const struct report_style quiet = { .width = 80, .terse = true, .quiet = true };
	_cleanup_free_ char *text = NULL, *less = NULL;

	add(report, "client.module", FINDING_PASS, "", NULL);
	add(report, "client.module-boot", FINDING_WARN, "masked", NULL);
	add(report, "status.host", FINDING_PASS, "", "yes");
	add(report, "status.server", FINDING_SKIP, "", "yes");
	text = render(report, "text", &style);
	ASSERT_CONTAINS(text, "\n\n  pass  Host: it is status.host\n"
			      "  skip  NFS server: it is status.server\n\nVerdict");
	ASSERT_CONTAINS(text, "[client.module-boot/masked]\n");
	ASSERT_LACKS(text, "client.module ");
	ASSERT_LACKS(text, "[client.module]");
	/* No cause, hence no steps. */
	ASSERT_LACKS(text, " 1. ");
	less = render(report, "text", &quiet);
	ASSERT_LACKS(less, "status.host");
	ASSERT_CONTAINS(less, "[client.module-boot/masked]\n");
}

SUITE_MAIN("todo", TEST(the_list_has_each_step_once_failures_first),
	   TEST(a_consequence_has_no_steps), TEST(a_good_report_has_no_list),
	   TEST(steps_are_only_in_the_list), TEST(facts_are_a_line_each))
