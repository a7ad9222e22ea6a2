/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Advice for a log: cause and remedy of one finding, each as one line for programs, and both
 * in lines for the reader of journalctl -x, which does not wrap them. Pure. */
#include "plugin/report/internal.h"

#define LINE_WIDTH 74

/* journalctl prints the values of fields in a catalog's text as they are. */
static void advice_print(FILE *out, const char *text, unsigned int indent)
{
	char clean[4 * MEANING_CAUSE_MAX];

	wrap_print(out, utf8_clean(clean, sizeof(clean), text, UTF8_ESCAPE), indent, LINE_WIDTH);
}

static void advice_print_lines(const struct report *report, const struct finding *finding,
			       struct report_advice *advice)
{
	struct report_step steps[REPORT_STEPS_MAX];
	unsigned int i, n = report_steps(report, finding, steps);
	char step[4 * sizeof(steps[0].text)], *end;
	_cleanup_free_ char *text = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&text, &len);

	if (!out)
		return;
	if (*advice->cause)
		advice_print(out, advice->cause, 0);
	if (*advice->cause && *advice->remedy)
		fputc('\n', out);
	for (i = 0; i < n; i++) {
		fprintf(out, "%2u. ", i + 1);
		snprintf(step, sizeof(step), "%.*s%s", (int)sizeof(steps[0].text) - 1,
			 steps[i].text, *steps[i].command ? ":" : "");
		advice_print(out, step, 4);
		/* Whole, so that it can be copied. */
		if (*steps[i].command)
			fprintf(out, "      %s\n",
				utf8_clean(step, sizeof(step), steps[i].command, UTF8_ESCAPE));
	}
	if (!n && *advice->remedy)
		advice_print(out, advice->remedy, 0);
	if (fclose(out))
		return;
	if (len && text[len - 1] == '\n')
		text[len - 1] = '\0';
	if (str_copy(advice->lines, sizeof(advice->lines), text))
		return;
	/* Whole lines only: half a command must not be pasted. */
	end = strrchr(advice->lines, '\n');
	*(end ? end : advice->lines) = '\0';
}

void report_advise_in(const struct report *report, const struct finding *finding,
		      struct report_advice *advice)
{
	*advice->cause = *advice->remedy = *advice->lines = '\0';
	if (!meaning_find(finding->id))
		return;
	report_cause(report, finding, advice->cause);
	report_remedy(report, finding, advice->remedy);
	advice_print_lines(report, finding, advice);
}

void report_advise(const struct finding *finding, struct report_advice *advice)
{
	const struct report alone = { .command = "" };

	report_advise_in(&alone, finding, advice);
}
