/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The report as a monitoring plug-in prints it (Monitoring Plugins Development Guidelines):
 * a status line, performance data after a bar, then a line for each finding that needs
 * care, causes first, within the limit of monitoring systems. The exit status is Nagios's:
 * 0 OK, 1 WARNING, 2 CRITICAL, 3 UNKNOWN. */
#include "plugin/report/internal.h"

#define OUTPUT_MAX 4096 /* all of it: NRPE and others cut what is longer */
#define TEXT_MAX   1024 /* the status line leaves room for findings */

static const struct {
	const char *word;
	int status;
} nagios_states[] = {
	[VERDICT_PASS] = { "OK", 0 },
	[VERDICT_WARN] = { "WARNING", 1 },
	[VERDICT_FAIL] = { "CRITICAL", 2 },
	[VERDICT_UNKNOWN] = { "UNKNOWN", 3 },
};

/* The bar starts performance data, and cannot be quoted. */
static void nagios_print_text(FILE *out, const char *text)
{
	char clean[TEXT_MAX], *p;

	utf8_clean(clean, sizeof(clean), text, UTF8_ESCAPE);
	for (p = clean; (p = strchr(p, '|')); p++)
		*p = '/';
	fputs(clean, out);
}

struct nagios_lines {
	FILE *out;
	size_t used;
	unsigned int left_out;
};

static void nagios_print_line(struct nagios_lines *lines, const struct finding *finding)
{
	static const char more[] = "and 9999 more findings\n";
	_cleanup_free_ char *line = NULL;
	char name[REPORT_NAME_MAX];
	size_t len = 0;
	FILE *mem;

	mem = lines->left_out ? NULL : open_memstream(&line, &len);
	if (!mem) {
		lines->left_out++;
		return;
	}
	fprintf(mem, "%s %s: ", finding_status_name(finding->status), report_name(finding, name));
	nagios_print_text(mem, finding->summary);
	fputc('\n', mem);
	if (fclose(mem) || lines->used + len + strlen(more) > OUTPUT_MAX) {
		lines->left_out++;
		return;
	}
	fputs(line, lines->out);
	lines->used += len;
}

/* Each cause, followed by its consequences. */
static void nagios_print_lines(const struct report *report, struct nagios_lines *lines)
{
	struct family families[REPORT_FINDINGS_MAX];
	unsigned int i, j, count = report_families(report, families);

	for (i = 0; i < count; i++) {
		for (j = 0; j < report->nfindings; j++)
			if (report_is_alike(report->findings[j], families[i].root))
				nagios_print_line(lines, report->findings[j]);
		for (j = 0; j < report->nfindings; j++)
			if (report_needs_care(report->findings[j]->status) &&
			    !report_is_alike(report->findings[j], families[i].root) &&
			    family_has(report, &families[i], report->findings[j]))
				nagios_print_line(lines, report->findings[j]);
	}
	if (lines->left_out)
		fprintf(lines->out, "and %u more finding%s\n", lines->left_out,
			lines->left_out == 1 ? "" : "s");
}

static void nagios_render(const struct report *report, FILE *out, const struct report_style *style)
{
	const struct finding *lead = report_lead(report);
	unsigned int status, passed = report_count(report, FINDING_PASS);
	struct nagios_lines lines = { .out = out };
	char name[REPORT_NAME_MAX];
	const char *p;

	(void)style;
	fputs("NFSRDMA ", out);
	for (p = report->command; *p; p++)
		fputc(*p >= 'a' && *p <= 'z' ? *p - 'a' + 'A' : *p, out);
	fprintf(out, " %s - ", nagios_states[report_verdict(report)].word);
	if (report_verdict(report) == VERDICT_PASS) {
		fprintf(out, "%u finding%s passed", passed, passed == 1 ? "" : "s");
	} else if (lead) {
		nagios_print_text(out, lead->summary);
		fprintf(out, " [%s]", report_name(lead, name));
	} else {
		fputs("interrupted before the end", out);
	}
	fprintf(out, " | time=%.3fs", report->elapsed_ms / 1000);
	for (status = 0; status < FINDING_STATUS_COUNT; status++)
		fprintf(out, " %s=%u", finding_status_name(status), report_count(report, status));
	fputc('\n', out);
	/* Of the memory that every report is printed into. */
	lines.used = (size_t)ftell(out);
	nagios_print_lines(report, &lines);
}

static int nagios_exit(enum verdict verdict)
{
	return nagios_states[verdict].status;
}

const struct report_format report_format_nagios = {
	.name = "nagios",
	.render = nagios_render,
	.exit_status = nagios_exit,
};
