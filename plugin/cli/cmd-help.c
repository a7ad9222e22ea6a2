/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* nfsrdma help: prints what --help prints. */
#include "plugin/cli/options.h"

int command_help(const struct cli *cli, const struct cli_command *command)
{
	struct report_style style;
	unsigned int width;

	output_style(stdout, false, &style);
	width = style.width < 40 ? 40 : style.width > 90 ? 90 : style.width;
	if (command)
		help_command(stdout, command, width);
	else
		help_program(stdout, width);
	return output_finish(cli);
}

const struct cli_command *command_find(const char *name)
{
	const struct cli_command *const *command;

	for (command = cli_commands; *command; command++)
		if (!strcmp((*command)->name, name))
			return *command;
	return NULL;
}

int command_unknown(const char *name)
{
	const struct cli_command *const *command;
	struct near near;

	near_init(&near, name);
	for (command = cli_commands; *command; command++)
		if (!(*command)->hidden)
			near_try(&near, (*command)->name);
	if (near_found(&near))
		return err_set(EINVAL, "unknown command '%.60s'; did you mean '%s'?", name,
			       near_found(&near));
	return err_set(EINVAL, "unknown command '%.60s'", name);
}

static const struct cli_option cmd_help_options[] = { OPTIONS_END };

static int cmd_help_run(void *arg)
{
	const struct cli *cli = arg;
	const struct cli_command *command = NULL;

	if (cli->noperands) {
		command = command_find(cli->operands[0]);
		if (!command) {
			command_unknown(cli->operands[0]);
			return cli_usage(cli);
		}
	}
	return command_help(cli, command);
}

const struct cli_command cmd_help = {
	.name = "help",
	.synopsis = "[COMMAND]",
	.summary = "Print this help, or that of a command.",
	.details = "Prints what 'nfsrdma --help' and 'nfsrdma COMMAND --help' print.",
	.exit_status = "0, 2 usage",
	.manual = "nfsrdma",
	CLI_FORMS({ .operands = { &choice_commands } }),
	.max_operands = 1,
	.options = cmd_help_options,
	.run = cmd_help_run,
};
