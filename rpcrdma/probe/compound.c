/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* READs followed by another operation in one COMPOUND, which only NFSv4 has: GETATTR, or a second
 * READ whose data is in the reply. A server that removes the first READ's data from the reply
 * must join the parts around it: Linux before 4.6 wrote what followed the data into the Write
 * chunk, and one of 4.13 to 4.16 sent data inline for which there was a chunk. What fails over
 * TCP too is a defect of the server's NFS (over-tcp.c), and warns.
 *
 * nfs-ganesha 6.5 crashes if anything follows a READ, so these go only to servers that are
 * identified as others.
 *
 * Every case is small enough for the whole reply to be sent inline, in case the server ignores
 * the chunk. */
#include <stdio.h>

#include "rpcrdma/probe/internal.h"

/* A window of the file that contains the ranges. */
#define WINDOW 8192

struct compound_pair {
	uint32_t first, second;
};

/* Odd sizes, because padding triggers such defects, and those around 812. */
static const uint32_t sizes[] = { 1, 3, 5, 788, 811, 812, 813, 815, 856, 1023, 1025, 2047, 3001 };
static const struct compound_pair pairs[] = {
	{ 1, 1 },     { 3, 5 },     { 5, 812 },    { 811, 3 },
	{ 812, 813 }, { 813, 812 }, { 1023, 517 }, { 2047, 1021 },
};

/* The worst first. */
enum compound_cause {
	COMPOUND_MOVED,      /* what follows is wrong where data was moved, and right inline */
	COMPOUND_READ,       /* the READ itself */
	COMPOUND_INLINE_TOO, /* what follows is wrong inline too: nothing was moved */
	COMPOUND_RIGHT
};

static const char *const causes[] = { "after-the-data", "read", "inline-too", NULL };

struct compound_trial {
	struct probe *p;
	struct window *w;
	struct matrix *matrix;
	unsigned int right, wrong, untried, withheld;
	unsigned int pairs; /* of correct cases */
	/* Right, but the Reply chunk was left unused; wrong as READs alone are. */
	unsigned int answered_inline, reported;
	/* Also wrong over TCP; second READs that could not be made over TCP. */
	unsigned int over_tcp, doubtful;
	uint32_t largest;
	char example[FINDING_SUMMARY_MAX / 2];
	char mild[FINDING_SUMMARY_MAX / 2]; /* of those */
	char detail[256];                   /* as @example: of the worst failure */
	enum compound_cause cause;          /* of that one */
	enum read_kind inline_kind;         /* of this COMPOUND by inline */
	char why[256];                      /* why something was not tried */
};

static const char *compound_next_name(enum followed_by followed_by)
{
	return followed_by == FOLLOWED_BY_GETATTR ? "GETATTR" : "another READ";
}

static void compound_describe(char *text, size_t cap, const struct read_case *c,
			      const struct read_outcome *o)
{
	snprintf(text, cap, "READ of %u byte%s by %s and %s: %s", c->count,
		 c->count == 1 ? "" : "s", mechanism_name(c->mechanism),
		 compound_next_name(c->followed_by),
		 o->kind == READ_FOLLOWING ? o->text : read_kind_name(o->kind));
}

/* A server that loses its place when it moves the data to a chunk is right where none is moved. */
static enum compound_cause compound_cause_of(const struct compound_trial *t,
					     const struct read_case *c,
					     const struct read_outcome *o)
{
	if (c->mechanism != MECH_INLINE && t->inline_kind == READ_OK &&
	    (o->kind == READ_FOLLOWING || o->kind == READ_HEADER))
		return COMPOUND_MOVED;
	if (o->kind == READ_FOLLOWING &&
	    (c->mechanism == MECH_INLINE || t->inline_kind == READ_FOLLOWING))
		return COMPOUND_INLINE_TOO;
	return COMPOUND_READ;
}

/* Decides which side is at fault. Newer kernels send zeros for second READs over any transport,
 * so if TCP cannot be asked, these are not attributed to RDMA. */
static void compound_note_failure(struct compound_trial *t, const struct read_case *c,
				  const struct read_outcome *o)
{
	enum over_tcp answer = read_kind_is_failure(o->kind) ? over_tcp(t->p, t->w, c)
							     : OVER_TCP_RIGHT;
	enum compound_cause cause = compound_cause_of(t, c, o);

	if (answer == OVER_TCP_WRONG)
		t->over_tcp++;
	else if (answer == OVER_TCP_UNKNOWN && c->followed_by == FOLLOWED_BY_READ &&
		 o->kind == READ_FOLLOWING)
		t->doubtful++;
	else if (t->wrong++, cause < t->cause) {
		compound_describe(t->example, sizeof(t->example), c, o);
		snprintf(t->detail, sizeof(t->detail), "%s", o->text);
		t->cause = cause;
	}
	if (t->over_tcp + t->doubtful && !t->mild[0])
		compound_describe(t->mild, sizeof(t->mild), c, o);
}

/* READs alone fail in the same way and have a finding for it. @late_writes: to the memory of
 * earlier READs; they end the connection, regardless of this READ's mechanism. */
static bool compound_is_reported(const struct compound_trial *t, const struct read_case *c,
				 const struct read_outcome *o, unsigned int late_writes)
{
	const struct write_chunk_reads *found = &t->p->write_chunk;

	if (o->kind == READ_TRANSPORT && late_writes && found->order)
		return true;
	if (c->mechanism != MECH_WRITE_CHUNK)
		return false;
	return (o->kind == READ_INLINE && found->unused) ||
	       ((o->kind == READ_ORDER || read_is_unwritten(c, o)) && found->order) ||
	       (o->sign == SIGN_TAIL && found->tail);
}

static void compound_note(struct compound_trial *t, const struct read_case *c,
			  const struct read_outcome *o, unsigned int late_writes)
{
	matrix_add(t->matrix, MATRIX_COMPOUND, c->count + c->count2,
		   cells_seen(c->mechanism, o->kind));
	if (c->mechanism == MECH_INLINE)
		t->inline_kind = o->kind;
	if (compound_is_reported(t, c, o, late_writes)) {
		t->reported++;
		return;
	}
	/* A server may ignore a Reply chunk. */
	if (o->kind == READ_INLINE && c->mechanism == MECH_REPLY_CHUNK) {
		t->answered_inline++;
		return;
	}
	switch (o->kind) {
	case READ_OK:
	/* Correct data in a broken frame, which has findings of its own. */
	case READ_PAD:
	case READ_LENGTHS:
		t->right++;
		t->pairs += c->followed_by == FOLLOWED_BY_READ;
		t->largest = c->count > t->largest ? c->count : t->largest;
		break;
	case READ_CHANGING: break;
	case READ_WITHHELD: t->withheld++; break;
	case READ_NOT_RUN:
	case READ_LATER:
		t->untried++;
		snprintf(t->why, sizeof(t->why), "%s", o->text);
		break;
	default: compound_note_failure(t, c, o);
	}
}

/* A failure must occur twice while the file is unchanged. */
static void compound_attempt(struct compound_trial *t, const struct read_case *c)
{
	struct retries retries = { 0 };
	struct read_outcome o;
	unsigned int tries = 0, late_before = t->p->behaviour.late_writes.count;

	if (client41_ready(t->p) || session_ready(t->p)) {
		t->untried++;
		snprintf(t->why, sizeof(t->why), "%.255s", err_text());
		return;
	}
	if (!read_case_fits(t->p, c))
		return;
	do {
		read_once(t->p, t->w, c, &o);
	} while (read_again(t->p, &o, &retries) ||
		 (!read_kind_is_clean(o.kind) && o.kind != READ_NOT_RUN && o.kind != READ_LATER &&
		  o.kind != READ_WITHHELD && !tries++));
	if (!read_kind_is_clean(o.kind) && o.kind != READ_WITHHELD)
		window_judge(&o, window_again(t->p, t->w, c->offset, WINDOW));
	if (o.kind != READ_OK && t->p->liveness.gone) {
		o.kind = READ_NOT_RUN;
		snprintf(o.text, sizeof(o.text), "%s", t->p->liveness.gone_why);
	}
	debug(DEBUG_PROBE, "%u bytes by %s and %s: %s %s", c->count, mechanism_name(c->mechanism),
	      compound_next_name(c->followed_by), read_kind_name(o.kind), o.text);
	compound_note(t, c, &o, t->p->behaviour.late_writes.count - late_before);
}

static bool compound_is_out_of_time(const struct compound_trial *t)
{
	return deadline_left(t->p->deadline) < (int)(t->p->options->timeout_ms / 8);
}

static bool compound_is_over(const struct compound_trial *t)
{
	return t->p->session.hopeless || t->w->changing || t->p->session.busy[0] ||
	       compound_is_out_of_time(t);
}

/* Where there is no other reason, and enough is known without it. */
static bool compound_is_slow(const struct compound_trial *t)
{
	return compound_is_out_of_time(t) && t->p->pace.enough && !t->p->session.busy[0] &&
	       !t->why[0];
}

static void compound_every_mechanism(struct compound_trial *t, struct read_case c)
{
	t->inline_kind = READ_NOT_RUN;
	for (c.mechanism = MECH_INLINE; c.mechanism < MECH_COUNT && !compound_is_over(t);
	     c.mechanism++)
		if (c.count + c.count2 <= t->w->len)
			compound_attempt(t, &c);
}

/* The reason of a finding that is not good, the worst first. */
static const char *compound_reason(const struct compound_trial *t)
{
	if (t->wrong)
		return causes[t->cause];
	if (t->over_tcp || t->doubtful)
		return t->over_tcp ? "over-tcp" : "second-read";
	if (t->p->session.busy[0])
		return "busy";
	if (t->p->liveness.gone || t->p->session.device_gone)
		return t->p->liveness.gone ? "server-gone" : "device";
	return t->why[0] ? "not-tried" : "time";
}

static void compound_conclude(const struct compound_trial *t, struct finding *f)
{
	static const char id[] = "probe.read.compound";
	unsigned int mild = t->over_tcp + t->doubtful;
	char note[96] = "";

	if (t->answered_inline)
		snprintf(note, sizeof(note),
			 "; %u more were answered inline, with the Reply chunk unused",
			 t->answered_inline);
	if (t->wrong)
		finding_init(f, id, FINDING_FAIL, "%u of %u COMPOUNDs fail: %s", t->wrong,
			     t->wrong + mild + t->right, t->example);
	else if (t->over_tcp)
		finding_init(
			f, id, FINDING_WARN,
			"%u of %u COMPOUNDs fail over TCP too, none of them sent by Linux clients: %s",
			mild, mild + t->right, t->mild);
	else if (t->doubtful)
		finding_init(
			f, id, FINDING_WARN,
			"%u of %u COMPOUNDs fail, and could not be compared with NFS over TCP: %s",
			mild, mild + t->right, t->mild);
	else if (t->w->changing)
		finding_init(f, id, FINDING_SKIP, "the file changed while it was read");
	else if (t->withheld && !t->right)
		finding_init(f, id, FINDING_SKIP,
			     "a READ followed by another operation can crash nfs-ganesha");
	else if (t->untried || !t->right || compound_is_over(t))
		finding_init(f, id, compound_is_slow(t) ? FINDING_SKIP : FINDING_UNKNOWN,
			     "%s, after %u correct COMPOUNDs",
			     t->p->session.busy[0] ? t->p->session.busy
			     : t->why[0]           ? t->why
						   : "the time ran out",
			     t->right);
	else if (t->reported)
		finding_init(
			f, id, FINDING_SKIP,
			"%u COMPOUNDs are correct; %u fail as READs alone do, which has its own finding",
			t->right, t->reported);
	else
		finding_init(
			f, id, FINDING_PASS,
			"%u COMPOUNDs of READ and GETATTR%s, by every mechanism, all correct%s",
			t->right, t->pairs ? ", and of two READs" : "", note);
	finding_reason(f, compound_reason(t));
}

static void compound_say(struct compound_trial *t)
{
	_cleanup_(finding_fini) struct finding f = { 0 };

	compound_conclude(t, &f);
	finding_number(&f, "right", t->right);
	finding_number(&f, "failed", t->wrong);
	if (t->answered_inline)
		finding_number(&f, "answered_inline", t->answered_inline);
	if (t->wrong)
		finding_text(&f, "example", "%s", t->detail);
	if (t->over_tcp || t->doubtful)
		finding_number(&f, "wrong_over_tcp", t->over_tcp);
	if (t->doubtful)
		finding_number(&f, "unknown_over_tcp", t->doubtful);
	finding_number(&f, "largest_right", t->largest);
	probe_emit(t->p, &f);
	if (f.status == FINDING_SKIP && compound_is_slow(t))
		late_not_tried(&t->p->pace, "some COMPOUNDs of READ and another operation");
}

void compound_run(struct probe *p, struct matrix *matrix)
{
	struct window w = { 0 };
	struct compound_trial t = { .p = p, .w = &w, .matrix = matrix, .cause = COMPOUND_RIGHT };
	/* Every third is enough to show the defect. */
	unsigned int i, step = p->options->level == PROBE_QUICK ? 3 : 1;

	if (p->version->vers == 3) {
		probe_say(p, "probe.read.compound", FINDING_SKIP,
			  "NFSv3 has one operation in a call");
		return;
	}
	if (!compound_is_slow(&t) && window_open(p, &w, &p->files.candidates[0], 0, WINDOW)) {
		probe_because(p, "probe.read.compound", FINDING_UNKNOWN, "not-tried", "%s",
			      err_text());
		return;
	}
	for (i = 0; i < ARRAY_SIZE(sizes); i += step) {
		probe_progress(p, "READs in a COMPOUND", i, ARRAY_SIZE(sizes) + ARRAY_SIZE(pairs));
		compound_every_mechanism(&t,
					 (struct read_case){ .count = sizes[i],
							     .layout = LAYOUT_ROUNDED,
							     .followed_by = FOLLOWED_BY_GETATTR });
	}
	for (i = 0; i < ARRAY_SIZE(pairs); i += step) {
		probe_progress(p, "READs in a COMPOUND", ARRAY_SIZE(sizes) + i,
			       ARRAY_SIZE(sizes) + ARRAY_SIZE(pairs));
		compound_every_mechanism(&t, (struct read_case){ .count = pairs[i].first,
								 .layout = LAYOUT_ROUNDED,
								 .followed_by = FOLLOWED_BY_READ,
								 .offset2 = pairs[i].first,
								 .count2 = pairs[i].second });
	}
	compound_say(&t);
	window_close(&w);
}
