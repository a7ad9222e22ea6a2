/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The verdict, which findings a report accepts, and that it is written completely or not at
 * all. */
#include <fcntl.h>
#include <signal.h>

#include "plugin/report/report.h"
#include "suite.h"

static void add(struct report *report, const char *id, enum finding_status status)
{
	_cleanup_(finding_fini) struct finding finding = { 0 };

	finding_init(&finding, id, status, "seen");
	CU_ASSERT_EQUAL(report_add(report, &finding), 0);
}

/* Decisive is probe.null, not decisive is probe.credits. */
static enum verdict verdict_of(const enum finding_status *null, const enum finding_status *credits)
{
	_cleanup_(report_free_p) struct report *report = report_new("probe");

	if (null)
		add(report, "probe.null", *null);
	if (credits)
		add(report, "probe.credits", *credits);
	return report_verdict(report);
}

static const enum finding_status passed = FINDING_PASS, warned = FINDING_WARN,
				 failed = FINDING_FAIL, skipped = FINDING_SKIP,
				 unknown = FINDING_UNKNOWN;

static void fail_overrides_all(void)
{
	CU_ASSERT_EQUAL(verdict_of(&unknown, &failed), VERDICT_FAIL);
	CU_ASSERT_EQUAL(verdict_of(&passed, &failed), VERDICT_FAIL);
	CU_ASSERT_EQUAL(verdict_of(&failed, &warned), VERDICT_FAIL);
}

static void decisive_unknown_overrides_warn_and_pass(void)
{
	CU_ASSERT_EQUAL(verdict_of(&unknown, &warned), VERDICT_UNKNOWN);
	CU_ASSERT_EQUAL(verdict_of(&unknown, &passed), VERDICT_UNKNOWN);
}

static void other_unknown_findings_do_not_decide(void)
{
	CU_ASSERT_EQUAL(verdict_of(&passed, &unknown), VERDICT_PASS);
	CU_ASSERT_EQUAL(verdict_of(&warned, &unknown), VERDICT_WARN);
}

/* About this host only; where a server is checked, it can decide. */
static void root_only_findings_decide_only_for_a_server(void)
{
	_cleanup_(report_free_p) struct report *report = report_new("check");
	_cleanup_(finding_fini) struct finding hidden = { 0 };

	finding_init(&hidden, "firewall.rdma", FINDING_UNKNOWN, "x");
	finding_reason(&hidden, "permission");
	add(report, "probe.null", FINDING_PASS);
	CU_ASSERT_EQUAL(report_add(report, &hidden), 0);
	CU_ASSERT_EQUAL(report_verdict(report), VERDICT_PASS);
	CU_ASSERT_EQUAL(report_subject(report, "server", "nas1"), 0);
	CU_ASSERT_EQUAL(report_verdict(report), VERDICT_UNKNOWN);
}

static void skip_never_counts(void)
{
	CU_ASSERT_EQUAL(verdict_of(&passed, &skipped), VERDICT_PASS);
	CU_ASSERT_EQUAL(verdict_of(&warned, &skipped), VERDICT_WARN);
	CU_ASSERT_EQUAL(verdict_of(&skipped, &failed), VERDICT_FAIL);
}

static void an_empty_report_is_unknown(void)
{
	CU_ASSERT_EQUAL(verdict_of(NULL, NULL), VERDICT_UNKNOWN);
	CU_ASSERT_EQUAL(verdict_of(&skipped, NULL), VERDICT_UNKNOWN);
	CU_ASSERT_EQUAL(verdict_of(NULL, &unknown), VERDICT_UNKNOWN);
}

static void interrupted_work_never_passes(void)
{
	_cleanup_(report_free_p) struct report *report = report_new("probe");

	add(report, "probe.null", FINDING_PASS);
	report_cut(report);
	CU_ASSERT_EQUAL(report_verdict(report), VERDICT_UNKNOWN);
	add(report, "probe.mount", FINDING_FAIL);
	CU_ASSERT_EQUAL(report_verdict(report), VERDICT_FAIL);
}

static void exit_status_matches_the_verdict(void)
{
	const struct report_format *nagios = report_format_find("nagios");

	CU_ASSERT_EQUAL(verdict_exit(VERDICT_PASS), 0);
	CU_ASSERT_EQUAL(verdict_exit(VERDICT_WARN), 0);
	CU_ASSERT_EQUAL(verdict_exit(VERDICT_FAIL), 1);
	CU_ASSERT_EQUAL(verdict_exit(VERDICT_UNKNOWN), 3);
	CU_ASSERT_EQUAL(nagios->exit_status(VERDICT_PASS), 0);
	CU_ASSERT_EQUAL(nagios->exit_status(VERDICT_WARN), 1);
	CU_ASSERT_EQUAL(nagios->exit_status(VERDICT_FAIL), 2);
	CU_ASSERT_EQUAL(nagios->exit_status(VERDICT_UNKNOWN), 3);
}

static void unknown_ids_and_statuses_are_refused(void)
{
	_cleanup_(report_free_p) struct report *report = report_new("probe");
	_cleanup_(finding_fini) struct finding finding = { 0 };

	finding_init(&finding, "probe.invented", FINDING_PASS, "seen");
	CU_ASSERT_EQUAL(report_add(report, &finding), -EINVAL);
	finding_init(&finding, "probe.null", FINDING_STATUS_COUNT, "seen");
	CU_ASSERT_EQUAL(report_add(report, &finding), -EINVAL);
	CU_ASSERT_EQUAL(report_verdict(report), VERDICT_UNKNOWN);
}

/* Nor is the report printed without it. */
static void a_finding_without_memory_for_its_evidence_is_refused(void)
{
	_cleanup_(report_free_p) struct report *report = report_new("probe");
	_cleanup_(finding_fini) struct finding finding = { 0 };
	_cleanup_free_ char *text = NULL;

	finding_init(&finding, "probe.null", FINDING_PASS, "seen");
	finding_text(&finding, "k", "v");
	finding.no_memory = true;
	CU_ASSERT_EQUAL(report_add(report, &finding), -ENOMEM);
	CU_ASSERT_EQUAL(report_count(report, FINDING_PASS), 0);
	CU_ASSERT_EQUAL(report_render(report, report_format_find("json"), NULL, &text), -ENOMEM);
	CU_ASSERT_PTR_NULL(text);
}

static void findings_have_a_maximum_number(void)
{
	_cleanup_(report_free_p) struct report *report = report_new("probe");
	_cleanup_(finding_fini) struct finding finding = { 0 };
	int i, rc = 0;

	finding_init(&finding, "probe.null", FINDING_PASS, "seen");
	for (i = 0; i < 10000 && !rc; i++)
		rc = report_add(report, &finding);
	CU_ASSERT_EQUAL(rc, -ENOSPC);
	ASSERT_MORE(i, 100);
}

static void subject_has_its_keys_only(void)
{
	_cleanup_(report_free_p) struct report *report = report_new("probe");

	CU_ASSERT_EQUAL(report_subject(report, "server", "a"), 0);
	CU_ASSERT_EQUAL(report_subject(report, "server", "b"), 0);
	CU_ASSERT_EQUAL(report_subject(report, "nfs_version", "3"), 0);
	CU_ASSERT_EQUAL(report_subject(report, "password", "b"), -EINVAL);
	CU_ASSERT_EQUAL(report_subject(report, "", "b"), -EINVAL);
}

static void formats_are_found_by_their_full_name(void)
{
	static const char *const names[] = { "text", "json", "prometheus", "openmetrics",
					     "nagios" };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(names); i++) {
		SUITE_ROW("%zu: %s", i, names[i]);
		CU_ASSERT_PTR_NOT_NULL_FATAL(report_format_find(names[i]));
		CU_ASSERT_STRING_EQUAL(report_format_find(names[i])->name, names[i]);
	}
	CU_ASSERT_PTR_NULL(report_format_find("JSON"));
	CU_ASSERT_PTR_NULL(report_format_find(""));
	CU_ASSERT_PTR_NULL(report_format_find("yaml"));
}

static int print_to(FILE *out)
{
	_cleanup_(report_free_p) struct report *report = report_new("probe");
	const struct report_style style = { .width = 80 };

	add(report, "probe.null", FINDING_PASS);
	return report_print(report, report_format_find("text"), out, &style);
}

static void a_full_disk_is_an_error(void)
{
	FILE *full = fopen("/dev/full", "w");

	CU_ASSERT_PTR_NOT_NULL_FATAL(full);
	CU_ASSERT_EQUAL(print_to(full), -ENOSPC);
	ASSERT_CONTAINS(err_text(), "No space left");
	fclose(full);
}

static void a_closed_pipe_is_an_error(void)
{
	int fds[2];
	FILE *out;

	signal(SIGPIPE, SIG_IGN);
	CU_ASSERT_EQUAL_FATAL(pipe2(fds, O_CLOEXEC), 0);
	close(fds[0]);
	out = fdopen(fds[1], "w");
	CU_ASSERT_PTR_NOT_NULL_FATAL(out);
	CU_ASSERT_EQUAL(print_to(out), -EPIPE);
	fclose(out);
}

SUITE_MAIN("report", TEST(fail_overrides_all), TEST(decisive_unknown_overrides_warn_and_pass),
	   TEST(root_only_findings_decide_only_for_a_server),
	   TEST(other_unknown_findings_do_not_decide), TEST(skip_never_counts),
	   TEST(an_empty_report_is_unknown), TEST(interrupted_work_never_passes),
	   TEST(exit_status_matches_the_verdict), TEST(unknown_ids_and_statuses_are_refused),
	   TEST(a_finding_without_memory_for_its_evidence_is_refused),
	   TEST(findings_have_a_maximum_number), TEST(subject_has_its_keys_only),
	   TEST(formats_are_found_by_their_full_name), TEST(a_full_disk_is_an_error),
	   TEST(a_closed_pipe_is_an_error))
