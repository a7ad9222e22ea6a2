/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The bytes of a peer of software iWARP after the handshake, in pieces, while the regions that it may write vanish.
 * The connection comes to its end, nothing outside of the regions is written, none of one that is gone, and no
 * message is longer than its Receive. The input is pieces: a byte that says what to do before it, two of length.
 * "SSSS" and a region's number becomes its handle; each piece is an FPDU with a good CRC if its first byte is odd. */
#include <sys/socket.h>

#include "tests/fuzz/fuzz.h"
#include "tests/support/raw-peer.h"

#define REGIONS   3
#define LEN       2048
#define RECV_SIZE 1024

static struct raw_peer raw;
static struct transport_region regions[REGIONS];
static bool there[REGIONS];
static uint8_t memory[REGIONS][LEN], gone[REGIONS][LEN];

static void open_raw(void)
{
	const struct transport_param param = {
		.recv_depth = 4, .recv_size = RECV_SIZE, .ird = 4, .ord = 4
	};
	size_t i;

	FUZZ_CHECK(!raw_peer_establish(&raw, &param));
	for (i = 0; i < REGIONS; i++) {
		there[i] = !raw.t->ops->reg(raw.t, memory[i], LEN,
					    i == 2 ? TRANSPORT_REMOTE_READ : TRANSPORT_REMOTE_WRITE,
					    &regions[i]);
		FUZZ_CHECK(there[i]);
	}
}

static void vanish(size_t i)
{
	if (!there[i])
		return;
	raw.t->ops->dereg(raw.t, &regions[i]);
	memcpy(gone[i], memory[i], LEN);
	there[i] = false;
}

static void plant(uint8_t *p, size_t len)
{
	for (; len >= 5; p++, len--)
		if (!memcmp(p, "SSSS", 4))
			put_be32(p, regions[p[4] % REGIONS].handle);
}

/* Length, pad and CRC around @len bytes at @frame + 2. */
static size_t seal(uint8_t *frame, size_t len)
{
	uint32_t crc;
	size_t n = 2 + len, i;

	put_be16(frame, (uint16_t)len);
	for (; n % 4; n++)
		frame[n] = 0;
	crc = ~crc_more(CRC_START, frame, n);
	for (i = 0; i < 4; i++)
		frame[n++] = crc >> 8 * i & 0xff;
	return n;
}

/* What we say: it is of no interest, and must not fill the socket. */
static void discard(void)
{
	uint8_t sink[4096];

	while (recv(raw.fd, sink, sizeof(sink), MSG_DONTWAIT) > 0)
		;
}

/* False: the connection has ended. */
static bool take(void)
{
	struct transport_msg msg;
	int rc;

	discard();
	while (!(rc = raw.t->ops->recv(raw.t, &msg, deadline_in(0)))) {
		FUZZ_CHECK(msg.len <= RECV_SIZE);
		raw.t->ops->repost(raw.t, &msg);
	}
	return rc == -ETIMEDOUT;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const uint8_t *end = data + size;
	uint8_t frame[4096];
	size_t i, len;

	open_raw();
	while (end - data >= 3) {
		len = min_u64(((size_t)data[1] | (size_t)data[2] << 8) % 2048,
			      (size_t)(end - data) - 3);
		if (data[0] & 2)
			vanish((size_t)data[0] / 4 % REGIONS);
		memcpy(frame + 2, data + 3, len);
		plant(frame + 2, len);
		if (data[0] & 1)
			raw_peer_send(&raw, frame, seal(frame, len));
		else
			raw_peer_send(&raw, frame + 2, len);
		data += 3 + len;
		if (!take())
			break;
	}
	shutdown(raw.fd, SHUT_WR);
	while (take())
		;
	for (i = 0; i < REGIONS; i++) {
		FUZZ_CHECK(there[i] || !memcmp(gone[i], memory[i], LEN));
		vanish(i);
	}
	raw_peer_close(&raw);
	return 0;
}
