/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The table of commands, in the order of help, and how one runs. */
#include "plugin/cli/cli.h"

const struct cli_command *const cli_commands[] = {
	&cmd_status, &cmd_doctor,  &cmd_check, &cmd_probe, &cmd_mounts,   &cmd_plan,
	&cmd_setup,  &cmd_pool,    &cmd_ovirt, &cmd_watch, &cmd_snapshot, &cmd_serve,
	&cmd_bench,  &cmd_explain, &cmd_help,  &cmd_names, NULL,
};

int command_run(struct cli *cli)
{
	const struct cli_command *command = cli->command;
	int status;

	if (command->working)
		cli->ticker = ticker_start(cli->quiet, command->working);
	status = command->run(cli);
	ticker_free(cli->ticker);
	return status;
}
