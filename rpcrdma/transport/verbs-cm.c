/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The connection manager: channels, identifiers, and the steps of a connection. Each step is
 * requested and ends with an event; errors name both.
 *
 * The kernel accepts commands on a channel only with the credentials that opened it: after any
 * change of identity they fail with EACCES (ib_safe_file_access(),
 * drivers/infiniband/core/ucma.c). The same applies to a device, which librdmacm opens and never
 * closes. So root must not open anything for later use by another identity.
 *
 * Some devices block in a call where others report an event (verbs-quirks.c). For these a thread
 * makes the call, and frees the connection if its waiter timed out. */
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>

#include "rpcrdma/base/job.h"
#include "rpcrdma/transport/verbs.h"

/* Not 7: soft-RoCE then retries without end (rxe_comp.c, Linux 6.1), and never detects a dead
 * peer. The connection manager's default is over two seconds for each try; this is 4.096 us *
 * 2^17, half a second, and so four seconds in all (adapters may take up to four times as long).
 * For a peer without a posted Receive retries are unlimited (7), as in Linux; callers here have a
 * deadline anyway. */
#define RETRY_COUNT     6
#define ACK_TIMEOUT     17
#define RNR_RETRY_COUNT 7

#define RESOLVE_MAX_MS 30000

/* Channels */

int verbs_cm_channel(struct rdma_event_channel **out)
{
	struct rdma_event_channel *channel;
	int rc;

	rc = verbs_route_present();
	if (rc)
		return rc;
	channel = rdma_create_event_channel();
	if (!channel)
		return err_sys("rdma_create_event_channel");
	if (fcntl(channel->fd, F_SETFL, O_NONBLOCK) < 0 ||
	    fcntl(channel->fd, F_SETFD, FD_CLOEXEC) < 0) {
		rc = err_sys("an event channel");
		rdma_destroy_event_channel(channel);
		return rc;
	}
	*out = channel;
	return 0;
}

int verbs_cm_open(struct verbs *c)
{
	int rc = verbs_cm_channel(&c->channel);

	if (rc)
		return rc;
	if (rdma_create_id(c->channel, &c->id, NULL, RDMA_PS_TCP))
		return err_sys("rdma_create_id");
	return 0;
}

void verbs_cm_close(struct verbs *c)
{
	/* Fails only if the channel is broken, and the kernel then frees the identifier with
	 * it. */
	if (c->id && rdma_destroy_id(c->id))
		debug(DEBUG_TRANSPORT, "verbs: rdma_destroy_id: %s", strerrordesc_np(errno));
	c->id = NULL;
	if (c->channel)
		rdma_destroy_event_channel(c->channel);
	c->channel = NULL;
}

/* Events */

int verbs_cm_take(struct rdma_event_channel *channel, struct verbs_event *out)
{
	struct rdma_cm_event *event;
	const struct rdma_conn_param *conn;

	errno = 0;
	if (rdma_get_cm_event(channel, &event))
		return errno == EAGAIN || errno == EINTR ? 0 : err_sys("rdma_get_cm_event");
	/* librdmacm sets -1 for errors of its own, with the reason in errno. */
	if (event->status == -1 && errno)
		event->status = -errno;
	conn = &event->param.conn;
	*out = (struct verbs_event){
		.type = event->event,
		.status = event->status,
		.id = event->id,
		.ird = conn->responder_resources,
		.ord = conn->initiator_depth,
		.private_len = conn->private_data ? conn->private_data_len : 0,
	};
	if (out->private_len)
		memcpy(out->private_data, conn->private_data, out->private_len);
	debug(DEBUG_TRANSPORT, "verbs: %s, status %d", rdma_event_str(out->type), out->status);
	rdma_ack_cm_event(event);
	return 1;
}

static int verbs_cm_wait(struct verbs *c, struct verbs_event *out, uint64_t deadline)
{
	int rc;

	do {
		rc = verbs_cm_take(c->channel, out);
		if (rc)
			return rc < 0 ? rc : 0;
		rc = tcp_wait(c->channel->fd, POLLIN, deadline);
	} while (rc >= 0);
	return rc;
}

int verbs_cm_expect(struct verbs *c, enum rdma_cm_event_type wanted, const char *step,
		    struct verbs_event *out, uint64_t deadline)
{
	int rc = verbs_cm_wait(c, out, deadline);

	if (rc == -ETIMEDOUT)
		return err_because(
			err_set(ETIMEDOUT, "%s: no %s in time", step, rdma_event_str(wanted)),
			wanted == RDMA_CM_EVENT_ADDR_RESOLVED    ? "unresolved"
			: wanted == RDMA_CM_EVENT_ROUTE_RESOLVED ? "no-path"
								 : "fabric-silent");
	if (rc)
		return err_context(rc, "%s", step);
	if (out->type == wanted && !out->status)
		return 0;
	c->removed |= out->type == RDMA_CM_EVENT_DEVICE_REMOVAL;
	return verbs_text_event(out, step, c->id->verbs ? &c->kind : NULL);
}

int verbs_cm_check(struct verbs *c)
{
	static const char *const step = "the connection was lost";
	struct verbs_event event;
	char device[sizeof(((struct transport_route *)0)->device)];
	int rc;

	while ((rc = verbs_cm_take(c->channel, &event)) > 0) {
		if (event.type == RDMA_CM_EVENT_DEVICE_REMOVAL) {
			c->removed = true;
			str_copy(device, sizeof(device), ibv_get_device_name(c->id->verbs->device));
			return err_set(ENODEV, "RDMA_CM_EVENT_DEVICE_REMOVAL: %s was removed",
				       device);
		}
		if (event.type == RDMA_CM_EVENT_DISCONNECTED) {
			c->disconnected = true;
			return err_set(ECONNRESET, "the peer closed the connection "
						   "(RDMA_CM_EVENT_DISCONNECTED)");
		}
		/* Events of a closed connection, or without effect. */
		if (event.type == RDMA_CM_EVENT_ESTABLISHED ||
		    event.type == RDMA_CM_EVENT_ADDR_CHANGE ||
		    event.type == RDMA_CM_EVENT_TIMEWAIT_EXIT)
			continue;
		c->disconnected = true;
		return verbs_text_event(&event, step, &c->kind);
	}
	return rc;
}

/* Addresses */

/* A little less than the time left, so that the event arrives in time to give the reason. */
static int verbs_cm_timeout(uint64_t deadline)
{
	int left = deadline_left(deadline);

	left -= left / 8;
	if (left > RESOLVE_MAX_MS)
		return RESOLVE_MAX_MS;
	return left ? left : 1;
}

static int verbs_cm_resolve_failed(bool bound)
{
	if (bound && (errno == EADDRNOTAVAIL || errno == ENODEV))
		return err_because(err_sys("rdma_resolve_addr: local address is no address of "
					   "an RDMA device of this host"),
				   "bind");
	/* Linux returns this for 127.0.0.1. */
	if (errno == EINVAL)
		return err_because(err_set(ENODEV,
					   "rdma_resolve_addr: the route to it uses no RDMA "
					   "device (%s)",
					   strerrordesc_np(errno)),
				   "not-rdma");
	return err_sys("rdma_resolve_addr");
}

int verbs_cm_resolve(struct verbs *c, const struct transport_address *to,
		     const struct transport_param *param, uint64_t deadline)
{
	const struct transport_address *from = param->bind;
	struct transport_address found, target = *to, source;
	struct verbs_event event;
	int rc;

	if (!from && param->device) {
		rc = verbs_route_source(param->device, to, &found);
		if (rc)
			return rc;
		from = &found;
	}
	if (from) {
		source = *from;
		transport_set_port(&source, 0);
	}
	if (rdma_resolve_addr(c->id, from ? (struct sockaddr *)&source.addr : NULL,
			      (struct sockaddr *)&target.addr, verbs_cm_timeout(deadline)))
		return verbs_cm_resolve_failed(from);
	rc = verbs_cm_expect(c, RDMA_CM_EVENT_ADDR_RESOLVED, "resolving the address", &event,
			     deadline);
	return rc ? rc : verbs_route_device(c, param->device);
}

int verbs_cm_resolve_route(struct verbs *c, uint64_t deadline)
{
	struct verbs_event event;

	if (rdma_resolve_route(c->id, verbs_cm_timeout(deadline)))
		return err_sys("rdma_resolve_route");
	return verbs_cm_expect(c, RDMA_CM_EVENT_ROUTE_RESOLVED, "resolving the route", &event,
			       deadline);
}

/* Connecting */

/* Devices without such a timer refuse it. */
static void verbs_cm_ack_timeout(struct verbs *c)
{
	uint8_t timeout = ACK_TIMEOUT;

	if (rdma_set_option(c->id, RDMA_OPTION_ID, RDMA_OPTION_ID_ACK_TIMEOUT, &timeout,
			    sizeof(timeout)))
		debug(DEBUG_TRANSPORT, "verbs: RDMA_OPTION_ID_ACK_TIMEOUT: %s",
		      strerrordesc_np(errno));
}

static int verbs_cm_param(const struct verbs *c, const struct transport_param *param,
			  struct rdma_conn_param *out)
{
	if (param->private_len > VERBS_PRIVATE_MAX)
		return err_set(EINVAL, "%zu bytes of private data, %d at most", param->private_len,
			       VERBS_PRIVATE_MAX);
	*out = (struct rdma_conn_param){
		.private_data = param->private_data,
		.private_data_len = (uint8_t)param->private_len,
		.retry_count = RETRY_COUNT,
		.rnr_retry_count = RNR_RETRY_COUNT,
	};
	out->responder_resources = (uint8_t)min_u32(min_u32(param->ird, UINT8_MAX - 1),
						    (uint32_t)c->device.max_qp_rd_atom);
	out->initiator_depth = (uint8_t)min_u32(min_u32(param->ord, UINT8_MAX - 1),
						(uint32_t)c->device.max_qp_init_rd_atom);
	/* Linux's server rejects clients with an IRD of 0, even if it sends no Reads. */
	if (c->initiator && !out->responder_resources)
		out->responder_resources = 1;
	return 0;
}

static int verbs_cm_connect_failed(int errnum)
{
	errno = errnum;
	if (errnum == ECONNREFUSED)
		return err_because(err_set(ECONNREFUSED, "connecting: nothing listens there (%s)",
					   strerrordesc_np(errnum)),
				   "not-listening");
	if (errnum == EINVAL)
		return err_sys("rdma_connect (too much private data for this device?)");
	return err_sys("rdma_connect");
}

/* A call of rdma_connect(). If its waiter timed out, the thread frees the connection as well. */
struct verbs_cm_connect_job {
	struct job job; /* first */
	int errnum;
	struct verbs *c;
	struct rdma_conn_param param;
	uint8_t private_data[VERBS_PRIVATE_MAX + 1];
};

static void verbs_cm_connect_call(struct job *arg)
{
	struct verbs_cm_connect_job *job = (struct verbs_cm_connect_job *)arg;

	job->errnum = rdma_connect(job->c->id, &job->param) ? errno : 0;
}

static void verbs_cm_connect_discard(struct job *arg)
{
	verbs_free(((struct verbs_cm_connect_job *)arg)->c);
}

/* 0; -ETIMEDOUT, and the thread owns *c; or -errno of rdma_connect. */
static int verbs_cm_connect_in_thread(struct verbs **c, const struct rdma_conn_param *param,
				      uint64_t deadline)
{
	struct verbs_cm_connect_job *job = calloc(1, sizeof(*job));
	int rc, errnum;

	if (!job)
		return err_no_memory();
	job->job.call = verbs_cm_connect_call;
	job->job.discard = verbs_cm_connect_discard;
	job->c = *c;
	job->param = *param;
	if (param->private_data_len)
		memcpy(job->private_data, param->private_data, param->private_data_len);
	job->param.private_data = job->private_data;
	rc = job_run(&job->job, deadline);
	if (rc == -ETIMEDOUT) {
		*c = NULL;
		return err_because(
			err_set(ETIMEDOUT, "connecting: the peer did not answer in time"),
			"fabric-silent");
	}
	errnum = job->errnum;
	free(job);
	if (rc)
		return err_set(-rc, "a thread to connect: %s", strerrordesc_np(-rc));
	return errnum ? verbs_cm_connect_failed(errnum) : 0;
}

static int verbs_cm_established(struct verbs *c, const struct transport_param *param,
				uint64_t deadline)
{
	struct verbs_event event;
	uint8_t granted;
	int rc;

	rc = verbs_cm_expect(c, RDMA_CM_EVENT_ESTABLISHED, "connecting", &event, deadline);
	/* After a time-out the handshake continues. */
	c->connecting = rc == -ETIMEDOUT;
	if (rc)
		return rc;
	c->t.peer_private_len = event.private_len;
	memcpy(c->t.peer_private, event.private_data, event.private_len);
	granted = c->quirks & VERBS_DEPTHS_SWAPPED ? event.ird : event.ord;
	c->t.ord = (uint16_t)min_u32(min_u32(param->ord, granted),
				     (uint32_t)c->device.max_qp_init_rd_atom);
	c->ready = true;
	return 0;
}

int verbs_cm_connect(struct verbs **c, const struct transport_param *param, uint64_t deadline)
{
	struct rdma_conn_param conn;
	int rc;

	rc = verbs_cm_param(*c, param, &conn);
	if (rc)
		return rc;
	verbs_cm_ack_timeout(*c);
	(*c)->connecting = true;
	if ((*c)->quirks & VERBS_CONNECT_BLOCKS)
		rc = verbs_cm_connect_in_thread(c, &conn, deadline);
	else if (rdma_connect((*c)->id, &conn))
		rc = verbs_cm_connect_failed(errno);
	if (rc && *c)
		(*c)->connecting = false;
	return rc ? rc : verbs_cm_established(*c, param, deadline);
}

int verbs_cm_accept(struct verbs *c, const struct transport_param *param, uint64_t deadline)
{
	struct rdma_conn_param conn;
	struct verbs_event event;
	int rc;

	rc = verbs_cm_param(c, param, &conn);
	if (rc)
		return rc;
	/* Our IRD is limited by the peer's ORD, and our ORD by its IRD. */
	conn.responder_resources = (uint8_t)min_u32(conn.responder_resources, c->peer_ird);
	conn.initiator_depth = (uint8_t)min_u32(conn.initiator_depth, c->peer_ord);
	verbs_cm_ack_timeout(c);
	if (rdma_accept(c->id, &conn))
		return err_sys("rdma_accept");
	rc = verbs_cm_expect(c, RDMA_CM_EVENT_ESTABLISHED, "accepting", &event, deadline);
	if (rc)
		return rc;
	c->t.ord = conn.initiator_depth;
	c->ready = true;
	return 0;
}
