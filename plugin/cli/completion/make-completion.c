/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* make-completion bash|zsh|fish <TEMPLATE >FILE: the completion of a shell. The template's line
 * #TABLES# becomes the tables of commands, options and operands, in the language of that shell. */
#include "plugin/cli/options.h"

#define FIRST_MAX 100 /* characters of a description */

static void completion_print_word(void *arg, const char *name, const char *about)
{
	(void)about;
	fprintf(arg, " %s", name);
}

/* Words, of letters, digits and "-.=" alone; each with a blank before it. False: there are none. */
static bool completion_print_words(const struct cli_choice *choice)
{
	const char *const *word;

	for (word = choice->words; word && *word; word++)
		completion_print_word(stdout, *word, NULL);
	if (choice->fixed)
		choice->each(NULL, "", completion_print_word, stdout);
	return choice->words || choice->fixed;
}

/* The first sentence of what an option does, in single quotes; @special: characters of the shell
 * that need a backslash there. */
static void completion_print_about(const char *help, const char *special, bool doubled)
{
	size_t len = strlen(help), i;
	const char *end = strstr(help, ". ");

	if (end)
		len = (size_t)(end - help);
	end = strstr(help, "; ");
	if (end && (size_t)(end - help) < len)
		len = (size_t)(end - help);
	len -= help[len - 1] == '.';
	for (i = 0; i < len && i < FIRST_MAX; i++) {
		if (help[i] == '\'' && doubled)
			fputs("'\\''", stdout);
		else if (help[i] == '\'' || strchr(special, help[i]))
			printf("\\%c", help[i]);
		else
			putchar(help[i]);
	}
	if (len > FIRST_MAX)
		fputs("...", stdout);
}

#define EACH_COMMAND(command)                                                                    \
	for (const struct cli_command *const *(command) = cli_commands; *(command); (command)++) \
		if (!(*(command))->hidden)

#define EACH_OPTION(row, of)                                                       \
	for (const struct cli_option *(row) = (of)->options; (row)->name; (row)++) \
		if (!(row)->hidden)

static bool completion_has_actions(const struct cli_command *command)
{
	return command->nforms && command->forms[0].action;
}

static void completion_print_actions(const struct cli_command *command)
{
	size_t i;

	for (i = 0; i < command->nforms; i++)
		printf(" %s", command->forms[i].action);
}

/* Whether the operand is the last of its form, and all that follow are like it. */
static bool completion_is_repeated(const struct cli_form *form, size_t operand)
{
	return form->repeated && (operand + 1 == CLI_OPERANDS_MAX || !form->operands[operand + 1]);
}

/* --- bash and zsh: what a value is, as both templates take it ------------------------- */

static void completion_print_kind(const struct cli_choice *choice)
{
	if (!choice) {
		fputs("none", stdout);
	} else if (choice->words || choice->fixed) {
		fputs("words", stdout);
		completion_print_words(choice);
	} else if (choice->each) {
		printf("names %s%s", choice->name, choice->path == PATH_FILE ? " file" : "");
	} else {
		fputs(choice->path == PATH_DIR ? "dir" : "file", stdout);
	}
}

static void completion_print_form(const struct cli_command *command, const struct cli_form *form)
{
	size_t i, actions = form->action ? 1 : 0;

	for (i = 0; i < CLI_OPERANDS_MAX; i++) {
		if (!form->operands[i])
			continue;
		printf("\t'%s '", command->name);
		if (completion_is_repeated(form, i))
			printf("[%zu-9]*", i + actions);
		else
			printf("%zu", i + actions);
		printf("' %s'%s) ", form->action ? form->action : "", form->action ? "" : "*");
		if (form->option)
			printf("[[ \"${words[*]} \" == *' --%s'[=\\ ]* ]] && ", form->option);
		fputs("kind=(", stdout);
		completion_print_kind(form->operands[i]);
		fputs(") ;;\n", stdout);
	}
}

/* Sets kind for the operand: COMMAND, how many come before it, the first of them. */
static void completion_print_operands(void)
{
	fputs("_nfsrdma_operand()\n{\n\tcase \"$1 $2 $3\" in\n", stdout);
	EACH_COMMAND(command)
	{
		size_t i;

		if (completion_has_actions(*command)) {
			printf("\t'%s 0 '*) kind=(words", (*command)->name);
			completion_print_actions(*command);
			fputs(") ;;\n", stdout);
		}
		for (i = 0; i < (*command)->nforms; i++)
			completion_print_form(*command, &(*command)->forms[i]);
	}
	fputs("\t*) return 1 ;;\n\tesac\n}\n", stdout);
}

/* --- bash ------------------------------------------------------------------------------- */

static void completion_bash_options(void)
{
	fputs("_nfsrdma_options()\n{\n\tcase $1 in\n", stdout);
	EACH_COMMAND(command)
	{
		printf("\t%s) options=(", (*command)->name);
		EACH_OPTION(row, *command)
		{
			printf(" --%s", row->name);
			if (row->letter)
				printf(" -%c", row->letter);
		}
		fputs(") ;;\n", stdout);
	}
	fputs("\t'') options=(--help -h --version -V) ;;\n\t*) options=() ;;\n\tesac\n}\n", stdout);
}

static void completion_bash_values(void)
{
	fputs("_nfsrdma_value()\n{\n\tcase \"$1 $2\" in\n", stdout);
	EACH_COMMAND(command)
	{
		EACH_OPTION(row, *command)
		{
			if (!row->arg)
				continue;
			printf("\t'%s --%s'", (*command)->name, row->name);
			if (row->letter)
				printf(" | '%s -%c'", (*command)->name, row->letter);
			fputs(") kind=(", stdout);
			completion_print_kind(row->choice);
			fputs(") ;;\n", stdout);
		}
	}
	fputs("\t*) return 1 ;;\n\tesac\n}\n", stdout);
}

static void completion_print_bash(void)
{
	fputs("_nfsrdma_commands=(", stdout);
	choice_commands.each(NULL, "", completion_print_word, stdout);
	fputs(")\n\n# COMMAND: sets options.\n", stdout);
	completion_bash_options();
	fputs("\n# COMMAND OPTION: sets kind; 1 if the option takes no value.\n", stdout);
	completion_bash_values();
	fputs("\n# COMMAND COUNT FIRST: sets kind for the operand after so many; 1 if there is none.\n",
	      stdout);
	completion_print_operands();
}

/* --- zsh -------------------------------------------------------------------------------- */

static void completion_zsh_option(const struct cli_option *row)
{
	const char *value = row->arg ? "=" : "";

	fputs("\t\t\t", stdout);
	if (row->letter)
		printf("'(-%c --%s)'{-%c%s,--%s%s}'[", row->letter, row->name, row->letter,
		       row->arg ? "+" : "", row->name, value);
	else
		printf("'%s--%s%s[", row->repeated ? "*" : "", row->name, value);
	completion_print_about(row->help, "[]:", true);
	putchar(']');
	if (row->arg) {
		putchar(':');
		for (const char *c = row->arg; *c; c++)
			printf("%s%c", *c == ':' ? "\\" : "", *c);
		fputs(": _nfsrdma_kind ", stdout);
		completion_print_kind(row->choice);
	}
	fputs("' \\\n", stdout);
}

static void completion_zsh_command(const struct cli_command *command)
{
	int i;

	printf("\t%s)\n\t\t_arguments -s -S : \\\n", command->name);
	EACH_OPTION(row, command)
	completion_zsh_option(row);
	for (i = 0; i < command->max_operands && i < CLI_OPERANDS_MAX + 1; i++)
		printf("\t\t\t'%d: : _nfsrdma_word %s %d' \\\n", i + 1, command->name, i);
	if (i < command->max_operands)
		printf("\t\t\t'*: : _nfsrdma_word %s %d' \\\n", command->name, i);
	fputs("\t\t\t&& result=0\n\t\t;;\n", stdout);
}

static void completion_zsh_describe(void *arg, const char *name, const char *about)
{
	fprintf(arg, "\t'%s:", name);
	completion_print_about(about, "", true);
	fputs("'\n", arg);
}

static void completion_print_zsh(void)
{
	fputs("_nfsrdma_commands=(\n", stdout);
	choice_commands.each(NULL, "", completion_zsh_describe, stdout);
	fputs(")\n\n# COMMAND COUNT FIRST: sets kind for the operand after so many; 1 if there is none.\n",
	      stdout);
	completion_print_operands();
	fputs("\n# COMMAND: its options and operands; sets result.\n_nfsrdma_arguments()\n{\n\tcase $1 in\n",
	      stdout);
	EACH_COMMAND(command)
	completion_zsh_command(*command);
	fputs("\tesac\n}\n", stdout);
}

/* --- fish ------------------------------------------------------------------------------- */

static void completion_fish_kind(const struct cli_choice *choice)
{
	if (!choice) {
		fputs(" -x", stdout);
	} else if (choice->words || choice->fixed) {
		fputs(" -x -a '", stdout);
		completion_print_words(choice);
		putchar('\'');
	} else if (choice->each) {
		printf(" %s -a '(__nfsrdma_names %s)'", choice->path == PATH_FILE ? "-r -F" : "-x",
		       choice->name);
	} else if (choice->path == PATH_DIR) {
		fputs(" -x -a '(__nfsrdma_directories)'", stdout);
	} else {
		fputs(" -r -F", stdout);
	}
}

static void completion_fish_options(const struct cli_command *command)
{
	EACH_OPTION(row, command)
	{
		printf("complete -c nfsrdma -n '__nfsrdma_in %s' -l %s", command->name, row->name);
		if (row->letter)
			printf(" -s %c", row->letter);
		if (row->arg)
			completion_fish_kind(row->choice);
		fputs(" -d '", stdout);
		completion_print_about(row->help, "\\", false);
		fputs("'\n", stdout);
	}
}

static void completion_fish_form(const struct cli_command *command, const struct cli_form *form)
{
	size_t i, before = form->action ? 2 : 1;

	for (i = 0; i < CLI_OPERANDS_MAX; i++) {
		if (!form->operands[i])
			continue;
		printf("complete -c nfsrdma -n '__nfsrdma_at %s %zu %s",
		       completion_is_repeated(form, i) ? "-ge" : "-eq", before + i, command->name);
		if (form->action)
			printf(" %s", form->action);
		if (form->option)
			printf("; and __nfsrdma_has --%s", form->option);
		putchar('\'');
		completion_fish_kind(form->operands[i]);
		putchar('\n');
	}
}

static void completion_fish_command(const struct cli_command *command)
{
	size_t i;

	printf("complete -c nfsrdma -n '__nfsrdma_at -eq 0' -a %s -d '", command->name);
	completion_print_about(command->summary, "\\", false);
	fputs("'\n", stdout);
	completion_fish_options(command);
	if (completion_has_actions(command)) {
		printf("complete -c nfsrdma -n '__nfsrdma_at -eq 1 %s' -a '", command->name);
		completion_print_actions(command);
		fputs("'\n", stdout);
	}
	for (i = 0; i < command->nforms; i++)
		completion_fish_form(command, &command->forms[i]);
}

static void completion_print_fish(void)
{
	const struct cli_option *row = NULL;

	fputs("complete -c nfsrdma -n '__nfsrdma_at -eq 0' -s h -l help -d 'Print this help and exit'\n"
	      "complete -c nfsrdma -n '__nfsrdma_at -eq 0' -s V -l version -d 'Print the version and exit'\n",
	      stdout);
	EACH_COMMAND(command)
	completion_fish_command(*command);
	fputs("# Options with a value.\nset -g __nfsrdma_valued", stdout);
	while ((row = option_next(row))) {
		if (row->arg)
			printf(" --%s", row->name);
		if (row->arg && row->letter)
			printf(" -%c", row->letter);
	}
	putchar('\n');
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*print)(void);
	} shells[] = {
		{ "bash", completion_print_bash },
		{ "zsh", completion_print_zsh },
		{ "fish", completion_print_fish },
	};
	char line[512];
	size_t i = 0;

	while (i < ARRAY_SIZE(shells) && (argc != 2 || strcmp(argv[1], shells[i].name)))
		i++;
	if (i == ARRAY_SIZE(shells)) {
		fputs("usage: make-completion bash|zsh|fish <TEMPLATE >FILE\n", stderr);
		return 2;
	}
	while (fgets(line, sizeof(line), stdin)) {
		if (!strcmp(line, "#TABLES#\n"))
			shells[i].print();
		else
			fputs(line, stdout);
	}
	return fflush(stdout) || ferror(stdout) || ferror(stdin);
}
