/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The public calls of rpcrdma.h, over client/: options by value, one call at a time. */
#include <stdio.h>

#include "rpcrdma/client/client.h"
#include "rpcrdma/nfs/nfs.h"
#include "rpcrdma/rpcrdma.h"

#define DEFAULT_TIMEOUT_MS 10000
#define ADDRESSES_MAX      16

/* abi_take() needs the structs of version 0.1, even when they have grown since. */
#define TARGET_MIN  sizeof(struct rpcrdma_target)
#define REQUEST_MIN sizeof(struct rpcrdma_request)

const char *rpcrdma_version(void)
{
	return NFSRDMA_VERSION;
}

const char *rpcrdma_error(void)
{
	return err_text();
}

/* Connecting */

/* Uses the requested transport; otherwise verbs if the route leads through an RDMA device. */
static int rpcrdma_choose_transport(struct rpcrdma_options *options, const char *name,
				    uint64_t deadline)
{
	const struct transport_param param = { .bind = options->bind, .device = options->device };
	const struct transport_ops *verbs = transport_find("verbs");
	struct transport_route route;

	if (name) {
		options->transport = transport_find(name);
		return options->transport
			       ? 0
			       : err_set(EPROTONOSUPPORT, "unknown transport '%s'", name);
	}
	options->transport = &transport_iwarp;
	if (verbs && !verbs->route(&options->to, &param, &route, deadline))
		options->transport = verbs;
	else if (options->device)
		return err_context(-ENODEV, "device %s", options->device);
	return 0;
}

/* Tries each address of the host until one answers; reports the first error. */
static int rpcrdma_open_host(struct rpcrdma_conn **conn, struct rpcrdma_options *options,
			     const struct rpcrdma_target *target, uint64_t deadline)
{
	struct transport_address to[ADDRESSES_MAX];
	uint16_t port = target->port ? target->port : NFS_RDMA_PORT;
	struct err_kept first = { 0 };
	int i, count, rc;

	count = transport_resolve(target->host, port, to, ADDRESSES_MAX, deadline);
	if (count < 0)
		return count;
	for (i = 0; i < count; i++) {
		options->to = to[i];
		rc = rpcrdma_choose_transport(options, target->transport, deadline);
		if (!rc)
			rc = rpcrdma_open(conn, options, deadline);
		if (!rc)
			return 0;
		if (!first.rc)
			err_keep(&first, rc);
	}
	return err_again(&first);
}

int rpcrdma_connect(struct rpcrdma_conn **conn, const struct rpcrdma_target *theirs)
{
	struct rpcrdma_options options = { 0 };
	struct rpcrdma_target target;
	struct transport_address bind;
	uint64_t deadline;
	int rc;

	rc = abi_take(&target, sizeof(target), theirs, theirs->size, TARGET_MIN);
	if (rc)
		return rc;
	if (!target.host)
		return err_set(EINVAL, "no host to connect to");
	deadline = deadline_in(target.timeout_ms ? target.timeout_ms : DEFAULT_TIMEOUT_MS);
	if (target.bind) {
		if (transport_resolve(target.bind, 0, &bind, 1, 0) < 0)
			return err_context(-EINVAL, "local address");
		options.bind = &bind;
	}
	options.device = target.device;
	options.credits = target.credits;
	return rpcrdma_open_host(conn, &options, &target, deadline);
}

/* Memory */

int rpcrdma_memory_new(struct rpcrdma_conn *conn, void *base, size_t length,
		       struct rpcrdma_memory **out)
{
	_cleanup_free_ struct rpcrdma_memory *memory = NULL;
	int rc;

	if (!length || length > UINT32_MAX)
		return err_set(EINVAL, "memory of %zu bytes", length);
	memory = calloc(1, sizeof(*memory));
	if (!memory)
		return err_no_memory();
	memory->base = base;
	memory->length = (uint32_t)length;
	rpcrdma_lock(conn);
	rc = rpcrdma_register(conn, memory);
	rpcrdma_unlock(conn);
	if (rc)
		return rc;
	*out = take_ptr(memory);
	return 0;
}

void rpcrdma_memory_free(struct rpcrdma_conn *conn, struct rpcrdma_memory *memory)
{
	if (!memory)
		return;
	rpcrdma_lock(conn);
	rpcrdma_deregister(conn, memory);
	rpcrdma_unlock(conn);
	free(memory);
}

/* Calls */

static int rpcrdma_take_cred(struct rpc_cred *cred, const struct rpcrdma_request *request)
{
	if (request->flavor != RPCRDMA_AUTH_NONE && request->flavor != RPCRDMA_AUTH_SYS)
		return err_set(EINVAL, "authentication flavour %d is not supported",
			       (int)request->flavor);
	if (request->gids_len > RPC_GIDS_MAX)
		return err_set(EINVAL, "%u groups, AUTH_SYS has %d at most", request->gids_len,
			       RPC_GIDS_MAX);
	*cred = (struct rpc_cred){
		.flavor = request->flavor == RPCRDMA_AUTH_SYS ? RPC_AUTH_SYS : RPC_AUTH_NONE,
		.uid = request->uid,
		.gid = request->gid,
		.ngids = request->gids_len,
	};
	if (request->gids_len)
		memcpy(cred->gids, request->gids, request->gids_len * sizeof(cred->gids[0]));
	return 0;
}

static int rpcrdma_take_reply(struct rpcrdma_request *request, struct rpcrdma_call *call)
{
	const struct rpcrdma_header *h = &call->header;
	uint64_t len = h->write_count ? header_chunk_length(h, &h->write[0]) : 0;
	int rc = rpc_reply_check(&call->rpc);

	if (rc)
		return rc;
	/* The length returned in the Write chunk must not exceed the offered one. */
	if (len && (!call->write || len > call->write->length))
		return err_set(EBADMSG, "the Write chunk was returned with %llu bytes",
			       (unsigned long long)len);
	request->write_len = (uint32_t)len;
	request->results = call->results;
	request->results_len = call->results_len;
	request->reserved = take_ptr(call->message);
	return 0;
}

int rpcrdma_request(struct rpcrdma_conn *conn, struct rpcrdma_request *theirs)
{
	struct rpcrdma_request request;
	struct rpcrdma_call call;
	struct rpc_cred cred;
	uint64_t deadline;
	int rc;

	rc = abi_take(&request, sizeof(request), theirs, theirs->size, REQUEST_MIN);
	if (!rc)
		rc = rpcrdma_take_cred(&cred, &request);
	if (rc)
		return rc;
	deadline = deadline_in(request.timeout_ms ? request.timeout_ms : DEFAULT_TIMEOUT_MS);
	rpcrdma_call_init(&call, request.prog, request.vers, request.proc);
	call.cred = &cred;
	call.args = request.args;
	call.args_len = request.args_len;
	call.write = request.write;
	call.write_count = request.write ? 1 : 0;
	call.reply = request.reply;
	call.reply_count = request.reply ? 1 : 0;
	call.send_ms = RPCRDMA_SEND_MS;
	theirs->write_len = 0;
	theirs->results = theirs->reserved = NULL;
	theirs->results_len = 0;
	rpcrdma_lock(conn);
	rc = rpcrdma_call(conn, &call, deadline);
	rpcrdma_unlock(conn);
	theirs->xid = call.xid;
	if (!rc)
		rc = rpcrdma_take_reply(theirs, &call);
	rpcrdma_call_fini(&call);
	return rc;
}

void rpcrdma_request_clear(struct rpcrdma_request *request)
{
	free(request->reserved);
	request->results = request->reserved = NULL;
	request->results_len = 0;
}

size_t rpcrdma_inline_results(const struct rpcrdma_conn *conn)
{
	/* A returned Write chunk, and the RPC header with an AUTH_NONE verifier. */
	return rpcrdma_reply_inline(conn) - RPCRDMA_HEADER_MIN - 24 - 24;
}
