/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The connections of a server, each with a thread while it is served.
 *
 * For each listener the number of connections that are served is bounded, in all and for one
 * peer. Further ones wait without a thread, and are served as others end: first those of the
 * peer that has the fewest served, in their order. If too many wait, the newest of the peer
 * that has most of them is closed, so that no peer keeps the others in the listener's backlog.
 * While one waits, a connection in its way that is silent has less time: a kernel client
 * connects again when it needs to.
 *
 * All functions but those of a place are of the accepting thread. To stop, it shuts down the
 * sockets, and their threads then exit. */
#include <sys/eventfd.h>

#include "rpcrdma/server/internal.h"

enum connection_state { CONNECTION_FREE, CONNECTION_WAITS, CONNECTION_SERVED };

struct server_connection {
	struct connections *all;
	enum server_listener listener;
	enum connection_state state;
	uint64_t order; /* of those that wait */
	pthread_t thread;
	atomic_bool done; /* the thread is about to end */
	struct sockaddr_storage peer;
	struct transport *t; /* RDMA, or NULL */
	int fd;              /* under the lock: to be shut down; -1 when closed */
	struct server_place place;
};

struct connections {
	const struct server_options *options;
	unsigned int most[LISTEN_COUNT]; /* that are served */
	unsigned int waiting[LISTEN_COUNT];
	uint64_t taken;
	int ended; /* an eventfd: a thread is about to end */
	atomic_bool stop;
	pthread_mutex_t lock;
	size_t count;
	struct server_connection list[];
};

/* Places */

static uint64_t place_limit(const struct server_place *place, bool wanted)
{
	bool called = atomic_load(&place->called);
	unsigned int ms = called ? SERVER_IDLE_MS : SERVER_FIRST_MS;

	if (wanted)
		ms = called ? SERVER_IDLE_WANTED_MS : SERVER_FIRST_WANTED_MS;
	return atomic_load(&place->since) + ms;
}

void place_begin(struct server_place *place, bool called)
{
	atomic_store(&place->called, called);
	atomic_store(&place->since, now_ms());
}

bool place_is_over(const struct server_place *place)
{
	return !deadline_left(place_limit(place, atomic_load(&place->wanted)));
}

/* One connection */

static bool connection_is(const struct server_connection *c, enum server_listener which,
			  enum connection_state state)
{
	return c->state == state && c->listener == which;
}

static bool connection_same_peer(const struct server_connection *a,
				 const struct server_connection *b)
{
	return transport_same_host((const struct sockaddr *)&a->peer,
				   (const struct sockaddr *)&b->peer);
}

static void connection_close(struct server_connection *c)
{
	int fd;

	/* Cleared before the close: the number may be reused, and must not be shut down then. */
	pthread_mutex_lock(&c->all->lock);
	fd = c->fd;
	c->fd = -1;
	pthread_mutex_unlock(&c->all->lock);
	if (c->t)
		transport_close_p(&c->t);
	else if (fd >= 0)
		close(fd);
}

static void *connection_run(void *arg)
{
	struct server_connection *c = arg;
	const struct server_options *options = c->all->options;
	int rc;

	rc = c->t ? rdma_serve(c->t, options, &c->place) : stream_serve(c->fd, options, &c->place);
	debug(DEBUG_SERVER, "%s connection ended: %s", c->t ? "RDMA" : "TCP",
	      rc ? err_text() : "stopped");
	connection_close(c);
	atomic_store(&c->done, true);
	/* Fails only if the counter is full, and the thread is then woken in any case. */
	eventfd_write(c->all->ended, 1);
	return NULL;
}

/* All of them */

static unsigned int connections_per_peer(const struct connections *all, enum server_listener which)
{
	return (all->most[which] + 1) / 2;
}

/* Those in this state: of @peer's host, or of all if it is NULL. */
static unsigned int connections_number(const struct connections *all, enum server_listener which,
				       enum connection_state state,
				       const struct server_connection *peer)
{
	unsigned int n = 0;
	size_t i;

	for (i = 0; i < all->count; i++)
		n += connection_is(&all->list[i], which, state) &&
		     (!peer || connection_same_peer(&all->list[i], peer));
	return n;
}

static unsigned int connections_served(const struct connections *all,
				       const struct server_connection *peer)
{
	return connections_number(all, peer->listener, CONNECTION_SERVED, peer);
}

/* -errno of pthread_create(3): EAGAIN when threads run out. The connection then waits. */
static int connection_start(struct server_connection *c)
{
	int rc;

	atomic_store(&c->done, false);
	atomic_store(&c->place.wanted, false);
	place_begin(&c->place, false);
	c->place.beside = connections_served(c->all, c) > 0;
	rc = pthread_create(&c->thread, NULL, connection_run, c);
	if (rc)
		return err_set(rc, "thread for a connection: %s", strerrordesc_np(rc));
	c->state = CONNECTION_SERVED;
	c->all->waiting[c->listener]--;
	return 0;
}

static bool connections_peer_is_full(const struct connections *all,
				     const struct server_connection *peer)
{
	return connections_served(all, peer) >= connections_per_peer(all, peer->listener);
}

/* Of those that wait and may be served, the first of the peer that has the fewest served; NULL:
 * none. */
static struct server_connection *connections_next(struct connections *all,
						  enum server_listener which)
{
	unsigned int served = 0, least = connections_per_peer(all, which);
	struct server_connection *next = NULL, *before = NULL;
	size_t i;

	if (connections_number(all, which, CONNECTION_SERVED, NULL) >= all->most[which])
		return NULL;
	for (i = 0; i < all->count; i++) {
		struct server_connection *c = &all->list[i];

		if (!connection_is(c, which, CONNECTION_WAITS))
			continue;
		/* Those of one peer are mostly together. */
		if (!before || !connection_same_peer(before, c))
			served = connections_served(all, c);
		before = c;
		if (served < least || (next && served == least && c->order < next->order)) {
			next = c;
			least = served;
		}
	}
	return next;
}

/* The connection in the way of @waits whose silence reaches the short limit first; NULL: none
 * is left to ask. */
static struct server_connection *connections_in_way(struct connections *all,
						    const struct server_connection *waits)
{
	bool peer_full = connections_peer_is_full(all, waits);
	struct server_connection *found = NULL;
	uint64_t limit, least = UINT64_MAX;
	size_t i;

	for (i = 0; i < all->count; i++) {
		struct server_connection *c = &all->list[i];

		if (!connection_is(c, waits->listener, CONNECTION_SERVED) ||
		    atomic_load(&c->place.wanted) || (peer_full && !connection_same_peer(c, waits)))
			continue;
		limit = place_limit(&c->place, true);
		if (limit < least) {
			least = limit;
			found = c;
		}
	}
	return found;
}

/* Gives as many connections as wait less time for their silence. */
static void connections_ask(struct connections *all, enum server_listener which)
{
	const struct server_connection *none = NULL;
	struct server_connection *c;
	size_t i;

	for (i = 0; i < all->count; i++)
		if (all->list[i].listener == which)
			atomic_store(&all->list[i].place.wanted, false);
	for (i = 0; i < all->count && all->waiting[which]; i++) {
		if (!connection_is(&all->list[i], which, CONNECTION_WAITS) ||
		    (none && connection_same_peer(none, &all->list[i])))
			continue;
		c = connections_in_way(all, &all->list[i]);
		if (c)
			atomic_store(&c->place.wanted, true);
		else
			none = &all->list[i];
	}
}

/* Closes the newest connection of the peer that has most of those that wait. */
static void connections_shed(struct connections *all, enum server_listener which)
{
	struct server_connection *shed = NULL, *before = NULL;
	unsigned int n = 0, most = 0;
	size_t i;

	for (i = 0; i < all->count; i++) {
		struct server_connection *c = &all->list[i];

		if (!connection_is(c, which, CONNECTION_WAITS))
			continue;
		if (!before || !connection_same_peer(before, c))
			n = connections_number(all, which, CONNECTION_WAITS, c);
		before = c;
		if (!shed || n > most || (n == most && c->order > shed->order)) {
			shed = c;
			most = n;
		}
	}
	debug(DEBUG_SERVER, "closed: %u connections of its host wait", most);
	connection_close(shed);
	shed->state = CONNECTION_FREE;
	all->waiting[which]--;
}

int connections_admit(struct connections *all)
{
	enum server_listener which;
	struct server_connection *c;
	eventfd_t ended;
	int rc = 0;
	size_t i;

	eventfd_read(all->ended, &ended);
	for (i = 0; i < all->count; i++) {
		c = &all->list[i];
		if (c->state != CONNECTION_SERVED || !atomic_load(&c->done))
			continue;
		pthread_join(c->thread, NULL);
		c->state = CONNECTION_FREE;
	}
	for (which = 0; which < LISTEN_COUNT; which++) {
		while (!rc && all->waiting[which] && (c = connections_next(all, which)) != NULL)
			rc = connection_start(c);
		while (all->waiting[which] > SERVER_WAITING)
			connections_shed(all, which);
		connections_ask(all, which);
	}
	return rc;
}

bool connections_wait(const struct connections *all)
{
	enum server_listener which;

	for (which = 0; which < LISTEN_COUNT; which++)
		if (all->waiting[which])
			return true;
	return false;
}

int connections_ended_fd(const struct connections *all)
{
	return all->ended;
}

/* A peer that has gone has an unspecified family, which equals no other. */
static void connection_find_peer(struct server_connection *c)
{
	socklen_t len = sizeof(c->peer);

	c->peer = (struct sockaddr_storage){ .ss_family = AF_UNSPEC };
	if (c->t)
		c->peer = c->t->peer.addr;
	else if (getpeername(c->fd, (struct sockaddr *)&c->peer, &len))
		c->peer.ss_family = AF_UNSPEC;
}

void connections_take(struct connections *all, enum server_listener which, struct transport *t,
		      int fd)
{
	struct server_connection *c = all->list;

	/* There is one: for each listener one more than may wait. */
	while (c->state != CONNECTION_FREE)
		c++;
	c->listener = which;
	c->t = t;
	c->fd = t ? t->fd : fd;
	connection_find_peer(c);
	/* It would count as nobody's, and go before all that wait. */
	if (!t && c->peer.ss_family == AF_UNSPEC) {
		connection_close(c);
		return;
	}
	/* The peer is this host if its kernel connects to itself. */
	if (all->options->own_host &&
	    !transport_same_host((const struct sockaddr *)&c->peer,
				 (const struct sockaddr *)&all->options->listen.addr)) {
		debug(DEBUG_SERVER, "closed: it is another host");
		connection_close(c);
		return;
	}
	c->order = all->taken++;
	c->state = CONNECTION_WAITS;
	all->waiting[which]++;
}

void connections_stop(struct connections *all)
{
	size_t i;

	atomic_store(&all->stop, true);
	pthread_mutex_lock(&all->lock);
	for (i = 0; i < all->count; i++)
		if (all->list[i].state == CONNECTION_SERVED && all->list[i].fd >= 0)
			shutdown(all->list[i].fd, SHUT_RDWR);
	pthread_mutex_unlock(&all->lock);
	for (i = 0; i < all->count; i++) {
		if (all->list[i].state == CONNECTION_SERVED)
			pthread_join(all->list[i].thread, NULL);
		else if (all->list[i].state == CONNECTION_WAITS)
			connection_close(&all->list[i]);
		all->list[i].state = CONNECTION_FREE;
	}
	memset(all->waiting, 0, sizeof(all->waiting));
}

int connections_new(struct connections **out, const struct server_options *options)
{
	const unsigned int most = options->connections ? options->connections : SERVER_CONNECTIONS;
	const size_t count = 4 * most + LISTEN_COUNT * (SERVER_WAITING + 1);
	struct connections *all = calloc(1, sizeof(*all) + count * sizeof(all->list[0]));
	size_t i;

	if (!all)
		return err_no_memory();
	all->ended = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (all->ended < 0) {
		free(all);
		return err_sys("eventfd");
	}
	all->options = options;
	all->most[LISTEN_RDMA] = all->most[LISTEN_MOUNT] = most;
	all->most[LISTEN_NFS] = 2 * most;
	all->count = count;
	pthread_mutex_init(&all->lock, NULL);
	for (i = 0; i < count; i++) {
		all->list[i].all = all;
		all->list[i].fd = -1;
		all->list[i].place.stop = &all->stop;
	}
	*out = all;
	return 0;
}

void connections_free(struct connections *all)
{
	if (!all)
		return;
	close(all->ended);
	pthread_mutex_destroy(&all->lock);
	free(all);
}
