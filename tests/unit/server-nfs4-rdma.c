/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* COMPOUNDs over RDMA: data of READ and READLINK by Write chunk in the middle of the results (RFC
 * 8267 section 6), and the faults, which corrupt NFSv4 READs as they do those of NFSv3. */
#include "tests/support/compound.h"
#include "tests/support/requester.h"
#include "tests/unit/suite.h"

#define MEMORY (SERVER_READ_MAX + 4096)

static struct requester peer;
static struct server_options options;
static struct fault_set *faults;
static struct compound_test *t; /* builds and parses */
static uint8_t memory[2][MEMORY];
static uint32_t minor;

static void begin(const char *spec)
{
	faults = fault_set_new();
	if (spec)
		CU_ASSERT_EQUAL_FATAL(fault_set_add(faults, spec), 0);
	options = (struct server_options){ .faults = faults };
	CU_ASSERT_EQUAL_FATAL(export_memory_new(&options.exp), 0);
	CU_ASSERT_EQUAL_FATAL(nfs4_state_new(&options.nfs4), 0);
	CU_ASSERT_EQUAL_FATAL(requester_init(&peer, &options), 0);
	peer.vers = 4;
	t->exp = options.exp;
	t->state = options.nfs4;
	t->cache = false;
	if (minor)
		CU_ASSERT_EQUAL(compound_session(t, "one", &(uint64_t){ 0 }), NFS4_OK);
}

static void end(void)
{
	requester_fini(&peer);
	nfs4_state_free(options.nfs4);
	export_free(options.exp);
	fault_set_free(faults);
}

static void start(void)
{
	if (minor)
		compound_sequence(t);
	else
		compound_start(t, 0);
	requester_next(&peer);
	memset(memory, 0xaa, sizeof(memory));
}

static void offer_write(unsigned int i, uint32_t len)
{
	struct rpcrdma_segment segment = requester_memory(&peer, memory[i], len);

	header_add_write(&peer.header, &segment, 1);
}

static void offer_reply(uint32_t len)
{
	struct rpcrdma_segment segment = requester_memory(&peer, memory[0], len);

	header_set_reply(&peer.header, &segment, 1);
}

/* The COMPOUND that was built. 0: there is a reply, and t->results is at its first operation. */
static int run(void)
{
	uint8_t args[1024];
	struct writer w;
	int rc;

	writer_init(&w, args, sizeof(args));
	compound_head(t, &w);
	writer_bytes(&w, t->args.base, t->args.len);
	rc = requester_call(&peer, NFSPROC4_COMPOUND, args, w.len);
	if (rc || peer.reply_header.rdma_proc == RDMA_ERROR)
		return rc;
	t->results = peer.results;
	t->status = reader_u32(&t->results);
	reader_opaque(&t->results, NFS4_OPAQUE_LIMIT, &(uint32_t){ 0 });
	t->count = reader_u32(&t->results);
	if (minor)
		compound_pass_sequence(t);
	return 0;
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

static uint32_t chunk_length(unsigned int i)
{
	const struct rpcrdma_header *h = &peer.reply_header;

	return h->segments[h->write[i].first].length;
}

/* A READ with its data in the chunk: eof and the length word remain inline. */
static uint32_t pass_reduced_read(bool *eof)
{
	CU_ASSERT_EQUAL(compound_result(t, OP_READ), NFS4_OK);
	*eof = reader_bool(&t->results);
	return reader_u32(&t->results);
}

static const uint8_t *pass_read(uint32_t *len)
{
	CU_ASSERT_EQUAL(compound_result(t, OP_READ), NFS4_OK);
	reader_bool(&t->results);
	return reader_opaque(&t->results, SERVER_READ_MAX, len);
}

static void pass_getfh(void)
{
	uint32_t len;

	CU_ASSERT_EQUAL(compound_result(t, OP_GETFH), NFS4_OK);
	CU_ASSERT_PTR_NOT_NULL(reader_opaque(&t->results, NFS4_FHSIZE, &len));
	CU_ASSERT_EQUAL(len, 28);
}

/* Chunks. Each test runs in both minor versions. */

static void read_by_chunk(uint32_t count)
{
	bool eof;

	start();
	compound_path(t, "data-4194304");
	compound_read(t, &compound_anonymous, 8, count);
	compound_op(t, OP_GETFH);
	offer_write(0, count);
	CU_ASSERT_EQUAL_FATAL(run(), 0);
	CU_ASSERT_EQUAL(t->status, NFS4_OK);
	CU_ASSERT_TRUE(compound_pass_path(t, "data-4194304"));
	CU_ASSERT_EQUAL(pass_reduced_read(&eof), count);
	CU_ASSERT_FALSE(eof);
	pass_getfh();
	CU_ASSERT_EQUAL(reader_left(&t->results), 0);
	CU_ASSERT_EQUAL(chunk_length(0), count);
	CU_ASSERT_TRUE(is_pattern(memory[0], 8, count));
	CU_ASSERT_EQUAL(memory[0][count], 0xaa);
}

static void data_uses_the_chunk_and_results_follow_the_length(void)
{
	static const uint32_t counts[] = { 1, 2, 3, 4, 811, 813, 4097, 65536, 1048576 };
	size_t i;

	for (minor = 0; minor < 2; minor++) {
		SUITE_ROW("minor %u", minor);
		begin(NULL);
		for (i = 0; i < ARRAY_SIZE(counts); i++) {
			SUITE_ROW("%zu: %u", i, counts[i]);
			read_by_chunk(counts[i]);
		}
		end();
	}
}

static void the_first_read_uses_the_first_chunk(void)
{
	const uint8_t *data;
	uint32_t len;
	bool eof;

	for (minor = 0; minor < 2; minor++) {
		SUITE_ROW("minor %u", minor);
		begin(NULL);
		start();
		compound_path(t, "data-4194304");
		compound_read(t, &compound_anonymous, 8, 4099);
		compound_read(t, &compound_anonymous, 65536, 1001);
		compound_op(t, OP_GETFH);
		offer_write(0, 4099);
		CU_ASSERT_EQUAL(run(), 0);
		compound_pass_path(t, "data-4194304");
		CU_ASSERT_EQUAL(pass_reduced_read(&eof), 4099);
		data = pass_read(&len);
		CU_ASSERT_EQUAL(len, 1001);
		CU_ASSERT_TRUE(is_pattern(data, 65536, 1001));
		pass_getfh();
		CU_ASSERT_TRUE(is_pattern(memory[0], 8, 4099));
		end();
	}
}

static void two_reads_use_two_chunks(void)
{
	bool eof;

	for (minor = 0; minor < 2; minor++) {
		SUITE_ROW("minor %u", minor);
		begin(NULL);
		start();
		compound_path(t, "data-4194304");
		compound_read(t, &compound_anonymous, 8, 813);
		compound_op(t, OP_GETFH);
		compound_read(t, &compound_anonymous, 65536, 1001);
		offer_write(0, 4096);
		offer_write(1, 4096);
		CU_ASSERT_EQUAL(run(), 0);
		compound_pass_path(t, "data-4194304");
		CU_ASSERT_EQUAL(pass_reduced_read(&eof), 813);
		pass_getfh();
		CU_ASSERT_EQUAL(pass_reduced_read(&eof), 1001);
		CU_ASSERT_EQUAL(reader_left(&t->results), 0);
		CU_ASSERT_EQUAL(chunk_length(0), 813);
		CU_ASSERT_EQUAL(chunk_length(1), 1001);
		CU_ASSERT_TRUE(is_pattern(memory[0], 8, 813));
		CU_ASSERT_TRUE(is_pattern(memory[1], 65536, 1001));
		end();
	}
}

/* RFC 8267 section 6: the first READ uses the first chunk, even for zero bytes. */
static void a_zero_length_read_leaves_its_chunk_unused(void)
{
	bool eof;

	minor = 0;
	begin(NULL);
	start();
	compound_path(t, "data-4096");
	compound_read(t, &compound_anonymous, 4096, 100);
	compound_read(t, &compound_anonymous, 8, 100);
	offer_write(0, 4096);
	offer_write(1, 4096);
	CU_ASSERT_EQUAL(run(), 0);
	compound_pass_path(t, "data-4096");
	CU_ASSERT_EQUAL(pass_reduced_read(&eof), 0);
	CU_ASSERT_TRUE(eof);
	CU_ASSERT_EQUAL(pass_reduced_read(&eof), 100);
	CU_ASSERT_EQUAL(chunk_length(0), 0);
	CU_ASSERT_EQUAL(chunk_length(1), 100);
	CU_ASSERT_EQUAL(memory[0][0], 0xaa);
	CU_ASSERT_TRUE(is_pattern(memory[1], 8, 100));
	end();
}

static void a_failed_read_leaves_its_chunk_unused(void)
{
	minor = 0;
	begin(NULL);
	start();
	compound_path(t, "");
	compound_read(t, &compound_anonymous, 0, 100);
	offer_write(0, 4096);
	CU_ASSERT_EQUAL(run(), 0);
	CU_ASSERT_EQUAL(t->status, NFS4ERR_ISDIR);
	CU_ASSERT_EQUAL(peer.reply_header.write_count, 1);
	CU_ASSERT_EQUAL(chunk_length(0), 0);
	CU_ASSERT_EQUAL(memory[0][0], 0xaa);
	end();
}

static void readlink_also_uses_a_chunk(void)
{
	for (minor = 0; minor < 2; minor++) {
		SUITE_ROW("minor %u", minor);
		begin(NULL);
		start();
		compound_path(t, "link-1023");
		compound_op(t, OP_READLINK);
		compound_op(t, OP_GETFH);
		offer_write(0, 4096);
		CU_ASSERT_EQUAL(run(), 0);
		compound_pass_path(t, "link-1023");
		CU_ASSERT_EQUAL(compound_result(t, OP_READLINK), NFS4_OK);
		CU_ASSERT_EQUAL(reader_u32(&t->results), 1023);
		pass_getfh();
		CU_ASSERT_EQUAL(chunk_length(0), 1023);
		CU_ASSERT_EQUAL(memory[0][1022], 'a' + 1022 % 26);
		end();
	}
}

static void a_reply_chunk_holds_the_whole_reply(void)
{
	const uint8_t *data;
	uint32_t len;

	for (minor = 0; minor < 2; minor++) {
		SUITE_ROW("minor %u", minor);
		begin(NULL);
		start();
		compound_path(t, "data-4194304");
		compound_read(t, &compound_anonymous, 8, 65537);
		compound_op(t, OP_GETFH);
		compound_read(t, &compound_anonymous, 16, 3);
		offer_reply(MEMORY);
		CU_ASSERT_EQUAL(run(), 0);
		CU_ASSERT_EQUAL(peer.reply_header.rdma_proc, RDMA_NOMSG);
		compound_pass_path(t, "data-4194304");
		data = pass_read(&len);
		CU_ASSERT_EQUAL(len, 65537);
		CU_ASSERT_TRUE(is_pattern(data, 8, 65537));
		pass_getfh();
		data = pass_read(&len);
		CU_ASSERT_EQUAL(len, 3);
		CU_ASSERT_TRUE(is_pattern(data, 16, 3));
		CU_ASSERT_EQUAL(reader_left(&t->results), 0);
		end();
	}
}

static void inline_data_is_padded(void)
{
	const uint8_t *data;
	uint32_t len, count;

	minor = 0;
	begin(NULL);
	for (count = 0; count < 9; count++) {
		SUITE_ROW("count %u", count);
		start();
		compound_path(t, "data-4194304");
		compound_read(t, &compound_anonymous, 8, count);
		compound_op(t, OP_GETFH);
		CU_ASSERT_EQUAL(run(), 0);
		compound_pass_path(t, "data-4194304");
		data = pass_read(&len);
		CU_ASSERT_EQUAL(len, count);
		CU_ASSERT_TRUE(is_pattern(data, 8, count));
		pass_getfh();
		CU_ASSERT_EQUAL(reader_left(&t->results), 0);
	}
	/* data that does not fit is refused */
	start();
	compound_path(t, "data-4194304");
	compound_read(t, &compound_anonymous, 8, 5000);
	CU_ASSERT_EQUAL(run(), 0);
	CU_ASSERT_EQUAL(peer.reply_header.rdma_proc, RDMA_ERROR);
	end();
}

/* The slot's reply uses the chunk of the retry, not that of the first call. */
static void a_retry_has_a_chunk_of_its_own(void)
{
	bool eof;

	minor = 1;
	begin(NULL);
	t->cache = true;
	start();
	compound_path(t, "data-4194304");
	compound_read(t, &compound_anonymous, 8, 813);
	compound_op(t, OP_GETFH);
	offer_write(0, 813);
	CU_ASSERT_EQUAL(run(), 0);
	CU_ASSERT_TRUE(is_pattern(memory[0], 8, 813));
	requester_next(&peer);
	memset(memory, 0xaa, sizeof(memory));
	offer_write(1, 813);
	CU_ASSERT_EQUAL(run(), 0);
	compound_pass_path(t, "data-4194304");
	CU_ASSERT_EQUAL(pass_reduced_read(&eof), 813);
	pass_getfh();
	CU_ASSERT_EQUAL(memory[0][0], 0xaa);
	CU_ASSERT_TRUE(is_pattern(memory[1], 8, 813));
	end();
}

static void write_data_in_a_chunk_is_never_pulled(void)
{
	struct rpcrdma_segment segment;

	for (minor = 0; minor < 2; minor++) {
		SUITE_ROW("minor %u", minor);
		begin(NULL);
		start();
		compound_path(t, "data-4096");
		nfs4_put_stateid(compound_op(t, OP_WRITE), &compound_anonymous);
		writer_u64(&t->args, 0);
		writer_u32(&t->args, 0);
		writer_u32(&t->args, 4096);
		compound_op(t, OP_GETFH);
		segment = requester_memory(&peer, memory[0], 4096);
		header_add_read(&peer.header, 200, &segment);
		CU_ASSERT_EQUAL(run(), 0);
		CU_ASSERT_EQUAL(t->status, NFS4ERR_ROFS);
		CU_ASSERT_EQUAL(peer.reads, 0);
		end();
	}
}

static void put_write(uint64_t offset, uint32_t len)
{
	struct writer *w = compound_op(t, OP_WRITE);

	nfs4_put_stateid(w, &compound_anonymous);
	writer_u64(w, offset);
	writer_u32(w, 2);
	writer_u32(w, len);
}

/* One WRITE has the chunk, and the other its data inline, in either order. */
static void two_writes_may_share_a_compound(void)
{
	const struct export_create create = { .name = "x", .mode = 0600 };
	struct rpcrdma_segment segment;
	struct export_read read = { .count = 8, .scratch = memory[1] };
	struct nfs_fh dir, fh;
	uint32_t position, order;

	minor = 0;
	for (order = 0; order < 2; order++) {
		SUITE_ROW("order %u", order);
		begin(NULL);
		CU_ASSERT_EQUAL_FATAL(export_memory_make_writable(options.exp), 0);
		CU_ASSERT_EQUAL_FATAL(options.exp->ops->root(options.exp, &dir), 0);
		CU_ASSERT_EQUAL_FATAL(options.exp->ops->create(options.exp, &dir, &create, &fh), 0);
		start();
		compound_path(t, "x");
		if (order) {
			put_write(4, 4);
			writer_bytes(&t->args, "abcd", 4);
		}
		put_write(0, 4);
		/* After the RPC header and the COMPOUND's. */
		position = 40 + 12 + (uint32_t)t->args.len;
		if (!order) {
			put_write(4, 4);
			writer_bytes(&t->args, "abcd", 4);
		}
		memcpy(memory[0], "0123", 4);
		segment = requester_memory(&peer, memory[0], 4);
		header_add_read(&peer.header, position, &segment);
		CU_ASSERT_EQUAL_FATAL(run(), 0);
		CU_ASSERT_EQUAL(t->status, NFS4_OK);
		CU_ASSERT_EQUAL(t->count, 4);
		CU_ASSERT_EQUAL(options.exp->ops->read(options.exp, &fh, &read), 0);
		ASSERT_BYTES(read.data, "0123abcd", 8);
		end();
	}
}

static void rpc_versions_three_and_four_are_served(void)
{
	minor = 0;
	begin(NULL);
	for (peer.vers = 2; peer.vers < 6; peer.vers++) {
		SUITE_ROW("vers %u", peer.vers);
		requester_next(&peer);
		CU_ASSERT_EQUAL(requester_call(&peer, NFSPROC4_NULL, NULL, 0), 0);
		CU_ASSERT_EQUAL(peer.reply.accept_stat,
				peer.vers == 3 || peer.vers == 4 ? RPC_SUCCESS : RPC_PROG_MISMATCH);
		if (!peer.reply.accept_stat)
			continue;
		CU_ASSERT_EQUAL(peer.reply.low, 3);
		CU_ASSERT_EQUAL(peer.reply.high, 4);
	}
	end();
}

/* Faults */

static void start_read(uint32_t count)
{
	start();
	compound_path(t, "data-4194304");
	compound_read(t, &compound_anonymous, 8, count);
	compound_op(t, OP_GETFH);
	offer_write(0, count + 256);
}

static void write_chunk_over_812_spoils_the_data(void)
{
	bool eof;

	for (minor = 0; minor < 2; minor++) {
		SUITE_ROW("minor %u", minor);
		begin("write-chunk-over-812");
		read_by_chunk(812);
		start_read(813);
		CU_ASSERT_EQUAL(run(), 0);
		compound_pass_path(t, "data-4194304");
		CU_ASSERT_EQUAL(pass_reduced_read(&eof), 813);
		pass_getfh();
		CU_ASSERT_FALSE(is_pattern(memory[0], 8, 1));
		CU_ASSERT_FALSE(is_pattern(memory[0] + 812, 820, 1));
		end();
	}
}

static void write_chunk_over_812_short_has_consistent_lengths(void)
{
	bool eof;

	for (minor = 0; minor < 2; minor++) {
		SUITE_ROW("minor %u", minor);
		begin("write-chunk-over-812=short");
		start_read(4096);
		CU_ASSERT_EQUAL(run(), 0);
		compound_pass_path(t, "data-4194304");
		CU_ASSERT_EQUAL(pass_reduced_read(&eof), 812);
		CU_ASSERT_FALSE(eof);
		pass_getfh();
		CU_ASSERT_EQUAL(reader_left(&t->results), 0);
		CU_ASSERT_EQUAL(chunk_length(0), 812);
		CU_ASSERT_EQUAL(memory[0][812], 0xaa);
		end();
	}
}

static void write_chunk_over_812_eio_ends_the_compound(void)
{
	for (minor = 0; minor < 2; minor++) {
		SUITE_ROW("minor %u", minor);
		begin("write-chunk-over-812=eio");
		start_read(4096);
		CU_ASSERT_EQUAL(run(), 0);
		CU_ASSERT_EQUAL(t->status, NFS4ERR_IO);
		CU_ASSERT_EQUAL(t->count, 3 + minor);
		compound_pass_path(t, "data-4194304");
		CU_ASSERT_EQUAL(compound_result(t, OP_READ), NFS4ERR_IO);
		CU_ASSERT_EQUAL(reader_left(&t->results), 0);
		CU_ASSERT_EQUAL(chunk_length(0), 0);
		end();
	}
}

static void write_chunk_over_812_stale_writes_nothing(void)
{
	begin("write-chunk-over-812=stale");
	start_read(4096);
	CU_ASSERT_EQUAL(run(), 0);
	CU_ASSERT_EQUAL(chunk_length(0), 4096);
	CU_ASSERT_EQUAL(memory[0][0], 0xaa);
	end();
}

static void write_chunk_over_812_later_waits_for_another_operation(void)
{
	for (minor = 0; minor < 2; minor++) {
		SUITE_ROW("minor %u", minor);
		begin("write-chunk-over-812-later");
		read_by_chunk(4096);
		read_by_chunk(4096);
		start();
		compound_path(t, "");
		CU_ASSERT_EQUAL(run(), 0);
		start_read(4096);
		CU_ASSERT_EQUAL(run(), 0);
		CU_ASSERT_FALSE(is_pattern(memory[0], 8, 4096));
		end();
	}
}

static void pages_are_shifted_and_padding_written(void)
{
	minor = 1;
	begin("page-shift");
	start_read(8192 + 100);
	CU_ASSERT_EQUAL(run(), 0);
	CU_ASSERT_TRUE(is_pattern(memory[0], 8 + 4096, 4096 + 100));
	CU_ASSERT_TRUE(is_pattern(memory[0] + 4096 + 100, 8, 4096));
	end();
	begin("pad-written");
	start_read(813);
	CU_ASSERT_EQUAL(run(), 0);
	CU_ASSERT_EQUAL(chunk_length(0), 813);
	ASSERT_BYTES(memory[0] + 813, "\0\0\0\xaa", 4);
	end();
}

static void a_reply_chunk_repeats_its_page(void)
{
	minor = 0;
	begin("reply-page-repeat");
	start();
	compound_path(t, "data-4194304");
	compound_read(t, &compound_anonymous, 8, 16384);
	offer_reply(MEMORY);
	CU_ASSERT_EQUAL(run(), 0);
	ASSERT_BYTES(memory[0], memory[0] + 4096, 4096);
	end();
}

int main(void)
{
	static const struct suite_test tests[] = {
		TEST(data_uses_the_chunk_and_results_follow_the_length),
		TEST(the_first_read_uses_the_first_chunk),
		TEST(two_reads_use_two_chunks),
		TEST(a_zero_length_read_leaves_its_chunk_unused),
		TEST(a_failed_read_leaves_its_chunk_unused),
		TEST(readlink_also_uses_a_chunk),
		TEST(a_reply_chunk_holds_the_whole_reply),
		TEST(inline_data_is_padded),
		TEST(a_retry_has_a_chunk_of_its_own),
		TEST(write_data_in_a_chunk_is_never_pulled),
		TEST(two_writes_may_share_a_compound),
		TEST(rpc_versions_three_and_four_are_served),
		TEST(write_chunk_over_812_spoils_the_data),
		TEST(write_chunk_over_812_short_has_consistent_lengths),
		TEST(write_chunk_over_812_eio_ends_the_compound),
		TEST(write_chunk_over_812_stale_writes_nothing),
		TEST(write_chunk_over_812_later_waits_for_another_operation),
		TEST(pages_are_shifted_and_padding_written),
		TEST(a_reply_chunk_repeats_its_page),
	};
	int rc;

	t = calloc(1, sizeof(*t));
	if (!t)
		return 2;
	rc = suite_run("server-nfs4-rdma", tests, ARRAY_SIZE(tests));
	free(t);
	return rc;
}
