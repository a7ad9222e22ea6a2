/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Bare TCP sockets as peers of software iWARP. */
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <sys/socket.h>

#include "tests/support/patience.h"
#include "tests/support/raw-peer.h"
#include "tests/support/transport-pair.h"

/* Revision 2, CRC, IRD 4, ORD 4, no private data. */
static const uint8_t good_request[24] = "MPA ID Req Frame\x50\x02\x00\x04\x00\x04\x00\x04";

int raw_peer_open(struct raw_peer *r, const void *request, size_t len)
{
	struct transport_address any = pair_loopback();
	struct pollfd p = { .events = POLLIN };
	int rc;

	memset(r, 0, sizeof(*r));
	r->fd = -1;
	r->deadline = deadline_in(PATIENCE_MS);
	rc = transport_iwarp.listen(&r->listener, &any);
	if (rc)
		return rc;
	rc = tcp_connect(&r->listener->local, NULL, r->deadline);
	if (rc < 0)
		return rc;
	r->fd = rc;
	raw_peer_send(r, request, len);
	p.fd = r->listener->fd;
	if (poll(&p, 1, 5000) != 1)
		return -ETIMEDOUT;
	return transport_iwarp.accept(r->listener, &r->t);
}

int raw_peer_establish(struct raw_peer *r, const struct transport_param *param)
{
	uint8_t reply[MPA_FRAME_MAX];
	int rc = raw_peer_open(r, good_request, sizeof(good_request));

	if (!rc)
		rc = transport_iwarp.establish(r->t, param, r->deadline);
	if (!rc && !raw_peer_read(r, reply, 24 + param->private_len))
		rc = -EPROTO;
	return rc;
}

void raw_peer_close(struct raw_peer *r)
{
	if (r->fd >= 0)
		close(r->fd);
	transport_close_p(&r->t);
	transport_close_p(&r->listener);
}

void raw_peer_send(struct raw_peer *r, const void *bytes, size_t len)
{
	const uint8_t *p = bytes;
	ssize_t n;

	while (len) {
		n = send(r->fd, p, len, MSG_NOSIGNAL);
		if (n < 0 && (errno != EAGAIN || tcp_wait(r->fd, POLLOUT, r->deadline) < 0))
			return;
		p += n > 0 ? n : 0;
		len -= n > 0 ? (size_t)n : 0;
	}
}

bool raw_peer_read(struct raw_peer *r, void *buf, size_t len)
{
	uint64_t deadline = deadline_in(PATIENCE_MS);
	uint8_t *p = buf;
	ssize_t n;

	while (len) {
		n = recv(r->fd, p, len, 0);
		if (n == 0 || (n < 0 && errno != EAGAIN))
			return false;
		if (n < 0 && tcp_wait(r->fd, POLLIN, deadline) < 0)
			return false;
		p += n > 0 ? n : 0;
		len -= n > 0 ? (size_t)n : 0;
	}
	return true;
}

size_t raw_peer_read_fpdu(struct raw_peer *r, uint8_t *buf, size_t cap)
{
	size_t len;

	if (!raw_peer_read(r, buf, 2))
		return 0;
	len = xdr_pad4(2u + get_be16(buf)) + 4;
	if (len > cap || !raw_peer_read(r, buf + 2, len - 2))
		return 0;
	return len;
}

size_t raw_peer_build(uint8_t *buf, struct fpdu *f, const void *payload, uint32_t len)
{
	uint32_t crc;
	size_t n, i;

	f->payload = len;
	n = fpdu_encode(buf, f);
	if (len)
		memcpy(buf + n, payload, len);
	n += len;
	memset(buf + n, 0, fpdu_pad(f));
	n += fpdu_pad(f);
	crc = ~crc_more(CRC_START, buf, n);
	for (i = 0; i < 4; i++)
		buf[n++] = crc >> 8 * i & 0xff;
	return n;
}

#define FLOOD_MS 15000

static void flood(int fd, const uint8_t *bytes, size_t len, int stop)
{
	struct pollfd p[2] = { { .fd = fd, .events = POLLOUT }, { .fd = stop, .events = POLLIN } };
	/* Where root may: more than is read while this thread does not run. */
	static const int much = 16 << 20;
	uint64_t deadline = deadline_in(FLOOD_MS);
	size_t at = 0;
	ssize_t n;

	setsockopt(fd, SOL_SOCKET, SO_SNDBUFFORCE, &much, sizeof(much));
	while (deadline_left(deadline) && poll(p + 1, 1, 0) == 0) {
		n = send(fd, bytes + at, len - at, MSG_NOSIGNAL | MSG_DONTWAIT);
		if (n < 0 && errno != EAGAIN)
			return;
		if (n < 0)
			poll(p, 2, 100);
		at = (at + (n > 0 ? (size_t)n : 0)) % len;
	}
	shutdown(fd, SHUT_WR);
}

static void *flood_run(void *arg)
{
	struct raw_flood *f = arg;

	flood(f->fd, f->bytes, f->len, f->stop[0]);
	return NULL;
}

int raw_flood_begin(struct raw_flood *f)
{
	pthread_t thread;

	if (pipe(f->stop) < 0 || pthread_create(&thread, NULL, flood_run, f))
		return -1;
	f->thread = thread;
	return 0;
}

void raw_flood_end(struct raw_flood *f)
{
	close(f->stop[1]);
	pthread_join(f->thread, NULL);
	close(f->stop[0]);
}

static void server_hear(struct raw_server *s, int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };
	ssize_t n;

	while (s->heard_len < MPA_HEAD && poll(&p, 1, 5000) == 1) {
		n = recv(fd, s->heard + s->heard_len, sizeof(s->heard) - s->heard_len, 0);
		if (n <= 0)
			return;
		s->heard_len += (size_t)n;
	}
}

static bool server_wait(struct raw_server *s)
{
	struct pollfd p[2] = { { .fd = s->listener, .events = POLLIN },
			       { .fd = s->stop[0], .events = POLLIN } };

	return poll(p, 2, 20000) >= 1 && p[0].revents;
}

/* False: told to stop. */
static bool server_refuse(struct raw_server *s)
{
	_cleanup_close_ int fd = -1;

	if (!server_wait(s))
		return false;
	fd = accept(s->listener, NULL, NULL);
	server_hear(s, fd);
	s->heard_len = 0;
	return !s->before_len || send(fd, s->before, s->before_len, MSG_NOSIGNAL) > 0;
}

static void *server_run(void *arg)
{
	struct raw_server *s = arg;
	struct pollfd stop = { .fd = s->stop[0], .events = POLLIN };
	_cleanup_close_ int fd = -1;
	size_t at, step = s->gap_ms ? 1 : s->len;

	if ((s->before && !server_refuse(s)) || !server_wait(s))
		return NULL;
	fd = accept(s->listener, NULL, NULL);
	if (!s->deaf)
		server_hear(s, fd);
	for (at = 0; at < s->len; at += step) {
		if (send(fd, (const uint8_t *)s->script + at, step, MSG_NOSIGNAL) < 0)
			break;
		if (s->gap_ms && poll(&stop, 1, (int)s->gap_ms))
			break;
	}
	if (s->flood && poll(&(struct pollfd){ .fd = fd, .events = POLLIN }, 1, 20000) == 1)
		flood(fd, s->flood, s->flood_len, s->stop[0]);
	if (s->stays)
		poll(&stop, 1, 20000);
	return NULL;
}

int raw_server_open(struct raw_server *s)
{
	struct transport_address any = pair_loopback();
	pthread_t thread;

	s->listener = tcp_listen(&any);
	if (s->listener < 0 || pipe(s->stop) < 0)
		return -1;
	tcp_local(s->listener, &s->at);
	if (pthread_create(&thread, NULL, server_run, s))
		return -1;
	s->thread = thread;
	return 0;
}

void raw_server_close(struct raw_server *s)
{
	close(s->stop[1]);
	pthread_join(s->thread, NULL);
	close(s->stop[0]);
	close(s->listener);
}
