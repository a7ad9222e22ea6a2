/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The table at the top of a text report, laid out by libsmartcols, as those of findmnt(8) and
 * lsblk(8): one name that is much longer than the others does not move them. A name is never cut or
 * wrapped, so that it can be copied; where many rows are too wide, each name has a line of its
 * own. */
#include <libsmartcols/libsmartcols.h>
#include <locale.h>

#include "plugin/report/text.h"

#define NAMES_INDENT 10

static void text_table_unref(struct libscols_table **table)
{
	scols_unref_table(*table);
}

static bool text_table_is_name(const struct report_table *table, unsigned int column)
{
	return column + table->nnames >= table->ncolumns;
}

/* Whether the i-th column that is shown is one of the last @below names. */
static bool text_table_is_below(const struct report_table *table, unsigned int i,
				unsigned int below)
{
	unsigned int after = 0, j;

	for (j = i + 1; j < table->shown.count; j++)
		after += text_table_is_name(table, table->shown.columns[j]);
	return text_table_is_name(table, table->shown.columns[i]) && after < below;
}

/* The status, then the columns that are shown, without the last @below names. */
static int text_table_add_columns(struct libscols_table *out, const struct report_table *table,
				  unsigned int below)
{
	unsigned int i;

	if (!scols_table_new_column(out, "", 0, 0))
		return -ENOMEM;
	for (i = 0; i < table->shown.count; i++) {
		bool name = text_table_is_name(table, table->shown.columns[i]);

		if (!text_table_is_below(table, i, below) &&
		    !scols_table_new_column(out, "", 0, name ? SCOLS_FL_NOEXTREMES : 0))
			return -ENOMEM;
	}
	return 0;
}

static int text_table_add_row(const struct page *page, struct libscols_table *out,
			      const struct report_table *table, const struct report_row *row,
			      unsigned int below)
{
	struct libscols_line *line = scols_table_new_line(out, NULL);
	unsigned int i, at = 1;
	char word[16] = "", color[16];
	int rc = line ? 0 : -ENOMEM;

	if (!rc && row != &table->head && !table->plain) {
		snprintf(word, sizeof(word), "  %s", page_status_word(row->status));
		snprintf(color, sizeof(color), "\033[%sm", page_status_color(row->status));
		if (page->color)
			rc = scols_cell_set_color(scols_line_get_cell(line, 0), color);
	}
	rc = rc ? rc : scols_line_set_data(line, 0, word);
	for (i = 0; !rc && i < table->shown.count; i++)
		if (!text_table_is_below(table, i, below))
			rc = scols_line_set_data(line, at++, row->cells[table->shown.columns[i]]);
	return rc;
}

static bool text_table_omits(const struct page *page, const struct report_row *row)
{
	return page->quiet && !report_needs_care(row->status);
}

/* Errors: -ENOMEM. */
static int text_table_render(const struct page *page, const struct report_table *table,
			     unsigned int below, bool color, char **text)
{
	_cleanup_(text_table_unref) struct libscols_table *out = scols_new_table();
	unsigned int i;
	int rc;

	if (!out)
		return -ENOMEM;
	scols_table_enable_noheadings(out, 1);
	scols_table_enable_noencoding(out, 1);
	scols_table_enable_colors(out, color);
	scols_table_set_termforce(out, SCOLS_TERMFORCE_ALWAYS);
	scols_table_set_termwidth(out, page->width);
	rc = scols_table_set_column_separator(out, "  ");
	rc = rc ? rc : text_table_add_columns(out, table, below);
	rc = rc ? rc : text_table_add_row(page, out, table, &table->head, below);
	for (i = 0; !rc && i < table->nrows; i++)
		if (!text_table_omits(page, &table->rows[i]))
			rc = text_table_add_row(page, out, table, &table->rows[i], below);
	return rc ? rc : scols_print_table_to_string(out, text);
}

/* As many rows are wider than the page, or continue on another line, which has no status, as are
 * not. */
static bool text_table_is_wide(const struct page *page, char *text)
{
	unsigned int rows = 0, wide = 0, at = 0;
	bool counted = false;
	char *line;

	while ((line = strsep(&text, "\n")) && *line) {
		bool more = at++ && !strncmp(line, "   ", 3);

		rows += !more;
		counted = counted && more;
		if (!counted && (more || utf8_width(line) > page->width)) {
			counted = true;
			wide++;
		}
	}
	return 2 * wide >= rows;
}

/* A line of @text for each row, and its last names below. */
static void text_table_stack(const struct page *page, const struct report_table *table,
			     unsigned int below, char *text)
{
	const struct report_row *row = &table->head;
	unsigned int i, next = 0;
	char *line;

	while ((line = strsep(&text, "\n")) && *line) {
		fprintf(page->out, "%s\n", line);
		for (i = 0; i < table->shown.count; i++)
			if (text_table_is_below(table, i, below) &&
			    *row->cells[table->shown.columns[i]])
				fprintf(page->out, "%*s%s\n", NAMES_INDENT, "",
					row->cells[table->shown.columns[i]]);
		while (next < table->nrows && text_table_omits(page, &table->rows[next]))
			next++;
		if (next < table->nrows)
			row = &table->rows[next++];
	}
}

/* What no row has is not shown. */
static void text_table_drop_empty(struct report_table *table)
{
	unsigned int i, j, kept = 0;

	for (i = 0; i < table->shown.count; i++) {
		for (j = 0; j < table->nrows; j++)
			if (*table->rows[j].cells[table->shown.columns[i]])
				break;
		if (j < table->nrows)
			table->shown.columns[kept++] = table->shown.columns[i];
	}
	table->shown.count = kept;
}

static void text_table_print(struct page *page, const struct report_table *all)
{
	_cleanup_free_ char *text = NULL;
	struct report_table table = *all;
	unsigned int below = 0;
	bool wide = true;
	int rc = 0;

	text_table_drop_empty(&table);
	if (!table.shown.count || (page->quiet && !table_needs_care(&table)))
		return;
	/* As many names beside the other columns as fit. */
	for (; wide && !rc && below < table.nnames; below += wide) {
		_cleanup_free_ char *plain = NULL;

		rc = text_table_render(page, &table, below, false, &plain);
		wide = !rc && text_table_is_wide(page, plain);
	}
	rc = rc ? rc : text_table_render(page, &table, below, page->color, &text);
	fputc('\n', page->out);
	if (rc)
		fputs("  There is no memory for the table.\n", page->out);
	else if (below)
		text_table_stack(page, &table, below, text);
	else
		fprintf(page->out, "%s\n", text);
}

/* libsmartcols measures by the locale; cells are UTF-8 in any. */
void page_table(struct page *page, const struct report_table *table)
{
	locale_t utf8 = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
	locale_t before = uselocale(utf8);

	text_table_print(page, table);
	uselocale(before);
	if (utf8)
		freelocale(utf8);
}
