/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Help, and the manual page's tables, from the tables of commands, options, faults,
 * metrics and findings. */
#include <ctype.h>

#include "plugin/cli/options.h"
#include "plugin/report/metrics.h"

#define OPTION_COLUMN 30 /* where what an option does begins */

static const char exit_statuses[] =
	"Exit status: 0 verdict pass or warn, 1 fail, 2 usage, 3 unknown.";

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
	      "  --version Print the version and exit.\n\n",
	      out);
	wrap_print(out, exit_statuses, 0, width);
}

void help_command(FILE *out, const struct cli_command *command, unsigned int width)
{
	const struct cli_option *row;
	const char *form = command->synopsis, *label = "Usage:";
	char text[64];
	size_t len;

	for (; *form; form += len + (form[len] == '\n'), label = "      ") {
		len = strcspn(form, "\n");
		fprintf(out, "%s nfsrdma %s %.*s\n", label, command->name, (int)len,
			form);
	}
	fputc('\n', out);
	wrap_print(out, command->details, 0, width);
	fputs("\nOptions:\n", out);
	for (row = command->options; row->name; row++) {
		if (row->hidden)
			continue;
		/* "-q, --quiet" or "    --timeout SECONDS". */
		snprintf(text, sizeof(text), "%c%c%s --%s%s%s", row->letter ? '-' : ' ',
			 row->letter ? row->letter : ' ', row->letter ? "," : " ",
			 row->name, row->arg ? " " : "", row->arg ? row->arg : "");
		fprintf(out, "  %-*s", OPTION_COLUMN - 2, text);
		wrap_print(out, row->help, OPTION_COLUMN, width);
	}
	fputc('\n', out);
	wrap_print(out, exit_statuses, 0, width);
}

/* scdoc takes these for markup. */
static void help_print_scd(FILE *out, const char *text)
{
	for (; *text; text++)
		fprintf(out, "%s%c", strchr("*_\\", *text) ? "\\" : "", *text);
}

/* What the command's help shows; NULL: no option of that name, or (if not NULL) not of that help. */
static const struct cli_option *help_row(const struct cli_command *command,
					 const char *name, const char *help)
{
	const struct cli_option *row;

	for (row = command->options; row->name; row++)
		if (!command->hidden && !row->hidden && !strcmp(row->name, name) &&
		    (!help || !strcmp(row->help, help)))
			return row;
	return NULL;
}

/* Commands for which the option does the same share a paragraph. */
static void help_scd_option(FILE *out, const char *name)
{
	const struct cli_command *const *command, *const *other;
	const struct cli_option *row;
	const char *comma;

	for (command = cli_commands; *command; command++) {
		row = help_row(*command, name, NULL);
		other = cli_commands;
		while (row && other < command && !help_row(*other, name, row->help))
			other++;
		if (!row || other < command)
			continue;
		fputc('*', out);
		if (row->letter)
			fprintf(out, "-%c*, *", row->letter);
		fprintf(out, "--%s*", row->name);
		if (row->arg)
			fprintf(out, " _%s_", row->arg);
		fputs(" (", out);
		for (comma = ""; *other; other++) {
			if (!help_row(*other, name, row->help))
				continue;
			fprintf(out, "%s%s", comma, (*other)->name);
			comma = ", ";
		}
		fputs(")\n\t", out);
		help_print_scd(out, row->help);
		fputs("\n\n", out);
	}
}

static void help_scd_options(FILE *out)
{
	const struct cli_option *row = NULL;

	while ((row = option_next(row)))
		help_scd_option(out, row->name);
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

	for (family = metric_families; family < metric_families + METRIC_COUNT;
	     family++) {
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
	static const struct {
		const char *name;
		void (*print)(FILE *out);
	} tables[] = {
		{ "options", help_scd_options },
		{ "metrics", help_scd_metrics },
		{ "faults", help_scd_faults },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(tables); i++) {
		fprintf(out, "; table %s\n", tables[i].name);
		tables[i].print(out);
		fprintf(out, "; end %s\n", tables[i].name);
	}
}
