/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The byte stream of iWARP connections as a classic pcap file: the socket's data in both
 * directions, with synthetic Ethernet, IP and TCP headers whose sequence numbers and checksums
 * are correct, so that other dissectors decode it without configuration. Retransmissions, options
 * and windows of the real segments are missing: this is the stream, not the wire.
 *
 * A packet is one MPA frame or FPDU, however the socket split it: dissectors that expect FPDUs at
 * the start of a segment, as hardware sends them, find every one.
 *
 * One capture may hold several connections, of several threads. A packet is one write(2), so a
 * process that is killed leaves only whole packets. */
#include <fcntl.h>
#include <netinet/in.h>
#include <pthread.h>
#include <sys/stat.h>
#include <time.h>

#include "rpcrdma/transport/internal.h"

/* The payload limit of an IPv4 packet; a longer frame takes two. */
#define SEGMENT_MAX 65495
/* The longest MPA frame that a length field can describe; an FPDU is shorter. */
#define FRAME_MAX    (MPA_HEAD + 65535)
#define RECORD_LEN   16
#define ETHERNET_LEN 14
#define IP4_LEN      20
#define IP6_LEN      40
#define TCP_LEN      20
#define HEADERS_MAX  (RECORD_LEN + ETHERNET_LEN + IP6_LEN + TCP_LEN)

#define TCP_FIN  0x01
#define TCP_SYN  0x02
#define TCP_PUSH 0x08
#define TCP_ACK  0x10

#define WINDOW 65535

struct pcap {
	pthread_mutex_t lock;
	int fd;
	int failed; /* -errno of the first failed write */
	uint8_t packet[HEADERS_MAX + SEGMENT_MAX];
};

static void pcap_write(struct pcap *pcap, const void *buf, size_t len)
{
	const uint8_t *p = buf;
	ssize_t n;

	while (len && !pcap->failed) {
		n = write(pcap->fd, p, len);
		if (n < 0 && errno != EINTR)
			pcap->failed = -errno;
		if (n > 0) {
			p += n;
			len -= (size_t)n;
		}
	}
}

/* RFC 1071, not yet folded. */
static uint32_t pcap_checksum(uint32_t sum, const uint8_t *p, size_t len)
{
	for (; len > 1; len -= 2, p += 2)
		sum += get_be16(p);
	return len ? sum + ((uint32_t)p[0] << 8) : sum;
}

static uint16_t pcap_checksum_fold(uint32_t sum)
{
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return (uint16_t)~sum;
}

static bool pcap_is_ip6(const struct pcap_flow *flow)
{
	return flow->end[PCAP_OUT].addr.ss_family == AF_INET6;
}

static size_t pcap_put_address(uint8_t *p, const struct transport_address *a)
{
	if (a->addr.ss_family == AF_INET6) {
		memcpy(p, &((const struct sockaddr_in6 *)&a->addr)->sin6_addr, 16);
		return 16;
	}
	memcpy(p, &((const struct sockaddr_in *)&a->addr)->sin_addr, 4);
	return 4;
}

/* @len bytes follow the IP header. Returns the header's length. */
static size_t pcap_put_ip(uint8_t *p, const struct pcap_flow *flow, enum pcap_direction dir,
			  size_t len)
{
	size_t half;

	memset(p, 0, IP6_LEN);
	if (pcap_is_ip6(flow)) {
		p[0] = 0x60;
		put_be16(p + 4, (uint16_t)len);
		p[6] = IPPROTO_TCP;
		p[7] = 64;
		half = pcap_put_address(p + 8, &flow->end[dir]);
		pcap_put_address(p + 8 + half, &flow->end[!dir]);
		return IP6_LEN;
	}
	p[0] = 0x45;
	put_be16(p + 2, (uint16_t)(IP4_LEN + len));
	p[6] = 0x40; /* do not fragment */
	p[8] = 64;
	p[9] = IPPROTO_TCP;
	half = pcap_put_address(p + 12, &flow->end[dir]);
	pcap_put_address(p + 12 + half, &flow->end[!dir]);
	put_be16(p + 10, pcap_checksum_fold(pcap_checksum(0, p, IP4_LEN)));
	return IP4_LEN;
}

static void pcap_put_tcp(uint8_t *p, const struct pcap_flow *flow, enum pcap_direction dir,
			 uint8_t flags, size_t payload)
{
	uint8_t addresses[32];
	size_t half;
	uint32_t sum;

	memset(p, 0, TCP_LEN);
	put_be16(p, transport_port(&flow->end[dir]));
	put_be16(p + 2, transport_port(&flow->end[!dir]));
	put_be32(p + 4, flow->seq[dir]);
	put_be32(p + 8, flags & TCP_ACK ? flow->seq[!dir] : 0);
	p[12] = TCP_LEN / 4 << 4;
	p[13] = flags;
	put_be16(p + 14, WINDOW);
	half = pcap_put_address(addresses, &flow->end[dir]);
	pcap_put_address(addresses + half, &flow->end[!dir]);
	sum = pcap_checksum(0, addresses, 2 * half) + IPPROTO_TCP + (uint32_t)(TCP_LEN + payload);
	put_be16(p + 16, pcap_checksum_fold(pcap_checksum(sum, p, TCP_LEN + payload)));
}

/* Writes one packet, whose payload is already in the buffer. */
static void pcap_packet(struct pcap_flow *flow, enum pcap_direction dir, uint8_t flags,
			size_t payload)
{
	static const uint8_t ethernet[2][12] = {
		[PCAP_OUT] = { 2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1 },
		[PCAP_IN] = { 2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2 },
	};
	size_t ip = pcap_is_ip6(flow) ? IP6_LEN : IP4_LEN;
	size_t len = ETHERNET_LEN + ip + TCP_LEN + payload;
	uint8_t *p = flow->pcap->packet + IP6_LEN - ip;
	struct timespec ts;
	uint32_t record[4];

	/* The record header of a classic pcap file is in the writer's byte order. */
	clock_gettime(CLOCK_REALTIME, &ts);
	record[0] = (uint32_t)ts.tv_sec;
	record[1] = (uint32_t)(ts.tv_nsec / 1000);
	record[2] = record[3] = (uint32_t)len;
	memcpy(p, record, sizeof(record));
	memcpy(p + RECORD_LEN, ethernet[dir], sizeof(ethernet[dir]));
	put_be16(p + RECORD_LEN + 12, pcap_is_ip6(flow) ? 0x86dd : 0x0800);
	pcap_put_ip(p + RECORD_LEN + ETHERNET_LEN, flow, dir, TCP_LEN + payload);
	pcap_put_tcp(p + RECORD_LEN + ETHERNET_LEN + ip, flow, dir, flags, payload);
	pcap_write(flow->pcap, p, RECORD_LEN + len);
	flow->seq[dir] += (uint32_t)payload + !!(flags & (TCP_SYN | TCP_FIN));
}

void pcap_flow_open(struct pcap_flow *flow, struct pcap *pcap,
		    const struct transport_address *local, const struct transport_address *peer,
		    bool initiator)
{
	enum pcap_direction first = initiator ? PCAP_OUT : PCAP_IN;

	flow->pcap = pcap;
	if (!pcap)
		return;
	flow->end[PCAP_OUT] = *local;
	flow->end[PCAP_IN] = *peer;
	flow->seq[PCAP_OUT] = flow->seq[PCAP_IN] = 1000;
	pthread_mutex_lock(&pcap->lock);
	pcap_packet(flow, first, TCP_SYN, 0);
	pcap_packet(flow, !first, TCP_SYN | TCP_ACK, 0);
	pcap_packet(flow, first, TCP_ACK, 0);
	pthread_mutex_unlock(&pcap->lock);
}

/* Writes the bytes of a frame received so far as packets. */
static void pcap_half_emit(struct pcap_flow *flow, enum pcap_direction dir)
{
	struct pcap_half *half = &flow->half[dir];
	size_t done = 0, part;

	for (; done < half->have; done += part) {
		part = min_u64(half->have - done, SEGMENT_MAX);
		memcpy(flow->pcap->packet + HEADERS_MAX, half->bytes + done, part);
		pcap_packet(flow, dir, TCP_ACK | TCP_PUSH, part);
	}
	half->have = 0;
	half->past_mpa = true;
}

/* The length of the current frame, as far as its first bytes determine it. */
static size_t pcap_half_needed(const struct pcap_half *half)
{
	if (half->raw)
		return SEGMENT_MAX;
	if (!half->past_mpa)
		return half->have < MPA_HEAD ? MPA_HEAD : MPA_HEAD + get_be16(half->bytes + 18);
	/* Length word, ULPDU, pad, CRC: RFC 5044 section 4.2. */
	return half->have < 2 ? 2 : xdr_pad4(2 + (size_t)get_be16(half->bytes)) + 4;
}

static void pcap_half_append(struct pcap_flow *flow, enum pcap_direction dir, const uint8_t *p,
			     size_t len)
{
	struct pcap_half *half = &flow->half[dir];
	size_t part;

	while (len) {
		part = min_u64(pcap_half_needed(half) - half->have, len);
		memcpy(half->bytes + half->have, p, part);
		half->have += part;
		p += part;
		len -= part;
		/* A stream that is not MPA has no frames. */
		if (!half->past_mpa && half->have == MPA_HEAD &&
		    memcmp(half->bytes, "MPA ID Re", 9))
			half->raw = true;
		if (half->have == pcap_half_needed(half))
			pcap_half_emit(flow, dir);
	}
	if (half->raw)
		pcap_half_emit(flow, dir);
}

void pcap_flow_data(struct pcap_flow *flow, enum pcap_direction dir, const struct iovec *iov,
		    int iovcnt, size_t len)
{
	struct pcap_half *half = &flow->half[dir];
	struct pcap *pcap = flow->pcap;
	size_t part;

	if (!pcap)
		return;
	pthread_mutex_lock(&pcap->lock);
	if (!half->bytes)
		half->bytes = malloc(FRAME_MAX);
	if (!half->bytes)
		pcap->failed = -ENOMEM;
	for (; half->bytes && len && iovcnt; iov++, iovcnt--, len -= part) {
		part = min_u64(iov->iov_len, len);
		pcap_half_append(flow, dir, iov->iov_base, part);
	}
	pthread_mutex_unlock(&pcap->lock);
}

void pcap_flow_close(struct pcap_flow *flow)
{
	struct pcap *pcap = flow->pcap;

	if (!pcap)
		return;
	pthread_mutex_lock(&pcap->lock);
	/* Incomplete frames. */
	pcap_half_emit(flow, PCAP_OUT);
	pcap_half_emit(flow, PCAP_IN);
	pcap_packet(flow, PCAP_OUT, TCP_FIN | TCP_ACK, 0);
	pcap_packet(flow, PCAP_IN, TCP_FIN | TCP_ACK, 0);
	pcap_packet(flow, PCAP_OUT, TCP_ACK, 0);
	pthread_mutex_unlock(&pcap->lock);
	free(flow->half[PCAP_OUT].bytes);
	free(flow->half[PCAP_IN].bytes);
	memset(flow->half, 0, sizeof(flow->half));
	flow->pcap = NULL;
}

/* Accepts a regular file of the caller with a single link, and truncates it; it keeps its mode, and
 * a new one has 0600: a capture contains the server's data, including other users' files. A pipe
 * must belong to the caller; of devices only character devices such as terminals are accepted. */
static int pcap_check_file(int fd, const char *path)
{
	struct stat st;

	if (fstat(fd, &st))
		return err_sys("capture file %s", path);
	if (S_ISCHR(st.st_mode))
		return 0;
	if (S_ISBLK(st.st_mode))
		return err_set(EINVAL, "capture file %s: it is a disk", path);
	if (st.st_uid != geteuid())
		return err_set(EPERM, "capture file %s: it belongs to another user", path);
	if (S_ISFIFO(st.st_mode))
		return 0;
	if (st.st_nlink > 1)
		return err_set(EMLINK, "capture file %s: it has other names, too", path);
	if (ftruncate(fd, 0))
		return err_sys("capture file %s", path);
	return 0;
}

int pcap_create(const char *path)
{
	_cleanup_close_ int fd = out_open_stream(path);
	int flags, rc;

	if (fd < 0)
		return err_context(fd, "capture file");
	rc = pcap_check_file(fd, path);
	if (rc)
		return rc;
	flags = fcntl(fd, F_GETFL);
	if (flags < 0 || fcntl(fd, F_SETFL, flags & ~O_NONBLOCK) < 0)
		return err_sys("capture file %s", path);
	return take_fd(&fd);
}

int pcap_fdopen(struct pcap **out, int fd)
{
	static const struct {
		uint32_t magic;
		uint16_t major, minor;
		uint32_t zone, accuracy, snaplen, linktype;
	} header = { 0xa1b2c3d4, 2, 4, 0, 0, 65535 + HEADERS_MAX, 1 };
	struct pcap *pcap = calloc(1, sizeof(*pcap));
	int rc;

	if (!pcap)
		return err_no_memory();
	pcap->fd = fd;
	pcap_write(pcap, &header, sizeof(header));
	if (pcap->failed) {
		errno = -pcap->failed;
		rc = err_sys("write the capture file");
		free(pcap);
		return rc;
	}
	pthread_mutex_init(&pcap->lock, NULL);
	*out = pcap;
	return 0;
}

int pcap_open(struct pcap **out, const char *path)
{
	_cleanup_close_ int fd = pcap_create(path);
	int rc;

	if (fd < 0)
		return fd;
	rc = pcap_fdopen(out, fd);
	if (rc)
		return err_context(rc, "%s", path);
	take_fd(&fd);
	return 0;
}

int pcap_close(struct pcap *pcap)
{
	int rc;

	if (!pcap)
		return 0;
	rc = pcap->failed;
	if (close(pcap->fd) < 0 && !rc)
		rc = -errno;
	pthread_mutex_destroy(&pcap->lock);
	free(pcap);
	errno = -rc;
	return rc ? err_sys("write the capture file") : 0;
}
