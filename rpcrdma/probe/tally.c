/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Counts READs by category. Pure. */
#include "rpcrdma/probe/verdict-internal.h"

/* Whether the failure is this READ's. With others in flight, a lost connection belongs to none in
 * particular. */
static bool tally_is_its_own(const struct read_record *r)
{
	return r->in_flight <= 1 ||
	       (r->outcome.kind != READ_CLOSED && r->outcome.kind != READ_TRANSPORT);
}

bool tally_is_plain(const struct read_record *r)
{
	bool one_segment = r->c.layout == LAYOUT_LINUX || r->c.layout == LAYOUT_ROUNDED ||
			   r->c.layout == LAYOUT_LARGER ||
			   (r->c.layout == LAYOUT_PAD_SEGMENT && r->c.count % 4 == 0);

	return r->c.mechanism == MECH_WRITE_CHUNK && one_segment && tally_is_its_own(r) &&
	       r->c.offset % PAGE == 0 && r->expected == r->c.count;
}

bool tally_is_unaligned(const struct read_record *r)
{
	return r->c.mechanism == MECH_WRITE_CHUNK && r->c.layout != LAYOUT_PIECES &&
	       tally_is_its_own(r) && r->c.offset % PAGE;
}

bool tally_is_segmented(const struct read_record *r)
{
	return r->c.mechanism == MECH_WRITE_CHUNK && r->c.layout == LAYOUT_PIECES &&
	       tally_is_its_own(r);
}

bool tally_is_write_chunk(const struct read_record *r)
{
	return r->c.mechanism == MECH_WRITE_CHUNK;
}

bool tally_is_reply_chunk(const struct read_record *r)
{
	return r->c.mechanism == MECH_REPLY_CHUNK;
}

bool tally_is_inline(const struct read_record *r)
{
	return r->c.mechanism == MECH_INLINE;
}

bool tally_is_failure(const struct verdict_input *in, const struct read_record *r)
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

bool tally_is_right(const struct read_record *r)
{
	return read_kind_is_right(r->outcome.kind);
}

static bool tally_is_unwritten(const struct read_record *r)
{
	return read_is_unwritten(&r->c, &r->outcome);
}

/* Data that arrived after its reply. By chance it may be in time or not: that has a finding of
 * its own and depends on nothing else. If some data was late, other READs were not waited for
 * long enough. */
static bool tally_is_order(const struct verdict_input *in, const struct read_record *r)
{
	return r->outcome.kind == READ_ORDER || (in->late && tally_is_unwritten(r));
}

bool tally_is_always(const struct verdict_input *in, const struct read_record *r)
{
	return !r->random && tally_is_failure(in, r) && r->confirmed && r->controls_right &&
	       !tally_is_order(in, r);
}

bool tally_is_sometimes(const struct verdict_input *in, const struct read_record *r)
{
	return tally_is_failure(in, r) && r->wrong < r->tries;
}

bool tally_is_reported(const struct verdict_input *in, const struct read_record *r)
{
	return tally_is_order(in, r) || (in->tails && r->outcome.sign == SIGN_TAIL) ||
	       (in->unwritten && tally_is_unwritten(r));
}

static void tally_failed(struct tally *t, const struct read_record *r)
{
	t->failed++;
	if (!t->kinds[r->outcome.kind]++)
		t->first[r->outcome.kind] = r;
	if (r->c.count < t->smallest_failed)
		t->smallest_failed = r->c.count;
	t->other_file += r->outcome.sign == SIGN_OTHER_FILE;
	t->other_offset += r->outcome.sign == SIGN_OTHER_OFFSET;
	if (r->outcome.sign == SIGN_OTHER_FILE ||
	    (r->outcome.sign == SIGN_OTHER_OFFSET && !t->misplaced))
		t->misplaced = r;
	if (t->examples < TALLY_EXAMPLES)
		t->example[t->examples++] = r;
}

bool tally_is_steady(const struct tally *t)
{
	return t->always && t->always * 5 >= t->failed * 4;
}

const struct read_record *tally_typical(const struct tally *t)
{
	unsigned int i, most = 0;

	for (i = 1; i < READ_KIND_COUNT; i++)
		if (t->kinds[i] > t->kinds[most])
			most = i;
	return t->first[most];
}

/* One alone of many may be the same in both: copies of a guest's disk are alike in most places. Not each is looked
 * for, and not each is long enough. */
static bool tally_proves(const struct tally *t, unsigned int found)
{
	return found > 1 || (found && found == t->failed);
}

bool tally_is_of_other_file(const struct tally *t)
{
	return tally_proves(t, t->other_file);
}

const char *tally_how(const struct tally *t, char buf[TALLY_HOW_MAX])
{
	const struct read_record *typical = tally_typical(t);
	const bool misplaced = typical->outcome.kind == READ_DATA && t->misplaced &&
			       tally_proves(t, t->other_file + t->other_offset);
	const struct read_outcome *o = misplaced ? &t->misplaced->outcome : &typical->outcome;
	bool says = misplaced || o->kind == READ_HEADER || o->kind == READ_SHORT ||
		    o->kind == READ_STATUS || o->kind == READ_RPC || o->kind == READ_RDMA_ERROR;

	snprintf(buf, TALLY_HOW_MAX, "%s%s%.200s", read_kind_name(o->kind),
		 says && *o->text ? ": " : "", says ? o->text : "");
	return buf;
}

bool tally_has_pads(const struct verdict_input *in)
{
	size_t i;

	for (i = 0; i < in->records->count; i++)
		if (tally_is_write_chunk(&in->records->list[i]) &&
		    in->records->list[i].outcome.kind == READ_PAD)
			return true;
	return false;
}

enum read_kind tally_frame_kind(const struct read_record *r, bool pads)
{
	return pads && r->outcome.sign == SIGN_PAD_COUNTED ? READ_PAD : r->outcome.kind;
}

static void tally_right(struct tally *t, const struct read_record *r, bool pads)
{
	t->right++;
	t->lengths += r->expected && tally_frame_kind(r, pads) == READ_LENGTHS;
	t->bytes += r->expected;
	if (r->expected > t->largest_right)
		t->largest_right = r->expected;
	if (r->in_flight > t->in_flight)
		t->in_flight = r->in_flight;
}

void tally_records(const struct verdict_input *in, record_filter filter, struct tally *t)
{
	const struct records *rs = in->records;
	bool pads = tally_has_pads(in);
	size_t i;

	memset(t, 0, sizeof(*t));
	t->smallest_failed = t->smallest_always = UINT32_MAX;
	for (i = 0; i < rs->count; i++) {
		const struct read_record *r = &rs->list[i];

		if (!filter(r))
			continue;
		if (tally_is_failure(in, r))
			tally_failed(t, r);
		else if (tally_is_right(r))
			tally_right(t, r, pads);
		t->over_tcp += r->wrong_over_tcp;
		t->answered_inline += r->outcome.kind == READ_INLINE;
		if (!tally_is_always(in, r))
			continue;
		if (!t->always++)
			t->example_always = r;
		if (r->c.count < t->smallest_always)
			t->smallest_always = r->c.count;
	}
	for (i = 0; i < rs->count; i++) {
		const struct read_record *r = &rs->list[i];

		if (filter(r) && tally_is_right(r) && r->expected < t->smallest_always &&
		    r->expected > t->largest_right_below)
			t->largest_right_below = r->expected;
	}
}

void tally_examples(struct finding *f, const struct tally *t)
{
	static const char *const keys[TALLY_EXAMPLES] = { "example_1", "example_2", "example_3",
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
		const struct read_record *r = t->example[i];

		finding_text(f, keys[i], "%u bytes at offset %llu%s%s: %s: %s", r->c.count,
			     (unsigned long long)r->c.offset,
			     r->after_others ? " after other operations" : "",
			     r->in_flight > 1 ? " with others in flight" : "",
			     read_kind_name(r->outcome.kind), r->outcome.text);
	}
}

void tally_numbers(struct finding *f, const struct tally *t)
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

bool tally_comes_late(const struct tally *t)
{
	return t->kinds[READ_ORDER] &&
	       (t->kinds[READ_ORDER] + t->kinds[READ_STALE]) * 5 >= t->failed * 4;
}

const char *tally_unsteady(const struct tally *t)
{
	if (tally_comes_late(t))
		return "data arrive after their reply, which has its own finding";
	return "failures are intermittent, in single ranges, or by other mechanisms too";
}
