/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The CLIENT of libtirpc over RPC-over-RDMA: create, query, change and destroy. A table has the
 * requests of clnt_control(3). */
#include "rpcrdma/tirpc/internal.h"

bool clnt_is_timeout(const struct timeval *t)
{
	return t->tv_sec >= 0 && t->tv_sec <= 100000000 && t->tv_usec >= 0 && t->tv_usec <= 1000000;
}

/* clnt_control() */

static bool clnt_get_timeout(struct clnt *c, void *info)
{
	memcpy(info, &c->wait, sizeof(c->wait));
	return true;
}

static bool clnt_set_timeout(struct clnt *c, void *info)
{
	struct timeval wait;

	memcpy(&wait, info, sizeof(wait));
	if (!clnt_is_timeout(&wait))
		return false;
	c->wait = wait;
	c->wait_set = true;
	return true;
}

/* Copies the sockaddr itself; the caller has room for one of any family. */
static bool clnt_get_server_addr(struct clnt *c, void *info)
{
	memcpy(info, &c->server.addr, c->server.len);
	return true;
}

/* Returns a netbuf that points at the CLIENT's address. */
static bool clnt_get_svc_addr(struct clnt *c, void *info)
{
	const struct netbuf buf = {
		.maxlen = sizeof(c->server.addr),
		.len = c->server.len,
		.buf = &c->server.addr,
	};

	memcpy(info, &buf, sizeof(buf));
	return true;
}

static bool clnt_get_u32(void *info, uint32_t value)
{
	memcpy(info, &value, sizeof(value));
	return true;
}

static uint32_t clnt_u32(const void *info)
{
	uint32_t value;

	memcpy(&value, info, sizeof(value));
	return value;
}

static bool clnt_get_xid(struct clnt *c, void *info)
{
	return clnt_get_u32(info, c->xid);
}

static bool clnt_set_xid(struct clnt *c, void *info)
{
	c->xid = clnt_u32(info);
	rpcrdma_set_xid(c->conn, c->xid);
	return true;
}

static bool clnt_get_vers(struct clnt *c, void *info)
{
	return clnt_get_u32(info, (uint32_t)c->vers);
}

static bool clnt_set_vers(struct clnt *c, void *info)
{
	c->vers = clnt_u32(info);
	return true;
}

static bool clnt_get_prog(struct clnt *c, void *info)
{
	return clnt_get_u32(info, (uint32_t)c->prog);
}

static bool clnt_set_prog(struct clnt *c, void *info)
{
	c->prog = clnt_u32(info);
	return true;
}

static bool clnt_get_result_max(struct clnt *c, void *info)
{
	return clnt_get_u32(info, c->result_max);
}

static bool clnt_set_result_max(struct clnt *c, void *info)
{
	uint32_t max = clnt_u32(info);

	if (max > CLNT_RESULT_LIMIT)
		return false;
	c->result_max = max;
	return true;
}

/* Other requests are refused: there is no descriptor that a caller could use (CLGET_FD,
 * CLSET_FD_CLOSE, CLSET_FD_NCLOSE), a connection cannot change its server (CLSET_SVC_ADDR), and
 * the rest is for datagrams. */
static const struct {
	u_int request;
	bool (*run)(struct clnt *c, void *info);
} clnt_controls[] = {
	{ CLSET_TIMEOUT, clnt_set_timeout },
	{ CLGET_TIMEOUT, clnt_get_timeout },
	{ CLGET_SERVER_ADDR, clnt_get_server_addr },
	{ CLGET_SVC_ADDR, clnt_get_svc_addr },
	{ CLGET_XID, clnt_get_xid },
	{ CLSET_XID, clnt_set_xid },
	{ CLGET_VERS, clnt_get_vers },
	{ CLSET_VERS, clnt_set_vers },
	{ CLGET_PROG, clnt_get_prog },
	{ CLSET_PROG, clnt_set_prog },
	{ CLGET_RDMA_RESULT_MAX, clnt_get_result_max },
	{ CLSET_RDMA_RESULT_MAX, clnt_set_result_max },
};

static bool_t clnt_control_run(CLIENT *client, u_int request, void *info)
{
	struct clnt *c = client->cl_private;
	bool done = false;
	size_t i;

	if (!info)
		return FALSE;
	rpcrdma_lock(c->conn);
	for (i = 0; i < ARRAY_SIZE(clnt_controls); i++)
		if (clnt_controls[i].request == request)
			done = clnt_controls[i].run(c, info);
	rpcrdma_unlock(c->conn);
	return done ? TRUE : FALSE;
}

/* The rest of cl_ops */

static void clnt_abort_run(CLIENT *client)
{
	(void)client; /* nothing to do, as over TCP */
}

static void clnt_geterr_run(CLIENT *client, struct rpc_err *error)
{
	struct clnt *c = client->cl_private;

	*error = c->error;
}

static bool_t clnt_freeres_run(CLIENT *client, xdrproc_t xdr_results, void *results)
{
	XDR xdrs = { .x_op = XDR_FREE };

	(void)client;
	return xdr_results(&xdrs, results);
}

/* Also accepts a partly created CLIENT. */
static void clnt_destroy_run(CLIENT *client)
{
	struct clnt *c = client->cl_private;

	if (c) {
		rpcrdma_lock(c->conn);
		clnt_call_forget_all(c);
		rpcrdma_unlock(c->conn);
		if (c->owns_conn)
			rpcrdma_close(c->conn);
	}
	free(c);
	free(client->cl_netid);
	free(client);
}

/* libtirpc's member is not const, but it is not written to. */
static struct clnt_ops clnt_rdma_ops = {
	.cl_call = clnt_call_run,
	.cl_abort = clnt_abort_run,
	.cl_geterr = clnt_geterr_run,
	.cl_freeres = clnt_freeres_run,
	.cl_destroy = clnt_destroy_run,
	.cl_control = clnt_control_run,
};

/* Creation */

static CLIENT *clnt_create_error(enum clnt_stat stat, int errnum)
{
	rpc_createerr.cf_stat = stat;
	memset(&rpc_createerr.cf_error, 0, sizeof(rpc_createerr.cf_error));
	rpc_createerr.cf_error.re_status = stat;
	rpc_createerr.cf_error.re_errno = errnum;
	return NULL;
}

CLIENT *clnt_rdma_create(struct rpcrdma_conn *conn, rpcprog_t prog, rpcvers_t vers)
{
	CLIENT *client = calloc(1, sizeof(*client));
	struct clnt *c = calloc(1, sizeof(*c));
	char *netid = NULL;

	if (c) {
		c->server = rpcrdma_transport(conn)->peer;
		/* RFC 8166 section 8 */
		netid = strdup(c->server.addr.ss_family == AF_INET6 ? "rdma6" : "rdma");
	}
	if (!client || !c || !netid) {
		free(client);
		free(c);
		free(netid);
		return clnt_create_error(RPC_SYSTEMERROR, ENOMEM);
	}
	c->conn = conn;
	c->prog = prog;
	c->vers = vers;
	c->result_max = CLNT_RESULT_MAX;
	c->xid = rpcrdma_next_xid(conn);
	client->cl_ops = &clnt_rdma_ops;
	client->cl_private = c;
	client->cl_netid = netid;
	client->cl_auth = authnone_create();
	return client;
}

static CLIENT *clnt_open_error(int rc)
{
	switch (rc) {
	case -ENOENT: return clnt_create_error(RPC_UNKNOWNHOST, ENOENT);
	case -EPROTONOSUPPORT: return clnt_create_error(RPC_UNKNOWNPROTO, EPROTONOSUPPORT);
	case -ETIMEDOUT: return clnt_create_error(RPC_TIMEDOUT, ETIMEDOUT);
	default: return clnt_create_error(RPC_SYSTEMERROR, -rc);
	}
}

CLIENT *clnt_rdma_open(const char *host, uint16_t port, rpcprog_t prog, rpcvers_t vers,
		       const char *transport, uint32_t timeout_ms)
{
	const struct rpcrdma_target target = {
		.size = sizeof(target),
		.host = host,
		.transport = transport,
		.port = port,
		.timeout_ms = timeout_ms,
	};
	struct rpcrdma_conn *conn;
	struct clnt *c;
	CLIENT *client;
	int rc;

	rc = rpcrdma_connect(&conn, &target);
	if (rc)
		return clnt_open_error(rc);
	client = clnt_rdma_create(conn, prog, vers);
	if (!client) {
		rpcrdma_close(conn);
		return NULL;
	}
	c = client->cl_private;
	c->owns_conn = true;
	return client;
}
