/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Turns records of READs into the READ matrix. Pure: it shows what each READ returned, regardless
 * of the finding that explains it. */
#include "rpcrdma/probe/internal.h"

#define CELLS_PAGE 4096

unsigned int cells_seen(enum mechanism mechanism, enum read_kind kind)
{
	switch (kind) {
	case READ_OK: return MATRIX_RIGHT;
	case READ_CHANGING:
	case READ_NOT_RUN:
	case READ_WITHHELD:
	case READ_LATER: return 0;
	case READ_PAD:
	case READ_LENGTHS: return MATRIX_RIGHT | MATRIX_VIOLATION;
	/* A server may leave a Reply chunk unused. */
	case READ_INLINE:
		return mechanism == MECH_WRITE_CHUNK ? MATRIX_RIGHT | MATRIX_VIOLATION
						     : MATRIX_RIGHT;
	default: return MATRIX_WRONG;
	}
}

static enum matrix_row cells_row(const struct read_record *r)
{
	if (r->c.mechanism == MECH_INLINE)
		return MATRIX_INLINE;
	if (r->c.mechanism == MECH_REPLY_CHUNK)
		return MATRIX_REPLY_CHUNK;
	if (r->c.layout == LAYOUT_PIECES || r->c.layout == LAYOUT_PAD_SEGMENT)
		return MATRIX_SEGMENTS;
	if (r->c.offset % CELLS_PAGE)
		return MATRIX_UNALIGNED;
	if (r->after_others)
		return MATRIX_AFTER_OTHERS;
	return r->in_flight > 1 ? MATRIX_IN_FLIGHT : MATRIX_WRITE_CHUNK;
}

void cells_add(struct matrix *matrix, const struct records *records)
{
	unsigned int seen;
	size_t i;

	for (i = 0; i < records->count; i++) {
		const struct read_record *r = &records->list[i];

		seen = cells_seen(r->c.mechanism, r->outcome.kind);
		/* Random READs are made only where the READs of the sweep were correct. */
		if (seen & MATRIX_WRONG && (r->random || (r->wrong && r->wrong < r->tries)))
			seen = MATRIX_AT_TIMES;
		matrix_add(matrix, cells_row(r), r->expected, seen);
	}
}
