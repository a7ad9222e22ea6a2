/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The TCP sockets below iWARP: non-blocking, with TCP_NODELAY (RFC 5044 section 5: an FPDU is
 * sent when it is complete); each wait has a deadline. */
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>

#include "rpcrdma/transport/internal.h"

int tcp_wait(int fd, short events, uint64_t deadline)
{
	struct pollfd p = { .fd = fd, .events = events };
	int left, n;

	do {
		left = deadline_left(deadline);
		n = poll(&p, 1, left);
		if (n > 0)
			return p.revents;
		if (n < 0 && errno != EINTR)
			return err_sys("poll");
	} while (left);
	return err_set(ETIMEDOUT, "no answer in time");
}

static void tcp_skip(struct msghdr *msg, size_t len)
{
	for (; msg->msg_iovlen && len >= msg->msg_iov->iov_len; msg->msg_iovlen--)
		len -= msg->msg_iov++->iov_len;
	if (msg->msg_iovlen) {
		msg->msg_iov->iov_base = (uint8_t *)msg->msg_iov->iov_base + len;
		msg->msg_iov->iov_len -= len;
	}
}

int tcp_send(int fd, struct iovec *iov, size_t count, uint64_t deadline)
{
	struct msghdr msg = { .msg_iov = iov, .msg_iovlen = count };
	ssize_t n;
	int rc;

	for (tcp_skip(&msg, 0); msg.msg_iovlen; tcp_skip(&msg, n > 0 ? (size_t)n : 0)) {
		n = sendmsg(fd, &msg, MSG_DONTWAIT | MSG_NOSIGNAL);
		if (n >= 0 || errno == EINTR)
			continue;
		if (errno == EPIPE || errno == ECONNRESET)
			return err_set(ECONNRESET, "the peer reset the connection");
		if (errno != EAGAIN)
			return err_sys("send");
		rc = tcp_wait(fd, POLLOUT, deadline);
		if (rc < 0)
			return rc == -ETIMEDOUT
				       ? err_set(ETIMEDOUT, "nothing could be sent in time")
				       : rc;
	}
	return 0;
}

static int tcp_tune(int fd)
{
	int on = 1;

	if (setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on)) < 0)
		return err_sys("TCP_NODELAY");
	return 0;
}

static int tcp_bind(int fd, const struct transport_address *from)
{
	struct transport_address at = *from;
	char text[TRANSPORT_ADDRESS_TEXT];

	transport_set_port(&at, 0);
	if (bind(fd, (const struct sockaddr *)&at.addr, at.len) < 0)
		return err_because(
			err_sys("coming from %s", transport_address_text(&at, text, sizeof(text))),
			"bind");
	return 0;
}

static int tcp_connect_failed(void)
{
	static const struct {
		int errnum;
		const char *reason;
	} rows[] = {
		{ ECONNREFUSED, "refused" },     { ETIMEDOUT, "silent" },
		{ EHOSTUNREACH, "unreachable" }, { ENETUNREACH, "no-route" },
		{ EACCES, "forbidden" },         { EPERM, "forbidden" },
	};
	int rc = err_sys("TCP connect");
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++)
		if (rows[i].errnum == -rc)
			return err_because(rc, rows[i].reason);
	return rc;
}

int tcp_connect(const struct transport_address *to, const struct transport_address *from,
		uint64_t deadline)
{
	_cleanup_close_ int fd = -1;
	socklen_t len = sizeof(int);
	int rc, error = 0;

	fd = socket(to->addr.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return err_sys("a TCP socket");
	rc = tcp_tune(fd);
	if (!rc && from)
		rc = tcp_bind(fd, from);
	if (rc)
		return rc;
	if (connect(fd, (const struct sockaddr *)&to->addr, to->len) == 0)
		return take_fd(&fd);
	if (errno != EINPROGRESS)
		return tcp_connect_failed();
	rc = tcp_wait(fd, POLLOUT, deadline);
	if (rc < 0)
		return err_because(err_context(rc, "TCP connect"),
				   rc == -ETIMEDOUT ? "silent" : "");
	if (getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &len) < 0)
		return err_sys("TCP connect");
	errno = error;
	return error ? tcp_connect_failed() : take_fd(&fd);
}

int tcp_listen(const struct transport_address *at)
{
	_cleanup_close_ int fd = -1;
	int on = 1;

	fd = socket(at->addr.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return err_sys("a TCP socket");
	if (setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)) < 0)
		return err_sys("SO_REUSEADDR");
	if (bind(fd, (const struct sockaddr *)&at->addr, at->len) < 0)
		return err_sys("bind");
	if (listen(fd, TRANSPORT_BACKLOG) < 0)
		return err_sys("listen");
	return take_fd(&fd);
}

int tcp_accept(int listener, struct transport_address *peer)
{
	_cleanup_close_ int fd = -1;
	int rc;

	peer->len = sizeof(peer->addr);
	fd = accept4(listener, (struct sockaddr *)&peer->addr, &peer->len,
		     SOCK_NONBLOCK | SOCK_CLOEXEC);
	/* A peer that gave up before the accept is ignored. */
	if (fd < 0 && (errno == EAGAIN || errno == ECONNABORTED || errno == EINTR))
		return err_set(EAGAIN, "no connection is waiting");
	if (fd < 0)
		return err_sys("accept");
	rc = tcp_tune(fd);
	return rc ? rc : take_fd(&fd);
}

void tcp_local(int fd, struct transport_address *local)
{
	local->len = sizeof(local->addr);
	if (getsockname(fd, (struct sockaddr *)&local->addr, &local->len) < 0)
		local->len = 0;
}
