/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The report for people: the subject, the answer, the table if there is one, the causes with their steps
 * (text-brief.c) or every finding (text-full.c), and the verdict, which is next to the prompt when the
 * command ends. */
#include "plugin/report/text.h"
#include "plugin/report/words.h"

#define WIDTH_MIN      40  /* narrower terminals wrap by themselves */
#define WIDTH_MAX      110 /* longer lines are hard to read */
#define INDENT_UNKNOWN 11  /* for a table that contains this status */

static const struct {
	const char *word, *color;
} text_statuses[FINDING_STATUS_COUNT] = {
	[FINDING_PASS] = { "pass", "32" },         [FINDING_WARN] = { "WARN", "1;33" },
	[FINDING_FAIL] = { "FAIL", "1;31" },       [FINDING_SKIP] = { "skip", "2" },
	[FINDING_UNKNOWN] = { "UNKNOWN", "1;35" },
};

void page_colored(struct page *page, const char *color, const char *text)
{
	if (page->color)
		fprintf(page->out, "\033[%sm%s\033[0m", color, text);
	else
		fputs(text, page->out);
}

unsigned int page_status_to(struct page *page, enum finding_status status,
			    unsigned int at)
{
	unsigned int end = 2 + (unsigned int)strlen(text_statuses[status].word) + 2;

	at = at > end ? at : end;
	fputs("  ", page->out);
	page_colored(page, text_statuses[status].color, text_statuses[status].word);
	fprintf(page->out, "%*s", (int)(at - end) + 2, "");
	return at;
}

unsigned int page_status(struct page *page, enum finding_status status)
{
	return page_status_to(page, status, INDENT);
}

void page_paragraph(struct page *page, const char *text, unsigned int indent)
{
	utf8_clean(page->clean, sizeof(page->clean), text, UTF8_ESCAPE);
	wrap_print(page->out, page->clean, indent, page->width);
}

void page_command(struct page *page, const char *command, unsigned int indent)
{
	if (!*command)
		return;
	utf8_clean(page->clean, sizeof(page->clean), command, UTF8_ESCAPE);
	fprintf(page->out, "%*s", (int)indent, "");
	page_colored(page, "1", page->clean);
	fputc('\n', page->out);
}

void page_name(struct page *page, const struct finding *finding, unsigned int column)
{
	char name[REPORT_NAME_MAX];

	report_name(finding, name);
	if (column + strlen(name) + 3 > page->width)
		fprintf(page->out, "\n%*s", INDENT - 1, "");
	fprintf(page->out, " [%s]\n", name);
}

bool page_group_began(const struct report *report, unsigned int at)
{
	const char *group = meaning_find(report->findings[at]->id)->group;
	unsigned int i;

	for (i = 0; i < at; i++)
		if (!strcmp(meaning_find(report->findings[i]->id)->group, group))
			return true;
	return false;
}

static void text_print_subject(struct page *page, const struct report *report)
{
	char *const *s = report->subject;
	const char *server = s[SUBJECT_SERVER] ? s[SUBJECT_SERVER] : "this host";
	bool v6 = strchr(server, ':');
	char text[FINDING_SUMMARY_MAX];
	int n;

	n = snprintf(text, sizeof(text), "nfsrdma %s: %s%s%s%s%s", report->command,
		     v6 ? "[" : "", server, v6 ? "]" : "", s[SUBJECT_PORT] ? ":" : "",
		     s[SUBJECT_PORT] ? s[SUBJECT_PORT] : "");
	if (s[SUBJECT_EXPORT] && n < (int)sizeof(text))
		n += snprintf(text + n, sizeof(text) - n, " %s", s[SUBJECT_EXPORT]);
	if (s[SUBJECT_FILE] && n < (int)sizeof(text))
		n += snprintf(text + n, sizeof(text) - n, " (%s)", s[SUBJECT_FILE]);
	/* "auto" until a version is negotiated, possibly never. */
	if (s[SUBJECT_NFS_VERSION] && strcmp(s[SUBJECT_NFS_VERSION], "auto") != 0 &&
	    n < (int)sizeof(text))
		n += snprintf(text + n, sizeof(text) - n, ", NFSv%s",
			      s[SUBJECT_NFS_VERSION]);
	if (s[SUBJECT_TRANSPORT] && n < (int)sizeof(text))
		snprintf(text + n, sizeof(text) - n, ", %s", s[SUBJECT_TRANSPORT]);
	page_paragraph(page, text, 0);
}

/* The position of the names at the end of each row: the first layout in which all of them
 * fit, so that all rows look alike. A name is never cut or wrapped, so that it can be
 * copied. */
struct table_layout {
	const struct report_table *table;
	unsigned int widths[REPORT_COLUMNS_MAX];
	unsigned int at; /* column where the row begins */
	unsigned int names_at;
	bool below;   /* on a separate line */
	bool stacked; /* each on a separate line */
};

static unsigned int text_sum_widths(const struct table_layout *layout, unsigned int from,
				    unsigned int to)
{
	unsigned int sum = 0;

	for (; from < to; from++)
		sum += layout->widths[from] + 2;
	return sum;
}

static void text_lay_out(struct table_layout *layout, const struct report_table *table,
			 unsigned int at, unsigned int width)
{
	unsigned int first = table->ncolumns - table->nnames, longest = 0, i, all;

	*layout = (struct table_layout){ .table = table, .at = at };
	for (i = 0; i < table->ncolumns; i++)
		layout->widths[i] = table_width(table, i);
	for (i = first; i < table->ncolumns; i++)
		longest = layout->widths[i] > longest ? layout->widths[i] : longest;
	all = text_sum_widths(layout, first, table->ncolumns) - 2;
	layout->names_at = at + text_sum_widths(layout, 0, first);
	layout->stacked = layout->names_at + all > width;
	if (layout->names_at + longest <= width)
		return;
	layout->below = true;
	layout->names_at = at + 2 + longest <= width ? at + 2 : 4;
	layout->stacked = layout->names_at + all > width;
}

static void text_print_row(struct page *page, const struct table_layout *layout,
			   const struct report_row *row)
{
	const struct report_table *table = layout->table;
	unsigned int i, first = table->ncolumns - table->nnames;
	unsigned int last = table->ncolumns - 1, blanks = 0;

	for (i = 0; i < first; i++) {
		const char *cell = row->cells[i] ? row->cells[i] : "";

		fprintf(page->out, "%*s%s", (int)blanks, "", cell);
		blanks = layout->widths[i] - utf8_width(cell) + 2;
	}
	if (layout->below)
		fprintf(page->out, "\n%*s", (int)layout->names_at, "");
	else
		fprintf(page->out, "%*s", (int)blanks, "");
	/* The names. */
	while (last && (!row->cells[last] || !*row->cells[last]))
		last--;
	for (i = first, blanks = 0; i <= last; i++) {
		fprintf(page->out, "%*s%s", (int)blanks, "", row->cells[i]);
		if (i == last)
			break;
		blanks = layout->widths[i] - utf8_width(row->cells[i]) + 2;
		if (layout->stacked) {
			blanks = layout->names_at;
			fputc('\n', page->out);
		}
	}
	fputc('\n', page->out);
}

static void text_print_table(struct page *page, const struct report *report)
{
	const struct report_table *table = &report->table;
	unsigned int i, at = INDENT;
	struct table_layout layout;

	if (!table->ncolumns || (page->quiet && !table_needs_care(table)))
		return;
	for (i = 0; i < table->nrows; i++)
		if (table->rows[i].status == FINDING_UNKNOWN)
			at = INDENT_UNKNOWN;
	text_lay_out(&layout, table, at, page->width);
	fprintf(page->out, "\n%*s", (int)at, "");
	text_print_row(page, &layout, &table->head);
	for (i = 0; i < table->nrows; i++) {
		if (page->quiet && !report_needs_care(table->rows[i].status))
			continue;
		page_status_to(page, table->rows[i].status, at);
		text_print_row(page, &layout, &table->rows[i]);
	}
}

/* "Verdict: FAIL  16 passed, 1 failed; 3.2 s" */
static void text_print_verdict(struct page *page, const struct report *report)
{
	enum finding_status status = report_status(report);
	unsigned int indent = 11 + (unsigned int)strlen(text_statuses[status].word);
	char counts[160];
	size_t used;

	fputs("\nVerdict: ", page->out);
	page_colored(page, text_statuses[status].color, text_statuses[status].word);
	fputs("  ", page->out);
	used = strlen(report_counts(report, counts, sizeof(counts)));
	snprintf(counts + used, sizeof(counts) - used, "%s%.1f s", used ? "; " : "",
		 report->elapsed_ms / 1000);
	page_paragraph(page, counts, indent);
	if (report->cut)
		fputs("Interrupted before the end.\n", page->out);
}

/* "FAIL  This host cannot use NFS over RDMA with nas1." */
static void text_print_answer(struct page *page, const struct report *report)
{
	enum finding_status status = report_status(report);
	char answer[FINDING_SUMMARY_MAX];

	if (!*report_answer(report, answer, sizeof(answer)))
		return;
	page_colored(page, text_statuses[status].color, text_statuses[status].word);
	fputs("  ", page->out);
	page_paragraph(page, answer,
		       (unsigned int)strlen(text_statuses[status].word) + 2);
}

/* What a probe whose data are right says nothing about: "Not tested: WRITEs, NFSv3, NFSv4.0". */
static void text_print_untested(struct page *page, const struct report *report)
{
	const char *indent = text_statuses[report_status(report)].word, *version;
	const struct finding *versions = report_find(report, "probe.versions");
	const struct finding *file = report_find(report, "probe.file");
	struct words words = { .separator = ", " };
	char offered[128], text[WORDS_MAX + 16], *save;

	if (!versions || !file || file->status != FINDING_PASS ||
	    (report_status(report) != FINDING_PASS &&
	     report_status(report) != FINDING_WARN))
		return;
	words_add(&words, "WRITEs");
	str_copy(offered, sizeof(offered), finding_evidence(versions, "offered"));
	for (version = strtok_r(offered, " ", &save); version;
	     version = strtok_r(NULL, " ", &save))
		if (strcmp(version, finding_evidence(versions, "used")) != 0)
			words_add(&words, "NFSv%s", version);
	snprintf(text, sizeof(text), "Not tested: %s.", words_text(&words));
	fprintf(page->out, "%*s", (int)strlen(indent) + 2, "");
	page_paragraph(page, text, (unsigned int)strlen(indent) + 2);
}

static void text_print_hint(struct page *page, const struct report *report)
{
	unsigned int status, care = 0;

	for (status = 0; status < FINDING_STATUS_COUNT; status++)
		care += report_needs_care(status) ? report_count(report, status) : 0;
	if (!care)
		return;
	page_paragraph(
		page,
		page->verbose
			? "nfsrdma explain ID says more about a finding."
			: "More: -v shows all findings; nfsrdma explain ID explains one.",
		0);
}

static void text_render(const struct report *report, FILE *out,
			const struct report_style *style)
{
	struct page page = { .out = out,
			     .width = style->width,
			     .color = style->color,
			     .quiet = style->quiet,
			     .verbose = style->verbose,
			     .utf8 = style->utf8,
			     .steps_last = report->todo };

	page.width = page.width ? page.width : 80;
	page.width = page.width < WIDTH_MIN ? WIDTH_MIN : min_u32(page.width, WIDTH_MAX);
	page.printed.steps = calloc(PRINTED_MAX, sizeof(*page.printed.steps));
	text_print_subject(&page, report);
	text_print_answer(&page, report);
	text_print_untested(&page, report);
	if (style->verbose || style->terse)
		page_causes(&page, report);
	text_print_table(&page, report);
	page_matrix(&page, report);
	if (style->verbose)
		page_full(&page, report);
	else if (!style->terse)
		page_brief(&page, report);
	if (!style->verbose)
		page_facts(&page, report);
	if (report->todo)
		page_steps(&page, report);
	text_print_verdict(&page, report);
	text_print_hint(&page, report);
	free(page.printed.steps);
}

const struct report_format report_format_text = {
	.name = "text",
	.render = text_render,
	.exit_status = verdict_exit,
};
