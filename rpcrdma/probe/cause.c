/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The causes of failed READs that are a trait of theirs, each with the evidence that excludes the others. Pure.
 *
 * READs that have the trait fail every time, in several ranges. Beside each is one that is right, lacks the
 * trait, is as large, and is alike in all other traits: so neither the size nor another trait is the cause.
 * If READs that lack the trait fail every time too, the cause is a wider one.
 *
 * What has no row here is no trait of a READ: the size from which on all fail (signature.c), what is in flight
 * beside it (verdict.c), and what only servers of Linux 3.x return (linux3.c). */
#include "rpcrdma/probe/verdict-internal.h"

/* Of failures: four of five, all. */
#define MOST 4
#define ALL  5

/* Wrong in the pad, or in the word that it completes, and nowhere before. An error is neither. */
static bool cause_looks_like_pad(const struct read_record *r)
{
	const struct damage *damage = &r->outcome.damage;

	if (r->outcome.kind == READ_HEADER)
		return true;
	return (r->outcome.kind == READ_DATA || r->outcome.kind == READ_STALE) && damage->bytes &&
	       damage->first >= r->expected - r->expected % 4;
}

static bool cause_looks_like_tail(const struct read_record *r)
{
	return r->outcome.sign == SIGN_TAIL;
}

static bool cause_looks_like_data(const struct read_record *r)
{
	return r->outcome.kind == READ_DATA;
}

/* Pages that are elsewhere, or nowhere: not what the reply says of them. */
static bool cause_looks_like_pages(const struct read_record *r)
{
	return r->outcome.kind == READ_DATA || r->outcome.kind == READ_STALE;
}

/* clang-format off */
#define UNALIGNED_OF(id, reads) \
	{ id, "unaligned", "most at offsets that are no multiple of a page, ", TRAIT_UNALIGNED, reads, reads, \
	  cause_looks_like_data, MOST, false }
#define PAD_OF(id, reads) \
	{ id, "padding", "all of lengths that are no multiple of four, ", TRAIT_PAD, reads, reads, \
	  cause_looks_like_pad, ALL, false }
#define END_OF(id, reads) \
	{ id, "at-the-end", "all at the end of a file, ", TRAIT_END, reads, reads, cause_looks_like_data, ALL, false }
#define HIGH_OF(id, reads) \
	{ id, "above-4-gib", "all above 4 GiB, ", TRAIT_HIGH, reads, reads, cause_looks_like_data, ALL, false }
/* clang-format on */

/* The READs in question; those beside them; how a failure looks; the share of all failures of the
 * READs in question; whether the same ranges must be right by another mechanism. */
const struct cause causes[CAUSE_COUNT] = {
	[CAUSE_SEGMENTS] = { "probe.read.write-chunk.segments", "every-time", NULL, TRAIT_SEGMENTS,
			     tally_is_segmented, tally_is_plain, NULL, MOST, true },
	[CAUSE_ALIGNMENT] = { "probe.read.write-chunk.alignment", "every-time", NULL,
			      TRAIT_UNALIGNED, tally_is_unaligned, tally_is_plain, NULL, MOST,
			      true },
	[CAUSE_PLACEMENT] = { "probe.read.write-chunk.placement", "above-a-page", NULL, TRAIT_LARGE,
			      tally_is_plain, tally_is_plain, cause_looks_like_pages, MOST, true },
	[CAUSE_TAIL] = { "probe.read.write-chunk.tail", "not-written", NULL, TRAIT_PAD,
			 tally_is_write_chunk, tally_is_write_chunk, cause_looks_like_tail, MOST,
			 true },
	[CAUSE_INLINE_ALIGNMENT] = UNALIGNED_OF("probe.read.inline", tally_is_inline),
	[CAUSE_INLINE_PAD] = PAD_OF("probe.read.inline", tally_is_inline),
	[CAUSE_INLINE_END] = END_OF("probe.read.inline", tally_is_inline),
	[CAUSE_INLINE_HIGH] = HIGH_OF("probe.read.inline", tally_is_inline),
	[CAUSE_WRITE_CHUNK_PAD] = PAD_OF("probe.read.write-chunk", tally_is_write_chunk),
	[CAUSE_WRITE_CHUNK_END] = END_OF("probe.read.write-chunk", tally_is_write_chunk),
	[CAUSE_WRITE_CHUNK_HIGH] = HIGH_OF("probe.read.write-chunk", tally_is_write_chunk),
	[CAUSE_REPLY_CHUNK_ALIGNMENT] = UNALIGNED_OF("probe.read.reply-chunk",
						     tally_is_reply_chunk),
	[CAUSE_REPLY_CHUNK_PAD] = PAD_OF("probe.read.reply-chunk", tally_is_reply_chunk),
	[CAUSE_REPLY_CHUNK_END] = END_OF("probe.read.reply-chunk", tally_is_reply_chunk),
	[CAUSE_REPLY_CHUNK_HIGH] = HIGH_OF("probe.read.reply-chunk", tally_is_reply_chunk),
};

unsigned int cause_traits(const struct read_record *r)
{
	unsigned int traits = 0;

	traits |= r->c.layout == LAYOUT_PIECES ? TRAIT_SEGMENTS : 0;
	traits |= r->c.layout == LAYOUT_LARGER || r->c.layout == LAYOUT_PAD_SEGMENT ? TRAIT_ROOM
										    : 0;
	traits |= r->c.offset % PAGE ? TRAIT_UNALIGNED : 0;
	traits |= r->expected % 4 ? TRAIT_PAD : 0;
	traits |= r->expected > PAGE ? TRAIT_LARGE : 0;
	traits |= r->at_end ? TRAIT_END : 0;
	traits |= r->c.offset + r->expected > UINT32_MAX ? TRAIT_HIGH : 0;
	return traits;
}

static bool cause_fails(const struct verdict_input *in, const struct cause *cause,
			const struct read_record *r)
{
	return !r->random && r->confirmed && tally_is_failure(in, r) &&
	       (!cause->controls || tally_is_always(in, r));
}

enum counterpart { COUNTERPART_NONE, COUNTERPART_WRONG, COUNTERPART_RIGHT };

/* What is beside a READ: one that differs in the trait alone. */
static enum counterpart cause_counterpart(const struct verdict_input *in, const struct cause *cause,
					  const struct read_record *failed)
{
	/* A pad completes a word. */
	uint32_t least = cause->trait == TRAIT_LARGE ? 0 : failed->expected & ~3u;
	enum counterpart found = COUNTERPART_NONE;
	size_t i;

	for (i = 0; i < in->records->count && found != COUNTERPART_RIGHT; i++) {
		const struct read_record *r = &in->records->list[i];

		if (!cause->beside(r) || r->expected < least ||
		    (cause_traits(r) ^ cause_traits(failed)) != (unsigned int)cause->trait)
			continue;
		if (tally_is_right(r))
			found = COUNTERPART_RIGHT;
		else if (read_kind_is_failure(r->outcome.kind))
			found = COUNTERPART_WRONG;
	}
	return found;
}

/* The first READ of its range that fails so. */
static bool cause_is_new_range(const struct verdict_input *in, const struct cause *cause, size_t at)
{
	const struct read_case *c = &in->records->list[at].c;
	size_t i;

	for (i = 0; i < at; i++) {
		const struct read_record *r = &in->records->list[i];

		if (cause->of(r) && cause_fails(in, cause, r) && r->c.offset == c->offset &&
		    r->c.count == c->count)
			return false;
	}
	return true;
}

void cause_look(const struct verdict_input *in, enum cause_id id, struct cause_evidence *e)
{
	const struct cause *cause = &causes[id];
	enum counterpart beside;
	size_t i;

	*e = (struct cause_evidence){ 0 };
	for (i = 0; i < in->records->count; i++) {
		const struct read_record *r = &in->records->list[i];
		bool has = (cause_traits(r) & (unsigned int)cause->trait) != 0;

		if (!has && cause->beside(r)) {
			e->right += tally_is_right(r) && r->expected;
			e->wider += cause_fails(in, cause, r);
		}
		if (!cause->of(r) || !tally_is_failure(in, r))
			continue;
		beside = cause_counterpart(in, cause, r);
		/* What has nothing beside it shows nothing. */
		e->failed += !has || cause->of_five == ALL || beside != COUNTERPART_NONE;
		if (!has || beside != COUNTERPART_RIGHT || !cause_fails(in, cause, r) ||
		    (cause->looks && !cause->looks(r)))
			continue;
		e->proven++;
		e->ranges += cause_is_new_range(in, cause, i);
		/* Those of a word or less have no more than the word that is wrong. */
		if (!e->example && r->c.count > 4)
			e->example = r;
	}
}

bool cause_is_shown(const struct verdict_input *in, enum cause_id id)
{
	struct cause_evidence e;

	cause_look(in, id, &e);
	return e.example && e.ranges >= CAUSE_RANGES && e.right >= PROOF_RANGES && !e.wider &&
	       e.proven * ALL >= e.failed * causes[id].of_five;
}
