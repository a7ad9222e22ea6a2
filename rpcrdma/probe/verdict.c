/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Turns records of READs into findings. Pure: it sees only the requests and their outcomes.
 *
 * A cause is named only by READs that were never correct although their range was by another
 * mechanism, and only if they are four of five of the failures. A READ that is correct when
 * repeated is probe.read.intermittent.
 *
 * The 812-byte bug (bug.read-812) is not a server's: the kernel client of an affected host cannot
 * read data that arrives by Write chunk, from any server. A program that has its own client
 * cannot see it. */
#include "rpcrdma/probe/verdict-internal.h"

/* How clients handle this depends on them: Linux treats such a READ as a short one. */
const char verdict_only_data[] = "the data are correct, the returned lengths are not";

bool verdict_is_enough(const struct verdict_input *in)
{
	bool small = false, middle = false, large = false;
	size_t i;

	for (i = 0; i < in->records->count; i++) {
		const struct read_record *r = &in->records->list[i];

		if (tally_is_failure(in, r))
			return false;
		if (!tally_is_write_chunk(r) || !tally_is_right(r) || !r->expected)
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
	/* Less proves nothing; 0: signature_proof_bytes(). */
	uint32_t proof;
} mechanisms[] = {
	{ MECH_INLINE, "probe.read.inline", tally_is_inline, INLINE_PROOF },
	{ MECH_WRITE_CHUNK, "probe.read.write-chunk", tally_is_write_chunk, 0 },
	{ MECH_REPLY_CHUNK, "probe.read.reply-chunk", tally_is_reply_chunk, 0 },
};

bool verdict_is_complete(const struct records *rs, enum mechanism mechanism)
{
	return !rs->why[0] && !rs->all_changing && !rs->unfinished && !rs->out_of_time &&
	       !rs->hopeless && !rs->gave_up[mechanism] && !rs->not_run[mechanism];
}

/* Why the sweep by a mechanism did not complete: the text and the reason. */
static const char *verdict_incomplete_why(const struct records *rs, enum mechanism mechanism,
					  const struct tally *t, const char **reason)
{
	*reason = rs->why_reason;
	if (rs->why[0])
		return rs->why;
	*reason = "changing";
	if (rs->all_changing)
		return "every file changed while it was read";
	*reason = "time";
	if (rs->out_of_time)
		return "the time ran out";
	*reason = "gave-up";
	if (rs->hopeless)
		return "given up after too many failures";
	if (rs->gave_up[mechanism])
		return "given up after repeated failures";
	*reason = "not-tried";
	return t->right ? "some READs could not be tested" : "nothing could be read";
}

static void verdict_say_incomplete(const struct verdict_input *in, struct finding *f,
				   const char *id, const struct tally *t, enum mechanism mechanism)
{
	const struct records *rs = in->records;
	/* Only the deadline ended it. */
	bool slow = rs->out_of_time && !rs->why[0] && !rs->all_changing && !rs->hopeless &&
		    !rs->gave_up[mechanism] && verdict_is_enough(in);
	const char *reason;
	const char *why = verdict_incomplete_why(rs, mechanism, t, &reason);

	finding_init(f, id, slow ? FINDING_SKIP : FINDING_UNKNOWN, "%s, after %u correct READ%s",
		     why, t->right, t->right == 1 ? "" : "s");
	finding_reason(f, reason ? reason : "not-tried");
}

/* A failure, as a reason of a mechanism. */
static const char *const kind_reasons[READ_KIND_COUNT] = {
	[READ_XID] = "malformed",     [READ_HEADER] = "malformed",    [READ_DATA] = "wrong-data",
	[READ_STALE] = "not-written", [READ_ORDER] = "late-data",     [READ_SHORT] = "short",
	[READ_OUTSIDE] = "outside",   [READ_STATUS] = "error",        [READ_RPC] = "error",
	[READ_RDMA_ERROR] = "error",  [READ_CLOSED] = "closed",       [READ_TRANSPORT] = "closed",
	[READ_LOST] = "no-reply",     [READ_FOLLOWING] = "malformed",
};

/* What is shown of a mechanism's failures; NULL: nothing. */
static const struct cause *verdict_cause(const struct verdict_input *in, const char *id)
{
	enum cause_id i;

	for (i = 0; i < CAUSE_COUNT; i++)
		if (!strcmp(causes[i].id, id) && cause_is_shown(in, i))
			return &causes[i];
	return NULL;
}

/* The reason of a mechanism's failures. */
static const char *verdict_reason(const struct cause *cause, const struct tally *t)
{
	enum read_kind kind = tally_typical(t)->outcome.kind;

	if (tally_is_of_other_file(t))
		return "other-file";
	/* Data that is wrong in the last word is wrong data for every client. */
	if (cause && (cause->trait != TRAIT_PAD || kind == READ_HEADER))
		return cause->reason;
	return t->other_offset * 2 > t->failed ? "other-offset" : kind_reasons[kind];
}

static void verdict_say_mechanism(const struct verdict_input *in, size_t row, finding_sink sink,
				  void *arg)
{
	enum mechanism mechanism = mechanisms[row].mechanism;
	const struct cause *cause;
	uint32_t proof = mechanisms[row].proof ? mechanisms[row].proof : signature_proof_bytes(in);
	char note[96] = "", how[TALLY_HOW_MAX];
	_cleanup_(finding_fini) struct finding f = { 0 };
	struct tally t;

	tally_records(in, mechanisms[row].filter, &t);
	cause = t.failed ? verdict_cause(in, mechanisms[row].id) : NULL;
	t.right += in->records->random.right[mechanism];
	t.bytes += in->records->random.right_bytes[mechanism];
	if (t.answered_inline)
		snprintf(note, sizeof(note), "; %u more were answered inline, with the %s unused",
			 t.answered_inline, mechanism_name(mechanism));
	if (t.failed)
		finding_init(&f, mechanisms[row].id, FINDING_FAIL,
			     "%u of %u READs fail, %sthe smallest of %u byte%s: %.300s", t.failed,
			     t.failed + t.right, cause ? cause->which : "", t.smallest_failed,
			     t.smallest_failed == 1 ? "" : "s", tally_how(&t, how));
	else if (!t.right && t.answered_inline && verdict_is_complete(in->records, mechanism))
		finding_init(&f, mechanisms[row].id, FINDING_SKIP,
			     "all %u READs were answered inline, with the %s unused",
			     t.answered_inline, mechanism_name(mechanism));
	else if (!t.right || !verdict_is_complete(in->records, mechanism))
		verdict_say_incomplete(in, &f, mechanisms[row].id, &t, mechanism);
	else if (t.largest_right < proof)
		finding_init(&f, mechanisms[row].id, FINDING_SKIP,
			     "%u READs of up to %u byte%s are correct, which is too little to tell",
			     t.right, t.largest_right, t.largest_right == 1 ? "" : "s");
	else
		finding_init(&f, mechanisms[row].id, FINDING_PASS,
			     "%u READs of up to %u bytes, all correct%s%s", t.right,
			     t.largest_right,
			     t.in_flight > 1 ? ", alone and with others in flight" : "", note);
	if (t.failed)
		finding_reason(&f, verdict_reason(cause, &t));
	if (t.over_tcp)
		finding_number(&f, "wrong_over_tcp", t.over_tcp);
	tally_numbers(&f, &t);
	if (t.in_flight > 1)
		finding_number(&f, "in_flight", t.in_flight);
	if (t.failed)
		tally_examples(&f, &t);
	sink(arg, &f);
}

static void verdict_add_example(struct finding *f, const struct read_record *r)
{
	char text[400];

	read_case_text(&r->c, r->outcome.text, text, sizeof(text));
	finding_text(f, "example", "%s", text);
}

/* Correct data in a broken frame. */
struct verdict_frame {
	const char *id;
	enum read_kind kind;
	const char *reason, *good, *bad;
	/* What weighs more, if there is such a thing. */
	enum read_sign sign;
	const char *sign_reason;
};

static const struct verdict_frame verdict_frames[] = {
	{ "probe.read.write-chunk.pad", READ_PAD, "padded", "no pad is written",
	  "the XDR pad is written into the Write chunk", SIGN_NONE, NULL },
	{ "probe.read.write-chunk.lengths", READ_LENGTHS, "wrong-lengths",
	  "returned lengths match the data", "returned lengths do not match the data",
	  SIGN_SHORT_LENGTHS, "short-lengths" },
	{ "probe.read.write-chunk.unused", READ_INLINE, "data-inline", "the Write chunk is used",
	  "the Write chunk is unused and the data inline", SIGN_NONE, NULL },
};

static bool verdict_weighs(const struct verdict_frame *frame, const struct read_record *r)
{
	return frame->sign && r->outcome.sign == frame->sign;
}

static void verdict_say_frame(const struct verdict_input *in, const struct verdict_frame *frame,
			      finding_sink sink, void *arg)
{
	const struct read_record *example = NULL;
	unsigned int looked = 0, hit = 0;
	bool pads = tally_has_pads(in);
	_cleanup_(finding_fini) struct finding f = { 0 };
	size_t i;

	for (i = 0; i < in->records->count; i++) {
		const struct read_record *r = &in->records->list[i];

		if (!tally_is_write_chunk(r) ||
		    (!tally_is_right(r) && r->outcome.kind != frame->kind))
			continue;
		looked++;
		if (tally_frame_kind(r, pads) != frame->kind)
			continue;
		hit++;
		if (r->outcome.kind == frame->kind &&
		    (!example || (verdict_weighs(frame, r) && !verdict_weighs(frame, example))))
			example = r;
	}
	if (example)
		finding_init(&f, frame->id, FINDING_FAIL, "%s in %u of %u READs", frame->bad, hit,
			     looked);
	else if (looked)
		finding_init(&f, frame->id, FINDING_PASS, "%s in %u READs", frame->good, looked);
	else
		finding_init(&f, frame->id, FINDING_SKIP, "no Write-chunk READ was correct");
	if (example)
		finding_reason(&f,
			       verdict_weighs(frame, example) ? frame->sign_reason : frame->reason);
	finding_number(&f, "looked_at", looked);
	finding_number(&f, "wrong", hit);
	if (example)
		verdict_add_example(&f, example);
	sink(arg, &f);
}

/* The bytes after the last whole XDR word are missing every time. */
static void verdict_say_tail(const struct verdict_input *in, finding_sink sink, void *arg)
{
	static const char id[] = "probe.read.write-chunk.tail";
	unsigned int right = 0;
	_cleanup_(finding_fini) struct finding f = { 0 };
	struct cause_evidence e;
	size_t i;

	cause_look(in, CAUSE_TAIL, &e);
	for (i = 0; i < in->records->count; i++) {
		const struct read_record *r = &in->records->list[i];

		right += tally_is_write_chunk(r) && tally_is_right(r) && r->expected > 4 &&
			 r->expected % 4;
	}
	if (in->tails)
		finding_init(&f, id, FINDING_FAIL,
			     "%u READs lack the bytes after the last multiple of four", e.proven);
	else if (right && !e.failed)
		finding_init(&f, id, FINDING_PASS,
			     "%u READs have the bytes after the last multiple of four", right);
	else
		finding_init(&f, id, FINDING_SKIP, "%s",
			     e.failed ? "READs fail in another way"
				      : "no Write-chunk READ of such a length was correct");
	if (in->tails)
		finding_reason(&f, "not-written");
	finding_number(&f, "wrong", e.proven);
	finding_number(&f, "right", right);
	if (in->tails)
		verdict_add_example(&f, e.example);
	sink(arg, &f);
}

static void verdict_say_order(const struct verdict_input *in, finding_sink sink, void *arg)
{
	static const char id[] = "probe.read.write-chunk.order";
	const struct read_record *example = NULL;
	unsigned int late = 0, right = 0;
	_cleanup_(finding_fini) struct finding f = { 0 };
	size_t i;

	for (i = 0; i < in->records->count; i++) {
		const struct read_record *r = &in->records->list[i];

		if (r->outcome.kind == READ_ORDER && !late++)
			example = r;
		right += tally_is_write_chunk(r) && tally_is_right(r) && r->expected;
	}
	if (late)
		finding_init(&f, id, FINDING_FAIL, "the reply arrived before its data in %u READ%s",
			     late, late == 1 ? "" : "s");
	else if (in->late_writes)
		finding_init(&f, id, FINDING_FAIL,
			     "RDMA Writes to memory released after the reply ended %u connection%s",
			     in->late_writes, in->late_writes == 1 ? "" : "s");
	else if (right)
		finding_init(&f, id, FINDING_PASS,
			     "the data of %u READs arrived before their reply", right);
	else
		finding_init(&f, id, FINDING_SKIP, "no Write-chunk READ was correct");
	if (late || in->late_writes)
		finding_reason(&f, late ? "late-data" : "released-memory");
	finding_number(&f, "late", late);
	if (late)
		verdict_add_example(&f, example);
	finding_number(&f, "writes_to_released_memory", in->late_writes);
	sink(arg, &f);
}

static const struct verdict_property {
	enum cause_id cause;
	const char *what;
} verdict_properties[] = {
	{ CAUSE_SEGMENTS, "in several segments" },
	{ CAUSE_ALIGNMENT, "at unaligned offsets" },
};

/* Every failure is an error that the server returned: no client gets wrong data by it. */
static bool verdict_are_errors(const struct tally *t)
{
	return t->kinds[READ_STATUS] + t->kinds[READ_RPC] + t->kinds[READ_RDMA_ERROR] == t->failed;
}

/* Whether READs with the property fail where plain READs are correct. */
static void verdict_say_property(const struct verdict_input *in,
				 const struct verdict_property *property, finding_sink sink,
				 void *arg)
{
	const struct cause *cause = &causes[property->cause];
	_cleanup_(finding_fini) struct finding f = { 0 };
	struct tally t;

	tally_records(in, cause->of, &t);
	if (cause_is_shown(in, property->cause))
		finding_init(&f, cause->id, FINDING_FAIL,
			     "Write-chunk READs %s fail (%u of %u%s), others do not",
			     property->what, t.always, t.failed + t.right,
			     t.always == t.failed + t.right ? "" : ", the same ones every time");
	else if (tally_is_steady(&t))
		finding_init(&f, cause->id, FINDING_SKIP,
			     "other READs fail too, or none shows that these differ in that alone");
	else if (t.failed)
		finding_init(&f, cause->id, FINDING_SKIP, "%s", tally_unsteady(&t));
	else if (t.right && t.largest_right > CHANGE_OVER)
		finding_init(&f, cause->id, FINDING_PASS, "%u Write-chunk READs %s are correct",
			     t.right, property->what);
	else
		finding_init(&f, cause->id, FINDING_SKIP, "%s",
			     t.right             ? "no file is large enough to tell"
			     : t.over_tcp        ? "READs fail over TCP too"
			     : t.answered_inline ? "the Write chunk is unused"
						 : "not tested at this level");
	if (f.status == FINDING_FAIL)
		finding_reason(&f, verdict_are_errors(&t) ? "errors" : "every-time");
	tally_numbers(&f, &t);
	if (t.failed)
		tally_examples(&f, &t);
	sink(arg, &f);
}

static void verdict_say_placement(const struct verdict_input *in, const struct tally *plain,
				  finding_sink sink, void *arg)
{
	_cleanup_(finding_fini) struct finding f = { 0 };

	if (cause_is_shown(in, CAUSE_PLACEMENT))
		finding_init(&f, "probe.read.write-chunk.placement", FINDING_FAIL,
			     "Write-chunk READs fail from %u bytes; %u bytes and less are correct",
			     plain->smallest_always, plain->largest_right_below);
	else if (plain->failed)
		finding_init(&f, "probe.read.write-chunk.placement", FINDING_SKIP, "%s",
			     !tally_is_steady(plain) ? tally_unsteady(plain)
			     : plain->kinds[READ_DATA] + plain->kinds[READ_STALE]
				     ? "smaller READs fail too, or too few are correct"
				     : "READs fail, and not with data in another place");
	else if (plain->largest_right > PAGE)
		finding_init(&f, "probe.read.write-chunk.placement", FINDING_PASS,
			     "pages of READs of up to %u bytes are in place", plain->largest_right);
	else
		finding_init(&f, "probe.read.write-chunk.placement", FINDING_SKIP,
			     "no READ of more than a page was tested");
	if (f.status == FINDING_FAIL)
		finding_reason(&f, "above-a-page");
	tally_numbers(&f, plain);
	if (plain->failed)
		tally_examples(&f, plain);
	sink(arg, &f);
}

/* READs that fail over TCP too: the server's NFS, and what of it. */
struct verdict_over_tcp {
	unsigned int n, data, shorts;
	unsigned int ends;                        /* short, and the file is said to end there */
	unsigned int larger;                      /* more came than the file's size allows */
	uint32_t smallest, largest_right;         /* bytes asked */
	unsigned int right, beyond, right_beyond; /* that ask for more than the file has there */
	const struct read_record *example;        /* of the gravest */
};

static bool verdict_goes_beyond(const struct read_record *r)
{
	return r->at_end && r->expected && r->c.count > r->expected;
}

/* Wrong data is worse than an error, and that is worse than less than was asked for. */
static unsigned int verdict_gravity(const struct read_record *r)
{
	return r->outcome.kind == READ_DATA || r->outcome.sign == SIGN_EOF ? 2
	       : r->outcome.kind == READ_SHORT                             ? 0
									   : 1;
}

static void verdict_count_over_tcp(const struct records *rs, struct verdict_over_tcp *n)
{
	size_t i;

	*n = (struct verdict_over_tcp){ .smallest = UINT32_MAX };
	for (i = 0; i < rs->count; i++) {
		const struct read_record *r = &rs->list[i];

		if (!r->wrong_over_tcp && tally_is_right(r)) {
			n->right++;
			n->right_beyond += verdict_goes_beyond(r);
			if (r->c.count > n->largest_right)
				n->largest_right = r->c.count;
		}
		if (!r->wrong_over_tcp)
			continue;
		n->n++;
		n->data += r->outcome.kind == READ_DATA;
		n->shorts += r->outcome.kind == READ_SHORT;
		n->ends += r->outcome.sign == SIGN_EOF;
		n->larger += r->outcome.sign == SIGN_BEYOND_SIZE;
		n->beyond += verdict_goes_beyond(r);
		n->smallest = min_u32(n->smallest, r->c.count);
		if (!n->example || verdict_gravity(r) > verdict_gravity(n->example))
			n->example = r;
	}
}

/* What its READs have in common: each condition excludes the ones below it. */
static const struct verdict_tcp_cause {
	const char *reason, *what; /* "46 READs ..." */
} verdict_tcp_causes[] = {
	{ "size", "returned more, over TCP too, than the size of the file allows" },
	{ "nfs", "failed over RDMA and over TCP" },
	{ "early-end", "ended before the file does, over TCP too" },
	{ "short", "returned less than is there, over TCP too" },
	{ "too-large", "failed over RDMA and over TCP, all larger than those that are right" },
	{ "beyond-the-end", "failed over RDMA and over TCP, all beyond the end of the file" },
	{ "error", "failed over RDMA and over TCP" },
};

static const struct verdict_tcp_cause *verdict_over_tcp_cause(const struct verdict_over_tcp *n)
{
	bool compared = n->right >= PROOF_RANGES && n->n >= CAUSE_RANGES;
	const bool shown[ARRAY_SIZE(verdict_tcp_causes) - 1] = {
		n->larger && n->larger == n->data,
		n->data,
		n->ends,
		n->shorts == n->n,
		/* Linux clients take no smaller rsize. */
		compared && n->smallest > n->largest_right && n->largest_right >= 1024,
		compared && n->beyond == n->n && !n->right_beyond,
	};
	size_t i = 0;

	while (i < ARRAY_SIZE(shown) && !shown[i])
		i++;
	return &verdict_tcp_causes[i];
}

/* Reports only what was seen. */
static void verdict_say_over_tcp(const struct verdict_input *in, finding_sink sink, void *arg)
{
	_cleanup_(finding_fini) struct finding f = { 0 };
	const struct verdict_tcp_cause *cause;
	const struct read_outcome *outcome;
	struct verdict_over_tcp n;
	uint32_t rsize = 1024;
	bool wrong;

	verdict_count_over_tcp(in->records, &n);
	if (!n.n)
		return;
	cause = verdict_over_tcp_cause(&n);
	outcome = &n.example->outcome;
	wrong = !strcmp(cause->reason, "nfs") || !*outcome->text;
	finding_init(&f, "probe.read.over-tcp", FINDING_WARN,
		     "%u READ%s %s, the first at offset %llu: %s", n.n, n.n == 1 ? "" : "s",
		     cause->what, (unsigned long long)n.example->c.offset,
		     wrong ? read_kind_name(outcome->kind) : outcome->text);
	finding_reason(&f, cause->reason);
	finding_number(&f, "wrong", n.n);
	finding_number(&f, "offset", (double)n.example->c.offset);
	finding_number(&f, "length", n.example->c.count);
	finding_number(&f, "largest_right", n.largest_right);
	/* For a mount: the largest power of two that works. */
	while (rsize <= n.largest_right / 2)
		rsize *= 2;
	finding_number(&f, "rsize", rsize);
	verdict_add_example(&f, n.example);
	sink(arg, &f);
}

enum verdict_way {
	WAY_ERROR,
	WAY_BIT,
	WAY_PAGES,
	WAY_BYTES,
	WAY_UNWRITTEN,
	WAY_OTHER_FILE,
	WAY_REPLY, /* short, or not to be parsed */
	WAY_COUNT
};

static const struct {
	const char *reason, *text;
} verdict_ways[WAY_COUNT] = {
	[WAY_ERROR] = { "errors", "errors" },
	[WAY_BIT] = { "single-bits", "single bits" },
	[WAY_PAGES] = { "whole-pages", "whole pages" },
	[WAY_BYTES] = { "bytes", "bytes" },
	[WAY_UNWRITTEN] = { "not-written", "data that were not written" },
	[WAY_OTHER_FILE] = { "other-file", "data of another file" },
	[WAY_REPLY] = { "malformed", "short or malformed replies" },
};

/* READs that were correct when repeated. */
struct intermittent {
	unsigned int reported;                          /* they have a finding of their own */
	unsigned int wrong[MECH_COUNT], of[MECH_COUNT]; /* repeated or not */
	unsigned int all_wrong, all;
	unsigned int no_reply; /* that were correct then */
	unsigned int ways[WAY_COUNT];
	const struct read_record *example;
};

/* What was wrong, and would be repaired elsewhere. */
static enum verdict_way verdict_way(const struct read_outcome *o)
{
	static const enum verdict_way of_damage[] = {
		[DAMAGE_NONE] = WAY_REPLY,
		[DAMAGE_BIT] = WAY_BIT,
		[DAMAGE_PAGES] = WAY_PAGES,
		[DAMAGE_BYTES] = WAY_BYTES,
	};

	if (o->sign == SIGN_OTHER_FILE)
		return WAY_OTHER_FILE;
	switch (o->kind) {
	case READ_STATUS:
	case READ_RPC:
	case READ_RDMA_ERROR: return WAY_ERROR;
	case READ_STALE: return WAY_UNWRITTEN;
	default: return of_damage[damage_kind(&o->damage)];
	}
}

static void verdict_count_intermittent(const struct verdict_input *in, struct intermittent *n)
{
	enum mechanism m;
	size_t i;

	memset(n, 0, sizeof(*n));
	for (m = 0; m < MECH_COUNT; m++) {
		n->of[m] = in->records->random.right[m];
		n->all += n->of[m];
	}
	for (i = 0; i < in->records->count; i++) {
		const struct read_record *r = &in->records->list[i];

		/* No reply, or no connection, which have findings of their own. */
		n->no_reply += (r->outcome.kind == READ_LOST || r->outcome.kind == READ_CLOSED ||
				r->outcome.kind == READ_TRANSPORT) &&
			       !tally_is_failure(in, r) && r->wrong < r->tries;
		if (!tally_is_right(r) && !tally_is_failure(in, r))
			continue;
		n->of[r->c.mechanism] += r->tries;
		n->all += r->tries;
		if (!tally_is_sometimes(in, r))
			continue;
		n->reported += tally_is_reported(in, r);
		if (tally_is_reported(in, r))
			continue;
		n->wrong[r->c.mechanism] += r->wrong;
		n->all_wrong += r->wrong;
		n->ways[verdict_way(&r->outcome)]++;
		if (!n->example)
			n->example = r;
	}
}

/* The reason, and how it is said. */
static void verdict_name_ways(const struct intermittent *n, const char **reason, const char **text)
{
	unsigned int i;

	*reason = NULL;
	for (i = 0; i < WAY_COUNT; i++) {
		if (!n->ways[i])
			continue;
		*text = *reason ? "in several ways" : verdict_ways[i].text;
		*reason = *reason ? "several-ways" : verdict_ways[i].reason;
	}
}

static void verdict_list_mechanisms(const struct intermittent *n, char *text, size_t cap)
{
	size_t used = 0;
	enum mechanism m;

	text[0] = '\0';
	for (m = 0; m < MECH_COUNT; m++)
		if (n->wrong[m] && used < cap)
			used += (size_t)snprintf(text + used, cap - used, "%s%u of %u by %s",
						 used ? ", " : "", n->wrong[m], n->of[m],
						 mechanism_name(m));
}

static void verdict_say_intermittent(const struct verdict_input *in, finding_sink sink, void *arg)
{
	static const char id[] = "probe.read.intermittent";
	const char *reason, *text = "";
	struct intermittent n;
	_cleanup_(finding_fini) struct finding f = { 0 };
	char list[128];

	verdict_count_intermittent(in, &n);
	verdict_name_ways(&n, &reason, &text);
	verdict_list_mechanisms(&n, list, sizeof(list));
	if (n.all_wrong)
		finding_init(&f, id, FINDING_FAIL,
			     "%u of %u READs failed and were correct when repeated: %s",
			     n.all_wrong, n.all, text);
	else if (n.reported)
		finding_init(
			&f, id, FINDING_SKIP,
			"%u READ%s correct when repeated, by chance: another finding has the defect",
			n.reported, n.reported == 1 ? " was" : "s were");
	else if (n.no_reply)
		finding_init(
			&f, id, FINDING_SKIP,
			"%u READ%s without a reply or lost the connection, and correct when repeated: no data is corrupt",
			n.no_reply, n.no_reply == 1 ? " was" : "s were");
	else if (n.all)
		finding_init(&f, id, FINDING_PASS,
			     "no READ failed at first and was correct when repeated");
	else
		finding_init(&f, id, FINDING_SKIP, "nothing could be read");
	finding_number(&f, "wrong", n.all_wrong);
	finding_number(&f, "of", n.all);
	if (n.all_wrong) {
		finding_reason(&f, reason);
		finding_text(&f, "mechanisms", "%s", list);
		finding_text(&f, "damage", "%s", text);
		verdict_add_example(&f, n.example);
	}
	sink(arg, &f);
}

/* --- in flight ------------------------------------------------------------------------------- */

/* READs by Write chunk with others in flight, each with its repetitions, and alone. */
struct verdict_flight {
	unsigned int wrong, of;
	unsigned int wrong_alone, right_alone;
	const struct read_record *example;
};

#define FLIGHT_WRONG_MIN 3
/* So improbable it must be that READs alone are right by chance. */
#define FLIGHT_CHANCE 0.001

static void verdict_count_flight(const struct records *rs, struct verdict_flight *n)
{
	size_t i;

	*n = (struct verdict_flight){ 0 };
	for (i = 0; i < rs->count; i++) {
		const struct read_record *r = &rs->list[i];

		if (r->c.mechanism != MECH_WRITE_CHUNK)
			continue;
		if (r->in_flight <= 1) {
			n->wrong_alone += r->wrong;
			n->right_alone += tally_is_right(r);
			continue;
		}
		n->of += tally_is_right(r) || r->wrong ? r->tries : 0;
		n->wrong += r->wrong;
		if (r->wrong && !n->example && read_kind_is_failure(r->outcome.kind))
			n->example = r;
	}
}

static bool verdict_is_of_flight(const struct verdict_flight *n)
{
	double chance = 1, right = n->of ? 1 - (double)n->wrong / n->of : 1;
	unsigned int i;

	for (i = 0; i < n->right_alone && chance >= FLIGHT_CHANCE; i++)
		chance *= right;
	return n->example && n->wrong >= FLIGHT_WRONG_MIN && !n->wrong_alone &&
	       chance < FLIGHT_CHANCE;
}

static void verdict_say_flight(const struct verdict_input *in, const struct verdict_flight *n,
			       finding_sink sink, void *arg)
{
	static const char id[] = "probe.read.in-flight";
	_cleanup_(finding_fini) struct finding f = { 0 };

	if (in->flight) {
		finding_init(&f, id, FINDING_FAIL,
			     "%u of %u READs fail with others in flight, and none of %u alone: %s",
			     n->wrong, n->of, n->right_alone,
			     read_kind_name(n->example->outcome.kind));
		finding_reason(&f, read_kind_reason(n->example->outcome.kind));
		verdict_add_example(&f, n->example);
	} else if (!n->of) {
		finding_init(&f, id, FINDING_SKIP, "no READ by Write chunk had others in flight");
	} else if (n->wrong) {
		finding_init(
			&f, id, FINDING_SKIP,
			"%u of %u READs fail with others in flight, which does not show that these are the cause",
			n->wrong, n->of);
	} else {
		finding_init(&f, id, FINDING_PASS, "%u READs with others in flight, all correct",
			     n->of);
	}
	finding_number(&f, "wrong", n->wrong);
	finding_number(&f, "of", n->of);
	finding_number(&f, "right_alone", n->right_alone);
	sink(arg, &f);
}

void verdict_reads(const struct verdict_input *input, finding_sink sink, void *arg)
{
	struct verdict_input own = *input;
	const struct verdict_input *in = &own;
	struct tally plain, all;
	struct verdict_flight flight;
	size_t i;

	verdict_count_flight(in->records, &flight);
	own.flight = verdict_is_of_flight(&flight);
	own.late = in->late_writes > 0;
	for (i = 0; i < in->records->count && !own.late; i++)
		own.late = in->records->list[i].outcome.kind == READ_ORDER;
	own.tails = cause_is_shown(in, CAUSE_TAIL);
	tally_records(in, tally_is_write_chunk, &all);
	own.unwritten = tally_is_steady(&all) && all.kinds[READ_STALE] * 5 >= all.failed * 4;
	for (i = 0; i < ARRAY_SIZE(mechanisms); i++)
		verdict_say_mechanism(in, i, sink, arg);
	tally_records(in, tally_is_plain, &plain);
	for (i = 0; i < ARRAY_SIZE(verdict_frames); i++)
		verdict_say_frame(in, &verdict_frames[i], sink, arg);
	verdict_say_tail(in, sink, arg);
	verdict_say_order(in, sink, arg);
	for (i = 0; i < ARRAY_SIZE(verdict_properties); i++)
		verdict_say_property(in, &verdict_properties[i], sink, arg);
	verdict_say_placement(in, &plain, sink, arg);
	signature_profiles(in, &plain, sink, arg);
	verdict_say_flight(in, &flight, sink, arg);
	verdict_say_intermittent(in, sink, arg);
	verdict_say_over_tcp(in, sink, arg);
	signature_write_chunk_read(in, &plain, sink, arg);
}
