/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Which WRITEs, in which order: each size by each mechanism, at offsets of every alignment, in
 * several segments, above 4 GiB where the file is sparse, several at once; UNSTABLE ones with a
 * COMMIT and a reconnection; and if nothing failed, random ones.
 *
 * A failed WRITE is repeated with other data, and then made over TCP, before RDMA is blamed. */
#include <stdio.h>

#include "rpcrdma/probe/write-internal.h"

#define LOW_BYTES      (4u << 20)
#define FILLED         (3u << 20) /* of them, before all others */
#define EDGE           ((uint64_t)1 << 32)
#define HIGH_BEFORE    131072u
#define HIGH_BYTES     (512u * 1024)
#define FIRST_OFFSET   ((uint64_t)1 << 20)
#define SPARSE_USED    65536  /* the file uses at most this after its first byte, if it is sparse */
#define LONG_MAX       262144 /* the largest long calls but one */
#define TRIES          3      /* of a failed WRITE, besides the first */
#define ELSEWHERE      (17u * 4096)
#define WRONG_MAX      4 /* confirmed, after which a mechanism is given up */
#define UNANSWERED_MAX 2
#define RESERVE_MS     3000
#define RANDOM_MAX     65536
#define RANDOM_MS      10000 /* for each PROBE_WRITES_DEFAULT */

/* First those whose failure says most. */
static const uint32_t sizes[] = {
	4097, 262144, 813,  8193,  3001,  131073, 1,      2,       3,       4,
	5,    511,    512,  513,   788,   812,    1023,   1025,    2047,    4095,
	4096, 8191,   8192, 65535, 65536, 65537,  524289, 1048575, 1048576,
};
/* In turn. */
static const uint32_t offsets[] = { 0, 512, 4096, 1, 4095, 8190, 65536, 65533, 12345 };
static const unsigned int pieces[] = { 2, 3, 5, 8, 16 };
static const uint32_t piece_sizes[] = { 813, 4097, 65537, 262145 };

struct sweep_state {
	struct writes *ws;
	struct write_tally *t;
	struct matrix *matrix;
	unsigned int unanswered, turn;
	bool gave_up[WRITE_MECHANISMS];
};

static bool sweep_is_over(struct sweep_state *s)
{
	struct probe *p = s->ws->p;

	if (deadline_left(p->deadline) < RESERVE_MS)
		s->t->out_of_time = true;
	return s->t->out_of_time || s->t->refused || s->ws->lost || p->session.hopeless ||
	       p->liveness.gone || s->unanswered >= UNANSWERED_MAX;
}

static enum matrix_row row_of(enum write_mechanism mechanism)
{
	static const enum matrix_row rows[WRITE_MECHANISMS] = {
		[WRITE_INLINE] = MATRIX_WRITE_INLINE,
		[WRITE_READ_CHUNK] = MATRIX_WRITE_READ_CHUNK,
		[WRITE_LONG_CALL] = MATRIX_WRITE_LONG,
		[WRITE_LONG_CHUNK] = MATRIX_WRITE_LONG,
	};

	return rows[mechanism];
}

static void note_refused(struct sweep_state *s, const struct write_outcome *o)
{
	const bool space = o->status == NFS4ERR_NOSPC || o->status == NFS4ERR_DQUOT;

	s->t->refused = space                            ? "no-space"
			: o->status == NFS4ERR_ROFS      ? "read-only"
			: nfs_status_is_later(o->status) ? "busy"
							 : "denied";
	str_copy(s->t->refused_text, sizeof(s->t->refused_text), o->text);
}

static void note_right(struct sweep_state *s, const struct write_case *c)
{
	s->t->right[c->mechanism]++;
	s->t->segments_right += c->pieces > 1;
	if (c->count > s->t->largest)
		s->t->largest = c->count;
	matrix_add(s->matrix, row_of(c->mechanism), c->count, MATRIX_RIGHT);
}

static void example_set(char out[WRITE_EXAMPLE], const struct write_case *c, unsigned int at_once,
			const struct write_outcome *o)
{
	char text[120], others[32] = "";

	write_case_text(c, text, sizeof(text));
	if (at_once > 1)
		snprintf(others, sizeof(others), ", one of %u at once", at_once);
	snprintf(out, WRITE_EXAMPLE, "%s%s: %.200s", text, others, o->text);
}

/* Keeps the worst. */
static void note_wrong(struct sweep_state *s, const struct write_case *c,
		       const struct write_outcome *o)
{
	struct write_tally *t = s->t;

	t->wrong[c->mechanism]++;
	t->segments_wrong += c->pieces > 1;
	s->gave_up[c->mechanism] |= t->wrong[c->mechanism] >= WRONG_MAX;
	matrix_add(s->matrix, row_of(c->mechanism), c->count, MATRIX_WRONG);
	if (*t->example && o->kind <= t->first.kind)
		return;
	t->first = *o;
	example_set(t->example, c, 1, o);
}

static void note_at_times(struct sweep_state *s, const struct write_case *c,
			  const struct write_outcome *o)
{
	matrix_add(s->matrix, row_of(c->mechanism), c->count, MATRIX_AT_TIMES | MATRIX_RIGHT);
	s->t->at_times_data |= o->kind == WRITE_DATA || o->kind == WRITE_SIZE;
	if (!s->t->at_times++)
		example_set(s->t->at_times_example, c, 1, o);
}

static void note_over_tcp(struct sweep_state *s, const struct write_case *c,
			  const struct write_outcome *o)
{
	if (!s->t->over_tcp++)
		example_set(s->t->over_tcp_example, c, 1, o);
}

/* What is known of a failed WRITE: it fails again, or at times, or over TCP too. What it damaged
 * around itself cannot be damaged again, so it is repeated elsewhere as well. */
static void judge(struct sweep_state *s, const struct write_case *c, struct write_outcome *o)
{
	struct write_case again = *c;
	struct write_outcome outcome;
	unsigned int i, wrong = 0, right = 0;

	s->unanswered = o->kind == WRITE_UNANSWERED ? s->unanswered + 1 : 0;
	for (i = 0; i < TRIES && !wrong && !sweep_is_over(s); i++) {
		again.offset = c->offset + i * ELSEWHERE;
		if (!write_fits(s->ws, &again))
			break;
		write_together(s->ws, &again, 1, &outcome);
		right += outcome.kind == WRITE_RIGHT;
		wrong += write_kind_is_failure(outcome.kind);
		s->unanswered = outcome.kind == WRITE_UNANSWERED ? s->unanswered + 1 : 0;
	}
	if (right && !wrong) {
		/* A connection ends with its server. */
		if (o->kind != WRITE_CLOSED || !write_server_restarted(s->ws))
			note_at_times(s, c, o);
		return;
	}
	/* One that was not repeated proves as much as it shows. */
	if (wrong && !sweep_is_over(s) && write_over_tcp(s->ws, c) == OVER_TCP_WRONG) {
		note_over_tcp(s, c, o);
		return;
	}
	note_wrong(s, c, o);
}

static void sweep_one(struct sweep_state *s, const struct write_case *c)
{
	struct retries retries = { 0 };
	unsigned int restarts = 0;
	struct write_outcome o;

	if (sweep_is_over(s) || s->gave_up[c->mechanism])
		return;
	if (session_ready(s->ws->p)) {
		s->t->stopped = true;
		return;
	}
	if (!write_fits(s->ws, c))
		return;
	do {
		write_together(s->ws, c, 1, &o);
	} while ((o.kind == WRITE_REFUSED && session_later(s->ws->p, o.status, &retries)) ||
		 (o.kind == WRITE_RESTARTED && !restarts++));
	debug(DEBUG_PROBE, "WRITE of %u bytes at %llu by %s, %u segments: %d %s", c->count,
	      (unsigned long long)c->offset, write_mechanism_name(c->mechanism), c->pieces, o.kind,
	      o.text);
	if (o.kind == WRITE_NOT_RUN || o.kind == WRITE_RESTARTED)
		s->t->stopped = true;
	else if (o.kind == WRITE_REFUSED)
		note_refused(s, &o);
	else if (o.kind == WRITE_RIGHT)
		note_right(s, c);
	else if (write_kind_is_failure(o.kind))
		judge(s, c, &o);
	if (o.kind == WRITE_RIGHT)
		s->unanswered = 0;
}

static enum write_gate sweep_gate(const struct sweep_state *s)
{
	const char *why;

	return write_allowed(&s->ws->p->server, &why);
}

static enum nfs_stable sweep_stable(struct sweep_state *s)
{
	static const enum nfs_stable turns[] = { NFS_UNSTABLE, NFS_UNSTABLE, NFS_FILE_SYNC,
						 NFS_UNSTABLE, NFS_DATA_SYNC };

	return turns[s->turn++ % ARRAY_SIZE(turns)];
}

static void sweep_sizes(struct sweep_state *s)
{
	const unsigned int step = s->ws->p->options->level == PROBE_QUICK ? 3 : 1;
	static const enum write_gate gates[WRITE_MECHANISMS] = {
		[WRITE_INLINE] = WRITE_AS_CLIENTS,
		[WRITE_READ_CHUNK] = WRITE_AS_CLIENTS,
		[WRITE_LONG_CALL] = WRITE_ODD_FORMS,
		[WRITE_LONG_CHUNK] = WRITE_ALL,
	};
	enum write_mechanism m;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(sizes) && !sweep_is_over(s); i += step)
		for (m = WRITE_INLINE; m < WRITE_MECHANISMS; m++) {
			const struct write_case c = {
				.mechanism = m,
				.offset = offsets[(i + m) % ARRAY_SIZE(offsets)],
				.count = min_u32(sizes[i], s->ws->wtmax),
				.stable = sweep_stable(s)
			};

			probe_progress(s->ws->p, "WRITEs by every mechanism", i, ARRAY_SIZE(sizes));
			if (sweep_gate(s) < gates[m] ||
			    (m >= WRITE_LONG_CALL && c.count > LONG_MAX &&
			     i + step < ARRAY_SIZE(sizes)))
				continue;
			sweep_one(s, &c);
		}
}

static void sweep_pieces(struct sweep_state *s)
{
	unsigned int i, j;

	for (i = 0; sweep_gate(s) >= WRITE_ODD_FORMS && i < ARRAY_SIZE(piece_sizes); i++)
		for (j = 0; j < ARRAY_SIZE(pieces); j++) {
			const struct write_case c = {
				.mechanism = WRITE_READ_CHUNK,
				.pieces = pieces[j],
				.offset = offsets[(i + j) % ARRAY_SIZE(offsets)],
				.count = min_u32(piece_sizes[i], s->ws->wtmax),
				.stable = sweep_stable(s)
			};

			sweep_one(s, &c);
		}
}

/* Overwrites across pages, appends, and leaves a hole behind the end. */
static void sweep_offsets(struct sweep_state *s)
{
	static const uint32_t counts[] = { 512, 813, 4096, 65537 };
	static const uint32_t ats[] = { 1, 511, 4095, 4097, 65535 };
	unsigned int i, j;

	for (i = 0; i < ARRAY_SIZE(counts); i++) {
		struct write_case c = { .mechanism = counts[i] <= 3000 && i % 2 ? WRITE_INLINE
										: WRITE_READ_CHUNK,
					.count = min_u32(counts[i], s->ws->wtmax) };

		for (j = 0; j < ARRAY_SIZE(ats); j++) {
			c.offset = ats[j];
			c.stable = sweep_stable(s);
			sweep_one(s, &c);
		}
		c.offset = s->ws->size;
		sweep_one(s, &c);
		c.offset = s->ws->size + 4099;
		sweep_one(s, &c);
		c.offset = ats[i];
		c.zeros = true;
		sweep_one(s, &c);
	}
}

/* No holes then: they would hide what is wrongly written to them, and servers have had READs of
 * sparse files wrong (nfsd before 6.5 on tmpfs, over TCP too). */
static void sweep_fill(struct sweep_state *s, const struct write_image *image, uint32_t len)
{
	const uint32_t each = min_u32(s->ws->wtmax, 1u << 20);
	uint32_t at, n;

	for (at = 0; at < len && !sweep_is_over(s); at += n) {
		n = min_u32(each, len - at);
		sweep_one(s, &(struct write_case){ .mechanism = WRITE_READ_CHUNK,
						   .offset = image->base + at,
						   .count = n });
	}
}

static void sweep_above_4gib(struct sweep_state *s)
{
	static const struct write_case cases[] = {
		{ .mechanism = WRITE_READ_CHUNK, .offset = EDGE - 5, .count = 813 },
		{ .mechanism = WRITE_READ_CHUNK, .offset = EDGE - 4096, .count = 8192 },
		{ .mechanism = WRITE_INLINE, .offset = EDGE + 1, .count = 511 },
		{ .mechanism = WRITE_READ_CHUNK, .offset = EDGE, .count = 65537 },
	};
	unsigned int i;

	/* What failed would leave holes there. */
	if (!s->ws->images[1].bytes || *s->t->example || s->t->at_times)
		return;
	sweep_fill(s, &s->ws->images[1], HIGH_BYTES);
	for (i = 0; i < ARRAY_SIZE(cases); i++)
		sweep_one(s, &cases[i]);
}

/* Fails together, twice, and is right alone. */
static void judge_flight(struct sweep_state *s, const struct write_case *cases, unsigned int n,
			 const struct write_outcome *first)
{
	struct write_outcome alone, again[WRITE_IN_FLIGHT];
	unsigned int i, j;

	for (i = 0; i < n && !write_kind_is_failure(first[i].kind); i++)
		;
	if (i == n || sweep_is_over(s))
		return;
	write_together(s->ws, &cases[i], 1, &alone);
	if (alone.kind != WRITE_RIGHT) {
		if (write_kind_is_failure(alone.kind))
			judge(s, &cases[i], &alone);
		return;
	}
	write_together(s->ws, cases, n, again);
	for (j = 0; j < n && !write_kind_is_failure(again[j].kind); j++)
		;
	if (j == n) {
		note_at_times(s, &cases[i], &first[i]);
		return;
	}
	s->t->flight_wrong++;
	if (*s->t->example)
		return;
	s->t->first = first[i];
	example_set(s->t->example, &cases[i], n, &first[i]);
}

static void sweep_in_flight(struct sweep_state *s)
{
	static const struct {
		uint32_t count, step; /* step: less where they overlap */
	} rows[] = {
		{ 813, 813 }, { 4096, 4096 }, { 65536, 65536 }, { 4096, 512 }, { 65536, 12288 }
	};
	struct write_case cases[WRITE_IN_FLIGHT];
	struct write_outcome outcomes[WRITE_IN_FLIGHT];
	struct probe *p = s->ws->p;
	unsigned int i, j, n, right, wrong;

	for (i = 0; i < ARRAY_SIZE(rows) && !sweep_is_over(s); i++) {
		if (client41_ready(p) || session_ready(p) || s->gave_up[WRITE_READ_CHUNK])
			return;
		n = min_u32(rpcrdma_credits(p->session.conn), WRITE_IN_FLIGHT);
		n = min_u32(n, client41_width(p));
		if (n < 2)
			return;
		for (j = 0; j < n; j++)
			cases[j] = (struct write_case){ .mechanism = WRITE_READ_CHUNK,
							.offset = 1 + j * (uint64_t)rows[i].step,
							.count = min_u32(rows[i].count,
									 s->ws->wtmax) };
		write_together(s->ws, cases, n, outcomes);
		for (j = 0, right = wrong = 0; j < n; j++) {
			right += outcomes[j].kind == WRITE_RIGHT;
			wrong += write_kind_is_failure(outcomes[j].kind);
			if (outcomes[j].kind == WRITE_REFUSED &&
			    !nfs_status_is_later(outcomes[j].status))
				note_refused(s, &outcomes[j]);
			s->t->stopped |= outcomes[j].kind == WRITE_NOT_RUN;
		}
		if (wrong)
			judge_flight(s, cases, n, outcomes);
		else
			s->t->flight_right += right;
	}
}

/* COMMIT */

static void note_commit(struct sweep_state *s, const char *reason, const char *text)
{
	if (s->t->commit)
		return;
	s->t->commit = reason;
	str_copy(s->t->commit_text, sizeof(s->t->commit_text), text);
}

/* Where space is taken only then (delayed allocation). */
static bool commit_is_refused(struct sweep_state *s, int rc)
{
	if (rc != -ENOSPC && rc != -EDQUOT && rc != -EROFS && rc != -EACCES && rc != -EPERM)
		return false;
	s->t->refused = rc == -ENOSPC || rc == -EDQUOT ? "no-space"
			: rc == -EROFS                 ? "read-only"
						       : "denied";
	str_copy(s->t->refused_text, sizeof(s->t->refused_text), err_text());
	return true;
}

/* UNSTABLE WRITEs and a COMMIT. @same: their verifiers are equal. False: it could not be done. */
static bool commit_once(struct sweep_state *s, uint8_t verifier[8], bool *same)
{
	struct writes *ws = s->ws;
	unsigned int i;
	int rc;

	for (i = 0; i < 4; i++) {
		const struct write_case c = { .mechanism = WRITE_READ_CHUNK,
					      .offset = 70000 + i * 9001u,
					      .count = min_u32(9000, ws->wtmax) };

		sweep_one(s, &c);
	}
	/* The server may have made each of them stable. */
	if (sweep_is_over(s) || !ws->has_verifier)
		return false;
	rc = write_commit(ws, verifier, same);
	ws->lost |= rc == -ESTALE;
	/* No answer has findings of its own. */
	if (rc && !ws->lost && !commit_is_refused(s, rc) && rc != -EAGAIN &&
	    !session_is_failure(rc) && deadline_left(ws->p->deadline))
		note_commit(s, "error", err_text());
	if (rc)
		return false;
	s->t->commits++;
	return true;
}

/* On a new connection. */
static bool commit_again(struct sweep_state *s, uint8_t verifier[8])
{
	bool same;

	session_drop(s->ws->p);
	return !client41_ready(s->ws->p) && !session_ready(s->ws->p) &&
	       !write_commit(s->ws, verifier, &same);
}

static void sweep_commit(struct sweep_state *s)
{
	uint8_t verifier[8], later[8], again[8];
	struct write_outcome o;
	bool same = false;
	char text[200];

	if (sweep_is_over(s) || s->gave_up[WRITE_READ_CHUNK] || !commit_once(s, verifier, &same))
		return;
	/* It may have restarted just then. */
	if (!same && commit_once(s, verifier, &same) && !same)
		note_commit(s, "verifier",
			    "COMMIT returns another verifier than the WRITEs before it");
	if (sweep_is_over(s) || s->t->commit)
		return;
	session_drop(s->ws->p);
	if (client41_ready(s->ws->p) || session_ready(s->ws->p) ||
	    (!write_check_all(s->ws, &o) && o.kind != WRITE_DATA)) {
		s->t->stopped = true;
		return;
	}
	s->t->committed = true;
	if (o.kind == WRITE_DATA) {
		snprintf(text, sizeof(text), "after a new connection: %.150s", o.text);
		note_commit(s, "lost", text);
		return;
	}
	/* Twice: it may have restarted just then. */
	if (commit_again(s, later) && memcmp(verifier, later, 8) != 0 && commit_again(s, again) &&
	    memcmp(later, again, 8) != 0)
		note_commit(s, "verifier", "COMMIT returns another verifier on a new connection");
}

/* Random ones, of whole sectors. */
static void sweep_random(struct sweep_state *s)
{
	struct random_choice random = { .state = s->ws->key };
	const uint32_t most = min_u32(RANDOM_MAX, s->ws->wtmax) / RANDOM_SECTOR;
	const unsigned int n = s->ws->p->options->writes;
	const uint64_t until = deadline_in(RANDOM_MS * (n / PROBE_WRITES_DEFAULT + 1));
	unsigned int i;

	for (i = 0; i < n && !sweep_is_over(s) && deadline_left(until) && !s->t->at_times; i++) {
		struct write_case c = { .mechanism = WRITE_READ_CHUNK };

		c.count = RANDOM_SECTOR * (1 + (uint32_t)random_below(&random, most));
		c.offset = RANDOM_SECTOR *
			   random_below(&random, (FILLED - c.count) / RANDOM_SECTOR + 1);
		c.stable = sweep_stable(s);
		if (random_below(&random, 4) == 0) {
			c.mechanism = WRITE_INLINE;
			c.count = RANDOM_SECTOR * (1 + (uint32_t)random_below(&random, 4));
		}
		if (i % 50 == 0)
			probe_progress(s->ws->p, "random WRITEs", i, n);
		sweep_one(s, &c);
		s->t->random++;
	}
}

/* The file */

static bool images_make(struct writes *ws, unsigned int i, uint64_t base, uint32_t len)
{
	ws->images[i] = (struct write_image){ base, len, calloc(1, len) };
	if (!ws->images[i].bytes)
		ws->images[i].len = 0;
	return ws->images[i].bytes;
}

/* The first byte shows whether the file system has sparse files. */
static void sweep_first(struct sweep_state *s)
{
	const struct write_case c = { .mechanism = WRITE_INLINE,
				      .offset = FIRST_OFFSET,
				      .count = 1 };
	struct nfs_attr attr;

	sweep_one(s, &c);
	if (sweep_is_over(s) || s->ws->p->options->level == PROBE_QUICK || !s->ws->above_4gib)
		return;
	if (!operation_getattr(s->ws->p, &s->ws->file.fh, &attr) && attr.used <= SPARSE_USED)
		images_make(s->ws, 1, EDGE - HIGH_BEFORE, HIGH_BYTES);
}

void write_sweep(struct writes *ws, struct write_tally *t, struct matrix *matrix)
{
	struct sweep_state s = { .ws = ws, .t = t, .matrix = matrix };
	struct write_outcome o;

	sweep_first(&s);
	sweep_fill(&s, &ws->images[0], FILLED);
	sweep_sizes(&s);
	sweep_offsets(&s);
	sweep_pieces(&s);
	sweep_in_flight(&s);
	sweep_above_4gib(&s);
	sweep_commit(&s);
	if (!*t->example && !t->at_times && !t->commit)
		sweep_random(&s);
	if (!sweep_is_over(&s) && !*t->example && !t->at_times && !t->commit &&
	    !write_check_all(ws, &o) && o.kind == WRITE_DATA) {
		t->first = o;
		snprintf(t->example, sizeof(t->example), "at the end of all WRITEs: %s", o.text);
		t->wrong[WRITE_READ_CHUNK]++;
	}
	t->stopped |= sweep_is_over(&s);
	t->bytes = ws->bytes;
}

static void write_sink(void *arg, const struct finding *finding)
{
	probe_emit(arg, finding);
}

static void writes_free(struct writes *ws)
{
	free(ws->images[0].bytes);
	free(ws->images[1].bytes);
	free(ws);
}

static void write_all(struct writes *ws, struct matrix *matrix)
{
	const struct behaviour before = ws->p->behaviour;
	struct write_tally t = { .largest = 0 };

	write_sweep(ws, &t, matrix);
	write_say(&t, write_sink, ws->p);
	if (!*t.example && !t.at_times)
		return;
	write_forget(&ws->p->behaviour, &before);
	ws->p->session.hopeless = false;
}

struct writes *write_begin(struct probe *p, bool above_4gib, struct matrix *matrix)
{
	struct writes *ws;

	if (!p->options->scratch)
		return NULL;
	if (p->session.hopeless || p->liveness.gone || session_ready(p)) {
		probe_say(p, "probe.scratch", FINDING_SKIP, "no file was made: %s", err_text());
		return NULL;
	}
	ws = calloc(1, sizeof(*ws));
	if (!ws || random_bytes(&ws->key, sizeof(ws->key)) || !images_make(ws, 0, 0, LOW_BYTES)) {
		probe_because(p, "probe.scratch", FINDING_UNKNOWN, "local", "no memory for WRITEs");
		free(ws);
		return NULL;
	}
	ws->p = p;
	ws->above_4gib = above_4gib;
	ws->wtmax = min_u32(p->limits.wtmax, 1048576);
	if (!scratch_make(ws)) {
		writes_free(ws);
		return NULL;
	}
	write_all(ws, matrix);
	return ws;
}

const struct probe_file *write_file(const struct writes *ws)
{
	return &ws->file;
}

void write_end(struct writes *ws)
{
	scratch_end(ws);
	writes_free(ws);
}
