/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The command nfsrdma: finds the command in the table, parses its options, runs it. */
#include <fcntl.h>
#include <signal.h>

#include "plugin/cli/cli.h"

static int print_version(const struct cli_options *options)
{
	printf("nfsrdma %s\n", NFSRDMA_VERSION);
	return output_finish(options);
}

static int print_help(const struct cli_options *options)
{
	struct report_style style;
	unsigned int width;

	output_style(stdout, false, &style);
	width = style.width < 40 ? 40 : style.width > 90 ? 90 : style.width;
	if (options->command)
		help_command(stdout, options->command, width);
	else
		help_program(stdout, width);
	return output_finish(options);
}

static const struct cli_command *command_find(const char *name)
{
	const struct cli_command *const *command;

	for (command = cli_commands; *command; command++)
		if (!strcmp((*command)->name, name))
			return *command;
	return NULL;
}

static int run_command(const struct cli_command *command, int argc, char *const *argv)
{
	_cleanup_(options_fini) struct cli_options options;

	if (!options_init(&options, command))
		return cli_error(&options, EXIT_UNKNOWN, "no memory");
	if (options_parse(&options, argc, argv))
		return cli_usage(&options);
	if (options.help)
		return print_help(&options);
	if (options.version)
		return print_version(&options);
	return command->run(&options);
}

/* Before the name of a command only --help and --version may stand. */
static int run_without_command(int argc, char *const *argv)
{
	const struct cli_options none = { 0 };
	const char *word = argc > 1 ? argv[1] : "";
	bool help = !strcmp(word, "--help") || !strcmp(word, "-h");
	bool version = !strcmp(word, "--version") || !strcmp(word, "-V");

	if (argc == 2 && help)
		return print_help(&none);
	if (argc == 2 && version)
		return print_version(&none);
	if (argc < 2)
		err_set(EINVAL, "name a command");
	else if (help || version)
		err_set(EINVAL, "'%.60s' is one argument too many", argv[2]);
	else if (*word == '-')
		err_set(EINVAL, "there is no option '%.60s' before the command", word);
	else
		err_set(EINVAL, "there is no command '%.60s'", word);
	return cli_usage(&none);
}

const struct cli_command *const cli_commands[] = {
	&cmd_probe, &cmd_check,   &cmd_mounts, &cmd_plan,     &cmd_setup,
	&cmd_pool,  &cmd_ovirt,   &cmd_watch,  &cmd_snapshot, &cmd_serve,
	&cmd_bench, &cmd_explain, NULL,
};

/* Closed descriptors 0 to 2 would be given to sockets and files, and a report written into one.
 * What is read only takes their place: writing stays the error that it was. */
static void keep_stdio(void)
{
	int fd;

	do
		fd = open("/dev/null", O_RDONLY);
	while (fd >= 0 && fd <= STDERR_FILENO);
	if (fd >= 0)
		close(fd);
}

int main(int argc, char **argv)
{
	const struct cli_command *command = argc > 1 ? command_find(argv[1]) : NULL;

	keep_stdio();
	/* Errors of the write, and told as such. */
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN);
	if (debug_init())
		return 0;
	if (!command)
		return run_without_command(argc, argv);
	return run_command(command, argc - 1, argv + 1);
}
