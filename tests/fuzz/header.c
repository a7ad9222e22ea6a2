/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* RPC-over-RDMA headers. The format has one encoding of each header, so what was accepted must
 * come out again byte for byte. */
#include "rpcrdma/wire/wire.h"
#include "tests/fuzz/fuzz.h"

static void check_chunk(const struct rpcrdma_header *h, const struct rpcrdma_chunk *chunk)
{
	FUZZ_CHECK(chunk->count <= h->segment_count);
	FUZZ_CHECK(chunk->first <= h->segment_count - chunk->count);
	FUZZ_CHECK(header_chunk_length(h, chunk) <= (uint64_t)chunk->count * UINT32_MAX);
}

static void check_bounds(const struct rpcrdma_header *h)
{
	uint32_t i, sum = h->read_count;

	FUZZ_CHECK(h->segment_count <= RPCRDMA_MAX_SEGMENTS);
	FUZZ_CHECK(h->write_count <= RPCRDMA_MAX_CHUNKS);
	for (i = 0; i < h->write_count; i++) {
		check_chunk(h, &h->write[i]);
		sum += h->write[i].count;
	}
	if (h->has_reply) {
		check_chunk(h, &h->reply);
		sum += h->reply.count;
	}
	FUZZ_CHECK(sum == h->segment_count);
}

static void check_text(const struct rpcrdma_header *h)
{
	static const size_t caps[] = { 0, 1, 20, 100, 65536 };
	static char text[65536];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(caps); i++) {
		int len = header_text(h, text, caps[i]);

		FUZZ_CHECK(len >= 0 && (size_t)len < caps[i] + !caps[i]);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t again[16384];
	struct rpcrdma_header h;
	struct reader r;
	struct writer w;

	reader_init(&r, data, size);
	if (header_decode(&h, &r)) {
		FUZZ_CHECK(!h.segment_count && !h.read_count && !h.write_count);
		FUZZ_CHECK(!h.has_reply);
		check_text(&h);
		return 0;
	}
	check_bounds(&h);
	check_text(&h);
	writer_init(&w, again, sizeof(again));
	FUZZ_CHECK(!header_encode(&w, &h));
	FUZZ_CHECK(w.len == size - reader_left(&r));
	FUZZ_CHECK(!memcmp(again, data, w.len));
	return 0;
}
