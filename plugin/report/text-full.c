/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Every finding of a report, by group, in the order of causes: a good one takes a line, any
 * other one has its cause, its steps and its evidence. */
#include "plugin/report/text.h"

#define NUMBERS_MAX      12 /* more than this are printed as one paragraph */
#define NUMBERS_TEXT_MAX 2048

static void print_labelled_line(struct page *page, const char *label, const char *text)
{
	fprintf(page->out, "%*s", INDENT, "");
	if (*label)
		page_colored(page, "1", label);
	fprintf(page->out, "%*s", (int)(LABEL_WIDTH - strlen(label)), "");
	page_paragraph(page, text, INDENT + LABEL_WIDTH);
}

static void print_labelled(struct page *page, const char *label, const char *text)
{
	if (*text)
		print_labelled_line(page, label, text);
}

static unsigned int count_numbers(const struct finding *finding)
{
	unsigned int i, count = 0;

	for (i = 0; i < finding->nevidence; i++)
		count += finding->evidence[i].is_number;
	return count;
}

/* Many numbers would fill a page: they are printed as one paragraph. */
static void print_numbers(struct page *page, const struct finding *finding, int column)
{
	char text[NUMBERS_TEXT_MAX] = "";
	unsigned int i;
	size_t used = 0;

	for (i = 0; i < finding->nevidence && used < sizeof(text); i++) {
		const struct finding_evidence *e = &finding->evidence[i];

		if (e->is_number)
			used += (size_t)snprintf(text + used, sizeof(text) - used,
						 "%s%s %s", used ? ", " : "", e->key,
						 e->value);
	}
	fprintf(page->out, "%*s%-*s  ", INDENT + LABEL_WIDTH, "", column, "numbers");
	page_paragraph(page, text, INDENT + LABEL_WIDTH + column + 2);
}

/* These control the layout of the text; they are not evidence for a reader. */
static bool is_mark(const struct finding_evidence *e)
{
	return !strcmp(e->key, "note") || !strcmp(e->key, "because") ||
	       !strcmp(e->key, "fact");
}

/* "key value" in a column each. */
static void print_evidence(struct page *page, const struct finding *finding)
{
	bool many = count_numbers(finding) > NUMBERS_MAX, first = true;
	const struct finding_evidence *e;
	int column = 0, n;

	for (e = finding->evidence; e < finding->evidence + finding->nevidence; e++) {
		n = is_mark(e) ? 0 : (int)strlen(e->key);
		column = n > column && !(many && e->is_number) ? n : column;
	}
	column = many && column < 7 ? 7 : column;
	for (e = finding->evidence; e < finding->evidence + finding->nevidence; e++) {
		if ((many && e->is_number) || is_mark(e))
			continue;
		fprintf(page->out, "%*s", INDENT, "");
		if (first)
			page_colored(page, "1", "Evidence");
		else
			fputs("        ", page->out);
		first = false;
		utf8_clean(page->clean, sizeof(page->clean), e->key, UTF8_ESCAPE);
		fprintf(page->out, "%*s%-*s  ", LABEL_WIDTH - 8, "", column, page->clean);
		page_paragraph(page, *e->value ? e->value : "-",
			       INDENT + LABEL_WIDTH + column + 2);
	}
	if (many)
		print_numbers(page, finding, column);
}

static void print_see(struct page *page, const struct finding *finding)
{
	const char *const *see = report_see(finding);
	char text[512] = "";
	size_t i, used = 0;

	for (i = 0; see[i] && used < sizeof(text); i++)
		used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%s",
					 i ? ", " : "", see[i]);
	print_labelled(page, "See", text);
}

/* Commands have lines of their own and are never wrapped, so that they can be pasted. */
static void print_steps(struct page *page, const struct report_step *steps,
			unsigned int n)
{
	unsigned int i, indent = INDENT + LABEL_WIDTH;
	char text[sizeof(steps->text) + 8];

	for (i = 0; i < n; i++) {
		snprintf(text, sizeof(text), "%s%s", steps[i].text,
			 *steps[i].command ? ":" : "");
		print_labelled_line(page, i ? "" : "Remedy", text);
		if (!*steps[i].command)
			continue;
		utf8_clean(page->clean, sizeof(page->clean), steps[i].command,
			   UTF8_ESCAPE);
		fprintf(page->out, "%*s", (int)indent + 2, "");
		page_colored(page, "1", page->clean);
		fputc('\n', page->out);
	}
}

static void print_remedy(struct page *page, const struct report *report,
			 const struct finding *finding)
{
	struct report_step steps[REPORT_STEPS_MAX];
	char remedy[REPORT_REMEDY_MAX];
	unsigned int n = report_steps(report, finding, steps);

	if (n)
		print_steps(page, steps, n);
	else
		print_labelled(page, "Remedy", report_remedy(report, finding, remedy));
}

static void print_heading(struct page *page, const char *group)
{
	fputc('\n', page->out);
	page_colored(page, "1;4", group);
	fputc('\n', page->out);
}

/* Of several findings alike only the first has cause and remedy. */
static bool was_printed(const struct report *report, const struct finding *finding)
{
	unsigned int i;

	for (i = 0; report->findings[i] != finding; i++)
		if (report_is_alike(report->findings[i], finding))
			return true;
	return false;
}

static void print_follows(struct page *page, const struct report *report,
			  const struct finding *finding)
{
	const struct finding *because = report_because(report, finding);

	if (because)
		print_labelled(page, "Follows", because->id);
}

static void print_care(struct page *page, const struct report *report,
		       const struct finding *finding, const struct meaning *meaning)
{
	bool printed = was_printed(report, finding);
	char cause[MEANING_CAUSE_MAX];
	unsigned int column = page_status(page, finding->status);

	page_colored(page, "1", meaning->title);
	page_name(page, finding, column + (unsigned int)strlen(meaning->title));
	fprintf(page->out, "%*s", INDENT, "");
	page_paragraph(page, finding->summary, INDENT);
	print_follows(page, report, finding);
	if (!printed) {
		print_labelled(page, "Cause", report_cause(report, finding, cause));
		if (!page->steps_last)
			print_remedy(page, report, finding);
	}
	print_evidence(page, finding);
	if (!printed)
		print_see(page, finding);
}

static void print_line(struct page *page, const struct finding *finding,
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
		*text = '\0';
	else
		snprintf(text, sizeof(text), "%s: ", meaning->title);
	strcat(text, finding->summary);
	page_paragraph(page, text, column);
}

static void print_finding(struct page *page, const struct report *report,
			  const struct finding *finding, const struct meaning *meaning)
{
	if (report_needs_care(finding->status))
		print_care(page, report, finding, meaning);
	else
		print_line(page, finding, meaning);
	if (page->verbose && !report_needs_care(finding->status)) {
		print_follows(page, report, finding);
		print_evidence(page, finding);
	}
}

/* All findings of one group. */
static void print_group(struct page *page, const struct report *report,
			unsigned int first)
{
	const char *group = meaning_find(report->findings[first]->id)->group;
	const struct meaning *meaning;
	bool shown = false;
	unsigned int i;

	for (i = first; i < report->nfindings; i++) {
		const struct finding *finding = report->findings[i];

		meaning = meaning_find(finding->id);
		if (strcmp(meaning->group, group) != 0 ||
		    (page->quiet && !report_needs_care(finding->status)))
			continue;
		if (!shown)
			print_heading(page, group);
		shown = true;
		print_finding(page, report, finding, meaning);
	}
}

void page_full(struct page *page, const struct report *report)
{
	unsigned int i;

	for (i = 0; i < report->nfindings; i++)
		if (!page_group_began(report, i))
			print_group(page, report, i);
}

void page_facts(struct page *page, const struct report *report)
{
	bool apart = true;
	unsigned int i;

	for (i = 0; i < report->nfindings && !page->quiet; i++) {
		const struct finding *finding = report->findings[i];

		if (report_needs_care(finding->status) ||
		    !*finding_evidence(finding, "fact"))
			continue;
		if (apart)
			fputc('\n', page->out);
		apart = false;
		print_line(page, finding, meaning_find(finding->id));
	}
}
