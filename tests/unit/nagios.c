/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The formats for monitoring: Nagios's status line, OpenMetrics's exposition. */
#include "plugin/report/report.h"
#include "suite.h"

static char *render(const struct report *report, const char *format)
{
	const struct report_style style = { 0 };
	char *text = NULL;
	size_t len = 0;
	FILE *mem = open_memstream(&text, &len);

	CU_ASSERT_EQUAL(report_print(report, report_format_find(format), mem, &style), 0);
	fclose(mem);
	return text;
}

static void add(struct report *report, const char *id, enum finding_status status,
		const char *summary)
{
	_cleanup_(finding_fini) struct finding finding = { 0 };

	finding_init(&finding, id, status, "%s", summary);
	finding_number(&finding, "bytes", 813);
	finding_text(&finding, "kind", "short");
	finding_number(&finding, "bytes", 814);
	CU_ASSERT_EQUAL(report_add(report, &finding), 0);
}

static void nagios_starts_with_the_state_and_its_reason(void)
{
	_cleanup_(report_free_p) struct report *report = report_new("probe");
	_cleanup_free_ char *good = NULL, *bad = NULL;

	report_times(report, 0, 1500);
	add(report, "probe.null", FINDING_PASS, "answered");
	good = render(report, "nagios");
	CU_ASSERT_STRING_EQUAL(good, "NFSRDMA PROBE OK - 1 finding passed | time=1.500s "
				     "pass=1 warn=0 fail=0 skip=0 unknown=0\n");
	add(report, "probe.credits", FINDING_WARN, "few");
	add(report, "probe.mount", FINDING_FAIL, "refused | hostile=1\n");
	bad = render(report, "nagios");
	ASSERT_STARTS(bad, "NFSRDMA PROBE CRITICAL - refused / hostile=1");
	CU_ASSERT_EQUAL(strcspn(bad, "|"), (size_t)(strstr(bad, " | time=") + 1 - bad));
	ASSERT_CONTAINS(bad, "\nwarn probe.credits: few\n");
	ASSERT_CONTAINS(bad, "\nfail probe.mount: refused / hostile=1");
}

/* In the status line, at each finding, and as a label of one metric only. */
static void monitoring_formats_include_the_reason(void)
{
	_cleanup_(report_free_p) struct report *report = report_new("probe");
	_cleanup_free_ char *nagios = NULL, *metrics = NULL;
	_cleanup_(finding_fini) struct finding finding = { 0 };

	add(report, "probe.null", FINDING_FAIL, "no answer");
	finding_init(&finding, "probe.connect", FINDING_FAIL, "refused");
	finding_reason(&finding, "refused");
	CU_ASSERT_EQUAL(report_add(report, &finding), 0);
	nagios = render(report, "nagios");
	ASSERT_STARTS(nagios, "NFSRDMA PROBE CRITICAL - refused [probe.connect/refused] | ");
	/* Its consequences are below it. */
	ASSERT_CONTAINS(nagios, "\nfail probe.connect/refused: refused\n"
				"fail probe.null: no answer\n");
	metrics = render(report, "openmetrics");
	ASSERT_CONTAINS(metrics, "\nnfsrdma_finding_info{command=\"probe\",id=\"probe.connect\","
				 "reason=\"refused\",consequence=\"no-mount\"} 1\n");
	ASSERT_CONTAINS(metrics,
			"\nnfsrdma_finding{command=\"probe\",id=\"probe.connect\",nfsrdma_");
	ASSERT_LACKS(metrics, "info{command=\"probe\",id=\"probe.null\"");
}

/* Regardless of the findings before them. */
static void nagios_leads_with_named_defects(void)
{
	_cleanup_(report_free_p) struct report *report = report_new("probe");
	_cleanup_free_ char *warns = NULL, *fails = NULL;
	const char *defect, *mechanism;

	add(report, "probe.session.kept", FINDING_WARN, "forgot its session");
	add(report, "bug.linux3-write", FINDING_WARN, "never write to this server: 3.x");
	warns = render(report, "nagios");
	ASSERT_STARTS(warns, "NFSRDMA PROBE WARNING - never write to this server: 3.x "
			     "[bug.linux3-write] | time=");
	add(report, "probe.read.write-chunk", FINDING_FAIL, "208 of 269 READs go wrong");
	add(report, "bug.write-chunk-read", FINDING_FAIL, "READs are corrupt: 39 of 39");
	fails = render(report, "nagios");
	ASSERT_STARTS(fails, "NFSRDMA PROBE CRITICAL - READs are corrupt: 39 of 39 "
			     "[bug.write-chunk-read] | time=");
	defect = strstr(fails, "\nfail bug.write-chunk-read: ");
	mechanism = strstr(fails, "\nfail probe.read.write-chunk: 208");
	CU_ASSERT_PTR_NOT_NULL_FATAL(defect);
	CU_ASSERT_PTR_NOT_NULL_FATAL(mechanism);
	CU_ASSERT(defect < mechanism);
	CU_ASSERT_PTR_NOT_NULL(strstr(fails, "\nwarn probe.session.kept: forgot"));
}

/* A defect that only warns is not the reason for a failure; neither is an unknown one. */
static void nagios_gives_the_reason_of_its_state(void)
{
	_cleanup_(report_free_p) struct report *report = report_new("probe");
	_cleanup_free_ char *unknown = NULL, *fails = NULL;

	add(report, "bug.read-812", FINDING_UNKNOWN, "not known: no reads");
	add(report, "probe.null", FINDING_UNKNOWN, "no answer");
	unknown = render(report, "nagios");
	/* Of these unknown findings only the second is decisive. */
	ASSERT_STARTS(unknown, "NFSRDMA PROBE UNKNOWN - no answer [probe.null] | ");
	add(report, "bug.linux3-write", FINDING_WARN, "never write");
	add(report, "probe.mount", FINDING_FAIL, "refused");
	fails = render(report, "nagios");
	ASSERT_STARTS(fails, "NFSRDMA PROBE CRITICAL - refused [probe.mount] | ");
}

static void nagios_reports_interrupted_work(void)
{
	_cleanup_(report_free_p) struct report *report = report_new("probe");
	_cleanup_free_ char *text = NULL;

	add(report, "probe.null", FINDING_PASS, "answered");
	report_cut(report);
	text = render(report, "nagios");
	ASSERT_STARTS(text, "NFSRDMA PROBE UNKNOWN - interrupted before the end");
}

/* Regardless of the number and length of findings. */
static void nagios_fits_into_4_kib(void)
{
	_cleanup_(report_free_p) struct report *report = report_new("probe");
	_cleanup_free_ char *text = NULL;
	char summary[FINDING_SUMMARY_MAX];
	const char *end;
	int i;

	memset(summary, '\1', sizeof(summary) - 1);
	summary[sizeof(summary) - 1] = '\0';
	for (i = 0; i < 50; i++)
		add(report, "probe.mount", FINDING_FAIL, summary);
	text = render(report, "nagios");
	CU_ASSERT(strlen(text) <= 4096);
	ASSERT_CONTAINS(text, " [probe.mount] | time=");
	ASSERT_CONTAINS(text, "\nfail probe.mount: ");
	end = strstr(text, "\nand ");
	CU_ASSERT_PTR_NOT_NULL_FATAL(end);
	ASSERT_CONTAINS(end, " more findings\n");
}

SUITE_MAIN("nagios", TEST(monitoring_formats_include_the_reason),
	   TEST(nagios_starts_with_the_state_and_its_reason), TEST(nagios_leads_with_named_defects),
	   TEST(nagios_gives_the_reason_of_its_state), TEST(nagios_reports_interrupted_work),
	   TEST(nagios_fits_into_4_kib))
