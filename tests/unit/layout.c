/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* How the memory of a chunk is split, and when the pad has its own segment. */
#include <stdio.h>

#include "rpcrdma/probe/internal.h"

#include "tests/unit/suite.h"

#define HEAD 136

static const struct {
	const char *name;
	struct read_case c;
	bool implicit_roundup;
	const char *lengths;
} rows[] = {
	{ "inline has none", { .mechanism = MECH_INLINE, .count = 813 }, false, "" },
	{ "Linux, with private data",
	  { .mechanism = MECH_WRITE_CHUNK, .layout = LAYOUT_LINUX, .count = 813 },
	  true,
	  "813" },
	{ "Linux, without private data",
	  { .mechanism = MECH_WRITE_CHUNK, .layout = LAYOUT_LINUX, .count = 813 },
	  false,
	  "813 3" },
	{ "Linux, without private data and without a pad",
	  { .mechanism = MECH_WRITE_CHUNK, .layout = LAYOUT_LINUX, .count = 816 },
	  false,
	  "816" },
	{ "a word for nothing",
	  { .mechanism = MECH_WRITE_CHUNK, .layout = LAYOUT_LINUX, .count = 0 },
	  false,
	  "4" },
	{ "a pad segment that was asked for",
	  { .mechanism = MECH_WRITE_CHUNK, .layout = LAYOUT_PAD_SEGMENT, .count = 815 },
	  true,
	  "815 1" },
	{ "rounded up",
	  { .mechanism = MECH_WRITE_CHUNK, .layout = LAYOUT_ROUNDED, .count = 813 },
	  false,
	  "816" },
	{ "larger",
	  { .mechanism = MECH_WRITE_CHUNK, .layout = LAYOUT_LARGER, .count = 813 },
	  false,
	  "1329" },
	{ "pieces",
	  { .mechanism = MECH_WRITE_CHUNK, .layout = LAYOUT_PIECES, .pieces = 3, .count = 4097 },
	  true,
	  "1 3 4093" },
	{ "pieces, without private data",
	  { .mechanism = MECH_WRITE_CHUNK, .layout = LAYOUT_PIECES, .pieces = 3, .count = 4097 },
	  false,
	  "1 3 4093 3" },
	{ "as many pieces as may be, without private data",
	  { .mechanism = MECH_WRITE_CHUNK, .layout = LAYOUT_PIECES, .pieces = 16, .count = 65537 },
	  false,
	  "1 3 4095 4097 7 517 5 1021 1 3 4095 4097 7 517 47071 3" },
	{ "a Reply chunk has room for all",
	  { .mechanism = MECH_REPLY_CHUNK, .layout = LAYOUT_LINUX, .count = 813 },
	  false,
	  "952" },
};

static void chunks_are_split_by_their_layout(void)
{
	uint32_t lengths[AREA_SEGMENTS];
	unsigned int i, n;
	char text[256];
	size_t row, used;

	for (row = 0; row < ARRAY_SIZE(rows); row++) {
		SUITE_ROW("%s", rows[row].name);
		n = layout_cut(&rows[row].c, HEAD, rows[row].implicit_roundup, lengths);
		ASSERT_LESS_FATAL(n, AREA_SEGMENTS + 1);
		text[0] = '\0';
		for (i = used = 0; i < n; i++)
			used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%u",
						 i ? " " : "", lengths[i]);
		CU_ASSERT_STRING_EQUAL(text, rows[row].lengths);
	}
}

SUITE_MAIN("layout", TEST(chunks_are_split_by_their_layout))
