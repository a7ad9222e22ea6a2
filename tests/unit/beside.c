/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Which READs are counted as wrong beside their data. */
#include "rpcrdma/probe/internal.h"
#include "tests/unit/suite.h"

#define SIZE 8192

static const struct probe_file file = { .fh = { .len = 4 } };
static struct beside beside;

static void note(uint64_t offset, uint32_t count, bool eof, const struct nfs_attr *attr)
{
	const struct window w = { .file = &file, .attr = { .size = SIZE, .fileid = 7 } };
	const struct read_case c = { .offset = offset, .count = count };
	uint64_t have = offset < SIZE ? SIZE - offset : 0;
	struct nfs_result res = { .has_attr = attr != NULL };

	res.read_count = (uint32_t)min_u64(count, have);
	res.read.eof = eof;
	if (attr)
		res.attr = *attr;
	beside_note(&beside, &c, &w, &res);
}

static void eof_is_due_at_the_end_only(void)
{
	static const struct {
		uint64_t offset;
		uint32_t count;
		bool at_end;
	} rows[] = {
		{ 0, SIZE, true },     { 0, SIZE - 1, false }, { 0, SIZE + 1, true },
		{ SIZE - 1, 1, true }, { SIZE - 2, 1, false }, { SIZE, 1, true },
		{ SIZE, 0, true },     { SIZE + 1, 10, true },
	};
	size_t i;
	int eof;

	for (i = 0; i < ARRAY_SIZE(rows); i++)
		for (eof = 0; eof < 2; eof++) {
			SUITE_ROW("%zu, eof %d", i, eof);
			beside = (struct beside){ 0 };
			note(rows[i].offset, rows[i].count, eof, NULL);
			CU_ASSERT_EQUAL(beside.looked[BESIDE_NO_EOF], rows[i].at_end);
			CU_ASSERT_EQUAL(beside.looked[BESIDE_EARLY_EOF], !rows[i].at_end);
			CU_ASSERT_EQUAL(beside.wrong[BESIDE_NO_EOF], rows[i].at_end && !eof);
			CU_ASSERT_EQUAL(beside.wrong[BESIDE_EARLY_EOF], !rows[i].at_end && eof);
			CU_ASSERT_EQUAL(beside.file.len != 0, rows[i].at_end == !eof);
		}
	/* Nothing was read, and nothing had to be. */
	beside = (struct beside){ 0 };
	note(1, 0, true, NULL);
	CU_ASSERT_EQUAL(beside.looked[BESIDE_EARLY_EOF], 0);
}

static void attributes_are_those_of_getattr(void)
{
	static const struct nfs_attr right = { .size = SIZE, .fileid = 7 };
	static const struct nfs_attr half = { .size = SIZE / 2, .fileid = 7 };
	static const struct nfs_attr other = { .size = SIZE, .fileid = 8 };

	beside = (struct beside){ 0 };
	note(0, 1, false, &right);
	note(0, 1, false, NULL);
	CU_ASSERT_EQUAL(beside.looked[BESIDE_SIZE], 1);
	CU_ASSERT_EQUAL(beside.wrong[BESIDE_SIZE] + beside.wrong[BESIDE_FILEID], 0);
	note(0, 1, false, &half);
	note(0, 1, false, &half);
	CU_ASSERT_EQUAL(beside.wrong[BESIDE_SIZE], 2);
	CU_ASSERT_STRING_EQUAL(beside.example[BESIDE_SIZE],
			       "1 byte at offset 0: size 4096, by GETATTR 8192");
	note(0, 2, false, &other);
	CU_ASSERT_EQUAL(beside.wrong[BESIDE_FILEID], 1);
	CU_ASSERT_STRING_EQUAL(beside.example[BESIDE_FILEID],
			       "2 bytes at offset 0: fileid 8, by GETATTR 7");
	CU_ASSERT_EQUAL(beside.attr.size, SIZE);
}

SUITE_MAIN("beside", TEST(eof_is_due_at_the_end_only), TEST(attributes_are_those_of_getattr))
