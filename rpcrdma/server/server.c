/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Listeners, and a thread for each connection.
 *
 * Their number is bounded; further connections are closed at once, which a client detects sooner
 * than a silent connection. When descriptors or memory run out, accepting pauses. To stop, the
 * server shuts down the sockets, and their threads then exit. */
#include <poll.h>

#include "rpcrdma/server/internal.h"

#define PAUSE_MS 100

enum server_listener { LISTEN_RDMA, LISTEN_NFS, LISTEN_MOUNT, LISTEN_COUNT };

struct server_connection {
	struct server *server;
	bool used; /* has a thread; accepting thread only */
	pthread_t thread;
	atomic_bool done; /* the thread is about to end */
	struct sockaddr_storage peer;
	struct transport *t; /* RDMA, or NULL */
	int fd;              /* under the lock: to be shut down; -1 when closed */
};

struct server {
	struct server_options options;
	struct transport *rdma;
	int tcp[LISTEN_COUNT]; /* [LISTEN_RDMA] stays -1 */
	struct server_ports ports;
	atomic_bool stop;
	pthread_mutex_t lock;
	struct server_connection connections[SERVER_CONNECTIONS];
};

/* Connections */

static void server_connection_close(struct server_connection *c)
{
	int fd;

	/* Cleared before the close: the number may be reused, and must not be shut down then. */
	pthread_mutex_lock(&c->server->lock);
	fd = c->fd;
	c->fd = -1;
	pthread_mutex_unlock(&c->server->lock);
	if (c->t)
		transport_close_p(&c->t);
	else if (fd >= 0)
		close(fd);
}

static void *server_connection_run(void *arg)
{
	struct server_connection *c = arg;
	const struct server_options *options = &c->server->options;
	int rc;

	rc = c->t ? rdma_serve(c->t, options, &c->server->stop)
		  : stream_serve(c->fd, options, &c->server->stop);
	debug(DEBUG_SERVER, "%s connection ended: %s", c->t ? "RDMA" : "TCP",
	      rc ? err_text() : "stopped");
	server_connection_close(c);
	atomic_store(&c->done, true);
	return NULL;
}

/* A free entry for a connection, after reaping finished ones; NULL: none is free, or the peer has
 * reached its limit. */
static struct server_connection *server_slot(struct server *server,
					     const struct sockaddr_storage *peer)
{
	struct server_connection *free_slot = NULL;
	unsigned int theirs = 0;
	size_t i;

	for (i = 0; i < SERVER_CONNECTIONS; i++) {
		struct server_connection *c = &server->connections[i];

		if (c->used && atomic_load(&c->done)) {
			pthread_join(c->thread, NULL);
			c->used = false;
		}
		if (!c->used)
			free_slot = c;
		else
			theirs += transport_same_host((const struct sockaddr *)&c->peer,
						      (const struct sockaddr *)peer);
	}
	return theirs < SERVER_PER_PEER ? free_slot : NULL;
}

/* Takes one of @t and @fd. -errno of pthread_create(3): EAGAIN when threads run out. */
static int server_connection_start(struct server *server, struct transport *t, int fd)
{
	struct sockaddr_storage peer = { .ss_family = AF_UNSPEC };
	struct server_connection *c = NULL;
	socklen_t len = sizeof(peer);
	bool allowed;
	int rc;

	/* An unknown peer has an unspecified family, which equals no other. */
	if (t)
		peer = t->peer.addr;
	else if (getpeername(fd, (struct sockaddr *)&peer, &len))
		peer.ss_family = AF_UNSPEC;
	/* The peer is this host if its kernel connects to itself. */
	allowed = !server->options.own_host ||
		  transport_same_host(
			  (const struct sockaddr *)&peer,
			  (const struct sockaddr *)&server->options.listen.addr);
	if (allowed)
		c = server_slot(server, &peer);
	if (!c) {
		transport_close_p(&t);
		if (fd >= 0)
			close(fd);
		debug(DEBUG_SERVER, "closed: %s",
		      allowed ? "too many connections" : "it is another host");
		return 0;
	}
	c->server = server;
	c->t = t;
	c->fd = t ? t->fd : fd;
	c->peer = peer;
	atomic_store(&c->done, false);
	rc = pthread_create(&c->thread, NULL, server_connection_run, c);
	if (rc) {
		server_connection_close(c);
		return err_set(rc, "thread for a connection: %s", strerrordesc_np(rc));
	}
	c->used = true;
	return 0;
}

static void server_stop_connections(struct server *server)
{
	size_t i;

	atomic_store(&server->stop, true);
	pthread_mutex_lock(&server->lock);
	for (i = 0; i < SERVER_CONNECTIONS; i++)
		if (server->connections[i].used && server->connections[i].fd >= 0)
			shutdown(server->connections[i].fd, SHUT_RDWR);
	pthread_mutex_unlock(&server->lock);
	for (i = 0; i < SERVER_CONNECTIONS; i++) {
		if (!server->connections[i].used)
			continue;
		pthread_join(server->connections[i].thread, NULL);
		server->connections[i].used = false;
	}
}

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
	if (rc == -EAGAIN)
		return 0; /* the peer gave up meanwhile */
	if (!rc)
		rc = server_connection_start(server, t, fd);
	switch (rc) {
	case -EMFILE:
	case -ENFILE:
	case -ENOBUFS:
	case -ENOMEM:
	case -EAGAIN: return rc;
	default: return 0;
	}
}

int server_run(struct server *server, int stop_fd)
{
	struct pollfd fds[LISTEN_COUNT + 1];
	bool pause = false;
	unsigned int i;
	int n, rc = 0;

	fds[LISTEN_COUNT] = (struct pollfd){ .fd = stop_fd, .events = POLLIN };
	for (;;) {
		for (i = 0; i < LISTEN_COUNT; i++)
			fds[i] = (struct pollfd){
				.fd = pause              ? -1
				      : i == LISTEN_RDMA ? server->rdma->fd
							 : server->tcp[i],
				.events = POLLIN,
			};
		n = poll(fds, ARRAY_SIZE(fds), pause ? PAUSE_MS : -1);
		pause = false;
		if (n < 0 && errno != EINTR)
			rc = err_sys("poll");
		if (rc || (n > 0 && fds[LISTEN_COUNT].revents))
			break;
		for (i = 0; i < LISTEN_COUNT && n > 0; i++)
			if (fds[i].revents && server_accept(server, i) < 0)
				pause = true;
	}
	server_stop_connections(server);
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
	rc = stream_listen(&server->tcp[LISTEN_NFS], &at, o->nfs_port,
			   &server->ports.nfs);
	if (rc || !o->exp)
		return rc;
	return stream_listen(&server->tcp[LISTEN_MOUNT], &at, o->mount_port,
			     &server->ports.mount);
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
	for (i = 0; i < SERVER_CONNECTIONS; i++)
		server->connections[i].fd = -1;
	pthread_mutex_init(&server->lock, NULL);
	fault_prepare(options->faults, options->exp);
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
	pthread_mutex_destroy(&server->lock);
	nfs4_state_free(server->options.nfs4);
	free(server);
}
