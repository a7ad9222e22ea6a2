/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Every finding of a report, by group, in the order of causes: a good one takes a line, any
 * other one has its cause, its steps and its evidence. */
#include "plugin/report/text.h"

#define NUMBERS_MAX      12 /* more than this are printed as one paragraph */
#define NUMBERS_TEXT_MAX 2048

static void full_print_labelled_line(struct page *page, const char *label, const char *text)
{
	fprintf(page->out, "%*s", INDENT, "");
	if (*label)
		page_colored(page, "1", label);
	fprintf(page->out, "%*s", (int)(LABEL_WIDTH - strlen(label)), "");
	page_paragraph(page, text, INDENT + LABEL_WIDTH);
}

static void full_print_labelled(struct page *page, const char *label, const char *text)
{
	if (*text)
		full_print_labelled_line(page, label, text);
}

/* Many numbers would fill a page: they are printed as one paragraph. */
static void full_print_numbers(struct page *page, const struct finding *finding, int column)
{
	char text[NUMBERS_TEXT_MAX] = "";
	unsigned int i;
	size_t used = 0;

	for (i = 0; i < finding->nevidence && used < sizeof(text); i++) {
		const struct finding_evidence *e = &finding->evidence[i];

		if (e->is_number)
			used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%s %s",
						 used ? ", " : "", e->key, e->value);
	}
	fprintf(page->out, "%*s%-*s  ", INDENT + LABEL_WIDTH, "", column, "numbers");
	page_paragraph(page, text, INDENT + LABEL_WIDTH + column + 2);
}

/* These control the layout of the text; they are not evidence for a reader. */
static bool full_is_mark(const struct finding_evidence *e)
{
	return !strcmp(e->key, "note") || !strcmp(e->key, "because") || !strcmp(e->key, "fact");
}

/* "key value" in a column each. */
static void full_print_evidence(struct page *page, const struct finding *finding)
{
	const struct finding_evidence *e;
	unsigned int i, numbers = 0;
	bool many, first = true;
	int column = 0, n;

	for (i = 0; i < finding->nevidence; i++)
		numbers += finding->evidence[i].is_number;
	many = numbers > NUMBERS_MAX;
	for (i = 0; i < finding->nevidence; i++) {
		e = &finding->evidence[i];
		n = full_is_mark(e) ? 0 : (int)strlen(e->key);
		column = n > column && !(many && e->is_number) ? n : column;
	}
	column = many && column < 7 ? 7 : column;
	for (i = 0; i < finding->nevidence; i++) {
		e = &finding->evidence[i];
		if ((many && e->is_number) || full_is_mark(e))
			continue;
		fprintf(page->out, "%*s", INDENT, "");
		if (first)
			page_colored(page, "1", "Evidence");
		else
			fputs("        ", page->out);
		first = false;
		utf8_clean(page->clean, sizeof(page->clean), e->key, UTF8_ESCAPE);
		fprintf(page->out, "%*s%-*s  ", LABEL_WIDTH - 8, "", column, page->clean);
		page_paragraph(page, *e->value ? e->value : "-", INDENT + LABEL_WIDTH + column + 2);
	}
	if (many)
		full_print_numbers(page, finding, column);
}

static void full_print_remedy(struct page *page, const struct report *report,
			      const struct finding *finding)
{
	struct report_step steps[REPORT_STEPS_MAX];
	unsigned int i, n = report_steps(report, finding, steps);
	char remedy[REPORT_REMEDY_MAX], text[sizeof(steps->text) + 8];

	if (!n)
		full_print_labelled(page, "Remedy", report_remedy(report, finding, remedy));
	for (i = 0; i < n; i++) {
		snprintf(text, sizeof(text), "%.*s%s", (int)sizeof(steps->text), steps[i].text,
			 *steps[i].command ? ":" : "");
		full_print_labelled_line(page, i ? "" : "Remedy", text);
		page_command(page, steps[i].command, INDENT + LABEL_WIDTH + 2);
	}
}

static void full_print_follows(struct page *page, const struct report *report,
			       const struct finding *finding)
{
	const struct finding *because = report_because(report, finding);

	if (because)
		full_print_labelled(page, "Follows", because->id);
}

static void full_print_care(struct page *page, const struct report *report,
			    const struct finding *finding, const struct meaning *meaning)
{
	unsigned int i, column = page_status(page, finding->status);
	const char *const *see = report_see(finding);
	char cause[MEANING_CAUSE_MAX], text[512] = "";
	bool printed = false;
	size_t used = 0;

	/* Of several findings alike only the first has cause and remedy. */
	for (i = 0; report->findings[i] != finding && !printed; i++)
		printed = report_is_alike(report->findings[i], finding);
	page_colored(page, "1", meaning->title);
	page_name(page, finding, column + (unsigned int)strlen(meaning->title));
	fprintf(page->out, "%*s", INDENT, "");
	page_paragraph(page, finding->summary, INDENT);
	full_print_follows(page, report, finding);
	if (!printed) {
		full_print_labelled(page, "Cause", report_cause(report, finding, cause));
		if (!page->steps_last)
			full_print_remedy(page, report, finding);
	}
	full_print_evidence(page, finding);
	for (i = 0; !printed && see[i] && used < sizeof(text); i++)
		used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%s", i ? ", " : "",
					 see[i]);
	full_print_labelled(page, "See", text);
}

static void full_print_line(struct page *page, const struct finding *finding,
			    const struct meaning *meaning)
{
	char text[sizeof(finding->summary) + 64];
	unsigned int column = page_status(page, finding->status);

	if (page->width >= COLUMNS_MIN) {
		fprintf(page->out, "%-*s  ", MEANING_TITLE_MAX, meaning->title);
		page_paragraph(page, finding->summary, column + MEANING_TITLE_MAX + 2);
		return;
	}
	/* No title before a summary that begins with it. */
	if (!strncasecmp(finding->summary, meaning->title, strlen(meaning->title)))
		snprintf(text, sizeof(text), "%s", finding->summary);
	else
		snprintf(text, sizeof(text), "%s: %s", meaning->title, finding->summary);
	page_paragraph(page, text, column);
}

/* All findings of one group. */
static void full_print_group(struct page *page, const struct report *report, unsigned int first)
{
	const char *group = meaning_find(report->findings[first]->id)->group;
	const struct meaning *meaning;
	bool shown = false;
	unsigned int i;

	for (i = first; i < report->nfindings; i++) {
		const struct finding *finding = report->findings[i];
		bool care = report_needs_care(finding->status);

		meaning = meaning_find(finding->id);
		if (strcmp(meaning->group, group) != 0 || (page->quiet && !care))
			continue;
		if (!shown) {
			fputc('\n', page->out);
			page_colored(page, "1;4", group);
			fputc('\n', page->out);
		}
		shown = true;
		if (care) {
			full_print_care(page, report, finding, meaning);
			continue;
		}
		full_print_line(page, finding, meaning);
		if (page->verbose) {
			full_print_follows(page, report, finding);
			full_print_evidence(page, finding);
		}
	}
}

void page_full(struct page *page, const struct report *report)
{
	unsigned int i;

	for (i = 0; i < report->nfindings; i++)
		if (!page_group_began(report, i))
			full_print_group(page, report, i);
}

void page_facts(struct page *page, const struct report *report)
{
	bool apart = true;
	unsigned int i;

	for (i = 0; i < report->nfindings && !page->quiet; i++) {
		const struct finding *finding = report->findings[i];

		if (report_needs_care(finding->status) || !*finding_evidence(finding, "fact"))
			continue;
		if (apart)
			fputc('\n', page->out);
		apart = false;
		full_print_line(page, finding, meaning_find(finding->id));
	}
}
