/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The page of a report without --verbose. If all is well: a line for each group. Otherwise
 * the causes, worst first, each with its steps; the consequences of a cause are one line
 * below it, and findings that do not affect the verdict take one line each. */
#include "plugin/report/text.h"
#include "plugin/report/words.h"

#define ALIKE_MAX 3 /* other objects with the same cause that are named */
#define LINES_MAX 4 /* up to this many findings have a line each */

static unsigned int brief_count_alike(const struct report *report, const struct finding *finding)
{
	unsigned int i, count = 0;

	for (i = 0; i < report->nfindings; i++)
		count += report_is_alike(report->findings[i], finding);
	return count;
}

/* "  WARN  Title: summary [ID/REASON]". For several findings alike: the first clause of the
 * first, and the number of the others. */
static void brief_print_line(struct page *page, const struct report *report,
			     const struct finding *root)
{
	unsigned int alike = brief_count_alike(report, root), column;
	char clause[FINDING_SUMMARY_MAX], summary[FINDING_SUMMARY_MAX + 32];
	char text[FINDING_SUMMARY_MAX + 256], name[REPORT_NAME_MAX];

	if (alike > 1)
		snprintf(summary, sizeof(summary), "%s, and %u more", report_clause(root, clause),
			 alike - 1);
	else
		str_copy(summary, sizeof(summary), root->summary);
	column = page_status(page, root->status);
	snprintf(text, sizeof(text), "%s: %s [%s]", meaning_find(root->id)->title, summary,
		 report_name(root, name));
	page_paragraph(page, text, column);
}

static void brief_print_indented(struct page *page, const char *text)
{
	fprintf(page->out, "%*s", INDENT, "");
	page_paragraph(page, text, INDENT);
}

/* The number of a step that was printed before; otherwise 0, and the step gets the next
 * number. */
static unsigned int brief_printed_before(struct printed *printed, const struct report_step *step)
{
	unsigned int i;

	for (i = 0; printed->steps && i < printed->count && i < PRINTED_MAX; i++)
		if (!strcmp(printed->steps[i].text, step->text) &&
		    !strcmp(printed->steps[i].command, step->command))
			return i + 1;
	if (printed->steps && printed->count < PRINTED_MAX)
		printed->steps[printed->count] = *step;
	printed->count++;
	return 0;
}

/* "     1. Load the module:", and the command. */
static void brief_print_step(struct page *page, const struct report_step *step)
{
	char text[sizeof(step->text) + 2];

	snprintf(text, sizeof(text), "%.*s%s", (int)sizeof(step->text) - 1, step->text,
		 *step->command ? ":" : "");
	fprintf(page->out, "%*u. ", INDENT - 2, page->printed.count);
	page_paragraph(page, text, INDENT);
	page_command(page, step->command, INDENT + 2);
}

/* Without a reason, prints the remedy as a paragraph. */
static void brief_print_remedy(struct page *page, const struct report *report,
			       const struct finding *finding)
{
	struct report_step steps[REPORT_STEPS_MAX];
	unsigned int numbers[REPORT_STEPS_MAX], count = 0, number;
	unsigned int i, n = report_steps(report, finding, steps);
	char remedy[REPORT_REMEDY_MAX], text[REPORT_REMEDY_MAX + 16];
	struct words words = { 0 };

	if (!n && *report_remedy(report, finding, remedy)) {
		snprintf(text, sizeof(text), "Remedy: %s", remedy);
		brief_print_indented(page, text);
	}
	for (i = 0; i < n; i++) {
		numbers[count] = brief_printed_before(&page->printed, &steps[i]);
		if (numbers[count])
			count++;
		else
			brief_print_step(page, &steps[i]);
	}
	if (!count)
		return;
	/* "Steps 1, 2 apply here, too." */
	for (number = 1; number <= page->printed.count; number++)
		for (i = 0; i < count; i++)
			if (numbers[i] == number)
				words_add(&words, "%u", number);
	snprintf(text, sizeof(text),
		 count < n    ? "Then repeat step%s %s."
		 : count == 1 ? "Step%s %s applies here, too."
			      : "Step%s %s apply here, too.",
		 count == 1 ? "" : "s", words_text(&words));
	brief_print_indented(page, text);
}

static bool brief_was_named(const struct report *report, const struct family *family,
			    unsigned int at)
{
	unsigned int i;

	for (i = 0; i < at; i++)
		if (!strcmp(report->findings[i]->id, report->findings[at]->id) &&
		    report_needs_care(report->findings[i]->status) &&
		    family_has(report, family, report->findings[i]))
			return true;
	return false;
}

/* A consequence that is worse than its cause is printed before it. */
static bool brief_is_worst_first(const struct family *family)
{
	return family->worst->status != family->root->status;
}

/* "Consequences: Route, MTU and 2 more" */
static void brief_print_consequences(struct page *page, const struct report *report,
				     const struct family *family)
{
	static const char label[] = "Consequences: ", more[] = " and 99 more";
	char text[512], titles[256] = "", others[32] = "";
	unsigned int i, left_out = 0;
	size_t taken, room, used = 0;
	const char *title;

	taken = INDENT + strlen(label) + strlen(more);
	room = page->width > taken ? page->width - taken : 0;
	for (i = 0; i < report->nfindings; i++) {
		const struct finding *finding = report->findings[i];

		if (!report_needs_care(finding->status) || report_is_alike(finding, family->root) ||
		    (brief_is_worst_first(family) && report_is_alike(finding, family->worst)) ||
		    !family_has(report, family, finding) || brief_was_named(report, family, i))
			continue;
		/* Titles that fit on one line; the others are counted. */
		title = meaning_find(finding->id)->title;
		if (left_out || used + (used ? 2 : 0) + strlen(title) > room) {
			left_out++;
			continue;
		}
		snprintf(titles + used, sizeof(titles) - used, "%s%s", used ? ", " : "", title);
		used = strlen(titles);
	}
	if (!*titles && !left_out)
		return;
	if (left_out)
		snprintf(others, sizeof(others), "%s%u more", *titles ? " and " : "", left_out);
	snprintf(text, sizeof(text), "%s%s%s", label, titles, others);
	brief_print_indented(page, text);
}

/* Evidence of these keys, "defect_1" and so on, is a list, an item a line. */
static void brief_print_list(struct page *page, const struct finding *finding)
{
	unsigned int i;

	for (i = 0; i < finding->nevidence; i++) {
		if (strncmp(finding->evidence[i].key, "defect_", strlen("defect_")))
			continue;
		fprintf(page->out, "%*s- ", INDENT, "");
		page_paragraph(page, finding->evidence[i].value, INDENT + 2);
	}
}

static void brief_print_family(struct page *page, const struct report *report,
			       const struct family *family)
{
	const struct finding *root = family->root;
	const char *title = meaning_find(root->id)->title;
	unsigned int i, column, count = 0, alike = brief_count_alike(report, root);
	char cause[MEANING_CAUSE_MAX], more[64];

	fputc('\n', page->out);
	if (brief_is_worst_first(family)) {
		brief_print_line(page, report, family->worst);
		brief_print_indented(page, "This follows from:");
	}
	column = page_status(page, root->status);
	page_colored(page, "1", title);
	page_name(page, root, column + (unsigned int)strlen(title));
	/* One for each object with this cause. */
	for (i = 0; i < report->nfindings && count <= ALIKE_MAX; i++) {
		if (!report_is_alike(report->findings[i], root))
			continue;
		brief_print_indented(page, report->findings[i]->summary);
		count++;
	}
	if (alike > count) {
		snprintf(more, sizeof(more), "and %u more", alike - count);
		brief_print_indented(page, more);
	}
	brief_print_list(page, root);
	if (*report_cause(report, root, cause))
		brief_print_indented(page, cause);
	if (!page->steps_last)
		brief_print_remedy(page, report, root);
	brief_print_consequences(page, report, family);
}

static void brief_print_families(struct page *page, const struct report *report,
				 const struct family *families, unsigned int count)
{
	bool leads = report_verdict(report) != VERDICT_PASS, apart = true;
	struct words words = { 0 };
	char text[WORDS_MAX + 32];
	unsigned int i;

	for (i = 0; i < count; i++) {
		if (report_is_for_root(report, families[i].root))
			continue;
		if (leads && family_leads(report, families, &families[i])) {
			brief_print_family(page, report, &families[i]);
			continue;
		}
		if (apart)
			fputc('\n', page->out);
		apart = false;
		brief_print_line(page, report, families[i].root);
	}
	/* "  Only root can check: Firewall for RDMA, Firewall, other ports" */
	for (i = 0; i < report->nfindings; i++)
		if (report_is_for_root(report, report->findings[i]))
			words_add(&words, "%s", meaning_find(report->findings[i]->id)->title);
	if (!words.count || page->quiet)
		return;
	snprintf(text, sizeof(text), "Only root can check: %s", words_text(&words));
	fputs("\n  ", page->out);
	page_paragraph(page, text, 2);
}

static bool brief_is_good(const struct finding *finding, const char *group)
{
	return !strcmp(meaning_find(finding->id)->group, group) && finding->status == FINDING_PASS;
}

static unsigned int brief_count_good(const struct report *report, const char *group)
{
	unsigned int i, count = 0;

	for (i = 0; i < report->nfindings; i++)
		count += brief_is_good(report->findings[i], group);
	return count;
}

static void brief_print_group(struct page *page, const struct report *report, const char *group,
			      unsigned int width)
{
	unsigned int i, good = brief_count_good(report, group);
	unsigned int column = page_status(page, FINDING_PASS);
	char text[256];
	size_t room, used;

	fprintf(page->out, "%-*s  ", (int)width, group);
	snprintf(text, sizeof(text), "%u passed", good);
	column += width + 2;
	room = page->width - min_u32(column, page->width);
	/* Summaries of good findings with a note, or of the only one, as far as they fit. */
	for (i = 0; i < report->nfindings; i++) {
		const struct finding *finding = report->findings[i];

		if (!brief_is_good(finding, group) ||
		    !(good == 1 || *finding_evidence(finding, "note")) ||
		    strlen(text) + 2 + utf8_width(finding->summary) > room ||
		    strlen(text) + 2 + strlen(finding->summary) >= sizeof(text))
			continue;
		used = strlen(text);
		snprintf(text + used, sizeof(text) - used, "%s%s", strchr(text, ':') ? "; " : ": ",
			 finding->summary);
	}
	page_paragraph(page, text, column);
}

static void brief_print_groups(struct page *page, const struct report *report)
{
	unsigned int i, width = 0;
	const char *group;

	for (i = 0; i < report->nfindings; i++) {
		group = meaning_find(report->findings[i]->id)->group;
		if (brief_count_good(report, group) && strlen(group) > width)
			width = (unsigned int)strlen(group);
	}
	if (width)
		fputc('\n', page->out);
	for (i = 0; i < report->nfindings; i++) {
		group = meaning_find(report->findings[i]->id)->group;
		if (brief_count_good(report, group) && !page_group_began(report, i))
			brief_print_group(page, report, group, width);
	}
}

void page_steps(struct page *page, const struct report *report)
{
	_cleanup_free_ struct report_step *steps = NULL;
	unsigned int i, n = report_all_steps(report, &steps);

	if (!n)
		return;
	fputc('\n', page->out);
	page_colored(page, "1", "Steps");
	fputc('\n', page->out);
	for (i = 0; i < n; i++) {
		page->printed.count = i + 1;
		brief_print_step(page, &steps[i]);
	}
}

void page_causes(struct page *page, const struct report *report)
{
	struct family families[REPORT_FINDINGS_MAX];
	unsigned int i, count = report_families(report, families);

	for (i = 0; i < count; i++)
		brief_print_line(page, report, families[i].root);
}

void page_brief(struct page *page, const struct report *report)
{
	struct family families[REPORT_FINDINGS_MAX];
	unsigned int count = report_families(report, families);
	bool quiet = page->quiet, good = report_verdict(report) == VERDICT_PASS;

	/* All findings, if there are few, or if none explains the verdict. */
	if (!quiet && (good ? report->nfindings <= LINES_MAX : !count))
		page_full(page, report);
	else if (!quiet && good && !report->table.ncolumns)
		brief_print_groups(page, report);
	if (count && (!good || report->nfindings > LINES_MAX || quiet))
		brief_print_families(page, report, families, count);
}
