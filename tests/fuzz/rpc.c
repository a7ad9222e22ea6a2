/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* RPC message headers, both kinds. What was accepted says the same after another round, and a
 * call is byte by byte what it was. */
#include "rpcrdma/wire/wire.h"
#include "tests/fuzz/fuzz.h"

static void check_call(const struct rpc_call *call, const uint8_t *data)
{
	uint8_t buf[RPC_CALL_HEAD_MAX];
	struct rpc_call again;
	struct reader r;
	struct writer w;

	FUZZ_CHECK(call->cred.ngids <= RPC_GIDS_MAX);
	if (call->rpcvers != 2)
		return;
	writer_init(&w, buf, sizeof(buf));
	rpc_call_encode(&w, call);
	FUZZ_CHECK(!w.bad && !memcmp(buf, data, w.len));
	reader_init(&r, buf, w.len);
	FUZZ_CHECK(!rpc_call_decode(&again, &r) && !reader_left(&r));
	FUZZ_CHECK(again.xid == call->xid && again.prog == call->prog);
	FUZZ_CHECK(again.vers == call->vers && again.proc == call->proc);
	if (call->cred.flavor != RPC_AUTH_SYS)
		return;
	FUZZ_CHECK(again.cred.uid == call->cred.uid && again.cred.gid == call->cred.gid);
	FUZZ_CHECK(again.cred.ngids == call->cred.ngids);
	FUZZ_CHECK(!memcmp(again.cred.gids, call->cred.gids, sizeof(again.cred.gids)));
}

static void check_reply(const struct rpc_reply *reply)
{
	struct rpc_reply again, want = *reply;
	uint8_t buf[64];
	struct reader r;
	struct writer w;

	writer_init(&w, buf, sizeof(buf));
	rpc_reply_encode(&w, reply);
	FUZZ_CHECK(!w.bad);
	reader_init(&r, buf, w.len);
	FUZZ_CHECK(!rpc_reply_decode(&again, &r) && !reader_left(&r));
	/* Verifiers are written as AUTH_NONE. */
	want.verf_flavor = want.verf_len = again.verf_flavor = again.verf_len = 0;
	want.verf = again.verf = NULL;
	FUZZ_CHECK(!memcmp(&again, &want, sizeof(again)));
	FUZZ_CHECK(rpc_reply_check(reply) <= 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct rpc_reply reply;
	struct rpc_call call;
	struct reader r;

	reader_init(&r, data, size);
	if (!rpc_call_decode(&call, &r))
		check_call(&call, data);
	reader_init(&r, data, size);
	if (!rpc_reply_decode(&reply, &r))
		check_reply(&reply);
	return 0;
}
