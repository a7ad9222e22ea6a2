/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The READ matrix on the page: sizes across, mechanisms down, a character for each cell.
 * Columns without a READ are omitted; if the page is too narrow, the remaining columns
 * follow below. */
#include "plugin/report/text.h"

#define MATRIX_MARGIN 2
#define LEGEND_WIDTH  23 /* its longest line, with leading blanks */

static const struct {
	const char *utf8, *ascii, *color, *text;
} results[MATRIX_RESULTS] = {
	[MATRIX_UNTESTED] = { "·", ".", "2", "untested" },
	[MATRIX_CORRECT] = { "✓", "+", "32", "correct" },
	[MATRIX_FAILED] = { "✗", "x", "1;31", "failed" },
	[MATRIX_SOME_FAILED] = { "~", "~", "1;33", "some failed" },
	[MATRIX_VIOLATED] = { "~", "~", "1;33", "protocol violation" },
};

/* In the order of the legend. */
static const enum matrix_result legend[] = { MATRIX_CORRECT, MATRIX_FAILED,
					     MATRIX_SOME_FAILED, MATRIX_VIOLATED,
					     MATRIX_UNTESTED };

static const char *const labels[MATRIX_ROWS] = {
	[MATRIX_INLINE] = "inline",           [MATRIX_REPLY_CHUNK] = "Reply chunk",
	[MATRIX_WRITE_CHUNK] = "Write chunk", [MATRIX_UNALIGNED] = "  unaligned",
	[MATRIX_SEGMENTS] = "  segments",     [MATRIX_AFTER_OTHERS] = "  after others",
	[MATRIX_IN_FLIGHT] = "  in flight",   [MATRIX_COMPOUND] = "COMPOUND",
};
static const char heading[] = "READ bytes up to";

struct text_matrix {
	struct page *page;
	const struct matrix *matrix;
	unsigned int first, end; /* columns of this block */
	unsigned int width;      /* of their cells */
	unsigned int line;       /* of the legend */
	bool aside;              /* the legend fits on the right */
};

/* "64K" */
static const char *size_text(unsigned int column, char *buf, size_t cap)
{
	uint32_t size = matrix_size(column);

	if (size == UINT32_MAX)
		snprintf(buf, cap, "more");
	else if (size % (1 << 20) == 0)
		snprintf(buf, cap, "%uM", size >> 20);
	else if (size % 1024 == 0)
		snprintf(buf, cap, "%uK", size >> 10);
	else
		snprintf(buf, cap, "%u", size);
	return buf;
}

/* Including the leading blank; 0: the column is omitted. */
static unsigned int cell_width(const struct matrix *matrix, unsigned int column)
{
	char buf[16];

	return matrix_column_is_tested(matrix, column)
		       ? (unsigned int)strlen(size_text(column, buf, sizeof(buf))) + 1
		       : 0;
}

static bool is_mechanism(enum matrix_row row)
{
	return row <= MATRIX_WRITE_CHUNK;
}

/* Mechanisms always. A variant only if it fails where its mechanism does not: of Write
 * chunks, or, for a COMPOUND, of all. */
static bool is_shown(const struct text_matrix *t, enum matrix_row row)
{
	unsigned int of = row == MATRIX_COMPOUND ? MATRIX_INLINE : MATRIX_WRITE_CHUNK;

	if (is_mechanism(row))
		return true;
	if (t->page->verbose)
		return matrix_row_is_tested(t->matrix, row);
	for (; is_mechanism(of); of++)
		if (matrix_row_needs_care(t->matrix, of))
			return false;
	return matrix_row_needs_care(t->matrix, row);
}

static const char *symbol(const struct text_matrix *t, enum matrix_result result)
{
	return t->page->utf8 ? results[result].utf8 : results[result].ascii;
}

static bool is_in_block(const struct text_matrix *t, enum matrix_result result)
{
	unsigned int row, i;

	for (row = 0; row < MATRIX_ROWS; row++)
		for (i = t->first; is_shown(t, row) && i < t->end; i++)
			if (cell_width(t->matrix, i) &&
			    matrix_result(t->matrix, row, i) == result)
				return true;
	return false;
}

/* The next result of the legend that occurs in the block; false: there is none. */
static bool next_legend(struct text_matrix *t, enum matrix_result *result)
{
	while (t->line < ARRAY_SIZE(legend)) {
		*result = legend[t->line++];
		if (is_in_block(t, *result))
			return true;
	}
	return false;
}

static void end_line(struct text_matrix *t)
{
	enum matrix_result result;

	if (t->aside && next_legend(t, &result)) {
		fputs("   ", t->page->out);
		page_colored(t->page, results[result].color, symbol(t, result));
		fprintf(t->page->out, " %s", results[result].text);
	}
	fputc('\n', t->page->out);
}

static void print_sizes(struct text_matrix *t)
{
	char buf[16];
	unsigned int i;

	fprintf(t->page->out, "%*s%s", MATRIX_MARGIN, "", heading);
	for (i = t->first; i < t->end; i++)
		if (cell_width(t->matrix, i))
			fprintf(t->page->out, " %s", size_text(i, buf, sizeof(buf)));
	end_line(t);
}

static void print_cells(struct text_matrix *t, enum matrix_row row)
{
	enum matrix_result result;
	unsigned int i, width;

	fprintf(t->page->out, "%*s%-*s", MATRIX_MARGIN, "", (int)strlen(heading),
		labels[row]);
	for (i = t->first; i < t->end; i++) {
		width = cell_width(t->matrix, i);
		if (!width)
			continue;
		result = matrix_result(t->matrix, row, i);
		fprintf(t->page->out, "%*s", (int)width - 1, "");
		page_colored(t->page, results[result].color, symbol(t, result));
	}
	end_line(t);
}

static void print_legend(struct text_matrix *t)
{
	enum matrix_result result;
	char text[160] = "";

	while (next_legend(t, &result))
		snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s%s %s",
			 *text ? ", " : "", symbol(t, result), results[result].text);
	fprintf(t->page->out, "%*s", MATRIX_MARGIN, "");
	page_paragraph(t->page, text, MATRIX_MARGIN);
}

/* As many columns from @first as fit. */
static void print_block(struct text_matrix *t, unsigned int first)
{
	unsigned int row, left = MATRIX_MARGIN + (unsigned int)strlen(heading);

	t->first = t->end = first;
	t->width = t->line = 0;
	while (t->end < MATRIX_COLUMNS &&
	       left + t->width + cell_width(t->matrix, t->end) <= t->page->width)
		t->width += cell_width(t->matrix, t->end++);
	t->aside = left + t->width + LEGEND_WIDTH <= t->page->width;
	fputc('\n', t->page->out);
	print_sizes(t);
	for (row = 0; row < MATRIX_ROWS; row++)
		if (is_shown(t, row))
			print_cells(t, row);
	if (!t->aside)
		print_legend(t);
}

/* A finding about READs, unless it follows from another one: an unreachable server has no
 * useful matrix. */
static bool is_about_reads(const struct report *report, const struct finding *finding)
{
	const struct finding *root = report_root(report, finding);

	return report_needs_care(finding->status) && report_is_about_reads(finding) &&
	       (report_is_about_reads(root) || finding_is_defect(root));
}

static bool is_wanted(const struct page *page, const struct report *report)
{
	unsigned int i;

	if (matrix_is_empty(&report->matrix))
		return false;
	if (page->verbose && !page->quiet)
		return true;
	for (i = 0; i < report->nfindings; i++)
		if (is_about_reads(report, report->findings[i]))
			return true;
	return false;
}

void page_matrix(struct page *page, const struct report *report)
{
	struct text_matrix t = { .page = page, .matrix = &report->matrix };

	if (!is_wanted(page, report))
		return;
	do {
		print_block(&t, t.end);
	} while (t.end < MATRIX_COLUMNS);
}
