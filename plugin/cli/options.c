/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Parses the command line of a command by its table of options, with getopt_long(). */
#include <assert.h>
#include <getopt.h>

#include "plugin/cli/options.h"

/* What getopt_long() returns for the first row; below are letters. */
#define ROW_FIRST 256

struct cli *options_new(const struct cli_command *command)
{
	struct cli *cli = calloc(1, command->size ? command->size : sizeof(*cli));

	if (!cli)
		return NULL;
	cli->command = command;
	cli->started = time(NULL);
	cli->start_ns = now_ns();
	cli->format = report_formats[0];
	cli->timeout_ms = command->timeout_ms;
	return cli;
}

void options_free_p(struct cli **cli)
{
	if (*cli)
		fault_set_free((*cli)->faults);
	free(*cli);
}

const struct cli_option *option_next(const struct cli_option *after)
{
	const struct cli_option *row, *next = NULL;
	const struct cli_command *const *command;

	for (command = cli_commands; *command; command++)
		for (row = (*command)->options; row->name; row++)
			if ((!after || strcmp(row->name, after->name) > 0) &&
			    (!next || strcmp(row->name, next->name) < 0))
				next = row;
	return next;
}

/* getopt's forms of the rows: long ones in @longs, and letters in @letters. A leading colon: getopt
 * prints nothing, and reports a missing argument. */
static void options_getopt_forms(const struct cli_option *table, struct option *longs,
				 char *letters)
{
	const struct cli_option *row;

	*letters++ = ':';
	for (row = table; row->name; row++) {
		assert(row - table < CLI_OPTIONS_MAX);
		*longs++ = (struct option){ row->name, row->arg ? required_argument : no_argument,
					    NULL, ROW_FIRST + (int)(row - table) };
		if (row->letter)
			*letters++ = row->letter;
		if (row->letter && row->arg)
			*letters++ = ':';
	}
	*longs = (struct option){ 0 };
	*letters = '\0';
}

/* The row that getopt means by @c; NULL: none. */
static const struct cli_option *option_row(const struct cli_option *table, int c)
{
	const struct cli_option *row;

	if (c >= ROW_FIRST)
		return &table[c - ROW_FIRST];
	for (row = table; row->name; row++)
		if (row->letter && row->letter == c)
			return row;
	return NULL;
}

/* "--vers" begins more than one option, "--levle" none. */
static int option_refuse_name(const struct cli_option *table, const char *argument)
{
	const char *name = argument + strspn(argument, "-"), *first = NULL;
	size_t len = strcspn(name, "=");
	char word[NEAR_WORD_MAX + 2];
	const struct cli_option *row;
	struct near near;

	snprintf(word, sizeof(word), "%.*s", (int)min_u32((uint32_t)len, sizeof(word)), name);
	near_init(&near, word);
	for (row = table; row->name; row++) {
		if (len && !strncmp(row->name, name, len) && first)
			return err_set(EINVAL, "ambiguous option '%.60s': --%s or --%s", argument,
				       first, row->name);
		if (len && !strncmp(row->name, name, len))
			first = row->name;
		if (!row->hidden)
			near_try(&near, row->name);
	}
	if (near_found(&near))
		return err_set(EINVAL, "unknown option '%.60s'; did you mean '--%s'?", argument,
			       near_found(&near));
	return err_set(EINVAL, "unknown option '%.60s'", argument);
}

/* getopt left the argument that it did not like behind. */
static int option_refuse(const struct cli_option *table, int c, char *const *argv)
{
	const struct cli_option *row = option_row(table, optopt);

	if (c == ':')
		return err_set(EINVAL, "--%s needs an argument: %s", row->name, row->arg);
	if (row)
		return err_set(EINVAL, "--%s takes no argument", row->name);
	if (optopt)
		return err_set(EINVAL, "unknown option '-%c'", optopt);
	return option_refuse_name(table, argv[optind - 1]);
}

static int option_set(struct cli *cli, const struct cli_option *row, const char *value)
{
	void *member = (char *)cli + row->offset;
	unsigned long number;
	int rc;

	if (!row->arg) {
		*(bool *)member = true;
		return 0;
	}
	rc = row->choice ? choice_check(row->choice, value) : 0;
	if (rc)
		return rc;
	if (row->parse)
		return row->parse(value, member);
	if (row->max) {
		rc = value_number(value, row->min, row->max, &number);
		if (!rc)
			*(unsigned int *)member = (unsigned int)number;
		return rc;
	}
	if (!*value)
		return err_set(EINVAL, "needs a value that is not empty");
	*(const char **)member = value;
	return 0;
}

int options_parse(struct cli *cli, int argc, char *const *argv)
{
	const struct cli_command *command = cli->command;
	struct option longs[CLI_OPTIONS_MAX + 1];
	char letters[2 * CLI_OPTIONS_MAX + 2];
	const struct cli_option *row;
	int c, rc;

	options_getopt_forms(command->options, longs, letters);
	optind = 0; /* glibc: start afresh */
	opterr = 0;
	while ((c = getopt_long(argc, argv, letters, longs, NULL)) != -1) {
		if (c == '?' || c == ':')
			return option_refuse(command->options, c, argv);
		row = option_row(command->options, c);
		rc = option_set(cli, row, optarg);
		if (rc)
			return err_context(rc, "--%s", row->name);
		if (row->carried && cli->nrepeats < ARRAY_SIZE(cli->repeats)) {
			cli->repeats[cli->nrepeats].name = row->name;
			cli->repeats[cli->nrepeats++].value = row->arg ? optarg : NULL;
		}
	}
	cli->operands = argv + optind;
	cli->noperands = argc - optind;
	if (cli->help || cli->version || cli->noperands <= command->max_operands)
		return 0;
	return err_set(EINVAL, "unexpected argument '%.60s'", cli->operands[command->max_operands]);
}
