/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Software iWARP: RDMA over an ordinary TCP connection (MPA, DDP, RDMAP: RFC 5044, 5041, 5040,
 * 6581), both roles, in one thread, without privileges and without a device. This file manages
 * the life of a connection; iwarp-*.c handle the stream.
 *
 * Not supported: markers, peer-to-peer start-up, more than one outstanding RDMA Read of ours, and
 * operations that RPC-over-RDMA does not use (atomics, RDMA with immediate data). */
#include <assert.h>
#include <stdio.h>
#include <sys/socket.h>

#include "rpcrdma/transport/internal.h"

/* Limit of the input discarded before the socket is closed: unread input would make the kernel
 * send a reset, which may overtake our last data. */
#define LINGER_BYTES (256 * 1024)

#define NUDGE_FIRST_MS 20

#define CRC_PAUSE_MS 2000 /* before retrying a peer that rejected the CRC */

static struct iwarp *iwarp_of(struct transport *t)
{
	return (struct iwarp *)t;
}

int iwarp_new(struct iwarp **out)
{
	struct iwarp *c = calloc(1, sizeof(*c));
	size_t i;

	if (!c)
		return err_no_memory();
	c->t.ops = &transport_iwarp;
	c->t.fd = -1;
	for (i = 0; i < DDP_QUEUES; i++)
		c->rx.msn[i] = c->tx.msn[i] = 1;
	*out = c;
	return 0;
}

int iwarp_prepare(struct iwarp *c, const struct transport_param *param)
{
	/* Four bytes of the private data are IRD and ORD. */
	if (param->private_len > MPA_PRIVATE_MAX - 4)
		return err_set(EINVAL, "%zu bytes of private data, %d at most", param->private_len,
			       MPA_PRIVATE_MAX - 4);
	c->param = *param;
	c->param.ord = (uint16_t)min_u32(param->ord, MPA_DEPTH_MAX);
	c->rx.depth = min_u32(param->ird, MPA_DEPTH_MAX);
	/* Linux's server rejects clients with an IRD of 0, even if it sends no Reads. */
	if (c->initiator && !c->rx.depth)
		c->rx.depth = 1;
	c->rx.requests = calloc(c->rx.depth + 1, sizeof(*c->rx.requests));
	if (!c->rx.requests)
		return err_no_memory();
	return slots_init(&c->slots, param->recv_depth, param->recv_size);
}

static void iwarp_linger(struct iwarp *c)
{
	uint8_t sink[4096];
	size_t total = 0;
	ssize_t n;

	shutdown(c->t.fd, SHUT_WR);
	do {
		n = recv(c->t.fd, sink, sizeof(sink), MSG_DONTWAIT);
		total += n > 0 ? (size_t)n : 0;
	} while (n > 0 && total < LINGER_BYTES);
}

void iwarp_free(struct iwarp *c)
{
	if (!c)
		return;
	pcap_flow_close(&c->flow);
	if (c->t.fd >= 0 && c->t.peer.len)
		iwarp_linger(c);
	if (c->t.fd >= 0)
		close(c->t.fd);
	region_fini(&c->regions);
	slots_fini(&c->slots);
	free(c->rx.requests);
	free(c->tx.out);
	free(c);
}

void iwarp_free_p(struct iwarp **c)
{
	iwarp_free(*c);
}

int iwarp_fail(struct iwarp *c, int rc)
{
	if (c->failed.rc)
		return err_again(&c->failed);
	err_keep(&c->failed, rc);
	if (c->rx.terminate)
		iwarp_tx_terminate(c);
	return err_again(&c->failed);
}

static int iwarp_usable(struct iwarp *c)
{
	if (c->failed.rc)
		return err_again(&c->failed);
	if (!c->ready)
		return err_set(ENOTCONN, "the connection is not established");
	return 0;
}

static uint64_t iwarp_answer_by(const struct transport_param *param, uint64_t deadline)
{
	return param->answer_by > deadline ? param->answer_by : deadline;
}

/* @out is set even on failure, to determine what the peer refused. */
static int iwarp_connect_once(struct iwarp **out, const struct transport_address *to,
			      const struct transport_param *param, uint64_t deadline)
{
	struct iwarp *c;
	int rc;

	rc = iwarp_new(out);
	if (rc)
		return rc;
	c = *out;
	c->initiator = true;
	rc = iwarp_prepare(c, param);
	if (rc)
		return rc;
	rc = tcp_connect(to, param->bind, deadline);
	if (rc < 0)
		return rc;
	c->t.fd = rc;
	c->t.peer = *to;
	tcp_local(rc, &c->t.local);
	pcap_flow_open(&c->flow, param->pcap, &c->t.local, to, true);
	return iwarp_handshake_connect(c, iwarp_answer_by(param, deadline));
}

/* Removes from @param what the peer refused, and returns its name; NULL if there is nothing to
 * remove. After refusing revision 2 a peer gets no CRC request either: its reply says whether it
 * wants the CRC, and soft-iWARP of 2015 may crash after rejecting one. For the same reason a peer
 * that rejects the CRC is retried only after a pause. */
static const char *iwarp_connect_yield(const struct iwarp *c, struct transport_param *param,
				       uint64_t deadline)
{
	if (!c || !param->mpa_retry)
		return NULL;
	if (c->refuses_revision) {
		param->mpa_revision = 1;
		param->no_crc = true;
		return "MPA revision 2";
	}
	if (!c->refuses_crc)
		return NULL;
	param->no_crc = true;
	usleep(1000 * min_u32(CRC_PAUSE_MS, (uint32_t)deadline_left(deadline)));
	return "the CRC";
}

static int iwarp_connect(struct transport **out, const struct transport_address *to,
			 const struct transport_param *param, uint64_t deadline)
{
	_cleanup_(iwarp_free_p) struct iwarp *c = NULL;
	char address[TRANSPORT_ADDRESS_TEXT];
	struct transport_param asked = *param;
	const char *refused = NULL;
	struct err_kept first;
	int rc;

	rc = iwarp_connect_once(&c, to, param, deadline);
	err_keep(&first, rc);
	/* It may have passed before the refusal. */
	deadline = iwarp_answer_by(param, deadline);
	if (rc < 0)
		refused = iwarp_connect_yield(c, &asked, deadline);
	if (refused) {
		debug(DEBUG_TRANSPORT, "iwarp: %s; again without %s", first.text, refused);
		iwarp_free(take_ptr(c));
		rc = iwarp_connect_once(&c, to, &asked, deadline);
	}
	if (rc < 0) {
		return err_context(err_again(&first), "%s",
				   transport_address_text(to, address, sizeof(address)));
	}
	c->t.refused = refused;
	*out = &take_ptr(c)->t;
	return 0;
}

static int iwarp_listen(struct transport **out, const struct transport_address *at)
{
	_cleanup_(iwarp_free_p) struct iwarp *c = NULL;
	char text[TRANSPORT_ADDRESS_TEXT];
	int rc;

	rc = iwarp_new(&c);
	if (rc)
		return rc;
	rc = tcp_listen(at);
	if (rc < 0)
		return err_context(rc, "%s", transport_address_text(at, text, sizeof(text)));
	c->t.fd = rc;
	tcp_local(rc, &c->t.local);
	*out = &take_ptr(c)->t;
	return 0;
}

static int iwarp_accept(struct transport *listener, struct transport **out)
{
	_cleanup_(iwarp_free_p) struct iwarp *c = NULL;
	int rc;

	rc = iwarp_new(&c);
	if (rc)
		return rc;
	rc = tcp_accept(listener->fd, &c->t.peer);
	if (rc < 0)
		return rc;
	c->t.fd = rc;
	tcp_local(rc, &c->t.local);
	*out = &take_ptr(c)->t;
	return 0;
}

static int iwarp_establish(struct transport *t, const struct transport_param *param,
			   uint64_t deadline)
{
	struct iwarp *c = iwarp_of(t);
	char text[TRANSPORT_ADDRESS_TEXT];
	int rc;

	rc = iwarp_prepare(c, param);
	if (rc)
		return rc;
	pcap_flow_open(&c->flow, param->pcap, &t->local, &t->peer, false);
	rc = iwarp_handshake_answer(c, deadline);
	if (rc)
		err_context(rc, "%s", transport_address_text(&t->peer, text, sizeof(text)));
	return rc ? iwarp_fail(c, rc) : 0;
}

static int iwarp_reg(struct transport *t, void *base, size_t len, unsigned int access,
		     struct transport_region *out)
{
	return region_add(&iwarp_of(t)->regions, base, len, access, out);
}

static void iwarp_dereg(struct transport *t, struct transport_region *region)
{
	struct iwarp_rx *rx = &iwarp_of(t)->rx;

	/* A Write to it may be half received; the rest is discarded. */
	if (rx->state != RX_HEAD && rx->fpdu.opcode == RDMAP_WRITE &&
	    rx->fpdu.stag == region->handle)
		rx->target = NULL;
	region_remove(&iwarp_of(t)->regions, region->handle);
	region->handle = 0;
}

static int iwarp_send(struct transport *t, const struct iovec *iov, int iovcnt, unsigned int flags,
		      uint32_t invalidate_handle, uint64_t deadline)
{
	static const enum rdmap_opcode opcodes[] = {
		[0] = RDMAP_SEND,
		[TRANSPORT_SEND_SOLICITED] = RDMAP_SEND_SE,
		[TRANSPORT_SEND_INVALIDATE] = RDMAP_SEND_INVALIDATE,
		[TRANSPORT_SEND_SOLICITED | TRANSPORT_SEND_INVALIDATE] = RDMAP_SEND_SE_INVALIDATE,
	};
	struct iwarp *c = iwarp_of(t);
	struct fpdu f;
	int rc = iwarp_usable(c);

	if (rc)
		return rc;
	assert(flags < ARRAY_SIZE(opcodes));
	fpdu_init(&f, opcodes[flags]);
	if (flags & TRANSPORT_SEND_INVALIDATE)
		f.stag = invalidate_handle;
	rc = iwarp_tx_message(c, &f, iov, iovcnt, deadline);
	if (!rc)
		t->stats.sends_out++;
	return rc;
}

/* soft-iWARP's listener can sleep through our first FPDU: siw_accept() sends the MPA reply before
 * it takes the socket over from the connection manager, and data that arrive in between are
 * processed only when more arrive. So until the peer answers, zero-length RDMA Writes are sent at
 * growing intervals: they access no memory (RFC 5040 section 4.3), and RFC 6581 uses the same
 * frame to start a connection. */
static int iwarp_take_nudging(struct iwarp *c, uint64_t deadline)
{
	struct fpdu f;
	int rc;

	if (!c->initiator || c->rx.fpdus || c->rx.state != RX_HEAD || !c->tx.messages)
		return iwarp_io_take(c, deadline);
	if (!c->nudge_ms)
		c->nudge_ms = NUDGE_FIRST_MS;
	rc = iwarp_io_take(c, deadline_min(deadline, deadline_in(c->nudge_ms)));
	if (rc != -ETIMEDOUT || !deadline_left(deadline))
		return rc;
	c->nudge_ms *= 2;
	fpdu_init(&f, RDMAP_WRITE);
	return iwarp_tx_message(c, &f, NULL, 0, deadline);
}

static int iwarp_recv(struct transport *t, struct transport_msg *msg, uint64_t deadline)
{
	struct iwarp *c = iwarp_of(t);
	int rc;

	for (;;) {
		if (slots_lend(&c->slots, msg))
			return 0;
		rc = iwarp_usable(c);
		if (!rc)
			rc = iwarp_tx_responses(c);
		if (!rc)
			rc = iwarp_take_nudging(c, deadline);
		/* Messages received before the end are delivered first. */
		if (rc < 0 && !c->slots.nwaiting)
			return rc;
	}
}

static void iwarp_repost(struct transport *t, struct transport_msg *msg)
{
	slots_repost(&iwarp_of(t)->slots, msg);
}

static int iwarp_write(struct transport *t, const void *data, size_t len, uint32_t handle,
		       uint64_t offset, uint64_t deadline)
{
	struct iovec iov = { .iov_base = (void *)(uintptr_t)data, .iov_len = len };
	struct iwarp *c = iwarp_of(t);
	struct fpdu f;
	int rc = iwarp_usable(c);

	if (rc)
		return rc;
	fpdu_init(&f, RDMAP_WRITE);
	f.stag = handle;
	f.to = offset;
	rc = iwarp_tx_message(c, &f, &iov, 1, deadline);
	if (rc)
		return rc;
	t->stats.writes_out++;
	t->stats.write_bytes_out += len;
	return 0;
}

static int iwarp_read(struct transport *t, void *data, size_t len, uint32_t handle, uint64_t offset,
		      uint64_t deadline)
{
	struct iwarp *c = iwarp_of(t);
	struct iwarp_rx *rx = &c->rx;
	uint8_t body[READ_REQUEST_LEN];
	struct iovec iov = { .iov_base = body, .iov_len = sizeof(body) };
	struct fpdu f;
	int rc = iwarp_usable(c);

	if (rc)
		return rc;
	if (!t->ord)
		return err_set(EOPNOTSUPP, "the peer accepts no RDMA Reads");
	if (len > UINT32_MAX)
		return err_set(EINVAL, "an RDMA Read of %zu bytes is longer than 32 bits", len);
	rx->read = (struct read_request){ .size = (uint32_t)len,
					  .source_stag = handle,
					  .source_to = offset };
	rc = region_random(&c->regions, &rx->read.sink_stag);
	if (rc)
		return rc;
	rx->read_base = data;
	rx->read_got = 0;
	rx->reading = true;
	fpdu_init(&f, RDMAP_READ_REQUEST);
	read_request_encode(body, &rx->read);
	rc = iwarp_tx_message(c, &f, &iov, 1, deadline);
	while (!rc && rx->reading) {
		rc = iwarp_tx_responses(c);
		if (!rc)
			rc = iwarp_io_take(c, deadline);
		rc = rc > 0 ? 0 : rc;
	}
	if (rc)
		return iwarp_fail(c, rc);
	t->stats.reads_out++;
	return 0;
}

static void iwarp_close(struct transport *t)
{
	iwarp_free(iwarp_of(t));
}

const struct transport_ops transport_iwarp = {
	.name = "iwarp",
	.title = "software iWARP over TCP",
	.connect = iwarp_connect,
	.listen = iwarp_listen,
	.accept = iwarp_accept,
	.establish = iwarp_establish,
	.reg = iwarp_reg,
	.dereg = iwarp_dereg,
	.send = iwarp_send,
	.recv = iwarp_recv,
	.repost = iwarp_repost,
	.write = iwarp_write,
	.read = iwarp_read,
	.close = iwarp_close,
};
