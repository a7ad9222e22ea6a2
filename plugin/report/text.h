/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The page printed by the files text*.c. */
#ifndef PLUGIN_REPORT_TEXT_H
#define PLUGIN_REPORT_TEXT_H

#include "plugin/report/internal.h"

#define INDENT      8   /* of summaries: two blanks, a status word of four, two blanks */
#define LABEL_WIDTH 10  /* "Evidence" and its blanks */
#define COLUMNS_MIN 100 /* from this width titles have a column of their own */

/* The steps printed so far: a step shared by several findings is printed once. */
struct printed {
	unsigned int count;
	struct report_step *steps; /* NULL: no memory, and every step is printed */
};

#define PRINTED_MAX 64

struct page {
	FILE *out;
	unsigned int width;
	bool color, quiet, verbose, utf8;
	bool steps_last; /* causes have no steps next to them */
	struct printed printed;
	char clean[4 * FINDING_SUMMARY_MAX + 1];
};

/* text.c */

void page_colored(struct page *page, const char *color, const char *text);
/* Prints the status, and at least two blanks up to column INDENT; returns the next column. */
unsigned int page_status(struct page *page, enum finding_status status);
/* "FAIL", and its color as page_colored() takes it. */
const char *page_status_word(enum finding_status status);
const char *page_status_color(enum finding_status status);
/* Cleans and wraps @text; the caller is at column @indent. */
void page_paragraph(struct page *page, const char *text, unsigned int indent);
/* Prints a command on a line of its own, never wrapped, so that it can be pasted; or nothing, if it
 * is empty. */
void page_command(struct page *page, const char *command, unsigned int indent);
/* Prints " [ID/REASON]" and ends the line; uses a new line if there is no room. @column:
 * where the caller is. */
void page_name(struct page *page, const struct finding *finding, unsigned int column);
/* Whether the report has findings of this group before @at. */
bool page_group_began(const struct report *report, unsigned int at);

/* text-table.c */

void page_table(struct page *page, const struct report_table *table);

/* text-brief.c: causes with their steps, or a line for each group where all is well */

void page_brief(struct page *page, const struct report *report);
/* A line for each cause. */
void page_causes(struct page *page, const struct report *report);
/* The steps of all causes. */
void page_steps(struct page *page, const struct report *report);

/* text-matrix.c: what READs returned, where a finding is about them, or the page is verbose */

void page_matrix(struct page *page, const struct report *report);

/* text-full.c: every finding, with its evidence if the page is verbose */

void page_full(struct page *page, const struct report *report);
/* One line for each good finding that is a fact to show: one with "fact" as evidence. */
void page_facts(struct page *page, const struct report *report);

#endif
