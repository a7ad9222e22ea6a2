/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* nfsrdma explain: what a finding means, from the table of meanings. */
#include "plugin/cli/cli.h"

#define LABEL_WIDTH 10

static void print_labelled(const char *label, const char *text, unsigned int width)
{
	printf("%-*s", LABEL_WIDTH, label);
	wrap_print(stdout, text, LABEL_WIDTH, width);
}

static void explain_one(const struct meaning *meaning, unsigned int width)
{
	char cause[MEANING_CAUSE_MAX];
	size_t i;

	printf("%s\n%s\n\n", meaning->id, meaning->title);
	print_labelled("What", meaning->what, width);
	print_labelled("Cause", meaning_cause(meaning, NULL, cause), width);
	print_labelled("Remedy", meaning->remedy, width);
	for (i = 0; meaning->see[i]; i++)
		print_labelled(i ? "" : "See", meaning->see[i], width);
	if (meaning->decisive)
		print_labelled("Verdict", "unknown where this is unknown", width);
}

static void explain_all(void)
{
	const struct meaning *meaning = NULL;
	const char *group = "";

	while ((meaning = meaning_next(meaning))) {
		if (strcmp(group, meaning->group))
			printf("%s%s\n", *group ? "\n" : "", meaning->group);
		group = meaning->group;
		printf("  %-33s %s\n", meaning->id, meaning->title);
	}
}

static int unknown_id(const struct cli_options *options, const char *id)
{
	const struct meaning *near = meaning_near(id);

	if (near)
		err_set(EINVAL, "there is no finding '%.60s'; did you mean %s?", id,
			near->id);
	else
		err_set(EINVAL,
			"there is no finding '%.60s'; nfsrdma explain lists them all",
			id);
	return cli_usage(options);
}

static int cmd_explain_run(struct cli_options *options)
{
	const struct meaning *meaning;
	struct report_style style;

	output_style(stdout, false, &style);
	if (options->scd) {
		help_scd(stdout);
	} else if (!options->noperands) {
		explain_all();
	} else {
		meaning = meaning_find(options->operands[0]);
		if (!meaning)
			return unknown_id(options, options->operands[0]);
		explain_one(meaning, style.width < 90 ? style.width : 90);
	}
	return output_finish(options);
}

const struct cli_command cmd_explain = {
	.name = "explain",
	.bit = CLI_EXPLAIN,
	.synopsis = "[ID]",
	.summary = "Say what a finding means, how it is found out, and what to do.",
	.details =
		"Explains the finding ID, as it stands in a report. Without ID it lists all "
		"findings there are.",
	.max_operands = 1,
	.run = cmd_explain_run,
};
