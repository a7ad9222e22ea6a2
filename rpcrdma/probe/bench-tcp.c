/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The baseline for a server on this host: a TCP connection over loopback to a child that sends
 * the requested data, from and to memory of the same size as the other side uses. It uses only
 * send() and recv() on blocking sockets, as a simple program does. */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <sys/socket.h>

#include "rpcrdma/child/child.h"
#include "rpcrdma/probe/bench-internal.h"

#define CHUNK    (1u << 20)
#define WAIT_S   10 /* the child is our own, so longer silence is an error */
#define PING_MAX 4096

/* A request to the child. */
struct bench_tcp_order {
	uint64_t bytes; /* bytes of a stream; 0: an exchange of messages */
	uint32_t count; /* of exchanges */
	uint32_t ask, answer;
};

struct bench_tcp {
	int fd;
	struct child child;
	uint8_t *region; /* received data; borrowed */
	size_t region_len;
};

static int bench_tcp_send(int fd, const void *buf, size_t len)
{
	const uint8_t *p = buf;
	ssize_t n;

	for (; len; p += n, len -= (size_t)n) {
		n = send(fd, p, len, MSG_NOSIGNAL);
		if (n < 0 && errno == EINTR)
			n = 0;
		if (n < 0)
			return err_sys("sending to the TCP baseline");
	}
	return 0;
}

static int bench_tcp_receive(int fd, void *buf, size_t len)
{
	uint8_t *p = buf;
	ssize_t n;

	for (; len; p += n, len -= (size_t)n) {
		n = recv(fd, p, len, 0);
		if (n < 0 && errno == EINTR)
			n = 0;
		else if (n < 0)
			return err_sys("the TCP baseline");
		else if (!n)
			return err_set(EPIPE, "the TCP baseline ended");
	}
	return 0;
}

/* The child */

static int bench_tcp_serve_stream(int fd, const uint8_t *source, size_t source_len,
				  uint64_t bytes)
{
	size_t at = 0, part;
	int rc = 0;

	for (; bytes && !rc; bytes -= part) {
		part = min_u64(bytes, min_u64(CHUNK, source_len - at));
		rc = bench_tcp_send(fd, source + at, part);
		at = (at + part) % source_len;
	}
	return rc;
}

static int bench_tcp_serve_exchange(int fd, const struct bench_tcp_order *o)
{
	uint8_t buf[PING_MAX] = { 0 };
	uint32_t i;
	int rc = 0;

	for (i = 0; i < o->count && !rc; i++) {
		rc = bench_tcp_receive(fd, buf, o->ask);
		if (!rc)
			rc = bench_tcp_send(fd, buf, o->answer);
	}
	return rc;
}

struct bench_tcp_task {
	int server; /* the child's end */
	size_t source_len;
};

static int bench_tcp_serve(void *arg, int channel)
{
	const struct bench_tcp_task *task = arg;
	uint8_t *source = malloc(task->source_len);
	struct bench_tcp_order o;
	int rc = source ? 0 : -ENOMEM;

	(void)channel;
	/* Touch every page, because the other side's file is in memory too. */
	if (source)
		memset(source, 0x5a, task->source_len);
	while (!rc && !bench_tcp_receive(task->server, &o, sizeof(o)))
		rc = o.bytes ? bench_tcp_serve_stream(task->server, source,
						      task->source_len, o.bytes)
			     : bench_tcp_serve_exchange(task->server, &o);
	return 0;
}

/* This side */

/* Both ends are created here, before the fork: no other process can connect. */
static int bench_tcp_pair(int pair[2])
{
	struct sockaddr_in at = { .sin_family = AF_INET,
				  .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	struct sockaddr_in mine, peer;
	socklen_t len = sizeof(at), mine_len = sizeof(mine), peer_len = sizeof(peer);
	_cleanup_close_ int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	struct sockaddr *a = (struct sockaddr *)&at;
	int i, on = 1;

	if (listener < 0 || bind(listener, a, len) || listen(listener, 1) ||
	    getsockname(listener, a, &len))
		return err_sys("a TCP baseline");
	pair[0] = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (pair[0] < 0 || connect(pair[0], a, len))
		return err_sys("a TCP baseline");
	pair[1] = accept4(listener, (struct sockaddr *)&peer, &peer_len, SOCK_CLOEXEC);
	if (pair[1] < 0 || getsockname(pair[0], (struct sockaddr *)&mine, &mine_len))
		return err_sys("a TCP baseline");
	if (mine.sin_port != peer.sin_port)
		return err_set(EBUSY, "another process connected to the TCP baseline");
	for (i = 0; i < 2; i++)
		if (setsockopt(pair[i], IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on)))
			return err_sys("a TCP baseline");
	return 0;
}

static int bench_tcp_start(struct bench_tcp *t, size_t source_len)
{
	struct bench_tcp_task task = { .source_len = source_len };
	const struct child_function function = {
		.kind = CHILD_BASELINE,
		.name = "the TCP baseline",
		.run = bench_tcp_serve,
		.arg = &task,
		.keep = &task.server,
		.nkeep = 1,
	};
	struct timeval wait = { .tv_sec = WAIT_S };
	_cleanup_close_ int ours = -1, theirs = -1;
	int pair[2] = { -1, -1 }, rc;

	rc = bench_tcp_pair(pair);
	ours = pair[0];
	theirs = pair[1];
	if (rc)
		return rc;
	if (setsockopt(ours, SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof(wait)))
		return err_sys("a TCP baseline");
	task.server = theirs;
	rc = child_start(&t->child, &function);
	if (!rc)
		t->fd = take_fd(&ours);
	return rc;
}

static void bench_tcp_close(void *arg)
{
	struct bench_tcp *t = arg;

	if (t->fd >= 0)
		close(t->fd);
	child_finish(&t->child, 0, NULL);
	free(t);
}

static int bench_tcp_stream(void *arg, uint32_t count, uint32_t length, double *took)
{
	struct bench_tcp *t = arg;
	struct bench_tcp_order o = { .bytes = (uint64_t)count * length };
	uint64_t left = o.bytes, start = now_ns();
	size_t at = 0;
	ssize_t n;
	int rc = bench_tcp_send(t->fd, &o, sizeof(o));

	for (; left && !rc; left -= (uint64_t)n) {
		n = recv(t->fd, t->region + at,
			 min_u64(left, min_u64(CHUNK, t->region_len - at)), 0);
		if (n <= 0)
			return n ? err_sys("the TCP baseline")
				 : err_set(EPIPE, "the TCP baseline ended");
		at = (at + (size_t)n) % t->region_len;
	}
	*took = (double)(now_ns() - start) / 1e9;
	return rc;
}

static int bench_tcp_exchange(void *arg, uint32_t count, uint32_t ask, uint32_t answer,
			      double *took)
{
	struct bench_tcp *t = arg;
	struct bench_tcp_order o = { .count = count,
				     .ask = min_u32(ask, PING_MAX),
				     .answer = min_u32(answer, PING_MAX) };
	uint8_t buf[PING_MAX] = { 0 };
	int rc = bench_tcp_send(t->fd, &o, sizeof(o));
	uint64_t start = now_ns();
	uint32_t i;

	for (i = 0; i < count && !rc; i++) {
		rc = bench_tcp_send(t->fd, buf, o.ask);
		if (!rc)
			rc = bench_tcp_receive(t->fd, buf, o.answer);
	}
	*took = (double)(now_ns() - start) / 1e9;
	return rc;
}

int bench_tcp_open(struct bench_baseline *out, uint8_t *region, size_t region_len,
		   size_t source_len)
{
	struct bench_tcp *t = calloc(1, sizeof(*t));
	int rc;

	if (!t)
		return err_sys("memory for a TCP baseline");
	t->fd = -1;
	t->child = CHILD_NONE;
	t->region = region;
	t->region_len = region_len;
	rc = bench_tcp_start(t, source_len);
	if (rc) {
		bench_tcp_close(t);
		return rc;
	}
	*out = (struct bench_baseline){ .name = "a plain TCP connection over loopback",
					.stream = bench_tcp_stream,
					.exchange = bench_tcp_exchange,
					.close = bench_tcp_close,
					.arg = t };
	return 0;
}
