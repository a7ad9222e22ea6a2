/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* bug.write-chunk-read, and which clients it affects. Pure.
 *
 * It is narrow on purpose: plain READs by Write chunk, as Linux clients send them, fail every
 * time from some size of at most a page on, while the same ranges are correct by another
 * mechanism before and after, in at least three ranges and in four of five. Smaller READs may
 * fail too, or be correct. Any other failure with Write chunks has a finding of its own, by the
 * property that it depends on: larger sizes, segments, alignment, or only the frame. */
#include "rpcrdma/probe/verdict-internal.h"

/* Distinct ranges of plain READs from @from bytes on: all of them, those that fail every time,
 * and those whose failure counts as evidence. */
struct signature_ranges {
	uint32_t from; /* the smallest whose failure does; UINT32_MAX: none */
	unsigned int all, failing, proven;
};

static const char signature_only_flight[] =
	"Write-chunk READs fail with others in flight, and not alone";

/* How a READ was sent. A server that fails only after other operations is correct in READs alone,
 * so each way is judged separately. */
enum read_context { CONTEXT_ALONE, CONTEXT_AFTER_OTHERS, CONTEXT_IN_FLIGHT, CONTEXT_COUNT };

static bool signature_is_plain(const struct read_record *r, enum read_context context)
{
	enum read_context own = CONTEXT_ALONE;

	if (r->after_others)
		own = CONTEXT_AFTER_OTHERS;
	else if (r->in_flight > 1)
		own = CONTEXT_IN_FLIGHT;
	return tally_is_plain(r) && own == context;
}

/* The outcomes of all READs of one range in one way. */
struct signature_range {
	bool first;   /* no earlier record has that range */
	bool failing; /* and none was correct */
	bool proven;
};

static struct signature_range signature_range_of(const struct verdict_input *in, size_t i,
						 enum read_context context)
{
	const struct records *rs = in->records;
	const struct read_case *range = &rs->list[i].c;
	struct signature_range seen = { .first = true };
	bool right = false;
	size_t j;

	for (j = 0; j < rs->count; j++) {
		const struct read_record *r = &rs->list[j];

		if (!signature_is_plain(r, context) || r->c.offset != range->offset ||
		    r->c.count != range->count)
			continue;
		seen.first = seen.first && j >= i;
		seen.failing = seen.failing || tally_is_failure(in, r);
		/* Correct data with more written after it is a broken frame; bytes that are
		 * missing at the end have a finding of their own. */
		seen.proven = seen.proven ||
			      (tally_is_always(in, r) && r->outcome.kind != READ_OUTSIDE &&
			       !(in->tails && r->outcome.sign == SIGN_TAIL));
		right = right || tally_is_right(r);
	}
	seen.failing = seen.failing && !right;
	seen.proven = seen.proven && !right;
	return seen;
}

static void signature_count_ranges(const struct verdict_input *in, enum read_context context,
				   struct signature_ranges *n)
{
	const struct records *rs = in->records;
	struct signature_range seen;
	size_t i;

	*n = (struct signature_ranges){ .from = UINT32_MAX };
	for (i = 0; i < rs->count; i++)
		if (rs->list[i].c.count < n->from && signature_is_plain(&rs->list[i], context) &&
		    signature_range_of(in, i, context).proven)
			n->from = rs->list[i].c.count;
	for (i = 0; i < rs->count; i++) {
		if (!signature_is_plain(&rs->list[i], context) || rs->list[i].c.count < n->from)
			continue;
		seen = signature_range_of(in, i, context);
		n->all += seen.first;
		n->failing += seen.first && seen.failing;
		n->proven += seen.first && seen.proven;
	}
}

/* In the way that shows it, otherwise in the last. */
static bool signature_find(const struct verdict_input *in, struct signature_ranges *n)
{
	enum read_context context;

	for (context = 0; context < CONTEXT_COUNT; context++) {
		signature_count_ranges(in, context, n);
		if (n->from <= PAGE && n->proven >= PROOF_RANGES && n->failing * 5 >= n->all * 4)
			return true;
	}
	return false;
}

/* Correct READs between a client's switch to Write chunks and a page. */
static bool signature_is_right_above_switch(const struct verdict_input *in)
{
	unsigned int right = 0;
	size_t i;

	for (i = 0; i < in->records->count; i++) {
		const struct read_record *r = &in->records->list[i];

		right += tally_is_plain(r) && tally_is_right(r) && r->c.count > CHANGE_OVER &&
			 r->c.count <= PAGE;
	}
	return right >= PROOF_RANGES;
}

uint32_t signature_proof_bytes(const struct verdict_input *in)
{
	return in->rtmax > PAGE ? min_u32(PROOF_BYTES, in->rtmax) : PROOF_BYTES;
}

/* Every READ was made, and none of as much as proves something: the file has no more. */
static bool signature_file_is_small(const struct verdict_input *in)
{
	size_t i;

	for (i = 0; i < in->records->count; i++)
		if (tally_is_plain(&in->records->list[i]) &&
		    in->records->list[i].expected >= signature_proof_bytes(in))
			return false;
	return verdict_is_complete(in->records, MECH_WRITE_CHUNK);
}

/* Whether the data differs from the file's, as opposed to errors and silence. */
static bool signature_is_corrupt(const struct tally *plain)
{
	return plain->kinds[READ_DATA] || plain->kinds[READ_STALE];
}

/* What most of the failures are to a client: wrong data, a wait without end, or errors. */
struct signature_failure {
	const char *reason, *verb;
	bool says; /* the replies say what is wrong */
};

static struct signature_failure signature_failure_of(const struct tally *plain)
{
	unsigned int ended = plain->kinds[READ_CLOSED] + plain->kinds[READ_TRANSPORT];
	unsigned int lost = plain->kinds[READ_LOST];

	if (tally_is_of_other_file(plain))
		return (struct signature_failure){ "other-file", "are corrupt", true };
	if (signature_is_corrupt(plain))
		return (struct signature_failure){ "corrupt", "are corrupt", plain->misplaced };
	if ((lost + ended) * 2 <= plain->failed)
		return (struct signature_failure){ "failing", "fail", true };
	if (lost >= ended)
		return (struct signature_failure){ "unanswered", "get no reply", false };
	return (struct signature_failure){ "unanswered", "end the connection", false };
}

void signature_write_chunk_read(const struct verdict_input *in, const struct tally *plain,
				finding_sink sink, void *arg)
{
	const struct signature_failure failure = signature_failure_of(plain);
	static const char id[] = "bug.write-chunk-read";
	struct signature_ranges n = { 0 };
	char how[TALLY_HOW_MAX];
	_cleanup_(finding_fini) struct finding f = { 0 };

	if (in->flight)
		finding_init(&f, id, FINDING_SKIP, "%s", signature_only_flight);
	else if (plain->failed && signature_find(in, &n))
		finding_init(&f, id, FINDING_FAIL,
			     "Write-chunk READs from %u byte%s %s in %u of %u ranges%s%s", n.from,
			     n.from == 1 ? "" : "s", failure.verb, n.failing, n.all,
			     failure.says ? ": " : "", failure.says ? tally_how(plain, how) : "");
	else if (cause_is_shown(in, CAUSE_PLACEMENT))
		finding_init(
			&f, id, FINDING_SKIP,
			"Write-chunk READs of up to a page are correct: see probe.read.write-chunk.placement");
	else if (plain->failed && tally_comes_late(plain))
		finding_init(&f, id, FINDING_SKIP, "%s", tally_unsteady(plain));
	else if (plain->failed)
		finding_init(&f, id, FINDING_SKIP,
			     "some Write-chunk READs fail, but not all from one size on");
	else if (plain->lengths)
		finding_init(&f, id, FINDING_SKIP, "%s", verdict_only_data);
	else if (plain->largest_right >= signature_proof_bytes(in) &&
		 signature_is_right_above_switch(in) &&
		 verdict_is_complete(in->records, MECH_WRITE_CHUNK))
		finding_init(&f, id, FINDING_PASS,
			     "%u Write-chunk READs, laid out as by Linux clients, are correct",
			     plain->right);
	else if (plain->right && signature_file_is_small(in))
		/* Defects begin above: nothing is proven of what a guest reads. */
		finding_init(
			&f, id, FINDING_UNKNOWN,
			"Write-chunk READs of up to %u byte%s are correct; no file is large enough to test more",
			plain->largest_right, plain->largest_right == 1 ? "" : "s");
	else
		finding_init(&f, id, FINDING_SKIP, "too few Write-chunk READs to tell");
	if (f.status == FINDING_UNKNOWN)
		finding_reason(&f, "small-file");
	if (f.status == FINDING_FAIL)
		finding_reason(&f, failure.reason);
	if (n.proven)
		finding_number(&f, "smallest_failing", n.from);
	finding_number(&f, "largest_right", plain->largest_right_below);
	finding_number(&f, "ranges", n.all);
	finding_number(&f, "ranges_failing", n.failing);
	finding_number(&f, "ranges_proven", n.proven);
	if (plain->failed)
		tally_examples(&f, plain);
	sink(arg, &f);
}

/* A client that changes to Write chunks above @limit sees every failure above it. */
static bool signature_profile_fails(const struct verdict_input *in, uint32_t limit)
{
	size_t i;

	for (i = 0; i < in->records->count; i++)
		if (tally_is_plain(&in->records->list[i]) &&
		    tally_is_always(in, &in->records->list[i]) &&
		    in->records->list[i].c.count > limit)
			return true;
	return false;
}

/* It was correct at the size where its Write chunks begin. */
static bool signature_profile_tried(const struct verdict_input *in, uint32_t limit)
{
	size_t i;

	for (i = 0; i < in->records->count; i++) {
		const struct read_record *r = &in->records->list[i];

		if (tally_is_plain(r) && tally_is_right(r) && r->c.count > limit &&
		    r->c.count <= 2 * limit)
			return true;
	}
	return false;
}

static void signature_add_limit(char *list, size_t cap, uint32_t limit)
{
	size_t used = strlen(list);

	snprintf(list + used, cap - used, "%s%u", used ? ", " : "", limit);
}

void signature_profiles(const struct verdict_input *in, const struct tally *plain,
			finding_sink sink, void *arg)
{
	char right[64] = "", wrong[64] = "", untried[64] = "";
	_cleanup_(finding_fini) struct finding f = { 0 };
	unsigned int i;

	for (i = 0; sweep_profiles[i]; i++)
		if (tally_is_steady(plain) && signature_profile_fails(in, sweep_profiles[i]))
			signature_add_limit(wrong, sizeof(wrong), sweep_profiles[i]);
		else if (signature_profile_tried(in, sweep_profiles[i]))
			signature_add_limit(right, sizeof(right), sweep_profiles[i]);
		else
			signature_add_limit(untried, sizeof(untried), sweep_profiles[i]);
	if (in->flight)
		finding_init(&f, "probe.read.profiles", FINDING_SKIP, "%s", signature_only_flight);
	else if (!plain->right)
		finding_init(&f, "probe.read.profiles", FINDING_SKIP,
			     "no Write-chunk READ was correct");
	else if (*wrong)
		finding_init(&f, "probe.read.profiles", FINDING_FAIL,
			     "clients that switch to Write chunks above %s bytes are affected",
			     wrong);
	else if (plain->failed)
		finding_init(&f, "probe.read.profiles", FINDING_SKIP, "%s", tally_unsteady(plain));
	else if (plain->lengths)
		finding_init(&f, "probe.read.profiles", FINDING_SKIP, "%s", verdict_only_data);
	else if (!*right || !verdict_is_complete(in->records, MECH_WRITE_CHUNK))
		finding_init(&f, "probe.read.profiles", FINDING_SKIP,
			     "not all Write-chunk READs were tested");
	else
		finding_init(&f, "probe.read.profiles", FINDING_PASS,
			     "clients that switch to Write chunks above %s bytes get correct data",
			     right);
	if (f.status == FINDING_FAIL)
		finding_reason(&f, "above-change-over");
	finding_text(&f, "right", "%s", right);
	finding_text(&f, "wrong", "%s", wrong);
	if (*untried)
		finding_text(&f, "not_tried", "%s", untried);
	sink(arg, &f);
}
