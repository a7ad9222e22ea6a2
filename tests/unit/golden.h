/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Golden files, tests/wire/: lines of comment (#) and of hex, a line "---", and the text that is
 * expected of the bytes. */
#ifndef TESTS_UNIT_GOLDEN_H
#define TESTS_UNIT_GOLDEN_H

#include <ctype.h>
#include <glob.h>
#include <limits.h>

#include "tests/unit/suite.h"

struct golden {
	uint8_t bytes[4096];
	size_t len;
	char text[8192];
};

static bool golden_hex(struct golden *g, const char *line)
{
	unsigned int byte;
	int used;

	for (; *line && *line != '#'; line++) {
		if (isspace((unsigned char)*line))
			continue;
		if (g->len == sizeof(g->bytes) || sscanf(line, "%2x%n", &byte, &used) != 1 ||
		    used != 2)
			return false;
		g->bytes[g->len++] = (uint8_t)byte;
		line++;
	}
	return true;
}

static bool golden_read(struct golden *g, const char *path)
{
	FILE *file = fopen(path, "re");
	bool good = file, in_text = false;
	size_t used = 0;
	char line[256];

	g->len = 0;
	g->text[0] = '\0';
	while (good && fgets(line, sizeof(line), file)) {
		if (in_text)
			used += (size_t)snprintf(g->text + used, sizeof(g->text) - used, "%s",
						 line);
		else if (!strcmp(line, "---\n"))
			in_text = true;
		else
			good = golden_hex(g, line);
		good = good && used < sizeof(g->text);
	}
	if (file)
		fclose(file);
	return good && in_text;
}

/* Calls @check with each file of tests/wire/@pattern. Returns how many there are. */
static size_t golden_each(const char *pattern, void (*check)(const struct golden *g))
{
	const char *tests = getenv("NFSRDMA_TESTS");
	static struct golden g;
	char path[PATH_MAX];
	glob_t found = { 0 };
	size_t i, count;

	snprintf(path, sizeof(path), "%s/wire/%s", tests ? tests : "tests", pattern);
	CU_ASSERT_EQUAL(glob(path, 0, NULL, &found), 0);
	ASSERT_MORE(found.gl_pathc, 0);
	for (i = 0; i < found.gl_pathc; i++) {
		SUITE_ROW("%s", found.gl_pathv[i]);
		if (golden_read(&g, found.gl_pathv[i])) {
			check(&g);
			continue;
		}
		fprintf(stderr, "%s: not in the form of a golden file\n", found.gl_pathv[i]);
		CU_FAIL("golden file cannot be read");
	}
	count = found.gl_pathc;
	globfree(&found);
	return count;
}

#endif
