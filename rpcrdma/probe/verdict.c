/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* From records of READs to findings. Pure: it sees only what was tried and what came.
 *
 * bug.write-chunk-read is narrow on purpose: plain READs by Write chunk, as Linux clients send
 * them, fail every time from some size of at most a page on, while the same ranges come right by
 * another mechanism before and after, in at least three ranges and in four of five. Smaller READs
 * may fail too, or be right. Anything else that is wrong with Write chunks has a finding of its own,
 * by what it is bound to: larger sizes, segments, alignment, or only the frame.
 *
 * Such a cause is named only by READs that were never right, though their range was by another
 * mechanism, and only where they are four of five of those that went wrong. What is right when it is
 * made again is probe.read.intermittent.
 *
 * The 812-byte bug (bug.read-812) is none of a server's: there a kernel client reads nothing that
 * comes by Write chunk, from any server. A program that is its own client cannot see it. */
#include <stdio.h>

#include "rpcrdma/probe/internal.h"

#define PAGE         4096
#define PROOF_RANGES 3
/* Linux clients read more than that by Write chunk, in every version of NFS but 4.0 without 4.1 */
#define CHANGE_OVER 812
#define EXAMPLES    5

/* Which records are looked at together. */
typedef bool (*record_filter)(const struct record *r);

/* Whether what went wrong is this READ's. With others in flight the loss of a connection is
 * nobody's in particular. */
static bool is_its_own(const struct record *r)
{
	return r->in_flight <= 1 ||
	       (r->outcome.kind != READ_CLOSED && r->outcome.kind != READ_TRANSPORT);
}

/* One segment at an aligned offset, wholly inside the file: nothing but the size varies. */
static bool is_plain(const struct record *r)
{
	bool one_segment = r->c.layout == LAYOUT_LINUX || r->c.layout == LAYOUT_ROUNDED ||
			   r->c.layout == LAYOUT_LARGER ||
			   (r->c.layout == LAYOUT_PAD_SEGMENT && r->c.count % 4 == 0);

	return r->c.mechanism == MECH_WRITE_CHUNK && one_segment && is_its_own(r) &&
	       r->c.offset % PAGE == 0 && r->expected == r->c.count;
}

static bool is_unaligned(const struct record *r)
{
	return r->c.mechanism == MECH_WRITE_CHUNK && r->c.layout != LAYOUT_PIECES &&
	       is_its_own(r) && r->c.offset % PAGE;
}

static bool is_segmented(const struct record *r)
{
	return r->c.mechanism == MECH_WRITE_CHUNK && r->c.layout == LAYOUT_PIECES &&
	       is_its_own(r);
}

static bool is_write_chunk(const struct record *r)
{
	return r->c.mechanism == MECH_WRITE_CHUNK;
}

static bool is_reply_chunk(const struct record *r)
{
	return r->c.mechanism == MECH_REPLY_CHUNK;
}

static bool is_inline(const struct record *r)
{
	return r->c.mechanism == MECH_INLINE;
}

/* A lost connection that did not come again, or what hits other calls or TCP too, is no property of
 * the mechanism: it has findings of its own. */
static bool is_failure(const struct verdict_input *in, const struct record *r)
{
	if (r->wrong_over_tcp)
		return false;
	switch (r->outcome.kind) {
	case READ_CLOSED: return r->confirmed && !in->closed_elsewhere;
	case READ_TRANSPORT: return r->confirmed && !in->transport_elsewhere;
	case READ_LOST: return r->confirmed && !in->lost_elsewhere;
	default: return read_kind_is_failure(r->outcome.kind);
	}
}

static bool is_right(const struct record *r)
{
	return read_kind_is_right(r->outcome.kind);
}

static bool is_unwritten(const struct record *r)
{
	return read_is_unwritten(&r->c, &r->outcome);
}

/* Data that came after their reply. They may be there in time or not, by chance: that has a finding of
 * its own, and is bound to nothing else. Where some came late, others were not waited for long enough. */
static bool is_order(const struct verdict_input *in, const struct record *r)
{
	return r->outcome.kind == READ_ORDER || (in->late && is_unwritten(r));
}

/* Never right, while its range was by another mechanism. One random range is bound to no size. */
static bool is_always(const struct verdict_input *in, const struct record *r)
{
	return !r->random && is_failure(in, r) && r->confirmed && r->controls_right &&
	       !is_order(in, r);
}

/* Right when it was made again. */
static bool is_sometimes(const struct verdict_input *in, const struct record *r)
{
	return is_failure(in, r) && r->wrong < r->tries;
}

/* What has a finding of its own, and may be right by chance: data that come late, and a byte that was
 * not written and is as it should be. */
static bool is_told(const struct verdict_input *in, const struct record *r)
{
	return is_order(in, r) || (in->tails && r->outcome.sign == SIGN_TAIL) ||
	       (in->unwritten && is_unwritten(r));
}

struct tally {
	unsigned int right, failed;
	unsigned int answered_inline; /* the chunk was left unused: neither */
	unsigned int over_tcp;        /* that are wrong over TCP too, neither */
	unsigned int lengths; /* of those that came right, with wrong returned lengths */
	unsigned int always; /* of those that failed; what follows is about them alone: */
	uint32_t smallest_always;     /* bytes asked; UINT32_MAX if none */
	uint32_t largest_right_below; /* of READs smaller than that */
	const struct record *example_always;
	unsigned int in_flight;   /* the most at once, of those that came right */
	uint32_t largest_right;   /* bytes that came */
	uint32_t smallest_failed; /* bytes asked; UINT32_MAX if none */
	uint64_t bytes;
	unsigned int kinds[READ_KIND_COUNT];
	const struct record *first[READ_KIND_COUNT]; /* of each kind */
	const struct record *example[EXAMPLES];
	unsigned int examples;
};

static void tally_failed(struct tally *t, const struct record *r)
{
	t->failed++;
	if (!t->kinds[r->outcome.kind]++)
		t->first[r->outcome.kind] = r;
	if (r->c.count < t->smallest_failed)
		t->smallest_failed = r->c.count;
	if (t->examples < EXAMPLES)
		t->example[t->examples++] = r;
}

static void tally_always(struct tally *t, const struct record *r)
{
	if (!t->always++)
		t->example_always = r;
	if (r->c.count < t->smallest_always)
		t->smallest_always = r->c.count;
}

/* Whether a cause may be named. */
static bool is_steady(const struct tally *t)
{
	return t->always && t->always * 5 >= t->failed * 4;
}

/* The first of the kind that most of those that failed are of. */
static const struct record *typical(const struct tally *t)
{
	unsigned int i, most = 0;

	for (i = 1; i < READ_KIND_COUNT; i++)
		if (t->kinds[i] > t->kinds[most])
			most = i;
	return t->first[most];
}

static bool has_pads(const struct verdict_input *in)
{
	size_t i;

	for (i = 0; i < in->records->count; i++)
		if (is_write_chunk(&in->records->list[i]) &&
		    in->records->list[i].outcome.kind == READ_PAD)
			return true;
	return false;
}

/* Where the server writes pads one of them may be just what was there before: of one byte, once in
 * 256 times. Only the returned lengths show it. */
static enum read_kind frame_kind(const struct record *r, bool pads)
{
	return pads && r->outcome.sign == SIGN_PAD_COUNTED ? READ_PAD : r->outcome.kind;
}

static void tally_right(struct tally *t, const struct record *r, bool pads)
{
	t->right++;
	t->lengths += r->expected && frame_kind(r, pads) == READ_LENGTHS;
	t->bytes += r->expected;
	if (r->expected > t->largest_right)
		t->largest_right = r->expected;
	if (r->in_flight > t->in_flight)
		t->in_flight = r->in_flight;
}

static void tally(const struct verdict_input *in, record_filter filter, struct tally *t)
{
	const struct records *rs = in->records;
	bool pads = has_pads(in);
	size_t i;

	memset(t, 0, sizeof(*t));
	t->smallest_failed = t->smallest_always = UINT32_MAX;
	for (i = 0; i < rs->count; i++) {
		const struct record *r = &rs->list[i];

		if (!filter(r))
			continue;
		if (is_failure(in, r))
			tally_failed(t, r);
		else if (is_right(r))
			tally_right(t, r, pads);
		t->over_tcp += r->wrong_over_tcp;
		t->answered_inline += r->outcome.kind == READ_INLINE;
		if (is_always(in, r))
			tally_always(t, r);
	}
	for (i = 0; i < rs->count; i++) {
		const struct record *r = &rs->list[i];

		if (filter(r) && is_right(r) && r->expected < t->smallest_always &&
		    r->expected > t->largest_right_below)
			t->largest_right_below = r->expected;
	}
}

static void add_examples(struct finding *f, const struct tally *t)
{
	static const char *const keys[EXAMPLES] = { "example_1", "example_2", "example_3",
						    "example_4", "example_5" };
	unsigned int i, used = 0;
	char kinds[256] = "";

	for (i = 0; i < READ_KIND_COUNT; i++)
		if (t->kinds[i] && used < sizeof(kinds))
			used += (unsigned int)snprintf(kinds + used, sizeof(kinds) - used,
						       "%s%s %u", used ? ", " : "",
						       read_kind_name(i), t->kinds[i]);
	finding_text(f, "failures", "%s", kinds);
	for (i = 0; i < t->examples; i++) {
		const struct record *r = t->example[i];

		finding_text(f, keys[i], "%u bytes at offset %llu%s%s: %s: %s",
			     r->c.count, (unsigned long long)r->c.offset,
			     r->after_others ? " after other operations" : "",
			     r->in_flight > 1 ? " with others in flight" : "",
			     read_kind_name(r->outcome.kind), r->outcome.text);
	}
}

static void add_numbers(struct finding *f, const struct tally *t)
{
	finding_number(f, "right", t->right);
	finding_number(f, "failed", t->failed);
	finding_number(f, "largest_right", t->largest_right);
	finding_number(f, "bytes", (double)t->bytes);
	if (t->answered_inline)
		finding_number(f, "answered_inline", t->answered_inline);
	if (t->failed)
		finding_number(f, "smallest_failed", t->smallest_failed);
}

bool verdict_is_enough(const struct verdict_input *in)
{
	bool small = false, middle = false, large = false;
	size_t i;

	for (i = 0; i < in->records->count; i++) {
		const struct record *r = &in->records->list[i];

		if (is_failure(in, r))
			return false;
		if (!is_write_chunk(r) || !is_right(r) || !r->expected)
			continue;
		small = small || r->expected <= CHANGE_OVER;
		middle = middle || (r->expected > CHANGE_OVER && r->expected <= PAGE);
		large = large || r->expected > PAGE;
	}
	return small && middle && large;
}

static const struct {
	enum mechanism mechanism;
	const char *id;
	record_filter filter;
} mechanisms[] = {
	{ MECH_INLINE, "probe.read.inline", is_inline },
	{ MECH_WRITE_CHUNK, "probe.read.write-chunk", is_write_chunk },
	{ MECH_REPLY_CHUNK, "probe.read.reply-chunk", is_reply_chunk },
};

/* Whether a mechanism was swept to the end: what was not looked at is never told as good. */
static bool is_complete(const struct records *rs, enum mechanism mechanism)
{
	return !rs->why[0] && !rs->all_changing && !rs->unfinished && !rs->out_of_time &&
	       !rs->hopeless && !rs->gave_up[mechanism] && !rs->not_run[mechanism];
}

/* Only the deadline ended it. */
static bool is_slow(const struct verdict_input *in, enum mechanism mechanism)
{
	const struct records *rs = in->records;

	return rs->out_of_time && !rs->why[0] && !rs->all_changing && !rs->hopeless &&
	       !rs->gave_up[mechanism] && verdict_is_enough(in);
}

static void say_incomplete(const struct verdict_input *in, struct finding *f,
			   const char *id, const struct tally *t,
			   enum mechanism mechanism)
{
	bool gave_up = in->records->gave_up[mechanism];
	const char *why = in->records->why[0] ? in->records->why
			  : in->records->all_changing
				  ? "every file changed while it was read"
			  : in->records->out_of_time ? "the time ran out"
			  : in->records->hopeless    ? "given up after too many failures"
			  : gave_up  ? "given up after READs without a good end"
			  : t->right ? "some READs could not be tried"
				     : "nothing could be read";

	finding_init(f, id, is_slow(in, mechanism) ? FINDING_SKIP : FINDING_UNKNOWN,
		     "%s, after %u READs that came right", why, t->right);
}

/* What goes wrong are lengths that need a pad, and nothing else is. */
static bool is_of_pads(const struct verdict_input *in, record_filter with)
{
	unsigned int whole = 0;
	size_t i;

	for (i = 0; i < in->records->count; i++) {
		const struct record *r = &in->records->list[i];

		if (!with(r))
			continue;
		if (read_kind_is_failure(r->outcome.kind) && r->expected % 4 == 0)
			return false;
		whole += is_right(r) && r->expected && r->expected % 4 == 0;
	}
	return whole >= PROOF_RANGES;
}

static void say_mechanism(const struct verdict_input *in, size_t row, finding_sink sink,
			  void *arg)
{
	enum mechanism mechanism = mechanisms[row].mechanism;
	char note[96] = "";
	struct finding f;
	struct tally t;

	tally(in, mechanisms[row].filter, &t);
	t.right += in->records->random.right[mechanism];
	t.bytes += in->records->random.right_bytes[mechanism];
	if (t.answered_inline)
		snprintf(note, sizeof(note),
			 "; %u more were answered inline, and the %s was left unused",
			 t.answered_inline, mechanism_name(mechanism));
	if (t.failed)
		finding_init(
			&f, mechanisms[row].id, FINDING_FAIL,
			"%u of %u READs go wrong, %sthe smallest of %u byte%s: %.300s: %.300s",
			t.failed, t.failed + t.right,
			is_of_pads(in, mechanisms[row].filter)
				? "all of lengths that are no multiple of four, "
				: "",
			t.smallest_failed, t.smallest_failed == 1 ? "" : "s",
			read_kind_name(typical(&t)->outcome.kind),
			typical(&t)->outcome.text);
	else if (!t.right && t.answered_inline && is_complete(in->records, mechanism))
		finding_init(
			&f, mechanisms[row].id, FINDING_SKIP,
			"all %u READs were answered inline, and the %s was left unused",
			t.answered_inline, mechanism_name(mechanism));
	else if (!t.right || !is_complete(in->records, mechanism))
		say_incomplete(in, &f, mechanisms[row].id, &t, mechanism);
	else
		finding_init(&f, mechanisms[row].id, FINDING_PASS,
			     "%u READs of up to %u bytes, all right%s%s", t.right,
			     t.largest_right,
			     t.in_flight > 1 ? ", alone and with others in flight" : "",
			     note);
	if (t.over_tcp)
		finding_number(&f, "wrong_over_tcp", t.over_tcp);
	add_numbers(&f, &t);
	if (t.in_flight > 1)
		finding_number(&f, "in_flight", t.in_flight);
	if (t.failed)
		add_examples(&f, &t);
	sink(arg, &f);
}

/* Right data in a broken frame. */
static void say_frame(const struct verdict_input *in, const char *id, enum read_kind kind,
		      const char *good, const char *bad, finding_sink sink, void *arg)
{
	const struct record *example = NULL;
	unsigned int looked = 0, hit = 0;
	bool pads = has_pads(in);
	struct finding f;
	size_t i;

	for (i = 0; i < in->records->count; i++) {
		const struct record *r = &in->records->list[i];

		if (!is_write_chunk(r) || (!is_right(r) && r->outcome.kind != kind))
			continue;
		looked++;
		if (frame_kind(r, pads) != kind)
			continue;
		hit++;
		if (r->outcome.kind == kind && !example)
			example = r;
	}
	if (example)
		finding_init(&f, id, FINDING_FAIL,
			     "%s in %u of %u READs: %u bytes: %.300s", bad, hit, looked,
			     example->c.count, example->outcome.text);
	else if (looked)
		finding_init(&f, id, FINDING_PASS, "%s in %u READs", good, looked);
	else
		finding_init(&f, id, FINDING_SKIP, "no READ by Write chunk came right");
	finding_number(&f, "looked_at", looked);
	finding_number(&f, "wrong", hit);
	sink(arg, &f);
}

/* What is behind the last whole word of XDR is left out, every time. It takes a READ that has more
 * than that. */
static void tally_tails(const struct verdict_input *in, struct tally *t,
			unsigned int *right)
{
	unsigned int long_ones = 0;
	size_t i;

	memset(t, 0, sizeof(*t));
	t->smallest_failed = t->smallest_always = UINT32_MAX;
	*right = 0;
	for (i = 0; i < in->records->count; i++) {
		const struct record *r = &in->records->list[i];

		if (!is_write_chunk(r))
			continue;
		*right += is_right(r) && r->expected > 4 && r->expected % 4;
		if (!is_failure(in, r))
			continue;
		t->failed++;
		if (!is_always(in, r) || r->outcome.sign != SIGN_TAIL)
			continue;
		if (r->c.count > 4 && !long_ones++)
			t->example_always = r;
		t->always++;
	}
	if (!long_ones)
		t->always = 0;
}

static void say_tail(const struct verdict_input *in, finding_sink sink, void *arg)
{
	static const char id[] = "probe.read.write-chunk.tail";
	unsigned int right;
	struct finding f;
	struct tally t;

	tally_tails(in, &t, &right);
	if (in->tails)
		finding_init(
			&f, id, FINDING_FAIL,
			"the bytes behind the last multiple of four are never written, in %u READs: %u bytes: %.300s",
			t.always, t.example_always->c.count,
			t.example_always->outcome.text);
	else if (right && !t.failed)
		finding_init(
			&f, id, FINDING_PASS,
			"the bytes behind the last multiple of four were written in %u READs",
			right);
	else
		finding_init(
			&f, id, FINDING_SKIP, "%s",
			t.failed ? "READs go wrong in another way"
				 : "no READ of such a length by Write chunk came right");
	finding_number(&f, "wrong", t.always);
	finding_number(&f, "right", right);
	sink(arg, &f);
}

static void say_order(const struct verdict_input *in, finding_sink sink, void *arg)
{
	static const char id[] = "probe.read.write-chunk.order";
	const struct record *example = NULL;
	unsigned int late = 0, right = 0;
	struct finding f;
	size_t i;

	for (i = 0; i < in->records->count; i++) {
		const struct record *r = &in->records->list[i];

		if (r->outcome.kind == READ_ORDER && !late++)
			example = r;
		right += is_write_chunk(r) && is_right(r);
	}
	if (late)
		finding_init(
			&f, id, FINDING_FAIL,
			"the reply came before its data in %u READs: %u bytes: %.300s",
			late, example->c.count, example->outcome.text);
	else if (in->late_writes)
		finding_init(
			&f, id, FINDING_FAIL,
			"%u connection%s lost by RDMA Writes to memory that was taken back after the reply",
			in->late_writes, in->late_writes == 1 ? " was" : "s were");
	else if (right)
		finding_init(&f, id, FINDING_PASS,
			     "the data of %u READs were there when the reply came",
			     right);
	else
		finding_init(&f, id, FINDING_SKIP, "no READ by Write chunk came right");
	finding_number(&f, "late", late);
	finding_number(&f, "writes_to_released_memory", in->late_writes);
	sink(arg, &f);
}

static bool comes_late(const struct tally *t)
{
	return t->kinds[READ_ORDER] &&
	       (t->kinds[READ_ORDER] + t->kinds[READ_STALE]) * 5 >= t->failed * 4;
}

/* Why no cause is named for what failed. */
static const char *unsteady(const struct tally *t)
{
	if (comes_late(t))
		return "data come after their reply, which is told by itself";
	return "what goes wrong does so only at times, in single ranges, or by other mechanisms too";
}

/* What clients make of that is theirs: Linux takes such a READ for a short one. */
static const char only_data[] =
	"the data are right, but not the lengths that the chunks come back with";

/* A failure that only comes with one property: @with fails where plain READs are right. */
static void say_bound(const struct verdict_input *in, const char *id, record_filter with,
		      const struct tally *plain, const char *what, finding_sink sink,
		      void *arg)
{
	struct finding f;
	struct tally t;

	tally(in, with, &t);
	if (is_steady(&t) && !plain->always)
		finding_init(
			&f, id, FINDING_FAIL,
			"READs by Write chunk %s fail every time (%u of %u), others do not: %.300s",
			what, t.always, t.failed + t.right,
			t.example_always->outcome.text);
	else if (is_steady(&t))
		finding_init(&f, id, FINDING_SKIP, "READs go wrong without it too");
	else if (t.failed)
		finding_init(&f, id, FINDING_SKIP, "%s", unsteady(&t));
	else if (t.right)
		finding_init(&f, id, FINDING_PASS,
			     "%u READs by Write chunk %s came right", t.right, what);
	else
		finding_init(&f, id, FINDING_SKIP, "%s",
			     t.over_tcp          ? "READs go wrong so over TCP too"
			     : t.answered_inline ? "the Write chunk was left unused"
						 : "not tried at this level");
	add_numbers(&f, &t);
	if (t.failed)
		add_examples(&f, &t);
	sink(arg, &f);
}

static void say_placement(const struct tally *plain, finding_sink sink, void *arg)
{
	struct finding f;

	if (is_steady(plain) && plain->smallest_always > PAGE)
		finding_init(
			&f, "probe.read.write-chunk.placement", FINDING_FAIL,
			"READs by Write chunk go wrong from %u bytes on, %u are right: %.300s",
			plain->smallest_always, plain->largest_right_below,
			plain->example_always->outcome.text);
	else if (plain->failed)
		finding_init(&f, "probe.read.write-chunk.placement", FINDING_SKIP, "%s",
			     is_steady(plain) ? "smaller READs go wrong too"
					      : unsteady(plain));
	else if (plain->largest_right > PAGE)
		finding_init(&f, "probe.read.write-chunk.placement", FINDING_PASS,
			     "the pages of READs of up to %u bytes came in their places",
			     plain->largest_right);
	else
		finding_init(&f, "probe.read.write-chunk.placement", FINDING_SKIP,
			     "no READ of more than a page was tried");
	add_numbers(&f, plain);
	if (plain->failed)
		add_examples(&f, plain);
	sink(arg, &f);
}

/* Distinct ranges of plain READs from @from bytes on: all of them, those that fail every time,
 * and those of them whose failure counts as evidence. */
struct ranges {
	uint32_t from;
	unsigned int all, failing, proven;
};

static bool same_range(const struct record *a, const struct record *b)
{
	return a->c.offset == b->c.offset && a->c.count == b->c.count;
}

/* How a READ came about. A server that goes wrong only after other operations is right in READs
 * alone: each way is judged by itself. */
enum way { WAY_ALONE, WAY_AFTER_OTHERS, WAY_TOGETHER, WAY_COUNT };

static enum way way_of(const struct record *r)
{
	if (r->after_others)
		return WAY_AFTER_OTHERS;
	return r->in_flight > 1 ? WAY_TOGETHER : WAY_ALONE;
}

static bool is_plain_in(const struct record *r, enum way way)
{
	return is_plain(r) && way_of(r) == way;
}

/* Right data with more written behind them are a broken frame; bytes that are left out at the end have a
 * finding of their own. */
static bool is_proof(const struct verdict_input *in, const struct record *r)
{
	return is_always(in, r) && r->outcome.kind != READ_OUTSIDE &&
	       !(in->tails && r->outcome.sign == SIGN_TAIL);
}

/* What became of all READs of one range in one way. */
struct range_seen {
	bool first;   /* no record before this one is of that range */
	bool failing; /* and none was right */
	bool proven;
};

static struct range_seen range_look(const struct verdict_input *in, size_t i,
				    enum way way)
{
	const struct records *rs = in->records;
	struct range_seen seen = { .first = true };
	bool right = false;
	size_t j;

	for (j = 0; j < rs->count; j++) {
		const struct record *r = &rs->list[j];

		if (!is_plain_in(r, way) || !same_range(r, &rs->list[i]))
			continue;
		seen.first = seen.first && j >= i;
		seen.failing = seen.failing || is_failure(in, r);
		seen.proven = seen.proven || is_proof(in, r);
		right = right || is_right(r);
	}
	seen.failing = seen.failing && !right;
	seen.proven = seen.proven && !right;
	return seen;
}

/* The smallest range whose failure counts as evidence; UINT32_MAX: there is none. */
static uint32_t smallest_proven(const struct verdict_input *in, enum way way)
{
	const struct records *rs = in->records;
	uint32_t smallest = UINT32_MAX;
	size_t i;

	for (i = 0; i < rs->count; i++)
		if (rs->list[i].c.count < smallest && is_plain_in(&rs->list[i], way) &&
		    range_look(in, i, way).proven)
			smallest = rs->list[i].c.count;
	return smallest;
}

static void count_ranges(const struct verdict_input *in, enum way way, struct ranges *n)
{
	const struct records *rs = in->records;
	struct range_seen seen;
	size_t i;

	*n = (struct ranges){ .from = smallest_proven(in, way) };
	for (i = 0; i < rs->count; i++) {
		if (!is_plain_in(&rs->list[i], way) || rs->list[i].c.count < n->from)
			continue;
		seen = range_look(in, i, way);
		n->all += seen.first;
		n->failing += seen.first && seen.failing;
		n->proven += seen.first && seen.proven;
	}
}

static bool is_signature(const struct ranges *n)
{
	return n->from <= PAGE && n->proven >= PROOF_RANGES &&
	       n->failing * 5 >= n->all * 4;
}

/* In the way that shows it, or else in the last. */
static bool find_signature(const struct verdict_input *in, struct ranges *n)
{
	enum way way;

	for (way = 0; way < WAY_COUNT; way++) {
		count_ranges(in, way, n);
		if (is_signature(n))
			return true;
	}
	return false;
}

/* READs between a client's change-over and a page that came right. */
static bool is_seen_above_change_over(const struct verdict_input *in)
{
	unsigned int right = 0;
	size_t i;

	for (i = 0; i < in->records->count; i++) {
		const struct record *r = &in->records->list[i];

		right += is_plain(r) && is_right(r) && r->c.count > CHANGE_OVER &&
			 r->c.count <= PAGE;
	}
	return right >= PROOF_RANGES;
}

/* Whether bytes came that are not the file's, as opposed to errors and silence. */
static bool is_corrupt(const struct tally *plain)
{
	return plain->kinds[READ_DATA] || plain->kinds[READ_STALE];
}

static void say_write_chunk_read(const struct verdict_input *in,
				 const struct tally *plain, finding_sink sink, void *arg)
{
	static const char id[] = "bug.write-chunk-read";
	struct ranges n = { 0 };
	struct finding f;

	if (plain->failed && find_signature(in, &n))
		finding_init(
			&f, id, FINDING_FAIL,
			"Write-chunk READs from this server %s: %u of %u ranges of %u byte%s and more fail every time, and the same ranges are correct by another mechanism before and after",
			is_corrupt(plain) ? "are corrupt" : "fail", n.failing, n.all,
			n.from, n.from == 1 ? "" : "s");
	else if (is_steady(plain) && plain->smallest_always > PAGE)
		finding_init(
			&f, id, FINDING_SKIP,
			"READs by Write chunk of up to a page are right: see probe.read.write-chunk.placement");
	else if (plain->failed && comes_late(plain))
		finding_init(&f, id, FINDING_SKIP, "%s", unsteady(plain));
	else if (plain->failed)
		finding_init(
			&f, id, FINDING_SKIP,
			"some READs by Write chunk fail, but not all from one size on");
	else if (plain->lengths)
		finding_init(&f, id, FINDING_SKIP, "%s", only_data);
	else if (plain->largest_right > PAGE && is_seen_above_change_over(in) &&
		 is_complete(in->records, MECH_WRITE_CHUNK))
		finding_init(
			&f, id, FINDING_PASS,
			"%u READs by Write chunk, laid out as Linux clients do, are correct",
			plain->right);
	else
		finding_init(&f, id, FINDING_SKIP,
			     "too few READs by Write chunk to tell");
	if (n.proven)
		finding_number(&f, "smallest_failing", n.from);
	finding_number(&f, "largest_right", plain->largest_right_below);
	finding_number(&f, "ranges", n.all);
	finding_number(&f, "ranges_failing", n.failing);
	finding_number(&f, "ranges_proven", n.proven);
	if (plain->failed)
		add_examples(&f, plain);
	sink(arg, &f);
}

/* A client that changes to Write chunks above @limit sees every failure above it. */
static bool profile_hurt(const struct verdict_input *in, uint32_t limit)
{
	size_t i;

	for (i = 0; i < in->records->count; i++)
		if (is_plain(&in->records->list[i]) &&
		    is_always(in, &in->records->list[i]) &&
		    in->records->list[i].c.count > limit)
			return true;
	return false;
}

/* It was seen to read right where its Write chunks begin. */
static bool profile_tried(const struct verdict_input *in, uint32_t limit)
{
	size_t i;

	for (i = 0; i < in->records->count; i++) {
		const struct record *r = &in->records->list[i];

		if (is_plain(r) && is_right(r) && r->c.count > limit &&
		    r->c.count <= 2 * limit)
			return true;
	}
	return false;
}

static void add_limit(char *list, size_t cap, uint32_t limit)
{
	size_t used = strlen(list);

	snprintf(list + used, cap - used, "%s%u", used ? ", " : "", limit);
}

static void say_profiles(const struct verdict_input *in, const struct tally *plain,
			 finding_sink sink, void *arg)
{
	char right[64] = "", wrong[64] = "", untried[64] = "";
	struct finding f;
	unsigned int i;

	for (i = 0; sweep_profiles[i]; i++)
		if (is_steady(plain) && profile_hurt(in, sweep_profiles[i]))
			add_limit(wrong, sizeof(wrong), sweep_profiles[i]);
		else if (profile_tried(in, sweep_profiles[i]))
			add_limit(right, sizeof(right), sweep_profiles[i]);
		else
			add_limit(untried, sizeof(untried), sweep_profiles[i]);
	if (!plain->right)
		finding_init(&f, "probe.read.profiles", FINDING_SKIP,
			     "no READ by Write chunk came right");
	else if (*wrong)
		finding_init(
			&f, "probe.read.profiles", FINDING_FAIL,
			"clients that change to Write chunks above %s bytes meet the failure",
			wrong);
	else if (plain->failed)
		finding_init(&f, "probe.read.profiles", FINDING_SKIP, "%s",
			     unsteady(plain));
	else if (plain->lengths)
		finding_init(&f, "probe.read.profiles", FINDING_SKIP, "%s", only_data);
	else if (!*right || !is_complete(in->records, MECH_WRITE_CHUNK))
		finding_init(&f, "probe.read.profiles", FINDING_SKIP,
			     "not all READs by Write chunk were tried");
	else
		finding_init(
			&f, "probe.read.profiles", FINDING_PASS,
			"clients that change to Write chunks above %s bytes read right",
			right);
	finding_text(&f, "right", "%s", right);
	finding_text(&f, "wrong", "%s", wrong);
	if (*untried)
		finding_text(&f, "not_tried", "%s", untried);
	sink(arg, &f);
}

/* Only what was seen is a finding. */
static void say_over_tcp(const struct verdict_input *in, finding_sink sink, void *arg)
{
	const struct record *example = NULL;
	unsigned int n = 0;
	struct finding f;
	size_t i;

	for (i = 0; i < in->records->count; i++) {
		const struct record *r = &in->records->list[i];

		if (r->wrong_over_tcp && !n++)
			example = r;
	}
	if (!n)
		return;
	finding_init(
		&f, "probe.read.over-tcp", FINDING_WARN,
		"%u READ%s wrong, and over TCP alike, so the server's NFS is at fault and not its RDMA: %u bytes at offset %llu: %s: %.300s",
		n, n == 1 ? " goes" : "s go", example->c.count,
		(unsigned long long)example->c.offset,
		read_kind_name(example->outcome.kind), example->outcome.text);
	finding_number(&f, "wrong", n);
	sink(arg, &f);
}

/* READs that were right when they were made again. */
struct now_and_then {
	unsigned int told; /* they have a finding of their own */
	unsigned int wrong[MECH_COUNT], of[MECH_COUNT]; /* made again or not */
	unsigned int all_wrong, all;
	unsigned int mishaps; /* that were right then */
	unsigned int damage[DAMAGE_BYTES + 1];
	const struct record *example;
};

/* No reply, or no connection, which have findings of their own. */
static bool is_mishap(const struct record *r)
{
	return r->outcome.kind == READ_LOST || r->outcome.kind == READ_CLOSED ||
	       r->outcome.kind == READ_TRANSPORT;
}

static void count_now_and_then(const struct verdict_input *in, struct now_and_then *n)
{
	enum mechanism m;
	size_t i;

	memset(n, 0, sizeof(*n));
	for (m = 0; m < MECH_COUNT; m++) {
		n->of[m] = in->records->random.right[m];
		n->all += n->of[m];
	}
	for (i = 0; i < in->records->count; i++) {
		const struct record *r = &in->records->list[i];

		n->mishaps += is_mishap(r) && !is_failure(in, r) && r->wrong < r->tries;
		if (!is_right(r) && !is_failure(in, r))
			continue;
		n->of[r->c.mechanism] += r->tries;
		n->all += r->tries;
		if (!is_sometimes(in, r))
			continue;
		n->told += is_told(in, r);
		if (is_told(in, r))
			continue;
		n->wrong[r->c.mechanism] += r->wrong;
		n->all_wrong += r->wrong;
		n->damage[damage_kind(&r->outcome.damage)]++;
		if (!n->example)
			n->example = r;
	}
}

static const char *damage_text(const struct now_and_then *n)
{
	bool bits = n->damage[DAMAGE_BIT], pages = n->damage[DAMAGE_PAGES],
	     bytes = n->damage[DAMAGE_BYTES], none = n->damage[DAMAGE_NONE];

	if (bits + pages + bytes + none != 1)
		return "not all in the same way";
	return bits ? "single bits" : pages ? "whole pages" : bytes ? "bytes" : "no data";
}

static void list_mechanisms(const struct now_and_then *n, char *text, size_t cap)
{
	size_t used = 0;
	enum mechanism m;

	text[0] = '\0';
	for (m = 0; m < MECH_COUNT; m++)
		if (n->wrong[m] && used < cap)
			used += (size_t)snprintf(text + used, cap - used,
						 "%s%u of %u by %s", used ? ", " : "",
						 n->wrong[m], n->of[m],
						 mechanism_name(m));
}

static void say_intermittent(const struct verdict_input *in, finding_sink sink, void *arg)
{
	static const char id[] = "probe.read.intermittent";
	struct now_and_then n;
	struct finding f;
	char list[128];

	count_now_and_then(in, &n);
	list_mechanisms(&n, list, sizeof(list));
	if (n.all_wrong)
		finding_init(
			&f, id, FINDING_FAIL,
			"%u of %u READs went wrong, and were right when repeated (%s; %s): %s: %.300s",
			n.all_wrong, n.all, list, damage_text(&n),
			read_kind_name(n.example->outcome.kind), n.example->outcome.text);
	else if (n.told)
		finding_init(
			&f, id, FINDING_SKIP,
			"%u READ%s right when repeated, by chance: the defect has a finding of its own",
			n.told, n.told == 1 ? " was" : "s were");
	else if (n.mishaps)
		finding_init(
			&f, id, FINDING_SKIP,
			"%u READ%s without a reply, or lost the connection, and right when repeated: no data went wrong",
			n.mishaps, n.mishaps == 1 ? " was" : "s were");
	else if (n.all)
		finding_init(&f, id, FINDING_PASS,
			     "no READ went wrong and was right when repeated");
	else
		finding_init(&f, id, FINDING_SKIP, "nothing could be read");
	finding_number(&f, "wrong", n.all_wrong);
	finding_number(&f, "of", n.all);
	if (n.all_wrong) {
		finding_text(&f, "mechanisms", "%s", list);
		finding_text(&f, "damage", "%s", damage_text(&n));
	}
	sink(arg, &f);
}

static bool has_come_late(const struct verdict_input *in)
{
	size_t i;

	for (i = 0; i < in->records->count; i++)
		if (in->records->list[i].outcome.kind == READ_ORDER)
			return true;
	return in->late_writes > 0;
}

void verdict_reads(const struct verdict_input *input, finding_sink sink, void *arg)
{
	struct verdict_input own = *input;
	const struct verdict_input *in = &own;
	struct tally plain, tails, all;
	unsigned int right;
	size_t i;

	own.late = has_come_late(in);
	tally_tails(in, &tails, &right);
	own.tails = is_steady(&tails);
	tally(in, is_write_chunk, &all);
	own.unwritten = is_steady(&all) && all.kinds[READ_STALE] * 5 >= all.failed * 4;
	for (i = 0; i < ARRAY_SIZE(mechanisms); i++)
		say_mechanism(in, i, sink, arg);
	tally(in, is_plain, &plain);
	say_frame(in, "probe.read.write-chunk.pad", READ_PAD, "no pad was written",
		  "the XDR pad was written into the chunk", sink, arg);
	say_frame(in, "probe.read.write-chunk.lengths", READ_LENGTHS,
		  "the returned segment lengths are what came",
		  "the returned chunk does not say what came", sink, arg);
	say_frame(in, "probe.read.write-chunk.unused", READ_INLINE,
		  "the Write chunk was used", "the Write chunk was left unused", sink,
		  arg);
	say_tail(in, sink, arg);
	say_order(in, sink, arg);
	say_bound(in, "probe.read.write-chunk.segments", is_segmented, &plain,
		  "in several segments", sink, arg);
	say_bound(in, "probe.read.write-chunk.alignment", is_unaligned, &plain,
		  "at unaligned offsets", sink, arg);
	say_placement(&plain, sink, arg);
	say_profiles(in, &plain, sink, arg);
	say_intermittent(in, sink, arg);
	say_over_tcp(in, sink, arg);
	say_write_chunk_read(in, &plain, sink, arg);
}
