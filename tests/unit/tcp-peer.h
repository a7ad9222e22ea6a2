/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* A TCP peer in a thread of its own, which serves one connection by a function of the test's.
 * Listening and serving are two steps, for tests that fork before a thread exists. */
#ifndef TESTS_UNIT_TCP_PEER_H
#define TESTS_UNIT_TCP_PEER_H

#include <netinet/in.h>
#include <pthread.h>
#include <sys/socket.h>

#include "rpcrdma/nfs/nfs.h"

struct tcp_peer {
	int listener;
	struct transport_address at;
	pthread_t thread;
	void (*serve)(int fd, void *arg);
	void *arg;
};

/* On the loopback of @family, at a port that the kernel picks. */
static inline int tcp_peer_listen(struct tcp_peer *peer, int family)
{
	struct sockaddr_in *in = (struct sockaddr_in *)&peer->at.addr;
	struct sockaddr_in6 *in6 = (struct sockaddr_in6 *)&peer->at.addr;

	memset(peer, 0, sizeof(*peer));
	peer->at.addr.ss_family = (sa_family_t)family;
	peer->at.len = family == AF_INET6 ? sizeof(*in6) : sizeof(*in);
	if (family == AF_INET6)
		in6->sin6_addr = in6addr_loopback;
	else
		in->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	peer->listener = socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (peer->listener < 0 ||
	    bind(peer->listener, (struct sockaddr *)&peer->at.addr, peer->at.len) ||
	    listen(peer->listener, 1) ||
	    getsockname(peer->listener, (struct sockaddr *)&peer->at.addr, &peer->at.len))
		return -1;
	return 0;
}

static inline void *tcp_peer_main(void *arg)
{
	struct tcp_peer *peer = arg;
	_cleanup_close_ int fd = accept(peer->listener, NULL, NULL);

	if (fd >= 0)
		peer->serve(fd, peer->arg);
	return NULL;
}

static inline void tcp_peer_run(struct tcp_peer *peer, void (*serve)(int fd, void *arg), void *arg)
{
	peer->serve = serve;
	peer->arg = arg;
	if (pthread_create(&peer->thread, NULL, tcp_peer_main, peer))
		abort();
}

static inline void tcp_peer_join(struct tcp_peer *peer)
{
	pthread_join(peer->thread, NULL);
	close(peer->listener);
}

/* What a peer does with its connection; a test that closed its end is no error. */
static inline void peer_send(int fd, const void *buf, size_t len)
{
	const uint8_t *p = buf;
	ssize_t n;

	while (len && (n = send(fd, p, len, MSG_NOSIGNAL)) > 0) {
		p += n;
		len -= (size_t)n;
	}
}

static inline bool peer_recv(int fd, void *buf, size_t len)
{
	return recv(fd, buf, len, MSG_WAITALL) == (ssize_t)len;
}

/* One record of one fragment; returns its length, 0 when the connection ended. */
static inline size_t peer_recv_call(int fd, uint8_t *buf, size_t cap)
{
	uint8_t mark[4];
	size_t len;

	if (!peer_recv(fd, mark, sizeof(mark)))
		return 0;
	len = get_be32(mark) & 0x7fffffff;
	return len <= cap && peer_recv(fd, buf, len) ? len : 0;
}

static inline void peer_send_fragment(int fd, uint32_t mark, const void *buf, size_t len)
{
	uint8_t word[4];

	put_be32(word, mark);
	peer_send(fd, word, sizeof(word));
	peer_send(fd, buf, len);
}

static inline void peer_send_record(int fd, const void *buf, size_t len)
{
	peer_send_fragment(fd, 0x80000000u | (uint32_t)len, buf, len);
}

/* Waits for the other side to close. */
static inline void peer_wait_end(int fd)
{
	uint8_t byte;

	while (recv(fd, &byte, 1, 0) > 0)
		;
}

/* The header of an accepted reply: 24 bytes. */
static inline void peer_reply_header(uint8_t *buf, uint32_t xid, uint32_t accept_stat)
{
	memset(buf, 0, 24);
	put_be32(buf, xid);
	put_be32(buf + 4, 1);
	put_be32(buf + 20, accept_stat);
}

#endif
