/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The matrix of READs and WRITEs. Its sizes are those at which the behaviour of clients or servers
 * changes: a word of XDR, the Linux clients' limits for inline READs, pages, and the usual values
 * of rsize. */
#include "rpcrdma/base/matrix.h"

static const uint32_t sizes[MATRIX_COLUMNS] = { 4,    788,   812,    856,     1024,      4096,
						8192, 65536, 262144, 1048576, UINT32_MAX };

static const char *const row_names[MATRIX_ROWS] = {
	[MATRIX_INLINE] = "inline",
	[MATRIX_REPLY_CHUNK] = "reply-chunk",
	[MATRIX_WRITE_CHUNK] = "write-chunk",
	[MATRIX_UNALIGNED] = "write-chunk-unaligned",
	[MATRIX_SEGMENTS] = "write-chunk-segments",
	[MATRIX_AFTER_OTHERS] = "write-chunk-after-others",
	[MATRIX_IN_FLIGHT] = "write-chunk-in-flight",
	[MATRIX_COMPOUND] = "compound",
	[MATRIX_WRITE_INLINE] = "writes-inline",
	[MATRIX_WRITE_READ_CHUNK] = "writes-read-chunk",
	[MATRIX_WRITE_LONG] = "writes-long-call",
};

static const char *const result_names[MATRIX_RESULTS] = {
	[MATRIX_UNTESTED] = "untested",  [MATRIX_CORRECT] = "correct",
	[MATRIX_FAILED] = "failed",      [MATRIX_SOME_FAILED] = "some-failed",
	[MATRIX_VIOLATED] = "violation",
};

uint32_t matrix_size(unsigned int column)
{
	return sizes[column];
}

const char *matrix_row_name(enum matrix_row row)
{
	return row_names[row];
}

const char *matrix_result_name(enum matrix_result result)
{
	return result_names[result];
}

void matrix_add(struct matrix *matrix, enum matrix_row row, uint32_t bytes, unsigned int seen)
{
	unsigned int column = 0;

	while (bytes > sizes[column])
		column++;
	matrix->seen[row][column] |= (uint8_t)seen;
}

enum matrix_result matrix_result(const struct matrix *matrix, enum matrix_row row,
				 unsigned int column)
{
	unsigned int seen = matrix->seen[row][column];

	if (seen == MATRIX_WRONG)
		return MATRIX_FAILED;
	if (seen & (MATRIX_WRONG | MATRIX_AT_TIMES))
		return MATRIX_SOME_FAILED;
	if (seen & MATRIX_VIOLATION)
		return MATRIX_VIOLATED;
	return seen ? MATRIX_CORRECT : MATRIX_UNTESTED;
}

bool matrix_row_is_tested(const struct matrix *matrix, enum matrix_row row)
{
	unsigned int column;

	for (column = 0; column < MATRIX_COLUMNS; column++)
		if (matrix->seen[row][column])
			return true;
	return false;
}

bool matrix_column_is_tested(const struct matrix *matrix, unsigned int column)
{
	unsigned int row;

	for (row = 0; row < MATRIX_ROWS; row++)
		if (matrix->seen[row][column])
			return true;
	return false;
}

bool matrix_is_empty(const struct matrix *matrix)
{
	unsigned int row;

	for (row = 0; row < MATRIX_ROWS; row++)
		if (matrix_row_is_tested(matrix, row))
			return false;
	return true;
}

bool matrix_row_needs_care(const struct matrix *matrix, enum matrix_row row)
{
	unsigned int column;

	for (column = 0; column < MATRIX_COLUMNS; column++)
		if (matrix->seen[row][column] & ~MATRIX_RIGHT)
			return true;
	return false;
}

bool matrix_needs_care(const struct matrix *matrix)
{
	unsigned int row;

	for (row = 0; row < MATRIX_ROWS; row++)
		if (matrix_row_needs_care(matrix, row))
			return true;
	return false;
}

void matrix_encode(const struct matrix *matrix, uint8_t buf[MATRIX_RECORD])
{
	memcpy(buf, matrix->seen, MATRIX_RECORD);
}

int matrix_decode(struct matrix *matrix, const void *buf, size_t len)
{
	const uint8_t *bytes = buf;
	size_t i;

	if (len != MATRIX_RECORD)
		return err_set(EPROTO, "a matrix of %zu bytes", len);
	for (i = 0; i < len; i++)
		if (bytes[i] & ~MATRIX_SEEN_ALL)
			return err_set(EPROTO, "unknown result %u in a matrix", bytes[i]);
	memcpy(matrix->seen, buf, MATRIX_RECORD);
	return 0;
}
