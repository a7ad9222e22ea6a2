/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The sweep of READs: sweep.c chooses them, judge.c examines those that failed. */
#ifndef RPCRDMA_PROBE_SWEEP_INTERNAL_H
#define RPCRDMA_PROBE_SWEEP_INTERNAL_H

#include "rpcrdma/probe/internal.h"

#define SWEEP_IN_FLIGHT 16

struct sweep {
	struct probe *p;
	struct records *records;
	struct window w;
	struct range_set set;
	struct range *ranges; /* of it */
	unsigned int nranges;
	unsigned int unanswered[MECH_COUNT]; /* in a row */
	unsigned int broken[MECH_COUNT];
	unsigned int never_right, sometimes; /* of those that were repeated */
	struct range before;                 /* the last range read by another mechanism */
	bool before_right;
	unsigned int done, total;
	double ms_a_byte; /* of the fastest READ that is long enough to measure */
};

/* sweep.c */

/* Whether to make no more READs. */
bool sweep_stop(struct sweep *s);

/* judge.c */

/* Makes one try, in the same way as the first: after other operations means a READ by the same
 * mechanism, then GETATTR, READDIR and READLINK, then the READ that counts, on one connection. */
void judge_try(struct sweep *s, const struct read_case *c, bool after_others,
	       struct read_outcome *outcome);
/* Whether the size is above the limit that every mechanism is tried with. */
bool judge_is_large(const struct sweep *s, uint32_t count);
/* Whether the connection was lost. */
bool judge_is_broken(enum read_kind kind);
/* Reads the same range by a mechanism other than the suspect: was it correct? */
bool judge_control(struct sweep *s, const struct read_case *suspect);
/* Notes the result of that range by another mechanism, before it is read by Write chunk. */
void judge_note_before(struct sweep *s, const struct read_case *c, bool right);
bool judge_is_before(const struct sweep *s, const struct read_case *c);
/* Examines a failed READ: the reason, and whether it fails again. */
void judge_failure(struct sweep *s, struct read_record *r);
/* Makes @n READs at once, at most SWEEP_IN_FLIGHT; repeats all of them if the server asked one to
 * wait. */
void judge_flight_read(struct sweep *s, const struct read_case *cases, unsigned int n,
		       struct read_outcome *outcomes);
/* Judges those of them that failed, as judge_failure(). */
void judge_flight(struct sweep *s, const struct read_case *cases, unsigned int n,
		  struct read_record *rs);

#endif
