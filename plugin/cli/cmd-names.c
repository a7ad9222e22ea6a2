/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* nfsrdma names: names of this host, for the completion of shells. It prints nothing but names,
 * also where something cannot be read, and it never keeps a shell waiting. */
#include <signal.h>

#include "plugin/cli/options.h"
#include "rpcrdma/base/grow.h"

#define NAMES_SECONDS 5

struct names_list {
	char **lines;
	size_t count;
};

static void names_on_alarm(int number)
{
	(void)number;
	_exit(EXIT_GOOD);
}

/* A name that a terminal cannot show as it is cannot be chosen from a list, and a line break or a
 * tab would make two of it. */
static void names_keep(void *arg, const char *name, const char *about)
{
	struct names_list *list = arg;
	char *line = NULL;
	char text[128] = "";

	if (!name || !*name || !finding_is_clean(name))
		return;
	if (about)
		snprintf(text, sizeof(text), "%s", about);
	finding_clean(text);
	if (!grow(list->lines, list->count) ||
	    asprintf(&line, "%s%s%s", name, *text ? "\t" : "", text) < 0)
		return;
	list->lines[list->count++] = line;
}

static int names_compare(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Once each: an export may be mounted on two directories. */
static bool names_is_repeated(const char *before, const char *line)
{
	size_t len = strcspn(line, "\t");

	return strcspn(before, "\t") == len && !strncmp(before, line, len);
}

static const struct cli_option cmd_names_options[] = { OPTION_ROOT_READ, OPTIONS_END };

static int cmd_names_run(void *arg)
{
	const struct cli *cli = arg;
	const char *name = cli->noperands ? cli->operands[0] : "";
	const char *prefix = cli->noperands > 1 ? cli->operands[1] : "";
	const struct cli_choice *choice = choice_list(name);
	_cleanup_(host_close_p) struct host *host = NULL;
	struct names_list list = { .count = 0 };
	size_t i;

	if (!choice) {
		err_set(EINVAL, "%s%.40s%s; 'nfsrdma names --help' lists them",
			*name ? "unknown list '" : "no list", name, *name ? "'" : "");
		return cli_usage(cli);
	}
	signal(SIGALRM, names_on_alarm);
	alarm(NAMES_SECONDS);
	if (host_open(&host, cli->root))
		return EXIT_GOOD;
	choice->each(host, prefix, names_keep, &list);
	if (list.count)
		qsort(list.lines, list.count, sizeof(*list.lines), names_compare);
	for (i = 0; i < list.count; i++)
		if (!i || !names_is_repeated(list.lines[i - 1], list.lines[i]))
			puts(list.lines[i]);
	for (i = 0; i < list.count; i++)
		free(list.lines[i]);
	free(list.lines);
	fflush(stdout);
	return EXIT_GOOD;
}

const struct cli_command cmd_names = {
	.name = "names",
	.hidden = true,
	.synopsis = "LIST [PREFIX]",
	.summary = "Print names of this host for the completion of shells.",
	.details =
		"Prints one name per line, and after a tab what it is. Lists: addresses, devices, "
		"findings, interfaces, listeners, mounts, options, pools and sources. It reads "
		"files only, ends after 5 seconds, and prints nothing that it cannot read. With "
		"the PREFIX ID/ the list findings has the reasons of that finding.",
	CLI_FORMS({ .operands = { &choice_lists } }),
	.max_operands = 2,
	.options = cmd_names_options,
	.run = cmd_names_run,
};
