/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Each fault does what its row says and nothing else: other replies are unchanged. */
#include "tests/support/requester.h"
#include "tests/unit/suite.h"

static struct requester peer;
static struct server_options options;
static struct fault_set *faults;
static uint8_t memory[SERVER_READ_MAX + 4096];
static struct nfs_fh file;

static void begin(const char *spec)
{
	faults = fault_set_new();
	CU_ASSERT_EQUAL_FATAL(fault_set_add(faults, spec), 0);
	options = (struct server_options){ .faults = faults };
	CU_ASSERT_EQUAL_FATAL(export_memory_new(&options.exp), 0);
	CU_ASSERT_EQUAL_FATAL(requester_init(&peer, &options), 0);
	CU_ASSERT_EQUAL(requester_handle(options.exp, "data-4194304", &file), 0);
}

static void end(void)
{
	requester_fini(&peer);
	export_free(options.exp);
	fault_set_free(faults);
}

static int null(void)
{
	requester_next(&peer);
	return requester_call(&peer, NFS3_NULL, NULL, 0);
}

enum mechanism { INLINE, WRITE_CHUNK, REPLY_CHUNK };

static int read_by(enum mechanism mechanism, uint64_t offset, uint32_t count)
{
	struct rpcrdma_segment segment;
	uint8_t args[128];

	requester_next(&peer);
	memset(memory, 0xaa, sizeof(memory));
	segment = requester_memory(&peer, memory, count + 256);
	if (mechanism == WRITE_CHUNK)
		header_add_write(&peer.header, &segment, 1);
	else if (mechanism == REPLY_CHUNK)
		header_set_reply(&peer.header, &segment, 1);
	return requester_call(&peer, NFS3_READ, args,
			      requester_read_args(args, &file, offset, count));
}

static const uint8_t *data_of(enum mechanism mechanism)
{
	return mechanism == INLINE        ? peer.sent + 28 + 128
	       : mechanism == WRITE_CHUNK ? memory
					  : memory + 128;
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

/* The READ succeeded with complete and correct data. */
static bool is_right(enum mechanism mechanism, uint64_t offset, uint32_t count)
{
	struct nfs3_read_res res;

	if (read_by(mechanism, offset, count) || peer.reply_header.rdma_proc == RDMA_ERROR)
		return false;
	if (nfs3_res_read(&res, &peer.results, mechanism == WRITE_CHUNK) || res.status)
		return false;
	return res.count == count && is_pattern(data_of(mechanism), offset, count);
}

static struct nfs3_read_res read_result(uint64_t offset, uint32_t count)
{
	struct nfs3_read_res res = { 0 };

	CU_ASSERT_EQUAL(read_by(WRITE_CHUNK, offset, count), 0);
	CU_ASSERT_EQUAL(nfs3_res_read(&res, &peer.results, true), 0);
	return res;
}

/* Up to 812 bytes, and by other mechanisms, everything is correct. */
static void assert_others_right(void)
{
	CU_ASSERT_TRUE(is_right(WRITE_CHUNK, 8, 811));
	CU_ASSERT_TRUE(is_right(WRITE_CHUNK, 0, 812));
	CU_ASSERT_TRUE(is_right(INLINE, 0, 3940));
	CU_ASSERT_TRUE(is_right(REPLY_CHUNK, 0, 65536));
}

static void write_chunk_over_812_garbage_corrupts_every_byte(void)
{
	struct nfs3_read_res res;
	uint32_t i, same = 0;

	begin("write-chunk-over-812");
	assert_others_right();
	res = read_result(8, 813);
	CU_ASSERT_EQUAL(res.count, 813);
	for (i = 0; i < 813; i++)
		same += is_pattern(memory + i, 8 + i, 1);
	CU_ASSERT_EQUAL(same, 0);
	CU_ASSERT_EQUAL(memory[813], 0xaa);
	CU_ASSERT_FALSE(is_right(WRITE_CHUNK, 0, 1048576));
	assert_others_right();
	end();
}

static void write_chunk_over_812_short_is_consistent(void)
{
	struct nfs3_read_res res;

	begin("write-chunk-over-812=short");
	assert_others_right();
	res = read_result(0, 4096);
	CU_ASSERT_EQUAL(res.status, 0);
	CU_ASSERT_EQUAL(res.count, 812);
	CU_ASSERT_EQUAL(res.data_len, 812);
	CU_ASSERT_FALSE(res.eof);
	CU_ASSERT_EQUAL(peer.reply_header.segments[0].length, 812);
	CU_ASSERT_EQUAL(memory[812], 0xaa);
	end();
}

static void write_chunk_over_812_stale_writes_nothing_and_claims_all(void)
{
	struct nfs3_read_res res;

	begin("write-chunk-over-812=stale");
	assert_others_right();
	res = read_result(0, 4096);
	CU_ASSERT_EQUAL(res.count, 4096);
	CU_ASSERT_EQUAL(peer.reply_header.segments[0].length, 4096);
	CU_ASSERT_EQUAL(memory[0], 0xaa);
	CU_ASSERT_EQUAL(memory[4095], 0xaa);
	assert_others_right();
	end();
}

static void write_chunk_over_812_eio_is_a_complete_error_reply(void)
{
	struct nfs3_read_res res;

	begin("write-chunk-over-812=eio");
	assert_others_right();
	res = read_result(0, 4096);
	CU_ASSERT_EQUAL(res.status, NFS3_STATUS_IO);
	CU_ASSERT_TRUE(res.has_attr);
	CU_ASSERT_EQUAL(reader_left(&peer.results), 0);
	CU_ASSERT_EQUAL(peer.reply_header.segments[0].length, 0);
	end();
}

static void write_chunk_over_812_hangs_or_closes(void)
{
	begin("write-chunk-over-812=hang");
	assert_others_right();
	CU_ASSERT_EQUAL(read_by(WRITE_CHUNK, 0, 813), -ENOMSG);
	assert_others_right();
	end();
	begin("write-chunk-over-812=close");
	assert_others_right();
	CU_ASSERT_EQUAL(read_by(WRITE_CHUNK, 0, 813), -ECONNRESET);
	CU_ASSERT_EQUAL(peer.sends, 0);
	end();
}

static void write_chunk_over_812_later_needs_a_read_and_another_operation(void)
{
	begin("write-chunk-over-812-later");
	CU_ASSERT_EQUAL(null(), 0);
	CU_ASSERT_TRUE(is_right(WRITE_CHUNK, 0, 4096));
	CU_ASSERT_TRUE(is_right(WRITE_CHUNK, 0, 4096));
	CU_ASSERT_EQUAL(null(), 0);
	CU_ASSERT_FALSE(is_right(WRITE_CHUNK, 0, 4096));
	CU_ASSERT_FALSE(is_right(WRITE_CHUNK, 0, 4096));
	assert_others_right();
	end();
}

static void write_chunk_is_corrupt_at_all_sizes(void)
{
	static const char *const specs[] = { "write-chunk", "write-chunk=eio",
					     "write-chunk=stale" };
	static const uint32_t counts[] = { 16, 812, 813, 65536 };
	size_t i, j;

	for (i = 0; i < ARRAY_SIZE(specs); i++) {
		begin(specs[i]);
		for (j = 0; j < ARRAY_SIZE(counts); j++) {
			SUITE_ROW("%s of %u bytes", specs[i], counts[j]);
			CU_ASSERT_FALSE(is_right(WRITE_CHUNK, 0, counts[j]));
			CU_ASSERT_EQUAL(memory[9], i ? 0xaa : 0);
			CU_ASSERT_TRUE(is_right(REPLY_CHUNK, 0, counts[j]));
		}
		CU_ASSERT_TRUE(is_right(INLINE, 0, 813));
		end();
	}
}

static void at_times_corrupts_one_read_in_23(void)
{
	static const char *const specs[] = { "at-times", "at-times=page", "at-times=eio" };
	unsigned int i, j, wrong;

	for (i = 0; i < ARRAY_SIZE(specs); i++) {
		SUITE_ROW("%s", specs[i]);
		begin(specs[i]);
		for (j = 0, wrong = 0; j < 46; j++) {
			bool right = is_right(WRITE_CHUNK, 8, 8192);

			wrong += !right;
			CU_ASSERT_EQUAL(right, j % 23 != 10);
			CU_ASSERT_TRUE(is_right(INLINE, 0, 3940));
			CU_ASSERT_TRUE(is_right(REPLY_CHUNK, 0, 65536));
		}
		CU_ASSERT_EQUAL(wrong, 2);
		end();
	}
}

/* A READ of one byte would be a single bit, or right. The low bytes here are 0xa0 to 0xaf. */
static void a_corrupt_page_is_wrong_in_several_bits_of_each_byte(void)
{
	unsigned int i, bit, near = 0;

	begin("at-times=page");
	for (i = 0; i < 10; i++)
		CU_ASSERT_TRUE(is_right(WRITE_CHUNK, 8, 16));
	CU_ASSERT_FALSE(is_right(WRITE_CHUNK, 0xa000, 4096));
	for (i = 0; i < 4096; i++) {
		near += is_pattern(memory + i, 0xa000 + i, 1);
		for (bit = 1; bit < 256; bit <<= 1) {
			memory[i] ^= (uint8_t)bit;
			near += is_pattern(memory + i, 0xa000 + i, 1);
			memory[i] ^= (uint8_t)bit;
		}
	}
	CU_ASSERT_EQUAL(near, 0);
	end();
}

static void rarely_corrupts_one_read_in_500(void)
{
	static const char *const specs[] = { "rarely", "rarely=page", "rarely=eio" };
	unsigned int i, j;

	for (i = 0; i < ARRAY_SIZE(specs); i++) {
		SUITE_ROW("%s", specs[i]);
		begin(specs[i]);
		for (j = 1; j <= 1001; j++) {
			CU_ASSERT_EQUAL(is_right(WRITE_CHUNK, 8, 8192), j % 500 != 0);
			CU_ASSERT_TRUE(is_right(INLINE, 0, 512));
		}
		end();
	}
}

static void nfs_unaligned_returns_zeros_by_every_mechanism(void)
{
	enum mechanism mechanism;

	begin("nfs-unaligned");
	for (mechanism = INLINE; mechanism <= REPLY_CHUNK; mechanism++) {
		SUITE_ROW("%u", mechanism);
		CU_ASSERT_TRUE(is_right(mechanism, 4096, 3000));
		CU_ASSERT_FALSE(is_right(mechanism, 4104, 3000));
	}
	end();
}

static void drop_reply_drops_the_second_fifth_and_eighth(void)
{
	unsigned int i;

	begin("drop-reply");
	for (i = 1; i <= 12; i++) {
		SUITE_ROW("%u", i);
		CU_ASSERT_EQUAL(null(), i % 3 == 2 ? -ENOMSG : 0);
	}
	end();
}

static void restart_closes_and_makes_handles_stale(void)
{
	struct nfs3_read_res res;

	begin("restart");
	assert_others_right();
	CU_ASSERT_EQUAL(read_by(WRITE_CHUNK, 0, 813), -ECONNRESET);
	CU_ASSERT_EQUAL(peer.sends, 0);
	CU_ASSERT_EQUAL(read_by(WRITE_CHUNK, 0, 5), 0);
	CU_ASSERT_EQUAL(nfs3_res_read(&res, &peer.results, true), 0);
	CU_ASSERT_EQUAL(res.status, NFS3_STATUS_STALE);
	CU_ASSERT_EQUAL(requester_handle(options.exp, "data-4194304", &file), 0);
	CU_ASSERT_TRUE(is_right(WRITE_CHUNK, 0, 5));
	end();
}

/* Behaviour by which a probe identifies servers. Faults that crash one would end this test. */
static void foreign_handles_have_another_format(void)
{
	static const struct {
		const char *spec;
		uint8_t first;
	} rows[] = { { "foreign", 0x43 }, { "foreign=unknown", 0x80 }, { "die", 'n' } };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		SUITE_ROW("%zu: %s", i, rows[i].spec);
		begin(rows[i].spec);
		fault_prepare(faults, options.exp);
		CU_ASSERT_EQUAL(requester_handle(options.exp, "data-4194304", &file), 0);
		CU_ASSERT_EQUAL(file.data[0], rows[i].first);
		CU_ASSERT_TRUE(is_right(WRITE_CHUNK, 0, 812));
		CU_ASSERT_TRUE(is_right(REPLY_CHUNK, 0, 65536));
		end();
	}
}

static void close_replaces_the_fifth_reply(void)
{
	unsigned int i;

	begin("close");
	for (i = 1; i <= 5; i++) {
		SUITE_ROW("%u", i);
		CU_ASSERT_EQUAL(null(), i == 5 ? -ECONNRESET : 0);
	}
	CU_ASSERT_EQUAL(peer.sends, 0);
	end();
}

static void wrong_xid_is_wrong_in_both_headers(void)
{
	unsigned int i;

	begin("wrong-xid");
	for (i = 1; i <= 6; i++) {
		SUITE_ROW("%u", i);
		CU_ASSERT_EQUAL(null(), 0);
		CU_ASSERT_EQUAL(peer.reply.xid, peer.reply_header.rdma_xid);
		CU_ASSERT_EQUAL(peer.reply.xid != peer.header.rdma_xid, i % 3 == 2);
	}
	/* errors have no RPC message; this is the eighth */
	CU_ASSERT_EQUAL(null(), 0);
	read_by(INLINE, 0, 65536);
	CU_ASSERT_EQUAL(peer.reply_header.rdma_proc, RDMA_ERROR);
	CU_ASSERT_NOT_EQUAL(peer.reply_header.rdma_xid, peer.header.rdma_xid);
	end();
}

static void credit_zero_is_in_every_reply(void)
{
	begin("credit-zero");
	CU_ASSERT_EQUAL(null(), 0);
	CU_ASSERT_EQUAL(peer.reply_header.rdma_credit, 0);
	CU_ASSERT_TRUE(is_right(WRITE_CHUNK, 0, 65536));
	CU_ASSERT_EQUAL(peer.reply_header.rdma_credit, 0);
	CU_ASSERT_TRUE(is_right(REPLY_CHUNK, 0, 65536));
	CU_ASSERT_EQUAL(peer.reply_header.rdma_credit, 0);
	read_by(INLINE, 0, 65536);
	CU_ASSERT_EQUAL(peer.reply_header.rdma_proc, RDMA_ERROR);
	CU_ASSERT_EQUAL(peer.reply_header.rdma_credit, 0);
	end();
}

static void reply_first_writes_the_data_after_the_send(void)
{
	begin("reply-first");
	CU_ASSERT_TRUE(is_right(WRITE_CHUNK, 5, 4097));
	CU_ASSERT_EQUAL(peer.writes_after_send, 1);
	CU_ASSERT_EQUAL(peer.reply_header.segments[0].length, 4097);
	CU_ASSERT_TRUE(is_right(INLINE, 0, 813));
	CU_ASSERT_TRUE(is_right(REPLY_CHUNK, 0, 65536));
	CU_ASSERT_EQUAL(peer.writes_after_send, 0);
	end();
}

static void chunk_unused_sends_inline_what_fits(void)
{
	struct nfs3_read_res res;

	begin("chunk-unused");
	CU_ASSERT_EQUAL(read_by(WRITE_CHUNK, 8, 813), 0);
	CU_ASSERT_EQUAL(nfs3_res_read(&res, &peer.results, false), 0);
	CU_ASSERT_EQUAL(res.data_len, 813);
	CU_ASSERT_TRUE(is_pattern(res.data, 8, 813));
	CU_ASSERT_EQUAL(peer.reply_header.write_count, 1);
	CU_ASSERT_EQUAL(peer.reply_header.write[0].count, 1);
	CU_ASSERT_EQUAL(peer.reply_header.segments[0].length, 0);
	CU_ASSERT_EQUAL(memory[0], 0xaa);
	CU_ASSERT_TRUE(is_right(WRITE_CHUNK, 0, 4096));
	CU_ASSERT_TRUE(is_right(INLINE, 0, 813));
	CU_ASSERT_TRUE(is_right(REPLY_CHUNK, 0, 65536));
	end();
}

static void tail_unwritten_claims_the_missing_bytes(void)
{
	static const uint32_t sizes[] = { 1, 3, 813, 65537, 65539 };
	struct nfs3_read_res res;
	uint32_t whole, i;

	begin("tail-unwritten");
	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		SUITE_ROW("%u", sizes[i]);
		whole = sizes[i] & ~3u;
		res = read_result(0, sizes[i]);
		CU_ASSERT_EQUAL(res.count, sizes[i]);
		CU_ASSERT_EQUAL(peer.reply_header.segments[0].length, sizes[i]);
		CU_ASSERT_TRUE(is_pattern(memory, 0, whole));
		CU_ASSERT_EQUAL(memory[whole], 0xaa);
		CU_ASSERT_EQUAL(memory[sizes[i] - 1], 0xaa);
	}
	CU_ASSERT_TRUE(is_right(WRITE_CHUNK, 0, 812));
	CU_ASSERT_TRUE(is_right(INLINE, 0, 813));
	CU_ASSERT_TRUE(is_right(REPLY_CHUNK, 0, 813));
	end();
}

static void rdma_error_replaces_some_replies(void)
{
	unsigned int i;

	begin("rdma-error=3");
	for (i = 1; i <= 9; i++) {
		SUITE_ROW("%u", i);
		read_by(i % 2 ? WRITE_CHUNK : INLINE, 0, 813);
		CU_ASSERT_EQUAL(peer.reply_header.rdma_proc, i % 3 ? RDMA_MSG : RDMA_ERROR);
		CU_ASSERT_EQUAL(peer.reply_header.rdma_xid, peer.header.rdma_xid);
		CU_ASSERT_EQUAL(peer.reply_header.rdma_err, i % 3 ? 0 : ERR_CHUNK);
	}
	end();
	begin("rdma-error");
	for (i = 1; i <= 100; i++) {
		SUITE_ROW("%u", i);
		null();
		CU_ASSERT_EQUAL(peer.reply_header.rdma_proc, i % 50 ? RDMA_MSG : RDMA_ERROR);
	}
	end();
}

static void pad_written_adds_zeros_and_no_length(void)
{
	begin("pad-written");
	CU_ASSERT_TRUE(is_right(WRITE_CHUNK, 0, 813));
	CU_ASSERT_EQUAL(peer.reply_header.segments[0].length, 813);
	ASSERT_BYTES(memory + 813, "\0\0\0\xaa", 4);
	CU_ASSERT_TRUE(is_right(WRITE_CHUNK, 0, 812));
	CU_ASSERT_EQUAL(memory[812], 0xaa);
	CU_ASSERT_TRUE(is_right(INLINE, 0, 813));
	CU_ASSERT_TRUE(is_right(REPLY_CHUNK, 0, 813));
	end();
}

/* As nfs-ganesha does; three bytes over a multiple of four need one pad byte. */
static void pad_written_in_part_has_another_length(void)
{
	begin("pad-written=part");
	CU_ASSERT_TRUE(is_right(WRITE_CHUNK, 0, 813));
	ASSERT_BYTES(memory + 813, "\0\xaa\xaa\xaa", 4);
	CU_ASSERT_TRUE(is_right(WRITE_CHUNK, 0, 814));
	ASSERT_BYTES(memory + 814, "\0\0\xaa", 3);
	CU_ASSERT_TRUE(is_right(WRITE_CHUNK, 0, 812));
	CU_ASSERT_EQUAL(memory[812], 0xaa);
	end();
}

/* A chunk that ends with the data has no room for a pad. */
static void pad_written_stays_in_the_chunk(void)
{
	struct rpcrdma_segment segment;
	uint8_t args[128];

	begin("pad-written");
	requester_next(&peer);
	segment = requester_memory(&peer, memory, 814);
	header_add_write(&peer.header, &segment, 1);
	CU_ASSERT_EQUAL(
		requester_call(&peer, NFS3_READ, args, requester_read_args(args, &file, 0, 813)),
		0);
	CU_ASSERT_EQUAL(peer.refused, 0);
	CU_ASSERT_EQUAL(memory[813], 0);
	end();
}

static void lengths_unrewritten_returns_lengths_as_offered(void)
{
	begin("lengths-unrewritten");
	CU_ASSERT_TRUE(is_right(WRITE_CHUNK, 0, 813));
	CU_ASSERT_EQUAL(peer.reply_header.segments[0].length, 813 + 256);
	CU_ASSERT_TRUE(is_right(REPLY_CHUNK, 0, 813));
	CU_ASSERT_EQUAL(peer.reply_header.segments[0].length, 128 + 816);
	end();
}

static void page_shift_rotates_the_pages(void)
{
	begin("page-shift");
	CU_ASSERT_TRUE(is_right(WRITE_CHUNK, 0, 4096));
	CU_ASSERT_TRUE(is_right(REPLY_CHUNK, 0, 8192));
	CU_ASSERT_FALSE(is_right(WRITE_CHUNK, 0, 12288));
	CU_ASSERT_TRUE(is_pattern(memory, 4096, 8192));
	CU_ASSERT_TRUE(is_pattern(memory + 8192, 0, 4096));
	CU_ASSERT_FALSE(is_right(WRITE_CHUNK, 0, 4097));
	CU_ASSERT_EQUAL(memory[4097], 0xaa);
	end();
}

static void reply_page_repeat_has_the_first_page_twice(void)
{
	begin("reply-page-repeat");
	CU_ASSERT_TRUE(is_right(WRITE_CHUNK, 0, 65536));
	CU_ASSERT_TRUE(is_right(REPLY_CHUNK, 0, 3968));
	CU_ASSERT_FALSE(is_right(REPLY_CHUNK, 0, 65536));
	ASSERT_BYTES(memory, memory + 4096, 4096);
	CU_ASSERT_TRUE(is_pattern(memory + 8192, 8192 - 128, 65536 - 8064));
	CU_ASSERT_EQUAL(peer.reply_header.segments[0].length, 128 + 65536);
	CU_ASSERT_EQUAL(read_by(REPLY_CHUNK, 0, 3969), 0);
	ASSERT_BYTES(memory, memory + 4096, 4);
	CU_ASSERT_EQUAL(peer.reply_header.segments[0].length, 128 + 3972);
	end();
}

/* A chunk with room for @room bytes; the first result is the READ's. */
static int read_into(uint32_t room, uint64_t offset, uint32_t count)
{
	struct rpcrdma_segment segment;
	uint8_t args[128];

	requester_next(&peer);
	memset(memory, 0xaa, sizeof(memory));
	segment = requester_memory(&peer, memory, room);
	header_add_write(&peer.header, &segment, 1);
	return requester_call(&peer, NFS3_READ, args,
			      requester_read_args(args, &file, offset, count));
}

static void linux_3_grants_writes_and_returns_as_it_did(void)
{
	begin("linux-3");
	CU_ASSERT_TRUE(fault_is_linux3(faults));
	CU_ASSERT_EQUAL(null(), 0);
	CU_ASSERT_EQUAL(peer.reply_header.rdma_credit, 16);
	CU_ASSERT_TRUE(is_right(WRITE_CHUNK, 4097, 813));
	ASSERT_BYTES(memory + 813, "\0\0\0\xaa", 4);
	CU_ASSERT_EQUAL(peer.reply_header.write[0].count, 1);
	CU_ASSERT_TRUE(is_right(INLINE, 4097, 813));
	CU_ASSERT_TRUE(is_right(REPLY_CHUNK, 4097, 65537));
	CU_ASSERT_EQUAL(read_by(WRITE_CHUNK, 0, 0), 0);
	CU_ASSERT_EQUAL(peer.reply_header.write_count, 1);
	CU_ASSERT_EQUAL(peer.reply_header.write[0].count, 0);
	CU_ASSERT_EQUAL(read_into(813, 0, 813), 0);
	CU_ASSERT_EQUAL(peer.refused, 0);
	end();
}

static void linux_3_inline_head_starts_with_the_reply_header(void)
{
	begin("linux-3=inline-head");
	CU_ASSERT_FALSE(is_right(INLINE, 0, 813));
	CU_ASSERT_EQUAL(get_be32(data_of(INLINE)), peer.reply.xid);
	CU_ASSERT_EQUAL(get_be32(data_of(INLINE) + 4), 1);
	CU_ASSERT_TRUE(is_right(WRITE_CHUNK, 0, 813));
	CU_ASSERT_TRUE(is_right(REPLY_CHUNK, 0, 813));
	end();
}

static void linux_3_page_base_starts_at_the_page(void)
{
	begin("linux-3=page-base");
	CU_ASSERT_TRUE(is_right(WRITE_CHUNK, 4096, 8192));
	CU_ASSERT_FALSE(is_right(WRITE_CHUNK, 4099, 8192));
	CU_ASSERT_TRUE(is_pattern(memory, 4096, 8192));
	CU_ASSERT_FALSE(is_right(REPLY_CHUNK, 8195, 813));
	CU_ASSERT_TRUE(is_pattern(data_of(REPLY_CHUNK), 8192, 813));
	CU_ASSERT_FALSE(is_right(INLINE, 1, 813));
	CU_ASSERT_TRUE(is_pattern(data_of(INLINE), 0, 813));
	end();
}

static void linux_3_pad_segment_writes_beyond_a_full_chunk(void)
{
	begin("linux-3=pad-segment");
	CU_ASSERT_TRUE(is_right(WRITE_CHUNK, 0, 813));
	CU_ASSERT_EQUAL(memory[815], 0);
	CU_ASSERT_EQUAL(peer.refused, 0);
	CU_ASSERT_EQUAL(read_into(816, 0, 816), 0);
	CU_ASSERT_EQUAL(peer.refused, 0);
	CU_ASSERT_EQUAL(read_into(813, 0, 813), -EREMOTEIO);
	CU_ASSERT_EQUAL(peer.refused, 1);
	end();
}

static void only_bad_crc_applies_to_the_transport(void)
{
	const struct fault_row *row;

	for (row = fault_table; row->name; row++) {
		SUITE_ROW("%s", row->name);
		faults = fault_set_new();
		CU_ASSERT_EQUAL(fault_set_add(faults, row->name), 0);
		CU_ASSERT_FALSE(fault_set_empty(faults));
		CU_ASSERT_EQUAL(fault_corrupts_crc(faults), !strcmp(row->name, "bad-crc"));
		fault_set_free(faults);
	}
	CU_ASSERT_FALSE(fault_corrupts_crc(NULL));
}

static void faults_may_be_combined(void)
{
	begin("write-chunk-over-812=garbage");
	CU_ASSERT_EQUAL(fault_set_add(faults, "page-shift"), 0);
	CU_ASSERT_EQUAL(fault_set_add(faults, "credit-zero"), 0);
	CU_ASSERT_FALSE(is_right(WRITE_CHUNK, 0, 65536));
	CU_ASSERT_EQUAL((uint8_t)(memory[6] ^ 0xa5), 0x10);
	CU_ASSERT_EQUAL(peer.reply_header.rdma_credit, 0);
	end();
}

static void every_row_is_complete(void)
{
	const struct fault_row *row;

	for (row = fault_table; row->name; row++) {
		SUITE_ROW("%s", row->name);
		CU_ASSERT_PTR_NULL(strpbrk(row->name, " =|"));
		CU_ASSERT_PTR_NOT_NULL(row->finding);
		CU_ASSERT_PTR_NULL(strchr(row->description, '\n'));
		CU_ASSERT_EQUAL(!row->values, !row->value);
	}
}

static void every_value_of_every_row_is_accepted(void)
{
	const struct fault_row *row;
	char values[128], spec[256], *value, *rest;

	faults = fault_set_new();
	for (row = fault_table; row->name; row++) {
		SUITE_ROW("%s", row->name);
		snprintf(values, sizeof(values), "%s", row->values ? row->values : "");
		for (rest = values; (value = strtok_r(rest, "|", &rest));) {
			SUITE_ROW("%s", value);
			snprintf(spec, sizeof(spec), "%s=%s", row->name, value);
			CU_ASSERT_EQUAL(fault_set_add(faults, spec), 0);
		}
	}
	fault_set_free(faults);
}

/* Names from version 0.1. */
static void former_names_are_still_accepted(void)
{
	begin("read-812=short");
	CU_ASSERT_EQUAL(read_by(WRITE_CHUNK, 0, 4096), 0);
	CU_ASSERT_EQUAL(peer.reply_header.segments[0].length, 812);
	end();

	begin("read-812-later=close");
	CU_ASSERT_TRUE(is_right(WRITE_CHUNK, 0, 4096));
	null();
	CU_ASSERT_EQUAL(read_by(WRITE_CHUNK, 0, 4096), -ECONNRESET);
	end();
}

static void unknown_faults_are_refused_with_the_known_ones(void)
{
	faults = fault_set_new();
	CU_ASSERT_EQUAL(fault_set_add(faults, "read-813"), -EINVAL);
	ASSERT_CONTAINS(err_text(), "reply-page-repeat");
	CU_ASSERT_EQUAL(fault_set_add(faults, ""), -EINVAL);
	CU_ASSERT_EQUAL(fault_set_add(faults, "write-chunk-over-812="), -EINVAL);
	CU_ASSERT_EQUAL(fault_set_add(faults, "read-812=bogus"), -EINVAL);
	CU_ASSERT_EQUAL(fault_set_add(faults, "write-chunk-over-812=short|eio"), -EINVAL);
	ASSERT_CONTAINS(err_text(), "stale");
	CU_ASSERT_EQUAL(fault_set_add(faults, "close=now"), -EINVAL);
	CU_ASSERT_TRUE(fault_set_empty(faults));
	CU_ASSERT_TRUE(fault_set_empty(NULL));
	fault_set_free(faults);
}

SUITE_MAIN("faults", TEST(write_chunk_over_812_garbage_corrupts_every_byte),
	   TEST(write_chunk_over_812_short_is_consistent),
	   TEST(write_chunk_over_812_stale_writes_nothing_and_claims_all),
	   TEST(write_chunk_over_812_eio_is_a_complete_error_reply),
	   TEST(write_chunk_over_812_hangs_or_closes),
	   TEST(write_chunk_over_812_later_needs_a_read_and_another_operation),
	   TEST(write_chunk_is_corrupt_at_all_sizes), TEST(at_times_corrupts_one_read_in_23),
	   TEST(a_corrupt_page_is_wrong_in_several_bits_of_each_byte),
	   TEST(rarely_corrupts_one_read_in_500),
	   TEST(nfs_unaligned_returns_zeros_by_every_mechanism),
	   TEST(drop_reply_drops_the_second_fifth_and_eighth), TEST(close_replaces_the_fifth_reply),
	   TEST(restart_closes_and_makes_handles_stale), TEST(foreign_handles_have_another_format),
	   TEST(wrong_xid_is_wrong_in_both_headers), TEST(credit_zero_is_in_every_reply),
	   TEST(reply_first_writes_the_data_after_the_send),
	   TEST(chunk_unused_sends_inline_what_fits), TEST(tail_unwritten_claims_the_missing_bytes),
	   TEST(rdma_error_replaces_some_replies), TEST(pad_written_adds_zeros_and_no_length),
	   TEST(pad_written_in_part_has_another_length), TEST(pad_written_stays_in_the_chunk),
	   TEST(lengths_unrewritten_returns_lengths_as_offered), TEST(page_shift_rotates_the_pages),
	   TEST(reply_page_repeat_has_the_first_page_twice),
	   TEST(linux_3_grants_writes_and_returns_as_it_did),
	   TEST(linux_3_inline_head_starts_with_the_reply_header),
	   TEST(linux_3_page_base_starts_at_the_page),
	   TEST(linux_3_pad_segment_writes_beyond_a_full_chunk),
	   TEST(only_bad_crc_applies_to_the_transport), TEST(faults_may_be_combined),
	   TEST(every_row_is_complete), TEST(every_value_of_every_row_is_accepted),
	   TEST(former_names_are_still_accepted),
	   TEST(unknown_faults_are_refused_with_the_known_ones))
