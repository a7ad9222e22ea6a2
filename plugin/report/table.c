/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The table at the top of a text report. Its last columns are names of any length: they
 * have lines of their own if they do not fit. */
#include "plugin/report/internal.h"

#define ROWS_STEP 64

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

static int table_copy_row(struct report *report, struct report_row *row,
			  const char *const *cells)
{
	/* An escaped byte takes four characters. */
	unsigned int i;
	size_t cap;

	for (i = 0; i < REPORT_COLUMNS_MAX && cells[i]; i++) {
		cap = 4 * strlen(cells[i]) + 1;
		row->cells[i] = malloc(cap);
		if (!row->cells[i]) {
			report->no_memory = true;
			return err_no_memory();
		}
		utf8_clean(row->cells[i], cap, cells[i], UTF8_ESCAPE);
	}
	return 0;
}

int report_columns(struct report *report, const char *const *heads, unsigned int nnames)
{
	struct report_table *table = &report->table;

	table->nnames = nnames;
	while (table->ncolumns < REPORT_COLUMNS_MAX && heads[table->ncolumns])
		table->ncolumns++;
	return table_copy_row(report, &table->head, heads);
}

int report_row(struct report *report, enum finding_status status,
	       const char *const *cells)
{
	struct report_table *table = &report->table;
	struct report_row *rows;

	if (table->nrows % ROWS_STEP == 0) {
		rows = reallocarray(table->rows, table->nrows + ROWS_STEP, sizeof(*rows));
		if (!rows) {
			report->no_memory = true;
			return err_no_memory();
		}
		table->rows = rows;
	}
	rows = &table->rows[table->nrows++];
	*rows = (struct report_row){ .status = status };
	return table_copy_row(report, rows, cells);
}

bool table_needs_care(const struct report_table *table)
{
	unsigned int i;

	for (i = 0; i < table->nrows; i++)
		if (report_needs_care(table->rows[i].status))
			return true;
	return false;
}

unsigned int table_width(const struct report_table *table, unsigned int column)
{
	size_t width = utf8_width(table->head.cells[column]), n;
	unsigned int i;

	for (i = 0; i < table->nrows; i++) {
		n = table->rows[i].cells[column]
			    ? utf8_width(table->rows[i].cells[column])
			    : 0;
		width = n > width ? n : width;
	}
	return (unsigned int)width;
}
