/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* RPC programs of the caller: server_options.programs. They get their arguments and return their
 * results as bytes; no item is DDP-eligible, because these programs have no upper-layer binding
 * (RFC 8166 section 6). */
#include "rpcrdma/server/internal.h"

uint8_t *server_results(struct server_call *sc, size_t len)
{
	struct call *call = sc->call;
	struct writer *w = &call->reply;

	if (call->results_max < REPLY_HEADER_LEN || len > call->results_max - REPLY_HEADER_LEN)
		return NULL;
	if (server_buffer_grow(call->results, REPLY_HEADER_LEN + len))
		return NULL;
	/* A second call replaces the first results. */
	writer_init(w, call->results->base, call->results->cap);
	writer_reserve(w, REPLY_HEADER_LEN);
	return writer_reserve(w, len);
}

void programs_run(struct call *call, struct rpc_reply *reply)
{
	const struct server_program *const *p = call->programs;
	struct server_call sc = {
		.rpc = &call->rpc,
		.args_len = reader_left(&call->args),
		.local = call->local,
		.peer = call->peer,
		.reply = reply,
		.call = call,
	};

	while (p && *p && !dispatch_match(&call->rpc, (*p)->prog, (*p)->vers, reply))
		p++;
	if (!p || !*p)
		return;
	reply->accept_stat = RPC_GARBAGE_ARGS;
	if (call->reduced || call->chunk.len)
		return;
	sc.args = reader_bytes(&call->args, sc.args_len);
	reply->accept_stat = RPC_SUCCESS;
	if (!server_results(&sc, 0))
		reply->accept_stat = RPC_SYSTEM_ERR;
	else
		call->silent = !(*p)->run((*p)->arg, &sc);
	debug(DEBUG_SERVER,
	      "xid %08x program %u procedure %u: %zu bytes, accept_stat %u, %zu bytes",
	      call->rpc.xid, call->rpc.prog, call->rpc.proc, sc.args_len, reply->accept_stat,
	      call->reply.len);
}
