/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The frames of tests/wire/: what one RDMA Send carries, and the header in words. A file is
 * lines of comment (#) and of hex, a line "---", and the expected text:
 *
 *	what header_text() says, then "message N bytes" for what follows the header; or
 *	"error NAME", the errno of a frame that is refused.
 *
 * A frame that is accepted is also encoded again and compared. */
#include <ctype.h>
#include <glob.h>
#include <limits.h>

#include "rpcrdma/wire/wire.h"
#include "tests/unit/suite.h"

struct golden {
	uint8_t bytes[4096];
	size_t len;
	char text[8192];
};

static bool add_hex(struct golden *g, const char *line)
{
	unsigned int byte;
	int used;

	for (; *line && *line != '#'; line++) {
		if (isspace((unsigned char)*line))
			continue;
		if (g->len == sizeof(g->bytes) ||
		    sscanf(line, "%2x%n", &byte, &used) != 1 || used != 2)
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
			used += (size_t)snprintf(g->text + used, sizeof(g->text) - used,
						 "%s", line);
		else if (!strcmp(line, "---\n"))
			in_text = true;
		else
			good = add_hex(g, line);
		good = good && used < sizeof(g->text);
	}
	if (file)
		fclose(file);
	return good && in_text;
}

static void assert_encoding(const struct rpcrdma_header *h, const struct golden *g)
{
	uint8_t again[4096];
	struct writer w;

	writer_init(&w, again, sizeof(again));
	CU_ASSERT_EQUAL(header_encode(&w, h), 0);
	CU_ASSERT_FATAL(w.len <= g->len);
	ASSERT_BYTES(again, g->bytes, w.len);
}

static void golden_check(const struct golden *g, const char *path)
{
	struct rpcrdma_header h;
	char text[8192];
	struct reader r;
	int rc, len;

	reader_init(&r, g->bytes, g->len);
	rc = header_decode(&h, &r);
	if (rc) {
		snprintf(text, sizeof(text), "error %s\n", strerrorname_np(-rc));
	} else {
		len = header_text(&h, text, sizeof(text));
		snprintf(text + len, sizeof(text) - (size_t)len, "message %zu bytes\n",
			 reader_left(&r));
		assert_encoding(&h, g);
	}
	if (strcmp(text, g->text))
		fprintf(stderr, "%s: got\n%s", path, text);
	CU_ASSERT_STRING_EQUAL(text, g->text);
}

static void frames_of_the_folder_are_as_described(void)
{
	const char *tests = getenv("NFSRDMA_TESTS");
	static struct golden g;
	char pattern[PATH_MAX];
	glob_t found = { 0 };
	size_t i;

	snprintf(pattern, sizeof(pattern), "%s/wire/*.hex", tests ? tests : "tests");
	CU_ASSERT_EQUAL(glob(pattern, 0, NULL, &found), 0);
	CU_ASSERT(found.gl_pathc > 0);
	for (i = 0; i < found.gl_pathc; i++) {
		if (golden_read(&g, found.gl_pathv[i])) {
			golden_check(&g, found.gl_pathv[i]);
			continue;
		}
		fprintf(stderr, "%s: not in the form of a golden frame\n",
			found.gl_pathv[i]);
		CU_FAIL("golden frame cannot be read");
	}
	globfree(&found);
}

SUITE_MAIN("golden", TEST(frames_of_the_folder_are_as_described))
