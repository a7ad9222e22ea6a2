/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The RPC-over-RDMA version 1 transport header, RFC 8166 section 4, encoder and decoder. Decoding
 * checks only the format; the caller, who knows the request, checks whether a Read position is
 * aligned, a returned chunk matches the offered one, or a credit is zero. */
#include <assert.h>

#include "rpcrdma/wire/wire.h"

#define SEGMENT_LEN 16 /* handle, length, offset */

/* Building */

void header_init(struct rpcrdma_header *h, uint32_t xid, uint32_t credit, uint32_t proc)
{
	h->rdma_xid = xid;
	h->rdma_vers = RPCRDMA_VERSION;
	h->rdma_credit = credit;
	h->rdma_proc = proc;
	h->rdma_err = 0;
	h->rdma_vers_low = 0;
	h->rdma_vers_high = 0;
	/* Array elements beyond these counts are never read. */
	h->read_count = 0;
	h->write_count = 0;
	h->has_reply = false;
	h->reply = (struct rpcrdma_chunk){ 0 };
	h->segment_count = 0;
}

void header_copy(struct rpcrdma_header *to, const struct rpcrdma_header *from)
{
	memcpy(to, from, offsetof(struct rpcrdma_header, read_position));
	memcpy(to->read_position, from->read_position,
	       from->read_count * sizeof(from->read_position[0]));
	memcpy(to->segments, from->segments, from->segment_count * sizeof(from->segments[0]));
}

static int header_too_many_segments(void)
{
	return err_set(E2BIG, "chunk lists have over %u segments", RPCRDMA_MAX_SEGMENTS);
}

static int header_too_many_chunks(void)
{
	return err_set(E2BIG, "write list has over %u chunks", RPCRDMA_MAX_CHUNKS);
}

int header_add_read(struct rpcrdma_header *h, uint32_t position,
		    const struct rpcrdma_segment *segment)
{
	assert(!h->write_count && !h->has_reply);
	if (h->segment_count == RPCRDMA_MAX_SEGMENTS)
		return header_too_many_segments();
	h->read_position[h->read_count++] = position;
	h->segments[h->segment_count++] = *segment;
	return 0;
}

static int header_add_chunk(struct rpcrdma_header *h, struct rpcrdma_chunk *chunk,
			    const struct rpcrdma_segment *segments, uint32_t count)
{
	if (count > RPCRDMA_MAX_SEGMENTS - h->segment_count)
		return header_too_many_segments();
	chunk->first = h->segment_count;
	chunk->count = count;
	if (count)
		memcpy(&h->segments[chunk->first], segments, count * sizeof(*segments));
	h->segment_count += count;
	return 0;
}

int header_add_write(struct rpcrdma_header *h, const struct rpcrdma_segment *segments,
		     uint32_t count)
{
	int rc;

	assert(!h->has_reply);
	if (h->write_count == RPCRDMA_MAX_CHUNKS)
		return header_too_many_chunks();
	rc = header_add_chunk(h, &h->write[h->write_count], segments, count);
	if (!rc)
		h->write_count++;
	return rc;
}

int header_set_reply(struct rpcrdma_header *h, const struct rpcrdma_segment *segments,
		     uint32_t count)
{
	int rc;

	assert(!h->has_reply);
	rc = header_add_chunk(h, &h->reply, segments, count);
	if (!rc)
		h->has_reply = true;
	return rc;
}

uint64_t header_chunk_length(const struct rpcrdma_header *h, const struct rpcrdma_chunk *chunk)
{
	uint64_t sum = 0;
	uint32_t i;

	for (i = 0; i < chunk->count; i++)
		sum += h->segments[chunk->first + i].length;
	return sum;
}

/* Encoding */

static void header_encode_segment(struct writer *w, const struct rpcrdma_segment *segment)
{
	writer_u32(w, segment->handle);
	writer_u32(w, segment->length);
	writer_u64(w, segment->offset);
}

static void header_encode_chunk(struct writer *w, const struct rpcrdma_header *h,
				const struct rpcrdma_chunk *chunk)
{
	uint32_t i;

	writer_bool(w, true);
	writer_u32(w, chunk->count);
	for (i = 0; i < chunk->count; i++)
		header_encode_segment(w, &h->segments[chunk->first + i]);
}

static void header_encode_lists(struct writer *w, const struct rpcrdma_header *h)
{
	uint32_t i;

	for (i = 0; i < h->read_count; i++) {
		writer_bool(w, true);
		writer_u32(w, h->read_position[i]);
		header_encode_segment(w, &h->segments[i]);
	}
	writer_bool(w, false);
	for (i = 0; i < h->write_count; i++)
		header_encode_chunk(w, h, &h->write[i]);
	writer_bool(w, false);
	if (h->has_reply)
		header_encode_chunk(w, h, &h->reply);
	else
		writer_bool(w, false);
}

int header_encode(struct writer *w, const struct rpcrdma_header *h)
{
	size_t start = w->len;

	writer_u32(w, h->rdma_xid);
	writer_u32(w, h->rdma_vers);
	writer_u32(w, h->rdma_credit);
	writer_u32(w, h->rdma_proc);
	if (h->rdma_proc != RDMA_ERROR) {
		header_encode_lists(w, h);
	} else {
		writer_u32(w, h->rdma_err);
		if (h->rdma_err == ERR_VERS) {
			writer_u32(w, h->rdma_vers_low);
			writer_u32(w, h->rdma_vers_high);
		}
	}
	if (!w->bad)
		return 0;
	w->len = start;
	return err_set(ENOBUFS, "RPC-over-RDMA header does not fit %zu bytes", w->cap - start);
}

/* Decoding */

static int header_bad(const char *what)
{
	return err_set(EBADMSG, "RPC-over-RDMA header: %s", what);
}

static void header_decode_segment(struct reader *r, struct rpcrdma_segment *segment)
{
	segment->handle = reader_u32(r);
	segment->length = reader_u32(r);
	segment->offset = reader_u64(r);
}

static int header_decode_chunk(struct rpcrdma_header *h, struct reader *r,
			       struct rpcrdma_chunk *chunk)
{
	uint32_t count = reader_u32(r);
	uint32_t i;

	/* By division: count * 16 of a hostile count would wrap. */
	if (r->bad || count > reader_left(r) / SEGMENT_LEN)
		return header_bad("chunk runs past the end");
	if (count > RPCRDMA_MAX_SEGMENTS - h->segment_count)
		return header_too_many_segments();
	chunk->first = h->segment_count;
	chunk->count = count;
	for (i = 0; i < count; i++)
		header_decode_segment(r, &h->segments[h->segment_count++]);
	return 0;
}

static int header_decode_lists(struct rpcrdma_header *h, struct reader *r)
{
	int rc;

	while (reader_bool(r)) {
		if (h->segment_count == RPCRDMA_MAX_SEGMENTS)
			return header_too_many_segments();
		h->read_position[h->read_count++] = reader_u32(r);
		header_decode_segment(r, &h->segments[h->segment_count++]);
	}
	if (r->bad)
		return header_bad("read list runs past the end");
	while (reader_bool(r)) {
		if (h->write_count == RPCRDMA_MAX_CHUNKS)
			return header_too_many_chunks();
		rc = header_decode_chunk(h, r, &h->write[h->write_count]);
		if (rc)
			return rc;
		h->write_count++;
	}
	if (r->bad)
		return header_bad("write list runs past the end");
	h->has_reply = reader_bool(r);
	if (r->bad)
		return header_bad("reply chunk is missing");
	rc = h->has_reply ? header_decode_chunk(h, r, &h->reply) : 0;
	if (rc)
		return rc;
	/* Section 4.5.2: without a chunk there is no place for the message. */
	if (h->rdma_proc == RDMA_NOMSG && !h->read_count && !h->write_count && !h->has_reply)
		return header_bad("RDMA_NOMSG without chunks");
	return 0;
}

static int header_decode_body(struct rpcrdma_header *h, struct reader *r)
{
	if (h->rdma_proc == RDMA_ERROR) {
		h->rdma_err = reader_u32(r);
		if (h->rdma_err == ERR_VERS) {
			h->rdma_vers_low = reader_u32(r);
			h->rdma_vers_high = reader_u32(r);
		} else if (h->rdma_err != ERR_CHUNK) {
			return header_bad("RDMA_ERROR of an unknown kind");
		}
		return r->bad ? header_bad("RDMA_ERROR is cut") : 0;
	}
	if (h->rdma_vers != RPCRDMA_VERSION)
		return err_set(EPROTONOSUPPORT, "RPC-over-RDMA version %u", h->rdma_vers);
	if (h->rdma_proc != RDMA_MSG && h->rdma_proc != RDMA_NOMSG)
		return err_set(EBADMSG, "RPC-over-RDMA header: rdma_proc is %u", h->rdma_proc);
	return header_decode_lists(h, r);
}

int header_decode(struct rpcrdma_header *h, struct reader *r)
{
	size_t len = reader_left(r);
	int rc;

	header_init(h, reader_u32(r), 0, 0);
	h->rdma_vers = reader_u32(r);
	h->rdma_credit = reader_u32(r);
	h->rdma_proc = reader_u32(r);
	/* An ERR_CHUNK is shorter than the 28 bytes that section 4.5 requires of other
	 * headers. */
	if (len < RPCRDMA_ERR_CHUNK_LEN || (len < RPCRDMA_HEADER_MIN && h->rdma_proc != RDMA_ERROR))
		return err_set(EMSGSIZE, "RPC-over-RDMA header of %zu bytes", len);
	rc = header_decode_body(h, r);
	/* Clear the counts, so that callers do not use an incomplete list. */
	if (rc) {
		h->read_count = h->write_count = h->segment_count = 0;
		h->has_reply = false;
	}
	return rc;
}
