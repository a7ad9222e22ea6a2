/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The sending half of software iWARP. A message is sent in FPDUs that fit a TCP segment (RFC 5044
 * section 5.1), each with one system call and its CRC taken just before, so that the bytes are in
 * the cache when the kernel copies them.
 *
 * Read Responses are copied to a buffer and sent as the socket takes them, between two FPDUs:
 * waiting for input never depends on output. RFC 5040 section 5.5 allows a Send between the
 * segments of a Read Response; a Write waits until it is complete. */
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include "rpcrdma/transport/internal.h"

#define PIECES 16 /* iovecs of the caller's in one FPDU */

/* A payload of this length or less is copied, because the kernel takes one buffer in less time
 * than several pieces. */
#define COPIED_MAX 1024

/* The first message with a wrong CRC, for the embedded server's fault: the handshake and one
 * exchange succeed, so that the probe gets past its first call. */
#define CORRUPT_FROM 3

#define MULPDU_MIN 128

/* Segments this large occur only on the loopback device. There an auto-tuned send buffer grows to
 * megabytes, and data have left the cache before they are read; with a buffer of this size, a
 * stream of 1 MiB Writes is nearly twice as fast. */
#define NEAR_SEGMENT 16384
#define NEAR_BUFFER  (208 * 1024)

/* RFC 5044 section 5.1 without markers: the FPDU fits a segment and ends on a word boundary. The
 * kernel's segment size grows with the peer's window. */
void iwarp_tx_measure(struct iwarp *c)
{
	static const int near_buffer = NEAR_BUFFER;
	socklen_t len = sizeof(int);
	int mss = 0;

	c->tx.mulpdu = MULPDU_MIN;
	if (getsockopt(c->t.fd, IPPROTO_TCP, TCP_MAXSEG, &mss, &len) < 0 || mss < 2 * MULPDU_MIN)
		return;
	c->tx.mulpdu = min_u32((uint32_t)(mss - (6 + mss % 4)), FPDU_ULPDU_MAX);
	if (mss < NEAR_SEGMENT || c->tx.near)
		return;
	c->tx.near = true;
	setsockopt(c->t.fd, SOL_SOCKET, SO_SNDBUF, &near_buffer, sizeof(near_buffer));
}

/* Pad and CRC, least significant byte first (RFC 5044 section 4.4). Returns their length. */
static size_t iwarp_tx_tail(const struct iwarp *c, const struct fpdu *f, uint32_t crc,
			    uint8_t tail[FPDU_TAIL_MAX])
{
	static const uint8_t zero[3];
	size_t pad = fpdu_pad(f);

	memset(tail, 0, FPDU_TAIL_MAX);
	if (!c->send_crc)
		return pad + 4;
	crc = ~crc_more(crc, zero, pad);
	if (c->param.corrupt_crc && c->tx.messages >= CORRUPT_FROM)
		crc ^= 1;
	tail[pad] = crc & 0xff;
	tail[pad + 1] = crc >> 8 & 0xff;
	tail[pad + 2] = crc >> 16 & 0xff;
	tail[pad + 3] = crc >> 24;
	return pad + 4;
}

/* Copies an FPDU with the @n pieces of its payload to @buf. Returns its length. */
static size_t iwarp_tx_copy(const struct iwarp *c, const struct fpdu *f,
			    const struct iovec *payload, int n, uint8_t *buf)
{
	size_t len = fpdu_encode(buf, f);
	int i;

	for (i = 0; i < n; i++) {
		memcpy(buf + len, payload[i].iov_base, payload[i].iov_len);
		len += payload[i].iov_len;
	}
	return len +
	       iwarp_tx_tail(c, f, c->send_crc ? crc_more(CRC_START, buf, len) : 0, buf + len);
}

/* One FPDU; out[1] to out[n] are its payload, out[0] and out[n + 1] are free. */
static int iwarp_tx_fpdu(struct iwarp *c, const struct fpdu *f, struct iovec *out, int n,
			 uint64_t deadline)
{
	uint8_t copy[FPDU_HEAD_MAX + COPIED_MAX + FPDU_TAIL_MAX];
	uint8_t head[FPDU_HEAD_MAX], tail[FPDU_TAIL_MAX];
	uint32_t crc = CRC_START;
	int rc, i;

	if (f->payload <= COPIED_MAX) {
		out[0].iov_len = iwarp_tx_copy(c, f, out + 1, n, copy);
		out[0].iov_base = copy;
		rc = iwarp_io_send(c, out, 1, deadline);
		c->tx.in_fpdu = false;
		return rc;
	}
	out[0].iov_base = head;
	out[0].iov_len = fpdu_encode(head, f);
	for (i = 0; c->send_crc && i <= n; i++)
		crc = crc_more(crc, out[i].iov_base, out[i].iov_len);
	out[n + 1].iov_base = tail;
	out[n + 1].iov_len = iwarp_tx_tail(c, f, crc, tail);
	rc = iwarp_io_send(c, out, n + 2, deadline);
	c->tx.in_fpdu = false;
	return rc;
}

/* The position in the caller's memory. */
struct iwarp_tx_cursor {
	const struct iovec *iov;
	int iovcnt;
	size_t used; /* of iov[0] */
};

/* Takes at most @room bytes in at most PIECES pieces. Returns the number of pieces; @len is their
 * length. */
static int iwarp_tx_slice(struct iwarp_tx_cursor *cur, struct iovec *out, size_t room,
			  uint32_t *len)
{
	size_t part;
	int n = 0;

	*len = 0;
	while (cur->iovcnt && n < PIECES && *len < room) {
		part = min_u64(cur->iov->iov_len - cur->used, room - *len);
		if (part) {
			out[n].iov_base = (uint8_t *)cur->iov->iov_base + cur->used;
			out[n++].iov_len = part;
		}
		*len += (uint32_t)part;
		cur->used += part;
		if (cur->used == cur->iov->iov_len) {
			cur->iov++;
			cur->iovcnt--;
			cur->used = 0;
		}
	}
	return n;
}

static uint32_t iwarp_tx_room(const struct iwarp *c, const struct fpdu *f)
{
	return c->tx.mulpdu - (f->tagged ? FPDU_HEAD_MIN : FPDU_HEAD_MAX) + 2;
}

/* RFC 5044 section 7.1.2: the responder does not send before it receives. */
static int iwarp_tx_may_begin(struct iwarp *c, uint64_t deadline)
{
	int rc = 0;

	while (!c->initiator && !c->rx.fpdus && rc >= 0) {
		rc = iwarp_io_pump(c);
		if (rc == 0)
			rc = iwarp_io_wait(c, deadline);
		if (rc == -ETIMEDOUT)
			return err_context(rc, "the peer must send first");
	}
	return rc < 0 ? rc : 0;
}

int iwarp_tx_message(struct iwarp *c, struct fpdu *f, const struct iovec *iov, int iovcnt,
		     uint64_t deadline)
{
	struct iwarp_tx_cursor cur = { .iov = iov, .iovcnt = iovcnt };
	struct iovec out[PIECES + 2];
	int rc, n;

	rc = iwarp_tx_may_begin(c, deadline);
	if (!rc)
		rc = iwarp_tx_drain(c, f->tagged, deadline);
	if (rc)
		return rc;
	if (f->tagged)
		iwarp_tx_measure(c);
	c->tx.messages++;
	if (!f->tagged)
		f->msn = c->tx.msn[f->qn]++;
	do {
		n = iwarp_tx_slice(&cur, out + 1, iwarp_tx_room(c, f), &f->payload);
		f->last = !cur.iovcnt;
		rc = iwarp_tx_fpdu(c, f, out, n, deadline);
		f->to += f->payload;
		f->mo += f->payload;
	} while (!rc && !f->last);
	return rc ? rc : iwarp_tx_responses(c);
}

/* Copies the next Read Response segment, for the oldest Read Request, to the output buffer. */
static int iwarp_tx_response(struct iwarp *c)
{
	struct iwarp_rx *rx = &c->rx;
	struct iwarp_tx *tx = &c->tx;
	const struct read_request *r = &rx->requests[rx->first];
	const struct region *region = region_find(&c->regions, r->source_stag);
	struct iovec payload;
	struct fpdu f;

	if (r->size &&
	    (!region || region_check(region, r->source_to, r->size, TRANSPORT_REMOTE_READ)))
		return iwarp_fail(
			c, iwarp_rx_violation(c, TERMINATE_READ_STAG,
					      "RDMA Read from STag 0x%08x, which was invalidated",
					      r->source_stag));
	if (!tx->out)
		tx->out = malloc(FPDU_ULPDU_MAX + 2 + FPDU_TAIL_MAX);
	if (!tx->out)
		return iwarp_fail(c, err_no_memory());
	fpdu_init(&f, RDMAP_READ_RESPONSE);
	f.stag = r->sink_stag;
	f.to = r->sink_to + tx->answered;
	f.payload = min_u32(r->size - tx->answered, iwarp_tx_room(c, &f));
	f.last = tx->answered + f.payload == r->size;
	tx->messages += !tx->answered;
	payload.iov_len = f.payload;
	if (f.payload)
		payload.iov_base = region->base + (r->source_to - region->to) + tx->answered;
	tx->out_begin = 0;
	tx->out_end = iwarp_tx_copy(c, &f, &payload, f.payload ? 1 : 0, tx->out);
	tx->answered = f.last ? 0 : tx->answered + f.payload;
	if (f.last) {
		rx->first = (rx->first + 1) % rx->depth;
		rx->count--;
	}
	return 0;
}

bool iwarp_tx_waits(const struct iwarp *c)
{
	return c->tx.out_begin < c->tx.out_end;
}

static int iwarp_tx_flush(struct iwarp *c)
{
	struct iovec iov;
	ssize_t n;

	if (!iwarp_tx_waits(c))
		return 0;
	iov.iov_base = c->tx.out + c->tx.out_begin;
	iov.iov_len = c->tx.out_end - c->tx.out_begin;
	n = iwarp_io_try(c, &iov, 1);
	if (n < 0)
		return (int)n;
	c->tx.out_begin += (size_t)n;
	return 0;
}

int iwarp_tx_responses(struct iwarp *c)
{
	int rc = iwarp_tx_flush(c);

	while (!rc && !iwarp_tx_waits(c) && c->rx.count) {
		rc = iwarp_tx_response(c);
		if (!rc)
			rc = iwarp_tx_flush(c);
	}
	return rc;
}

int iwarp_tx_drain(struct iwarp *c, bool whole, uint64_t deadline)
{
	int rc = iwarp_tx_flush(c);

	while (!rc && (iwarp_tx_waits(c) || (whole && c->tx.answered))) {
		if (iwarp_tx_waits(c)) {
			/* Pending input would end each wait at once. */
			rc = deadline_left(deadline) ? iwarp_io_wait(c, deadline)
						     : err_set(ETIMEDOUT, "no answer in time");
			if (rc == -ETIMEDOUT)
				rc = iwarp_fail(c, err_context(rc, "the peer accepts no data"));
			if (!rc)
				rc = iwarp_io_pump(c);
			rc = rc > 0 ? 0 : rc;
		} else {
			rc = iwarp_tx_response(c);
		}
		if (!rc)
			rc = iwarp_tx_flush(c);
	}
	return rc;
}

void iwarp_tx_terminate(struct iwarp *c)
{
	uint8_t body[TERMINATE_LEN + FPDU_HEAD_MAX];
	const struct iwarp_rx *rx = &c->rx;
	uint8_t buf[FPDU_HEAD_MAX + sizeof(body) + FPDU_TAIL_MAX];
	struct iovec payload = { .iov_base = body }, iov = { .iov_base = buf };
	size_t head = rx->frame_len < FPDU_HEAD_MIN ? 0 : fpdu_head_len(rx->frame);
	bool whole = head && rx->frame_len >= head;
	struct fpdu f;

	c->rx.terminate = false;
	/* No FPDU can start within another. */
	if (c->t.fd < 0 || !c->ready || c->tx.in_fpdu || (c->tx.out_begin && iwarp_tx_waits(c)))
		return;
	fpdu_init(&f, RDMAP_TERMINATE);
	f.msn = 1;
	f.payload = TERMINATE_LEN;
	terminate_encode(body, rx->reason, whole);
	/* The DDP segment length is the MPA length, and the DDP header comes after it. */
	if (whole) {
		memcpy(body + TERMINATE_LEN, rx->frame, head);
		f.payload += (uint32_t)head;
	}
	payload.iov_len = f.payload;
	iov.iov_len = iwarp_tx_copy(c, &f, &payload, 1, buf);
	(void)iwarp_io_try(c, &iov, 1);
	shutdown(c->t.fd, SHUT_WR);
}
