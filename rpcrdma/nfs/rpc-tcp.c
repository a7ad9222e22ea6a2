/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* One ONC RPC at a time over TCP: RFC 5531, with the record marking of its section 11. Enough for
 * rpcbind and MOUNT, which do not exist over RDMA (RFC 8267 section 5.1).
 *
 * The peer is hostile: the length of a fragment, the number of fragments and the number of
 * records that are not our reply are bounded, and every wait ends at the caller's deadline. */
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>

#include "rpcrdma/nfs/internal.h"

#define MARK_LEN      4
#define MARK_LAST     0x80000000u
#define FRAGMENTS_MAX 256 /* per record; servers send one, or one per page */
#define RECORDS_MAX   16  /* replies to earlier calls before ours */
#define CALL_MAX      512 /* RPC header with the largest AUTH_SYS credential: 376 bytes */

/* The ports that servers accept as a privileged caller's; those below 512 belong to well-known
 * services. */
#define PORT_LOW  512
#define PORT_HIGH 1023

static int rpc_tcp_wait(int fd, short events, uint64_t deadline)
{
	struct pollfd pfd = { .fd = fd, .events = events };
	int n;

	do
		n = poll(&pfd, 1, deadline_left(deadline));
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return err_sys("poll");
	if (n == 0)
		return err_set(ETIMEDOUT, "nothing %s before the deadline",
			       events & POLLIN ? "came" : "could be sent");
	return 0;
}

/* Handles errno of a recv that moved nothing: 0 to try again. */
static int rpc_tcp_error(int fd, uint64_t deadline)
{
	switch (errno) {
	case EINTR: return 0;
	case EAGAIN: return rpc_tcp_wait(fd, POLLIN, deadline);
	case ECONNRESET: return err_set(ECONNRESET, "the peer reset the connection");
	default: return err_sys("receive");
	}
}

int rpc_tcp_recv(int fd, void *buf, size_t len, uint64_t deadline)
{
	size_t used = 0;
	ssize_t n;
	int rc;

	while (used < len) {
		n = recv(fd, (uint8_t *)buf + used, len - used, MSG_DONTWAIT);
		if (n == 0)
			return err_set(ECONNRESET, "the peer closed the connection");
		if (n > 0) {
			used += (size_t)n;
			if (used < len && !deadline_left(deadline))
				return err_set(ETIMEDOUT,
					       "%zu of %zu bytes came before the deadline", used,
					       len);
			continue;
		}
		rc = rpc_tcp_error(fd, deadline);
		if (rc)
			return rc;
	}
	return 0;
}

/* One record, its fragments joined. */
static int rpc_tcp_recv_record(int fd, uint8_t *buf, size_t cap, size_t *len, uint64_t deadline)
{
	uint8_t mark[MARK_LEN];
	size_t used = 0, size;
	unsigned int i;
	int rc;

	for (i = 0; i < FRAGMENTS_MAX; i++) {
		rc = rpc_tcp_recv(fd, mark, sizeof(mark), deadline);
		if (rc)
			return rc;
		size = get_be32(mark) & ~MARK_LAST;
		if (size > cap - used)
			return err_set(EMSGSIZE, "reply of %zu bytes or more, room for %zu",
				       used + size, cap);
		rc = rpc_tcp_recv(fd, buf + used, size, deadline);
		if (rc)
			return rc;
		used += size;
		if (get_be32(mark) & MARK_LAST) {
			*len = used;
			return 0;
		}
	}
	return err_set(EBADMSG, "reply in more than %d fragments", FRAGMENTS_MAX);
}

int rpc_tcp_call(int fd, struct rpc_tcp_exchange *exchange, uint64_t deadline)
{
	uint8_t head[MARK_LEN + CALL_MAX];
	struct rpc_reply reply;
	struct iovec iov[2];
	struct reader r;
	struct writer w;
	unsigned int i;
	size_t len = 0;
	int rc;

	writer_init(&w, head + MARK_LEN, CALL_MAX);
	rpc_call_encode(&w, exchange->call);
	if (w.bad || exchange->args_len > INT32_MAX - w.len)
		return err_set(EMSGSIZE, "call with %zu bytes of arguments", exchange->args_len);
	put_be32(head, MARK_LAST | (uint32_t)(w.len + exchange->args_len));
	iov[0] = (struct iovec){ head, MARK_LEN + w.len };
	iov[1] = (struct iovec){ (void *)exchange->args, exchange->args_len };
	rc = tcp_send(fd, iov, ARRAY_SIZE(iov), deadline);
	if (rc)
		return rc;
	/* A server that answers twice sends replies to earlier calls. */
	for (i = 0; i < RECORDS_MAX; i++) {
		rc = rpc_tcp_recv_record(fd, exchange->buf, exchange->cap, &len, deadline);
		if (rc)
			return rc;
		if (len >= 4 && get_be32(exchange->buf) != exchange->call->xid)
			continue;
		reader_init(&r, exchange->buf, len);
		rc = rpc_reply_decode(&reply, &r);
		if (!rc)
			rc = rpc_reply_check(&reply);
		if (rc)
			return rc;
		exchange->results = r.p;
		exchange->results_len = reader_left(&r);
		return 0;
	}
	return err_set(EBADMSG, "%d replies, none of them to our call", RECORDS_MAX);
}

/* Binds @from, or the wildcard address if it is NULL. */
static int rpc_tcp_bind(int fd, sa_family_t family, const struct transport_address *from,
			uint16_t port)
{
	struct transport_address at = { 0 };

	at.addr.ss_family = family;
	at.len = family == AF_INET6 ? sizeof(struct sockaddr_in6) : sizeof(struct sockaddr_in);
	if (from)
		at = *from;
	transport_set_port(&at, port);
	return bind(fd, (struct sockaddr *)&at.addr, at.len) ? -errno : 0;
}

/* One attempt, from local port @port, 0 for any. */
static int rpc_tcp_connect_from(int *out, const struct transport_address *to,
				const struct transport_address *from, uint16_t port,
				uint64_t deadline)
{
	_cleanup_close_ int fd = -1;
	socklen_t len = sizeof(int);
	int one = 1, error = 0, rc;

	fd = socket(to->addr.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return err_sys("socket");
	/* A call is one small write, so do not delay it. Without this option calls are only
	 * slower. */
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	rc = port || from ? rpc_tcp_bind(fd, to->addr.ss_family, from, port) : 0;
	if (rc)
		return err_set(-rc, "bind port %u: %s", port, strerrordesc_np(-rc));
	if (connect(fd, (const struct sockaddr *)&to->addr, to->len)) {
		if (errno != EINPROGRESS)
			return err_set(errno, "%s", strerrordesc_np(errno));
		rc = rpc_tcp_wait(fd, POLLOUT, deadline);
		if (rc == -ETIMEDOUT)
			return err_set(ETIMEDOUT, "no answer before the deadline");
		if (rc)
			return rc;
		if (getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &len))
			return err_sys("SO_ERROR");
		if (error)
			return err_set(error, "%s", strerrordesc_np(error));
	}
	*out = take_fd(&fd);
	return 0;
}

/* Tries each reserved port once, from a random one downward. A port may be in use, by a listener
 * (bind fails) or by an old connection to the same peer (connect fails). */
static int rpc_tcp_connect_reserved(int *out, const struct transport_address *to,
				    const struct transport_address *from, uint64_t deadline)
{
	const unsigned int ports = PORT_HIGH - PORT_LOW + 1;
	unsigned int start = (unsigned int)random_number(), i;
	int rc = -EADDRINUSE;

	for (i = 0; i < ports; i++) {
		rc = rpc_tcp_connect_from(out, to, from, PORT_HIGH - (start % ports + i) % ports,
					  deadline);
		if (rc != -EADDRINUSE && rc != -EADDRNOTAVAIL)
			return rc;
		if (!deadline_left(deadline))
			return err_set(ETIMEDOUT, "no answer before the deadline");
	}
	return rc;
}

int rpc_tcp_connect(int *fd, const struct transport_address *to, struct rpc_tcp_source *source,
		    uint64_t deadline)
{
	struct rpc_tcp_source any = { .from = NULL };
	char text[80];
	int rc;

	source = source ? source : &any;
	rc = source->reserved ? rpc_tcp_connect_reserved(fd, to, source->from, deadline)
			      : rpc_tcp_connect_from(fd, to, source->from, 0, deadline);
	/* Not permitted, or none free: the server may accept an ordinary port. */
	if (source->reserved && (rc == -EACCES || rc == -EADDRINUSE || rc == -EADDRNOTAVAIL)) {
		source->reserved = false;
		rc = rpc_tcp_connect_from(fd, to, source->from, 0, deadline);
	}
	if (rc)
		return err_context(rc, "connect to %s",
				   transport_address_text(to, text, sizeof(text)));
	return 0;
}
