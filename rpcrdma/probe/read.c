/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* One READ by one mechanism. The caller chooses how the reply travels, inline, by Write chunk
 * or by Reply chunk (RFC 8166 section 3), and how the chunk's memory is cut. The reply is then
 * compared with the reference and checked against the rules of RFC 8166 section 3.4.6 and RFC
 * 8267. */
#include <stdarg.h>
#include <stdio.h>

#include "rpcrdma/probe/internal.h"

/* Room for GETATTR's result after a READ, with owners as names; and for the results before a
 * second READ's data. */
#define FOLLOWING_GETATTR_BYTES 512
#define FOLLOWING_READ_HEAD     16
#define SESSIONS_MAX            3 /* lost during one READ */
/* How long to wait for data that did not arrive with its reply; and how often in vain. */
#define ORDER_MS        100
#define ORDER_STEP_MS   2
#define ORDER_WAITS_MAX 8

static const char *const mechanism_names[MECH_COUNT] = {
	[MECH_INLINE] = "inline",
	[MECH_WRITE_CHUNK] = "Write chunk",
	[MECH_REPLY_CHUNK] = "Reply chunk",
};

static const struct {
	const char *name;
	const char *reason; /* of a failure; NULL: it is none */
} kinds[READ_KIND_COUNT] = {
	[READ_OK] = { "correct", NULL },
	[READ_CHANGING] = { "changing", NULL },
	[READ_NOT_RUN] = { "not tested", NULL },
	[READ_WITHHELD] = { "withheld", NULL },
	[READ_LATER] = { "not now", NULL },
	[READ_PAD] = { "pad written", NULL },
	[READ_LENGTHS] = { "wrong returned lengths", NULL },
	[READ_INLINE] = { "answered inline", NULL },
	[READ_XID] = { "foreign xid", NULL },
	[READ_HEADER] = { "unreadable reply", "malformed" },
	[READ_DATA] = { "wrong data", "wrong-data" },
	[READ_STALE] = { "stale memory", "wrong-data" },
	[READ_ORDER] = { "data after the reply", "wrong-data" },
	[READ_SHORT] = { "short", "malformed" },
	[READ_OUTSIDE] = { "bytes beyond the data", "wrong-data" },
	[READ_STATUS] = { "NFS error", "error" },
	[READ_FOLLOWING] = { "wrong after the data", "wrong-data" },
	[READ_RPC] = { "RPC error", "error" },
	[READ_RDMA_ERROR] = { "RDMA_ERROR", "error" },
	[READ_CLOSED] = { "connection lost", "closed" },
	[READ_TRANSPORT] = { "transport error", "closed" },
	[READ_LOST] = { "no reply", "no-reply" },
};

const char *mechanism_name(enum mechanism mechanism)
{
	return mechanism_names[mechanism];
}

void read_case_text(const struct read_case *c, const char *what, char *out, size_t len)
{
	snprintf(out, len, "%u byte%s at offset %llu: %.300s", c->count, c->count == 1 ? "" : "s",
		 (unsigned long long)c->offset, what);
}

const char *read_kind_name(enum read_kind kind)
{
	return kinds[kind].name;
}

const char *read_kind_reason(enum read_kind kind)
{
	return kinds[kind].reason;
}

bool read_kind_is_failure(enum read_kind kind)
{
	return kinds[kind].reason != NULL;
}

bool read_kind_is_right(enum read_kind kind)
{
	return kind == READ_OK || kind == READ_PAD || kind == READ_LENGTHS;
}

bool read_kind_is_clean(enum read_kind kind)
{
	return kind == READ_OK || kind == READ_INLINE;
}

bool read_is_unwritten(const struct read_case *c, const struct read_outcome *outcome)
{
	return c->mechanism == MECH_WRITE_CHUNK &&
	       (outcome->kind == READ_STALE || outcome->sign == SIGN_TAIL);
}

bool read_fits_inline(const struct probe *p, uint32_t count)
{
	return p->session.conn && count <= p->limits.rtmax &&
	       RPCRDMA_HEADER_MIN + p->version->read_head + xdr_pad4(count) <=
		       rpcrdma_reply_inline(p->session.conn);
}

/* Bytes of the reply without the first READ's data. */
static uint32_t read_reply_bytes(const struct nfs_version *version, const struct read_case *c)
{
	uint32_t bytes = version->read_head;

	switch (c->followed_by) {
	case FOLLOWED_BY_GETATTR: return bytes + FOLLOWING_GETATTR_BYTES;
	case FOLLOWED_BY_READ: return bytes + FOLLOWING_READ_HEAD + (uint32_t)xdr_pad4(c->count2);
	default: return bytes;
	}
}

bool read_case_fits(const struct probe *p, const struct read_case *c)
{
	/* Counts the data too: a server that ignores the chunk must not send more than we
	 * receive. */
	uint64_t all = RPCRDMA_HEADER_MIN + 4 + 4 + 16 * RPCRDMA_SEGMENTS +
		       read_reply_bytes(p->version, c) + xdr_pad4(c->count);

	return c->mechanism == MECH_REPLY_CHUNK ||
	       (p->session.conn && all <= rpcrdma_reply_inline(p->session.conn));
}

static void read_outcome_set(struct read_outcome *o, enum read_kind kind, const char *fmt, ...)
	PRINTF_LIKE(3, 4);

static void read_outcome_set(struct read_outcome *o, enum read_kind kind, const char *fmt, ...)
{
	va_list ap;

	o->kind = kind;
	va_start(ap, fmt);
	vsnprintf(o->text, sizeof(o->text), fmt, ap);
	va_end(ap);
}

enum nfs_op read_operation(const struct read_case *c)
{
	switch (c->followed_by) {
	case FOLLOWED_BY_GETATTR: return NFS_OP_READ_GETATTR;
	case FOLLOWED_BY_READ: return NFS_OP_READ_READ;
	default: return NFS_OP_READ;
	}
}

static int read_prepare(struct probe *p, struct read_job *job)
{
	const struct read_case *c = &job->c;
	struct operation *op = &job->op;
	uint32_t lengths[AREA_SEGMENTS];
	unsigned int n;
	int rc;

	op->request.offset = c->offset;
	op->request.count = c->count;
	op->request.offset2 = c->offset2;
	op->request.count2 = c->count2;
	/* A missing connection is not an answer to this READ. */
	if (session_ready(p))
		return -ENOTCONN;
	n = layout_cut(c, read_reply_bytes(p->version, c),
		       rpcrdma_peer_private(p->session.conn)->present, lengths);
	rc = area_init(&job->area, lengths, n);
	if (!rc)
		rc = session_register(&p->session, &job->area);
	if (rc)
		return rc;
	if (c->mechanism == MECH_WRITE_CHUNK) {
		op->call.write = job->area.segs;
		op->call.write_count = job->area.nsegs;
	} else {
		op->call.reply = job->area.segs;
		op->call.reply_count = job->area.nsegs;
	}
	return 0;
}

void read_start(struct probe *p, struct read_job *job, const struct window *w,
		const struct read_case *c)
{
	int rc;

	memset(&job->outcome, 0, sizeof(job->outcome));
	job->c = *c;
	operation_init(&job->op, read_operation(c), &w->file->fh);
	job->op.size = w->attr.size;
	/* Before the memory is registered, since a new session may need a new connection. A
	 * missing connection is not an answer to this READ. */
	rc = client41_ready(p) ? -ENOTCONN : read_prepare(p, job);
	job->deadline = session_call_deadline(p, c->count);
	if (rc) {
		job->op.call.rc = rc;
		snprintf(job->op.call.text, sizeof(job->op.call.text), "%.255s", err_text());
	} else {
		operation_start(p, &job->op, job->deadline);
	}
}

/* Translates the call's error into this READ's outcome. */
static void read_call_failed(struct read_job *job)
{
	struct read_outcome *o = &job->outcome;
	const char *text = job->op.call.text;

	switch (job->op.call.rc) {
	case -ETIMEDOUT: read_outcome_set(o, READ_LOST, "%s", text); break;
	case -ECONNRESET: read_outcome_set(o, READ_CLOSED, "%s", text); break;
	case -EPROTO:
	case -EREMOTEIO: read_outcome_set(o, READ_TRANSPORT, "%s", text); break;
	case -EILSEQ: read_outcome_set(o, READ_XID, "%s", text); break;
	case -EBADMSG: read_outcome_set(o, READ_HEADER, "%s", text); break;
	case -EBADE: read_outcome_set(o, READ_RDMA_ERROR, "%s", text); break;
	/* Errors such as -ENODEV are not the fault of the READ. */
	default: read_outcome_set(o, READ_NOT_RUN, "%s", text); break;
	}
}

/* Returned chunk: same segments, lengths rewritten to the bytes written (RFC 8166 section
 * 3.4.6). */
static void read_check_returned(struct read_job *job, const struct rpcrdma_chunk *got, bool present,
				uint64_t want)
{
	const struct rpcrdma_header *h = &job->op.call.header;
	const struct area *a = &job->area;
	uint64_t sum = 0;
	unsigned int i;

	for (i = 0; present && i < got->count; i++)
		sum += h->segments[got->first + i].length;
	if (sum < want)
		job->outcome.sign = SIGN_SHORT_LENGTHS;
	/* Linux clients refuse the whole reply. */
	if (h->write_count > 1) {
		read_outcome_set(&job->outcome, READ_HEADER,
				 "%u Write chunks came back, one was offered", h->write_count);
		return;
	}
	if (!present || got->count != a->nsegs) {
		if (present && !got->count && !want)
			job->outcome.sign = SIGN_UNUSED_DROPPED;
		read_outcome_set(&job->outcome, READ_LENGTHS,
				 "%u segments were offered, %u came back", a->nsegs,
				 present ? got->count : 0);
		return;
	}
	for (i = 0; i < a->nsegs; i++) {
		const struct rpcrdma_segment *s = &h->segments[got->first + i];

		if (s->handle != a->segs[i].region.handle ||
		    s->offset != a->segs[i].region.offset || s->length > a->segs[i].length)
			read_outcome_set(&job->outcome, READ_LENGTHS,
					 "segment %u was returned with handle %08x length %u", i,
					 s->handle, s->length);
	}
	if (job->outcome.kind != READ_OK || sum == want)
		return;
	read_outcome_set(&job->outcome, READ_LENGTHS,
			 "the returned segments sum to %llu bytes, the READ returned %llu",
			 (unsigned long long)sum, (unsigned long long)want);
	if (sum > want && sum <= xdr_pad4(want))
		job->outcome.sign = SIGN_PAD_COUNTED;
}

/* Data of a READ, and the file's. */
struct read_pair {
	const uint8_t *got, *expected;
	uint32_t len;
};

/* In a file whose words are their own offsets, finds where a byte came from: by the word at @word
 * in the file. 0: unknown. */
static uint64_t read_moved_from(const struct window *w, uint64_t offset,
				const struct read_pair *data, uint64_t word)
{
	uint64_t from;

	if (word < offset || word + 8 > offset + data->len ||
	    get_be64(data->expected + (word - offset)) != word)
		return 0;
	from = get_be64(data->got + (word - offset));
	return from % 8 || from >= w->attr.size || from == word ? 0 : from;
}

/* Uses the first wrong word if all of it is within the READ, otherwise the next. */
static bool read_explain_moved(struct read_job *job, const struct window *w,
			       const struct read_pair *data, uint64_t first)
{
	uint64_t word = first - first % 8, from;

	from = read_moved_from(w, job->c.offset, data, word);
	if (!from) {
		word += 8;
		from = read_moved_from(w, job->c.offset, data, word);
	}
	if (!from)
		return false;
	read_outcome_set(&job->outcome, READ_DATA, "at offset %llu the data of offset %llu",
			 (unsigned long long)first, (unsigned long long)(first + from - word));
	return true;
}

/* Up to 8 bytes, for printing. */
static unsigned long long read_hex_number(const uint8_t *bytes, uint32_t n)
{
	unsigned long long value = 0;

	while (n--)
		value = value << 8 | *bytes++;
	return value;
}

/* Describes their first difference, at byte @at. */
static void read_explain_data(struct read_job *job, const struct window *w,
			      const struct read_pair *data, uint32_t at)
{
	static const uint8_t zeros[8];
	const uint8_t *got = data->got + at, *expected = data->expected + at;
	uint64_t first = job->c.offset + at;
	uint32_t n = min_u32(data->len - at, sizeof(zeros));

	damage_count(&job->outcome.damage, job->c.offset, data->got, data->expected, data->len);
	whence_keep(&job->outcome, data->got, at, data->len);
	if (damage_kind(&job->outcome.damage) == DAMAGE_BIT)
		read_outcome_set(&job->outcome, READ_DATA,
				 "at offset %llu one bit is wrong: %02x, expected %02x",
				 (unsigned long long)first, *got, *expected);
	else if (!memcmp(got, zeros, n))
		read_outcome_set(&job->outcome, READ_DATA, "at offset %llu zeros",
				 (unsigned long long)first);
	else if (!read_explain_moved(job, w, data, first))
		read_outcome_set(&job->outcome, READ_DATA, "at offset %llu %0*llx, expected %0*llx",
				 (unsigned long long)first, (int)n * 2, read_hex_number(got, n),
				 (int)n * 2, read_hex_number(expected, n));
}

/* The file's bytes at this offset, as far as the window has them. */
static uint32_t read_expected_bytes(const struct window *w, const struct read_case *c,
				    const uint8_t **bytes)
{
	*bytes = w->bytes;
	if (c->offset < w->base || c->offset >= w->base + w->len)
		return 0;
	*bytes = w->bytes + (c->offset - w->base);
	return (uint32_t)min_u64(c->count, w->base + w->len - c->offset);
}

/* One byte may equal the prefill by chance. */
#define UNWRITTEN_MIN 2

/* Length of the prefill from @at on, within the first @len bytes: checks 8 of them. */
static uint32_t read_unwritten(const struct area *a, uint32_t at, uint32_t len)
{
	uint32_t n = 0;

	while (n < min_u32(len - at, 8) && area_is_prefill(a, at + n))
		n++;
	return n;
}

/* All bytes but those after the last whole XDR word were written. */
static bool read_explain_tail(struct read_job *job, uint32_t at, uint32_t len)
{
	uint32_t tail = len % 4, from = len - tail;

	if (!tail || at < from || read_unwritten(&job->area, from, len) < tail)
		return false;
	read_outcome_set(&job->outcome, tail < UNWRITTEN_MIN ? READ_DATA : READ_STALE,
			 from ? "the last %u of %u bytes are not written"
			      : "%u of %u bytes were not written",
			 tail, len);
	job->outcome.sign = SIGN_TAIL;
	return true;
}

/* RDMA Writes of a connection arrive in order with its Sends, so data that appears later was
 * written after the reply. If this is checked too late, the memory is no longer ours: software
 * iWARP detects that (session.c). */
static bool read_comes_late(struct probe *p, struct read_job *job, const uint8_t *expected,
			    uint32_t len)
{
	/* Where calls take long, so may what follows a reply; once shows it. */
	unsigned int slow = p->write_chunk.order_waits ? 0 : p->pace.slowest_ms;
	unsigned int wait = slow > ORDER_MS ? slow : ORDER_MS;
	uint64_t begin = now_ms(), end = deadline_min(p->deadline, deadline_in(wait));

	if (p->write_chunk.order_waits >= ORDER_WAITS_MAX)
		return false;
	while (p->session.conn && job->area.generation == p->session.generation &&
	       !rpcrdma_idle(p->session.conn, deadline_in(ORDER_STEP_MS))) {
		if (area_first_difference(&job->area, expected, len) < 0) {
			read_outcome_set(&job->outcome, READ_ORDER,
					 "the data arrived %llu ms after the reply",
					 (unsigned long long)(now_ms() - begin));
			return true;
		}
		if (!deadline_left(end))
			break;
	}
	p->write_chunk.order_waits++;
	return false;
}

static void read_check_placed(struct probe *p, struct read_job *job, const struct window *w,
			      const uint8_t *expected, uint32_t len)
{
	int64_t at = area_first_difference(&job->area, expected, len);
	_cleanup_free_ uint8_t *got = NULL;
	uint32_t n;
	bool tail;

	if (at < 0)
		return;
	if (area_is_prefill(&job->area, (size_t)at) && read_comes_late(p, job, expected, len))
		return;
	tail = read_explain_tail(job, (uint32_t)at, len);
	if (tail && job->outcome.kind == READ_STALE)
		return;
	n = read_unwritten(&job->area, (uint32_t)at, len);
	if (n >= UNWRITTEN_MIN && n == min_u32(len - (uint32_t)at, 8)) {
		read_outcome_set(&job->outcome, READ_STALE,
				 "nothing is written from byte %lld of %u", (long long)at,
				 job->c.count);
		return;
	}
	got = malloc(len);
	if (!got) {
		read_outcome_set(&job->outcome, READ_DATA, "wrong from offset %llu",
				 (unsigned long long)(job->c.offset + (uint64_t)at));
		return;
	}
	area_copy(&job->area, got, len);
	/* One byte that may be the prefill, or wrong. */
	if (tail)
		damage_count(&job->outcome.damage, job->c.offset, got, expected, len);
	/* An adapter may have written meanwhile. */
	else if (got[at] != expected[at])
		read_explain_data(job, w, &(struct read_pair){ got, expected, len }, (uint32_t)at);
	else
		read_outcome_set(&job->outcome, READ_ORDER,
				 "at offset %llu the data changed after the reply",
				 (unsigned long long)(job->c.offset + (uint64_t)at));
}

/* Checks a Write chunk beyond the data: nothing may be written there, least of all the XDR pad
 * (RFC 8166 section 3.4.6.2). */
static void read_check_tail(struct read_job *job, uint32_t len)
{
	int64_t touched = area_first_touched(&job->area, len), last = touched;
	bool hurt = area_canaries_hurt(&job->area) > 0;
	uint32_t n;

	if (touched < 0 && !hurt)
		return;
	if (touched < 0 || hurt || area_first_touched(&job->area, xdr_pad4(len)) >= 0) {
		read_outcome_set(&job->outcome, READ_OUTSIDE,
				 "data written after the %u bytes read", len);
		return;
	}
	/* Up to the last changed byte: not every server that pads does so to a multiple of 4. */
	for (; touched >= 0; touched = area_first_touched(&job->area, (size_t)last + 1))
		last = touched;
	n = (uint32_t)(last + 1 - len);
	read_outcome_set(&job->outcome, READ_PAD, "%u pad byte%s written after %u byte%s", n,
			 n == 1 ? " was" : "s were", len, len == 1 ? "" : "s");
}

/* Compares count, eof and length with the file. Returns false if the data need not be compared
 * any more. */
static bool read_check_counts(struct read_job *job, const struct window *w, uint32_t have,
			      uint32_t rtmax)
{
	const struct nfs_result *res = &job->op.result;
	bool at_end = job->c.offset + res->read_count >= w->attr.size;
	uint32_t want = min_u32(have, rtmax);

	if (res->read_count != res->read.len)
		read_outcome_set(&job->outcome, READ_HEADER, "count says %u bytes, the opaque %u",
				 res->read_count, res->read.len);
	else if (res->read_count > job->c.count)
		read_outcome_set(&job->outcome, READ_HEADER, "%u bytes returned, %u requested",
				 res->read_count, job->c.count);
	else if (res->read_count < want && !(res->read.eof && at_end)) {
		read_outcome_set(&job->outcome, READ_SHORT, "%u bytes came, %u are there%s",
				 res->read_count, want, res->read.eof ? ", and eof is set" : "");
		job->outcome.sign = res->read.eof ? SIGN_EOF : SIGN_NONE;
	} else if (res->read_count > have) {
		read_outcome_set(&job->outcome, READ_DATA, "%u bytes came, the file has %u there",
				 res->read_count, have);
		job->outcome.sign = at_end ? SIGN_BEYOND_SIZE : SIGN_NONE;
	}
	return job->outcome.kind == READ_OK || job->outcome.kind == READ_SHORT;
}

/* Whether the data is in the chunk, not in the reply. */
static bool read_is_reduced(const struct read_job *job)
{
	return job->c.mechanism == MECH_WRITE_CHUNK && !job->op.data_inline;
}

/* Whether the data is the file's from @back bytes earlier. Zeros prove nothing. */
static bool read_is_shifted(struct read_job *job, const struct window *w, uint64_t back,
			    const uint8_t *expected, const struct nfs_data *data)
{
	const uint8_t *from;

	if (!back || (uint64_t)(expected - w->bytes) < back || !data->len)
		return false;
	from = expected - back;
	if (!from[0] && !memcmp(from, from + 1, data->len - 1))
		return false;
	return read_is_reduced(job) ? area_first_difference(&job->area, from, data->len) < 0
				    : !memcmp(data->bytes, from, data->len);
}

/* Looks for wrong data that one defect explains, see linux3.c. */
static void read_sign_data(struct read_job *job, const struct window *w, const uint8_t *expected,
			   const struct nfs_data *data)
{
	uint64_t back = job->c.offset % 4096;
	uint8_t head[8];

	put_be32(head, job->op.call.xid);
	put_be32(head + 4, 1); /* REPLY */
	if (!read_is_reduced(job) && data->len >= sizeof(head) &&
	    !memcmp(data->bytes, head, sizeof(head))) {
		read_outcome_set(&job->outcome, READ_DATA, "the data are the head of the reply");
		job->outcome.sign = SIGN_REPLY_HEAD;
	} else if (read_is_shifted(job, w, back, expected, data)) {
		read_outcome_set(&job->outcome, READ_DATA,
				 "at offset %llu the data of offset %llu, the start of the page",
				 (unsigned long long)job->c.offset,
				 (unsigned long long)(job->c.offset - back));
		job->outcome.sign = SIGN_PAGE_START;
	}
}

static void read_check_data(struct probe *p, struct read_job *job, const struct window *w)
{
	const struct rpcrdma_header *h = &job->op.call.header;
	const struct nfs_data *data = &job->op.result.read;
	bool reduced = read_is_reduced(job);
	const uint8_t *expected;
	uint32_t at = 0, have = read_expected_bytes(w, &job->c, &expected);
	struct read_outcome counts;

	if (!read_check_counts(job, w, have, p->limits.rtmax))
		return;
	counts = job->outcome;
	if (reduced) {
		read_check_placed(p, job, w, expected, data->len);
		if (job->outcome.kind == READ_OK)
			read_check_tail(job, data->len);
		if (job->outcome.kind == READ_OK)
			read_check_returned(job, &h->write[0], h->write_count == 1, data->len);
	} else {
		while (at < data->len && data->bytes[at] == expected[at])
			at++;
		if (at < data->len)
			read_explain_data(job, w,
					  &(struct read_pair){ data->bytes, expected, data->len },
					  at);
	}
	if (job->outcome.kind == READ_DATA && !job->outcome.sign)
		read_sign_data(job, w, expected, data);
	if (job->outcome.kind == READ_OK)
		job->outcome = counts;
}

/* The first attribute that differs; NULL: none. Reading may change atime and the space used. */
static const char *read_attr_difference(const struct nfs_attr *a, const struct nfs_attr *b)
{
	const struct {
		const char *name;
		bool same;
	} parts[] = {
		{ "type", a->type == b->type },
		{ "mode", a->mode == b->mode },
		{ "number of links", a->nlink == b->nlink },
		{ "owner", a->uid == b->uid },
		{ "group", a->gid == b->gid },
		{ "size", a->size == b->size },
		{ "fsid", a->fsid == b->fsid },
		{ "fileid", a->fileid == b->fileid },
		{ "mtime", nfs_same_time(&a->mtime, &b->mtime) },
		{ "ctime", nfs_same_time(&a->ctime, &b->ctime) },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(parts); i++)
		if (!parts[i].same)
			return parts[i].name;
	return NULL;
}

/* The window has the attributes of a plain GETATTR. */
static void read_check_getattr(struct read_job *job, const struct window *w)
{
	const struct nfs_result *res = &job->op.result;
	const char *name = read_attr_difference(&res->attr, &w->attr);

	if (!res->has_attr)
		read_outcome_set(&job->outcome, READ_FOLLOWING,
				 "no attributes returned after the READ");
	else if (name)
		read_outcome_set(&job->outcome, READ_FOLLOWING,
				 "the %s after the READ differs from GETATTR alone", name);
}

/* The second READ's data is in the reply, whichever chunk the first had. */
static void read_check_second(struct read_job *job, const struct window *w, uint32_t rtmax)
{
	const struct read_case second = { .offset = job->c.offset2, .count = job->c.count2 };
	const struct nfs_data *data = &job->op.result.read2;
	const uint8_t *expected;
	uint32_t want = min_u32(read_expected_bytes(w, &second, &expected), rtmax);

	if (data->len != want)
		read_outcome_set(&job->outcome, READ_FOLLOWING,
				 "the second READ returned %u bytes of %u", data->len, want);
	else if (want && memcmp(data->bytes, expected, want))
		read_outcome_set(&job->outcome, READ_FOLLOWING,
				 "the second READ returned wrong data");
}

static void read_check_result(struct probe *p, struct read_job *job, const struct window *w)
{
	struct read_outcome *o = &job->outcome;
	uint32_t status = job->op.result.status;

	o->status = status;
	if (client41_forgotten(p, &job->op)) {
		read_outcome_set(o, READ_LATER, "%s", p->version->status_text(status));
		return;
	}
	if (status) {
		read_outcome_set(o, nfs_status_is_later(status) ? READ_LATER : READ_STATUS, "%s",
				 p->version->status_text(status));
		return;
	}
	o->brought = job->op.result.read_count;
	read_check_data(p, job, w);
	if (read_kind_is_right(o->kind))
		beside_note(&p->beside, &job->c, w, &job->op.result);
	if (o->kind == READ_OK && job->c.followed_by == FOLLOWED_BY_GETATTR)
		read_check_getattr(job, w);
	if (o->kind == READ_OK && job->c.followed_by == FOLLOWED_BY_READ)
		read_check_second(job, w, p->limits.rtmax);
	if (o->kind == READ_OK && area_canaries_hurt(&job->area))
		read_outcome_set(o, READ_OUTSIDE, "data written outside the chunk");
	if (o->kind != READ_OK || !operation_left_chunk(&job->op))
		return;
	/* The data is correct and was in the reply. */
	if (area_first_touched(&job->area, 0) >= 0)
		read_outcome_set(o, READ_OUTSIDE, "data written into a chunk returned as unused");
	else
		read_outcome_set(o, READ_INLINE, "the data is inline");
}

void read_finish(struct probe *p, struct read_job *job, const struct window *w)
{
	operation_wait(p, &job->op, job->deadline, job->c.mechanism == MECH_WRITE_CHUNK);
	switch (job->op.stage) {
	case OPERATION_CALL: read_call_failed(job); break;
	case OPERATION_RPC: read_outcome_set(&job->outcome, READ_RPC, "%s", err_text()); break;
	case OPERATION_RESULTS:
		read_outcome_set(&job->outcome, READ_HEADER, "%s", err_text());
		break;
	case OPERATION_DONE: read_check_result(p, job, w); break;
	}
	if (job->op.withheld)
		read_outcome_set(&job->outcome, READ_WITHHELD, "%s", job->op.call.text);
	if (job->outcome.kind == READ_LOST && !deadline_left(p->deadline))
		read_outcome_set(&job->outcome, READ_NOT_RUN, "the time ran out");
	session_release(&p->session, &job->area);
	operation_fini(p, &job->op);
	area_fini(&job->area);
}

void read_once(struct probe *p, const struct window *w, const struct read_case *c,
	       struct read_outcome *outcome)
{
	_cleanup_free_ struct read_job *job = calloc(1, sizeof(*job));

	if (!job) {
		read_outcome_set(outcome, READ_NOT_RUN, "no memory");
		return;
	}
	read_start(p, job, w, c);
	read_finish(p, job, w);
	*outcome = job->outcome;
}

void read_compare(struct probe *p, const struct window *w, const struct read_case *c,
		  const struct nfs_result *result, struct read_outcome *outcome)
{
	_cleanup_free_ struct read_job *job = calloc(1, sizeof(*job));

	if (!job) {
		read_outcome_set(outcome, READ_NOT_RUN, "no memory");
		return;
	}
	job->c = *c;
	job->c.mechanism = MECH_INLINE;
	job->op.result = *result;
	read_check_result(p, job, w);
	*outcome = job->outcome;
}

bool read_again(struct probe *p, const struct read_outcome *outcome, struct retries *retries)
{
	if (outcome->kind != READ_LATER)
		return false;
	if (!nfs_status_is_later(outcome->status))
		return retries->sessions++ < SESSIONS_MAX;
	return session_later(p, outcome->status, retries);
}
