/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The receiving half of software iWARP, fed from memory. The first byte says how: how long the
 * pieces are, and whether the CRC is checked. What comes after it is the stream. The peer may
 * write 100 bytes at WRITE_STAG, read 100 at READ_STAG, and answers a Read of ours. */
#include "rpcrdma/transport/internal.h"
#include "tests/fuzz/fuzz.h"

#define WRITE_STAG 0x01010101
#define READ_STAG  0x02020202
#define SINK_STAG  0x03030303
#define LEN        100

enum { HOW_CRC = 0x80, HOW_READING = 0x40, HOW_PIECE = 0x3f };

/* The table takes its names from here, the last one first: TO low, TO high, STag. */
static uint8_t *open_region(struct iwarp *c, uint32_t stag, unsigned int access)
{
	struct transport_region region;
	uint8_t *memory = malloc(LEN);

	c->regions.random[0] = 0;
	c->regions.random[1] = 0;
	c->regions.random[2] = stag;
	c->regions.random_left = 3;
	FUZZ_CHECK(memory && !region_add(&c->regions, memory, LEN, access, &region));
	FUZZ_CHECK(region.handle == stag && region.length == LEN);
	/* At a place that is the same each time: the corpus has it. */
	region_find(&c->regions, stag)->to = 0x1000;
	return memory;
}

static void on_write(void *arg, const struct transport_tagged *placed)
{
	(void)arg;
	FUZZ_CHECK(placed->handle == WRITE_STAG);
	FUZZ_CHECK(placed->offset >= 0x1000 && placed->offset <= 0x1000 + LEN);
	FUZZ_CHECK(placed->length <= 0x1000 + LEN - placed->offset);
}

static void drain(struct iwarp *c)
{
	struct transport_msg msg;

	while (slots_lend(&c->slots, &msg)) {
		FUZZ_CHECK(msg.len <= c->slots.size);
		slots_repost(&c->slots, &msg);
	}
	FUZZ_CHECK(c->rx.count <= c->rx.depth);
	if (c->rx.count == c->rx.depth)
		c->rx.count = 0;
}

static int feed(struct iwarp *c, const uint8_t *data, size_t size)
{
	struct iovec iov[2];
	size_t used = 0;
	int n = iwarp_rx_buffers(c, iov), i;

	FUZZ_CHECK(n == 1 || n == 2);
	for (i = 0; i < n && used < size; i++) {
		size_t part = min_u64(iov[i].iov_len, size - used);

		FUZZ_CHECK(iov[i].iov_len > 0);
		memcpy(iov[i].iov_base, data + used, part);
		used += part;
	}
	i = iwarp_rx_filled(c, used);
	return i ? i : (int)used;
}

static void check_end(const struct iwarp *c, int rc)
{
	char position[96];

	iwarp_rx_position(c, position, sizeof(position));
	FUZZ_CHECK(strlen(position) < sizeof(position));
	FUZZ_CHECK(rc >= 0 || rc == -EPROTO || rc == -EREMOTEIO);
	FUZZ_CHECK((rc == -EPROTO) == (c->t.violation.text[0] != '\0'));
	FUZZ_CHECK(c->t.violation.frame_len <= sizeof(c->t.violation.frame));
	FUZZ_CHECK(c->rx.terminate == (rc == -EPROTO));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct transport_param param = {
		.recv_depth = 2, .recv_size = 64, .ird = 2, .on_write = on_write
	};
	uint8_t *writable, *readable, *sink = malloc(LEN);
	struct iwarp *c = NULL;
	size_t at, piece;
	int rc = 0;

	if (!size || !sink) {
		free(sink);
		return 0;
	}
	FUZZ_CHECK(!iwarp_new(&c) && !iwarp_prepare(c, &param));
	writable = open_region(c, WRITE_STAG, TRANSPORT_REMOTE_WRITE);
	readable = open_region(c, READ_STAG, TRANSPORT_REMOTE_READ);
	c->rx.check_crc = data[0] & HOW_CRC;
	c->rx.reading = data[0] & HOW_READING;
	c->rx.read = (struct read_request){ .sink_stag = SINK_STAG, .size = LEN };
	c->rx.read_base = sink;
	piece = data[0] & HOW_PIECE ? data[0] & HOW_PIECE : 65536;
	for (at = 1; at < size && rc >= 0; at += (size_t)(rc > 0 ? rc : 0)) {
		rc = feed(c, data + at, min_u64(piece, size - at));
		drain(c);
	}
	check_end(c, rc);
	iwarp_free(c);
	free(writable);
	free(readable);
	free(sink);
	return 0;
}
