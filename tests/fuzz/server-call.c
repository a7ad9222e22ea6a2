/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* What anybody may send to the server: as one RDMA Send, and as one record over TCP. The memory
 * that chunks name is there for the first handles (see requester.h), so that replies are really
 * written; where a file handle is wanted, the input's "HHHH" followed by a byte is replaced by
 * a good one, which no fuzzer would guess; so are "SSSS", by a session with unused slots, and
 * "CCCC", by a client of NFSv4.0. Everything comes twice, the second time as a retry.
 *
 * Claims: nothing is written beyond the memory that was offered, no Send is longer than the
 * inline limit, an answer parses. */
#include "rpcrdma/server/nfs4-internal.h"
#include "tests/fuzz/fuzz.h"
#include "tests/support/requester.h"

#define CHUNK_MEMORY (64 * 1024)
#define CHUNKS       4

static struct requester peer;
static struct server_options options;
static uint8_t memory[CHUNKS][CHUNK_MEMORY];
static uint8_t message[SERVER_RECV_SIZE];
static struct nfs_fh handles[4];
static uint8_t session[NFS4_SESSIONID_SIZE], clientid[8];

/* A program of the caller's own, 0x20000001 version 1: arguments come back. */
static bool send_back(void *arg, struct server_call *call)
{
	uint8_t *p = server_results(call, call->args_len);

	(void)arg;
	FUZZ_CHECK(call->rpc->auth_len <= RPC_AUTH_MAX);
	if (p && call->args_len)
		memcpy(p, call->args, call->args_len);
	if (!p)
		call->reply->accept_stat = RPC_SYSTEM_ERR;
	return call->rpc->proc != 2;
}

static void start(void)
{
	static const struct server_program program = { 0x20000001, 1, send_back, NULL };
	static const struct server_program *const table[] = { &program, NULL };
	static const char *const names[] = { "", "data-4194304", "link-1023", "entries-2000" };
	size_t i;

	FUZZ_CHECK(!export_memory_new(&options.exp));
	FUZZ_CHECK(!export_memory_make_writable(options.exp));
	FUZZ_CHECK(!nfs4_state_new(&options.nfs4));
	options.programs = table;
	FUZZ_CHECK(!requester_init(&peer, &options));
	for (i = 0; i < ARRAY_SIZE(names); i++)
		FUZZ_CHECK(!requester_handle(options.exp, names[i], &handles[i]));
}

/* Nothing is left of the input before. */
static void renew_state(void)
{
	const struct nfs4_client_owner owner = { .id = (const uint8_t *)"fuzz", .id_len = 4 };
	struct nfs4_session_new new = { .channel = { 4096, 65536, 1024, 16, 4 } };
	struct nfs4_client_res client;

	nfs4_state_free(options.nfs4);
	FUZZ_CHECK(!nfs4_state_new(&options.nfs4));
	FUZZ_CHECK(!nfs4_clients_set(options.nfs4, &owner, &client));
	FUZZ_CHECK(!nfs4_clients_confirm(options.nfs4, client.clientid, client.confirm));
	put_be64(clientid, client.clientid);
	FUZZ_CHECK(!nfs4_clients_exchange(options.nfs4, &owner, false, &client));
	new.clientid = client.clientid;
	new.sequenceid = client.sequenceid;
	FUZZ_CHECK(!nfs4_slots_create(options.nfs4, &new));
	memcpy(session, new.id, sizeof(session));
}

/* They are put over as many bytes of the input as they have. */
static void plant(uint8_t *p, size_t len)
{
	for (; len >= 8; p++, len--) {
		if (len >= 28 && !memcmp(p, "HHHH", 4))
			memcpy(p, handles[p[4] % ARRAY_SIZE(handles)].data, 28);
		else if (len >= sizeof(session) && !memcmp(p, "SSSS", 4))
			memcpy(p, session, sizeof(session));
		else if (!memcmp(p, "CCCC", 4))
			memcpy(p, clientid, sizeof(clientid));
	}
}

static void over_rdma(size_t len)
{
	size_t i;
	int rc;

	requester_next(&peer);
	for (i = 0; i < CHUNKS; i++)
		requester_memory(&peer, memory[i], CHUNK_MEMORY);
	rc = rdma_message(&peer.session, message, len);
	FUZZ_CHECK(peer.sends <= 1 && peer.sent_len <= peer.session.reply_inline);
	/* The segments of a Reply chunk are the input's, so only plain replies are parsed. */
	if (!rc && peer.sends && get_be32(peer.sent + 12) != RDMA_NOMSG)
		FUZZ_CHECK(!requester_parse(&peer));
}

static void over_tcp(const uint8_t *data, size_t len)
{
	static uint8_t scratch[SERVER_SCRATCH_MAX], reply[SERVER_REPLY_MAX];
	struct rpc_reply parsed;
	struct reader r;
	uint32_t i;
	struct call call = {
		.exp = options.exp,
		.nfs4 = options.nfs4,
		.scratch = scratch,
		.rtmax = SERVER_READ_MAX,
		.room = SERVER_REPLY_MAX,
	};

	reader_init(&call.args, data, len);
	writer_init(&call.reply, reply, sizeof(reply));
	if (dispatch_call(&call, dispatch_tcp))
		return;
	reader_init(&r, reply, call.reply.len);
	FUZZ_CHECK(!call.reply.bad && call.reply.len <= sizeof(reply));
	FUZZ_CHECK(!rpc_reply_decode(&parsed, &r));
	FUZZ_CHECK(call.payload_count <= CALL_PAYLOADS);
	for (i = 0; i < call.payload_count; i++) {
		FUZZ_CHECK(call.payload[i].len <= SERVER_READ_MAX);
		FUZZ_CHECK(call.payload[i].at >= 4 && call.payload[i].at <= call.reply.len);
		FUZZ_CHECK(get_be32(reply + call.payload[i].at - 4) == call.payload[i].len);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	unsigned int i;
	uint8_t *record;

	if (!options.exp)
		start();
	if (size > sizeof(message))
		return 0;
	memcpy(message, data, size);
	renew_state();
	plant(message, size);
	/* On the heap and of its own size, so that a byte too many is seen. */
	record = malloc(size + 1);
	FUZZ_CHECK(record);
	memcpy(record, message, size);
	for (i = 0; i < 2; i++) {
		over_rdma(size);
		over_tcp(record, size);
	}
	free(record);
	return 0;
}
