/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* A capture of any bytes that a peer sends: its records fill the file exactly, each is one packet of the length that
 * it says, and the stream of each direction is what was recorded, in order. The input: a byte for IPv6, then pieces:
 * a byte whose lowest bit is the direction, two of length. */
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "rpcrdma/transport/internal.h"
#include "tests/fuzz/fuzz.h"

#define INPUT_MAX (512 * 1024)

static uint8_t streams[2][INPUT_MAX];
static size_t lengths[2];

static void record(struct pcap_flow *flow, const uint8_t *at, const uint8_t *end)
{
	while (end - at >= 3) {
		enum pcap_direction dir = at[0] & 1 ? PCAP_IN : PCAP_OUT;
		size_t len = min_u64((size_t)at[1] | (size_t)at[2] << 8, (size_t)(end - at) - 3);
		const struct iovec iov[2] = { { (void *)(uintptr_t)(at + 3), len / 3 },
					      { (void *)(uintptr_t)(at + 3 + len / 3),
						len - len / 3 } };

		pcap_flow_data(flow, dir, iov, 2, len);
		memcpy(streams[dir] + lengths[dir], at + 3, len);
		lengths[dir] += len;
		at += 3 + len;
	}
}

static void check_capture(const uint8_t *p, size_t len)
{
	const uint8_t *end = p + len;
	size_t at[2] = { 0, 0 };
	uint32_t header[4];

	FUZZ_CHECK(len >= 24);
	for (p += 24; p < end; p += header[2]) {
		size_t ip, payload;
		unsigned int dir;

		FUZZ_CHECK(end - p >= 16);
		memcpy(header, p, sizeof(header));
		p += sizeof(header);
		FUZZ_CHECK(header[2] == header[3] && header[2] <= (size_t)(end - p));
		ip = get_be16(p + 12) == 0x0800 ? 20 : 40;
		FUZZ_CHECK(header[2] >= 14 + ip + 20);
		payload = header[2] - 14 - ip - 20;
		dir = get_be16(p + 14 + ip) == 1000 ? PCAP_OUT : PCAP_IN;
		FUZZ_CHECK(payload <= lengths[dir] - at[dir]);
		FUZZ_CHECK(!memcmp(streams[dir] + at[dir], p + 14 + ip + 20, payload));
		at[dir] += payload;
	}
	FUZZ_CHECK(at[0] == lengths[0] && at[1] == lengths[1]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct transport_address local, peer;
	struct pcap_flow flow = { .pcap = NULL };
	struct pcap *pcap = NULL;
	off_t len;
	void *map;
	int fd, copy;

	if (!size || size > INPUT_MAX)
		return 0;
	lengths[0] = lengths[1] = 0;
	FUZZ_CHECK(transport_resolve(data[0] & 1 ? "::1" : "127.0.0.1", 1000, &local, 1,
				     deadline_in(1000)) == 1);
	FUZZ_CHECK(transport_resolve(data[0] & 1 ? "::2" : "127.0.0.2", 2000, &peer, 1,
				     deadline_in(1000)) == 1);
	fd = memfd_create("capture", MFD_CLOEXEC);
	copy = dup(fd);
	FUZZ_CHECK(fd >= 0 && copy >= 0 && !pcap_fdopen(&pcap, fd));
	pcap_flow_open(&flow, pcap, &local, &peer, data[0] & 2);
	record(&flow, data + 1, data + size);
	pcap_flow_close(&flow);
	FUZZ_CHECK(!pcap_close(pcap));
	len = lseek(copy, 0, SEEK_END);
	map = mmap(NULL, (size_t)len, PROT_READ, MAP_PRIVATE, copy, 0);
	FUZZ_CHECK(map != MAP_FAILED);
	check_capture(map, (size_t)len);
	munmap(map, (size_t)len);
	close(copy);
	return 0;
}
