/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The baseline for a server on this host: a TCP connection over loopback to a thread that sends
 * the requested data, from and to memory of the same size as the other side uses. It uses only
 * send() and recv() on blocking sockets, as a simple program does.
 *
 * The tuned stream goes to the same thread by the connection whose settings, tried for a moment, are
 * fastest. */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/socket.h>

#include "rpcrdma/probe/bench-internal.h"

#define WAIT_S   10 /* the thread is our own, so longer silence is an error */
#define PING_MAX 4096

#define KIB       1024
#define MIB       (1024 * KIB)
#define TUNE_SIZE (16 * MIB) /* the first stream, which tells how much fills a sample */

/* The connections: with the kernel's own settings first. Reno is in every kernel, and does not
 * pace as the default may do. */
static const struct {
	int buffer;             /* SO_SNDBUF and SO_RCVBUF; 0: the kernel's */
	const char *congestion; /* NULL: the kernel's */
} bench_tcp_connections[] = {
	{ 0, NULL },           { 256 * KIB, NULL }, { MIB, NULL },       { 0, "reno" },
	{ 256 * KIB, "reno" }, { MIB, "reno" },     { 4 * MIB, "reno" },
};

#define CONNECTIONS ARRAY_SIZE(bench_tcp_connections)

static const uint32_t bench_tcp_chunks[] = { 256 * KIB, MIB };

/* How a stream is sent. */
struct bench_tcp_settings {
	uint32_t connection;
	uint32_t chunk; /* bytes for each send() and at most each recv() */
};

/* A request to the thread. */
struct bench_tcp_order {
	uint64_t bytes; /* bytes of a stream; 0: an exchange of messages */
	struct bench_tcp_settings settings;
	uint32_t count; /* of exchanges */
	uint32_t ask, answer;
};

/* The other side. */
struct bench_tcp_task {
	int fds[CONNECTIONS]; /* its ends */
	size_t source_len;
};

struct bench_tcp {
	int fds[CONNECTIONS]; /* the first also for orders and exchanges */
	struct bench_tcp_task task;
	pthread_t thread;
	bool running;
	struct bench_tcp_settings fastest;
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

/* The thread */

static int bench_tcp_serve_stream(const struct bench_tcp_task *task, const uint8_t *source,
				  const struct bench_tcp_order *o)
{
	uint64_t bytes = o->bytes;
	size_t at = 0, part;
	int rc = 0;

	for (; bytes && !rc; bytes -= part) {
		part = min_u64(bytes, min_u64(o->settings.chunk, task->source_len - at));
		rc = bench_tcp_send(task->fds[o->settings.connection], source + at, part);
		at = (at + part) % task->source_len;
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

static void bench_tcp_serve_orders(const struct bench_tcp_task *task, uint8_t *source)
{
	struct bench_tcp_order o;
	int rc = 0;

	/* Touch every page, because the other side's file is in memory too. */
	memset(source, 0x5a, task->source_len);
	while (!rc && !bench_tcp_receive(task->fds[0], &o, sizeof(o)) &&
	       o.settings.connection < CONNECTIONS)
		rc = o.bytes ? bench_tcp_serve_stream(task, source, &o)
			     : bench_tcp_serve_exchange(task->fds[0], &o);
}

static void *bench_tcp_serve(void *arg)
{
	const struct bench_tcp_task *task = arg;
	uint8_t *source = malloc(task->source_len);
	size_t i;

	if (source)
		bench_tcp_serve_orders(task, source);
	for (i = 0; i < CONNECTIONS; i++)
		shutdown(task->fds[i], SHUT_RDWR);
	free(source);
	return NULL;
}

/* This side */

/* A setting that this machine does not permit has no effect. */
static void bench_tcp_apply(int fd, size_t connection)
{
	const char *congestion = bench_tcp_connections[connection].congestion;
	int buffer = bench_tcp_connections[connection].buffer;

	if (buffer) {
		setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &buffer, sizeof(buffer));
		setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &buffer, sizeof(buffer));
	}
	if (congestion)
		setsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, congestion,
			   (socklen_t)strlen(congestion));
}

/* Both ends are created here: no other process can connect. */
static int bench_tcp_pair(int pair[2], size_t connection)
{
	struct sockaddr_in at = { .sin_family = AF_INET,
				  .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	struct sockaddr_in mine, peer;
	socklen_t len = sizeof(at), mine_len = sizeof(mine), peer_len = sizeof(peer);
	_cleanup_close_ int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	struct sockaddr *a = (struct sockaddr *)&at;
	struct timeval wait = { .tv_sec = WAIT_S };
	int i, on = 1;

	/* Before the handshake, which fixes the window's scale; the accepted socket inherits
	 * them. */
	if (listener >= 0)
		bench_tcp_apply(listener, connection);
	if (listener < 0 || bind(listener, a, len) || listen(listener, 1) ||
	    getsockname(listener, a, &len))
		return err_sys("a TCP baseline");
	pair[0] = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (pair[0] >= 0)
		bench_tcp_apply(pair[0], connection);
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
	if (setsockopt(pair[0], SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof(wait)))
		return err_sys("a TCP baseline");
	return 0;
}

static int bench_tcp_start(struct bench_tcp *t, size_t source_len)
{
	size_t n;
	int rc = 0;

	t->task.source_len = source_len;
	for (n = 0; n < CONNECTIONS && !rc; n++) {
		int pair[2] = { -1, -1 };

		rc = bench_tcp_pair(pair, n);
		t->fds[n] = pair[0];
		t->task.fds[n] = pair[1];
	}
	if (rc)
		return rc;
	rc = pthread_create(&t->thread, NULL, bench_tcp_serve, &t->task);
	if (rc)
		return err_set(rc, "a thread for the TCP baseline: %s", strerror(rc));
	t->running = true;
	return 0;
}

static void bench_tcp_close(void *arg)
{
	struct bench_tcp *t = arg;
	size_t i;

	for (i = 0; i < CONNECTIONS; i++)
		if (t->fds[i] >= 0)
			close(t->fds[i]);
	/* It waits for, or sends to, one of them. */
	if (t->running)
		pthread_join(t->thread, NULL);
	for (i = 0; i < CONNECTIONS; i++)
		if (t->task.fds[i] >= 0)
			close(t->task.fds[i]);
	free(t);
}

static int bench_tcp_stream_by(struct bench_tcp *t, const struct bench_tcp_settings *by,
			       uint64_t bytes, double *took)
{
	struct bench_tcp_order o = { .bytes = bytes, .settings = *by };
	uint64_t left = o.bytes, start = now_ns();
	size_t at = 0;
	ssize_t n;
	int rc = bench_tcp_send(t->fds[0], &o, sizeof(o));

	for (; left && !rc; left -= (uint64_t)n) {
		n = recv(t->fds[by->connection], t->region + at,
			 min_u64(left, min_u64(by->chunk, t->region_len - at)), 0);
		if (n <= 0)
			return n ? err_sys("the TCP baseline")
				 : err_set(EPIPE, "the TCP baseline ended");
		at = (at + (size_t)n) % t->region_len;
	}
	*took = (double)(now_ns() - start) / 1e9;
	return rc;
}

static int bench_tcp_stream(void *arg, uint32_t count, uint32_t length, double *took)
{
	static const struct bench_tcp_settings plain = { .chunk = MIB };

	return bench_tcp_stream_by(arg, &plain, (uint64_t)count * length, took);
}

static int bench_tcp_tuned(void *arg, uint32_t count, uint32_t length, double *took)
{
	struct bench_tcp *t = arg;

	return bench_tcp_stream_by(t, &t->fastest, (uint64_t)count * length, took);
}

/* "1024 KiB buffers, 256 KiB sends, reno" */
static void bench_tcp_settings_text(const struct bench_tcp_settings *by, char *buf, size_t cap)
{
	const char *congestion = bench_tcp_connections[by->connection].congestion;
	int buffer = bench_tcp_connections[by->connection].buffer;
	char size[32] = "default";

	if (buffer)
		snprintf(size, sizeof(size), "%d KiB", buffer / KIB);
	snprintf(buf, cap, "%s buffers, %u KiB sends, %s", size, by->chunk / KIB,
		 congestion ? congestion : "default congestion control");
}

static int bench_tcp_tune(void *arg, double seconds, char *settings, size_t cap)
{
	struct bench_tcp_settings by = { .chunk = MIB };
	struct bench_tcp *t = arg;
	double took = 0, least = 0;
	uint64_t bytes;
	size_t i;
	int rc = bench_tcp_stream_by(t, &by, TUNE_SIZE, &took);

	if (rc)
		return rc;
	bytes = took > 0 ? (uint64_t)(TUNE_SIZE * seconds / took) + 1 : TUNE_SIZE;
	for (; by.connection < CONNECTIONS && !rc; by.connection++) {
		/* Not counted: buffers and congestion windows grow. */
		rc = bench_tcp_stream_by(t, &by, bytes, &took);
		for (i = 0; i < ARRAY_SIZE(bench_tcp_chunks) && !rc; i++) {
			by.chunk = bench_tcp_chunks[i];
			rc = bench_tcp_stream_by(t, &by, bytes, &took);
			if (rc || (least > 0 && took >= least))
				continue;
			least = took;
			t->fastest = by;
		}
	}
	bench_tcp_settings_text(&t->fastest, settings, cap);
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
	int rc = bench_tcp_send(t->fds[0], &o, sizeof(o));
	uint64_t start = now_ns();
	uint32_t i;

	for (i = 0; i < count && !rc; i++) {
		rc = bench_tcp_send(t->fds[0], buf, o.ask);
		if (!rc)
			rc = bench_tcp_receive(t->fds[0], buf, o.answer);
	}
	*took = (double)(now_ns() - start) / 1e9;
	return rc;
}

int bench_tcp_open(struct bench_baseline *out, uint8_t *region, size_t region_len,
		   size_t source_len)
{
	struct bench_tcp *t = calloc(1, sizeof(*t));
	size_t i;
	int rc;

	if (!t)
		return err_no_memory();
	for (i = 0; i < CONNECTIONS; i++)
		t->fds[i] = t->task.fds[i] = -1;
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
					.tune = bench_tcp_tune,
					.tuned = bench_tcp_tuned,
					.close = bench_tcp_close,
					.arg = t };
	return 0;
}
