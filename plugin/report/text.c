/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The report for people: the subject, the answer, the table if there is one, the causes with their
 * steps (text-brief.c) or every finding (text-full.c), and the verdict, which is next to the prompt
 * when the command ends. */
#include "plugin/report/text.h"
#include "plugin/report/words.h"

#define WIDTH_MIN 40  /* narrower terminals wrap by themselves */
#define WIDTH_MAX 110 /* longer lines are hard to read */

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

unsigned int page_status(struct page *page, enum finding_status status)
{
	unsigned int end = 2 + (unsigned int)strlen(text_statuses[status].word) + 2;
	unsigned int at = end < INDENT ? INDENT : end;

	fputs("  ", page->out);
	page_colored(page, text_statuses[status].color, text_statuses[status].word);
	fprintf(page->out, "%*s", (int)(at - end) + 2, "");
	return at;
}

const char *page_status_word(enum finding_status status)
{
	return text_statuses[status].word;
}

const char *page_status_color(enum finding_status status)
{
	return text_statuses[status].color;
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

	n = snprintf(text, sizeof(text), "nfsrdma %s: %s%s%s%s%s", report->command, v6 ? "[" : "",
		     server, v6 ? "]" : "", s[SUBJECT_PORT] ? ":" : "",
		     s[SUBJECT_PORT] ? s[SUBJECT_PORT] : "");
	if (s[SUBJECT_EXPORT] && n < (int)sizeof(text))
		n += snprintf(text + n, sizeof(text) - n, " %s", s[SUBJECT_EXPORT]);
	if (s[SUBJECT_FILE] && n < (int)sizeof(text))
		n += snprintf(text + n, sizeof(text) - n, " (%s)", s[SUBJECT_FILE]);
	/* "auto" until a version is negotiated, possibly never. */
	if (s[SUBJECT_NFS_VERSION] && strcmp(s[SUBJECT_NFS_VERSION], "auto") != 0 &&
	    n < (int)sizeof(text))
		n += snprintf(text + n, sizeof(text) - n, ", NFSv%s", s[SUBJECT_NFS_VERSION]);
	if (s[SUBJECT_TRANSPORT] && n < (int)sizeof(text))
		snprintf(text + n, sizeof(text) - n, ", %s", s[SUBJECT_TRANSPORT]);
	page_paragraph(page, text, 0);
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
	page_paragraph(page, answer, (unsigned int)strlen(text_statuses[status].word) + 2);
}

/* What a probe whose data are right says nothing about: "Not tested: WRITEs (probe --scratch),
 * NFSv3." */
static void text_print_untested(struct page *page, const struct report *report)
{
	const char *indent = text_statuses[report_status(report)].word, *version;
	const struct finding *versions = report_find(report, "probe.versions");
	const struct finding *file = report_find(report, "probe.file");
	const struct finding *scratch = report_find(report, "probe.scratch");
	const struct finding *second = report_find(report, "probe.second-connection");
	const struct finding *withheld = report_find(report, "probe.read.withheld");
	struct words words = { .separator = ", " };
	char offered[128], text[WORDS_MAX + 16], *save;

	if (!versions || !file || file->status != FINDING_PASS ||
	    (report_status(report) != FINDING_PASS && report_status(report) != FINDING_WARN))
		return;
	if (!scratch || scratch->status != FINDING_PASS)
		words_add(&words, "WRITEs (probe --scratch)");
	str_copy(offered, sizeof(offered), finding_evidence(versions, "offered"));
	for (version = strtok_r(offered, " ", &save); version; version = strtok_r(NULL, " ", &save))
		if (strcmp(version, finding_evidence(versions, "used")) != 0)
			words_add(&words, "NFSv%s", version);
	/* Also skipped where it was, and a single READ failed. */
	if (!second || (second->status != FINDING_PASS && !atoi(finding_evidence(second, "wrong"))))
		words_add(&words, "a second connection");
	if (withheld && withheld->status != FINDING_PASS)
		words_add(&words, "READs that may crash the server");
	if (!*words_text(&words))
		return;
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
	page_paragraph(page,
		       page->verbose
			       ? "nfsrdma explain ID says more about a finding."
			       : "More: -v shows all findings; nfsrdma explain ID explains one.",
		       0);
}

static void text_render(const struct report *report, FILE *out, const struct report_style *style)
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
	page_table(&page, &report->table);
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
