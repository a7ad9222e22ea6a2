/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Rows of tests/options/NAME.txt: what is given, and what must come of it.
 *
 *	given => expected		\xNN in what is given is that byte; (none) is nothing
 *	given =! part of the sentence of the error
 *	  ~ part of a warning		under its row, all of them, in order
 *	  + part of a change		"before -> after: reason"; those that matter, in order
 *	  : more that is expected	what the file's runner makes of it
 *	@directive rest			for all rows from here on
 *	# comment
 */
#ifndef TESTS_UNIT_ROWS_H
#define TESTS_UNIT_ROWS_H

#include <limits.h>

#include "rpcrdma/base/base.h"
#include "tests/unit/suite.h"

#define ROW_NOTES_MAX 16

struct row {
	const char *file;
	unsigned int line;
	char text[8192];
	char *given, *expected; /* in the text; NULL: no row yet */
	bool is_error;
	unsigned int nnotes;
	char notes[ROW_NOTES_MAX][1024]; /* with their mark: "~ text" */
};

struct rows_runner {
	void (*directive)(char *text);
	void (*run)(const struct row *row);
};

static unsigned int rows_run, rows_failed;

/* A failure says where the row is; CUnit is told once, at the end. */
#define ROW_CHECK(row, good, ...)                                                         \
	do {                                                                              \
		if (good)                                                                 \
			break;                                                            \
		rows_failed++;                                                            \
		fprintf(stderr, "%s:%u: %s\n  ", (row)->file, (row)->line, (row)->given); \
		fprintf(stderr, __VA_ARGS__);                                             \
		fputc('\n', stderr);                                                      \
	} while (0)

static void rows_unescape(char *text)
{
	char *to = text, hex[3] = "";

	for (; *text; text++) {
		if (strncmp(text, "\\x", 2) || !text[2] || !text[3]) {
			*to++ = *text;
			continue;
		}
		memcpy(hex, text + 2, 2);
		*to++ = (char)strtoul(hex, NULL, 16);
		text += 3;
	}
	*to = '\0';
}

static void rows_split(struct row *row, const char *line)
{
	char *arrow;

	snprintf(row->text, sizeof(row->text), "%s", line);
	arrow = strstr(row->text, " =! ");
	row->is_error = arrow;
	if (!arrow)
		arrow = strstr(row->text, " => ");
	if (!arrow) {
		fprintf(stderr, "%s:%u: this is no row\n", row->file, row->line);
		abort();
	}
	*arrow = '\0';
	row->expected = arrow + 4;
	row->given = strcmp(row->text, "(none)") ? row->text : arrow;
	if (!strcmp(row->expected, "(none)"))
		row->expected = arrow;
	rows_unescape(row->given);
}

static void rows_end(struct row *row, const struct rows_runner *runner)
{
	if (!row->given)
		return;
	runner->run(row);
	rows_run++;
	row->given = NULL;
	row->nnotes = 0;
}

static void rows_line(struct row *row, const struct rows_runner *runner, char *line)
{
	if (!strncmp(line, "  ", 2) && row->given && row->nnotes < ROW_NOTES_MAX) {
		if (strlen(line + 2) >= sizeof(row->notes[0]))
			abort();
		strcpy(row->notes[row->nnotes++], line + 2);
		return;
	}
	rows_end(row, runner);
	if (*line == '@')
		runner->directive(line + 1);
	else if (*line && *line != '#')
		rows_split(row, line);
}

/* Every row of tests/options/NAME. */
static void rows_read(const char *name, const struct rows_runner *runner)
{
	const char *tests = getenv("NFSRDMA_TESTS");
	struct row row = { .file = name };
	unsigned int before = rows_failed, number = 0;
	char path[PATH_MAX], line[8192];
	FILE *file;

	snprintf(path, sizeof(path), "%s/options/%s", tests ? tests : "tests", name);
	file = fopen(path, "re");
	if (!file) {
		perror(path);
		CU_FAIL("no rows");
		return;
	}
	while (fgets(line, sizeof(line), file)) {
		line[strcspn(line, "\n")] = '\0';
		number++;
		if (strncmp(line, "  ", 2)) {
			rows_end(&row, runner);
			row.line = number;
		}
		rows_line(&row, runner, line);
	}
	rows_end(&row, runner);
	fclose(file);
	CU_ASSERT_EQUAL(rows_failed, before);
}

#endif
