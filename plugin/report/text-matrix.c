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
} matrix_results[MATRIX_RESULTS] = {
	[MATRIX_UNTESTED] = { "·", ".", "2", "untested" },
	[MATRIX_CORRECT] = { "✓", "+", "32", "correct" },
	[MATRIX_FAILED] = { "✗", "x", "1;31", "failed" },
	[MATRIX_SOME_FAILED] = { "~", "~", "1;33", "some failed" },
	[MATRIX_VIOLATED] = { "!", "!", "1;33", "protocol violation" },
};

/* In the order of the legend. */
static const enum matrix_result matrix_legend[] = { MATRIX_CORRECT, MATRIX_FAILED,
						    MATRIX_SOME_FAILED, MATRIX_VIOLATED,
						    MATRIX_UNTESTED };

static const char *const matrix_labels[MATRIX_ROWS] = {
	[MATRIX_INLINE] = "inline",
	[MATRIX_REPLY_CHUNK] = "Reply chunk",
	[MATRIX_WRITE_CHUNK] = "Write chunk",
	[MATRIX_UNALIGNED] = "  unaligned",
	[MATRIX_SEGMENTS] = "  segments",
	[MATRIX_AFTER_OTHERS] = "  after others",
	[MATRIX_IN_FLIGHT] = "  in flight",
	[MATRIX_COMPOUND] = "COMPOUND",
	[MATRIX_WRITE_INLINE] = "WRITE inline",
	[MATRIX_WRITE_READ_CHUNK] = "WRITE by Read chunk",
	[MATRIX_WRITE_LONG] = "WRITE in long calls",
};
static const char matrix_heading[] = "READ size (bytes, up to)";

struct text_matrix {
	struct page *page;
	const struct matrix *matrix;
	unsigned int first, end; /* columns of this block */
	unsigned int width;      /* of their cells */
	unsigned int line;       /* of the legend */
	bool aside;              /* the legend fits on the right */
};

/* "64K" */
static const char *text_matrix_size_text(unsigned int column, char *buf, size_t cap)
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
static unsigned int text_matrix_cell_width(const struct matrix *matrix, unsigned int column)
{
	char buf[16];

	return matrix_column_is_tested(matrix, column)
		       ? (unsigned int)strlen(text_matrix_size_text(column, buf, sizeof(buf))) + 1
		       : 0;
}

/* Mechanisms (the first rows) always. A variant only if it fails where its mechanism does
 * not: of Write chunks, or, for a COMPOUND, of all. */
static bool text_matrix_is_shown(const struct text_matrix *t, enum matrix_row row)
{
	unsigned int of = row == MATRIX_COMPOUND ? MATRIX_INLINE : MATRIX_WRITE_CHUNK;

	if (row <= MATRIX_WRITE_CHUNK)
		return true;
	if (row >= MATRIX_WRITE_INLINE)
		return matrix_row_is_tested(t->matrix, row);
	if (t->page->verbose)
		return matrix_row_is_tested(t->matrix, row);
	for (; of <= MATRIX_WRITE_CHUNK; of++)
		if (matrix_row_needs_care(t->matrix, of))
			return false;
	return matrix_row_needs_care(t->matrix, row);
}

static const char *text_matrix_symbol(const struct text_matrix *t, enum matrix_result result)
{
	return t->page->utf8 ? matrix_results[result].utf8 : matrix_results[result].ascii;
}

static bool text_matrix_is_in_block(const struct text_matrix *t, enum matrix_result result)
{
	unsigned int row, i;

	for (row = 0; row < MATRIX_ROWS; row++)
		for (i = t->first; text_matrix_is_shown(t, row) && i < t->end; i++)
			if (text_matrix_cell_width(t->matrix, i) &&
			    matrix_result(t->matrix, row, i) == result)
				return true;
	return false;
}

/* The next result of the legend that occurs in the block; false: there is none. */
static bool text_matrix_next_legend(struct text_matrix *t, enum matrix_result *result)
{
	while (t->line < ARRAY_SIZE(matrix_legend)) {
		*result = matrix_legend[t->line++];
		if (text_matrix_is_in_block(t, *result))
			return true;
	}
	return false;
}

static void text_matrix_end_line(struct text_matrix *t)
{
	enum matrix_result result;

	if (t->aside && text_matrix_next_legend(t, &result)) {
		fputs("   ", t->page->out);
		page_colored(t->page, matrix_results[result].color, text_matrix_symbol(t, result));
		fprintf(t->page->out, " %s", matrix_results[result].text);
	}
	fputc('\n', t->page->out);
}

static void text_matrix_print_cells(struct text_matrix *t, enum matrix_row row)
{
	enum matrix_result result;
	unsigned int i, width;

	fprintf(t->page->out, "%*s%-*s", MATRIX_MARGIN, "", (int)strlen(matrix_heading),
		matrix_labels[row]);
	for (i = t->first; i < t->end; i++) {
		width = text_matrix_cell_width(t->matrix, i);
		if (!width)
			continue;
		result = matrix_result(t->matrix, row, i);
		fprintf(t->page->out, "%*s", (int)width - 1, "");
		page_colored(t->page, matrix_results[result].color, text_matrix_symbol(t, result));
	}
	text_matrix_end_line(t);
}

/* As many columns from @first as fit. */
static void text_matrix_print_block(struct text_matrix *t, unsigned int first)
{
	unsigned int i, row, left = MATRIX_MARGIN + (unsigned int)strlen(matrix_heading);
	enum matrix_result result;
	char size[16], text[160] = "";

	t->first = t->end = first;
	t->width = t->line = 0;
	while (t->end < MATRIX_COLUMNS &&
	       left + t->width + text_matrix_cell_width(t->matrix, t->end) <= t->page->width)
		t->width += text_matrix_cell_width(t->matrix, t->end++);
	t->aside = left + t->width + LEGEND_WIDTH <= t->page->width;
	fputc('\n', t->page->out);
	fprintf(t->page->out, "%*s%s", MATRIX_MARGIN, "", matrix_heading);
	for (i = t->first; i < t->end; i++)
		if (text_matrix_cell_width(t->matrix, i))
			fprintf(t->page->out, " %s", text_matrix_size_text(i, size, sizeof(size)));
	text_matrix_end_line(t);
	for (row = 0; row < MATRIX_ROWS; row++)
		if (text_matrix_is_shown(t, row))
			text_matrix_print_cells(t, row);
	if (t->aside)
		return;
	while (text_matrix_next_legend(t, &result))
		snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s%s %s",
			 *text ? ", " : "", text_matrix_symbol(t, result),
			 matrix_results[result].text);
	fprintf(t->page->out, "%*s", MATRIX_MARGIN, "");
	page_paragraph(t->page, text, MATRIX_MARGIN);
}

static bool text_matrix_is_wanted(const struct page *page, const struct report *report)
{
	const struct finding *finding, *root;
	unsigned int i;

	if (matrix_is_empty(&report->matrix))
		return false;
	if (page->verbose && !page->quiet)
		return true;
	/* A finding about READs, unless it follows from another one: an unreachable server
	 * has no useful matrix. */
	for (i = 0; i < report->nfindings; i++) {
		finding = report->findings[i];
		if (!report_needs_care(finding->status) || !report_is_about_reads(finding))
			continue;
		root = report_root(report, finding);
		if (report_is_about_reads(root) || finding_is_defect(root))
			return true;
	}
	return false;
}

void page_matrix(struct page *page, const struct report *report)
{
	struct text_matrix t = { .page = page, .matrix = &report->matrix };

	if (!text_matrix_is_wanted(page, report))
		return;
	do {
		text_matrix_print_block(&t, t.end);
	} while (t.end < MATRIX_COLUMNS);
}
