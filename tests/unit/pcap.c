/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Captures: complete packets with correct checksums and sequence numbers that contain the stream.
 * Also keeps one capture of a small conversation where PCAP_KEEP names a file. */
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/stat.h>

#include "tests/support/raw-peer.h"
#include "tests/support/transport-pair.h"
#include "tests/unit/suite.h"

static char path[64];

static void name_file(void)
{
	int fd;

	strcpy(path, "/tmp/nfsrdma-pcap-XXXXXX");
	fd = mkstemp(path);
	ASSERT_AT_LEAST_FATAL(fd, 0);
	close(fd);
}

struct capture {
	uint8_t *bytes;
	size_t len, at;
	unsigned int packets, bad;
	/* by direction: 0 from the side that sent the first SYN */
	uint32_t next[2];
	uint8_t *stream[2];
	size_t stream_len[2];
	bool fin[2];
	uint16_t first_port;
};

static void load(struct capture *c)
{
	int fd = open(path, O_RDONLY);
	struct stat st;

	memset(c, 0, sizeof(*c));
	ASSERT_AT_LEAST_FATAL(fd, 0);
	CU_ASSERT_EQUAL_FATAL(fstat(fd, &st), 0);
	c->bytes = malloc((size_t)st.st_size + 1);
	CU_ASSERT_EQUAL_FATAL(read(fd, c->bytes, (size_t)st.st_size), st.st_size);
	c->len = (size_t)st.st_size;
	close(fd);
	unlink(path);
	c->stream[0] = malloc(c->len + 1);
	c->stream[1] = malloc(c->len + 1);
	ASSERT_AT_LEAST_FATAL(c->len, 24);
	ASSERT_BYTES(c->bytes, &(uint32_t){ 0xa1b2c3d4 }, 4);
	ASSERT_BYTES(c->bytes + 4, (uint16_t[]){ 2, 4 }, 4);
	ASSERT_BYTES(c->bytes + 20, &(uint32_t){ 1 }, 4);
	c->at = 24;
}

static void unload(struct capture *c)
{
	free(c->bytes);
	free(c->stream[0]);
	free(c->stream[1]);
}

static uint32_t sum16(uint32_t sum, const uint8_t *p, size_t len)
{
	size_t i;

	for (i = 0; i < len; i++)
		sum += i & 1 ? p[i] : (uint32_t)p[i] << 8;
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return sum;
}

static void take_tcp(struct capture *c, const uint8_t *tcp, size_t len)
{
	int way = c->packets && get_be16(tcp) != c->first_port;
	uint8_t flags = tcp[13];
	size_t payload = len - 20;

	if (!c->packets)
		c->first_port = get_be16(tcp);
	if (flags & 0x02)
		c->next[way] = get_be32(tcp + 4);
	c->bad += get_be32(tcp + 4) != c->next[way];
	c->bad += (flags & 0x10) && get_be32(tcp + 8) != c->next[!way];
	c->bad += c->packets < 3 && flags != (uint8_t[]){ 2, 0x12, 0x10 }[c->packets];
	memcpy(c->stream[way] + c->stream_len[way], tcp + 20, payload);
	c->stream_len[way] += payload;
	c->next[way] += (uint32_t)payload + !!(flags & 3);
	c->fin[way] |= flags & 1;
}

static void walk(struct capture *c)
{
	uint32_t record[4];
	const uint8_t *p;
	size_t ip, len;

	while (c->at + 16 <= c->len) {
		memcpy(record, c->bytes + c->at, 16);
		c->bad += record[2] != record[3] || record[1] >= 1000000;
		p = c->bytes + c->at + 16;
		ASSERT_AT_MOST_FATAL(c->at + 16 + record[2], c->len);
		ip = get_be16(p + 12) == 0x0800 ? 20 : 40;
		c->bad += record[2] - 14 > 65535;
		p += 14;
		len = record[2] - 14 - ip;
		if (ip == 20) {
			c->bad += sum16(0, p, 20) != 0xffff;
			c->bad += get_be16(p + 2) != ip + len;
			c->bad += sum16(sum16(6 + (uint32_t)len, p + 12, 8), p + 20, len) != 0xffff;
		} else {
			c->bad += get_be16(p + 4) != len;
			c->bad += sum16(sum16(6 + (uint32_t)len, p + 8, 32), p + 40, len) != 0xffff;
		}
		take_tcp(c, p + ip, len);
		c->packets++;
		c->at += 16 + record[2];
	}
	c->bad += c->at != c->len;
}

static void converse(struct pair *p, struct pcap *pcap)
{
	static uint8_t data[100001], memory[100001];
	struct transport_region region;
	struct transport_msg msg;

	memset(data, 0xa5, sizeof(data));
	pair_init(p, &transport_iwarp);
	p->client_param.pcap = pcap;
	CU_ASSERT_EQUAL_FATAL(pair_open(p), 0);
	p->ops->reg(p->client, memory, sizeof(memory), TRANSPORT_REMOTE_WRITE, &region);
	CU_ASSERT_EQUAL(pair_send(p->client,
				  "\x11\x22\x33\x44\0\0\0\1\0\0\0\x20\0\0\0\0"
				  "\0\0\0\0\0\0\0\0\0\0\0\0\x11\x22\x33\x44\0\0\0\0\0\0\0\2"
				  "\0\1\x86\xa3\0\0\0\3\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0",
				  68, p->deadline),
			0);
	CU_ASSERT_EQUAL(p->ops->recv(p->server, &msg, p->deadline), 0);
	p->ops->repost(p->server, &msg);
	CU_ASSERT_EQUAL(p->ops->write(p->server, data, sizeof(data), region.handle, region.offset,
				      p->deadline),
			0);
	CU_ASSERT_EQUAL(pair_send(p->server,
				  "\x11\x22\x33\x44\0\0\0\1\0\0\0\x40\0\0\0\0"
				  "\0\0\0\0\0\0\0\0\0\0\0\0\x11\x22\x33\x44\0\0\0\1\0\0\0\0"
				  "\0\0\0\0\0\0\0\0\0\0\0\0",
				  52, p->deadline),
			0);
	CU_ASSERT_EQUAL(p->ops->recv(p->client, &msg, p->deadline), 0);
	p->ops->repost(p->client, &msg);
	pair_close(p);
}

static void the_stream_is_in_the_packets(void)
{
	struct pcap *pcap = NULL;
	struct capture c;
	struct pair p;

	name_file();
	CU_ASSERT_EQUAL_FATAL(pcap_open(&pcap, path), 0);
	converse(&p, pcap);
	CU_ASSERT_EQUAL(pcap_close(pcap), 0);
	if (getenv("PCAP_KEEP"))
		CU_ASSERT_EQUAL(link(path, getenv("PCAP_KEEP")), 0);
	load(&c);
	walk(&c);
	CU_ASSERT_EQUAL(c.bad, 0);
	ASSERT_AT_LEAST(c.packets, 3 + 2 + 2 + 3);
	CU_ASSERT(c.fin[0]);
	CU_ASSERT(c.fin[1]);
	CU_ASSERT_EQUAL(c.stream_len[0], 24 + 92);
	ASSERT_BYTES(c.stream[0], "MPA ID Req Frame", 16);
	ASSERT_MORE(c.stream_len[1], 24 + 100001 + 20);
	ASSERT_BYTES(c.stream[1], "MPA ID Rep Frame", 16);
	unload(&c);
}

static void both_sides_record_the_same(void)
{
	struct pcap *pcap = NULL;
	struct capture c;
	struct pair p;

	name_file();
	CU_ASSERT_EQUAL_FATAL(pcap_open(&pcap, path), 0);
	pair_init(&p, &transport_iwarp);
	p.server_param.pcap = pcap;
	CU_ASSERT_EQUAL_FATAL(pair_open(&p), 0);
	pair_close(&p);
	CU_ASSERT_EQUAL(pcap_close(pcap), 0);
	load(&c);
	walk(&c);
	CU_ASSERT_EQUAL(c.bad, 0);
	/* The connecting side sent the first SYN. */
	ASSERT_BYTES(c.stream[0], "MPA ID Req Frame", 16);
	unload(&c);
}

static void addresses_of_both_families_are_recorded(void)
{
	struct transport_address six = { .len = sizeof(struct sockaddr_in6) };
	struct transport_address peer;
	struct sockaddr_in6 *in6 = (struct sockaddr_in6 *)&six.addr;
	struct iovec iov[3] = { { (void *)(uintptr_t)("abc"), 3 },
				{ NULL, 0 },
				{ (void *)(uintptr_t)("defgh"), 5 } };
	struct pcap_flow flow = { 0 };
	struct pcap *pcap = NULL;
	struct capture c;

	in6->sin6_family = AF_INET6;
	in6->sin6_addr = in6addr_loopback;
	transport_set_port(&six, 1234);
	peer = six;
	transport_set_port(&peer, 20049);
	name_file();
	CU_ASSERT_EQUAL_FATAL(pcap_open(&pcap, path), 0);
	pcap_flow_open(&flow, pcap, &six, &peer, true);
	pcap_flow_data(&flow, PCAP_OUT, iov, 3, 8);
	pcap_flow_data(&flow, PCAP_IN, iov, 3, 5);
	pcap_flow_close(&flow);
	CU_ASSERT_EQUAL(pcap_close(pcap), 0);
	load(&c);
	walk(&c);
	CU_ASSERT_EQUAL(c.bad, 0);
	CU_ASSERT_EQUAL(c.packets, 3 + 2 + 3);
	CU_ASSERT_EQUAL(c.stream_len[0], 8);
	ASSERT_BYTES(c.stream[0], "abcdefgh", 8);
	CU_ASSERT_EQUAL(c.stream_len[1], 5);
	ASSERT_BYTES(c.stream[1], "abcde", 5);
	unload(&c);
}

static void a_long_record_is_cut_into_packets(void)
{
	struct transport_address a = pair_loopback(), b = pair_loopback();
	uint8_t *data = calloc(1, 100000);
	struct iovec iov = { data, 100000 };
	struct pcap_flow flow = { 0 };
	struct pcap *pcap = NULL;
	struct capture c;

	transport_set_port(&a, 1);
	transport_set_port(&b, 2);
	name_file();
	CU_ASSERT_EQUAL_FATAL(pcap_open(&pcap, path), 0);
	pcap_flow_open(&flow, pcap, &a, &b, false);
	pcap_flow_data(&flow, PCAP_OUT, &iov, 1, 100000);
	pcap_flow_close(&flow);
	CU_ASSERT_EQUAL(pcap_close(pcap), 0);
	load(&c);
	walk(&c);
	CU_ASSERT_EQUAL(c.bad, 0);
	/* It is not MPA, so it has no frames. */
	CU_ASSERT_EQUAL(c.packets, 3 + 2 + 3);
	CU_ASSERT_EQUAL(c.stream_len[1], 100000);
	unload(&c);
	free(data);
}

/* An MPA request, an FPDU of 22 bytes and one of the greatest length, in pieces of @piece. */
static void record_in_pieces(size_t piece, struct capture *c)
{
	static uint8_t stream[20 + 24 + 65544] = "MPA ID Req Frame";
	struct transport_address a = pair_loopback(), b = pair_loopback();
	struct pcap_flow flow = { 0 };
	struct pcap *pcap = NULL;
	struct iovec iov;
	size_t at;

	transport_set_port(&a, 1);
	transport_set_port(&b, 2);
	put_be16(stream + 20, 18);
	put_be16(stream + 44, 65535);
	name_file();
	CU_ASSERT_EQUAL_FATAL(pcap_open(&pcap, path), 0);
	pcap_flow_open(&flow, pcap, &a, &b, true);
	for (at = 0; at < sizeof(stream); at += iov.iov_len) {
		iov.iov_base = stream + at;
		iov.iov_len = min_u64(piece, sizeof(stream) - at);
		pcap_flow_data(&flow, PCAP_OUT, &iov, 1, iov.iov_len);
	}
	pcap_flow_close(&flow);
	CU_ASSERT_EQUAL(pcap_close(pcap), 0);
	load(c);
	walk(c);
	CU_ASSERT_EQUAL(c->stream_len[0], sizeof(stream));
	ASSERT_BYTES(c->stream[0], stream, sizeof(stream));
	unload(c);
}

/* Regardless of how the socket split them: the longest frame alone needs two packets. */
static void a_packet_is_a_frame(void)
{
	static const size_t pieces[] = { 1, 7, 1448, 100000 };
	struct capture c;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(pieces); i++) {
		SUITE_ROW("%zu: %zu", i, pieces[i]);
		record_in_pieces(pieces[i], &c);
		CU_ASSERT_EQUAL(c.bad, 0);
		CU_ASSERT_EQUAL(c.packets, 3 + 1 + 1 + 2 + 3);
	}
}

static void a_file_that_cannot_be_created_is_an_error(void)
{
	struct pcap *pcap = NULL;

	CU_ASSERT_EQUAL(pcap_open(&pcap, "/nonexistent/x.pcap"), -ENOENT);
	ASSERT_CONTAINS(err_text(), "/nonexistent/x.pcap");
	CU_ASSERT_PTR_NULL(pcap);
	CU_ASSERT_EQUAL(pcap_open(&pcap, "/tmp"), -EISDIR);
	name_file();
	unlink(path);
	CU_ASSERT_EQUAL_FATAL(mkfifo(path, 0600), 0);
	CU_ASSERT_EQUAL(pcap_open(&pcap, path), -ENXIO);
	unlink(path);
	CU_ASSERT_EQUAL(pcap_open(&pcap, "/dev/full"), -ENOSPC);
	ASSERT_CONTAINS(err_text(), "/dev/full");
	CU_ASSERT_EQUAL(pcap_close(NULL), 0);
}

/* Root writes data that the server sent. */
static void only_the_owner_can_read_a_new_capture(void)
{
	char other[sizeof(path) + 8];
	struct stat st;
	int fd;

	name_file();
	CU_ASSERT_EQUAL(chmod(path, 0644), 0);
	fd = open(path, O_WRONLY);
	CU_ASSERT_EQUAL(write(fd, "old", 3), 3);
	close(fd);
	fd = pcap_create(path);
	ASSERT_AT_LEAST_FATAL(fd, 0);
	CU_ASSERT_EQUAL_FATAL(fstat(fd, &st), 0);
	/* As it was, as with tcpdump(8). */
	CU_ASSERT_EQUAL(st.st_mode & 07777, 0644);
	CU_ASSERT_EQUAL(st.st_size, 0);
	close(fd);
	snprintf(other, sizeof(other), "%s.new", path);
	umask(0);
	fd = pcap_create(other);
	umask(022);
	CU_ASSERT_EQUAL_FATAL(fstat(fd, &st), 0);
	CU_ASSERT_EQUAL(st.st_mode & 07777, 0600);
	close(fd);
	unlink(other);
	/* Users who can write to the folder chose their targets. */
	CU_ASSERT_EQUAL_FATAL(symlink(path, other), 0);
	CU_ASSERT_EQUAL(pcap_create(other), -ELOOP);
	ASSERT_CONTAINS(err_text(), "symbolic link");
	unlink(other);
	CU_ASSERT_EQUAL_FATAL(link(path, other), 0);
	CU_ASSERT_EQUAL(pcap_create(other), -EMLINK);
	unlink(other);
	/* A file of another owner is left alone. */
	fd = open(path, O_WRONLY);
	CU_ASSERT_EQUAL(write(fd, "theirs", 6), 6);
	close(fd);
	if (!geteuid()) {
		CU_ASSERT_EQUAL(chown(path, 65534, 65534), 0);
		CU_ASSERT_EQUAL(pcap_create(path), -EPERM);
		CU_ASSERT_EQUAL(stat(path, &st), 0);
		CU_ASSERT_EQUAL(st.st_size, 6);
	}
	unlink(path);
}

static void a_full_disk_is_reported_at_the_end(void)
{
	struct pcap *pcap = NULL;
	struct pair p;
	int fd, full;

	name_file();
	fd = pcap_create(path);
	ASSERT_AT_LEAST_FATAL(fd, 0);
	unlink(path);
	CU_ASSERT_EQUAL_FATAL(pcap_fdopen(&pcap, fd), 0);
	full = open("/dev/full", O_WRONLY);
	CU_ASSERT_EQUAL(dup2(full, fd), fd);
	close(full);
	converse(&p, pcap);
	CU_ASSERT_EQUAL(pcap_close(pcap), -ENOSPC);
}

SUITE_MAIN("pcap", TEST(the_stream_is_in_the_packets), TEST(both_sides_record_the_same),
	   TEST(addresses_of_both_families_are_recorded), TEST(a_long_record_is_cut_into_packets),
	   TEST(a_packet_is_a_frame), TEST(a_file_that_cannot_be_created_is_an_error),
	   TEST(only_the_owner_can_read_a_new_capture), TEST(a_full_disk_is_reported_at_the_end))
