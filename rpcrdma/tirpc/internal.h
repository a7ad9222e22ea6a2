/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Files of rpcrdma/tirpc, the only folder that uses libtirpc. It is above client/ and server/:
 * its CLIENT is built on the one, its SVCXPRT on the other. rpcrdma-clnt.h is the interface for
 * others.
 *
 *	clnt.c       the CLIENT: made, asked, changed, destroyed
 *	clnt-call.c  its calls
 *	svc.c        the server: listens, knows programs, runs
 *	svc-xprt.c   one call as a dispatch function sees it
 *
 * libtirpc encodes and decodes by xdrmem alone, over exactly the bytes of the message. */
#ifndef RPCRDMA_TIRPC_INTERNAL_H
#define RPCRDMA_TIRPC_INTERNAL_H

#include <pthread.h>

#include "rpcrdma/tirpc/tirpc-compat.h"

#include "rpcrdma/client/client.h"
#include "rpcrdma/rpcrdma-clnt.h"
#include "rpcrdma/server/server.h"

#define CLNT_RESULT_MAX   (1024 * 1024 + 4096) /* initially */
#define CLNT_RESULT_LIMIT (2 * 1024 * 1024 + 4096)

/* clnt.c */

/* The data in cl_private. */
struct clnt {
	struct rpcrdma_conn *conn;
	bool owns_conn;
	rpcprog_t prog;
	rpcvers_t vers;
	struct timeval wait; /* CLSET_TIMEOUT */
	bool wait_set;
	uint32_t result_max;
	uint32_t xid; /* of the last call */
	struct rpc_err error;
	struct transport_address server;
	struct clnt_attempt *idle;    /* has memory that the next call can use; or NULL */
	struct clnt_attempt *overdue; /* timed out, and still in flight */
};

/* A time-out that is used; others are ignored or refused. */
bool clnt_is_timeout(const struct timeval *t);

/* clnt-call.c */

enum clnt_stat clnt_call_run(CLIENT *client, rpcproc_t proc, xdrproc_t xdr_args, void *args,
			     xdrproc_t xdr_results, void *results, struct timeval timeout);
/* Revokes the memory of all calls. */
void clnt_call_forget_all(struct clnt *c);

/* svc-xprt.c */

/* Runs a dispatch function for one call; false if it made no reply. */
bool svc_xprt_dispatch(struct server_call *call, void (*dispatch)(struct svc_req *, SVCXPRT *));

#endif
