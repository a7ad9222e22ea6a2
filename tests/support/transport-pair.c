/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Opens both ends of a connection in one process; a thread does the connecting. */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>

#include "tests/support/patience.h"
#include "tests/support/transport-loop.h"
#include "tests/support/transport-pair.h"

const struct transport_ops *const *pair_transports(void)
{
	static const struct transport_ops *const software[] = { &transport_iwarp, &transport_loop,
								NULL };
	static const struct transport_ops *named[2];
	const char *name = getenv("NFSRDMA_TEST_TRANSPORT");

	debug_init();
	if (!name || !*name)
		return software;
	named[0] = transport_find(name);
	if (!named[0]) {
		fprintf(stderr, "NFSRDMA_TEST_TRANSPORT=%s: there is no such transport\n", name);
		exit(2);
	}
	return named;
}

struct transport_address pair_address(const struct transport_ops *ops)
{
	struct transport_address a = pair_loopback();
	const char *text = getenv("NFSRDMA_TEST_ADDRESS");

	if (ops == &transport_verbs && text &&
	    transport_resolve(text, 0, &a, 1, deadline_in(PATIENCE_MS)) < 0) {
		fprintf(stderr, "NFSRDMA_TEST_ADDRESS=%s: %s\n", text, err_text());
		exit(2);
	}
	return a;
}

unsigned int pair_can(const struct transport_ops *ops)
{
	static const struct transport_param param;
	struct transport_address at = pair_address(ops);
	struct transport_route route;

	if (ops != &transport_verbs)
		return PAIR_SEES | PAIR_INVALIDATES | PAIR_PRIVATE_LONG | PAIR_OVERRUN_ENDS |
		       PAIR_NAMES_CULPRIT | PAIR_STRICT_READS;
	if (ops->route(&at, &param, &route, deadline_in(PATIENCE_MS)))
		return 0;
	return strstr(route.text, "iWARP") ? PAIR_OVERRUN_ENDS
					   : PAIR_NAMES_CULPRIT | PAIR_STRICT_READS;
}

const char *pair_can_text(enum pair_can what)
{
	static const struct {
		enum pair_can what;
		const char *text;
	} rows[] = {
		{ PAIR_SEES, "an adapter does not tell what the peer does" },
		{ PAIR_INVALIDATES, "plain regions are not invalidated by the peer" },
		{ PAIR_PRIVATE_LONG, "private data are short, and padded" },
		{ PAIR_OVERRUN_ENDS, "a Send without a Receive is repeated" },
		{ PAIR_STRICT_READS, "soft-iWARP answers more Reads than it is told to" },
		{ PAIR_NAMES_CULPRIT, "the end of a connection does not say who began it" },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++)
		if (rows[i].what == what)
			return rows[i].text;
	return "";
}

struct transport_address pair_loopback(void)
{
	struct transport_address a = { .len = sizeof(struct sockaddr_in) };
	struct sockaddr_in *in = (struct sockaddr_in *)&a.addr;

	in->sin_family = AF_INET;
	in->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	return a;
}

void pair_init(struct pair *p, const struct transport_ops *ops)
{
	static const struct transport_param usual = {
		.recv_depth = 4, .recv_size = 4096, .ird = 4, .ord = 4
	};

	memset(p, 0, sizeof(*p));
	p->ops = ops;
	p->client_param = usual;
	p->server_param = usual;
	p->deadline = deadline_in(PATIENCE_MS);
}

static void *pair_connect(void *arg)
{
	struct pair *p = arg;

	p->connected = p->ops->connect(&p->client, &p->listener->local, &p->client_param,
				       p->deadline);
	return NULL;
}

static int pair_accept(struct pair *p)
{
	struct pollfd fd = { .fd = p->listener->fd, .events = POLLIN };
	int rc;

	if (poll(&fd, 1, deadline_left(p->deadline)) != 1)
		return -ETIMEDOUT;
	rc = p->ops->accept(p->listener, &p->server);
	return rc ? rc : p->ops->establish(p->server, &p->server_param, p->deadline);
}

int pair_open(struct pair *p)
{
	struct transport_address any = pair_address(p->ops);
	pthread_t thread;
	int rc;

	rc = p->ops->listen(&p->listener, &any);
	if (rc)
		return rc;
	if (pthread_create(&thread, NULL, pair_connect, p))
		return -EAGAIN;
	rc = pair_accept(p);
	pthread_join(thread, NULL);
	return rc ? rc : p->connected;
}

void pair_close(struct pair *p)
{
	transport_close_p(&p->client);
	transport_close_p(&p->server);
	transport_close_p(&p->listener);
}

int pair_send(struct transport *t, const void *data, size_t len, uint64_t deadline)
{
	struct iovec iov = { .iov_base = (void *)(uintptr_t)data, .iov_len = len };

	return t->ops->send(t, &iov, 1, 0, 0, deadline);
}
