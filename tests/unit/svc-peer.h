/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* A server of the example's echo program, and of one that misbehaves on demand, in a thread of the
 * test; on loopback over software iWARP, or as NFSRDMA_TEST_TRANSPORT and NFSRDMA_TEST_ADDRESS
 * say. */
#ifndef TESTS_UNIT_SVC_PEER_H
#define TESTS_UNIT_SVC_PEER_H

#include <pthread.h>

#include "rpcrdma/tirpc/internal.h"

#include "echo.h"
#include "tests/unit/suite.h"

void echo_program_1(struct svc_req *req, SVCXPRT *xprt);

#define ODD_PROGRAM 0x20050

enum odd_procedure {
	ODD_SLEEP = 1, /* unsigned int ms -> the same */
	ODD_SILENT,    /* no reply, ever */
	ODD_WEAK,      /* the credential is too weak */
	ODD_FAILED,    /* a system error */
	ODD_PORT,      /* -> the caller's port, by the SVCXPRT */
	ODD_TWICE,     /* -> 1 if a second reply is refused */
	ODD_NO_RESULT, /* a result that cannot be encoded */
	ODD_NULL_XPRT, /* -> 1 if what an SVCXPRT cannot do here is refused */
};

static struct rpcrdma_svc *svc;
static int svc_stop[2];
static pthread_t svc_thread;
static unsigned int odd_calls;

static inline bool_t xdr_refuse(XDR *xdrs, ...)
{
	(void)xdrs;
	return FALSE;
}

static inline void odd_reply(SVCXPRT *xprt, u_int value)
{
	if (!svc_sendreply(xprt, (xdrproc_t)xdr_u_int, &value))
		svcerr_systemerr(xprt);
}

static inline void odd_sleep(SVCXPRT *xprt)
{
	u_int ms = 0;

	if (!svc_getargs(xprt, (xdrproc_t)xdr_u_int, &ms)) {
		svcerr_decode(xprt);
		return;
	}
	usleep(ms * 1000);
	odd_reply(xprt, ms);
}

static inline void odd_port(SVCXPRT *xprt)
{
	const struct netbuf *peer = svc_getrpccaller(xprt);
	struct transport_address a = { .len = peer->len };

	memcpy(&a.addr, peer->buf, peer->len);
	odd_reply(xprt, transport_port(&a));
}

static inline void odd_twice(SVCXPRT *xprt)
{
	u_int value = 1, other = 2;

	svc_sendreply(xprt, (xdrproc_t)xdr_u_int, &value);
	if (svc_sendreply(xprt, (xdrproc_t)xdr_u_int, &other))
		abort();
}

static inline void odd_null_xprt(SVCXPRT *xprt)
{
	struct rpc_msg msg;
	u_int value = 0;
	bool refused = !SVC_RECV(xprt, &msg) && SVC_STAT(xprt) == XPRT_IDLE &&
		       !SVC_CONTROL(xprt, SVCGET_VERSQUIET, &value);

	SVC_DESTROY(xprt);
	odd_reply(xprt, refused);
}

static inline void odd_program(struct svc_req *req, SVCXPRT *xprt)
{
	odd_calls++;
	switch (req->rq_proc) {
	case ODD_SLEEP: odd_sleep(xprt); break;
	case ODD_SILENT: break;
	case ODD_WEAK: svcerr_weakauth(xprt); break;
	case ODD_FAILED: svcerr_systemerr(xprt); break;
	case ODD_NO_RESULT:
		if (!svc_sendreply(xprt, xdr_refuse, NULL))
			svcerr_systemerr(xprt);
		break;
	case ODD_PORT: odd_port(xprt); break;
	case ODD_TWICE: odd_twice(xprt); break;
	case ODD_NULL_XPRT: odd_null_xprt(xprt); break;
	default: svcerr_noproc(xprt);
	}
}

static inline const char *svc_transport(void)
{
	const char *name = getenv("NFSRDMA_TEST_TRANSPORT");

	return name && *name ? name : "iwarp";
}

static inline const char *svc_host(void)
{
	const char *address = getenv("NFSRDMA_TEST_ADDRESS");

	return address && *address ? address : "127.0.0.1";
}

static inline void *svc_run_thread(void *arg)
{
	if (rpcrdma_svc_run(svc, svc_stop[0]))
		abort();
	return arg;
}

static inline void svc_begin(void)
{
	const struct rpcrdma_svc_options options = {
		.size = sizeof(options),
		.host = svc_host(),
		.transport = svc_transport(),
		.tcp = 1,
		.credits = 8,
	};

	CU_ASSERT_EQUAL_FATAL(rpcrdma_svc_open(&svc, &options), 0);
	CU_ASSERT_EQUAL(rpcrdma_svc_register(svc, ECHO_PROGRAM, ECHO_VERSION, echo_program_1), 0);
	CU_ASSERT_EQUAL(rpcrdma_svc_register(svc, ODD_PROGRAM, 2, odd_program), 0);
	CU_ASSERT_EQUAL(rpcrdma_svc_register(svc, ODD_PROGRAM, 5, odd_program), 0);
	CU_ASSERT_EQUAL_FATAL(pipe(svc_stop), 0);
	CU_ASSERT_EQUAL_FATAL(pthread_create(&svc_thread, NULL, svc_run_thread, NULL), 0);
}

static inline void svc_end(void)
{
	close(svc_stop[1]);
	pthread_join(svc_thread, NULL);
	close(svc_stop[0]);
	rpcrdma_svc_close(svc);
	svc = NULL;
}

static inline CLIENT *svc_client(rpcprog_t prog, rpcvers_t vers)
{
	CLIENT *client = clnt_rdma_open(svc_host(), rpcrdma_svc_port(svc), prog, vers,
					svc_transport(), 10000);

	if (!client)
		printf("%s: %s\n", clnt_spcreateerror("no client"), rpcrdma_error());
	CU_ASSERT_PTR_NOT_NULL_FATAL(client);
	return client;
}

static const struct timeval svc_wait = { 20, 0 };

/* xdr_void() without the cast of one function type to another. */
static inline bool_t xdr_nothing(XDR *xdrs, ...)
{
	(void)xdrs;
	return TRUE;
}

/* A procedure of one number and one number. */
static inline enum clnt_stat odd_call(CLIENT *client, rpcproc_t proc, u_int arg, u_int *result,
				      struct timeval wait)
{
	return clnt_call(client, proc, (xdrproc_t)xdr_u_int, (char *)&arg, (xdrproc_t)xdr_u_int,
			 (char *)result, wait);
}

#endif
