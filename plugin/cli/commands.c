/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The table of commands, in the order of help. */
#include "plugin/cli/cli.h"

const struct cli_command *const cli_commands[] = {
	&cmd_status, &cmd_doctor,  &cmd_check, &cmd_probe, &cmd_mounts,   &cmd_plan,
	&cmd_setup,  &cmd_pool,    &cmd_ovirt, &cmd_watch, &cmd_snapshot, &cmd_serve,
	&cmd_bench,  &cmd_explain, &cmd_help,  &cmd_names, NULL,
};
