/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

#ifndef RPCRDMA_CLIENT_INTERNAL_H
#define RPCRDMA_CLIENT_INTERNAL_H

#include <pthread.h>

#include "rpcrdma/client/client.h"

/* A server may send this many more messages than it granted, for the backchannel; NFSv3 has none,
 * but a missing Receive breaks the connection. */
#define RECEIVES_SPARE 4

struct rpcrdma_conn {
	struct transport *transport;
	struct rpcrdma_private peer;
	uint32_t call_inline, reply_inline;
	uint32_t wanted;  /* credits asked for, Receives posted */
	uint32_t granted; /* last grant; 0 before the first reply */
	uint32_t zero_grants;
	uint32_t again; /* replies to calls that have one */
	bool given_up;  /* a call ended without its own reply, which may still come */
	uint32_t first_xid, next_xid;
	uint32_t in_flight;
	struct rpcrdma_call *calls; /* in flight, oldest first */
	struct long_call *late;     /* memory of those that timed out, youngest first */
	int broken;                 /* 0, or the error after which nothing can be sent */
	char broken_text[256];
	pthread_mutex_t lock; /* rpcrdma_lock() */
};

/* call.c */

/* Removes the call from the list and sets its result. */
void call_finish(struct rpcrdma_conn *conn, struct rpcrdma_call *call, int rc, const char *text);
/* Ends every call in flight, and all later ones, with rc and the current error text. */
void call_fail_all(struct rpcrdma_conn *conn, int rc);

/* The RPC message of a call, in order: header, arguments, and in them the data and its padding
 * unless it goes by Read chunk. */
#define MESSAGE_PIECES 5

struct message {
	struct message_piece {
		const void *bytes;
		size_t len;
	} pieces[MESSAGE_PIECES];
	size_t len;
	uint32_t position; /* of the data */
};

/* Copies it to @to, which has room. */
void message_copy(const struct message *m, uint8_t *to);

/* long-call.c: RFC 8166 section 3.5.3, calls that are longer than a Send */

/* The message of a long call, readable by the peer. */
struct long_call {
	struct long_call *next;
	struct rpcrdma_memory memory;
	uint32_t xid;
	uint8_t bytes[];
};

/* Copies the message, and registers the copy. -ENOMEM, and errors of the transport. */
int long_call_new(struct rpcrdma_conn *conn, struct rpcrdma_call *call, const struct message *m);
/* The call is done. If it may still be answered (@late), its memory is kept until then. */
void long_call_done(struct rpcrdma_conn *conn, struct rpcrdma_call *call, bool late);
/* Handles a reply to a call that is no longer awaited. */
void long_call_answered(struct rpcrdma_conn *conn, uint32_t xid);
void long_call_release_all(struct rpcrdma_conn *conn);

/* reply.c */

/* Handles one received Send: finds its call and finishes it. A reply that belongs to no call is
 * dropped (RFC 8166 section 4.5), unless exactly one call waits: then it is that call's. A late
 * one, to a call that is no longer awaited, is always dropped. */
void reply_receive(struct rpcrdma_conn *conn, const struct transport_msg *msg);

#endif
