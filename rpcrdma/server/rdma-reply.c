/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Replies over RDMA, RFC 8166 sections 3.4.6, 3.5 and 4.3.
 *
 * The data of the first READ or READLINK go to the first Write chunk, those of the second to the
 * second, and so on (RFC 8267 section 6), if there is one and it has segments (an empty chunk
 * asks for the item inline, section 4.3.2.3). The rest of the message goes to the Reply chunk if
 * the requester offered one that is large enough, as in Linux, else into the Send. Every chunk is
 * returned: with the lengths written, or unused with zeros. A reply that fits nowhere becomes
 * ERR_CHUNK.
 *
 * A reply is planned, changed by the faults, and then sent. The requester's memory is never
 * invalidated remotely: our private data have R=0. */
#include <unistd.h>

#include "rpcrdma/server/internal.h"

#define RPC_CALL_VERSION 2
#define EARLY_MS         4 /* between a reply and its data, for a fault */

static const uint8_t rdma_reply_zeros[4];

/* Planning */

/* Builds the reply's header for @request, with its chunks as offered. */
static int rdma_reply_copy_chunks(struct rdma_reply *reply, const struct rpcrdma_header *request)
{
	const struct rpcrdma_chunk *chunk;
	uint32_t i;
	int rc;

	header_init(&reply->header, request->rdma_xid, reply->session->credits, RDMA_MSG);
	for (i = 0; i < request->write_count; i++) {
		chunk = &request->write[i];
		rc = header_add_write(&reply->header, &request->segments[chunk->first],
				      chunk->count);
		if (rc)
			return rc;
	}
	chunk = &request->reply;
	return request->has_reply ? header_set_reply(&reply->header,
						     &request->segments[chunk->first], chunk->count)
				  : 0;
}

/* Size in bytes of the transport header of a reply to this request. */
static size_t rdma_reply_header_len(const struct rpcrdma_header *request)
{
	size_t len = RPCRDMA_HEADER_MIN;
	uint32_t i;

	for (i = 0; i < request->write_count; i++)
		len += 8 + 16 * (size_t)request->write[i].count;
	if (request->has_reply)
		len += 4 + 16 * (size_t)request->reply.count;
	return len;
}

size_t rdma_reply_room(const struct rdma_session *session, const struct rpcrdma_header *request,
		       size_t max)
{
	size_t header = rdma_reply_header_len(request);
	size_t room = header < session->reply_inline ? session->reply_inline - header : 0;

	if (request->has_reply) {
		uint64_t chunk = header_chunk_length(request, &request->reply);

		room = chunk > room ? (size_t)min_u64(chunk, max) : room;
	}
	return room;
}

/* Length of the message without the payloads that go by Write chunk. */
static size_t rdma_reply_message_len(const struct rdma_reply *reply)
{
	size_t len = reply->message_len;
	uint32_t i;

	for (i = 0; i < reply->payload_count; i++)
		if (!reply->payload[i].by_chunk)
			len += xdr_pad4(reply->payload[i].len);
	return len;
}

/* Decides where each part of the reply goes. Errors: -EMSGSIZE it does not fit. */
static int rdma_reply_plan(struct rdma_reply *reply)
{
	const struct rpcrdma_header *h = &reply->header;
	size_t inline_max = reply->session->reply_inline;
	size_t len;
	uint32_t i;

	for (i = 0; i < reply->payload_count; i++) {
		struct payload *p = &reply->payload[i];

		p->by_chunk = p->len && i < h->write_count && h->write[i].count;
		if (p->by_chunk && p->len > header_chunk_length(h, &h->write[i]))
			return -EMSGSIZE;
	}
	len = rdma_reply_message_len(reply);
	reply->message_by_chunk = h->has_reply && len <= header_chunk_length(h, &h->reply);
	if (rdma_reply_header_len(h) + (reply->message_by_chunk ? 0 : len) > inline_max)
		return -EMSGSIZE;
	return 0;
}

void rdma_reply_prefer_inline(struct rdma_reply *reply)
{
	if (rdma_reply_header_len(&reply->header) + rdma_reply_message_len(reply) <=
	    reply->session->reply_inline)
		reply->message_by_chunk = false;
}

bool rdma_reply_leave_chunk(struct rdma_reply *reply, uint32_t payload)
{
	struct payload *p = &reply->payload[payload];

	if (payload >= reply->payload_count || !p->by_chunk)
		return false;
	p->by_chunk = false;
	if (reply->message_by_chunk ||
	    rdma_reply_header_len(&reply->header) + rdma_reply_message_len(reply) >
		    reply->session->reply_inline)
		p->by_chunk = true;
	return !p->by_chunk;
}

void rdma_reply_refuse(struct rdma_reply *reply, enum rpcrdma_errcode err)
{
	struct rpcrdma_header *h = &reply->header;
	uint32_t vers = h->rdma_vers;

	header_init(h, h->rdma_xid, reply->session->credits, RDMA_ERROR);
	/* Section 4.5: the version of the request, even if not supported. */
	h->rdma_vers = vers;
	h->rdma_err = err;
	h->rdma_vers_low = RPCRDMA_VERSION;
	h->rdma_vers_high = RPCRDMA_VERSION;
	reply->message_len = 0;
	reply->payload_count = 0;
	reply->message_by_chunk = false;
}

/* Sending */

/* A position in a chunk, and whether writes update the header's lengths. */
struct rdma_chunk_cursor {
	struct rdma_reply *reply;
	const struct rpcrdma_chunk *chunk;
	struct rpcrdma_segment offered[RPCRDMA_MAX_SEGMENTS];
	uint32_t index; /* of the segment */
	uint32_t used;  /* of its bytes */
};

/* Marks the chunk as unused: lengths are zero until data are written. */
static void rdma_chunk_start(struct rdma_chunk_cursor *c, struct rdma_reply *reply,
			     const struct rpcrdma_chunk *chunk)
{
	uint32_t i;

	c->reply = reply;
	c->chunk = chunk;
	c->index = 0;
	c->used = 0;
	if (chunk->count)
		memcpy(c->offered, &reply->header.segments[chunk->first],
		       chunk->count * sizeof(c->offered[0]));
	for (i = 0; i < chunk->count; i++)
		reply->header.segments[chunk->first + i].length = 0;
}

/* Writes the next @len bytes of the chunk; @counted: they count in its lengths. */
static int rdma_chunk_write(struct rdma_chunk_cursor *c, const uint8_t *data, size_t len,
			    bool counted)
{
	struct transport *t = c->reply->session->t;
	const struct rpcrdma_segment *segment;
	uint32_t n;
	int rc;

	while (len) {
		while (c->index < c->chunk->count && c->used == c->offered[c->index].length) {
			c->index++;
			c->used = 0;
		}
		if (c->index == c->chunk->count)
			return 0; /* rdma_reply_plan() ensured that only padding reaches this */
		segment = &c->offered[c->index];
		n = (uint32_t)min_u64(len, segment->length - c->used);
		/* Beyond the end of the address space, which is the requester's error: nothing
		 * is written. */
		if (!c->reply->no_data && segment->offset + segment->length < segment->offset)
			return err_set(EPROTO, "a segment wraps around the address space");
		rc = c->reply->no_data
			     ? 0
			     : t->ops->write(t, data, n, segment->handle, segment->offset + c->used,
					     deadline_in(SERVER_STEP_MS));
		if (rc)
			return rc;
		if (counted)
			c->reply->header.segments[c->chunk->first + c->index].length += n;
		c->used += n;
		data += n;
		len -= n;
	}
	return 0;
}

/* Linux 3.x reads the words after the Write list as more segments: the end of the list, no Reply
 * chunk, xid, CALL; then the RPC version is a handle, the program a length, and version and
 * procedure are an offset. The bytes that do not fit in the chunk go there: padding, and
 * everything after the data in the reply. */
static int rdma_reply_spill(const struct rdma_chunk_cursor *c, const struct payload *p)
{
	const struct rdma_reply *reply = c->reply;
	uint64_t offset = (uint64_t)reply->vers << 32 | reply->proc;
	size_t all = xdr_pad4(p->len) + (reply->message_len - p->at), room = 0;
	struct transport *t = reply->session->t;
	uint32_t i;

	for (i = 0; i < c->chunk->count; i++)
		room += c->offered[i].length;
	if (all <= room)
		return 0;
	return t->ops->write(t, reply->message, all - room, RPC_CALL_VERSION, offset,
			     deadline_in(SERVER_STEP_MS));
}

/* The last byte of the chunk's memory, and the one behind it. */
static int rdma_reply_exceed(const struct rdma_chunk_cursor *c)
{
	const struct rpcrdma_segment *last = &c->offered[c->chunk->count - 1];
	struct transport *t = c->reply->session->t;

	return t->ops->write(t, rdma_reply_zeros, 2, last->handle, last->offset + last->length - 1,
			     deadline_in(SERVER_STEP_MS));
}

/* Handles one Write chunk: writes its payload, or leaves it unused. */
static int rdma_reply_write_payload(struct rdma_reply *reply, uint32_t i)
{
	const struct payload *p = &reply->payload[i];
	const bool no_data = reply->no_data;
	struct rdma_chunk_cursor c;
	uint32_t tail, pad;
	int rc;

	rdma_chunk_start(&c, reply, &reply->header.write[i]);
	if (i >= reply->payload_count || !p->by_chunk) {
		if (reply->drop_unused)
			reply->header.write[i].count = 0;
		return 0;
	}
	tail = min_u32(reply->unwritten, p->len);
	pad = reply->pad_part ? p->len % 4 : (uint32_t)(xdr_pad4(p->len) - p->len);
	rc = rdma_chunk_write(&c, p->data, p->len - tail, true);
	/* Bytes that a fault omits are counted nevertheless. */
	reply->no_data = true;
	if (!rc)
		rc = rdma_chunk_write(&c, p->data + (p->len - tail), tail, true);
	reply->no_data = no_data;
	if (!rc && reply->pad)
		rc = rdma_chunk_write(&c, rdma_reply_zeros, pad, false);
	if (!rc && reply->beyond && c.chunk->count)
		rc = rdma_reply_exceed(&c);
	if (!rc && reply->spill)
		rc = rdma_reply_spill(&c, p);
	return rc;
}

/* Takes a word, or what there is of it, from the lengths of @chunk. */
static void rdma_reply_shorten(struct rpcrdma_header *h, const struct rpcrdma_chunk *chunk)
{
	unsigned int i = chunk->count;
	uint32_t left = 4, n;

	for (; i-- && left; left -= n) {
		n = min_u32(left, h->segments[chunk->first + i].length);
		h->segments[chunk->first + i].length -= n;
	}
}

static int rdma_reply_write_payloads(struct rdma_reply *reply)
{
	struct rpcrdma_header offered;
	uint32_t i;
	int rc = 0;

	if (reply->keep_lengths)
		offered = reply->header;
	for (i = 0; i < reply->header.write_count && !rc; i++)
		rc = rdma_reply_write_payload(reply, i);
	if (reply->keep_lengths)
		memcpy(reply->header.segments, offered.segments, sizeof(offered.segments));
	for (i = 0; i < reply->header.write_count && reply->short_lengths; i++)
		rdma_reply_shorten(&reply->header, &reply->header.write[i]);
	if (reply->listed_twice && reply->header.write_count == 1) {
		reply->header.write[1] = reply->header.write[0];
		reply->header.write_count = 2;
	}
	return rc;
}

/* Sends the header, and the message if it goes inline, copied to one buffer as it is short. */
static int rdma_reply_send(struct rdma_reply *reply, const struct iovec *message, int count)
{
	struct transport *t = reply->session->t;
	uint8_t buf[SERVER_RECV_SIZE];
	struct iovec iov;
	struct writer w;
	int i, rc;

	writer_init(&w, buf, sizeof(buf));
	rc = header_encode(&w, &reply->header);
	if (rc)
		return rc;
	for (i = 0; i < count; i++)
		writer_bytes(&w, message[i].iov_base, message[i].iov_len);
	if (w.bad)
		return err_set(EMSGSIZE, "a reply of over %zu bytes inline", sizeof(buf));
	iov = (struct iovec){ buf, w.len };
	rc = t->ops->send(t, &iov, 1, 0, 0, deadline_in(SERVER_STEP_MS));
	if (!rc && reply->twice)
		rc = t->ops->send(t, &iov, 1, 0, 0, deadline_in(SERVER_STEP_MS));
	return rc;
}

static int rdma_reply_perform(struct rdma_reply *reply)
{
	struct iovec iov[PAYLOAD_PIECES];
	struct rdma_chunk_cursor c;
	int count = 0, i, rc;

	rc = rdma_reply_write_payloads(reply);
	if (rc)
		return rc;
	if (reply->message_len)
		count = payload_pieces(iov, reply->message, reply->message_len, reply->payload,
				       reply->payload_count);
	if (reply->header.has_reply)
		rdma_chunk_start(&c, reply, &reply->header.reply);
	if (!reply->message_by_chunk)
		return rdma_reply_send(reply, iov, count);
	reply->header.rdma_proc = RDMA_NOMSG;
	reply->no_data = false; /* that fault applies to Write chunks only */
	for (i = 0; i < count && !rc; i++)
		rc = rdma_chunk_write(&c, iov[i].iov_base, iov[i].iov_len, true);
	return rc ? rc : rdma_reply_send(reply, NULL, 0);
}

/* Sends the reply before the data that it announces. */
static int rdma_reply_perform_early(struct rdma_reply *reply)
{
	const struct rpcrdma_header offered = reply->header;
	int rc;

	reply->no_data = true;
	rc = rdma_reply_perform(reply);
	if (rc)
		return rc;
	usleep(1000 * EARLY_MS);
	reply->header = offered;
	reply->no_data = false;
	return rdma_reply_write_payloads(reply);
}

/* Applies the faults, then sends the reply. */
static int rdma_reply_finish(struct rdma_reply *reply)
{
	struct server_log *log = reply->session->options->log;
	int rc;

	fault_apply(reply);
	debug(DEBUG_SERVER, "reply xid %08x, %zu bytes and %u payloads%s%s%s%s",
	      reply->header.rdma_xid, reply->message_len, reply->payload_count,
	      reply->payload_count && reply->payload[0].by_chunk ? ", Write chunk" : "",
	      reply->message_by_chunk ? ", Reply chunk" : "", reply->drop ? ", dropped" : "",
	      reply->close ? ", closed instead" : "");
	if (reply->close)
		return err_set(ECONNRESET, "closed by a fault");
	if (reply->drop)
		return 0;
	rc = reply->early ? rdma_reply_perform_early(reply) : rdma_reply_perform(reply);
	if (!rc && log && reply->read.served) {
		atomic_fetch_add(&log->bytes, reply->payload[reply->read.payload].len);
		atomic_fetch_add(&log->reads, 1);
	}
	return rc;
}

static struct rdma_reply *rdma_reply_start(struct rdma_session *session)
{
	struct rdma_reply *reply = &session->reply;

	memset(reply, 0, offsetof(struct rdma_reply, header));
	memset(&reply->message, 0, sizeof(*reply) - offsetof(struct rdma_reply, message));
	reply->session = session;
	return reply;
}

int rdma_reply_error(struct rdma_session *session, const struct rpcrdma_header *request,
		     enum rpcrdma_errcode err)
{
	struct rdma_reply *reply = rdma_reply_start(session);

	reply->header.rdma_xid = request->rdma_xid;
	reply->header.rdma_vers = request->rdma_vers;
	rdma_reply_refuse(reply, err);
	return rdma_reply_finish(reply);
}

int rdma_reply_call(struct rdma_session *session, const struct rpcrdma_header *request,
		    const struct call *call)
{
	struct rdma_reply *reply = rdma_reply_start(session);

	reply->message = call->reply.base;
	reply->message_len = call->reply.len;
	memcpy(reply->payload, call->payload, sizeof(reply->payload));
	reply->payload_count = call->payload_count;
	reply->read = call->read;
	reply->vers = call->rpc.vers;
	reply->proc = call->rpc.proc;
	reply->wrote = call->wrote;
	if (rdma_reply_copy_chunks(reply, request) || rdma_reply_plan(reply))
		return rdma_reply_error(session, request, ERR_CHUNK);
	return rdma_reply_finish(reply);
}
