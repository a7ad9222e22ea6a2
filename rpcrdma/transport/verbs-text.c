/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Texts, and the -errno of transport.h, for results of librdmacm and adapters: events of the
 * connection manager, the reasons of a refusal (InfiniBand Architecture, volume 1, section
 * 12.6.7.2), the status of a completion. */
#include <stdio.h>

#include "rpcrdma/transport/verbs.h"

const char *verbs_text_kind(const struct verbs_kind *kind)
{
	if (kind->transport == IBV_TRANSPORT_IWARP)
		return "iWARP";
	return kind->link_layer == IBV_LINK_LAYER_ETHERNET ? "RoCE" : "InfiniBand";
}

/* Refusals. On iWARP the status is an errno instead. */

#define REJECT_SERVICE_ID 8

static const struct {
	int reason;
	const char *words;
} verbs_text_rejects[] = {
	{ 1, "it has no queue pair left" },
	{ 2, "it has no end-to-end context left" },
	{ 3, "it has no resources left" },
	{ 4, "it gave up waiting" },
	{ 5, "it does not support the request" },
	{ 6, "it does not know the communication identifier" },
	{ 7, "it does not know the communication instance" },
	{ REJECT_SERVICE_ID, "nothing listens there" },
	{ 9, "it does not offer this transport service" },
	{ 10, "it still has the previous connection" },
	{ 11, "no channel adapter has this identifier" },
	{ 12, "the address is another port's" },
	{ 13, "the path is not the one it requires" },
	{ 18, "the address is no address of its port" },
	{ 21, "it supports fewer outstanding RDMA Reads" },
	{ 22, "the class version is not its own" },
	{ 24, "flow control is not as required" },
	{ 26, "the path's MTU is not as required" },
	{ 27, "the private data is not as required" },
	{ 28, "its program rejected it" },
	{ 33, "the packets come from another VLAN" },
};

static int verbs_text_rejected(const struct verbs_event *event, const char *step)
{
	const char *words = "not a known one";
	size_t i;

	for (i = 0; i < ARRAY_SIZE(verbs_text_rejects); i++)
		if (verbs_text_rejects[i].reason == event->status)
			words = verbs_text_rejects[i].words;
	/* iWARP: a TCP reset instead of an answer, or the flag R in it. */
	if (event->status == -ECONNREFUSED)
		err_set(ECONNREFUSED, "%s: RDMA_CM_EVENT_REJECTED: nothing listens there", step);
	else if (event->status < 0)
		err_set(ECONNREFUSED, "%s: RDMA_CM_EVENT_REJECTED: the peer rejected it (%s)", step,
			strerrordesc_np(-event->status));
	else
		err_set(ECONNREFUSED, "%s: RDMA_CM_EVENT_REJECTED, reason %d: %s", step,
			event->status, words);
	return err_because(-ECONNREFUSED,
			   event->status == -ECONNREFUSED || event->status == REJECT_SERVICE_ID
				   ? "not-listening"
				   : "rejected");
}

/* Events that end a step. errnum 0: the status is an errno. */
static const struct verbs_text_event_row {
	enum rdma_cm_event_type type;
	int errnum;
	int otherwise; /* when the status is not known */
	const char *words, *reason;
} verbs_text_events[] = {
	{ RDMA_CM_EVENT_ADDR_ERROR, 0, EHOSTUNREACH, "the address is not resolved", "unresolved" },
	{ RDMA_CM_EVENT_ROUTE_ERROR, 0, EHOSTUNREACH, "there is no path to it", "no-path" },
	{ RDMA_CM_EVENT_UNREACHABLE, 0, EHOSTUNREACH, "the peer does not answer", "fabric-silent" },
	{ RDMA_CM_EVENT_CONNECT_ERROR, 0, ECONNRESET, "the connection failed", "closed" },
	{ RDMA_CM_EVENT_DISCONNECTED, ECONNRESET, 0, "the peer closed the connection", "closed" },
	{ RDMA_CM_EVENT_DEVICE_REMOVAL, ENODEV, 0, "the device was removed", "device-removed" },
};

/* The errors listed in transport.h; others are only in the text. */
static int verbs_text_event_errnum(const struct verbs_text_event_row *row, int status)
{
	static const int known[] = { ENODEV,       ENETDOWN,    EADDRNOTAVAIL,
				     EHOSTUNREACH, ENETUNREACH, ETIMEDOUT,
				     ECONNREFUSED, ECONNRESET,  EPROTONOSUPPORT };
	size_t i;

	if (row->errnum)
		return row->errnum;
	for (i = 0; i < ARRAY_SIZE(known); i++)
		if (status == -known[i])
			return known[i];
	return row->otherwise;
}

int verbs_text_event(const struct verbs_event *event, const char *step,
		     const struct verbs_kind *kind)
{
	const struct verbs_text_event_row *row = verbs_text_events;
	char why[64] = "";
	size_t i;

	if (event->type == RDMA_CM_EVENT_REJECTED)
		return verbs_text_rejected(event, step);
	for (i = 0; i < ARRAY_SIZE(verbs_text_events) && verbs_text_events[i].type != event->type;
	     i++)
		row++;
	if (i == ARRAY_SIZE(verbs_text_events))
		return err_set(EPROTO, "%s: %s, status %d, was not expected", step,
			       rdma_event_str(event->type), event->status);
	if (event->status < 0 && strerrordesc_np(-event->status))
		snprintf(why, sizeof(why), " (%s)", strerrordesc_np(-event->status));
	if (row->type == RDMA_CM_EVENT_ADDR_ERROR && event->status == -ENODEV)
		return err_because(err_set(ENODEV,
					   "%s: RDMA_CM_EVENT_ADDR_ERROR: the route to it uses "
					   "no RDMA device",
					   step),
				   "not-rdma");
	return err_because(err_set(verbs_text_event_errnum(row, event->status), "%s: %s: %s%s%s",
				   step, rdma_event_str(event->type), row->words, why,
				   kind && verbs_quirk_flags(kind) & VERBS_PORT_MAPPER &&
						   row->type == RDMA_CM_EVENT_UNREACHABLE
					   ? "; this adapter may need iwpmd to run on both hosts"
					   : ""),
			   row->reason);
}

/* Completions */

/* clang-format off */
#define COMPLETION(status, ours, theirs, words) \
	{ IBV_WC_##status, #status, ours, theirs, words }
/* clang-format on */

/* The errno for one of our requests with this status, and for a Receive. */
static const struct verbs_text_completion_row {
	enum ibv_wc_status status;
	const char *name;
	int ours, theirs;
	const char *words;
} verbs_text_completions[] = {
	COMPLETION(LOC_LEN_ERR, EIO, EPROTO, "a message is longer than its buffer"),
	COMPLETION(LOC_QP_OP_ERR, EIO, EPROTO, "the queue pair does not allow it"),
	COMPLETION(LOC_PROT_ERR, EIO, EIO, "local memory is not registered for it"),
	COMPLETION(WR_FLUSH_ERR, ECONNRESET, ECONNRESET, "the connection was lost"),
	COMPLETION(BAD_RESP_ERR, EPROTO, EPROTO, "the peer's answer is invalid"),
	COMPLETION(LOC_ACCESS_ERR, EIO, EPROTO, "local memory does not allow this access"),
	COMPLETION(REM_INV_REQ_ERR, EREMOTEIO, EPROTO, "the request is not valid"),
	COMPLETION(REM_ACCESS_ERR, EREMOTEIO, EPROTO, "the memory does not allow this access"),
	COMPLETION(REM_OP_ERR, EREMOTEIO, EPROTO, "the request could not be completed"),
	COMPLETION(RETRY_EXC_ERR, ECONNRESET, ECONNRESET, "the peer no longer acknowledges"),
	COMPLETION(RNR_RETRY_EXC_ERR, EPROTO, EPROTO,
		   "the peer has posted no Receive for the Send"),
	COMPLETION(REM_INV_RD_REQ_ERR, EREMOTEIO, EPROTO, "the RDMA Read is not valid"),
	COMPLETION(REM_ABORT_ERR, EREMOTEIO, EPROTO, "the peer ended the operation"),
	COMPLETION(FATAL_ERR, EIO, EIO, "the adapter failed"),
	COMPLETION(RESP_TIMEOUT_ERR, ECONNRESET, ECONNRESET, "the peer did not respond"),
	COMPLETION(GENERAL_ERR, EIO, EIO, "the adapter does not say what happened"),
};

static const struct verbs_text_completion_row *verbs_text_find_completion(enum ibv_wc_status status)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(verbs_text_completions); i++)
		if (verbs_text_completions[i].status == status)
			return &verbs_text_completions[i];
	return NULL;
}

const char *verbs_text_status(enum ibv_wc_status status)
{
	const struct verbs_text_completion_row *row = verbs_text_find_completion(status);

	return row ? row->name : ibv_wc_status_str(status);
}

int verbs_text_completion(enum ibv_wc_status status, bool theirs)
{
	const struct verbs_text_completion_row *row = verbs_text_find_completion(status);
	int errnum;

	if (!row)
		return err_set(EIO, "completion status %d: %s", (int)status,
			       ibv_wc_status_str(status));
	errnum = theirs ? row->theirs : row->ours;
	if (errnum == EREMOTEIO)
		return err_set(EREMOTEIO, "the peer refused: %s (IBV_WC_%s)", row->words,
			       row->name);
	return err_set(errnum, "%s (IBV_WC_%s)", row->words, row->name);
}
