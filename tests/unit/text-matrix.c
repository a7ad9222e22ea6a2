/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The READ matrix in a report: when it is shown, its rows and columns, at any width. */
#include "plugin/report/report.h"
#include "suite.h"

static const struct report_style narrow = { .width = 60 }, wide = { .width = 80 };

static char *render(const struct report *report, const struct report_style *style)
{
	char *text = NULL;
	size_t len = 0;
	FILE *mem = open_memstream(&text, &len);

	CU_ASSERT_EQUAL(report_print(report, report_format_find("text"), mem, style), 0);
	fclose(mem);
	return text;
}

/* A server whose READs by Write chunk are wrong from 813 bytes on. */
static void fill(struct matrix *matrix)
{
	static const uint32_t bytes[] = { 4, 788, 812, 813, 4096, 65536 };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(bytes); i++) {
		unsigned int seen = bytes[i] > 812 ? MATRIX_WRONG : MATRIX_RIGHT;

		if (bytes[i] < 4096)
			matrix_add(matrix, MATRIX_INLINE, bytes[i], MATRIX_RIGHT);
		matrix_add(matrix, MATRIX_REPLY_CHUNK, bytes[i], MATRIX_RIGHT);
		matrix_add(matrix, MATRIX_WRITE_CHUNK, bytes[i], seen);
		matrix_add(matrix, MATRIX_IN_FLIGHT, bytes[i], seen);
	}
}

static struct report *report_of(const struct matrix *matrix, enum finding_status status)
{
	struct report *report = report_new("probe");
	_cleanup_(finding_fini) struct finding finding = { 0 };

	finding_init(&finding, "probe.read.write-chunk", status, "some READs");
	CU_ASSERT_EQUAL(report_add(report, &finding), 0);
	report_matrix(report, matrix);
	return report;
}

static void sizes_are_columns_and_mechanisms_rows(void)
{
	struct matrix matrix = { 0 };
	_cleanup_(report_free_p) struct report *report = NULL;
	_cleanup_free_ char *text = NULL;

	fill(&matrix);
	report = report_of(&matrix, FINDING_FAIL);
	text = render(report, &wide);
	ASSERT_CONTAINS(text, "\n\n"
			      "  READ size (bytes, up to) 4 788 812 856 4K 64K   + correct\n"
			      "  inline                   +   +   +   +  .   .   x failed\n"
			      "  Reply chunk              +   +   +   +  +   +   . untested\n"
			      "  Write chunk              +   +   +   x  x   x\n"
			      "\n");
}

static void a_utf8_terminal_gets_symbols(void)
{
	const struct report_style style = { .width = 80, .utf8 = true };
	struct matrix matrix = { 0 };
	_cleanup_(report_free_p) struct report *report = NULL;
	_cleanup_free_ char *text = NULL;

	fill(&matrix);
	report = report_of(&matrix, FINDING_FAIL);
	text = render(report, &style);
	ASSERT_CONTAINS(text, "  inline                   ✓   ✓   ✓   ✓  ·   ·   ✗ failed\n");
}

static void colours_show_the_result(void)
{
	const struct report_style style = { .width = 80, .color = true };
	struct matrix matrix = { 0 };
	_cleanup_(report_free_p) struct report *report = NULL;
	_cleanup_free_ char *text = NULL;

	fill(&matrix);
	report = report_of(&matrix, FINDING_FAIL);
	text = render(report, &style);
	ASSERT_CONTAINS(text, "  \033[1;31mx\033[0m  \033[1;31mx\033[0m");
}

static void a_narrow_page_has_the_legend_below(void)
{
	struct matrix matrix = { 0 };
	_cleanup_(report_free_p) struct report *report = NULL;
	_cleanup_free_ char *text = NULL;

	fill(&matrix);
	report = report_of(&matrix, FINDING_FAIL);
	text = render(report, &narrow);
	ASSERT_CONTAINS(text, "  Write chunk              +   +   +   x  x   x\n"
			      "  + correct, x failed, . untested\n");
}

/* All columns, at every width. */
static void columns_that_do_not_fit_continue_below(void)
{
	struct report_style style = { .verbose = true };
	struct matrix matrix;
	_cleanup_(report_free_p) struct report *report = NULL;
	unsigned int column;

	memset(&matrix, MATRIX_RIGHT, sizeof(matrix));
	for (column = 0; column < MATRIX_COLUMNS; column++)
		matrix.seen[MATRIX_INLINE][column] = 1u << column % 4;
	report = report_of(&matrix, FINDING_FAIL);
	for (style.width = 40; style.width <= 110; style.width++) {
		_cleanup_free_ char *text = render(report, &style);
		char *line, *rest = text, *end = strstr(text, "\n\nREAD\n");

		SUITE_ROW("%u columns", style.width);
		CU_ASSERT_PTR_NOT_NULL_FATAL(end);
		*end = '\0';
		ASSERT_CONTAINS(text, " 788");
		ASSERT_CONTAINS(text, " more");
		while ((line = strsep(&rest, "\n")))
			ASSERT_AT_MOST(strlen(line), style.width);
	}
}

static void a_clean_matrix_is_shown_only_with_verbose(void)
{
	const struct report_style verbose = { .width = 80, .verbose = true },
				  quiet = { .width = 80, .verbose = true, .quiet = true };
	struct matrix matrix = { 0 };
	_cleanup_(report_free_p) struct report *report = NULL;
	_cleanup_free_ char *brief = NULL, *full = NULL, *less = NULL;

	matrix_add(&matrix, MATRIX_WRITE_CHUNK, 813, MATRIX_RIGHT);
	matrix_add(&matrix, MATRIX_SEGMENTS, 813, MATRIX_RIGHT);
	report = report_of(&matrix, FINDING_PASS);
	brief = render(report, &wide);
	full = render(report, &verbose);
	less = render(report, &quiet);
	ASSERT_LACKS(brief, "READ size");
	ASSERT_LACKS(less, "READ size");
	ASSERT_CONTAINS(full, "  Write chunk                +\n"
			      "    segments                 +\n");
}

static void a_finding_about_reads_shows_the_matrix(void)
{
	struct matrix matrix = { 0 };
	_cleanup_(report_free_p) struct report *report = NULL;
	_cleanup_free_ char *text = NULL;

	matrix_add(&matrix, MATRIX_WRITE_CHUNK, 813, MATRIX_RIGHT);
	report = report_of(&matrix, FINDING_UNKNOWN);
	text = render(report, &wide);
	ASSERT_CONTAINS(text, "READ size");
}

static void a_variant_is_shown_where_only_it_fails(void)
{
	struct matrix matrix = { 0 };
	_cleanup_(report_free_p) struct report *report = NULL;
	_cleanup_free_ char *text = NULL;

	matrix_add(&matrix, MATRIX_WRITE_CHUNK, 813, MATRIX_RIGHT);
	matrix_add(&matrix, MATRIX_UNALIGNED, 813, MATRIX_WRONG);
	matrix_add(&matrix, MATRIX_SEGMENTS, 813, MATRIX_RIGHT);
	matrix_add(&matrix, MATRIX_COMPOUND, 813, MATRIX_WRONG);
	report = report_of(&matrix, FINDING_FAIL);
	text = render(report, &wide);
	ASSERT_CONTAINS(text, "  Write chunk                +\n"
			      "    unaligned                x\n"
			      "  COMPOUND                   x\n"
			      "\n");
}

static void a_report_without_reads_has_none(void)
{
	const struct report_style verbose = { .width = 80, .verbose = true };
	struct matrix matrix = { 0 };
	_cleanup_(report_free_p) struct report *report = report_of(&matrix, FINDING_UNKNOWN);
	_cleanup_free_ char *text = render(report, &verbose);

	ASSERT_LACKS(text, "READ size");
}

SUITE_MAIN("text-matrix", TEST(sizes_are_columns_and_mechanisms_rows),
	   TEST(a_utf8_terminal_gets_symbols), TEST(colours_show_the_result),
	   TEST(a_narrow_page_has_the_legend_below), TEST(columns_that_do_not_fit_continue_below),
	   TEST(a_clean_matrix_is_shown_only_with_verbose),
	   TEST(a_finding_about_reads_shows_the_matrix),
	   TEST(a_variant_is_shown_where_only_it_fails), TEST(a_report_without_reads_has_none))
