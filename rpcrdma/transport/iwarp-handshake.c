/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The MPA start-up of a connection: request and reply, CRC, IRD and ORD, private data (RFC 5044
 * section 7.1, RFC 6581 section 9). Revision 2 with the enhanced block is requested and answered.
 * Revision 1 is answered with revision 1, and requested if the caller asks for it: soft-iWARP of
 * 2015 closes the connection on revision 2, and rejects a CRC that it does not want. Markers and
 * peer-to-peer mode are not supported: markers are refused, and the reply declines peer-to-peer
 * mode with clear bits.
 *
 * Nothing beyond the frame is read here, so all later bytes reach the FPDU parser. */
#include <ctype.h>
#include <stdio.h>
#include <sys/socket.h>

#include "rpcrdma/transport/internal.h"

#define BANNER_MAX 64

static const char *const handshake_frame_names[] = {
	[MPA_REQUEST] = "MPA request",
	[MPA_REPLY] = "MPA reply",
};

/* The first line that another service sends, printable. */
static void handshake_banner_text(const uint8_t *p, size_t len, char *buf, size_t cap)
{
	size_t i, used = 0;

	buf[0] = '\0';
	for (i = 0; i < len && used + 5 < cap; i++) {
		if (i && (p[i] == '\r' || p[i] == '\n'))
			return;
		used += (size_t)snprintf(buf + used, cap - used,
					 isprint(p[i]) && p[i] != '"' ? "%c" : "\\x%02x", p[i]);
	}
}

static int handshake_not_mpa(struct iwarp *c, uint8_t *buf, size_t len)
{
	char text[4 * BANNER_MAX + 8];
	ssize_t more = 0;

	if (len < BANNER_MAX)
		more = recv(c->t.fd, buf + len, BANNER_MAX - len, MSG_DONTWAIT);
	len += more > 0 ? (size_t)more : 0;
	handshake_banner_text(buf, len < BANNER_MAX ? len : BANNER_MAX, text, sizeof(text));
	return err_because(err_set(EPROTONOSUPPORT, "the peer does not speak MPA: \"%s\"", text),
			   "not-mpa");
}

static int handshake_incomplete(int rc, enum mpa_kind kind, const uint8_t *buf, size_t len)
{
	size_t want = len + mpa_missing(buf, len);

	if (rc == -ETIMEDOUT && !len)
		err_set(ETIMEDOUT, "no %s in time", handshake_frame_names[kind]);
	else if (rc == -ETIMEDOUT)
		err_set(ETIMEDOUT, "the %s stopped after %zu of %zu bytes",
			handshake_frame_names[kind], len, want);
	else if (rc < 0)
		err_context(rc, "waiting for the %s", handshake_frame_names[kind]);
	else if (!len)
		err_set(ECONNRESET, "the peer closed the connection before its %s",
			handshake_frame_names[kind]);
	else
		err_set(ECONNRESET,
			"the peer closed the connection after %zu of %zu bytes of its %s", len,
			want, handshake_frame_names[kind]);
	if (rc == -ETIMEDOUT)
		return err_because(rc, "mpa-silent");
	return err_because(rc < 0 ? rc : -ECONNRESET, "closed");
}

/* @buf holds the frame, into which @f points. */
static int handshake_read(struct iwarp *c, enum mpa_kind kind, struct mpa_frame *f,
			  uint8_t buf[MPA_FRAME_MAX], uint64_t deadline)
{
	size_t len = 0;
	ssize_t n;
	int rc;

	while ((rc = mpa_decode(f, kind, buf, len)) == 0) {
		n = iwarp_io_read(c, buf + len, mpa_missing(buf, len), deadline);
		if (n <= 0)
			return handshake_incomplete((int)n, kind, buf, len);
		len += (size_t)n;
	}
	if (rc == -EPROTONOSUPPORT)
		return handshake_not_mpa(c, buf, len);
	return rc < 0 ? err_because(rc, "not-mpa") : 0;
}

static int handshake_write(struct iwarp *c, enum mpa_kind kind, const struct mpa_frame *f,
			   uint64_t deadline)
{
	uint8_t buf[MPA_FRAME_MAX];
	struct iovec iov = { .iov_base = buf, .iov_len = mpa_encode(buf, kind, f) };

	return iwarp_io_send(c, &iov, 1, deadline);
}

static int handshake_done(struct iwarp *c, const struct mpa_frame *peer)
{
	c->t.peer_private_len = peer->private_len;
	if (peer->private_len)
		memcpy(c->t.peer_private, peer->private_data, peer->private_len);
	c->send_crc = c->rx.check_crc = c->t.crc;
	iwarp_tx_measure(c);
	c->ready = true;
	debug(DEBUG_TRANSPORT, "iwarp: MPA revision %u, CRC %s, IRD %u, ORD %u, MULPDU %u",
	      peer->revision, c->t.crc ? "on" : "off", c->rx.depth, c->t.ord, c->tx.mulpdu);
	return iwarp_io_may_block(c);
}

static int handshake_reply_check(const struct mpa_frame *reply)
{
	if (reply->reject)
		return err_because(
			err_set(ECONNREFUSED,
				"the peer rejected the connection (MPA revision %u, flag R)",
				reply->revision),
			"rejected");
	if (reply->revision < 1 || reply->revision > 2)
		return err_because(err_set(EPROTO, "MPA revision %u in the reply, 1 or 2 expected",
					   reply->revision),
				   "mpa-version");
	if (reply->markers)
		return err_because(
			err_set(EPROTONOSUPPORT,
				"the peer requires MPA markers, which are not supported"),
			"mpa-version");
	return 0;
}

int iwarp_handshake_connect(struct iwarp *c, uint64_t deadline)
{
	const struct transport_param *param = &c->param;
	uint8_t buf[MPA_FRAME_MAX];
	struct mpa_frame reply = { 0 }, request = {
		.revision = param->mpa_revision ? param->mpa_revision : 2,
		.crc = !param->no_crc,
		.enhanced = param->mpa_revision != 1,
		.ird = (uint16_t)c->rx.depth,
		.ord = param->ord,
		.private_data = param->private_data,
		.private_len = param->private_len,
	};
	bool rejects;
	int rc;

	rc = handshake_write(c, MPA_REQUEST, &request, deadline);
	if (!rc)
		rc = handshake_read(c, MPA_REPLY, &reply, buf, deadline);
	if (!rc)
		rc = handshake_reply_check(&reply);
	/* What in the request the peer may have refused. */
	rejects = rc == -ECONNREFUSED && reply.reject;
	c->refuses_revision = request.revision > 1 &&
			      (rc == -ECONNRESET || (rejects && reply.revision == 1));
	c->refuses_crc = rejects && request.crc && !reply.crc;
	if (rc)
		return rc;
	c->t.mpa_revision = request.revision;
	/* RFC 5044 section 7.1: if either side requests the CRC, both use it. */
	c->t.crc = request.crc || reply.crc;
	c->rx.crc_unsure = !reply.crc;
	c->t.ord = (uint16_t)min_u32(param->ord, reply.enhanced ? reply.ird : 0);
	return handshake_done(c, &reply);
}

static int handshake_request_check(const struct mpa_frame *request)
{
	if (request->revision < 1 || request->revision > 2)
		return err_set(EPROTO, "MPA revision %u in the request, 1 or 2 expected",
			       request->revision);
	if (request->markers)
		return err_set(EPROTONOSUPPORT,
			       "the peer requires MPA markers, which are not supported");
	return 0;
}

int iwarp_handshake_answer(struct iwarp *c, uint64_t deadline)
{
	const struct transport_param *param = &c->param;
	uint8_t buf[MPA_FRAME_MAX];
	struct mpa_frame request, reply = { 0 };
	int rc, refused;

	rc = handshake_read(c, MPA_REQUEST, &request, buf, deadline);
	if (rc)
		return rc;
	refused = handshake_request_check(&request);
	reply.revision = request.revision == 1 ? 1 : 2;
	reply.reject = refused != 0;
	if (!refused) {
		c->t.crc = reply.crc = request.crc || !param->no_crc;
		reply.enhanced = request.enhanced && request.revision == 2;
		reply.private_data = param->private_data;
		reply.private_len = param->private_len;
	}
	if (reply.enhanced) {
		/* Our IRD is limited by the peer's ORD, and our ORD by its IRD. */
		c->rx.depth = min_u32(c->rx.depth, request.ord);
		reply.ird = (uint16_t)c->rx.depth;
		reply.ord = c->t.ord = (uint16_t)min_u32(param->ord, request.ird);
	}
	rc = handshake_write(c, MPA_REPLY, &reply, deadline);
	if (rc || refused)
		return refused ? refused : rc;
	return handshake_done(c, &request);
}
