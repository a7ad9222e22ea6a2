/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Names in commands: how real shells parse them. */
#include <stdio.h>
#include <sys/wait.h>

#include "plugin/report/report.h"
#include "plugin/report/shell.h"
#include "suite.h"

static const struct {
	const char *name, *word;
} names[] = {
	{ "eth0", "eth0" },
	{ "/srv/vms", "/srv/vms" },
	{ "nas1:/export", "nas1:/export" },
	{ "[2001:db8::1]:/e", "\\[2001:db8::1\\]:/e" },
	{ "", "''" },
	{ "i;reboot;", "i\\;reboot\\;" },
	{ "$(reboot)", "\\$\\(reboot\\)" },
	{ "`reboot`", "\\`reboot\\`" },
	{ "it's", "it\\'s" },
	{ "a \"b\"", "a\\ \\\"b\\\"" },
	{ "a\\", "a\\\\" },
	{ "~root", "\\~root" },
	{ "#x", "\\#x" },
	{ "*", "\\*" },
	{ "{a,b}", "\\{a,b\\}" },
	{ "a!b", "a\\!b" },
	{ "a|b&c<d>e", "a\\|b\\&c\\<d\\>e" },
	{ "a\nreboot", "a$'\\012'reboot" },
	{ "a\tb\033[m", "a$'\\011'b$'\\033'\\[m" },
	{ "M\xc3\xbcller", "M\xc3\xbcller" },
	{ "a\xff"
	  "b",
	  "a$'\\377'b" },
	/* A character that reverses the text direction. */
	{ "a\xe2\x80\xae"
	  "b",
	  "a$'\\342\\200\\256'b" },
	{ "-rf", "-rf" },
};

static void names_are_quoted(void)
{
	struct shell_word word;
	char clean[SHELL_WORD_MAX];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(names); i++) {
		SUITE_ROW("%zu: %s", i, names[i].word);
		CU_ASSERT_STRING_EQUAL(shell_word(&word, names[i].name), names[i].word);
		/* A report prints it unchanged. */
		CU_ASSERT_STRING_EQUAL(utf8_clean(clean, sizeof(clean), word.text, UTF8_ESCAPE),
				       word.text);
	}
}

/* The shell's result for the word, and nothing else; -1: it does not parse it. */
static int read_back(const char *shell, const char *word, char *out, size_t cap)
{
	char command[2 * SHELL_WORD_MAX];
	FILE *pipe;
	size_t len;

	snprintf(command, sizeof(command), "printf %%s. %s", word);
	setenv("COMMAND", command, 1);
	setenv("LC_ALL", "C", 1);
	snprintf(command, sizeof(command), "PATH=/nowhere exec /bin/%s -c \"$COMMAND\" 2>&1",
		 shell);
	pipe = popen(command, "r");
	CU_ASSERT_PTR_NOT_NULL_FATAL(pipe);
	len = fread(out, 1, cap - 1, pipe);
	out[len] = '\0';
	return pclose(pipe);
}

static void a_shell_reads_them_back(void)
{
	char got[SHELL_WORD_MAX], want[SHELL_WORD_MAX];
	struct shell_word word;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(names); i++) {
		SUITE_ROW("%zu: %s", i, names[i].word);
		shell_word(&word, names[i].name);
		snprintf(want, sizeof(want), "%s.", names[i].name);
		CU_ASSERT_EQUAL(read_back("bash", word.text, got, sizeof(got)), 0);
		CU_ASSERT_STRING_EQUAL(got, want);
		/* Without $'' it is still one word without special characters. */
		CU_ASSERT_EQUAL(read_back("dash", word.text, got, sizeof(got)), 0);
		CU_ASSERT(strstr(word.text, "$'") || !strcmp(got, want));
		CU_ASSERT(strchr(got, '.') == got + strlen(got) - 1);
	}
}

static void an_operand_is_not_an_option(void)
{
	struct shell_word word;

	CU_ASSERT_STRING_EQUAL(shell_operand(&word, "-rf"), "-- -rf");
	CU_ASSERT_STRING_EQUAL(shell_operand(&word, "vms"), "vms");
}

static void a_prefix_of_a_name_does_not_match(void)
{
	char name[SHELL_WORD_MAX + 1];
	struct shell_word word;

	memset(name, 'a', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	CU_ASSERT_STRING_EQUAL(shell_word(&word, name), "...");
	name[SHELL_WORD_MAX - 1] = '\0';
	CU_ASSERT_STRING_EQUAL(shell_word(&word, name), name);
	memset(name, ';', SHELL_WORD_MAX - 1);
	CU_ASSERT_STRING_EQUAL(shell_word(&word, name), "...");
}

SUITE_MAIN("shell", TEST(names_are_quoted), TEST(a_shell_reads_them_back),
	   TEST(an_operand_is_not_an_option), TEST(a_prefix_of_a_name_does_not_match))
