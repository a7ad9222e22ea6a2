/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The table of a text report, and several findings of one id: the cause once, and each with a
 * name in OpenMetrics. */
#include "plugin/report/report.h"
#include "suite.h"

static struct report *sample(void)
{
	static const char *const heads[] = { "state", "port", "mount", "source", NULL };
	static const char *const rows[][5] = {
		{ "proven", "20049", "/srv/vm", "nas1:/export/vm", NULL },
		{ "tcp", "-", "/srv/\033[31miso", "nas1:/export/iso", NULL },
		{ "tcp", "2049", "/rhev/data-center/mnt/nas2.example.com:_export_domain",
		  "nas2.example.com:/export/domain", NULL },
	};
	static const enum finding_status states[] = { FINDING_PASS, FINDING_FAIL, FINDING_WARN };
	struct report *report = report_new("mounts");
	size_t i;

	CU_ASSERT_EQUAL(report_columns(report, heads, 2), 0);
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		SUITE_ROW("%zu", i);
		CU_ASSERT_EQUAL(report_row(report, states[i], rows[i]), 0);
	}
	return report;
}

static char *render(const struct report *report, const char *format,
		    const struct report_style *style)
{
	char *text = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&text, &len);

	CU_ASSERT_EQUAL(report_print(report, report_format_find(format), out, style), 0);
	fclose(out);
	return text;
}

/* The first @n lines of the table, after the subject. */
static const char *table_of(const char *text, unsigned int n)
{
	static char buf[4096];
	const char *begin = strstr(text, "\n\n") + 2, *end = begin;

	while (n--)
		end = strchr(end, '\n') + 1;
	snprintf(buf, sizeof(buf), "%.*s", (int)(end - begin), begin);
	return buf;
}

static void names_have_columns_where_all_of_them_fit(void)
{
	_cleanup_(report_free_p) struct report *report = sample();
	const struct report_style style = { .width = 110 };
	_cleanup_free_ char *text = render(report, "text", &style);

	CU_ASSERT_STRING_EQUAL(
		table_of(text, 4),
		"        state   port   mount                                                  source\n"
		"  pass  proven  20049  /srv/vm                                                nas1:/export/vm\n"
		"  FAIL  tcp     -      /srv/\\x1b[31miso                                       nas1:/export/iso\n"
		"  WARN  tcp     2049   /rhev/data-center/mnt/nas2.example.com:_export_domain  nas2.example.com:/export/domain\n");
	ASSERT_LACKS(text, "\033");
}

/* It continues below its own column, and the others are where they were; how wide these are is
 * libsmartcols' affair. */
static void a_long_name_does_not_move_the_others(void)
{
	_cleanup_(report_free_p) struct report *report = sample();
	const struct report_style style = { .width = 80 };
	_cleanup_free_ char *text = render(report, "text", &style);
	char *line, *rest;
	int wide = 0;

	ASSERT_CONTAINS(text, "\n        state   port   mount   ");
	ASSERT_CONTAINS(text, "\n  pass  proven  20049  /srv/vm   ");
	ASSERT_CONTAINS(text, "   nas1:/export/vm\n  FAIL  tcp     -      /srv/\\x1b");
	ASSERT_CONTAINS(
		text,
		"\n  WARN  tcp     2049   /rhev/data-center/mnt/nas2.example.com:_export_domain\n   ");
	ASSERT_CONTAINS(text, "   nas2.example.com:/export/domain\n");
	for (line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
		wide += strlen(line) > 80;
	/* At most its own continuation. */
	ASSERT_AT_LEAST(1, wide);
}

static void most_are_too_wide(struct report *report)
{
	static const char *const row[] = { "tcp", "2049",
					   "/rhev/data-center/mnt/nas2.example.com:_export_other",
					   "nas2.example.com:/export/other", NULL };
	unsigned int i;

	for (i = 0; i < 3; i++)
		CU_ASSERT_EQUAL(report_row(report, FINDING_WARN, row), 0);
}

static void the_last_names_have_lines_where_most_rows_are_too_wide(void)
{
	_cleanup_(report_free_p) struct report *report = sample();
	const struct report_style style = { .width = 80 };
	_cleanup_free_ char *text = NULL;

	most_are_too_wide(report);
	text = render(report, "text", &style);
	CU_ASSERT_STRING_EQUAL(table_of(text, 4), "        state   port   mount\n"
						  "          source\n"
						  "  pass  proven  20049  /srv/vm\n"
						  "          nas1:/export/vm\n");
}

static void colors_move_nothing(void)
{
	static const unsigned int widths[] = { 60, 80, 110 };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(widths); i++) {
		_cleanup_(report_free_p) struct report *report = sample();
		struct report_style style = { .width = widths[i] };
		_cleanup_free_ char *plain = render(report, "text", &style);
		_cleanup_free_ char *colored = NULL;
		char *out, *in;

		SUITE_ROW("%u", widths[i]);
		style.color = true;
		colored = render(report, "text", &style);
		ASSERT_CONTAINS(colored, "\n\033[1;31m  FAIL\033[0m  tcp ");
		for (in = out = colored; *in; in++) {
			if (*in == '\033')
				in = strchr(in, 'm');
			else
				*out++ = *in;
		}
		*out = '\0';
		CU_ASSERT_STRING_EQUAL(colored, plain);
	}
}

/* Bytes that are no UTF-8 are escaped, and others have the width that a terminal gives them, in any locale. */
static void columns_are_measured_as_a_terminal_does(void)
{
	static const char *const heads[] = { "state", "mount", "source", NULL };
	static const char *const rows[][4] = {
		{ "a", "/srv/\xc3\xa9t\xc3\xa9", "n:/a", NULL },
		{ "b", "/srv/\xe4\xbb\xae", "n:/b", NULL },
		{ "c", "/srv/\xff", "n:/c", NULL },
	};
	_cleanup_(report_free_p) struct report *report = report_new("mounts");
	const struct report_style style = { .width = 80 };
	_cleanup_free_ char *text = NULL;
	size_t i;

	CU_ASSERT_EQUAL(report_columns(report, heads, 2), 0);
	for (i = 0; i < ARRAY_SIZE(rows); i++)
		CU_ASSERT_EQUAL(report_row(report, FINDING_PASS, rows[i]), 0);
	text = render(report, "text", &style);
	CU_ASSERT_STRING_EQUAL(table_of(text, 4), "        state  mount      source\n"
						  "  pass  a      /srv/\xc3\xa9t\xc3\xa9   n:/a\n"
						  "  pass  b      /srv/\xe4\xbb\xae    n:/b\n"
						  "  pass  c      /srv/\\xff  n:/c\n");
}

static void columns_are_chosen(void)
{
	static const char *const heads[] = { "state", "NFS", "mount", "source", NULL };
	static const char *const row[] = { "tcp", "4.2", "/srv/vm", "nas1:/vm", NULL };
	_cleanup_(report_free_p) struct report *report = report_new("mounts");
	const struct report_style style = { .width = 80 };
	_cleanup_free_ char *text = NULL;
	struct report_shown shown;

	CU_ASSERT_EQUAL(report_columns(report, heads, 2), 0);
	CU_ASSERT_EQUAL(report_row(report, FINDING_PASS, row), 0);
	CU_ASSERT_EQUAL(report_choose(heads, "mount,nfs", &shown), 0);
	report_show(report, &shown);
	text = render(report, "text", &style);
	CU_ASSERT_STRING_EQUAL(table_of(text, 2), "        mount    NFS\n"
						  "  pass  /srv/vm  4.2\n");
	CU_ASSERT_EQUAL(report_choose(heads, "mount,", &shown), -EINVAL);
	CU_ASSERT_STRING_EQUAL(err_text(), "no column \"\"; there are: state, NFS, mount, source");
	CU_ASSERT_EQUAL(report_choose(heads, "moun", &shown), -EINVAL);
	CU_ASSERT_EQUAL(report_choose(heads, "nfs,nfs,nfs,nfs,nfs,nfs,nfs,nfs,nfs,nfs", &shown),
			-EINVAL);
	CU_ASSERT_STRING_EQUAL(err_text(), "more than 9 columns");
}

static void what_no_row_has_is_not_shown(void)
{
	static const char *const heads[] = { "state", "answer", "mount", NULL };
	static const char *const row[] = { "tcp", "", "/srv/vm", NULL };
	_cleanup_(report_free_p) struct report *report = report_new("mounts");
	const struct report_style style = { .width = 80 };
	_cleanup_free_ char *text = NULL;

	CU_ASSERT_EQUAL(report_columns(report, heads, 1), 0);
	CU_ASSERT_EQUAL(report_row(report, FINDING_PASS, row), 0);
	text = render(report, "text", &style);
	CU_ASSERT_STRING_EQUAL(table_of(text, 2), "        state  mount\n"
						  "  pass  tcp    /srv/vm\n");
}

/* A pool's name, its target and its source; 40 characters fit 80 and 60 columns. */
static void names_of_40_characters_are_not_broken(void)
{
	static const char *const heads[] = { "state", "autostart", "requested", "actual",
					     "pool",  "target",    "source",    NULL };
	static const char *const row[] = { "running",
					   "yes",
					   "rdma (policy)",
					   "rdma",
					   "virtual-machines-of-the-second-data-cent",
					   "/var/lib/libvirt/images/second-data-cent",
					   "[2001:db8:aaaa:bbbb:cccc:dddd:eeee:ffff]:/e",
					   NULL };
	static const unsigned int widths[] = { 60, 80, 110 };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(widths); i++) {
		_cleanup_(report_free_p) struct report *report = report_new("pool");
		const struct report_style style = { .width = widths[i] };
		_cleanup_free_ char *text = NULL;
		char *line, *rest;

		SUITE_ROW("%u", widths[i]);
		CU_ASSERT_EQUAL(report_columns(report, heads, 3), 0);
		CU_ASSERT_EQUAL(report_row(report, FINDING_PASS, row), 0);
		text = render(report, "text", &style);
		ASSERT_CONTAINS(text, row[4]);
		ASSERT_CONTAINS(text, row[5]);
		ASSERT_CONTAINS(text, row[6]);
		for (line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
			ASSERT_AT_LEAST(widths[i], strlen(line));
	}
}

static void an_unknown_row_shifts_all_columns(void)
{
	static const char *const row[] = { "rdma", "20049", "/x", "n:/x", NULL };
	_cleanup_(report_free_p) struct report *report = sample();
	const struct report_style style = { .width = 80 };
	_cleanup_free_ char *text = NULL;

	CU_ASSERT_EQUAL(report_row(report, FINDING_UNKNOWN, row), 0);
	text = render(report, "text", &style);
	ASSERT_CONTAINS(text, "\n           state   port   mount  ");
	ASSERT_CONTAINS(text, "\n  pass     proven  20049  /srv/vm");
	ASSERT_CONTAINS(text, "\n  UNKNOWN  rdma    20049  /x  ");
}

static void a_quiet_table_shows_only_problems(void)
{
	static const char *const heads[] = { "state", "mount", "source", NULL };
	static const char *const row[] = { "proven", "/srv/vm", "nas1:/vm", NULL };
	_cleanup_(report_free_p) struct report *report = sample();
	_cleanup_(report_free_p) struct report *good = report_new("mounts");
	const struct report_style style = { .width = 80, .quiet = true };
	_cleanup_free_ char *text = render(report, "text", &style);
	_cleanup_free_ char *nothing = NULL;

	ASSERT_LACKS(text, "/srv/vm");
	ASSERT_CONTAINS(text, "FAIL  tcp ");
	ASSERT_CONTAINS(text, "WARN  tcp ");
	report_columns(good, heads, 2);
	report_row(good, FINDING_PASS, row);
	nothing = render(good, "text", &style);
	ASSERT_LACKS(nothing, "mount  source");
}

static void other_formats_have_no_table(void)
{
	static const char *const formats[] = { "json", "prometheus", "openmetrics", "nagios" };
	_cleanup_(report_free_p) struct report *report = sample();
	const struct report_style style = { .width = 80 };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(formats); i++) {
		_cleanup_free_ char *text = render(report, formats[i], &style);
		SUITE_ROW("%zu: %s", i, formats[i]);

		ASSERT_LACKS(text, "/srv");
	}
}

static void any_number_of_rows_is_accepted(void)
{
	static const char *const heads[] = { "mount", "source", NULL };
	_cleanup_(report_free_p) struct report *report = report_new("mounts");
	const struct report_style style = { .width = 80 };
	_cleanup_free_ char *text = NULL;
	char name[16];
	const char *row[] = { name, "s", NULL };
	int i;

	report_columns(report, heads, 2);
	for (i = 0; i < 1000; i++) {
		SUITE_ROW("%d", i);
		snprintf(name, sizeof(name), "m%d", i);
		CU_ASSERT_EQUAL(report_row(report, FINDING_PASS, row), 0);
	}
	text = render(report, "text", &style);
	ASSERT_CONTAINS(text, "  pass  m999   s\n");
}

/* --- several findings of one id ---------------------------------------------------------- */

static void add(struct report *report, const char *id, enum finding_status status,
		const char *target, double number)
{
	_cleanup_(finding_fini) struct finding finding = { 0 };

	finding_init(&finding, id, status, "%s: seen", target);
	finding_text(&finding, "target", "%s", target);
	finding_number(&finding, "sends", number);
	CU_ASSERT_EQUAL(report_add(report, &finding), 0);
}

static unsigned int count(const char *text, const char *part)
{
	unsigned int n = 0;

	for (; (text = strstr(text, part)); text++)
		n++;
	return n;
}

static void the_cause_of_one_id_is_printed_once(void)
{
	_cleanup_(report_free_p) struct report *report = report_new("mounts");
	const struct report_style style = { .width = 80, .verbose = true };
	_cleanup_free_ char *text = NULL;

	add(report, "mount.transport", FINDING_FAIL, "/a", 1);
	add(report, "mount.transport", FINDING_FAIL, "/b", 2);
	add(report, "mount.transport", FINDING_PASS, "/c", 3);
	add(report, "mount.transport", FINDING_PASS, "/d", 3);
	add(report, "mount.counters", FINDING_WARN, "/b", 2);
	text = render(report, "text", &style);
	CU_ASSERT_EQUAL(count(text, "  Cause  "), 2);
	CU_ASSERT_EQUAL(count(text, "  Remedy  "), 2);
	ASSERT_CONTAINS(text, "/b: seen");
	ASSERT_CONTAINS(text, "\n  pass  Transport of mounts: /d: seen\n");
}

static void many_numbers_share_a_paragraph(void)
{
	_cleanup_(report_free_p) struct report *report = report_new("mounts");
	const struct report_style style = { .width = 80, .verbose = true };
	_cleanup_free_ char *text = NULL;
	_cleanup_(finding_fini) struct finding finding = { 0 };
	char key[16];
	int i;

	finding_init(&finding, "mount.counters", FINDING_WARN, "seen");
	finding_text(&finding, "target", "/a");
	for (i = 0; i < 13; i++) {
		snprintf(key, sizeof(key), "n%d", i);
		finding_number(&finding, key, i);
	}
	report_add(report, &finding);
	text = render(report, "text", &style);
	ASSERT_CONTAINS(text, "Evidence  target   /a\n");
	ASSERT_CONTAINS(text, "numbers  n0 0, n1 1, n2 2,");
	ASSERT_CONTAINS(text, "n12 12\n");
}

SUITE_MAIN("table", TEST(a_long_name_does_not_move_the_others),
	   TEST(the_last_names_have_lines_where_most_rows_are_too_wide), TEST(colors_move_nothing),
	   TEST(columns_are_measured_as_a_terminal_does), TEST(columns_are_chosen),
	   TEST(what_no_row_has_is_not_shown), TEST(names_of_40_characters_are_not_broken),
	   TEST(names_have_columns_where_all_of_them_fit), TEST(an_unknown_row_shifts_all_columns),
	   TEST(a_quiet_table_shows_only_problems), TEST(other_formats_have_no_table),
	   TEST(any_number_of_rows_is_accepted), TEST(the_cause_of_one_id_is_printed_once),
	   TEST(many_numbers_share_a_paragraph))
