/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Opens both ends of a connection in one process; a thread does the connecting. */
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>

#include "tests/support/transport-pair.h"

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
	p->deadline = deadline_in(20000);
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
	struct transport_address any = pair_loopback();
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
