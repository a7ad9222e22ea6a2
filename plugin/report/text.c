/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The report for people. Named defects are said first. Findings stand in the order in which they
 * were made, which is that of causes; what is good takes a line, what is not says why and what to
 * do. The verdict comes last, where the eye is when the command ends, with the defect that made it. */
#include "plugin/report/internal.h"

#define INDENT           8 /* of summaries: two blanks, a status word of four, two blanks */
#define LABEL_WIDTH      10  /* "Evidence" and its blanks */
#define WIDTH_MIN        40  /* narrower terminals wrap by themselves */
#define WIDTH_MAX        110 /* longer lines are hard to read */
#define COLUMNS_MIN      100 /* from here on titles have a column of their own */
#define INDENT_UNKNOWN   11  /* of a table with this word in it */
#define NUMBERS_MAX      12  /* more than that stand in one paragraph */
#define NUMBERS_TEXT_MAX 2048

static const struct {
	const char *word, *color;
} looks[FINDING_STATUS_COUNT] = {
	[FINDING_PASS] = { "pass", "32" },         [FINDING_WARN] = { "WARN", "1;33" },
	[FINDING_FAIL] = { "FAIL", "1;31" },       [FINDING_SKIP] = { "skip", "2" },
	[FINDING_UNKNOWN] = { "UNKNOWN", "1;35" },
};

static const enum finding_status verdict_looks[] = {
	[VERDICT_PASS] = FINDING_PASS,
	[VERDICT_WARN] = FINDING_WARN,
	[VERDICT_FAIL] = FINDING_FAIL,
	[VERDICT_UNKNOWN] = FINDING_UNKNOWN,
};

struct page {
	FILE *out;
	unsigned int width;
	bool color;
	bool quiet, brief;
	char clean[4 * FINDING_SUMMARY_MAX + 1];
};

static void print_colored(struct page *page, const char *color, const char *text)
{
	if (page->color)
		fprintf(page->out, "\033[%sm%s\033[0m", color, text);
	else
		fputs(text, page->out);
}

/* A word, and blanks up to the column @at, two at least. */
static void print_status_to(struct page *page, enum finding_status status, int at)
{
	int blanks = at - 2 - (int)strlen(looks[status].word);

	fputs("  ", page->out);
	print_colored(page, looks[status].color, looks[status].word);
	fprintf(page->out, "%*s", blanks > 2 ? blanks : 2, "");
}

static void print_status(struct page *page, enum finding_status status)
{
	print_status_to(page, status, INDENT);
}

static void print_paragraph(struct page *page, const char *text, unsigned int indent)
{
	utf8_clean(page->clean, sizeof(page->clean), text, UTF8_ESCAPE);
	wrap_print(page->out, page->clean, indent, page->width);
}

static void print_labelled_line(struct page *page, const char *label, const char *text)
{
	fprintf(page->out, "%*s", INDENT, "");
	if (*label)
		print_colored(page, "1", label);
	fprintf(page->out, "%*s", (int)(LABEL_WIDTH - strlen(label)), "");
	print_paragraph(page, text, INDENT + LABEL_WIDTH);
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

/* Many numbers would be a page: they stand in one paragraph. */
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
	print_paragraph(page, text, INDENT + LABEL_WIDTH + column + 2);
}

/* "key value" in a column each. */
static void print_evidence(struct page *page, const struct finding *finding)
{
	bool many = count_numbers(finding) > NUMBERS_MAX;
	const struct finding_evidence *e;
	int column = 0, n;

	for (e = finding->evidence; e < finding->evidence + finding->nevidence; e++) {
		n = (int)strlen(e->key);
		column = n > column && !(many && e->is_number) ? n : column;
	}
	column = many && column < 7 ? 7 : column;
	for (e = finding->evidence; e < finding->evidence + finding->nevidence; e++) {
		if (many && e->is_number)
			continue;
		fprintf(page->out, "%*s", INDENT, "");
		if (e == finding->evidence)
			print_colored(page, "1", "Evidence");
		else
			fputs("        ", page->out);
		utf8_clean(page->clean, sizeof(page->clean), e->key, UTF8_ESCAPE);
		fprintf(page->out, "%*s%-*s  ", LABEL_WIDTH - 8, "", column, page->clean);
		print_paragraph(page, *e->value ? e->value : "-",
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

/* Commands have lines of their own, and are never broken: they are there to be pasted. */
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
		print_colored(page, "1", page->clean);
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
	print_colored(page, "1;4", group);
	fputc('\n', page->out);
}

/* Of several findings with one meaning the first says it. */
static bool was_told(const struct report *report, const struct finding *finding)
{
	unsigned int i;

	for (i = 0; report->findings[i] != finding; i++)
		if (report->findings[i]->status == finding->status &&
		    !strcmp(report->findings[i]->id, finding->id) &&
		    !strcmp(report->findings[i]->reason, finding->reason))
			return true;
	return false;
}

static void print_care(struct page *page, const struct report *report,
		       const struct finding *finding, const struct meaning *meaning)
{
	bool told = was_told(report, finding);
	char cause[MEANING_CAUSE_MAX];
	size_t len = strlen(meaning->title) + strlen(meaning->id) +
		     strlen(finding->reason);

	print_status(page, finding->status);
	print_colored(page, "1", meaning->title);
	if (INDENT + len + 4 > page->width)
		fprintf(page->out, "\n%*s", INDENT - 1, "");
	fprintf(page->out, " [%s%s%s]\n%*s", meaning->id, *finding->reason ? "/" : "",
		finding->reason, INDENT, "");
	print_paragraph(page, finding->summary, INDENT);
	if (!told) {
		print_labelled(page, "Cause", report_cause(report, finding, cause));
		print_remedy(page, report, finding);
	}
	print_evidence(page, finding);
	if (!told)
		print_see(page, finding);
}

static void print_line(struct page *page, const struct finding *finding,
		       const struct meaning *meaning)
{
	char text[sizeof(finding->summary) + 64];

	print_status(page, finding->status);
	if (page->width >= COLUMNS_MIN) {
		fprintf(page->out, "%-*s  ", MEANING_TITLE_MAX, meaning->title);
		print_paragraph(page, finding->summary, INDENT + MEANING_TITLE_MAX + 2);
		return;
	}
	/* A summary that begins with its title needs no other one. */
	if (!strncasecmp(finding->summary, meaning->title, strlen(meaning->title)))
		*text = '\0';
	else
		snprintf(text, sizeof(text), "%s: ", meaning->title);
	strcat(text, finding->summary);
	print_paragraph(page, text, INDENT);
}

static void print_finding(struct page *page, const struct report *report,
			  const struct finding *finding, const struct meaning *meaning)
{
	if (report_needs_care(finding->status))
		print_care(page, report, finding, meaning);
	else
		print_line(page, finding, meaning);
}

/* How many more findings are the same about other things. */
static unsigned int count_alike(const struct report *report,
				const struct finding *finding)
{
	unsigned int i, count = 0;

	for (i = 0; i < report->nfindings; i++)
		count += report->findings[i]->status == finding->status &&
			 !strcmp(report->findings[i]->id, finding->id);
	return count - 1;
}

/* Under the subject, a line each; in its place a finding has the rest. */
static void print_defects(struct page *page, const struct report *report,
			  enum finding_status status)
{
	char clause[FINDING_SUMMARY_MAX], text[FINDING_SUMMARY_MAX + 128], more[32];
	unsigned int i, alike;

	for (i = 0; i < report->nfindings; i++) {
		const struct finding *finding = report->findings[i];

		if (finding->status != status || !finding_is_defect(finding) ||
		    was_told(report, finding))
			continue;
		alike = count_alike(report, finding);
		snprintf(more, sizeof(more), ", and %u more", alike);
		snprintf(text, sizeof(text), "%s%s [%s]", report_clause(finding, clause),
			 alike ? more : "", finding->id);
		print_status(page, status);
		print_paragraph(page, text, INDENT);
	}
}

static bool has_evidence(const struct finding *finding, const char *key)
{
	unsigned int i;

	for (i = 0; i < finding->nevidence; i++)
		if (!strcmp(finding->evidence[i].key, key))
			return true;
	return false;
}

/* In a brief report: what is good and no news, what does not apply, and what another finding is the
 * cause of are told together. */
enum fold { FOLD_NOT, FOLD_GOOD, FOLD_ABSENT, FOLD_BECAUSE };

static enum fold fold_of(const struct page *page, const struct finding *finding)
{
	if (!page->brief || report_needs_care(finding->status))
		return FOLD_NOT;
	if (has_evidence(finding, "note"))
		return FOLD_NOT;
	if (finding->status == FINDING_PASS)
		return FOLD_GOOD;
	return has_evidence(finding, "because") ? FOLD_BECAUSE : FOLD_ABSENT;
}

static bool is_of(const struct finding *finding, const char *group)
{
	return !strcmp(meaning_find(finding->id)->group, group);
}

/* Several findings of one id have one title. */
static bool is_first_good(const struct page *page, const struct report *report,
			  unsigned int at)
{
	unsigned int i;

	for (i = 0; i < at; i++)
		if (!strcmp(report->findings[i]->id, report->findings[at]->id) &&
		    fold_of(page, report->findings[i]) == FOLD_GOOD)
			return false;
	return true;
}

/* Titles of what is good, and the number of what is absent. */
static void print_folded(struct page *page, const struct report *report,
			 const char *group)
{
	char text[FINDING_SUMMARY_MAX] = "";
	unsigned int i, absent = 0;
	size_t used = 0;

	for (i = 0; i < report->nfindings; i++) {
		const struct finding *finding = report->findings[i];

		if (!is_of(finding, group))
			continue;
		absent += fold_of(page, finding) == FOLD_ABSENT;
		if (fold_of(page, finding) == FOLD_GOOD && used < sizeof(text) &&
		    is_first_good(page, report, i))
			used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%s",
						 used ? ", " : "",
						 meaning_find(finding->id)->title);
	}
	if (used) {
		print_status(page, FINDING_PASS);
		print_paragraph(page, text, INDENT);
	}
	if (absent) {
		snprintf(text, sizeof(text), "%u that %s not apply here", absent,
			 absent == 1 ? "does" : "do");
		print_status(page, FINDING_SKIP);
		print_paragraph(page, text, INDENT);
	}
}

/* How many of a group have the same cause as the one @at; 0 where an earlier one told it. */
static unsigned int same_cause(const struct page *page, const struct report *report,
			       unsigned int at, const char *group)
{
	unsigned int i, count = 0;

	for (i = 0; i < report->nfindings; i++) {
		const struct finding *finding = report->findings[i];

		if (!is_of(finding, group) || fold_of(page, finding) != FOLD_BECAUSE ||
		    strcmp(finding->summary, report->findings[at]->summary))
			continue;
		if (i < at)
			return 0;
		count++;
	}
	return count;
}

static void print_because(struct page *page, const struct report *report,
			  const char *group)
{
	char text[FINDING_SUMMARY_MAX + 32];
	unsigned int i, count;

	for (i = 0; i < report->nfindings; i++) {
		const struct finding *finding = report->findings[i];

		if (!is_of(finding, group) || fold_of(page, finding) != FOLD_BECAUSE)
			continue;
		count = same_cause(page, report, i, group);
		if (!count)
			continue;
		snprintf(text, sizeof(text), "%u %s", count, finding->summary);
		print_status(page, FINDING_SKIP);
		print_paragraph(page, text, INDENT);
	}
}

/* A group of which nothing applies has no heading. */
static bool is_shown(const struct page *page, const struct finding *finding)
{
	return page->quiet ? report_needs_care(finding->status)
			   : fold_of(page, finding) != FOLD_ABSENT;
}

/* The findings of one group, from the first of them on. */
static void print_group(struct page *page, const struct report *report,
			unsigned int first)
{
	const char *group = meaning_find(report->findings[first]->id)->group;
	const struct finding *finding;
	bool shown = false;
	unsigned int i;

	for (i = first; i < report->nfindings; i++) {
		finding = report->findings[i];
		if (!is_of(finding, group) || !is_shown(page, finding))
			continue;
		if (!shown)
			print_heading(page, group);
		shown = true;
		if (fold_of(page, finding) == FOLD_NOT)
			print_finding(page, report, finding, meaning_find(finding->id));
	}
	if (page->quiet || !shown)
		return;
	print_folded(page, report, group);
	print_because(page, report, group);
}

/* Groups stand in the order of their first finding: the order of causes. */
static void print_findings(struct page *page, const struct report *report)
{
	const char *group;
	unsigned int i, j;

	for (i = 0; i < report->nfindings; i++) {
		group = meaning_find(report->findings[i]->id)->group;
		for (j = 0; strcmp(meaning_find(report->findings[j]->id)->group, group);
		     j++)
			;
		if (j == i)
			print_group(page, report, i);
	}
}

static void print_subject(struct page *page, const struct report *report)
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
	/* "auto" until one was chosen, which it may never be. */
	if (s[SUBJECT_NFS_VERSION] && strcmp(s[SUBJECT_NFS_VERSION], "auto") != 0 &&
	    n < (int)sizeof(text))
		n += snprintf(text + n, sizeof(text) - n, ", NFSv%s",
			      s[SUBJECT_NFS_VERSION]);
	if (s[SUBJECT_TRANSPORT] && n < (int)sizeof(text))
		snprintf(text + n, sizeof(text) - n, ", %s", s[SUBJECT_TRANSPORT]);
	print_paragraph(page, text, 0);
}

/* The table has columns for its names where all of them fit. Else the last of a row stands behind
 * the one before it, or below. */
static void print_names(struct page *page, const struct report_table *table,
			const struct report_row *row, unsigned int at)
{
	unsigned int column = table->ncolumns - 2;
	const char *name = row->cells[column] ? row->cells[column] : "";
	const char *more = row->cells[column + 1] ? row->cells[column + 1] : "";
	unsigned int width = table_width(table, column), len = utf8_width(name);

	if (at + width + 2 + table_width(table, column + 1) > page->width)
		width = len;
	if (!*more)
		fprintf(page->out, "%s\n", name);
	else if (at + width + 2 + utf8_width(more) <= page->width)
		fprintf(page->out, "%s%*s%s\n", name, (int)(width - len) + 2, "", more);
	else
		fprintf(page->out, "%s\n%*s%s\n", name, (int)at, "", more);
}

static void print_row(struct page *page, const struct report_table *table,
		      const struct report_row *row, unsigned int at)
{
	unsigned int i, width;

	for (i = 0; i < table->ncolumns - 2; i++) {
		const char *cell = row->cells[i] ? row->cells[i] : "";

		width = table_width(table, i);
		fprintf(page->out, "%s%*s", cell, (int)(width - utf8_width(cell)) + 2,
			"");
		at += width + 2;
	}
	print_names(page, table, row, at);
}

static void print_table(struct page *page, const struct report *report)
{
	const struct report_table *table = &report->table;
	unsigned int i, at = INDENT;

	if (table->ncolumns < 2 || (page->quiet && !table_needs_care(table)))
		return;
	for (i = 0; i < table->nrows; i++)
		if (table->rows[i].status == FINDING_UNKNOWN)
			at = INDENT_UNKNOWN;
	fprintf(page->out, "\n%*s", (int)at, "");
	print_row(page, table, &table->head, at);
	for (i = 0; i < table->nrows; i++) {
		if (page->quiet && !report_needs_care(table->rows[i].status))
			continue;
		print_status_to(page, table->rows[i].status, (int)at);
		print_row(page, table, &table->rows[i], at);
	}
}

/* "16 passed, 1 failed; 3.2 s" */
static void count_findings(const struct report *report, char *buf, size_t cap)
{
	static const char *const words[FINDING_STATUS_COUNT] = {
		[FINDING_PASS] = "passed",     [FINDING_WARN] = "warned",
		[FINDING_FAIL] = "failed",     [FINDING_SKIP] = "skipped",
		[FINDING_UNKNOWN] = "unknown",
	};
	unsigned int status, n;
	size_t used = 0;

	for (status = 0; status < FINDING_STATUS_COUNT; status++) {
		n = report_count(report, status);
		if (n)
			used += (size_t)snprintf(buf + used, cap - used, "%s%u %s",
						 used ? ", " : "", n, words[status]);
	}
	snprintf(buf + used, cap - used, "%s%.1f s", used ? "; " : "",
		 report->elapsed_ms / 1000);
}

static void print_verdict(struct page *page, const struct report *report)
{
	enum finding_status look = verdict_looks[report_verdict(report)];
	unsigned int indent = 11 + (unsigned int)strlen(looks[look].word);
	const struct finding *lead = report_lead(report);
	char counts[160], clause[FINDING_SUMMARY_MAX];

	fputs("\nVerdict: ", page->out);
	print_colored(page, looks[look].color, looks[look].word);
	fputs("  ", page->out);
	if (look != FINDING_PASS && lead && finding_is_defect(lead)) {
		print_paragraph(page, report_clause(lead, clause), indent);
		fprintf(page->out, "%*s", (int)indent, "");
	}
	count_findings(report, counts, sizeof(counts));
	print_paragraph(page, counts, indent);
	if (report->cut)
		fputs("The work was cut off before its end.\n", page->out);
	if (look != FINDING_PASS)
		fputs("More about a finding: nfsrdma explain ID\n", page->out);
}

static void text_render(const struct report *report, FILE *out,
			const struct report_style *style)
{
	struct page page = { .out = out,
			     .width = style->width,
			     .color = style->color,
			     .quiet = style->quiet,
			     .brief = style->brief };

	page.width = page.width ? page.width : 80;
	page.width = page.width < WIDTH_MIN ? WIDTH_MIN : min_u32(page.width, WIDTH_MAX);
	print_subject(&page, report);
	print_defects(&page, report, FINDING_FAIL);
	print_defects(&page, report, FINDING_WARN);
	print_table(&page, report);
	print_findings(&page, report);
	print_verdict(&page, report);
}

static int text_exit(enum verdict verdict)
{
	return verdict_exit(verdict);
}

const struct report_format report_format_text = {
	.name = "text",
	.render = text_render,
	.exit_status = text_exit,
};
