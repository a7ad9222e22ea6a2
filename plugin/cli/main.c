/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The command nfsrdma: finds the command in the table, parses its options, runs it. */
#include <fcntl.h>
#include <signal.h>

#include "plugin/cli/options.h"

static int main_version(const struct cli *cli)
{
	printf("nfsrdma %s\n", NFSRDMA_VERSION);
	return output_finish(cli);
}

static int main_command(const struct cli_command *command, int argc, char *const *argv)
{
	_cleanup_(options_free_p) struct cli *cli = options_new(command);
	const struct cli none = { .command = command };
	int rc;

	if (!cli)
		return cli_error(&none, EXIT_UNKNOWN, "no memory");
	rc = options_parse(cli, argc, argv);
	if (rc)
		return rc == -ENOMEM ? cli_unknown(cli) : cli_usage(cli);
	if (cli->help)
		return command_help(cli, command);
	if (cli->version)
		return main_version(cli);
	return archive_is_root(cli) ? archive_run(cli) : command_run(cli);
}

/* Before the name of a command only --help and --version may stand. */
static int main_no_command(int argc, char *const *argv)
{
	const struct cli none = { 0 };
	const char *word = argc > 1 ? argv[1] : "";
	bool help = !strcmp(word, "--help") || !strcmp(word, "-h");
	bool version = !strcmp(word, "--version") || !strcmp(word, "-V");

	if (argc == 2 && help)
		return command_help(&none, NULL);
	if (argc == 2 && version)
		return main_version(&none);
	if (argc < 2)
		err_set(EINVAL, "no command given");
	else if (help || version)
		err_set(EINVAL, "unexpected argument '%.60s'", argv[2]);
	else if (*word == '-')
		err_set(EINVAL, "unknown option '%.60s' before the command", word);
	else
		command_unknown(word);
	return cli_usage(&none);
}

int main(int argc, char **argv)
{
	const struct cli_command *command = argc > 1 ? command_find(argv[1]) : NULL;
	int fd;

	/* Closed descriptors 0 to 2 would be given to sockets and files, and a report written into
	 * one. What is read only takes their place: writing stays the error that it was. */
	do
		fd = open("/dev/null", O_RDONLY);
	while (fd >= 0 && fd <= STDERR_FILENO);
	if (fd >= 0)
		close(fd);
	/* They become errors of write(2), and are reported as such. */
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN);
	if (debug_init())
		return 0;
	if (!command)
		return main_no_command(argc, argv);
	return main_command(command, argc - 1, argv + 1);
}
