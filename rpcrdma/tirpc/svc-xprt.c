/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* One call as a dispatch function of rpcgen sees it: an SVCXPRT that holds the arguments and
 * takes the reply. It exists for the length of the call. svc_getargs(), svc_freeargs(),
 * svc_sendreply() and the svcerr_ family work, and it has the addresses of both ends; it has no
 * descriptor, and is not registered with libtirpc. */
#include "rpcrdma/tirpc/internal.h"

struct svc_xprt {
	SVCXPRT svc; /* first */
	struct server_call *call;
	bool replied;
};

/* xp_ops */

static bool_t xprt_recv(SVCXPRT *svc, struct rpc_msg *msg)
{
	(void)svc, (void)msg;
	return FALSE;
}

static enum xprt_stat xprt_status(SVCXPRT *svc)
{
	(void)svc;
	return XPRT_IDLE;
}

static bool_t xprt_getargs(SVCXPRT *svc, xdrproc_t xdr_args, void *args)
{
	struct svc_xprt *x = (struct svc_xprt *)svc;
	char *bytes;
	XDR xdrs;

	memcpy(&bytes, &x->call->args, sizeof(bytes));
	xdrmem_create(&xdrs, bytes, (u_int)x->call->args_len, XDR_DECODE);
	if (xdr_args(&xdrs, args))
		return TRUE;
	/* On a decoding error a dispatch function sends the error reply and frees nothing. */
	xdr_free(xdr_args, args);
	return FALSE;
}

static bool_t xprt_freeargs(SVCXPRT *svc, xdrproc_t xdr_args, void *args)
{
	XDR xdrs = { .x_op = XDR_FREE };

	(void)svc;
	return xdr_args(&xdrs, args);
}

static bool xprt_put_results(struct svc_xprt *x, xdrproc_t xdr_results, void *results)
{
	unsigned long len = xdr_sizeof(xdr_results, results);
	uint8_t *bytes = server_results(x->call, len);
	XDR xdrs;

	if (!bytes)
		return false;
	xdrmem_create(&xdrs, (char *)bytes, (u_int)len, XDR_ENCODE);
	return xdr_results(&xdrs, results) && xdr_getpos(&xdrs) == len;
}

/* Takes the message that libtirpc built for svc_sendreply() or svcerr_*(). */
static bool_t xprt_reply(SVCXPRT *svc, struct rpc_msg *msg)
{
	struct svc_xprt *x = (struct svc_xprt *)svc;
	struct rpc_reply *reply = x->call->reply;

	if (x->replied)
		return FALSE;
	if (msg->rm_reply.rp_stat == MSG_DENIED) {
		reply->reply_stat = RPC_MSG_DENIED;
		reply->reject_stat = RPC_AUTH_ERROR;
		reply->auth_stat = msg->rjcted_rply.rj_why;
	} else {
		reply->accept_stat = msg->acpted_rply.ar_stat;
		if (reply->accept_stat == RPC_PROG_MISMATCH) {
			reply->low = (uint32_t)msg->acpted_rply.ar_vers.low;
			reply->high = (uint32_t)msg->acpted_rply.ar_vers.high;
		} else if (reply->accept_stat == RPC_SUCCESS &&
			   !xprt_put_results(x, msg->acpted_rply.ar_results.proc,
					     msg->acpted_rply.ar_results.where)) {
			return FALSE; /* and svcerr_systemerr() may follow */
		}
	}
	x->replied = true;
	return TRUE;
}

static void xprt_destroy(SVCXPRT *svc)
{
	(void)svc; /* it is the call's */
}

static bool_t xprt_control(SVCXPRT *svc, const u_int request, void *info)
{
	(void)svc, (void)request, (void)info;
	return FALSE;
}

static const struct xp_ops xprt_ops = {
	.xp_recv = xprt_recv,
	.xp_stat = xprt_status,
	.xp_getargs = xprt_getargs,
	.xp_reply = xprt_reply,
	.xp_freeargs = xprt_freeargs,
	.xp_destroy = xprt_destroy,
};

static const struct xp_ops2 xprt_ops2 = { .xp_control = xprt_control };

/* The call */

static struct netbuf xprt_netbuf(const struct transport_address *a)
{
	struct netbuf buf = { .maxlen = sizeof(a->addr), .len = a->len };
	const struct sockaddr_storage *addr = &a->addr;

	memcpy(&buf.buf, &addr, sizeof(addr));
	return buf;
}

static void xprt_init(struct svc_xprt *x, struct server_call *call)
{
	const struct transport_address *peer = call->peer;

	memset(x, 0, sizeof(*x));
	x->call = call;
	x->svc.xp_fd = -1;
	x->svc.xp_ops = &xprt_ops;
	x->svc.xp_ops2 = &xprt_ops2;
	x->svc.xp_ltaddr = xprt_netbuf(call->local);
	x->svc.xp_rtaddr = xprt_netbuf(peer);
	x->svc.xp_port = transport_port(call->local);
	/* For svc_getcaller(), which old programs use. */
	if (peer->len <= sizeof(x->svc.xp_raddr)) {
		memcpy(&x->svc.xp_raddr, &peer->addr, peer->len);
		x->svc.xp_addrlen = (int)peer->len;
	}
}

/* The credential in libtirpc's form for dispatch functions: raw, and AUTH_SYS decoded. The server
 * has checked that it is well-formed. */
static void xprt_take_cred(struct svc_req *req, const struct rpc_call *rpc,
			   struct authunix_parms *sys)
{
	const uint8_t *body;
	struct reader r;
	uint32_t len;
	XDR xdrs;

	reader_init(&r, rpc->auth, rpc->auth_len);
	req->rq_cred.oa_flavor = (enum_t)reader_u32(&r);
	body = reader_opaque(&r, RPC_AUTH_BODY_MAX, &len);
	memcpy(&req->rq_cred.oa_base, &body, sizeof(body));
	req->rq_cred.oa_length = len;
	if (req->rq_cred.oa_flavor != AUTH_SYS)
		return;
	xdrmem_create(&xdrs, req->rq_cred.oa_base, len, XDR_DECODE);
	if (xdr_authunix_parms(&xdrs, sys))
		req->rq_clntcred = sys;
}

bool svc_xprt_dispatch(struct server_call *call, void (*dispatch)(struct svc_req *, SVCXPRT *))
{
	const struct rpc_call *rpc = call->rpc;
	struct authunix_parms sys = { 0 };
	struct svc_req req = { 0 };
	struct svc_xprt x;

	xprt_init(&x, call);
	req.rq_prog = rpc->prog;
	req.rq_vers = rpc->vers;
	req.rq_proc = rpc->proc;
	req.rq_xprt = &x.svc;
	xprt_take_cred(&req, rpc, &sys);
	if (req.rq_cred.oa_flavor == AUTH_SYS && !req.rq_clntcred)
		svcerr_auth(&x.svc, AUTH_BADCRED);
	else
		dispatch(&req, &x.svc);
	xdr_free((xdrproc_t)xdr_authunix_parms, &sys);
	return x.replied;
}
