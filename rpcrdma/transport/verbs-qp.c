/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The queue pair of a connection: work requests out, completions in.
 *
 * Each connection has a protection domain of its own, so that memory registered on one cannot be
 * accessed through another. One completion queue takes both directions; requests to the send
 * queue complete in the order in which they were posted, so a ring suffices to track them.
 *
 * A completion with an error ends the connection with that status. When the adapter breaks a
 * queue pair because of what the peer did (a Write out of bounds), there may be none: only the
 * posted Receives are flushed. */
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <sys/epoll.h>

#include "rpcrdma/transport/verbs.h"

#define SEND_BUFFERS_MIN 8
#define SEND_BUFFERS_MAX 64
#define SEND_SIZE_MIN    4096
/* Besides the Sends: pieces of RDMA Writes, and one Read. */
#define WRITE_REQUESTS 64

#define POLL_BATCH 16

/* In wr_id, because the opcode of a failed completion is undefined. */
#define RECEIVE (UINT64_C(1) << 32)

/* How long the flushed requests of a broken queue pair may take. */
#define DRAIN_MS 500
/* Between flushed Receives and the event with the reason. */
#define REASON_MS 200

/* Opening */

static int verbs_qp_create(struct verbs *c)
{
	struct epoll_event cm = { .events = EPOLLIN }, cq = { .events = EPOLLIN };
	struct ibv_qp_init_attr attr = {
		.qp_type = IBV_QPT_RC,
		.cap = { .max_send_wr = c->request_depth,
			 .max_recv_wr = c->recv_depth,
			 .max_send_sge = 1,
			 .max_recv_sge = 1 },
		.sq_sig_all = 1,
	};

	c->pd = ibv_alloc_pd(c->id->verbs);
	if (!c->pd)
		return err_sys("ibv_alloc_pd");
	c->events = ibv_create_comp_channel(c->id->verbs);
	if (!c->events)
		return err_sys("ibv_create_comp_channel");
	c->cq = ibv_create_cq(c->id->verbs, (int)(c->request_depth + c->recv_depth + 1), NULL,
			      c->events, 0);
	if (!c->cq)
		return err_sys("a completion queue of %u entries",
			       c->request_depth + c->recv_depth + 1);
	attr.send_cq = attr.recv_cq = c->cq;
	if (rdma_create_qp(c->id, c->pd, &attr))
		return err_sys("a queue pair of %u and %u work requests", c->request_depth,
			       c->recv_depth);
	c->t.fd = epoll_create1(EPOLL_CLOEXEC);
	if (c->t.fd < 0)
		return err_sys("epoll_create1");
	if (fcntl(c->events->fd, F_SETFL, O_NONBLOCK) < 0 ||
	    epoll_ctl(c->t.fd, EPOLL_CTL_ADD, c->channel->fd, &cm) < 0 ||
	    epoll_ctl(c->t.fd, EPOLL_CTL_ADD, c->events->fd, &cq) < 0)
		return err_sys("epoll_ctl");
	return 0;
}

static int verbs_qp_size(struct verbs *c, const struct transport_param *param)
{
	uint32_t most = (uint32_t)c->device.max_qp_wr;
	uint32_t sends = param->recv_depth;

	if (!param->recv_depth || !param->recv_size || param->recv_depth > most)
		return err_set(EINVAL,
			       "%u receive buffers of %u bytes, the device takes %u at most",
			       param->recv_depth, param->recv_size, most);
	c->recv_depth = param->recv_depth;
	c->recv_size = param->recv_size;
	if (sends < SEND_BUFFERS_MIN)
		sends = SEND_BUFFERS_MIN;
	sends = min_u32(sends, SEND_BUFFERS_MAX);
	c->request_depth = min_u32(sends + WRITE_REQUESTS, most);
	c->send_max = param->recv_size > SEND_SIZE_MIN ? param->recv_size : SEND_SIZE_MIN;
	c->out.size = c->send_max * sends;
	c->requests = calloc(c->request_depth, sizeof(*c->requests));
	c->waiting = calloc(c->recv_depth, sizeof(*c->waiting));
	if (!c->requests || !c->waiting)
		return err_no_memory();
	return 0;
}

/* Requests an event for the next completion, unless already requested. */
static int verbs_qp_arm(struct verbs *c)
{
	struct ibv_cq *cq;
	void *context;
	int rc;

	while (!ibv_get_cq_event(c->events, &cq, &context)) {
		ibv_ack_cq_events(cq, 1);
		c->armed = false;
	}
	if (c->armed)
		return 0;
	rc = ibv_req_notify_cq(c->cq, 0);
	if (rc)
		return verbs_fail(c, err_set(EIO, "ibv_req_notify_cq: %s", strerrordesc_np(rc)));
	c->armed = true;
	return 0;
}

int verbs_qp_open(struct verbs *c, const struct transport_param *param)
{
	uint32_t slot;
	size_t len;
	int rc;

	rc = verbs_qp_size(c, param);
	if (!rc)
		rc = verbs_qp_create(c);
	if (rc)
		return rc;
	len = (size_t)c->recv_depth * c->recv_size;
	c->recv_memory = malloc(len);
	if (!c->recv_memory)
		return err_context(err_no_memory(), "receive buffers of %zu bytes", len);
	rc = verbs_mr_register(c, c->recv_memory, len, IBV_ACCESS_LOCAL_WRITE, &c->recv_region);
	if (!rc)
		rc = verbs_ring_open(c, &c->out, c->out.size, 0);
	for (slot = 0; !rc && slot < c->recv_depth; slot++)
		rc = verbs_qp_post_receive(c, slot);
	return rc ? rc : verbs_qp_arm(c);
}

/* Posting */

/* Drivers return errno, -errno, or -1 with errno set. */
static int verbs_qp_refused(const char *what, int rc)
{
	int errnum = rc == -1 ? errno : abs(rc);

	return err_set(errnum, "%s: %s", what, strerrordesc_np(errnum));
}

int verbs_qp_post_receive(struct verbs *c, uint32_t slot)
{
	struct ibv_sge sge = {
		.addr = (uintptr_t)c->recv_memory + (uint64_t)slot * c->recv_size,
		.length = c->recv_size,
		.lkey = c->recv_region->mr->lkey,
	};
	struct ibv_recv_wr *bad, wr = { .wr_id = RECEIVE | slot, .sg_list = &sge, .num_sge = 1 };
	int rc;

	rc = ibv_post_recv(c->id->qp, &wr, &bad);
	if (rc)
		return verbs_qp_refused("ibv_post_recv", rc);
	c->posted++;
	return 0;
}

int verbs_qp_post(struct verbs *c, struct ibv_send_wr *wr, struct verbs_ring *ring, size_t bytes)
{
	struct ibv_send_wr *bad;
	uint32_t at = (c->request_first + c->nrequests) % c->request_depth;
	int rc;

	rc = ibv_post_send(c->id->qp, wr, &bad);
	if (rc)
		return verbs_fail(c, verbs_qp_refused("ibv_post_send", rc));
	c->requests[at] = (struct verbs_request){ .ring = ring, .bytes = bytes };
	c->nrequests++;
	return 0;
}

/* Completions */

static void verbs_qp_request_done(struct verbs *c)
{
	const struct verbs_request *r = &c->requests[c->request_first];

	if (!c->nrequests)
		return;
	if (r->ring)
		r->ring->used -= r->bytes;
	c->request_first = (c->request_first + 1) % c->request_depth;
	c->nrequests--;
	c->completed++;
}

static void verbs_qp_received(struct verbs *c, const struct ibv_wc *wc)
{
	uint32_t slot = (uint32_t)wc->wr_id;
	struct transport_msg *msg;

	msg = &c->waiting[(c->first + c->nwaiting++) % c->recv_depth];
	*msg = (struct transport_msg){
		.data = c->recv_memory + (size_t)slot * c->recv_size,
		.len = wc->byte_len,
		.slot = slot,
	};
	if (wc->wc_flags & IBV_WC_WITH_INV) {
		msg->invalidated = true;
		msg->invalidate_handle = wc->invalidated_rkey;
	}
	c->received = true;
	c->t.stats.sends_in++;
}

static void verbs_qp_failed_completion(struct verbs *c, const struct ibv_wc *wc)
{
	struct transport_violation *v = &c->t.violation;
	bool theirs = wc->wr_id & RECEIVE;
	int rc;

	debug(DEBUG_TRANSPORT, "verbs: completion of a %s: IBV_WC_%s, vendor error 0x%x",
	      theirs ? "Receive" : "request", verbs_text_status(wc->status), wc->vendor_err);
	/* The device's status for a request when the connection ended meanwhile. */
	if (wc->status == IBV_WC_WR_FLUSH_ERR ||
	    (!theirs && c->quirks & VERBS_FLUSH_FIRST &&
	     (wc->status == IBV_WC_LOC_QP_OP_ERR || wc->status == IBV_WC_GENERAL_ERR))) {
		c->flushed = true;
		return;
	}
	rc = verbs_text_completion(wc->status, theirs);
	if (rc != -EPROTO) {
		verbs_fail(c, rc);
		return;
	}
	/* The status of a Send that is too long differs between adapters. */
	if (theirs)
		snprintf(v->text, sizeof(v->text),
			 "Send that the receive buffers of %u bytes cannot take (IBV_WC_%s)",
			 c->recv_size, verbs_text_status(wc->status));
	else
		str_copy(v->text, sizeof(v->text), err_text());
	verbs_fail(c, err_set(EPROTO, "%s", v->text));
}

int verbs_qp_poll(struct verbs *c)
{
	struct ibv_wc wc[POLL_BATCH];
	int i, n;

	n = ibv_poll_cq(c->cq, POLL_BATCH, wc);
	if (n < 0)
		return verbs_fail(c, err_set(EIO, "ibv_poll_cq: the adapter failed"));
	for (i = 0; i < n; i++) {
		if (wc[i].wr_id & RECEIVE)
			c->posted--;
		else
			verbs_qp_request_done(c);
		if (wc[i].status != IBV_WC_SUCCESS)
			verbs_qp_failed_completion(c, &wc[i]);
		else if (wc[i].wr_id & RECEIVE)
			verbs_qp_received(c, &wc[i]);
	}
	return n;
}

/* The queue pair is broken without a reason. Either the connection ended, and the event will
 * follow; or the adapter broke it because of the peer's request, and there is no event. */
static int verbs_qp_reason(struct verbs *c, uint64_t deadline)
{
	struct transport_violation *v = &c->t.violation;
	int rc = verbs_cm_check(c);

	if (!rc &&
	    tcp_wait(c->channel->fd, POLLIN, deadline_min(deadline, deadline_in(REASON_MS))) >= 0)
		rc = verbs_cm_check(c);
	if (c->removed || c->quirks & VERBS_FLUSH_FIRST)
		return verbs_fail(c, rc ? rc
					: err_set(ECONNRESET, "the connection was lost "
							      "(IBV_WC_WR_FLUSH_ERR)"));
	snprintf(v->text, sizeof(v->text),
		 "the adapter broke the connection (IBV_WC_WR_FLUSH_ERR, and no "
		 "disconnect before it): an RDMA Write of or an RDMA Read by the peer is "
		 "out of bounds or not allowed");
	return verbs_fail(c, err_set(EPROTO, "%s", v->text));
}

static int verbs_qp_wait(struct verbs *c, uint64_t deadline)
{
	struct pollfd fds[2] = { { .fd = c->events->fd, .events = POLLIN },
				 { .fd = c->channel->fd, .events = POLLIN } };
	int left, n, rc = 0;

	do {
		left = deadline_left(deadline);
		n = poll(fds, ARRAY_SIZE(fds), left);
		if (n < 0 && errno != EINTR)
			return verbs_fail(c, err_sys("poll"));
	} while (n <= 0 && left);
	if (n <= 0)
		return err_set(ETIMEDOUT, "no answer in time%s",
			       c->nrequests ? "; the peer has not acknowledged what was sent" : "");
	if (fds[1].revents)
		rc = verbs_cm_check(c);
	if (!rc)
		return 0;
	/* Messages received before the end are delivered first. */
	while (verbs_qp_poll(c) > 0)
		;
	return verbs_fail(c, rc);
}

int verbs_qp_step(struct verbs *c, uint64_t deadline)
{
	int rc;

	if (c->failed.rc)
		return err_again(&c->failed);
	rc = verbs_qp_poll(c);
	if (!rc && !c->flushed) {
		rc = verbs_qp_arm(c);
		if (!rc)
			rc = verbs_qp_poll(c);
		if (!rc)
			return verbs_qp_wait(c, deadline);
	}
	if (rc < 0 || c->failed.rc)
		return verbs_fail(c, rc);
	return c->flushed ? verbs_qp_reason(c, deadline) : 0;
}

/* Closing */

/* Waits until every request and Receive has completed, so that the adapter uses none of our
 * memory. */
static void verbs_qp_drain(struct verbs *c)
{
	uint64_t deadline = deadline_in(DRAIN_MS);
	struct pollfd fd = { .fd = c->events->fd, .events = POLLIN };
	int n;

	while (c->posted || c->nrequests) {
		n = verbs_qp_poll(c);
		if (!n && !verbs_qp_arm(c))
			n = verbs_qp_poll(c);
		if (n < 0 || (!n && poll(&fd, 1, deadline_left(deadline)) <= 0))
			break;
	}
	if (c->posted || c->nrequests)
		debug(DEBUG_TRANSPORT, "verbs: %u Receives and %u requests did not come back",
		      c->posted, c->nrequests);
}

void verbs_qp_close(struct verbs *c)
{
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_ERR };
	int rc = 0;

	if (c->id && c->id->qp) {
		if (c->ready && !c->removed && !ibv_modify_qp(c->id->qp, &attr, IBV_QP_STATE))
			verbs_qp_drain(c);
		rdma_destroy_qp(c->id);
	}
	verbs_ring_close(&c->out);
	verbs_ring_close(&c->stage);
	verbs_ring_close(&c->sink);
	verbs_mr_release(c->recv_region);
	while (c->regions)
		verbs_mr_release(c->regions);
	if (c->cq)
		rc = ibv_destroy_cq(c->cq);
	if (!rc && c->events)
		rc = ibv_destroy_comp_channel(c->events);
	if (!rc && c->pd)
		rc = ibv_dealloc_pd(c->pd);
	if (rc)
		debug(DEBUG_TRANSPORT, "verbs: freeing a queue pair: %s", strerrordesc_np(rc));
	free(c->recv_memory);
	free(c->waiting);
	free(c->requests);
}
