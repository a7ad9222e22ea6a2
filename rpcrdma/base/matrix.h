/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The matrix: the results of READs and WRITEs, by mechanism and size. A row is a mechanism, a
 * column a range of sizes. The probe fills it in, a report prints it. Pure. */
#ifndef RPCRDMA_MATRIX_H
#define RPCRDMA_MATRIX_H

#include "rpcrdma/base/base.h"

enum matrix_row {
	MATRIX_INLINE,
	MATRIX_REPLY_CHUNK,
	MATRIX_WRITE_CHUNK,  /* one segment at a page-aligned offset, alone */
	MATRIX_UNALIGNED,    /* by Write chunk, like the next three */
	MATRIX_SEGMENTS,     /* several segments */
	MATRIX_AFTER_OTHERS, /* after other operations on the same connection */
	MATRIX_IN_FLIGHT,    /* several READs at once */
	MATRIX_COMPOUND,     /* followed by other operations, by every mechanism */
	MATRIX_WRITE_INLINE,
	MATRIX_WRITE_READ_CHUNK,
	MATRIX_WRITE_LONG, /* long calls */
	MATRIX_ROWS
};

#define MATRIX_COLUMNS 11

/* Results of the READs of one cell; several may be set. */
enum matrix_seen {
	MATRIX_RIGHT = 1 << 0,
	MATRIX_WRONG = 1 << 1,     /* wrong data, an error or no reply, every time */
	MATRIX_AT_TIMES = 1 << 2,  /* the same, but correct when repeated */
	MATRIX_VIOLATION = 1 << 3, /* correct data in a reply that breaks the protocol */
	MATRIX_SEEN_ALL = (1 << 4) - 1
};

enum matrix_result {
	MATRIX_UNTESTED,
	MATRIX_CORRECT,
	MATRIX_FAILED,
	MATRIX_SOME_FAILED,
	MATRIX_VIOLATED,
	MATRIX_RESULTS
};

struct matrix {
	uint8_t seen[MATRIX_ROWS][MATRIX_COLUMNS]; /* of enum matrix_seen */
};

/* Bytes of the largest READ of a column; a column's READs are larger than the previous column's.
 * The last column has no limit: UINT32_MAX. */
uint32_t matrix_size(unsigned int column);
/* "write-chunk-unaligned": never changes its meaning. */
const char *matrix_row_name(enum matrix_row row);
/* "some-failed" */
const char *matrix_result_name(enum matrix_result result);
/* @seen of a READ that returned, or should have returned, @bytes. */
void matrix_add(struct matrix *matrix, enum matrix_row row, uint32_t bytes, unsigned int seen);
enum matrix_result matrix_result(const struct matrix *matrix, enum matrix_row row,
				 unsigned int column);
bool matrix_is_empty(const struct matrix *matrix);
/* Whether any READ was not correct: of all, of a row. */
bool matrix_needs_care(const struct matrix *matrix);
bool matrix_row_needs_care(const struct matrix *matrix, enum matrix_row row);
bool matrix_row_is_tested(const struct matrix *matrix, enum matrix_row row);
bool matrix_column_is_tested(const struct matrix *matrix, unsigned int column);

/* As a record for a pipe, and back. Errors: -EPROTO, @matrix is undefined then. */
#define MATRIX_RECORD (MATRIX_ROWS * MATRIX_COLUMNS)
void matrix_encode(const struct matrix *matrix, uint8_t buf[MATRIX_RECORD]);
int matrix_decode(struct matrix *matrix, const void *buf, size_t len);

#endif
