/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The rows of the table at the top of a text report (text-table.c). */
#include "plugin/report/internal.h"
#include "plugin/report/words.h"
#include "rpcrdma/base/grow.h"

static void table_free_row(struct report_row *row)
{
	unsigned int i;

	for (i = 0; i < REPORT_COLUMNS_MAX; i++)
		free(row->cells[i]);
}

void table_fini(struct report_table *table)
{
	unsigned int i;

	table_free_row(&table->head);
	for (i = 0; i < table->nrows; i++)
		table_free_row(&table->rows[i]);
	free(table->rows);
}

static int table_copy_row(struct report *report, struct report_row *row, const char *const *cells)
{
	const char *cell = *cells;
	unsigned int i;
	size_t cap;

	for (i = 0; i < report->table.ncolumns; i++) {
		cell = cell ? cells[i] : NULL;
		/* An escaped byte takes four characters. */
		cap = 4 * strlen(cell ? cell : "") + 1;
		row->cells[i] = malloc(cap);
		if (!row->cells[i]) {
			report->no_memory = true;
			return err_no_memory();
		}
		utf8_clean(row->cells[i], cap, cell ? cell : "", UTF8_ESCAPE);
	}
	return 0;
}

int report_columns(struct report *report, const char *const *heads, unsigned int nnames)
{
	struct report_table *table = &report->table;

	table->nnames = nnames;
	while (table->ncolumns < REPORT_COLUMNS_MAX && heads[table->ncolumns]) {
		table->shown.columns[table->ncolumns] = (unsigned char)table->ncolumns;
		table->shown.count = ++table->ncolumns;
	}
	return table_copy_row(report, &table->head, heads);
}

static int table_no_column(const char *const *heads, const char *name, size_t len)
{
	struct words words = { .separator = ", " };

	for (; *heads; heads++)
		words_add(&words, "%s", *heads);
	return err_set(EINVAL, "no column \"%.*s\"; there are: %s", (int)len, name,
		       words_text(&words));
}

int report_choose(const char *const *heads, const char *names, struct report_shown *out)
{
	unsigned int column;
	size_t len;

	*out = (struct report_shown){ .count = 0 };
	for (;; names += len + 1) {
		len = strcspn(names, ",");
		/* "NFS" is "nfs" as well. */
		for (column = 0; heads[column]; column++)
			if (strlen(heads[column]) == len && !strncasecmp(heads[column], names, len))
				break;
		if (!heads[column])
			return table_no_column(heads, names, len);
		if (out->count == REPORT_COLUMNS_MAX)
			return err_set(EINVAL, "more than %d columns", REPORT_COLUMNS_MAX);
		out->columns[out->count++] = (unsigned char)column;
		if (!names[len])
			return 0;
	}
}

void report_plain(struct report *report)
{
	report->table.plain = true;
}

void report_show(struct report *report, const struct report_shown *shown)
{
	if (shown->count)
		report->table.shown = *shown;
}

int report_row(struct report *report, enum finding_status status, const char *const *cells)
{
	struct report_table *table = &report->table;
	struct report_row *row;

	if (!grow(table->rows, table->nrows)) {
		report->no_memory = true;
		return err_no_memory();
	}
	row = &table->rows[table->nrows++];
	*row = (struct report_row){ .status = status };
	return table_copy_row(report, row, cells);
}

bool table_needs_care(const struct report_table *table)
{
	unsigned int i;

	for (i = 0; i < table->nrows; i++)
		if (report_needs_care(table->rows[i].status))
			return true;
	return false;
}
