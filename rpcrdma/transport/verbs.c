/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The transport of hosts that have an RDMA device: InfiniBand, RoCE, hardware and soft iWARP,
 * with librdmacm and libibverbs, both roles. This file manages the life of a connection.
 *
 * As the adapter does the work, less is visible than with software iWARP: no log of the peer's
 * Writes, no CRC, no frames; param's on_write, pcap, no_crc and corrupt_crc are ignored. The
 * peer's access is still enforced to the byte.
 *
 * A Receive is posted before the connection is offered, at least one RDMA Read of the peer is
 * allowed (Linux's server rejects other clients), and regions do not support remote invalidation,
 * which the private data announce (RFC 8797, flag R clear). */
#include <stdio.h>
#include <poll.h>
#include <pthread.h>

#include "rpcrdma/transport/verbs.h"

#define PORT_TRIES 3

/* How long closing waits for the last Sends, and for the peer's answer to a disconnect. The
 * peer's program must trigger that answer, so the wait is short. */
#define LINGER_MS     500
#define DISCONNECT_MS 50

static int verbs_new(struct verbs **out)
{
	struct verbs *c = calloc(1, sizeof(*c));

	if (!c)
		return err_no_memory();
	c->t.ops = &transport_verbs;
	c->t.fd = -1;
	*out = c;
	return 0;
}

int verbs_fail(struct verbs *c, int rc)
{
	if (!c->failed.rc)
		err_keep(&c->failed, rc);
	return err_again(&c->failed);
}

int verbs_usable(struct verbs *c)
{
	if (c->failed.rc)
		return err_again(&c->failed);
	if (!c->ready)
		return err_set(ENOTCONN, "the connection is not established");
	return 0;
}

/* Closing */

static void verbs_disconnect(struct verbs *c)
{
	uint64_t deadline = deadline_in(LINGER_MS);
	struct verbs_event event;

	/* A disconnect would overtake Sends. */
	while (c->nrequests && !verbs_qp_step(c, deadline))
		;
	if (c->removed)
		return;
	if (rdma_disconnect(c->id)) {
		debug(DEBUG_TRANSPORT, "verbs: rdma_disconnect: %s", strerrordesc_np(errno));
		return;
	}
	/* A disconnect of the peer is already answered; else wait for the answer to ours. */
	if (!c->disconnected && !c->failed.rc &&
	    tcp_wait(c->channel->fd, POLLIN, deadline_in(DISCONNECT_MS)) >= 0)
		(void)verbs_cm_take(c->channel, &event);
}

void verbs_free(struct verbs *c)
{
	if (!c)
		return;
	if (c->ready)
		verbs_disconnect(c);
	if (c->t.fd >= 0 && !c->listens)
		close(c->t.fd);
	verbs_qp_close(c);
	verbs_cm_close(c);
	free(c);
}

static void *verbs_free_run(void *arg)
{
	verbs_free(arg);
	return NULL;
}

/* On some devices nothing can be freed during a connect until the handshake ends, if only by the
 * device's time-out: a thread then waits for it. */
static void verbs_release(struct verbs *c)
{
	pthread_t thread;

	if (c && c->connecting && c->quirks & VERBS_CLOSE_BLOCKS &&
	    !pthread_create(&thread, NULL, verbs_free_run, c))
		pthread_detach(thread);
	else
		verbs_free(c);
}

void verbs_free_p(struct verbs **c)
{
	verbs_release(*c);
}

static void verbs_close(struct transport *t)
{
	verbs_release(verbs_of(t));
}

/* Connecting */

static int verbs_connect_once(struct transport **out, const struct transport_address *to,
			      const struct transport_param *param, uint64_t deadline)
{
	_cleanup_(verbs_free_p) struct verbs *c = NULL;
	char text[TRANSPORT_ADDRESS_TEXT];
	int rc;

	rc = verbs_new(&c);
	if (rc)
		return rc;
	c->initiator = true;
	rc = verbs_cm_open(c);
	if (!rc)
		rc = verbs_cm_resolve(c, to, param, deadline);
	if (!rc)
		rc = verbs_cm_resolve_route(c, deadline);
	if (!rc)
		rc = verbs_qp_open(c, param);
	if (!rc)
		rc = verbs_cm_connect(&c, param, deadline);
	if (rc)
		return err_context(rc, "%s", transport_address_text(to, text, sizeof(text)));
	c->t.peer = *to;
	verbs_route_address(rdma_get_local_addr(c->id), &c->t.local);
	*out = &take_ptr(c)->t;
	return 0;
}

/* The connection manager chooses the source port among its own, and the device of iWARP then binds
 * a TCP socket to it, which another program may have: the next choice is another one. */
static int verbs_connect(struct transport **out, const struct transport_address *to,
			 const struct transport_param *param, uint64_t deadline)
{
	unsigned int tries = 0;
	int rc;

	do
		rc = verbs_connect_once(out, to, param, deadline);
	while (rc == -EADDRINUSE && ++tries < PORT_TRIES);
	return rc;
}

/* Listening */

static int verbs_listen(struct transport **out, const struct transport_address *at)
{
	_cleanup_(verbs_free_p) struct verbs *c = NULL;
	struct transport_address address = *at;
	char text[TRANSPORT_ADDRESS_TEXT];
	int rc;

	rc = verbs_new(&c);
	if (rc)
		return rc;
	c->listens = true;
	rc = verbs_cm_open(c);
	if (!rc && rdma_bind_addr(c->id, (struct sockaddr *)&address.addr))
		rc = err_sys("rdma_bind_addr%s",
			     errno == ENODEV ? ": the address is not an RDMA device's" : "");
	if (!rc && rdma_listen(c->id, TRANSPORT_BACKLOG))
		rc = err_sys("rdma_listen");
	if (rc)
		return err_context(rc, "%s", transport_address_text(at, text, sizeof(text)));
	c->t.fd = c->channel->fd;
	verbs_route_address(rdma_get_local_addr(c->id), &c->t.local);
	transport_set_port(&c->t.local, ntohs(rdma_get_src_port(c->id)));
	*out = &take_ptr(c)->t;
	return 0;
}

/* Moves the request to its own channel. Takes ownership of the identifier in any case. */
static int verbs_accept_request(struct verbs *c, const struct verbs_event *event)
{
	int rc;

	c->id = event->id;
	c->peer_ird = event->ird;
	c->peer_ord = event->ord;
	c->t.peer_private_len = event->private_len;
	memcpy(c->t.peer_private, event->private_data, event->private_len);
	rc = verbs_cm_channel(&c->channel);
	if (!rc && rdma_migrate_id(c->id, c->channel))
		rc = err_sys("rdma_migrate_id");
	if (!rc)
		rc = verbs_route_device(c, NULL);
	if (rc)
		return rc;
	verbs_route_address(rdma_get_local_addr(c->id), &c->t.local);
	verbs_route_address(rdma_get_peer_addr(c->id), &c->t.peer);
	return 0;
}

/* 1 a connection, 0 an event of another kind. */
static int verbs_accept_event(struct verbs *listener, const struct verbs_event *event,
			      struct transport **out)
{
	_cleanup_(verbs_free_p) struct verbs *c = NULL;
	int rc;

	if (event->type == RDMA_CM_EVENT_DEVICE_REMOVAL) {
		listener->removed = true;
		return verbs_fail(listener,
				  err_set(ENODEV, "RDMA_CM_EVENT_DEVICE_REMOVAL: the device "
						  "was removed, nothing listens any more"));
	}
	if (event->type != RDMA_CM_EVENT_CONNECT_REQUEST)
		return 0;
	rc = verbs_new(&c);
	if (!rc)
		rc = verbs_accept_request(c, event);
	if (rc) {
		debug(DEBUG_TRANSPORT, "verbs: a request is rejected: %s", err_text());
		rdma_reject(event->id, NULL, 0);
		if (!c)
			rdma_destroy_id(event->id);
		return rc;
	}
	*out = &take_ptr(c)->t;
	return 1;
}

static int verbs_accept(struct transport *t, struct transport **out)
{
	struct verbs *listener = verbs_of(t);
	struct verbs_event event;
	int rc;

	if (listener->failed.rc)
		return err_again(&listener->failed);
	do {
		rc = verbs_cm_take(listener->channel, &event);
		if (rc < 0)
			return rc;
		if (!rc)
			return err_set(EAGAIN, "no connection is waiting");
		rc = verbs_accept_event(listener, &event, out);
	} while (!rc);
	return rc < 0 ? rc : 0;
}

static int verbs_establish(struct transport *t, const struct transport_param *param,
			   uint64_t deadline)
{
	struct verbs *c = verbs_of(t);
	char text[TRANSPORT_ADDRESS_TEXT];
	int rc;

	/* The client may already have given up. */
	rc = verbs_cm_check(c);
	if (!rc)
		rc = verbs_qp_open(c, param);
	if (!rc)
		rc = verbs_cm_accept(c, param, deadline);
	else
		rdma_reject(c->id, NULL, 0);
	if (!rc)
		return 0;
	err_context(rc, "%s", transport_address_text(&t->peer, text, sizeof(text)));
	return verbs_fail(c, rc);
}

const struct transport_ops transport_verbs = {
	.name = "verbs",
	.personal = true,
	.route = verbs_route,
	.connect = verbs_connect,
	.listen = verbs_listen,
	.accept = verbs_accept,
	.establish = verbs_establish,
	.reg = verbs_mr_reg,
	.dereg = verbs_mr_dereg,
	.send = verbs_io_send,
	.recv = verbs_io_recv,
	.repost = verbs_io_repost,
	.write = verbs_io_write,
	.read = verbs_io_read,
	.close = verbs_close,
};
