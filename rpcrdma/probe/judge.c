/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Examines a failed READ: has the file changed, does the READ fail again, is the same range
 * correct by another mechanism before and after, and over TCP? */
#include "rpcrdma/probe/sweep-internal.h"

/* A failed READ is repeated to tell whether it always fails. Fewer tries if each costs a
 * connection, or if this many were never correct and none was correct at times. */
#define AGAIN_MAX    4
#define AGAIN_CLOSED 2
#define AGAIN_ENOUGH 24

/* A server that asks for patience, or that restarted and lost the session, has not failed. True:
 * waited, try again. */
static bool judge_is_later(struct sweep *s, const struct read_outcome *outcome,
			   struct retries *retries)
{
	return read_again(s->p, outcome, retries) && !sweep_stop(s);
}

static void judge_read(struct sweep *s, const struct read_case *c, struct read_outcome *outcome)
{
	struct retries retries = { 0 };

	do
		read_once(s->p, &s->w, c, outcome);
	while (judge_is_later(s, outcome, &retries));
}

void judge_try(struct sweep *s, const struct read_case *c, bool after_others,
	       struct read_outcome *outcome)
{
	struct read_outcome warm;

	if (after_others) {
		judge_read(s, c, &warm);
		listing_between(s->p, &s->w.file->fh);
	}
	judge_read(s, c, outcome);
}

bool judge_is_large(const struct sweep *s, uint32_t count)
{
	return count > s->p->limits.rtmax + 1;
}

/* Reads the range in pieces that are safe for every server: by Reply chunk up to a multiple of 4,
 * the remaining 0 to 3 bytes inline. */
static bool judge_pieces_right(struct sweep *s, uint64_t offset, uint32_t count)
{
	uint64_t end = min_u64(offset + count, s->w.attr.size);
	uint32_t most = min_u32(GATE_REPLY_CHUNK_MAX, s->p->limits.rtmax & ~3u);
	struct read_outcome outcome = { .kind = READ_NOT_RUN };

	while (offset < end && !sweep_stop(s)) {
		uint32_t n = (uint32_t)min_u64(end - offset, most);
		struct read_case c = {
			.mechanism = n < 4 ? MECH_INLINE : MECH_REPLY_CHUNK,
			.offset = offset,
			.count = n < 4 ? n : n & ~3u,
		};

		judge_read(s, &c, &outcome);
		if (!read_kind_is_clean(outcome.kind))
			return false;
		offset += c.count;
	}
	return read_kind_is_clean(outcome.kind) && offset == end;
}

bool judge_control(struct sweep *s, const struct read_case *suspect)
{
	struct read_case c = { .offset = suspect->offset, .count = suspect->count };
	struct read_outcome outcome;

	if (session_ready(s->p))
		return false;
	if (judge_is_large(s, c.count))
		return judge_pieces_right(s, c.offset, c.count);
	c.mechanism = read_fits_inline(s->p, c.count) && suspect->mechanism != MECH_INLINE
			      ? MECH_INLINE
			      : MECH_REPLY_CHUNK;
	if (c.mechanism == suspect->mechanism)
		c.mechanism = MECH_WRITE_CHUNK;
	judge_read(s, &c, &outcome);
	if (outcome.kind == READ_WITHHELD && c.mechanism == MECH_REPLY_CHUNK)
		return judge_pieces_right(s, c.offset, c.count);
	/* An inline reply is no control for inline. */
	return outcome.kind == READ_OK ||
	       (outcome.kind == READ_INLINE && suspect->mechanism != MECH_INLINE);
}

void judge_note_before(struct sweep *s, const struct read_case *c, bool right)
{
	s->before = (struct range){ c->offset, c->count };
	s->before_right = right;
}

bool judge_is_before(const struct sweep *s, const struct read_case *c)
{
	return s->before.offset == c->offset && s->before.count == c->count;
}

bool judge_is_broken(enum read_kind kind)
{
	return kind == READ_CLOSED || kind == READ_TRANSPORT;
}

/* Counts one more try. False: no more are needed, or the try proved nothing. */
static bool judge_count_try(struct read_record *r, enum read_kind kind)
{
	bool wrong = read_kind_is_failure(kind);

	if (!wrong && !read_kind_is_right(kind))
		return false;
	r->tries++;
	r->wrong += wrong;
	return wrong;
}

static void judge_note_tries(struct sweep *s, struct read_record *r)
{
	r->confirmed = r->tries > 1 && r->wrong == r->tries;
	s->never_right += r->confirmed;
	s->sometimes += r->wrong < r->tries;
}

/* Repeats the READ in the same way until it is correct. */
static void judge_again(struct sweep *s, struct read_record *r)
{
	unsigned int i, most = judge_is_broken(r->outcome.kind) ? AGAIN_CLOSED : AGAIN_MAX;
	struct read_outcome again = { .kind = READ_NOT_RUN };

	if (r->outcome.kind == READ_LOST || (s->never_right >= AGAIN_ENOUGH && !s->sometimes))
		most = 1;

	for (i = 0; i < most && !sweep_stop(s); i++) {
		judge_try(s, &r->c, r->after_others, &again);
		/* Waiting as long again would only cost time. */
		if (!judge_count_try(r, again.kind) || again.kind == READ_LOST)
			break;
	}
	judge_note_tries(s, r);
}

/* Failures that TCP cannot reproduce: no answer, or memory that was not written. */
static bool judge_is_of_rdma(enum read_kind kind)
{
	return kind != READ_DATA && kind != READ_SHORT && kind != READ_STATUS && kind != READ_RPC;
}

void judge_failure(struct sweep *s, struct read_record *r)
{
	enum window_change change;

	/* Also if the transport's checksum was wrong: a kernel that sends pages without copying
	 * them computes it before a writer changes them. */
	window_judge(&r->outcome, window_again(s->p, &s->w, r->c.offset, r->c.count));
	if (r->outcome.kind == READ_CHANGING)
		return;
	/* This has its own finding and says nothing about the mechanism. */
	if (s->p->liveness.gone) {
		r->outcome.kind = READ_NOT_RUN;
		return;
	}
	if (!read_kind_is_failure(r->outcome.kind))
		return;
	r->wrong = 1;
	if (r->outcome.kind == READ_LOST) {
		r->controls_right = s->before_right && judge_is_before(s, &r->c) &&
				    judge_control(s, &r->c);
		/* If the one before it was lost too, another READ is as informative. */
		if (s->unanswered[r->c.mechanism])
			r->confirmed = true;
		else
			judge_again(s, r);
		return;
	}
	r->controls_right = judge_control(s, &r->c);
	judge_again(s, r);
	r->controls_right = r->controls_right && judge_control(s, &r->c);
	/* Keep the first outcome, which was examined before. */
	change = window_again(s->p, &s->w, r->c.offset, r->c.count);
	if (change == WINDOW_CHANGED)
		r->outcome.kind = READ_CHANGING;
	r->confirmed = r->confirmed && change == WINDOW_SAME;
	whence_find(s->p, &s->w, &r->c, &r->outcome);
	if (r->confirmed && !judge_is_of_rdma(r->outcome.kind))
		r->wrong_over_tcp = over_tcp(s->p, &s->w, &r->c) == OVER_TCP_WRONG;
}

/* Makes @n READs at once; outcomes are in order. */
static void judge_flight_once(struct sweep *s, const struct read_case *cases, unsigned int n,
			      struct read_outcome *outcomes)
{
	_cleanup_free_ struct read_job *jobs = calloc(n, sizeof(*jobs));
	unsigned int i;

	memset(outcomes, 0, n * sizeof(*outcomes));
	for (i = 0; i < n; i++)
		outcomes[i].kind = READ_NOT_RUN;
	if (!jobs)
		return;
	for (i = 0; i < n; i++)
		read_start(s->p, &jobs[i], &s->w, &cases[i]);
	for (i = 0; i < n; i++) {
		read_finish(s->p, &jobs[i], &s->w);
		outcomes[i] = jobs[i].outcome;
	}
}

/* Repeats all of them if the server asked one to wait, because they must be in flight together. */
void judge_flight_read(struct sweep *s, const struct read_case *cases, unsigned int n,
		       struct read_outcome *outcomes)
{
	struct retries retries = { 0 };
	unsigned int i;

	do {
		judge_flight_once(s, cases, n, outcomes);
		for (i = 0; i < n && outcomes[i].kind != READ_LATER; i++)
			;
	} while (i < n && judge_is_later(s, &outcomes[i], &retries));
}

/* Repeats all of them while one was never correct. */
static void judge_flight_again(struct sweep *s, const struct read_case *cases, unsigned int n,
			       struct read_record *rs)
{
	struct read_outcome again[SWEEP_IN_FLIGHT];
	bool open = true, lost = false;
	unsigned int i, tries;

	for (tries = 0; tries < AGAIN_MAX && open && !lost && !sweep_stop(s); tries++) {
		if (tries && s->never_right >= AGAIN_ENOUGH && !s->sometimes)
			break;
		judge_flight_read(s, cases, n, again);
		open = false;
		for (i = 0; i < n; i++) {
			if (rs[i].wrong == rs[i].tries && judge_count_try(&rs[i], again[i].kind))
				open = true;
			lost = lost || again[i].kind == READ_LOST || judge_is_broken(again[i].kind);
		}
	}
	for (i = 0; i < n; i++)
		if (rs[i].wrong)
			judge_note_tries(s, &rs[i]);
}

void judge_flight(struct sweep *s, const struct read_case *cases, unsigned int n,
		  struct read_record *rs)
{
	bool before[SWEEP_IN_FLIGHT] = { false }, all_right = true;
	unsigned int i;

	for (i = 0; i < n; i++) {
		if (!read_kind_is_failure(rs[i].outcome.kind))
			continue;
		all_right = false;
		rs[i].wrong = 1;
		before[i] = judge_control(s, &cases[i]);
	}
	if (!all_right)
		judge_flight_again(s, cases, n, rs);
	for (i = 0; i < n; i++) {
		struct read_record *r = &rs[i];

		if (!r->wrong)
			continue;
		window_judge(&r->outcome, window_again(s->p, &s->w, r->c.offset, r->c.count));
		if (r->outcome.kind != READ_CHANGING)
			r->controls_right = before[i] && judge_control(s, &r->c);
		whence_find(s->p, &s->w, &r->c, &r->outcome);
		if (r->confirmed && !judge_is_of_rdma(r->outcome.kind))
			r->wrong_over_tcp = over_tcp(s->p, &s->w, &r->c) == OVER_TCP_WRONG;
		if (s->p->liveness.gone)
			r->outcome.kind = READ_NOT_RUN;
	}
}
