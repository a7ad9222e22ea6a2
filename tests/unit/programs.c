/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* RPC programs other than NFS, message by message: how long calls and results can be, and where
 * they are placed. */
#include "tests/support/requester.h"
#include "tests/unit/suite.h"

#define PROGRAM   0x20000001
#define ARGS_MAX  (SERVER_PROGRAM_MAX - 40)
#define ECHO      1
#define SILENT    2
#define TOO_LONG  3
#define REFUSE    4
#define TWO_TRIES 5

static struct requester peer;
static struct server_options options;
static struct server_program program;
static const struct server_program *const table[] = { &program, NULL };
static uint8_t call_memory[SERVER_PROGRAM_MAX + 4], reply_memory[SERVER_PROGRAM_MAX + 4];

static bool run(void *arg, struct server_call *call)
{
	size_t len = call->args_len;
	uint8_t *p;

	CU_ASSERT_PTR_EQUAL(arg, options.exp);
	switch (call->rpc->proc) {
	case SILENT: return false;
	case REFUSE:
		call->reply->reply_stat = RPC_MSG_DENIED;
		call->reply->reject_stat = RPC_AUTH_ERROR;
		call->reply->auth_stat = 5;
		return true;
	case TOO_LONG: len = SERVER_PROGRAM_MAX; break;
	case TWO_TRIES: CU_ASSERT_PTR_NOT_NULL(server_results(call, 1000)); break;
	}
	p = server_results(call, len);
	if (p)
		memcpy(p, call->args, call->args_len);
	else
		call->reply->accept_stat = RPC_SYSTEM_ERR;
	return true;
}

static void begin(void)
{
	size_t i;

	memset(&options, 0, sizeof(options));
	CU_ASSERT_EQUAL_FATAL(export_memory_new(&options.exp), 0);
	program = (struct server_program){ PROGRAM, 3, run, options.exp };
	options.programs = table;
	CU_ASSERT_EQUAL_FATAL(requester_init(&peer, &options), 0);
	for (i = 0; i < sizeof(call_memory); i++)
		call_memory[i] = (uint8_t)(i * 13);
	memset(reply_memory, 0xaa, sizeof(reply_memory));
}

static void end(void)
{
	requester_fini(&peer);
	export_free(options.exp);
}

/* A call of this program with @len bytes of arguments, by a Read chunk of @segments, and a Reply
 * chunk of @room bytes unless @room is 0. */
static int call_long(uint32_t proc, size_t len, unsigned int segments, size_t room)
{
	struct rpcrdma_segment segment;
	uint8_t head[64];
	struct writer w;
	size_t at = 0, n;

	requester_next(&peer);
	n = requester_rpc(&peer, head, sizeof(head), PROGRAM, proc, NULL, 0);
	memcpy(call_memory, head, n);
	n += len;
	peer.header.rdma_proc = RDMA_NOMSG;
	for (; segments; segments--) {
		size_t part = segments == 1 ? n - at : (n - at) / segments;

		segment = requester_memory(&peer, call_memory + at, part);
		header_add_read(&peer.header, 0, &segment);
		at += part;
	}
	if (room) {
		segment = requester_memory(&peer, reply_memory, room);
		header_set_reply(&peer.header, &segment, 1);
	}
	writer_init(&w, peer.message, sizeof(peer.message));
	CU_ASSERT_EQUAL(header_encode(&w, &peer.header), 0);
	return rdma_message(&peer.session, peer.message, w.len);
}

/* In the first Send, or in the Reply chunk, which has the last region. */
static void assert_echo(size_t len, bool by_chunk)
{
	const uint8_t *got;

	CU_ASSERT_EQUAL_FATAL(peer.sends, 1);
	CU_ASSERT_EQUAL(get_be32(peer.sent + 12), by_chunk ? RDMA_NOMSG : RDMA_MSG);
	got = by_chunk ? reply_memory : peer.sent + 28;
	CU_ASSERT_EQUAL(get_be32(got + 20), RPC_SUCCESS);
	ASSERT_BYTES(got + 24, call_memory + 40, len);
	if (by_chunk)
		CU_ASSERT_EQUAL(reply_memory[24 + len], 0xaa);
}

static void calls_and_results_of_1_mib_use_chunks(void)
{
	static const size_t lengths[] = { 0, 4, 4096, 131072, 1048576, ARGS_MAX };
	size_t i;

	begin();
	for (i = 0; i < ARRAY_SIZE(lengths); i++) {
		SUITE_ROW("%zu: %zu", i, lengths[i]);
		memset(reply_memory, 0xaa, sizeof(reply_memory));
		CU_ASSERT_EQUAL(call_long(ECHO, lengths[i], 1 + i, 24 + lengths[i]), 0);
		CU_ASSERT_EQUAL(peer.reads, 1 + i);
		assert_echo(lengths[i], true);
		/* Nothing of it is kept. */
		CU_ASSERT_EQUAL(peer.session.call_buf.cap, 0);
		CU_ASSERT_EQUAL(peer.session.reply_buf.cap, SERVER_REPLY_MAX);
	}
	end();
}

static void a_call_over_the_limit_is_not_pulled(void)
{
	begin();
	CU_ASSERT_EQUAL(call_long(ECHO, ARGS_MAX + 1, 1, 0), 0);
	CU_ASSERT_EQUAL(peer.reads, 0);
	CU_ASSERT_EQUAL(get_be32(peer.sent + 12), RDMA_ERROR);
	/* With NFS alone the limit is lower. */
	options.programs = NULL;
	CU_ASSERT_EQUAL(call_long(ECHO, SERVER_CALL_MAX - 39, 1, 0), 0);
	CU_ASSERT_EQUAL(peer.reads, 0);
	CU_ASSERT_EQUAL(get_be32(peer.sent + 12), RDMA_ERROR);
	end();
}

static void results_never_exceed_the_offered_chunk(void)
{
	begin();
	/* inline: 4096 - 28 - 24 */
	CU_ASSERT_EQUAL(call_long(ECHO, 4044, 1, 0), 0);
	assert_echo(4044, false);
	CU_ASSERT_EQUAL(call_long(ECHO, 4048, 1, 0), 0);
	CU_ASSERT_EQUAL(get_be32(peer.sent + 12), RDMA_MSG);
	CU_ASSERT_EQUAL(get_be32(peer.sent + 28 + 20), RPC_SYSTEM_ERR);
	/* a Reply chunk one word too small */
	CU_ASSERT_EQUAL(call_long(ECHO, 8192, 1, 24 + 8188), 0);
	CU_ASSERT_EQUAL(get_be32(reply_memory + 20), RPC_SYSTEM_ERR);
	CU_ASSERT_EQUAL(call_long(TOO_LONG, 0, 1, sizeof(reply_memory)), 0);
	CU_ASSERT_EQUAL(get_be32(reply_memory + 20), RPC_SYSTEM_ERR);
	CU_ASSERT_EQUAL(peer.session.reply_buf.cap, SERVER_REPLY_MAX);
	end();
}

static void a_second_attempt_replaces_the_first(void)
{
	begin();
	CU_ASSERT_EQUAL(call_long(TWO_TRIES, 8, 1, 0), 0);
	assert_echo(8, false);
	CU_ASSERT_EQUAL(peer.sent_len, 28 + 24 + 8);
	end();
}

static void a_program_can_refuse_or_not_answer(void)
{
	begin();
	CU_ASSERT_EQUAL(call_long(SILENT, 8, 1, 0), 0);
	CU_ASSERT_EQUAL(peer.sends, 0);
	CU_ASSERT_EQUAL(call_long(REFUSE, 8, 1, 0), 0);
	CU_ASSERT_EQUAL(requester_parse(&peer), 0);
	CU_ASSERT_EQUAL(rpc_reply_check(&peer.reply), -EACCES);
	CU_ASSERT_EQUAL(reader_left(&peer.results), 0);
	end();
}

/* RFC 8166 section 6: no item of it may be moved. */
static void arguments_have_no_eligible_items(void)
{
	struct rpcrdma_segment segment;
	uint8_t rpc[64];
	struct writer w;
	size_t len;

	begin();
	requester_next(&peer);
	len = requester_rpc(&peer, rpc, sizeof(rpc), PROGRAM, ECHO, NULL, 0);
	segment = requester_memory(&peer, call_memory, 64);
	header_add_read(&peer.header, 40, &segment);
	writer_init(&w, peer.message, sizeof(peer.message));
	header_encode(&w, &peer.header);
	writer_bytes(&w, rpc, len);
	CU_ASSERT_EQUAL(rdma_message(&peer.session, peer.message, w.len), 0);
	CU_ASSERT_EQUAL(requester_parse(&peer), 0);
	CU_ASSERT_EQUAL(peer.reply.accept_stat, RPC_GARBAGE_ARGS);
	CU_ASSERT_EQUAL(peer.reads, 0);
	end();
}

static void nfs_is_also_served_if_there_is_an_export(void)
{
	begin();
	requester_next(&peer);
	CU_ASSERT_EQUAL(requester_call(&peer, NFS3_NULL, NULL, 0), 0);
	CU_ASSERT_EQUAL(rpc_reply_check(&peer.reply), 0);
	end();
}

SUITE_MAIN("programs", TEST(calls_and_results_of_1_mib_use_chunks),
	   TEST(a_call_over_the_limit_is_not_pulled), TEST(results_never_exceed_the_offered_chunk),
	   TEST(a_second_attempt_replaces_the_first), TEST(a_program_can_refuse_or_not_answer),
	   TEST(arguments_have_no_eligible_items), TEST(nfs_is_also_served_if_there_is_an_export))
