/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Sending and receiving. Output is copied to a registered ring first, so that the caller may
 * reuse its memory at once and many requests are in flight; calls wait only when the ring or the
 * send queue is full. A Write of a megabyte is split, and the adapter sends the first piece while
 * the second is copied. */
#include "rpcrdma/transport/verbs.h"

#define STAGE_SIZE  (2 * 1024 * 1024)
#define STAGE_PIECE (128 * 1024)
#define SINK_SIZE   (1024 * 1024)

#define RING_ALIGN 64

#define NUDGE_FIRST_MS 20

/* Rings */

int verbs_ring_open(struct verbs *c, struct verbs_ring *ring, size_t size, int access)
{
	int rc;

	if (ring->region)
		return 0;
	ring->memory = malloc(size);
	if (!ring->memory)
		return err_context(err_no_memory(), "buffer of %zu bytes", size);
	ring->size = size;
	rc = verbs_mr_register(c, ring->memory, size, access, &ring->region);
	if (rc)
		verbs_ring_close(ring);
	return rc;
}

void verbs_ring_close(struct verbs_ring *ring)
{
	verbs_mr_release(ring->region);
	free(ring->memory);
	*ring = (struct verbs_ring){ 0 };
}

uint8_t *verbs_ring_take(struct verbs_ring *ring, size_t len, size_t *bytes)
{
	size_t need = (len + RING_ALIGN - 1) & ~(size_t)(RING_ALIGN - 1);
	size_t at = ring->used ? ring->head : 0;
	size_t skip = need > ring->size - at ? ring->size - at : 0;

	if (skip + need > ring->size - ring->used)
		return NULL;
	if (skip)
		at = 0;
	ring->head = (at + need) % ring->size;
	*bytes = skip + need;
	ring->used += *bytes;
	return ring->memory + at;
}

/* The waits below check the clock only when nothing has happened. They still end: each step that
 * returns 0 consumes a request or a posted Receive, and none is posted before this function
 * returns; a peer's RDMA Writes cause no completion here. */

struct verbs_io_space {
	uint8_t *memory;
	size_t bytes; /* of the ring */
};

/* Waits for room for one request, and for @len bytes of its ring. */
static int verbs_io_room(struct verbs *c, struct verbs_ring *ring, size_t len,
			 struct verbs_io_space *space, uint64_t deadline)
{
	int rc = 0;

	*space = (struct verbs_io_space){ 0 };
	while (!rc) {
		if (c->nrequests < c->request_depth) {
			if (!ring)
				return 0;
			space->memory = verbs_ring_take(ring, len, &space->bytes);
			if (space->memory)
				return 0;
		}
		rc = verbs_qp_step(c, deadline);
	}
	if (rc == -ETIMEDOUT)
		rc = verbs_fail(c, err_context(rc, "the peer accepts no data"));
	return rc;
}

/* RFC 5044 section 7.1.2, applied to every device: the responder does not send before it
 * receives. */
static int verbs_io_may_begin(struct verbs *c, uint64_t deadline)
{
	int rc = verbs_usable(c);

	while (!rc && !c->initiator && !c->received)
		rc = verbs_qp_step(c, deadline);
	return rc == -ETIMEDOUT ? err_context(rc, "the peer must send first") : rc;
}

/* Sends and Receives */

static size_t verbs_io_gather(uint8_t *to, const struct iovec *iov, int iovcnt)
{
	size_t len = 0;
	int i;

	for (i = 0; i < iovcnt; i++) {
		if (to && iov[i].iov_len)
			memcpy(to + len, iov[i].iov_base, iov[i].iov_len);
		len += iov[i].iov_len;
	}
	return len;
}

int verbs_io_send(struct transport *t, const struct iovec *iov, int iovcnt, unsigned int flags,
		  uint32_t invalidate_handle, uint64_t deadline)
{
	size_t len = verbs_io_gather(NULL, iov, iovcnt);
	struct ibv_send_wr wr = { .opcode = IBV_WR_SEND };
	struct verbs *c = verbs_of(t);
	struct verbs_io_space space;
	struct ibv_sge sge;
	int rc;

	rc = verbs_io_may_begin(c, deadline);
	if (rc)
		return rc;
	if (len > c->send_max)
		return err_set(EMSGSIZE, "a Send of %zu bytes, %zu at most", len, c->send_max);
	rc = verbs_io_room(c, &c->out, len, &space, deadline);
	if (rc)
		return rc;
	verbs_io_gather(space.memory, iov, iovcnt);
	sge = (struct ibv_sge){ .addr = (uintptr_t)space.memory,
				.length = (uint32_t)len,
				.lkey = c->out.region->mr->lkey };
	wr.sg_list = &sge;
	wr.num_sge = len ? 1 : 0;
	if (flags & TRANSPORT_SEND_SOLICITED)
		wr.send_flags = IBV_SEND_SOLICITED;
	/* Linux's drivers report support for Send With Invalidate in this bit. */
	if (flags & TRANSPORT_SEND_INVALIDATE &&
	    c->device.device_cap_flags & IBV_DEVICE_MEM_MGT_EXTENSIONS) {
		wr.opcode = IBV_WR_SEND_WITH_INV;
		wr.invalidate_rkey = invalidate_handle;
	}
	rc = verbs_qp_post(c, &wr, &c->out, space.bytes);
	if (!rc)
		t->stats.sends_out++;
	return rc;
}

/* One step. If the peer may have missed our first message, zero-length RDMA Writes are sent at
 * growing intervals until it sends something. */
static int verbs_io_step_nudging(struct verbs *c, uint64_t deadline)
{
	struct ibv_send_wr nothing = { .opcode = IBV_WR_RDMA_WRITE };
	int rc;

	if (!(c->quirks & VERBS_MAY_SLEEP) || !c->initiator || c->received)
		return verbs_qp_step(c, deadline);
	if (!c->nudge_ms)
		c->nudge_ms = NUDGE_FIRST_MS;
	rc = verbs_qp_step(c, deadline_min(deadline, deadline_in(c->nudge_ms)));
	if (rc != -ETIMEDOUT || !deadline_left(deadline))
		return rc;
	c->nudge_ms *= 2;
	return c->nrequests < c->request_depth ? verbs_qp_post(c, &nothing, NULL, 0) : 0;
}

int verbs_io_recv(struct transport *t, struct transport_msg *msg, uint64_t deadline)
{
	struct verbs *c = verbs_of(t);
	int rc = 0;

	for (;;) {
		if (c->nwaiting) {
			*msg = c->waiting[c->first];
			c->first = (c->first + 1) % c->recv_depth;
			c->nwaiting--;
			return 0;
		}
		if (!rc)
			rc = verbs_usable(c);
		/* Messages received before the end are delivered first. */
		if (rc)
			return rc;
		rc = verbs_io_step_nudging(c, deadline);
	}
}

void verbs_io_repost(struct transport *t, struct transport_msg *msg)
{
	struct verbs *c = verbs_of(t);
	int rc;

	if (c->failed.rc)
		return;
	rc = verbs_qp_post_receive(c, msg->slot);
	if (rc)
		verbs_fail(c, rc);
}

/* Writes and Reads */

int verbs_io_write(struct transport *t, const void *data, size_t len, uint32_t handle,
		   uint64_t offset, uint64_t deadline)
{
	struct verbs *c = verbs_of(t);
	struct ibv_send_wr wr = { .opcode = IBV_WR_RDMA_WRITE, .num_sge = 1 };
	size_t part, done;
	struct verbs_io_space space;
	struct ibv_sge sge;
	int rc;

	rc = verbs_io_may_begin(c, deadline);
	/* An empty Write accesses no memory. */
	if (!rc && len)
		rc = verbs_ring_open(c, &c->stage, STAGE_SIZE, 0);
	for (done = 0; !rc && done < len; done += part) {
		part = min_u64(len - done, min_u32(STAGE_PIECE, c->message_max));
		rc = verbs_io_room(c, &c->stage, part, &space, deadline);
		if (rc)
			break;
		memcpy(space.memory, (const uint8_t *)data + done, part);
		sge = (struct ibv_sge){ .addr = (uintptr_t)space.memory,
					.length = (uint32_t)part,
					.lkey = c->stage.region->mr->lkey };
		wr.sg_list = &sge;
		wr.wr.rdma.rkey = handle;
		wr.wr.rdma.remote_addr = offset + done;
		rc = verbs_qp_post(c, &wr, &c->stage, space.bytes);
	}
	if (rc)
		return rc;
	t->stats.writes_out++;
	t->stats.write_bytes_out += len;
	return 0;
}

static int verbs_io_read_part(struct verbs *c, uint32_t len, uint32_t handle, uint64_t offset,
			      uint64_t deadline)
{
	struct ibv_sge sge = { .addr = (uintptr_t)c->sink.memory,
			       .length = len,
			       .lkey = c->sink.region->mr->lkey };
	struct ibv_send_wr wr = { .opcode = IBV_WR_RDMA_READ, .sg_list = &sge, .num_sge = 1 };
	struct verbs_io_space space;
	uint64_t until;
	int rc;

	wr.wr.rdma.rkey = handle;
	wr.wr.rdma.remote_addr = offset;
	rc = verbs_io_room(c, NULL, 0, &space, deadline);
	if (!rc)
		rc = verbs_qp_post(c, &wr, NULL, 0);
	until = c->completed + c->nrequests;
	while (!rc && c->completed < until)
		rc = verbs_qp_step(c, deadline);
	if (rc == -ETIMEDOUT)
		rc = verbs_fail(c, err_context(rc, "RDMA Read of %u bytes", len));
	return rc;
}

int verbs_io_read(struct transport *t, void *data, size_t len, uint32_t handle, uint64_t offset,
		  uint64_t deadline)
{
	struct verbs *c = verbs_of(t);
	int access = IBV_ACCESS_LOCAL_WRITE;
	size_t part, done;
	int rc;

	rc = verbs_usable(c);
	if (!rc && !t->ord)
		return err_set(EOPNOTSUPP, "the peer accepts no RDMA Reads");
	if (!rc)
		rc = verbs_io_may_begin(c, deadline);
	if (c->quirks & VERBS_SINK_NEEDS_WRITE)
		access |= IBV_ACCESS_REMOTE_WRITE;
	if (!rc && len)
		rc = verbs_ring_open(c, &c->sink, SINK_SIZE, access);
	for (done = 0; !rc && done < len; done += part) {
		part = min_u64(len - done, min_u32(SINK_SIZE, c->message_max));
		rc = verbs_io_read_part(c, (uint32_t)part, handle, offset + done, deadline);
		if (!rc)
			memcpy((uint8_t *)data + done, c->sink.memory, part);
	}
	if (!rc)
		t->stats.reads_out++;
	return rc;
}
