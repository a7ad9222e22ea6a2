/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* WRITEs, by the way in which the server gets their data: in the Send, by Read chunk, in a long
 * call, or by a Read chunk of a long call (RFC 8166 sections 3.4.5 and 3.5.3). Each is read back over
 * RDMA with what is around it; a READ that differs is compared with the reference, because READs
 * have findings of their own. */
#include <stdarg.h>
#include <stdio.h>

#include "rpcrdma/probe/write-internal.h"

#define AROUND 4096u
/* Nothing is written from there on. */
#define WRITE_END ((uint64_t)5 << 30)
/* Header and credential of a call, besides its arguments. */
#define CALL_HEAD 512u

const char *write_mechanism_name(enum write_mechanism mechanism)
{
	static const char *const names[WRITE_MECHANISMS] = {
		[WRITE_INLINE] = "inline",
		[WRITE_READ_CHUNK] = "Read chunk",
		[WRITE_LONG_CALL] = "long call",
		[WRITE_LONG_CHUNK] = "Read chunk of a long call",
	};

	return names[mechanism];
}

void write_case_text(const struct write_case *c, char *out, size_t len)
{
	char pieces[40] = "";

	if (c->pieces > 1)
		snprintf(pieces, sizeof(pieces), " of %u segments", c->pieces);
	snprintf(out, len, "WRITE of %u byte%s at offset %llu by %s%s", c->count,
		 c->count == 1 ? "" : "s", (unsigned long long)c->offset,
		 write_mechanism_name(c->mechanism), pieces);
}

bool write_kind_is_failure(enum write_kind kind)
{
	return kind > WRITE_REFUSED;
}

const char *write_outcome_reason(const struct write_outcome *o)
{
	static const char *const reasons[WRITE_KINDS] = {
		[WRITE_SHORT] = "short",      [WRITE_STATUS] = "status",
		[WRITE_RPC] = "rpc-error",    [WRITE_ERROR] = "rdma-error",
		[WRITE_HEADER] = "malformed", [WRITE_COUNT] = "count",
		[WRITE_CLOSED] = "closed",    [WRITE_TRANSPORT] = "closed",
		[WRITE_SIZE] = "size",        [WRITE_UNANSWERED] = "no-reply",
	};

	return o->kind == WRITE_DATA ? write_damage_reason(o->damage) : reasons[o->kind];
}

static void outcome_set(struct write_outcome *o, enum write_kind kind, const char *fmt, ...)
	PRINTF_LIKE(3, 4);

static void outcome_set(struct write_outcome *o, enum write_kind kind, const char *fmt, ...)
{
	va_list ap;

	o->kind = kind;
	va_start(ap, fmt);
	vsnprintf(o->text, sizeof(o->text), fmt, ap);
	va_end(ap);
}

static struct write_image *image_of(struct writes *ws, uint64_t offset, uint32_t count)
{
	struct write_image *image;
	unsigned int i;

	for (i = 0; i < WRITE_IMAGES; i++) {
		image = &ws->images[i];
		if (offset >= image->base && offset + count <= image->base + image->len)
			return image;
	}
	return NULL;
}

bool write_fits(struct writes *ws, const struct write_case *c)
{
	const struct probe *p = ws->p;

	if (c->count > ws->wtmax || !image_of(ws, c->offset, c->count))
		return false;
	if (c->mechanism == WRITE_INLINE)
		return p->session.conn &&
		       c->count + CALL_HEAD <= rpcrdma_call_inline(p->session.conn);
	return true;
}

/* One WRITE */

struct write_job {
	struct write_case c;
	struct operation op;
	struct area area;
	uint8_t *data;
	uint32_t generation;
	uint32_t stored; /* bytes, by its reply */
	uint64_t deadline;
};

/* Copies the data to the segments of its Read chunk, of unequal odd lengths. */
static int job_cut(struct write_job *job)
{
	unsigned int pieces = job->c.pieces > 1 ? job->c.pieces : 1, i;
	uint32_t lengths[AREA_SEGMENTS], each, done = 0;
	int rc;

	if (pieces > AREA_SEGMENTS || job->c.count < 8 * pieces)
		pieces = 1;
	each = job->c.count / pieces;
	for (i = 0; i < pieces; i++) {
		lengths[i] = i + 1 == pieces ? job->c.count - done
					     : each - each / 3 * (i % 2) + (each % 2 ? 0 : 1);
		done += lengths[i];
	}
	rc = area_init(&job->area, lengths, pieces);
	for (i = 0, done = 0; i < pieces && !rc; done += lengths[i++])
		memcpy(job->area.segs[i].base, job->data + done, lengths[i]);
	return rc;
}

/* Its bytes may be stored, now or later. */
static void write_leave_open(struct writes *ws, const struct write_case *c, uint32_t generation)
{
	if (ws->nopens == WRITE_OPENS)
		ws->lost = true;
	else
		ws->opens[ws->nopens++] = (struct write_open){ c->offset, c->count, generation };
}

static int job_start(struct writes *ws, struct write_job *job, const struct write_case *c)
{
	struct probe *p = ws->p;
	struct operation *op = &job->op;
	int rc;

	job->c = *c;
	operation_init(op, NFS_OP_WRITE, &ws->file.fh);
	op->request.offset = c->offset;
	op->request.count = c->count;
	op->request.stable = c->stable;
	job->data = malloc(c->count ? c->count : 1);
	if (!job->data)
		return err_no_memory();
	job->generation = c->zeros ? 0 : ++ws->generation;
	if (c->zeros)
		memset(job->data, 0, c->count);
	else
		write_content(job->data, c->offset, c->count, job->generation, ws->key);
	op->call.data = job->data;
	op->call.data_len = c->count;
	op->call.call_by_chunk = c->mechanism == WRITE_LONG_CALL ||
				 c->mechanism == WRITE_LONG_CHUNK;
	rc = client41_ready(p);
	if (!rc)
		rc = session_ready(p);
	if (!rc && (c->mechanism == WRITE_READ_CHUNK || c->mechanism == WRITE_LONG_CHUNK)) {
		rc = job_cut(job);
		if (!rc)
			rc = session_register_source(&p->session, &job->area);
		op->call.read = job->area.segs;
		op->call.read_count = job->area.nsegs;
	}
	job->deadline = session_call_deadline(p, c->count);
	if (!rc) {
		ws->bytes += c->count;
		operation_start(p, op, job->deadline);
		return 0;
	}
	op->call.rc = rc;
	str_copy(op->call.text, sizeof(op->call.text), err_text());
	return rc;
}

static void job_fini(struct writes *ws, struct write_job *job)
{
	session_release(&ws->p->session, &job->area);
	operation_fini(ws->p, &job->op);
	area_fini(&job->area);
	free(job->data);
}

/* No reply, or one that cannot be read. */
static void job_take_call(struct writes *ws, struct write_job *job, struct write_outcome *o)
{
	static const struct {
		int rc;
		enum write_kind kind;
	} rows[] = {
		{ -ETIMEDOUT, WRITE_UNANSWERED }, { -ECONNRESET, WRITE_CLOSED },
		{ -EPROTO, WRITE_TRANSPORT },     { -EREMOTEIO, WRITE_TRANSPORT },
		{ -EBADE, WRITE_ERROR },          { -EBADMSG, WRITE_HEADER },
		{ -EILSEQ, WRITE_HEADER },
	};
	size_t i;

	outcome_set(o, WRITE_NOT_RUN, "%s", job->op.call.text);
	for (i = 0; job->op.started && i < ARRAY_SIZE(rows); i++)
		if (job->op.call.rc == rows[i].rc)
			o->kind = rows[i].kind;
	if (o->kind == WRITE_UNANSWERED && !deadline_left(ws->p->deadline))
		outcome_set(o, WRITE_NOT_RUN, "the time ran out");
}

/* Somebody else removed the file. */
static bool status_is_stale(uint32_t status)
{
	return status == NFS4ERR_STALE || status == NFS4ERR_FHEXPIRED;
}

static bool status_is_refusal(uint32_t status)
{
	return status == NFS4ERR_NOSPC || status == NFS4ERR_DQUOT || status == NFS4ERR_ROFS ||
	       status == NFS4ERR_ACCESS || status == NFS4ERR_PERM || nfs_status_is_later(status);
}

static void job_take_result(struct writes *ws, struct write_job *job, struct write_outcome *o)
{
	const struct nfs_result *res = &job->op.result;

	o->status = res->status;
	ws->lost |= status_is_stale(res->status);
	if (ws->lost || client41_forgotten(ws->p, &job->op)) {
		outcome_set(o, WRITE_NOT_RUN, "%s", ws->p->version->status_text(res->status));
		return;
	}
	if (res->status) {
		outcome_set(o, status_is_refusal(res->status) ? WRITE_REFUSED : WRITE_STATUS, "%s",
			    ws->p->version->status_text(res->status));
		return;
	}
	if (!res->written || res->written > job->c.count)
		outcome_set(o, WRITE_COUNT, "%u bytes written, says the reply to %u", res->written,
			    job->c.count);
	else if (res->committed > NFS_FILE_SYNC || res->committed < job->c.stable)
		outcome_set(o, WRITE_COUNT, "committed is %u, asked for %u", res->committed,
			    job->c.stable);
	else if (res->written < job->c.count)
		outcome_set(o, WRITE_SHORT, "only %u of %u bytes were written", res->written,
			    job->c.count);
	job->stored = min_u32(res->written, job->c.count);
	if (o->kind > WRITE_SHORT || res->committed != NFS_UNSTABLE)
		return;
	ws->verifier_changed |= ws->has_verifier &&
				memcmp(ws->verifier, res->verifier, sizeof(ws->verifier)) != 0;
	memcpy(ws->verifier, res->verifier, sizeof(ws->verifier));
	ws->has_verifier = true;
	ws->unstable++;
}

static void job_finish(struct writes *ws, struct write_job *job, struct write_outcome *o)
{
	unsigned int i;

	*o = (struct write_outcome){ .kind = WRITE_RIGHT };
	operation_wait(ws->p, &job->op, job->deadline, false);
	switch (job->op.stage) {
	case OPERATION_CALL: job_take_call(ws, job, o); break;
	case OPERATION_RPC: outcome_set(o, WRITE_RPC, "%s", err_text()); break;
	case OPERATION_RESULTS: outcome_set(o, WRITE_HEADER, "%s", err_text()); break;
	case OPERATION_DONE: job_take_result(ws, job, o); break;
	}
	/* The client may use the memory again: a server that reads it now stores something else. */
	if (job->op.stage != OPERATION_CALL)
		for (i = 0; i < job->area.nsegs; i++)
			memset(job->area.segs[i].base, WRITE_AFTER, job->area.segs[i].length);
	if (job->op.started && !job->op.withheld && job->op.stage != OPERATION_DONE)
		write_leave_open(ws, &job->c, job->generation);
	if (job->op.withheld)
		outcome_set(o, WRITE_NOT_RUN, "%s", job->op.call.text);
}

/* What is stored */

/* The part of the image around a range, up to the file's end. */
static void window_around(const struct writes *ws, const struct write_image *image,
			  const struct write_case *c, uint64_t *from, uint64_t *end)
{
	*from = c->offset > image->base + AROUND ? c->offset - AROUND : image->base;
	*end = min_u64(min_u64(c->offset + c->count + AROUND, image->base + image->len), ws->size);
	if (*end < *from)
		*end = *from;
}

/* By Write chunk: whether it is as the image says. */
static bool stored_by_rdma(struct writes *ws, const struct write_image *image, uint64_t from,
			   uint64_t end)
{
	struct window w = { .file = &ws->file,
			    .attr = ws->file.attr,
			    .base = image->base,
			    .len = (uint32_t)min_u64(image->len, ws->size - image->base),
			    .bytes = image->bytes };
	struct read_case c = { .mechanism = MECH_WRITE_CHUNK,
			       .layout = LAYOUT_ROUNDED,
			       .offset = from };
	struct read_outcome o;

	w.attr.size = ws->size;
	for (; c.offset < end; c.offset += c.count) {
		c.count = (uint32_t)min_u64(end - c.offset, ws->p->limits.rtmax);
		read_once(ws->p, &w, &c, &o);
		if (!read_kind_is_right(o.kind))
			return false;
	}
	return true;
}

static void stored_debug(const struct write_view *v)
{
	char got[40], want[40];
	uint32_t at = 0, last = v->len;

	while (at < v->len && v->got[at] == v->want[at])
		at++;
	while (last > at && v->got[last - 1] == v->want[last - 1])
		last--;
	hex_text(v->got + at, min_u32(v->len - at, 16), got, sizeof(got));
	hex_text(v->want + at, min_u32(v->len - at, 16), want, sizeof(want));
	debug(DEBUG_PROBE, "stored from %llu to %llu: %s, expected %s",
	      (unsigned long long)(v->base + at), (unsigned long long)(v->base + last), got, want);
}

/* After a restart only what is read back now is known. */
static void images_read_again(struct writes *ws)
{
	struct nfs_attr attr;
	unsigned int i;

	ws->has_verifier = ws->verifier_changed = false;
	ws->lost |= operation_getattr(ws->p, &ws->file.fh, &attr) != 0;
	if (ws->lost)
		return;
	ws->size = attr.size;
	for (i = 0; i < WRITE_IMAGES && !ws->lost; i++) {
		struct write_image *image = &ws->images[i];
		uint64_t end = min_u64(image->base + image->len, ws->size);

		if (image->len)
			memset(image->bytes, 0, image->len);
		if (end > image->base)
			ws->lost |= window_bytes(ws->p, &ws->file.fh, image->base,
						 (uint32_t)(end - image->base), image->bytes) != 0;
	}
}

bool write_server_restarted(struct writes *ws)
{
	uint8_t verifier[8];
	bool same = true;

	return ws->has_verifier && !write_commit(ws, verifier, &same) && !same;
}

/* Compares with the reference, and takes what it says. */
static void stored_by_reference(struct writes *ws, struct write_image *image,
				const struct write_case *c, uint32_t generation,
				const uint8_t *before, uint64_t from, uint64_t end,
				struct write_outcome *o)
{
	uint32_t len = (uint32_t)(end - from);
	_cleanup_free_ uint8_t *got = malloc(len + 1);
	struct write_view v = { .want = image->bytes + (from - image->base),
				.before = before,
				.got = got,
				.base = from,
				.len = len,
				.offset = c->offset,
				.count = (uint32_t)min_u64(c->count, end - c->offset),
				.generation = generation,
				.key = ws->key,
				.last = ws->generation,
				.words = (WRITE_END / 8) };
	char text[200];
	unsigned int i;

	if (!got || window_bytes(ws->p, &ws->file.fh, from, len, got)) {
		ws->lost = true;
		if (o->kind == WRITE_RIGHT)
			outcome_set(o, WRITE_NOT_RUN, "cannot be read back: %s", err_text());
		return;
	}
	for (i = 0; i < ws->nopens; i++)
		write_open_take(&ws->opens[i], ws->key, image->bytes + (from - image->base), got,
				from, len);
	if (!memcmp(got, v.want, len))
		return;
	if (write_server_restarted(ws)) {
		if (o->kind < WRITE_DATA)
			outcome_set(o, WRITE_RESTARTED, "the server restarted");
		return;
	}
	o->damage = write_damage_of(&v, text, sizeof(text));
	if (debug_mask & (1u << DEBUG_PROBE))
		stored_debug(&v);
	if (o->kind < WRITE_DATA)
		outcome_set(o, WRITE_DATA, "%s", text);
	memcpy(image->bytes + (from - image->base), got, len);
}

/* A WRITE whose outcome is not known may have made the file longer. */
static bool size_is_open(const struct writes *ws, uint64_t size)
{
	unsigned int i;

	for (i = 0; i < ws->nopens; i++)
		if (size > ws->size && size <= ws->opens[i].offset + ws->opens[i].count)
			return true;
	return false;
}

/* The size by GETATTR, which is then the file's. */
static void stored_size(struct writes *ws, const struct write_case *c, struct write_outcome *o)
{
	struct nfs_attr attr;

	if (operation_getattr(ws->p, &ws->file.fh, &attr)) {
		ws->lost = true;
		return;
	}
	if (attr.size != ws->size && o->kind == WRITE_RIGHT && write_server_restarted(ws)) {
		outcome_set(o, WRITE_RESTARTED, "the server restarted");
		return;
	}
	if (attr.size != ws->size && o->kind == WRITE_RIGHT && !size_is_open(ws, attr.size)) {
		outcome_set(o, WRITE_SIZE, "the file has %llu bytes, expected %llu",
			    (unsigned long long)attr.size, (unsigned long long)ws->size);
		/* The padding of the data that was at its end. */
		if (attr.size > ws->size && attr.size - ws->size < 4 &&
		    c->offset + c->count == ws->size) {
			o->kind = WRITE_DATA;
			o->damage = WRITE_PADDED;
		}
	}
	ws->size = attr.size;
}

/* @res: of a WRITE that was right so far. */
static bool size_is_right(const struct writes *ws, const struct nfs_result *res)
{
	return res->has_attr && res->attr.size == ws->size &&
	       res->attr.fileid == ws->file.attr.fileid;
}

static void job_check(struct writes *ws, struct write_job *job, struct write_image *image,
		      const uint8_t *before, struct write_outcome *o)
{
	const struct write_case *c = &job->c;
	const bool failed = o->kind != WRITE_RIGHT && o->kind != WRITE_SHORT;
	struct write_case stored = *c;
	uint64_t from, end;

	stored.count = job->stored;
	if (failed || !size_is_right(ws, &job->op.result))
		stored_size(ws, c, o);
	window_around(ws, image, c, &from, &end);
	if (ws->lost || o->kind == WRITE_RESTARTED || end <= c->offset)
		return;
	/* An unanswered WRITE may be stored, or not, or later: that is no damage. */
	if (failed) {
		if (window_bytes(ws->p, &ws->file.fh, from, (uint32_t)(end - from),
				 image->bytes + (from - image->base)))
			ws->lost = true;
		return;
	}
	if (!ws->p->write_chunk.failed && stored_by_rdma(ws, image, from, end))
		return;
	stored_by_reference(ws, image, &stored, job->generation, before, from, end, o);
}

static bool cases_overlap(const struct write_case *cases, unsigned int n)
{
	unsigned int i;

	for (i = 1; i < n; i++)
		if (cases[i].offset < cases[i - 1].offset + cases[i - 1].count)
			return true;
	return false;
}

void write_together(struct writes *ws, const struct write_case *cases, unsigned int n,
		    struct write_outcome *outcomes)
{
	_cleanup_free_ struct write_job *jobs = calloc(n, sizeof(*jobs));
	_cleanup_free_ uint8_t *before = NULL;
	struct write_image *image = image_of(ws, cases[0].offset, cases[0].count);
	uint64_t from, end, lowest = UINT64_MAX, highest = 0;
	unsigned int i, opens;

	for (i = 0; i < n; i++)
		outcome_set(&outcomes[i], WRITE_NOT_RUN, "no memory");
	if (!jobs || !image)
		return;
	for (i = 0; i < n; i++)
		job_start(ws, &jobs[i], &cases[i]);
	for (i = 0; i < n; i++)
		job_finish(ws, &jobs[i], &outcomes[i]);
	opens = ws->nopens;
	for (i = 0; i < n; i++) {
		lowest = min_u64(lowest, cases[i].offset);
		if (cases[i].offset + cases[i].count > highest)
			highest = cases[i].offset + cases[i].count;
	}
	lowest = lowest > image->base + AROUND ? lowest - AROUND : image->base;
	highest = min_u64(highest + AROUND, image->base + image->len);
	before = malloc(highest - lowest);
	if (before)
		memcpy(before, image->bytes + (lowest - image->base), highest - lowest);
	for (i = 0; i < n; i++)
		if (jobs[i].stored) {
			memcpy(image->bytes + (cases[i].offset - image->base), jobs[i].data,
			       jobs[i].stored);
			if (cases[i].offset + jobs[i].stored > ws->size)
				ws->size = cases[i].offset + jobs[i].stored;
		}
	for (i = 0; i < n && !before; i++)
		outcome_set(&outcomes[i], WRITE_NOT_RUN, "no memory");
	/* The server may have done them in any order. */
	for (i = 0; i < n && cases_overlap(cases, n); i++)
		write_leave_open(ws, &cases[i], jobs[i].generation);
	for (i = 0; i < n && !ws->lost; i++) {
		if (outcomes[i].kind == WRITE_REFUSED || outcomes[i].kind == WRITE_NOT_RUN)
			continue;
		window_around(ws, image, &cases[i], &from, &end);
		job_check(ws, &jobs[i], image, before + (from - lowest), &outcomes[i]);
	}
	ws->nopens = opens;
	for (i = 0; i < n; i++)
		job_fini(ws, &jobs[i]);
}

bool write_check_all(struct writes *ws, struct write_outcome *o)
{
	unsigned int i;

	*o = (struct write_outcome){ .kind = WRITE_RIGHT };
	for (i = 0; i < WRITE_IMAGES && !ws->lost; i++) {
		struct write_image *image = &ws->images[i];
		uint64_t end = min_u64(image->base + image->len, ws->size);
		const struct write_case c = { .offset = image->base,
					      .count = (uint32_t)(end - image->base) };

		/* READs of a few hundred bytes each would take long. */
		if (!ws->p->tcp.reference && stored_by_rdma(ws, image, image->base, end))
			continue;
		if (end > image->base)
			stored_by_reference(ws, image, &c, 0, image->bytes, image->base, end, o);
	}
	return o->kind == WRITE_RIGHT;
}

int write_commit(struct writes *ws, uint8_t verifier[8], bool *same)
{
	struct operation op;
	int rc;

	operation_init(&op, NFS_OP_COMMIT, &ws->file.fh);
	rc = operation_check(ws->p->version, &op, operation_run(ws->p, &op));
	if (!rc)
		memcpy(verifier, op.result.verifier, sizeof(op.result.verifier));
	operation_fini(ws->p, &op);
	*same = !ws->has_verifier ||
		(!rc && !ws->verifier_changed && !memcmp(verifier, ws->verifier, 8));
	if (!rc && !*same)
		images_read_again(ws);
	/* The rest is stable. */
	if (!rc)
		ws->has_verifier = ws->verifier_changed = false;
	return err_context(rc, "COMMIT");
}

enum over_tcp write_over_tcp(struct writes *ws, const struct write_case *c)
{
	struct write_image *image = image_of(ws, c->offset, c->count);
	const struct nfs_request request = { .op = NFS_OP_WRITE,
					     .fh = ws->file.fh,
					     .offset = c->offset,
					     .count = c->count,
					     .stable = c->stable };
	_cleanup_free_ uint8_t *data = malloc(c->count + 1), *before = NULL;
	struct write_outcome o = { .kind = WRITE_RIGHT };
	struct nfs_result res;
	uint64_t from, end;

	if (!data || !image || !ws->p->tcp.reference)
		return OVER_TCP_UNKNOWN;
	write_content(data, c->offset, c->count, ++ws->generation, ws->key);
	if (over_tcp_operation(ws->p, &request, data, &res)) {
		write_leave_open(ws, c, ws->generation);
		return OVER_TCP_UNKNOWN;
	}
	ws->lost |= status_is_stale(res.status);
	if (res.status)
		return ws->lost || status_is_refusal(res.status) ? OVER_TCP_UNKNOWN
								 : OVER_TCP_WRONG;
	if (c->offset + c->count > ws->size)
		ws->size = c->offset + c->count;
	window_around(ws, image, c, &from, &end);
	before = malloc(end - from + 1);
	if (!before)
		return OVER_TCP_UNKNOWN;
	memcpy(before, image->bytes + (from - image->base), end - from);
	memcpy(image->bytes + (c->offset - image->base), data, c->count);
	stored_by_reference(ws, image, c, ws->generation, before, from, end, &o);
	if (ws->lost || o.kind == WRITE_RESTARTED)
		return OVER_TCP_UNKNOWN;
	return o.kind == WRITE_RIGHT ? OVER_TCP_RIGHT : OVER_TCP_WRONG;
}
