/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The listeners. Connections are accepted while there is room for them to wait (connections.c);
 * when descriptors, memory or threads run out, accepting pauses. */
#include <poll.h>

#include "rpcrdma/server/internal.h"

#define PAUSE_MS 100

struct server {
	struct server_options options;
	struct transport *rdma;
	int tcp[LISTEN_COUNT]; /* [LISTEN_RDMA] stays -1 */
	struct server_ports ports;
	struct connections *connections;
};

/* Accepting */

/* -errno when a resource runs out; the failure of one connection is not an error. */
static int server_accept(struct server *server, enum server_listener which)
{
	struct transport *t = NULL;
	int fd = -1, rc;

	if (which == LISTEN_RDMA) {
		rc = server->rdma->ops->accept(server->rdma, &t);
	} else {
		fd = accept4(server->tcp[which], NULL, NULL, SOCK_CLOEXEC);
		rc = fd < 0 ? -errno : 0;
	}
	if (!rc)
		connections_take(server->connections, which, t, fd);
	switch (rc) {
	case -EMFILE:
	case -ENFILE:
	case -ENOBUFS:
	case -ENOMEM: return rc;
	default: return 0; /* EAGAIN: the peer gave up meanwhile */
	}
}

int server_run(struct server *server, int stop_fd)
{
	enum { ENDED = LISTEN_COUNT, STOP, FDS };
	struct connections *connections = server->connections;
	struct pollfd fds[FDS];
	bool pause = false;
	unsigned int i;
	int n, rc = 0;

	for (i = 0; i < FDS; i++)
		fds[i].events = POLLIN;
	fds[ENDED].fd = connections_ended_fd(connections);
	fds[STOP].fd = stop_fd;
	for (;;) {
		for (i = 0; i < LISTEN_COUNT; i++)
			fds[i].fd = pause || connections_are_full(connections, i) ? -1
				    : i == LISTEN_RDMA                            ? server->rdma->fd
										  : server->tcp[i];
		n = poll(fds, FDS,
			 pause                           ? PAUSE_MS
			 : connections_wait(connections) ? SERVER_WAKE_MS
							 : -1);
		pause = false;
		if (n < 0 && errno != EINTR)
			rc = err_sys("poll");
		if (rc || (n > 0 && fds[STOP].revents))
			break;
		for (i = 0; i < LISTEN_COUNT && n > 0; i++)
			if (fds[i].revents && server_accept(server, i) < 0)
				pause = true;
		if (connections_admit(connections) < 0)
			pause = true;
	}
	connections_stop(connections);
	return rc;
}

/* Opening */

static int server_listen(struct server *server)
{
	const struct server_options *o = &server->options;
	struct transport_address at;
	int rc;

	rc = o->transport->listen(&server->rdma, &o->listen);
	if (rc)
		return rc;
	at = server->rdma->local;
	server->ports.rdma = transport_port(&at);
	if (o->no_tcp)
		return 0;
	rc = stream_listen(&server->tcp[LISTEN_NFS], &at, o->nfs_port, &server->ports.nfs);
	if (rc || !o->exp)
		return rc;
	return stream_listen(&server->tcp[LISTEN_MOUNT], &at, o->mount_port, &server->ports.mount);
}

int server_open(struct server **out, const struct server_options *options)
{
	struct server *server = calloc(1, sizeof(*server));
	size_t i;
	int rc;

	if (!server)
		return err_no_memory();
	server->options = *options;
	for (i = 0; i < LISTEN_COUNT; i++)
		server->tcp[i] = -1;
	fault_prepare(options->faults, options->exp);
	rc = connections_new(&server->connections, &server->options);
	if (!rc)
		rc = nfs4_state_new(&server->options.nfs4);
	if (!rc)
		rc = server_listen(server);
	if (rc)
		server_close(server);
	else
		*out = server;
	return rc;
}

void server_ports(const struct server *server, struct server_ports *ports)
{
	*ports = server->ports;
}

void server_close(struct server *server)
{
	size_t i;

	if (!server)
		return;
	transport_close_p(&server->rdma);
	for (i = 0; i < LISTEN_COUNT; i++)
		if (server->tcp[i] >= 0)
			close(server->tcp[i]);
	connections_free(server->connections);
	nfs4_state_free(server->options.nfs4);
	free(server);
}
