/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Socket I/O for iwarp-rx.c and iwarp-tx.c. While the socket accepts no output, input is still
 * taken: two peers that both send never deadlock. */
#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include "rpcrdma/transport/internal.h"

/* How long a receive may block; poll() keeps shorter deadlines. The time-out is set once per
 * socket, because setting it each time would cost what it saves. */
#define IO_BLOCK_MS 250

/* Any network error on an established connection means that it is lost. */
static int iwarp_io_lost(struct iwarp *c)
{
	int rc = err_sys("the connection was lost");

	return iwarp_fail(c, rc < 0 ? -ECONNRESET : rc);
}

static int iwarp_io_closed(struct iwarp *c)
{
	char position[96];

	if (iwarp_rx_position(c, position, sizeof(position))[0])
		return iwarp_fail(c, err_set(ECONNRESET, "the peer closed the connection after %s",
					     position));
	return iwarp_fail(c, err_set(ECONNRESET, "the peer closed the connection"));
}

int iwarp_io_may_block(struct iwarp *c)
{
	const struct timeval wait = { .tv_usec = IO_BLOCK_MS * 1000 };
	int flags = fcntl(c->t.fd, F_GETFL);

	/* Calls that must not block pass MSG_DONTWAIT. */
	if (flags < 0 || fcntl(c->t.fd, F_SETFL, flags & ~O_NONBLOCK) < 0 ||
	    setsockopt(c->t.fd, SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof(wait)) < 0)
		return err_sys("a TCP socket");
	return 0;
}

static int iwarp_io_receive(struct iwarp *c, int flags)
{
	struct iovec iov[2];
	struct msghdr msg = { .msg_iov = iov };
	ssize_t got;
	int rc;

	if (c->failed.rc)
		return err_again(&c->failed);
	msg.msg_iovlen = (size_t)iwarp_rx_buffers(c, iov);
	/* recv(2) and send(2) of one buffer take less time than recvmsg(2) and sendmsg(2). */
	got = msg.msg_iovlen == 1 ? recv(c->t.fd, iov->iov_base, iov->iov_len, flags)
				  : recvmsg(c->t.fd, &msg, flags);
	if (got < 0 && (errno == EAGAIN || errno == EINTR))
		return 0;
	if (got < 0)
		return iwarp_io_lost(c);
	if (got == 0)
		return iwarp_io_closed(c);
	c->received += (uint64_t)got;
	pcap_flow_data(&c->flow, PCAP_IN, iov, (int)msg.msg_iovlen, (size_t)got);
	rc = iwarp_rx_filled(c, (size_t)got);
	return rc < 0 ? iwarp_fail(c, rc) : 1;
}

int iwarp_io_pump(struct iwarp *c)
{
	return iwarp_io_receive(c, MSG_DONTWAIT);
}

static int iwarp_io_timed_out(struct iwarp *c)
{
	char position[96];

	if (iwarp_rx_position(c, position, sizeof(position))[0])
		return err_set(ETIMEDOUT, "the peer stopped after %s", position);
	return err_set(ETIMEDOUT, "no answer in time");
}

/* After the deadline: bytes already in the socket are in time, even if we are late; later ones
 * are not, or a peer that sends without end would hold us forever. One read is always tried, as
 * the end of the connection adds no bytes. */
static bool iwarp_io_is_over(struct iwarp *c, uint64_t deadline)
{
	int waiting = 0;

	if (c->late.is_set && c->late.deadline == deadline)
		return c->received >= c->late.until;
	ioctl(c->t.fd, FIONREAD, &waiting);
	c->late.is_set = true;
	c->late.deadline = deadline;
	c->late.until = c->received + (uint64_t)waiting;
	return false;
}

int iwarp_io_take(struct iwarp *c, uint64_t deadline)
{
	int left = deadline_left(deadline), rc;

	if (!iwarp_tx_waits(c) && left > IO_BLOCK_MS)
		return iwarp_io_receive(c, 0);
	if (!left && iwarp_io_is_over(c, deadline))
		rc = iwarp_io_timed_out(c);
	else
		rc = iwarp_io_receive(c, MSG_DONTWAIT);
	if (!rc)
		rc = iwarp_io_wait(c, deadline);
	/* The next call tries one read again. */
	if (rc == -ETIMEDOUT)
		c->late.is_set = false;
	return rc;
}

/* The peer may have sent a Terminate before it closed. Nothing follows, so the socket's buffer
 * bounds this read. */
static int iwarp_io_send_failed(struct iwarp *c)
{
	int saved = errno, rc;

	do
		rc = iwarp_io_pump(c);
	while (rc > 0);
	errno = saved;
	return rc < 0 ? rc : iwarp_io_lost(c);
}

ssize_t iwarp_io_try(struct iwarp *c, const struct iovec *iov, int iovcnt)
{
	struct msghdr msg = { .msg_iov = (struct iovec *)(uintptr_t)iov,
			      .msg_iovlen = (size_t)iovcnt };
	const int flags = MSG_DONTWAIT | MSG_NOSIGNAL;
	ssize_t n = iovcnt == 1 ? send(c->t.fd, iov->iov_base, iov->iov_len, flags)
				: sendmsg(c->t.fd, &msg, flags);

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return 0;
	if (n < 0)
		return iwarp_io_send_failed(c);
	pcap_flow_data(&c->flow, PCAP_OUT, iov, iovcnt, (size_t)n);
	return n;
}

static void iwarp_io_advance(struct iovec **iov, int *iovcnt, size_t n)
{
	while (*iovcnt && n >= (*iov)->iov_len) {
		n -= (*iov)->iov_len;
		(*iov)++;
		(*iovcnt)--;
	}
	if (*iovcnt) {
		(*iov)->iov_base = (uint8_t *)(*iov)->iov_base + n;
		(*iov)->iov_len -= n;
	}
}

int iwarp_io_send(struct iwarp *c, struct iovec *iov, int iovcnt, uint64_t deadline)
{
	ssize_t n;
	int rc;

	for (;;) {
		n = iwarp_io_try(c, iov, iovcnt);
		if (n < 0)
			return (int)n;
		iwarp_io_advance(&iov, &iovcnt, (size_t)n);
		if (!iovcnt)
			return 0;
		c->tx.in_fpdu = true;
		/* With a peer that sends but takes nothing, no wait would time out. */
		rc = deadline_left(deadline) ? tcp_wait(c->t.fd, POLLIN | POLLOUT, deadline)
					     : err_set(ETIMEDOUT, "no answer in time");
		if (rc < 0)
			return iwarp_fail(c, err_context(rc, "the peer accepts no data"));
		if (rc & (POLLIN | POLLHUP | POLLERR))
			rc = iwarp_io_pump(c);
		if (rc < 0)
			return rc;
	}
}

int iwarp_io_wait(struct iwarp *c, uint64_t deadline)
{
	int rc = tcp_wait(c->t.fd, POLLIN | (iwarp_tx_waits(c) ? POLLOUT : 0), deadline);

	if (rc == -ETIMEDOUT)
		return iwarp_io_timed_out(c);
	return rc < 0 ? rc : 0;
}

ssize_t iwarp_io_read(struct iwarp *c, void *buf, size_t len, uint64_t deadline)
{
	struct iovec iov = { .iov_base = buf, .iov_len = len };
	ssize_t n;
	int rc;

	for (;;) {
		n = recv(c->t.fd, buf, len, MSG_DONTWAIT);
		if (n >= 0)
			break;
		if (errno != EAGAIN && errno != EINTR)
			return iwarp_io_lost(c);
		rc = tcp_wait(c->t.fd, POLLIN, deadline);
		if (rc < 0)
			return rc;
	}
	pcap_flow_data(&c->flow, PCAP_IN, &iov, 1, (size_t)n);
	return n;
}
