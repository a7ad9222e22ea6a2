/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* librpcrdma for programs that rpcgen made: a libtirpc CLIENT whose calls go by RPC-over-RDMA, and
 * a server that runs the dispatch functions of `rpcgen -m`. See rpcrdma(3). */
#ifndef RPCRDMA_CLNT_H
#define RPCRDMA_CLNT_H

#include <rpc/rpc.h>

#include "rpcrdma.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Clients */

/* A CLIENT over a connection, which stays the caller's: it is closed after clnt_destroy(), and may
 * have several CLIENTs, of one program or of many. It starts with AUTH_NONE; cl_auth is the
 * caller's, as with every CLIENT. Nothing is sent.
 * ERRORS NULL, and rpc_createerr says why. */
CLIENT *clnt_rdma_create(struct rpcrdma_conn *conn, rpcprog_t prog, rpcvers_t vers);

/* Connects, and returns a CLIENT that closes the connection when it is destroyed. @port 0 is
 * 20049, @transport NULL chooses by the route, @timeout_ms 0 is ten seconds: as in struct
 * rpcrdma_target, which with rpcrdma_connect() and clnt_rdma_create() has the rest.
 * ERRORS NULL, and rpc_createerr says why: RPC_UNKNOWNHOST, RPC_UNKNOWNPROTO (the transport),
 *   RPC_TIMEDOUT, RPC_SYSTEMERROR with the errno; rpcrdma_error() has the words. */
CLIENT *clnt_rdma_open(const char *host, uint16_t port, rpcprog_t prog, rpcvers_t vers,
		       const char *transport, uint32_t timeout_ms);

/* Requests of clnt_control() that only these CLIENTs have: bytes of the largest result that is
 * expected (uint32_t). That much memory is offered to the server with each call, unless it fits
 * in a Send. 1 MiB (and 4096 bytes) at first, 2 MiB (and 4096 bytes) at most. */
#define CLGET_RDMA_RESULT_MAX 0x52440001
#define CLSET_RDMA_RESULT_MAX 0x52440002

/* Servers */

struct rpcrdma_svc;

struct rpcrdma_svc_options {
	size_t size;
	const char *host;      /* number of the address to listen at; NULL: 127.0.0.1 */
	const char *transport; /* "verbs", "iwarp"; NULL: iwarp */
	uint16_t port;         /* 0: the kernel picks one */
	uint16_t tcp_port;     /* of RPC over TCP; 0: the kernel picks one */
	uint32_t tcp;          /* not 0: serve RPC over TCP too */
	uint32_t credits;      /* calls under way of each connection; 0: 64 */
};

/* Listens. *@svc is the caller's, to be closed; it is untouched on failure.
 * ERRORS -errno of bind and listen, with the address in words; -EINVAL a struct of another size, or
 *   host is no number of an address; -EPROTONOSUPPORT no such transport; -ENODEV no RDMA device. */
int rpcrdma_svc_open(struct rpcrdma_svc **svc, const struct rpcrdma_svc_options *options);

/* Adds a program. @dispatch is what rpcgen -m wrote, or one written for svc_reg(3): called for one
 * call at a time, in threads of the library. What it may do with its SVCXPRT is in rpcrdma(3).
 * ERRORS -EEXIST it is there already; -ENOSPC there are 64; -EBUSY it is being served. */
int rpcrdma_svc_register(struct rpcrdma_svc *svc, rpcprog_t prog, rpcvers_t vers,
			 void (*dispatch)(struct svc_req *, SVCXPRT *));

/* Where it listens. 0: it does not. */
uint16_t rpcrdma_svc_port(const struct rpcrdma_svc *svc);
uint16_t rpcrdma_svc_tcp_port(const struct rpcrdma_svc *svc);

/* Serves until @stop_fd becomes readable or its other end is closed; then ends every connection.
 * ERRORS -errno of poll. */
int rpcrdma_svc_run(struct rpcrdma_svc *svc, int stop_fd);

/* To be called when rpcrdma_svc_run() has returned. NULL is fine. */
void rpcrdma_svc_close(struct rpcrdma_svc *svc);

#ifdef __cplusplus
}
#endif

#endif
