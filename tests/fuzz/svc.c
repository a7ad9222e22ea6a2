/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* What anybody may send to a program of rpcgen: one RDMA Send. A dispatch function gets arguments within their
 * bounds, and what it returns arrives as it was; a reply parses, and is within the inline limit. The first handles
 * name memory (requester.h). */
#include "tests/fuzz/lists.h"
#include "tests/support/requester.h"

#define PROGRAM 0x20000001

enum procedure { NOTHING, ECHO, SILENT, WEAK, NO_RESULT, TWICE };

static struct requester peer;
static struct server_options options;
static uint8_t message[SERVER_RECV_SIZE], memory[65536];
static bool echoed;

/* xdr_void() without the cast of one function type to another. */
static bool_t xdr_nothing(XDR *xdrs, ...)
{
	(void)xdrs;
	return TRUE;
}

static bool_t xdr_refuse(XDR *xdrs, ...)
{
	(void)xdrs;
	return FALSE;
}

static void dispatch_echo(SVCXPRT *xprt)
{
	struct lists lists = { 0 };

	if (!svc_getargs(xprt, (xdrproc_t)lists_xdr, (char *)&lists)) {
		svcerr_decode(xprt);
		return;
	}
	lists_check(&lists);
	echoed = svc_sendreply(xprt, (xdrproc_t)lists_xdr, (char *)&lists);
	if (!echoed)
		svcerr_systemerr(xprt);
	FUZZ_CHECK(svc_freeargs(xprt, (xdrproc_t)lists_xdr, (char *)&lists));
}

static void dispatch_other(struct svc_req *req, SVCXPRT *xprt)
{
	FUZZ_CHECK(req->rq_cred.oa_length <= RPC_AUTH_BODY_MAX);
	FUZZ_CHECK((req->rq_cred.oa_flavor == AUTH_SYS) == !!req->rq_clntcred);
	switch (req->rq_proc) {
	case NOTHING: svc_sendreply(xprt, xdr_nothing, NULL); break;
	case ECHO: dispatch_echo(xprt); break;
	case SILENT: break;
	case WEAK: svcerr_weakauth(xprt); break;
	case NO_RESULT: FUZZ_CHECK(!svc_sendreply(xprt, xdr_refuse, NULL)); break;
	case TWICE:
		FUZZ_CHECK(svc_sendreply(xprt, xdr_nothing, NULL));
		FUZZ_CHECK(!svc_sendreply(xprt, xdr_nothing, NULL));
		break;
	default: svcerr_noproc(xprt);
	}
}

static bool run(void *arg, struct server_call *call)
{
	(void)arg;
	echoed = false;
	return svc_xprt_dispatch(call, dispatch_other);
}

static void start(void)
{
	static const struct server_program program = { PROGRAM, 1, run, NULL };
	static const struct server_program *const table[] = { &program, NULL };

	options.programs = table;
	FUZZ_CHECK(!requester_init(&peer, &options));
}

/* The reply came in the Send. */
static void check_reply(void)
{
	struct lists lists = { 0 };
	char *bytes;
	XDR xdrs;

	FUZZ_CHECK(!requester_parse(&peer));
	if (!echoed || peer.reply_header.rdma_proc == RDMA_ERROR)
		return;
	memcpy(&bytes, &peer.results.p, sizeof(bytes));
	xdrmem_create(&xdrs, bytes, (u_int)reader_left(&peer.results), XDR_DECODE);
	FUZZ_CHECK(lists_xdr(&xdrs, &lists));
	FUZZ_CHECK(xdr_getpos(&xdrs) == reader_left(&peer.results));
	xdr_free((xdrproc_t)lists_xdr, (char *)&lists);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (!options.programs)
		start();
	if (size > sizeof(message))
		return 0;
	memcpy(message, data, size);
	requester_next(&peer);
	requester_memory(&peer, memory, sizeof(memory));
	echoed = false;
	if (rdma_message(&peer.session, message, size))
		echoed = false;
	FUZZ_CHECK(peer.sends <= 1 && peer.sent_len <= peer.session.reply_inline);
	/* The segments of a Reply chunk are the input's. */
	if (peer.sends && get_be32(peer.sent + 12) != RDMA_NOMSG)
		check_reply();
	return 0;
}
