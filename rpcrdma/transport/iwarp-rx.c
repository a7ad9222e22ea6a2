/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The receiving half of software iWARP: a parser of the FPDU stream (RFC 5044 section 4) that
 * provides the buffers for the next bytes and takes their count. It is independent of the socket.
 *
 * The first buffer is the rest of a payload, directly in registered memory; the second is a small
 * stage for the bytes after it: pad, CRC, and the next headers. So payload is copied once, and a
 * stream of small FPDUs costs about one system call each. The CRC is taken over bytes just
 * placed, while they are in the cache. Memory may therefore contain bytes of an FPDU with a wrong
 * CRC, as with an adapter; the message is never delivered. */
#include <stdarg.h>
#include <stdio.h>

#include "rpcrdma/transport/internal.h"

static enum transport_breach iwarp_rx_breach(enum terminate_reason reason)
{
	switch (reason) {
	case TERMINATE_CRC: return BREACH_CRC;
	case TERMINATE_READ_STAG:
	case TERMINATE_READ_BOUNDS:
	case TERMINATE_ACCESS:
	case TERMINATE_READ_WRAP:
	case TERMINATE_TAGGED_STAG:
	case TERMINATE_TAGGED_BOUNDS:
	case TERMINATE_TAGGED_WRAP: return BREACH_MEMORY;
	default: return BREACH_FRAME;
	}
}

int iwarp_rx_violation(struct iwarp *c, enum terminate_reason reason, const char *fmt, ...)
{
	struct transport_violation *v = &c->t.violation;
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(v->text, sizeof(v->text), fmt, ap);
	va_end(ap);
	v->breach = iwarp_rx_breach(reason);
	memcpy(v->frame, c->rx.frame, c->rx.frame_len);
	v->frame_len = c->rx.frame_len;
	c->rx.terminate = true;
	c->rx.reason = reason;
	return err_set(EPROTO, "%s", v->text);
}

static size_t iwarp_rx_staged(const struct iwarp_rx *rx)
{
	return rx->end - rx->begin;
}

const char *iwarp_rx_position(const struct iwarp *c, char *buf, size_t cap)
{
	const struct iwarp_rx *rx = &c->rx;
	size_t staged = iwarp_rx_staged(rx);

	buf[0] = '\0';
	if (rx->state != RX_HEAD)
		snprintf(buf, cap, "%zu of %zu bytes of %s",
			 fpdu_total(&rx->fpdu) - rx->left - fpdu_pad(&rx->fpdu) - 4 +
				 (rx->state == RX_TAIL ? staged : 0),
			 fpdu_total(&rx->fpdu), fpdu_opcode_text(rx->fpdu.opcode));
	else if (staged)
		snprintf(buf, cap, "%zu bytes of an FPDU's header", staged);
	else if (rx->in_message)
		snprintf(buf, cap, "%u bytes of a Send, without its last segment", rx->mo);
	return buf;
}

/* Adds bytes of the current FPDU, in order, to the CRC; keeps the first ones for a report. */
static void iwarp_rx_digest(struct iwarp_rx *rx, const uint8_t *p, size_t len)
{
	size_t room = sizeof(rx->frame) - rx->frame_len;

	if (rx->check_crc)
		rx->crc = crc_more(rx->crc, p, len);
	if (room) {
		room = len < room ? len : room;
		memcpy(rx->frame + rx->frame_len, p, room);
		rx->frame_len += room;
	}
}

static int iwarp_rx_head(struct iwarp *c)
{
	struct iwarp_rx *rx = &c->rx;
	const uint8_t *p = rx->stage + rx->begin;
	size_t head;
	int rc;

	if (iwarp_rx_staged(rx) < FPDU_PREFIX)
		return 0;
	rx->frame_len = 0;
	rx->crc = CRC_START;
	head = fpdu_head_len(p);
	/* Report an impossible length at once: the rest of the header may never arrive. */
	if (get_be16(p) + 2u < head) {
		iwarp_rx_digest(rx, p, iwarp_rx_staged(rx));
		return iwarp_rx_violation(c, TERMINATE_MPA,
					  "FPDU with MPA length %u, a DDP header has %zu",
					  get_be16(p), head - 2);
	}
	if (iwarp_rx_staged(rx) < head)
		return 0;
	rc = fpdu_decode(&rx->fpdu, p, head);
	if (rc < 0)
		return rc;
	iwarp_rx_digest(rx, p, head);
	rx->begin += head;
	rx->left = rx->fpdu.payload;
	rx->target = NULL;
	rx->state = RX_BODY;
	rc = iwarp_place(c);
	return rc ? rc : 1;
}

/* Accounts for @len bytes of payload, placed or discarded. */
static void iwarp_rx_payload(struct iwarp_rx *rx, const uint8_t *p, size_t len)
{
	iwarp_rx_digest(rx, p, len);
	rx->left -= (uint32_t)len;
	if (rx->target)
		rx->target += len;
}

static int iwarp_rx_body(struct iwarp *c)
{
	struct iwarp_rx *rx = &c->rx;
	size_t len = min_u64(rx->left, iwarp_rx_staged(rx));
	const uint8_t *p = rx->stage + rx->begin;

	if (len) {
		if (rx->target)
			memcpy(rx->target, p, len);
		iwarp_rx_payload(rx, p, len);
		rx->begin += len;
	}
	if (rx->left)
		return 0;
	rx->state = RX_TAIL;
	return 1;
}

static int iwarp_rx_check_crc(struct iwarp *c, uint32_t want)
{
	struct iwarp_rx *rx = &c->rx;
	bool first = !rx->fpdus;

	if (!rx->check_crc || want == (uint32_t)~rx->crc)
		return 0;
	/* We asked for CRCs and the peer's reply had C clear. RFC 5044 section 7.1 still requires
	 * them; a peer that omits them shows it in its first FPDU. */
	if (rx->crc_unsure && first) {
		rx->check_crc = false;
		c->t.crc = false;
		return 0;
	}
	return iwarp_rx_violation(
		c, TERMINATE_CRC,
		"%s with %u bytes of payload has CRC 0x%08x, its bytes give 0x%08x",
		fpdu_opcode_text(rx->fpdu.opcode), rx->fpdu.payload, want, (uint32_t)~rx->crc);
}

static int iwarp_rx_tail(struct iwarp *c)
{
	struct iwarp_rx *rx = &c->rx;
	size_t pad = fpdu_pad(&rx->fpdu);
	const uint8_t *p = rx->stage + rx->begin;
	uint32_t want;
	int rc;

	if (iwarp_rx_staged(rx) < pad + 4)
		return 0;
	iwarp_rx_digest(rx, p, pad);
	p += pad;
	want = (uint32_t)p[3] << 24 | (uint32_t)p[2] << 16 | (uint32_t)p[1] << 8 | p[0];
	rc = iwarp_rx_check_crc(c, want);
	if (rc)
		return rc;
	rx->begin += pad + 4;
	rx->fpdus++;
	rx->state = RX_HEAD;
	rc = iwarp_place_done(c);
	return rc ? rc : 1;
}

int iwarp_rx_buffers(struct iwarp *c, struct iovec iov[2])
{
	struct iwarp_rx *rx = &c->rx;
	int n = 0;

	if (rx->left) {
		iov[n].iov_base = rx->target ? rx->target : rx->scratch;
		iov[n].iov_len = rx->target ? rx->left : min_u32(rx->left, IWARP_SCRATCH);
		if (iov[n++].iov_len < rx->left)
			return n;
	}
	iov[n].iov_base = rx->stage + rx->end;
	iov[n].iov_len = sizeof(rx->stage) - rx->end;
	return n + 1;
}

int iwarp_rx_filled(struct iwarp *c, size_t len)
{
	static int (*const steps[])(struct iwarp *) = {
		[RX_HEAD] = iwarp_rx_head,
		[RX_BODY] = iwarp_rx_body,
		[RX_TAIL] = iwarp_rx_tail,
	};
	struct iwarp_rx *rx = &c->rx;
	uint32_t direct = min_u64(rx->left, len);
	int rc;

	if (direct)
		iwarp_rx_payload(rx, rx->target ? rx->target : rx->scratch, direct);
	rx->end += len - direct;
	do
		rc = steps[rx->state](c);
	while (rc > 0);
	/* The remaining bytes are part of a header or a tail, so they are few. */
	memmove(rx->stage, rx->stage + rx->begin, iwarp_rx_staged(rx));
	rx->end -= rx->begin;
	rx->begin = 0;
	return rc;
}
