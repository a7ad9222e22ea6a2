/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* What anybody may send to the server: as one RDMA Send, and as one record over TCP. The memory
 * that chunks name is there for the first handles (see requester.h), so that replies are really
 * written; where a file handle is wanted, the input's "HHHH" followed by a byte is replaced by
 * a good one, which no fuzzer would guess.
 *
 * Claims: nothing is written beyond the memory that was offered, no Send is longer than the
 * inline limit, an answer parses. */
#include "tests/fuzz/fuzz.h"
#include "tests/support/requester.h"

#define CHUNK_MEMORY (64 * 1024)
#define CHUNKS       4

static struct requester peer;
static struct server_options options;
static uint8_t memory[CHUNKS][CHUNK_MEMORY];
static uint8_t message[SERVER_RECV_SIZE];
static struct nfs_fh handles[4];

static void start(void)
{
	static const char *const names[] = { "", "data-4194304", "link-1023",
					     "entries-2000" };
	size_t i;

	FUZZ_CHECK(!export_memory_new(&options.exp));
	FUZZ_CHECK(!requester_init(&peer, &options));
	for (i = 0; i < ARRAY_SIZE(names); i++)
		FUZZ_CHECK(!requester_handle(options.exp, names[i], &handles[i]));
}

/* A handle has 28 bytes; it is put over as many bytes of the input. */
static void plant_handles(uint8_t *p, size_t len)
{
	for (; len >= 28; p++, len--)
		if (!memcmp(p, "HHHH", 4))
			memcpy(p, handles[p[4] % ARRAY_SIZE(handles)].data, 28);
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
	struct call call = {
		.exp = options.exp,
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
	FUZZ_CHECK(call.payload_len <= SERVER_READ_MAX);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t *record;

	if (!options.exp)
		start();
	if (size > sizeof(message))
		return 0;
	memcpy(message, data, size);
	plant_handles(message, size);
	over_rdma(size);
	/* On the heap and of its own size, so that a byte too many is seen. */
	record = malloc(size + 1);
	FUZZ_CHECK(record);
	memcpy(record, message, size);
	over_tcp(record, size);
	free(record);
	return 0;
}
