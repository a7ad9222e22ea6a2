/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The text report with --verbose: complete, within its width, and never a control character of a peer. */
#include "plugin/report/report.h"
#include "suite.h"

static char *render(const struct report *report, const struct report_style *style)
{
	char *text = NULL;
	size_t len = 0;
	FILE *mem = open_memstream(&text, &len);

	CU_ASSERT_EQUAL(report_print(report, report_format_find("text"), mem, style), 0);
	fclose(mem);
	return text;
}

static void add(struct report *report, const char *id, enum finding_status status,
		const char *summary)
{
	_cleanup_(finding_fini) struct finding finding = { 0 };

	finding_init(&finding, id, status, "%s", summary);
	if (!strcmp(id, "probe.read.write-chunk"))
		finding_reason(&finding, "wrong-data");
	finding_number(&finding, "first_bad_bytes", 813);
	CU_ASSERT_EQUAL(report_add(report, &finding), 0);
}

static struct report *sample(void)
{
	struct report *report = report_new("probe");

	report_subject(report, "server", "2001:db8::1");
	report_subject(report, "port", "20049");
	report_subject(report, "export", "/export");
	report_times(report, 1767225600, 1234.5);
	add(report, "probe.null", FINDING_PASS, "answered in 0.1 ms");
	add(report, "probe.read.write-chunk", FINDING_FAIL, "wrong data");
	add(report, "probe.credits", FINDING_SKIP, "no reply came");
	return report;
}

static unsigned int count(const char *text, char c)
{
	unsigned int n = 0;

	for (; *text; text++)
		n += *text == c;
	return n;
}

static void subject_and_verdict_frame_the_findings(void)
{
	_cleanup_(report_free_p) struct report *report = sample();
	const struct report_style style = { .width = 80, .verbose = true };
	_cleanup_free_ char *text = render(report, &style);

	ASSERT_STARTS(text, "nfsrdma probe: [2001:db8::1]:20049 /export\n"
			    "FAIL  NFS over RDMA with 2001:db8::1 returns wrong data: ");
	ASSERT_CONTAINS(text, "\nVerdict: FAIL  1 passed, 1 failed, 1 skipped; 1.2 s\n");
}

static void a_passing_finding_takes_a_line(void)
{
	_cleanup_(report_free_p) struct report *report = sample();
	const struct report_style style = { .width = 80, .verbose = true };
	_cleanup_free_ char *text = render(report, &style);

	ASSERT_CONTAINS(text, "\n  pass  NULL call: answered in 0.1 ms\n");
	ASSERT_CONTAINS(text, "\n  skip  Credits: no reply came\n");
	ASSERT_LACKS(text, meaning_find("probe.null")->cause);
}

static void a_failed_finding_has_cause_and_fix(void)
{
	_cleanup_(report_free_p) struct report *report = sample();
	const struct report_style style = { .width = 80, .verbose = true };
	_cleanup_free_ char *text = render(report, &style);

	ASSERT_CONTAINS(text, " [probe.read.write-chunk/wrong-data]\n"
			      "        wrong data\n"
			      "        Cause     Guests and programs on an");
	ASSERT_CONTAINS(text, "Update the NFS server");
	ASSERT_CONTAINS(text, "        Evidence  first_bad_bytes  813\n");
	ASSERT_CONTAINS(text, "        See       RFC 8166 3.4.6");
}

static void findings_of_a_group_are_adjacent(void)
{
	_cleanup_(report_free_p) struct report *report = sample();
	const struct report_style style = { .width = 80, .verbose = true };
	_cleanup_free_ char *text = render(report, &style);

	ASSERT_CONTAINS(text, "\nConnection\n  pass  NULL call: answered in 0.1 ms\n"
			      "        Evidence  first_bad_bytes  813\n"
			      "  skip  Credits: no reply came\n");
	ASSERT_CONTAINS(text, "\n\nREAD\n  FAIL");
}

static void add_defect(struct report *report, const char *id, enum finding_status status,
		       const char *target, const char *summary)
{
	_cleanup_(finding_fini) struct finding finding = { 0 };

	finding_init(&finding, id, status, "%s", summary);
	if (target)
		finding_text(&finding, "target", "%s", target);
	CU_ASSERT_EQUAL(report_add(report, &finding), 0);
}

/* Below the subject; the rest of them are not moved. */
static void named_defects_come_first(void)
{
	_cleanup_(report_free_p) struct report *report = sample();
	const struct report_style style = { .width = 80, .verbose = true };
	_cleanup_free_ char *text = NULL;
	const char *first, *last;

	add_defect(report, "bug.linux3-write", FINDING_WARN, NULL, "it is 3.x");
	add_defect(report, "bug.write-chunk-read", FINDING_FAIL, NULL, "39 of 39 ranges");
	text = render(report, &style);
	first = strstr(text, ": 39 of 39 ranges [bug.write-chunk-read]\n");
	last = strstr(text, ": it is 3.x [bug.linux3-write]\n\nConnection\n");
	CU_ASSERT_PTR_NOT_NULL_FATAL(first);
	CU_ASSERT_PTR_NOT_NULL_FATAL(last);
	CU_ASSERT(first < last);
	ASSERT_CONTAINS(last, " [bug.write-chunk-read]\n        39 of 39 ranges\n");
	ASSERT_CONTAINS(text, "\nVerdict: FAIL  1 passed, 1 warned, 2 failed, 1 skipped");
}

static void a_defect_of_many_subjects_is_one_line(void)
{
	_cleanup_(report_free_p) struct report *report = report_new("mounts");
	const struct report_style style = { .width = 80, .verbose = true };
	_cleanup_free_ char *text = NULL;

	add_defect(report, "bug.read-812", FINDING_FAIL, "/srv: a",
		   "/srv: a: cannot read: 10 of 10");
	add_defect(report, "bug.read-812", FINDING_FAIL, "/b", "/b: cannot read: 11 of 11");
	text = render(report, &style);
	ASSERT_STARTS(text, "nfsrdma mounts: this host\n"
			    "FAIL  NFS over RDMA fails with errors: ");
	ASSERT_CONTAINS(text, ": /srv: a: cannot read, and 1 more [bug.read-812]\n");
	ASSERT_CONTAINS(text, "        /b: cannot read: 11 of 11\n");
}

static char *render_of_server(const char *kind)
{
	_cleanup_(report_free_p) struct report *report = report_new("probe");
	const struct report_style style = { .width = 1000 };
	_cleanup_(finding_fini) struct finding finding = { 0 };

	finding_init(&finding, "probe.read.write-chunk.alignment", FINDING_FAIL, "shifted");
	finding_reason(&finding, "every-time");
	CU_ASSERT_EQUAL(report_add(report, &finding), 0);
	finding_init(&finding, "probe.server", FINDING_PASS, "it is %s", kind);
	finding_text(&finding, "kind", "%s", kind);
	CU_ASSERT_EQUAL(report_add(report, &finding), 0);
	return render(report, &style);
}

/* Regardless of the position of the finding about the server. */
static void causes_of_other_servers_are_left_out(void)
{
	_cleanup_free_ char *linux_one = render_of_server("linux");
	_cleanup_free_ char *ontap = render_of_server("ontap");

	ASSERT_CONTAINS(linux_one, "3.x series did");
	ASSERT_CONTAINS(ontap, "it drops the position");
	ASSERT_LACKS(ontap, "3.x series did");
}

static void quiet_omits_passing_findings(void)
{
	_cleanup_(report_free_p) struct report *report = sample();
	const struct report_style style = { .width = 80, .quiet = true, .verbose = true };
	_cleanup_free_ char *text = render(report, &style);

	ASSERT_LACKS(text, "pass  ");
	ASSERT_LACKS(text, "skip  ");
	ASSERT_LACKS(text, "Connection");
	ASSERT_CONTAINS(text, "[probe.read.write-chunk/wrong-data]");
	ASSERT_CONTAINS(text, "Verdict: FAIL");
}

static void colors_are_used_only_on_request(void)
{
	_cleanup_(report_free_p) struct report *report = sample();
	const struct report_style plain = { .width = 80 }, colored = { .width = 80, .color = true };
	_cleanup_free_ char *black = render(report, &plain);
	_cleanup_free_ char *red = render(report, &colored);

	CU_ASSERT_EQUAL(count(black, '\033'), 0);
	ASSERT_CONTAINS(red, "\033[1;31mFAIL\033[0m");
	CU_ASSERT_EQUAL(count(red, '\033') % 2, 0);
}

static void every_meaning_fits_the_width(void)
{
	_cleanup_(report_free_p) struct report *report = report_new("probe");
	const struct meaning *meaning = NULL;
	unsigned int width, full;
	char *text, *line, *save;

	while ((meaning = meaning_next(meaning))) {
		SUITE_ROW("%s", meaning->id);
		add(report, meaning->id, FINDING_FAIL, "seen in one range of several");
	}
	for (width = 60; width <= 160; width += 20) {
		SUITE_ROW("width %u", width);
		for (full = 0; full < 2; full++) {
			const struct report_style style = { .width = width, .verbose = full };

			text = render(report, &style);
			for (line = strtok_r(text, "\n", &save); line;
			     line = strtok_r(NULL, "\n", &save)) {
				SUITE_ROW("%s", line);
				/* A command is never broken. */
				if (!strstr(line, "nfsrdma explain "))
					ASSERT_AT_MOST(utf8_width(line), width);
			}
			free(text);
		}
	}
}

static void control_characters_of_a_peer_are_escaped(void)
{
	_cleanup_(report_free_p) struct report *report = report_new("probe");
	const struct report_style style = { .width = 80, .verbose = true };
	_cleanup_(finding_fini) struct finding finding = { 0 };
	_cleanup_free_ char *text = NULL;
	const char *p;

	/* Bypasses finding_init(), which also escapes. */
	finding_init(&finding, "probe.mount", FINDING_FAIL, "seen");
	strcpy(finding.summary, "\033[2J\033]0;owned\007 \xff \xc2\x9b"
				"31m \xe2\x80\xae");
	finding_text(&finding, "path", "x");
	strcpy(finding.evidence[0].key, "k\033[1m");
	strcpy(finding.evidence[0].value, "a\nb\r\tc\x7f");
	CU_ASSERT_EQUAL(report_add(report, &finding), 0);
	report_subject(report, "export", "/\033c\n");
	text = render(report, &style);
	for (p = text; *p; p++) {
		SUITE_ROW("byte %td", p - text);
		if (*p != '\n')
			ASSERT_AT_LEAST((uint8_t)*p, 0x20);
		CU_ASSERT_NOT_EQUAL(*p, 0x7f);
	}
	ASSERT_LACKS(text, "\xff");
	ASSERT_LACKS(text, "\xc2\x9b");
	ASSERT_LACKS(text, "\xe2\x80\xae");
	ASSERT_CONTAINS(text, "\\x1b[2J");
}

static void long_texts_are_kept_whole(void)
{
	_cleanup_(report_free_p) struct report *report = report_new("probe");
	const struct report_style style = { .width = 1 };
	char summary[FINDING_SUMMARY_MAX];
	_cleanup_free_ char *text = NULL;

	memset(summary, 'x', sizeof(summary) - 1);
	summary[sizeof(summary) - 1] = '\0';
	add(report, "probe.mount", FINDING_FAIL, summary);
	text = render(report, &style);
	ASSERT_CONTAINS(text, summary);
}

SUITE_MAIN("text", TEST(subject_and_verdict_frame_the_findings),
	   TEST(a_passing_finding_takes_a_line), TEST(a_failed_finding_has_cause_and_fix),
	   TEST(findings_of_a_group_are_adjacent), TEST(named_defects_come_first),
	   TEST(a_defect_of_many_subjects_is_one_line), TEST(causes_of_other_servers_are_left_out),
	   TEST(quiet_omits_passing_findings), TEST(colors_are_used_only_on_request),
	   TEST(every_meaning_fits_the_width), TEST(control_characters_of_a_peer_are_escaped),
	   TEST(long_texts_are_kept_whole))
