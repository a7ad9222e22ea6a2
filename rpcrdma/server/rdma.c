/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* RPC-over-RDMA version 1, the responder's side of one connection (RFC 8166).
 *
 * Calls come inline, or as a Position-Zero Read chunk that is pulled (section 3.5.3). A Read
 * chunk at another position carries data to be written. It is pulled and put back into the
 * message if the export is writable; otherwise it stays where it is, because the call is refused
 * without reading its data.
 *
 * Calls are served one at a time: those in flight, up to the granted credits, wait in the posted
 * receives. */
#include "rpcrdma/server/internal.h"

#define OUR_ORD      16 /* RDMA Reads we may have outstanding */
#define OTHER_KEY_MS 20

/* Calls */

/* The Read list, split into the message and other chunks. */
struct rdma_read_list {
	uint32_t zero_count; /* entries of the Position-Zero chunk, which come first */
	uint64_t zero_length;
	bool others; /* a second chunk: */
	uint32_t position;
	uint64_t length;
	bool more; /* and further ones */
};

/* -EBADMSG: RFC 8166 section 3.4.5 does not allow this list here. */
static int rdma_read_list_check(const struct rdma_session *session, struct rdma_read_list *list)
{
	const struct rpcrdma_header *h = &session->request;
	uint32_t max = server_call_max(session->options->exp, session->options->programs);
	uint32_t i;

	*list = (struct rdma_read_list){ 0 };
	for (i = 0; i < h->read_count; i++) {
		if (h->read_position[i] % 4 || (i && h->read_position[i] < h->read_position[i - 1]))
			return err_set(EBADMSG, "position %u in the read list",
				       h->read_position[i]);
		if (h->read_position[i]) {
			list->more |= list->others && h->read_position[i] != list->position;
			list->others = true;
			list->position = h->read_position[i];
			list->length += h->segments[i].length;
			continue;
		}
		list->zero_count++;
		list->zero_length += h->segments[i].length;
	}
	/* The message is either inline or in the chunk. */
	if ((h->rdma_proc == RDMA_NOMSG) != (list->zero_count > 0))
		return err_set(EBADMSG, "rdma_proc %u with %u segments at position 0", h->rdma_proc,
			       list->zero_count);
	if (list->zero_length > max)
		return err_set(EBADMSG, "a call of over %u bytes", max);
	return 0;
}

/* Pulls entries of the Read list to @p. Errors end the connection (section 4.5.3). */
static int rdma_pull(struct rdma_session *session, uint32_t first, uint32_t end, uint8_t *p)
{
	const struct rpcrdma_header *h = &session->request;
	struct transport *t = session->t;
	uint64_t deadline = deadline_in(SERVER_STEP_MS);
	uint32_t i;
	int rc = 0;

	for (i = first; i < end && !rc; i++) {
		const struct rpcrdma_segment *segment = &h->segments[i];

		if (segment->length)
			rc = t->ops->read(t, p, segment->length, segment->handle, segment->offset,
					  deadline);
		p += segment->length;
	}
	return err_context(rc, "read chunk");
}

/* For a fault: the key and the place of the data of the call behind this one. */
static void rdma_take_key(struct rdma_session *session)
{
	struct rpcrdma_header *h = &session->request, *next;
	struct reader r;

	if (!session->next.data || h->read_count != 1)
		return;
	next = malloc(sizeof(*next));
	reader_init(&r, session->next.data, session->next.len);
	if (next && !header_decode(next, &r) && next->read_count == 1 &&
	    next->segments[0].length >= h->segments[0].length) {
		h->segments[0].handle = next->segments[0].handle;
		h->segments[0].offset = next->segments[0].offset;
	}
	free(next);
}

/* For a fault: a WRITE was answered, and is done now. */
static int rdma_write_late(struct rdma_session *session, const struct rdma_read_list *list,
			   const struct call_chunk *chunk)
{
	struct export *exp = session->options->exp;
	const struct fault_late late = session->faults.late;
	uint8_t *data = (uint8_t *)(uintptr_t)chunk->data;
	int rc;

	session->faults.late.len = 0;
	if (!late.len)
		return 0;
	rc = rdma_pull(session, list->zero_count, session->request.read_count, data);
	if (!rc)
		exp->ops->write(exp, &late.fh, late.offset, data, late.len, true);
	return rc;
}

/* The call message into call_buf. */
static int rdma_pull_call(struct rdma_session *session, const struct rdma_read_list *list)
{
	int rc = server_buffer_grow(&session->call_buf, list->zero_length);

	return rc ? rc : rdma_pull(session, 0, list->zero_count, session->call_buf.base);
}

/* Puts the argument of the second Read chunk, and its padding, into the message (section 3.4.5).
 * @r: the message before and after. Errors: -EBADMSG, which leaves the connection. */
static int rdma_pull_argument(struct rdma_session *session, const struct rdma_read_list *list,
			      struct reader *r, struct call_chunk *chunk)
{
	const struct rpcrdma_header *h = &session->request;
	const uint32_t max = server_call_max(session->options->exp, session->options->programs);
	_cleanup_free_ uint8_t *message = NULL;
	size_t len = reader_left(r), padded, i;
	int rc;

	/* Several chunks, of which Linux clients never send any, have no agreed positions. */
	if (list->more || list->position > len || !list->length || list->length > max ||
	    len + xdr_pad4((uint32_t)list->length) > max)
		return err_set(EBADMSG, "a read chunk of %llu bytes at %u, or several",
			       (unsigned long long)list->length, list->position);
	padded = xdr_pad4((uint32_t)list->length);
	message = malloc(len);
	if (!message)
		return err_no_memory();
	memcpy(message, r->p, len);
	rc = server_buffer_grow(&session->call_buf, len + padded);
	if (rc)
		return rc;
	memcpy(session->call_buf.base, message, list->position);
	chunk->data = session->call_buf.base + list->position;
	chunk->len = (uint32_t)list->length;
	for (i = list->zero_count; i < h->read_count; i++)
		chunk->lengths[chunk->segments++] = h->segments[i].length;
	if (fault_replies_first(session->options->faults))
		memset(session->call_buf.base + list->position, 0, list->length);
	else
		rc = rdma_pull(session, list->zero_count, h->read_count,
			       session->call_buf.base + list->position);
	if (rc)
		return rc;
	memset(session->call_buf.base + list->position + list->length, 0, padded - list->length);
	memcpy(session->call_buf.base + list->position + padded, message + list->position,
	       len - list->position);
	reader_init(r, session->call_buf.base, len + padded);
	return 0;
}

/* @r is at the RPC message. */
static int rdma_answer(struct rdma_session *session, struct reader *r, bool reduced,
		       const struct call_chunk *chunk)
{
	struct rpcrdma_header *h = &session->request;
	struct call call = {
		.args = *r,
		.exp = session->options->exp,
		.nfs4 = session->options->nfs4,
		.scratch = session->scratch,
		.rtmax = session->rtmax,
		.room = rdma_reply_room(session, h, SERVER_REPLY_MAX),
		.reduced = reduced,
		.chunk = *chunk,
		.faults = &session->faults,
		.log = session->options->log,
		.programs = session->options->programs,
		.results = &session->reply_buf,
		.results_max = rdma_reply_room(session, h, SERVER_PROGRAM_MAX),
		.local = &session->t->local,
		.peer = &session->t->peer,
	};

	/* Section 4.5.2; too short for an xid is dropped below. */
	if (reader_left(r) >= 4 && get_be32(r->p) != h->rdma_xid)
		return rdma_reply_error(session, h, ERR_CHUNK);
	writer_init(&call.reply, session->reply_buf.base, SERVER_REPLY_MAX);
	if (dispatch_call(&call, dispatch_rdma)) {
		debug(DEBUG_SERVER, "dropped: %s", err_text());
		return 0;
	}
	fault_serve(session->options->faults, &call);
	return call.silent ? 0 : rdma_reply_call(session, h, &call);
}

/* Its chunks are malformed. */
static int rdma_refuse(struct rdma_session *session)
{
	if (session->options->log)
		atomic_fetch_add(&session->options->log->refused, 1);
	debug(DEBUG_SERVER, "ERR_CHUNK: %s", err_text());
	return rdma_reply_error(session, &session->request, ERR_CHUNK);
}

static int rdma_receive(struct rdma_session *session, const void *data, size_t len)
{
	struct rpcrdma_header *h = &session->request;
	const struct export *exp = session->options->exp;
	struct call_chunk chunk = { .len = 0 };
	struct rdma_read_list list;
	struct reader r;
	int rc;

	reader_init(&r, data, len);
	rc = header_decode(h, &r);
	/* Sections 4.5, 4.6.2 and 4.2.4: these are dropped, even if malformed. */
	if (rc == -EMSGSIZE || h->rdma_proc == RDMA_DONE || h->rdma_proc == RDMA_ERROR)
		return 0;
	if (rc) {
		debug(DEBUG_SERVER, "refused: %s", err_text());
		return rdma_reply_error(session, h, rc == -EPROTONOSUPPORT ? ERR_VERS : ERR_CHUNK);
	}
	if (rdma_read_list_check(session, &list))
		return rdma_refuse(session);
	if (list.zero_count) {
		rc = rdma_pull_call(session, &list);
		if (rc)
			return rc;
		reader_init(&r, session->call_buf.base, list.zero_length);
	}
	if (list.others && exp && export_is_writable(exp)) {
		rdma_take_key(session);
		rc = rdma_pull_argument(session, &list, &r, &chunk);
		if (rc == -EBADMSG)
			return rdma_refuse(session);
		if (rc)
			return rc;
	}
	rc = rdma_answer(session, &r, list.others && !chunk.len, &chunk);
	return rc ? rc : rdma_write_late(session, &list, &chunk);
}

int rdma_message(struct rdma_session *session, const void *data, size_t len)
{
	int rc = rdma_receive(session, data, len);

	server_buffer_trim(&session->call_buf, 0);
	server_buffer_trim(&session->reply_buf, SERVER_REPLY_MAX);
	return rc;
}

/* The connection */

int rdma_session_init(struct rdma_session *session, struct transport *t,
		      const struct server_options *options)
{
	session->options = options;
	session->t = t;
	session->credits = options->credits                   ? options->credits
			   : fault_is_linux3(options->faults) ? FAULT_LINUX3_CREDITS
							      : SERVER_CREDITS;
	session->rtmax = server_rtmax(options);
	session->reply_inline = RPCRDMA_INLINE_MIN;
	session->faults = (struct fault_state){ .set = options->faults };
	session->scratch = malloc(server_scratch_max(session->rtmax));
	if (options->faults)
		session->faults.buf = malloc(server_scratch_max(session->rtmax) + SERVER_REPLY_MAX);
	if (!session->scratch || (options->faults && !session->faults.buf))
		return err_no_memory();
	return server_buffer_grow(&session->reply_buf, SERVER_REPLY_MAX);
}

void rdma_session_fini(struct rdma_session *session)
{
	free(session->scratch);
	server_buffer_trim(&session->call_buf, 0);
	server_buffer_trim(&session->reply_buf, 0);
	free(session->faults.buf);
	free(session->faults.earlier);
}

static int rdma_establish(struct rdma_session *session)
{
	const bool silent = fault_is_linux3(session->options->faults);
	const struct rpcrdma_private ours = {
		.send_size = silent ? RPCRDMA_INLINE_MIN : SERVER_RECV_SIZE,
		.receive_size = SERVER_RECV_SIZE,
	};
	struct rpcrdma_private theirs;
	uint8_t private_data[RPCRDMA_PRIVATE_LEN];
	const struct transport_param param = {
		.recv_depth = session->credits + 2,
		.recv_size = SERVER_RECV_SIZE,
		.ord = OUR_ORD,
		.private_data = private_data,
		.private_len = silent ? 0 : sizeof(private_data),
		.no_crc = session->options->no_crc,
		.corrupt_crc = fault_corrupts_crc(session->options->faults),
	};
	struct transport *t = session->t;
	int rc;

	private_encode(private_data, &ours);
	rc = t->ops->establish(t, &param, deadline_in(SERVER_SHAKE_MS));
	if (rc)
		return rc;
	/* RFC 8797 section 4.2; without private data 1024 bytes. */
	private_decode(&theirs, t->peer_private, t->peer_private_len);
	session->reply_inline = min_u32(ours.send_size, theirs.receive_size);
	if (session->options->log)
		atomic_fetch_add(&session->options->log->connections, 1);
	fault_connected(session->options->faults, session->options->exp);
	return 0;
}

/* The next call; for a fault, one that has a Read chunk only when the one behind it had time to
 * come. */
static int rdma_session_recv(struct rdma_session *session, struct transport_msg *msg)
{
	struct transport *t = session->t;
	int rc = 0;

	*msg = session->next;
	session->next.data = NULL;
	if (!msg->data)
		rc = t->ops->recv(t, msg, deadline_in(SERVER_WAKE_MS));
	if (!rc && fault_reads_by_other_key(session->options->faults) && msg->len > 16 &&
	    get_be32((const uint8_t *)msg->data + 16) &&
	    t->ops->recv(t, &session->next, deadline_in(OTHER_KEY_MS)))
		session->next.data = NULL;
	return rc;
}

/* Since @start_ms, of which @due_ms were due. */
static void rdma_note_late(const struct rdma_session *session, uint64_t start_ms, uint64_t due_ms)
{
	struct server_log *log = session->options->log;
	uint64_t took = now_ms() - start_ms;

	if (log && took > due_ms && took - due_ms > atomic_load(&log->late_ms))
		atomic_store(&log->late_ms, (unsigned int)(took - due_ms));
}

static int rdma_session_run(struct rdma_session *session, struct server_place *place)
{
	struct transport *t = session->t;
	struct transport_msg msg;
	uint64_t start;
	int rc;

	place_begin(place, false);
	session->faults.second = place->beside;
	while (!atomic_load(place->stop)) {
		start = now_ms();
		rc = rdma_session_recv(session, &msg);
		rdma_note_late(session, start, SERVER_WAKE_MS);
		if (rc == -ETIMEDOUT && !place_is_over(place))
			continue;
		if (rc)
			return rc;
		start = now_ms();
		rc = rdma_message(session, msg.data, msg.len);
		rdma_note_late(session, start, 0);
		if (rc)
			return rc;
		t->ops->repost(t, &msg);
		place_begin(place, true);
	}
	return 0;
}

int rdma_serve(struct transport *t, const struct server_options *options,
	       struct server_place *place)
{
	struct rdma_session *session = calloc(1, sizeof(*session));
	int rc;

	if (!session)
		return err_no_memory();
	rc = rdma_session_init(session, t, options);
	if (!rc)
		rc = rdma_establish(session);
	if (!rc)
		rc = rdma_session_run(session, place);
	rdma_session_fini(session);
	free(session);
	return rc;
}
