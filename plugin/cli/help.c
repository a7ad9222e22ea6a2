/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Help, and the tables of the manual pages, from the tables of commands, options, faults,
 * metrics and findings. */
#include <ctype.h>

#include "plugin/cli/options.h"
#include "plugin/report/metrics.h"

#define OPTION_COLUMN 30 /* where what an option does begins */

/* Options that so many commands have, with the same words, are in nfsrdma(8). */
#define COMMON_COMMANDS 3

static const char of_verdict[] = "0 verdict pass or warn, 1 fail, 2 usage, 3 unknown";

void help_program(FILE *out, unsigned int width)
{
	const struct cli_command *const *command;

	fputs("Usage: nfsrdma COMMAND [ARGUMENT...]\n\nCommands:\n", out);
	for (command = cli_commands; *command; command++) {
		if ((*command)->hidden)
			continue;
		fprintf(out, "  %-9s ", (*command)->name);
		wrap_print(out, (*command)->summary, 12, width);
	}
	fputs("\nOptions:\n"
	      "  --help    Print this help and exit; nfsrdma help COMMAND shows the options of a command.\n"
	      "  --version Print the version and exit.\n\n"
	      "Manual: nfsrdma(8), and one for each command, as nfsrdma-check(8).\n",
	      out);
}

static void help_ending(FILE *out, const struct cli_command *command, unsigned int width)
{
	char text[256];

	snprintf(text, sizeof(text), "Exit status: %s.",
		 command->exit_status ? command->exit_status : of_verdict);
	wrap_print(out, text, 0, width);
	fprintf(out, "Manual: %s%s(8).\n", command->manual ? "" : "nfsrdma-",
		command->manual ? command->manual : command->name);
}

void help_command(FILE *out, const struct cli_command *command, unsigned int width)
{
	const struct cli_option *row;
	const char *form = command->synopsis, *label = "Usage:";
	char text[64];
	size_t len;

	for (; *form; form += len + (form[len] == '\n'), label = "      ") {
		len = strcspn(form, "\n");
		fprintf(out, "%s nfsrdma %s %.*s\n", label, command->name, (int)len, form);
	}
	fputc('\n', out);
	wrap_print(out, command->details, 0, width);
	fputs("\nOptions:\n", out);
	for (row = command->options; row->name; row++) {
		if (row->hidden)
			continue;
		/* "-q, --quiet" or "    --timeout SECONDS". */
		snprintf(text, sizeof(text), "%c%c%s --%s%s%s", row->letter ? '-' : ' ',
			 row->letter ? row->letter : ' ', row->letter ? "," : " ", row->name,
			 row->arg ? " " : "", row->arg ? row->arg : "");
		fprintf(out, "  %-*s", OPTION_COLUMN - 2, text);
		wrap_print(out, row->help, OPTION_COLUMN, width);
	}
	fputc('\n', out);
	help_ending(out, command, width);
}

/* scdoc takes these for markup. */
static void help_print_scd(FILE *out, const char *text)
{
	for (; *text; text++)
		fprintf(out, "%s%c", strchr("*_\\", *text) ? "\\" : "", *text);
}

/* What the command's help shows; NULL: no option of that name, or (if not NULL) not of that
 * help. */
static const struct cli_option *help_row(const struct cli_command *command, const char *name,
					 const char *help)
{
	const struct cli_option *row;

	for (row = command->options; row->name; row++)
		if (!command->hidden && !row->hidden && !strcmp(row->name, name) &&
		    (!help || !strcmp(row->help, help)))
			return row;
	return NULL;
}

/* How many commands have the option in the same words. */
static unsigned int help_sharers(const struct cli_option *of)
{
	const struct cli_command *const *command;
	unsigned int count = 0;

	for (command = cli_commands; *command; command++)
		if (help_row(*command, of->name, of->help))
			count++;
	return count;
}

static void help_scd_name(FILE *out, const struct cli_option *row)
{
	fputc('*', out);
	if (row->letter)
		fprintf(out, "-%c*, *", row->letter);
	fprintf(out, "--%s*", row->name);
	if (row->arg)
		fprintf(out, " _%s_", row->arg);
}

static void help_scd_text(FILE *out, const struct cli_option *row)
{
	fputs("\n\t", out);
	help_print_scd(out, row->help);
	fputs("\n\n", out);
}

/* @first: the first command that has the option in these words. */
static void help_scd_shared(FILE *out, const struct cli_option *row,
			    const struct cli_command *const *first)
{
	const struct cli_command *const *command;
	const char *comma = " (";

	help_scd_name(out, row);
	if (strcmp(row->name, "help") && strcmp(row->name, "version")) {
		for (command = first; *command; command++) {
			if (!help_row(*command, row->name, row->help))
				continue;
			fprintf(out, "%s%s", comma, (*command)->name);
			comma = ", ";
		}
		fputc(')', out);
	}
	help_scd_text(out, row);
}

static void help_scd_common(FILE *out)
{
	const struct cli_command *const *command, *const *other;
	const struct cli_option *name = NULL, *row;

	fputs("; table options common\n", out);
	while ((name = option_next(name)))
		for (command = cli_commands; *command; command++) {
			row = help_row(*command, name->name, NULL);
			other = cli_commands;
			while (row && other < command && !help_row(*other, row->name, row->help))
				other++;
			if (row && other == command && help_sharers(row) >= COMMON_COMMANDS)
				help_scd_shared(out, row, command);
		}
	fputs("; end options common\n", out);
}

/* Its own options, and the names of those that nfsrdma(8) describes. */
static void help_scd_command(FILE *out, const struct cli_command *command)
{
	const struct cli_option *name = NULL, *row;
	const char *comma = "";

	fprintf(out, "; table options %s\n", command->name);
	while ((name = option_next(name))) {
		row = help_row(command, name->name, NULL);
		if (!row || help_sharers(row) >= COMMON_COMMANDS)
			continue;
		help_scd_name(out, row);
		help_scd_text(out, row);
	}
	fputs("Common options, which *nfsrdma*(8) describes: ", out);
	while ((name = option_next(name))) {
		row = help_row(command, name->name, NULL);
		if (!row || help_sharers(row) < COMMON_COMMANDS)
			continue;
		fprintf(out, "%s*--%s*", comma, row->name);
		comma = ", ";
	}
	fprintf(out, ".\n; end options %s\n", command->name);
}

static void help_scd_commands(FILE *out)
{
	const struct cli_command *const *command;

	fputs("; table commands\n", out);
	for (command = cli_commands; *command; command++) {
		if ((*command)->hidden || (*command)->manual)
			continue;
		fprintf(out, "*nfsrdma-%s*(8)\n\t", (*command)->name);
		help_print_scd(out, (*command)->summary);
		fputs("\n\n", out);
	}
	fputs("; end commands\n", out);
	help_scd_common(out);
	for (command = cli_commands; *command; command++)
		if (!(*command)->hidden && !(*command)->manual)
			help_scd_command(out, *command);
}

static void help_scd_faults(FILE *out)
{
	const struct fault_row *row;

	for (row = fault_table; row->name; row++) {
		fprintf(out, "*%s*", row->name);
		if (row->values)
			fprintf(out, "[=%s]", row->values);
		fprintf(out, "\n\t%c", toupper((uint8_t)row->description[0]));
		help_print_scd(out, row->description + 1);
		fprintf(out, ". Raises *%s*.\n\n", row->finding);
	}
}

/* Name, type and labels, then the text of HELP. */
static void help_scd_metrics(FILE *out)
{
	static const char *const scopes[] = {
		[METRIC_OF_HOST] = "",
		[METRIC_OF_COMMAND] = "command",
		[METRIC_OF_REPORT] = "command, server, export",
	};
	const struct metric_family *family;

	for (family = metric_families; family < metric_families + METRIC_COUNT; family++) {
		const char *scope = scopes[family->scope];

		fprintf(out, "*%s* (%s", family->name,
			family->type == METRIC_COUNTER ? "counter" : "gauge");
		if (*scope || *family->labels)
			fputs("; ", out);
		help_print_scd(out, scope);
		if (*scope && *family->labels)
			fputs(", ", out);
		help_print_scd(out, family->labels);
		fputs(")\n\t", out);
		help_print_scd(out, family->help);
		fputc('.', out);
		if (*family->source) {
			fputs(" Source: ", out);
			help_print_scd(out, family->source);
			fputc('.', out);
		}
		fputs("\n\n", out);
	}
}

void help_scd(FILE *out)
{
	help_scd_commands(out);
	fputs("; table metrics\n", out);
	help_scd_metrics(out);
	fputs("; end metrics\n; table faults\n", out);
	help_scd_faults(out);
	fputs("; end faults\n", out);
}
