/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* A requester of RPC-over-RDMA v1 (RFC 8166): one connection, credits, xid matching, several
 * calls in flight, Write and Reply chunks chosen by the caller and never by size. A call that is
 * too long for a Send is a Read chunk at position zero (section 3.5.3). One thread.
 *
 * Unlike a production client it records the peer's violations for the probe. */
#ifndef RPCRDMA_CLIENT_H
#define RPCRDMA_CLIENT_H

#include "rpcrdma/rpcrdma.h"
#include "rpcrdma/transport/transport.h"
#include "rpcrdma/wire/wire.h"

#define RPCRDMA_INLINE_SIZE 4096 /* what we advertise in both directions */
#define RPCRDMA_CREDITS     32   /* requested by default */
#define RPCRDMA_SEND_MS     2000 /* send_ms if the user sets the deadlines */
#define RPCRDMA_SEGMENTS    16   /* a chunk: what every server must take, RFC 8267 6.4.2 */

struct rpcrdma_options {
	const struct transport_ops *transport;
	struct transport_address to;
	const struct transport_address *bind; /* as in transport_param, both */
	const char *device;
	uint32_t credits;
	bool no_private_data;
	bool no_crc;
	uint8_t mpa_revision; /* 0: any, and no CRC if the peer refuses it */
	uint64_t answer_by;   /* as in transport_param */
	struct pcap *pcap;
	void (*on_write)(void *arg, const struct transport_tagged *placed);
	void *on_write_arg;
};

/* Memory that the peer may write: @base and @length are the caller's, the rest is filled in by
 * rpcrdma_register(). The peer can reach exactly these bytes. */
struct rpcrdma_memory {
	void *base;
	uint32_t length;
	struct transport_region region;
};

/* One call. The caller fills in the first part, owns @args and the memory, and keeps the whole
 * struct in place until the call is done or the connection is closed. */
struct rpcrdma_call {
	uint32_t prog, vers, proc;
	const struct rpc_cred *cred; /* NULL: AUTH_NONE */
	const uint8_t *auth;         /* instead of cred: credential and verifier, encoded */
	size_t auth_len;
	const void *args;
	size_t args_len;
	/* An opaque argument that may be reduced (RFC 8166 section 3.4.4): its bytes, which @args
	 * does not have, belong at @data_at of it, after their length word. They are sent with
	 * their padding, or as a Read chunk of read_count segments, which contain them. */
	const void *data;
	size_t data_len, data_at;
	const struct rpcrdma_memory *read; /* of rpcrdma_register_source() */
	uint32_t read_count;
	const struct rpcrdma_memory *write; /* one Write chunk of write_count segments */
	uint32_t write_count;
	const struct rpcrdma_memory *reply; /* the Reply chunk */
	uint32_t reply_count;
	bool call_by_chunk; /* the server fetches the call even if it fits inline */
	/* Time for the Send itself, regardless of the deadline: cutting it short ends the
	 * connection, which a caller with a short wait for the reply does not intend. 0: the
	 * deadline. */
	uint32_t send_ms;

	/* Result. rc is -EINPROGRESS until it is done, then 0 for an RPC reply of any kind
	 * (look at rpc_reply_check), or -errno with its words in text:
	 *   -ETIMEDOUT, -ECONNRESET, -EPROTO, -EREMOTEIO  from the transport
	 *   -EILSEQ   the reply has another xid, in the transport header or in the RPC message
	 *   -EBADMSG  the reply's header or RPC message cannot be parsed
	 *   -EBADE    RDMA_ERROR: header.rdma_err says which */
	int rc;
	char text[256];
	uint32_t xid;
	struct rpcrdma_header header; /* of the reply, lists as the peer returned them */
	struct rpc_reply rpc;
	bool reply_by_chunk;    /* RDMA_NOMSG: the RPC message was in the Reply chunk */
	size_t call_len;        /* bytes of our Send */
	size_t send_len;        /* bytes of the peer's Send */
	const uint8_t *results; /* after the RPC reply header; valid until call_fini */
	size_t results_len;
	uint64_t sent_ns, done_ns;

	/* Private: the reply's message, on the heap; memory of a long call. */
	uint8_t *message;
	struct long_call *long_call;
	struct rpcrdma_call *next;
};

/* conn.c */

/* Connects and negotiates; no RPC is sent. Errors: as transport_ops.connect. */
int rpcrdma_open(struct rpcrdma_conn **out, const struct rpcrdma_options *options,
		 uint64_t deadline);
/* rpcrdma_close() is public; calls in flight are done with -ECANCELED. */
void rpcrdma_close_p(struct rpcrdma_conn **conn);

const struct transport *rpcrdma_transport(const struct rpcrdma_conn *conn);
const struct rpcrdma_private *rpcrdma_peer_private(const struct rpcrdma_conn *conn);
/* The largest call and reply that go inline, transport header included. */
uint32_t rpcrdma_call_inline(const struct rpcrdma_conn *conn);
uint32_t rpcrdma_reply_inline(const struct rpcrdma_conn *conn);
/* Calls that may be in flight: 1 until the first reply, then min(asked, granted), at least 1. */
uint32_t rpcrdma_credits(const struct rpcrdma_conn *conn);
/* The last grant as received, 0 before the first reply. */
uint32_t rpcrdma_granted(const struct rpcrdma_conn *conn);
/* Replies that granted 0 credits, which RFC 8166 section 3.3.1 forbids. */
uint32_t rpcrdma_zero_grants(const struct rpcrdma_conn *conn);
/* Second replies to a call; none are counted once a call was given up, whose reply may come late. */
uint32_t rpcrdma_again(const struct rpcrdma_conn *conn);

/* Sets the next call's xid. It must differ from those of the calls in flight and of the next
 * ones. */
void rpcrdma_set_xid(struct rpcrdma_conn *conn, uint32_t xid);
uint32_t rpcrdma_next_xid(const struct rpcrdma_conn *conn);

/* For threads that share a connection. Nothing here takes the lock. */
void rpcrdma_lock(struct rpcrdma_conn *conn);
void rpcrdma_unlock(struct rpcrdma_conn *conn);

int rpcrdma_register(struct rpcrdma_conn *conn, struct rpcrdma_memory *memory);
/* For a Read chunk: the peer may read it, and not write. */
int rpcrdma_register_source(struct rpcrdma_conn *conn, struct rpcrdma_memory *memory);
/* Accepts memory that was never registered. */
void rpcrdma_deregister(struct rpcrdma_conn *conn, struct rpcrdma_memory *memory);

/* call.c */

void rpcrdma_call_init(struct rpcrdma_call *call, uint32_t prog, uint32_t vers, uint32_t proc);
void rpcrdma_call_fini(struct rpcrdma_call *call);
/* Sends, after waiting for a credit. A call that fits the inline threshold with its chunks is
 * sent inline; a longer one is copied to memory that the peer may read until the call is done,
 * or, after a time-out, until its reply arrives or the connection is closed. Errors of the
 * connection, which are call->rc as well; -EMSGSIZE if the RPC message is over
 * RPCRDMA_MESSAGE_MAX, or the chunk lists alone are longer than the threshold. */
int rpcrdma_start(struct rpcrdma_conn *conn, struct rpcrdma_call *call, uint64_t deadline);
/* Returns call->rc. After -ETIMEDOUT the call is forgotten, and the connection should be closed
 * before the call's memory is used again: the reply may still arrive. */
int rpcrdma_wait(struct rpcrdma_conn *conn, struct rpcrdma_call *call, uint64_t deadline);
/* The same, but -ETIMEDOUT leaves the call in flight (call->rc is -EINPROGRESS): it keeps its
 * credit and its memory, and may be waited for again. */
int rpcrdma_poll(struct rpcrdma_conn *conn, struct rpcrdma_call *call, uint64_t deadline);
/* Receives until the deadline; replies complete their calls. 0, or the error that ended the
 * connection. */
int rpcrdma_idle(struct rpcrdma_conn *conn, uint64_t deadline);
/* Ends a call in flight with -ECANCELED, and forgets it as after a time-out. */
void rpcrdma_forget(struct rpcrdma_conn *conn, struct rpcrdma_call *call);
/* rpcrdma_start() and rpcrdma_wait(). */
int rpcrdma_call(struct rpcrdma_conn *conn, struct rpcrdma_call *call, uint64_t deadline);

#endif
