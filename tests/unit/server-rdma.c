/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The responder, message by message: the answer to each header (RFC 8166 section 4.5), and where
 * the parts of a reply are placed. */
#include "tests/support/requester.h"
#include "tests/unit/suite.h"

static struct requester peer;
static struct server_options options;
static uint8_t memory[SERVER_READ_MAX + 4096];

static void begin(void)
{
	CU_ASSERT_EQUAL_FATAL(export_memory_new(&options.exp), 0);
	CU_ASSERT_EQUAL_FATAL(requester_init(&peer, &options), 0);
	memset(memory, 0xaa, sizeof(memory));
}

static void end(void)
{
	requester_fini(&peer);
	export_free(options.exp);
}

/* 32 words of a call: a header of these words, then an RPC NULL. */
static int send_words(const uint32_t *words, size_t count)
{
	uint8_t buf[512];
	struct writer w;
	size_t i;

	peer.sends = 0;
	writer_init(&w, buf, sizeof(buf));
	for (i = 0; i < count; i++)
		writer_u32(&w, words[i]);
	return rdma_message(&peer.session, buf, w.len);
}

#define NULL_CALL 7, 0, 2, NFS_PROGRAM_NUMBER, 3, 0, 0, 0, 0, 0
#define SEND(...)                                     \
	send_words((const uint32_t[]){ __VA_ARGS__ }, \
		   sizeof((const uint32_t[]){ __VA_ARGS__ }) / sizeof(uint32_t))

static void assert_error(uint32_t xid, uint32_t vers, uint32_t err)
{
	CU_ASSERT_EQUAL(peer.sends, 1);
	CU_ASSERT_EQUAL(get_be32(peer.sent), xid);
	CU_ASSERT_EQUAL(get_be32(peer.sent + 4), vers);
	CU_ASSERT_EQUAL(get_be32(peer.sent + 8), 64);
	CU_ASSERT_EQUAL(get_be32(peer.sent + 12), RDMA_ERROR);
	CU_ASSERT_EQUAL(get_be32(peer.sent + 16), err);
	CU_ASSERT_EQUAL(peer.sent_len, err == ERR_VERS ? 28 : 20);
}

static void null_is_answered_with_the_grant(void)
{
	begin();
	CU_ASSERT_EQUAL(SEND(7, 1, 32, 0, 0, 0, 0, NULL_CALL), 0);
	CU_ASSERT_EQUAL(requester_parse(&peer), 0);
	CU_ASSERT_EQUAL(peer.reply_header.rdma_xid, 7);
	CU_ASSERT_EQUAL(peer.reply_header.rdma_credit, 64);
	CU_ASSERT_EQUAL(peer.reply_header.rdma_proc, RDMA_MSG);
	CU_ASSERT_EQUAL(peer.reply_header.segment_count, 0);
	CU_ASSERT_EQUAL(rpc_reply_check(&peer.reply), 0);
	CU_ASSERT_EQUAL(peer.sent_len, 28 + 24);
	end();
}

static void absurd_credits_do_not_change_the_grant(void)
{
	begin();
	CU_ASSERT_EQUAL(SEND(7, 1, 0, 0, 0, 0, 0, NULL_CALL), 0);
	CU_ASSERT_EQUAL(get_be32(peer.sent + 8), 64);
	CU_ASSERT_EQUAL(SEND(7, 1, 0xffffffff, 0, 0, 0, 0, NULL_CALL), 0);
	CU_ASSERT_EQUAL(get_be32(peer.sent + 8), 64);
	end();
}

static void other_versions_get_err_vers_with_their_own_version(void)
{
	begin();
	CU_ASSERT_EQUAL(SEND(7, 2, 32, 0, 0, 0, 0, NULL_CALL), 0);
	assert_error(7, 2, ERR_VERS);
	CU_ASSERT_EQUAL(get_be32(peer.sent + 20), 1);
	CU_ASSERT_EQUAL(get_be32(peer.sent + 24), 1);
	CU_ASSERT_EQUAL(SEND(7, 0, 32, 0, 0, 0, 0), 0);
	assert_error(7, 0, ERR_VERS);
	end();
}

static void bad_headers_get_err_chunk(void)
{
	begin();
	/* obsolete RDMA_MSGP, and no such procedure */
	CU_ASSERT_EQUAL(SEND(7, 1, 32, 2, 0, 0, 0, NULL_CALL), 0);
	assert_error(7, 1, ERR_CHUNK);
	CU_ASSERT_EQUAL(SEND(7, 1, 32, 0xffffffff, 0, 0, 0, NULL_CALL), 0);
	assert_error(7, 1, ERR_CHUNK);
	/* a list flag that is not a boolean, a segment count that wraps */
	CU_ASSERT_EQUAL(SEND(7, 1, 32, 0, 2, 0, 0, NULL_CALL), 0);
	assert_error(7, 1, ERR_CHUNK);
	CU_ASSERT_EQUAL(SEND(7, 1, 32, 0, 0, 1, 0x10000001, NULL_CALL), 0);
	assert_error(7, 1, ERR_CHUNK);
	/* RDMA_NOMSG without chunks, and with none for the message */
	CU_ASSERT_EQUAL(SEND(7, 1, 32, 1, 0, 0, 0), 0);
	assert_error(7, 1, ERR_CHUNK);
	CU_ASSERT_EQUAL(SEND(7, 1, 32, 1, 0, 0, 1, 1, 1000, 4096, 0, 0x7000), 0);
	assert_error(7, 1, ERR_CHUNK);
	/* another xid in the RPC message */
	CU_ASSERT_EQUAL(SEND(8, 1, 32, 0, 0, 0, 0, NULL_CALL), 0);
	assert_error(8, 1, ERR_CHUNK);
	end();
}

static void bad_read_lists_get_err_chunk(void)
{
	begin();
	/* a position that is not a multiple of four */
	CU_ASSERT_EQUAL(SEND(7, 1, 32, 0, 1, 42, 1000, 4, 0, 0x7000, 0, 0, 0, NULL_CALL), 0);
	assert_error(7, 1, ERR_CHUNK);
	/* a message both inline and at position zero */
	CU_ASSERT_EQUAL(SEND(7, 1, 32, 0, 1, 0, 1000, 40, 0, 0x7000, 0, 0, 0, NULL_CALL), 0);
	assert_error(7, 1, ERR_CHUNK);
	/* a call of 4 GiB */
	CU_ASSERT_EQUAL(SEND(7, 1, 32, 1, 1, 0, 1000, 0xffffffff, 0, 0x7000, 0, 0, 0), 0);
	assert_error(7, 1, ERR_CHUNK);
	CU_ASSERT_EQUAL(peer.reads, 0);
	end();
}

/* Of a server that takes WRITEs: nothing is read, whatever the sum of the segments' lengths is in 32 bits. */
static void read_chunks_longer_than_any_call_get_err_chunk(void)
{
	static const uint32_t seconds[] = { 0x80000000, 0x80000004, 0xffffffff };
	size_t i;

	begin();
	CU_ASSERT_EQUAL_FATAL(export_memory_make_writable(options.exp), 0);
	for (i = 0; i < ARRAY_SIZE(seconds); i++) {
		CU_ASSERT_EQUAL(SEND(7, 1, 32, 0, 1, 40, 1000, 0x80000000, 0, 0x7000, 1, 40, 1000,
				     seconds[i], 0, 0x7000, 0, 0, 0, NULL_CALL),
				0);
		assert_error(7, 1, ERR_CHUNK);
	}
	CU_ASSERT_EQUAL(peer.reads, 0);
	end();
}

/* A long call that is refused after it was pulled. */
static void refused_calls_keep_no_memory(void)
{
	begin();
	CU_ASSERT_EQUAL_FATAL(export_memory_make_writable(options.exp), 0);
	put_be32(memory, 7);
	requester_memory(&peer, memory, sizeof(memory));
	CU_ASSERT_EQUAL(SEND(7, 1, 32, 1, 1, 0, 1000, 65536, 0, 0x7000, 1, 40, 1000, 4, 0, 0x7000,
			     1, 80, 1000, 4, 0, 0x7000, 0, 0, 0),
			0);
	assert_error(7, 1, ERR_CHUNK);
	CU_ASSERT_EQUAL(peer.reads, 1);
	CU_ASSERT_EQUAL(peer.session.call_buf.cap, 0);
	end();
}

static void invalid_messages_are_dropped(void)
{
	uint8_t zeros[28] = { 0 };
	size_t len;

	begin();
	for (len = 0; len < sizeof(zeros); len++) {
		SUITE_ROW("len %zu", len);
		CU_ASSERT_EQUAL(rdma_message(&peer.session, zeros, len), 0);
	}
	CU_ASSERT_EQUAL(SEND(7, 1, 32, RDMA_DONE, 0, 0, 0), 0);
	CU_ASSERT_EQUAL(peer.sends, 0);
	CU_ASSERT_EQUAL(SEND(7, 1, 32, RDMA_ERROR, ERR_CHUNK, 0, 0), 0);
	CU_ASSERT_EQUAL(peer.sends, 0);
	CU_ASSERT_EQUAL(SEND(7, 1, 32, RDMA_ERROR, 99, 0, 0), 0);
	CU_ASSERT_EQUAL(peer.sends, 0);
	/* no RPC message at all, and an RPC reply */
	CU_ASSERT_EQUAL(SEND(7, 1, 32, 0, 0, 0, 0), 0);
	CU_ASSERT_EQUAL(peer.sends, 0);
	CU_ASSERT_EQUAL(SEND(7, 1, 32, 0, 0, 0, 0, 7, 1, 0, 0, 0, 0), 0);
	CU_ASSERT_EQUAL(peer.sends, 0);
	end();
}

/* READ of data-4194304 by the chunks in the header. */
static int read_data(uint64_t offset, uint32_t count)
{
	struct nfs_fh fh;
	uint8_t args[128];

	CU_ASSERT_EQUAL(requester_handle(options.exp, "data-4194304", &fh), 0);
	return requester_call(&peer, NFS3_READ, args,
			      requester_read_args(args, &fh, offset, count));
}

static bool is_pattern(const uint8_t *p, uint64_t offset, size_t len)
{
	uint8_t word[8];
	size_t i;

	for (i = 0; i < len; i++) {
		put_be64(word, (offset + i) & ~UINT64_C(7));
		if (p[i] == word[(offset + i) & 7])
			continue;
		suite_saw("%02x at byte %zu, not %02x", p[i], i, word[(offset + i) & 7]);
		return false;
	}
	return true;
}

static void assert_read_head(uint32_t count)
{
	struct nfs3_read_res res;

	CU_ASSERT_EQUAL(rpc_reply_check(&peer.reply), 0);
	CU_ASSERT_EQUAL(nfs3_res_read(&res, &peer.results, true), 0);
	CU_ASSERT_EQUAL(res.status, 0);
	CU_ASSERT_EQUAL(res.count, count);
	CU_ASSERT_EQUAL(res.data_len, count);
	CU_ASSERT(res.has_attr);
}

static void a_write_chunk_is_filled_in_order_and_not_padded(void)
{
	struct rpcrdma_segment segments[4];

	begin();
	segments[0] = requester_memory(&peer, memory, 517);
	segments[1] = requester_memory(&peer, memory + 1000, 0);
	segments[2] = requester_memory(&peer, memory + 2000, 507);
	segments[3] = requester_memory(&peer, memory + 3000, 3);
	header_add_write(&peer.header, segments, 4);
	CU_ASSERT_EQUAL(read_data(5, 1023), 0);
	CU_ASSERT_EQUAL(peer.reply_header.write_count, 1);
	CU_ASSERT_EQUAL(peer.reply_header.write[0].count, 4);
	CU_ASSERT_EQUAL(peer.reply_header.segments[0].length, 517);
	CU_ASSERT_EQUAL(peer.reply_header.segments[1].length, 0);
	CU_ASSERT_EQUAL(peer.reply_header.segments[2].length, 506);
	CU_ASSERT_EQUAL(peer.reply_header.segments[3].length, 0);
	CU_ASSERT_EQUAL(peer.reply_header.segments[2].handle, segments[2].handle);
	CU_ASSERT_EQUAL(peer.reply_header.segments[2].offset, segments[2].offset);
	CU_ASSERT(is_pattern(memory, 5, 517));
	CU_ASSERT(is_pattern(memory + 2000, 5 + 517, 506));
	CU_ASSERT_EQUAL(memory[517], 0xaa);
	CU_ASSERT_EQUAL(memory[2506], 0xaa);
	CU_ASSERT_EQUAL(memory[3000], 0xaa);
	CU_ASSERT_EQUAL(peer.sent_len, 36 + 4 * 16 + 128);
	assert_read_head(1023);
	end();
}

static void an_empty_write_chunk_asks_for_the_data_inline(void)
{
	begin();
	header_add_write(&peer.header, NULL, 0);
	CU_ASSERT_EQUAL(read_data(0, 100), 0);
	CU_ASSERT_EQUAL(peer.reply_header.write_count, 1);
	CU_ASSERT_EQUAL(peer.reply_header.write[0].count, 0);
	CU_ASSERT_EQUAL(peer.sent_len, 36 + 128 + 100);
	CU_ASSERT(is_pattern(peer.sent + 36 + 128, 0, 100));
	end();
}

static void unused_chunks_are_returned_with_zero_lengths(void)
{
	struct rpcrdma_segment segment;
	struct nfs_fh fh;
	uint8_t args[128];

	begin();
	/* at the end of the file */
	segment = requester_memory(&peer, memory, 4096);
	header_add_write(&peer.header, &segment, 1);
	CU_ASSERT_EQUAL(read_data(4194304, 4096), 0);
	CU_ASSERT_EQUAL(peer.reply_header.segments[0].length, 0);
	assert_read_head(0);
	/* an error arm, with an unknown handle */
	requester_next(&peer);
	segment = requester_memory(&peer, memory, 4096);
	header_add_write(&peer.header, &segment, 1);
	memset(&fh, 7, sizeof(fh));
	fh.len = 28;
	CU_ASSERT_EQUAL(
		requester_call(&peer, NFS3_READ, args, requester_read_args(args, &fh, 0, 4096)), 0);
	CU_ASSERT_EQUAL(reader_u32(&peer.results), NFS3_STATUS_BADHANDLE);
	CU_ASSERT_EQUAL(peer.reply_header.segments[0].length, 0);
	/* a second chunk, and a procedure without an eligible result */
	requester_next(&peer);
	segment = requester_memory(&peer, memory, 4096);
	header_add_write(&peer.header, &segment, 1);
	segment = requester_memory(&peer, memory + 8192, 4096);
	header_add_write(&peer.header, &segment, 1);
	CU_ASSERT_EQUAL(read_data(0, 4096), 0);
	CU_ASSERT_EQUAL(peer.reply_header.segments[0].length, 4096);
	CU_ASSERT_EQUAL(peer.reply_header.segments[1].length, 0);
	CU_ASSERT_EQUAL(memory[8192], 0xaa);
	requester_next(&peer);
	segment = requester_memory(&peer, memory, 4096);
	header_add_write(&peer.header, &segment, 1);
	CU_ASSERT_EQUAL(requester_call(&peer, NFS3_NULL, NULL, 0), 0);
	CU_ASSERT_EQUAL(peer.reply_header.segments[0].length, 0);
	end();
}

static void a_reply_chunk_holds_the_whole_padded_message(void)
{
	struct rpcrdma_segment segment;

	begin();
	segment = requester_memory(&peer, memory, 128 + 1024);
	header_set_reply(&peer.header, &segment, 1);
	CU_ASSERT_EQUAL(read_data(9, 1021), 0);
	CU_ASSERT_EQUAL(peer.reply_header.rdma_proc, RDMA_NOMSG);
	CU_ASSERT_EQUAL(peer.reply_header.segments[0].length, 128 + 1024);
	CU_ASSERT_EQUAL(peer.sent_len, 48);
	CU_ASSERT(is_pattern(memory + 128, 9, 1021));
	CU_ASSERT_EQUAL(memory[128 + 1021], 0);
	CU_ASSERT_EQUAL(memory[128 + 1024], 0xaa);
	end();
}

static void with_both_chunks_each_has_its_own_length(void)
{
	struct rpcrdma_segment segment;

	begin();
	segment = requester_memory(&peer, memory, 8192);
	header_add_write(&peer.header, &segment, 1);
	segment = requester_memory(&peer, memory + 16384, 4096);
	header_set_reply(&peer.header, &segment, 1);
	CU_ASSERT_EQUAL(read_data(0, 8192), 0);
	CU_ASSERT_EQUAL(peer.reply_header.segments[0].length, 8192);
	CU_ASSERT_EQUAL(peer.reply_header.segments[1].length, 128);
	assert_read_head(8192);
	end();
}

static void oversized_replies_get_err_chunk_and_write_nothing(void)
{
	struct rpcrdma_segment segment;

	begin();
	/* inline: 28 + 128 + 3940 is the most */
	CU_ASSERT_EQUAL(read_data(0, 3940), 0);
	CU_ASSERT_EQUAL(peer.sent_len, 4096);
	requester_next(&peer);
	read_data(0, 3941);
	assert_error(peer.header.rdma_xid, 1, ERR_CHUNK);
	/* a Write chunk and a Reply chunk one too small */
	requester_next(&peer);
	segment = requester_memory(&peer, memory, 4095);
	header_add_write(&peer.header, &segment, 1);
	read_data(0, 4096);
	assert_error(peer.header.rdma_xid, 1, ERR_CHUNK);
	requester_next(&peer);
	segment = requester_memory(&peer, memory, 128 + 4096 - 4);
	header_set_reply(&peer.header, &segment, 1);
	read_data(0, 4096);
	assert_error(peer.header.rdma_xid, 1, ERR_CHUNK);
	CU_ASSERT_EQUAL(memory[0], 0xaa);
	CU_ASSERT_EQUAL(peer.writes, 0);
	end();
}

static void a_small_inline_limit_is_respected(void)
{
	begin();
	peer.session.reply_inline = 1024;
	CU_ASSERT_EQUAL(read_data(0, 868), 0);
	CU_ASSERT_EQUAL(peer.sent_len, 1024);
	requester_next(&peer);
	read_data(0, 869);
	assert_error(peer.header.rdma_xid, 1, ERR_CHUNK);
	end();
}

static void invalid_segments_end_the_connection(void)
{
	struct rpcrdma_segment segment = { .handle = 999, .length = 8192 };

	begin();
	header_add_write(&peer.header, &segment, 1);
	ASSERT_LESS(read_data(0, 4096), 0);
	CU_ASSERT_EQUAL(peer.sends, 0);
	/* a region that wraps around is not even tried */
	requester_next(&peer);
	segment = requester_memory(&peer, memory, 8192);
	segment.offset = UINT64_MAX - 100;
	header_add_write(&peer.header, &segment, 1);
	CU_ASSERT_EQUAL(read_data(0, 4096), -EPROTO);
	CU_ASSERT_EQUAL(peer.refused, 0);
	end();
}

static void a_long_call_is_pulled(void)
{
	struct rpcrdma_segment segment;
	struct nfs_fh fh;
	uint8_t args[128], rpc[512];
	struct writer w;
	size_t len;

	begin();
	peer.header.rdma_proc = RDMA_NOMSG;
	requester_handle(options.exp, "data-4194304", &fh);
	len = requester_rpc(&peer, rpc, sizeof(rpc), NFS_PROGRAM_NUMBER, NFS3_READ, args,
			    requester_read_args(args, &fh, 16, 80));
	segment = requester_memory(&peer, rpc, 33);
	header_add_read(&peer.header, 0, &segment);
	segment = requester_memory(&peer, rpc + 33, len - 33);
	header_add_read(&peer.header, 0, &segment);
	writer_init(&w, peer.message, sizeof(peer.message));
	header_encode(&w, &peer.header);
	CU_ASSERT_EQUAL(rdma_message(&peer.session, peer.message, w.len), 0);
	CU_ASSERT_EQUAL(peer.reads, 2);
	CU_ASSERT_EQUAL(requester_parse(&peer), 0);
	CU_ASSERT_EQUAL(peer.reply_header.read_count, 0);
	CU_ASSERT(is_pattern(peer.sent + 28 + 128, 16, 80));
	end();
}

static void a_long_call_from_an_unknown_handle_ends_the_connection(void)
{
	begin();
	ASSERT_LESS(SEND(7, 1, 32, 1, 1, 0, 1234, 40, 0, 0x7000, 0, 0, 0), 0);
	CU_ASSERT_EQUAL(peer.sends, 0);
	end();
}

/* The data of WRITE is not pulled: the call is refused without it. */
static void only_write_data_can_use_a_read_chunk(void)
{
	struct rpcrdma_segment segment;
	uint8_t args[128];
	struct nfs_fh fh;
	struct writer w;

	begin();
	requester_handle(options.exp, "data-4096", &fh);
	writer_init(&w, args, sizeof(args));
	writer_opaque(&w, fh.data, fh.len);
	writer_u64(&w, 0);
	writer_u32(&w, 100);
	writer_u32(&w, 2);
	writer_u32(&w, 100);
	segment = requester_memory(&peer, memory, 100);
	header_add_read(&peer.header, 92, &segment);
	CU_ASSERT_EQUAL(requester_call(&peer, NFS3_WRITE, args, w.len), 0);
	CU_ASSERT_EQUAL(rpc_reply_check(&peer.reply), 0);
	CU_ASSERT_EQUAL(reader_u32(&peer.results), NFS3_STATUS_ROFS);
	CU_ASSERT_EQUAL(peer.reads, 0);
	requester_next(&peer);
	segment = requester_memory(&peer, memory, 100);
	header_add_read(&peer.header, 76, &segment);
	CU_ASSERT_EQUAL(requester_call(&peer, NFS3_LOOKUP, args, w.len), 0);
	CU_ASSERT_EQUAL(rpc_reply_check(&peer.reply), -EINVAL);
	end();
}

/* A client that asks before it makes a file is told that it may, where it may. */
static void only_a_writable_directory_grants_changes(void)
{
	const uint32_t change = 0x04 | 0x08 | 0x10; /* MODIFY, EXTEND, DELETE */
	struct nfs_attr attr;
	struct nfs_fh dir;

	begin();
	CU_ASSERT_EQUAL_FATAL(options.exp->ops->root(options.exp, &dir), 0);
	CU_ASSERT_EQUAL(options.exp->ops->getattr(options.exp, &dir, &attr), 0);
	CU_ASSERT_EQUAL(nfs3_access_granted(options.exp, &attr) & change, 0);
	CU_ASSERT_EQUAL_FATAL(export_memory_make_writable(options.exp), 0);
	CU_ASSERT_EQUAL(options.exp->ops->getattr(options.exp, &dir, &attr), 0);
	CU_ASSERT_EQUAL(nfs3_access_granted(options.exp, &attr) & change, change);
	requester_handle(options.exp, "entries-2000", &dir);
	CU_ASSERT_EQUAL(options.exp->ops->getattr(options.exp, &dir, &attr), 0);
	CU_ASSERT_EQUAL(nfs3_access_granted(options.exp, &attr) & change, 0);
	end();
}

/* With its padding, as old clients send it, or without. */
static void the_data_of_a_write_may_come_with_its_padding(void)
{
	const struct export_create create = { .name = "x", .mode = 0600 };
	struct rpcrdma_segment segment;
	static struct server_log log;
	struct nfs_fh dir, fh;
	uint8_t args[128];
	struct writer w;
	uint32_t len;

	begin();
	memset(&log, 0, sizeof(log));
	options.log = &log;
	CU_ASSERT_EQUAL_FATAL(export_memory_make_writable(options.exp), 0);
	CU_ASSERT_EQUAL_FATAL(options.exp->ops->root(options.exp, &dir), 0);
	CU_ASSERT_EQUAL_FATAL(options.exp->ops->create(options.exp, &dir, &create, &fh), 0);
	writer_init(&w, args, sizeof(args));
	writer_opaque(&w, fh.data, fh.len);
	writer_u64(&w, 0);
	writer_u32(&w, 99);
	writer_u32(&w, 2);
	writer_u32(&w, 99);
	for (len = 99; len <= 101; len++) {
		requester_next(&peer);
		segment = requester_memory(&peer, memory, len);
		header_add_read(&peer.header, 40 + (uint32_t)w.len, &segment);
		CU_ASSERT_EQUAL(requester_call(&peer, NFS3_WRITE, args, w.len), 0);
		CU_ASSERT_EQUAL(rpc_reply_check(&peer.reply), len <= 100 ? 0 : -EINVAL);
		if (len <= 100)
			CU_ASSERT_EQUAL(reader_u32(&peer.results), 0);
	}
	options.log = NULL;
	CU_ASSERT_EQUAL(log.writes, 2);
	CU_ASSERT_EQUAL(log.refused, 1);
	for (len = 0; len < 2; len++) {
		CU_ASSERT_EQUAL(log.wrote[len].len, 99);
		CU_ASSERT_EQUAL(log.wrote[len].digest, bytes_digest(memory, 99));
		CU_ASSERT_EQUAL(log.wrote[len].segments, 1);
		CU_ASSERT_EQUAL(log.wrote[len].stable, 2);
		CU_ASSERT_EQUAL(log.wrote[len].pad, len);
	}
	end();
}

static void directories_never_exceed_the_offered_chunk(void)
{
	static const uint32_t rooms[] = { 600, 4096, 32768, SERVER_READ_MAX };
	struct nfs3_readdir_res res;
	struct rpcrdma_segment segment;
	struct nfs_fh fh;
	uint8_t args[128];
	struct writer w;
	size_t i;

	begin();
	requester_handle(options.exp, "entries-2000", &fh);
	for (i = 0; i < ARRAY_SIZE(rooms); i++) {
		SUITE_ROW("%zu: %u", i, rooms[i]);
		requester_next(&peer);
		memset(memory, 0xaa, sizeof(memory));
		writer_init(&w, args, sizeof(args));
		writer_opaque(&w, fh.data, fh.len);
		writer_u64(&w, 0);
		writer_u64(&w, 0);
		writer_u32(&w, SERVER_READ_MAX);
		writer_u32(&w, SERVER_READ_MAX);
		segment = requester_memory(&peer, memory, rooms[i]);
		header_set_reply(&peer.header, &segment, 1);
		CU_ASSERT_EQUAL(requester_call(&peer, NFS3_READDIRPLUS, args, w.len), 0);
		CU_ASSERT_EQUAL(nfs3_res_readdirplus(&res, &peer.results, NULL, NULL), 0);
		CU_ASSERT_EQUAL(res.status, 0);
		ASSERT_MORE(res.entries, 0);
		CU_ASSERT_EQUAL(memory[rooms[i]], 0xaa);
	}
	/* inline only */
	requester_next(&peer);
	CU_ASSERT_EQUAL(requester_call(&peer, NFS3_READDIRPLUS, args, w.len), 0);
	ASSERT_AT_MOST(peer.sent_len, 4096);
	ASSERT_MORE(peer.sent_len, 3800);
	end();
}

static void readlink_also_uses_the_write_chunk(void)
{
	struct rpcrdma_segment segment;
	struct nfs_fh fh;
	uint8_t args[128];
	struct writer w;

	begin();
	CU_ASSERT_EQUAL(requester_handle(options.exp, "link-1023", &fh), 0);
	writer_init(&w, args, sizeof(args));
	writer_opaque(&w, fh.data, fh.len);
	segment = requester_memory(&peer, memory, 4096);
	header_add_write(&peer.header, &segment, 1);
	CU_ASSERT_EQUAL(requester_call(&peer, NFS3_READLINK, args, w.len), 0);
	CU_ASSERT_EQUAL(peer.reply_header.segments[0].length, 1023);
	CU_ASSERT_EQUAL(memory[0], 'a');
	CU_ASSERT_EQUAL(memory[1022], 'a' + 1022 % 26);
	CU_ASSERT_EQUAL(memory[1023], 0xaa);
	end();
}

static void unknown_programs_are_reported(void)
{
	static const struct {
		uint32_t prog, vers, proc;
		uint32_t stat;
	} rows[] = {
		{ 100227, 3, 0, RPC_PROG_UNAVAIL }, /* NFSACL */
		{ MOUNT_PROGRAM_NUMBER, 3, 0, RPC_PROG_UNAVAIL },
		{ NFS_PROGRAM_NUMBER, 5, 0, RPC_PROG_MISMATCH },
		{ NFS_PROGRAM_NUMBER, 2, 0, RPC_PROG_MISMATCH },
		{ NFS_PROGRAM_NUMBER, 3, 22, RPC_PROC_UNAVAIL },
		{ NFS_PROGRAM_NUMBER, 3, 0xffffffff, RPC_PROC_UNAVAIL },
		{ NFS_PROGRAM_NUMBER, 3, NFS3_GETATTR, RPC_GARBAGE_ARGS },
	};
	size_t i;

	begin();
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		SUITE_ROW("%zu", i);
		CU_ASSERT_EQUAL(SEND(7, 1, 32, 0, 0, 0, 0, 7, 0, 2, rows[i].prog, rows[i].vers,
				     rows[i].proc, 0, 0, 0, 0),
				0);
		CU_ASSERT_EQUAL(requester_parse(&peer), 0);
		CU_ASSERT_EQUAL(peer.reply.reply_stat, RPC_MSG_ACCEPTED);
		CU_ASSERT_EQUAL(peer.reply.accept_stat, rows[i].stat);
		if (rows[i].stat == RPC_PROG_MISMATCH) {
			CU_ASSERT_EQUAL(peer.reply.low, 3);
			CU_ASSERT_EQUAL(peer.reply.high, 4);
		}
	}
	/* RPC version 3, and RPCSEC_GSS */
	SEND(7, 1, 32, 0, 0, 0, 0, 7, 0, 3, NFS_PROGRAM_NUMBER, 3, 0, 0, 0, 0, 0);
	CU_ASSERT_EQUAL(requester_parse(&peer), 0);
	CU_ASSERT_EQUAL(peer.reply.reply_stat, RPC_MSG_DENIED);
	CU_ASSERT_EQUAL(peer.reply.reject_stat, RPC_MISMATCH);
	CU_ASSERT_EQUAL(peer.reply.low, 2);
	SEND(7, 1, 32, 0, 0, 0, 0, 7, 0, 2, NFS_PROGRAM_NUMBER, 3, 0, 6, 0, 0, 0);
	CU_ASSERT_EQUAL(requester_parse(&peer), 0);
	CU_ASSERT_EQUAL(peer.reply.reject_stat, RPC_AUTH_ERROR);
	end();
}

SUITE_MAIN("server-rdma", TEST(null_is_answered_with_the_grant),
	   TEST(absurd_credits_do_not_change_the_grant),
	   TEST(other_versions_get_err_vers_with_their_own_version),
	   TEST(bad_headers_get_err_chunk), TEST(bad_read_lists_get_err_chunk),
	   TEST(read_chunks_longer_than_any_call_get_err_chunk), TEST(refused_calls_keep_no_memory),
	   TEST(invalid_messages_are_dropped),
	   TEST(a_write_chunk_is_filled_in_order_and_not_padded),
	   TEST(an_empty_write_chunk_asks_for_the_data_inline),
	   TEST(unused_chunks_are_returned_with_zero_lengths),
	   TEST(a_reply_chunk_holds_the_whole_padded_message),
	   TEST(with_both_chunks_each_has_its_own_length),
	   TEST(oversized_replies_get_err_chunk_and_write_nothing),
	   TEST(a_small_inline_limit_is_respected), TEST(invalid_segments_end_the_connection),
	   TEST(a_long_call_is_pulled),
	   TEST(a_long_call_from_an_unknown_handle_ends_the_connection),
	   TEST(only_write_data_can_use_a_read_chunk),
	   TEST(only_a_writable_directory_grants_changes),
	   TEST(the_data_of_a_write_may_come_with_its_padding),
	   TEST(directories_never_exceed_the_offered_chunk),
	   TEST(readlink_also_uses_the_write_chunk), TEST(unknown_programs_are_reported))
