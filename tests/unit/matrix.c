/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The READ matrix: the cell of each READ, and the result of a cell with several outcomes. */
#include "rpcrdma/probe/internal.h"

#include "tests/unit/suite.h"

static struct matrix matrix;
static struct read_record list[8];
static struct records records;

static void reset(void)
{
	memset(&matrix, 0, sizeof(matrix));
	memset(list, 0, sizeof(list));
	records = (struct records){ .list = list, .cap = ARRAY_SIZE(list) };
}

static struct read_record *add(enum mechanism mechanism, uint32_t count, enum read_kind kind)
{
	struct read_record *r = &list[records.count++];

	*r = (struct read_record){ .c = { .mechanism = mechanism, .count = count },
				   .expected = count,
				   .outcome = { .kind = kind },
				   .in_flight = 1,
				   .tries = 1,
				   .wrong = read_kind_is_failure(kind) };
	return r;
}

/* The result of the only cell that is not empty; else MATRIX_RESULTS. */
static enum matrix_result only(enum matrix_row row, unsigned int column)
{
	unsigned int i, j;

	cells_add(&matrix, &records);
	for (i = 0; i < MATRIX_ROWS; i++)
		for (j = 0; j < MATRIX_COLUMNS; j++)
			if (matrix.seen[i][j] && (i != row || j != column))
				return MATRIX_RESULTS;
	return matrix_result(&matrix, row, column);
}

static void a_size_goes_into_the_first_column_that_fits(void)
{
	static const struct {
		uint32_t bytes;
		unsigned int column;
	} rows[] = {
		{ 0, 0 },         { 4, 0 },           { 5, 1 },     { 788, 1 },   { 789, 2 },
		{ 812, 2 },       { 813, 3 },         { 856, 3 },   { 857, 4 },   { 1025, 5 },
		{ 4096, 5 },      { 4097, 6 },        { 65536, 7 }, { 65537, 8 }, { 1048576, 9 },
		{ 1u << 30, 10 }, { UINT32_MAX, 10 },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		SUITE_ROW("%u bytes", rows[i].bytes);
		reset();
		matrix_add(&matrix, MATRIX_INLINE, rows[i].bytes, MATRIX_RIGHT);
		CU_ASSERT_EQUAL(matrix_result(&matrix, MATRIX_INLINE, rows[i].column),
				MATRIX_CORRECT);
		CU_ASSERT_TRUE(matrix_column_is_tested(&matrix, rows[i].column));
	}
}

static void sizes_ascend(void)
{
	unsigned int i;

	for (i = 1; i < MATRIX_COLUMNS; i++)
		ASSERT_LESS(matrix_size(i - 1), matrix_size(i));
	CU_ASSERT_EQUAL(matrix_size(MATRIX_COLUMNS - 1), UINT32_MAX);
}

static void a_cell_shows_its_worst_result(void)
{
	static const struct {
		unsigned int seen;
		enum matrix_result result;
	} rows[] = {
		{ 0, MATRIX_UNTESTED },
		{ MATRIX_RIGHT, MATRIX_CORRECT },
		{ MATRIX_RIGHT | MATRIX_VIOLATION, MATRIX_VIOLATED },
		{ MATRIX_WRONG, MATRIX_FAILED },
		{ MATRIX_WRONG | MATRIX_RIGHT, MATRIX_SOME_FAILED },
		{ MATRIX_WRONG | MATRIX_AT_TIMES, MATRIX_SOME_FAILED },
		{ MATRIX_AT_TIMES, MATRIX_SOME_FAILED },
		{ MATRIX_AT_TIMES | MATRIX_RIGHT | MATRIX_VIOLATION, MATRIX_SOME_FAILED },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		SUITE_ROW("%zu", i);
		reset();
		matrix_add(&matrix, MATRIX_SEGMENTS, 813, rows[i].seen);
		CU_ASSERT_EQUAL(matrix_result(&matrix, MATRIX_SEGMENTS, 3), rows[i].result);
		CU_ASSERT_EQUAL(matrix_is_empty(&matrix), !rows[i].seen);
		CU_ASSERT_EQUAL(matrix_needs_care(&matrix), rows[i].result > MATRIX_CORRECT);
	}
}

static void a_read_belongs_to_the_row_of_its_mechanism(void)
{
	static const struct {
		struct read_record r;
		enum matrix_row row;
	} rows[] = {
		{ { .c = { .mechanism = MECH_INLINE, .offset = 1 } }, MATRIX_INLINE },
		{ { .c = { .mechanism = MECH_REPLY_CHUNK, .layout = LAYOUT_PIECES } },
		  MATRIX_REPLY_CHUNK },
		{ { .c = { .mechanism = MECH_WRITE_CHUNK, .offset = 8192 } }, MATRIX_WRITE_CHUNK },
		{ { .c = { .mechanism = MECH_WRITE_CHUNK, .offset = 1 } }, MATRIX_UNALIGNED },
		{ { .c = { .mechanism = MECH_WRITE_CHUNK, .layout = LAYOUT_PIECES } },
		  MATRIX_SEGMENTS },
		{ { .c = { .mechanism = MECH_WRITE_CHUNK }, .after_others = true },
		  MATRIX_AFTER_OTHERS },
		{ { .c = { .mechanism = MECH_WRITE_CHUNK }, .in_flight = 2 }, MATRIX_IN_FLIGHT },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		SUITE_ROW("%s", matrix_row_name(rows[i].row));
		reset();
		list[0] = rows[i].r;
		list[0].expected = 813;
		records.count = 1;
		CU_ASSERT_EQUAL(only(rows[i].row, 3), MATRIX_CORRECT);
	}
}

static void every_kind_of_outcome_has_its_result(void)
{
	enum read_kind kind;
	enum matrix_result result;

	for (kind = READ_OK; kind < READ_KIND_COUNT; kind++) {
		SUITE_ROW("%s", read_kind_name(kind));
		reset();
		add(MECH_WRITE_CHUNK, 813, kind);
		result = only(MATRIX_WRITE_CHUNK, 3);
		if (read_kind_is_failure(kind))
			CU_ASSERT_EQUAL(result, MATRIX_FAILED);
		if (read_kind_is_right(kind))
			CU_ASSERT_EQUAL(result, kind == READ_OK ? MATRIX_CORRECT : MATRIX_VIOLATED);
	}
}

static void an_unused_write_chunk_is_a_violation_and_a_reply_chunk_is_not(void)
{
	reset();
	add(MECH_WRITE_CHUNK, 813, READ_INLINE);
	CU_ASSERT_EQUAL(only(MATRIX_WRITE_CHUNK, 3), MATRIX_VIOLATED);
	reset();
	add(MECH_REPLY_CHUNK, 813, READ_INLINE);
	CU_ASSERT_EQUAL(only(MATRIX_REPLY_CHUNK, 3), MATRIX_CORRECT);
}

static void outcomes_without_a_result_are_untested(void)
{
	reset();
	add(MECH_INLINE, 813, READ_CHANGING);
	add(MECH_INLINE, 813, READ_NOT_RUN);
	add(MECH_INLINE, 813, READ_LATER);
	add(MECH_INLINE, 813, READ_WITHHELD);
	cells_add(&matrix, &records);
	CU_ASSERT_TRUE(matrix_is_empty(&matrix));
}

static void a_failure_that_a_retry_corrects_is_intermittent(void)
{
	reset();
	add(MECH_INLINE, 813, READ_DATA)->tries = 2;
	CU_ASSERT_EQUAL(only(MATRIX_INLINE, 3), MATRIX_SOME_FAILED);
}

/* READs without a record were correct. */
static void a_random_failure_is_intermittent(void)
{
	reset();
	add(MECH_INLINE, 813, READ_DATA)->random = true;
	CU_ASSERT_EQUAL(only(MATRIX_INLINE, 3), MATRIX_SOME_FAILED);
}

static void a_matrix_survives_the_pipe(void)
{
	uint8_t buf[MATRIX_RECORD + 1] = { 0 };
	struct matrix back;

	reset();
	matrix_add(&matrix, MATRIX_COMPOUND, UINT32_MAX, MATRIX_SEEN_ALL);
	matrix_add(&matrix, MATRIX_INLINE, 0, MATRIX_WRONG);
	matrix_encode(&matrix, buf);
	CU_ASSERT_EQUAL(matrix_decode(&back, buf, MATRIX_RECORD), 0);
	CU_ASSERT_EQUAL(memcmp(&back, &matrix, sizeof(back)), 0);
	CU_ASSERT_EQUAL(matrix_decode(&back, buf, MATRIX_RECORD - 1), -EPROTO);
	CU_ASSERT_EQUAL(matrix_decode(&back, buf, MATRIX_RECORD + 1), -EPROTO);
	buf[MATRIX_RECORD - 1] = MATRIX_SEEN_ALL + 1;
	CU_ASSERT_EQUAL(matrix_decode(&back, buf, MATRIX_RECORD), -EPROTO);
}

SUITE_MAIN("matrix", TEST(a_size_goes_into_the_first_column_that_fits), TEST(sizes_ascend),
	   TEST(a_cell_shows_its_worst_result), TEST(a_read_belongs_to_the_row_of_its_mechanism),
	   TEST(every_kind_of_outcome_has_its_result),
	   TEST(an_unused_write_chunk_is_a_violation_and_a_reply_chunk_is_not),
	   TEST(outcomes_without_a_result_are_untested),
	   TEST(a_failure_that_a_retry_corrects_is_intermittent),
	   TEST(a_random_failure_is_intermittent), TEST(a_matrix_survives_the_pipe))
