/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The connections of a server, each with a thread while it is served.
 *
 * For each listener the number of connections that are served is bounded, in all and for one
 * peer. Further ones wait without a thread, and are served as others end: first those of the
 * peer that has the fewest served, in their order; and those that have sent something before
 * those that have not. If too many wait, the silent ones are closed that had the time for a first
 * call, and else the newest of the peer that has most of them, so that no peer keeps the others in
 * the listener's backlog. If no peer has two, further ones stay there.
 * While one waits, a connection in its way that is silent has less time: a kernel client
 * connects again when it needs to.
 *
 * All functions but those of a place are of the accepting thread. To stop, it shuts down the
 * sockets, and their threads then exit. */
#include <sys/eventfd.h>
#include <sys/resource.h>

#include "rpcrdma/server/internal.h"

enum connection_state { CONNECTION_FREE, CONNECTION_WAITS, CONNECTION_SERVED };

/* A host with connections. */
struct server_peer {
	struct sockaddr_storage addr;
	unsigned int number[LISTEN_COUNT][CONNECTION_SERVED + 1]; /* that wait, and are served */
	unsigned int used;                                        /* all of them; 0: free */
};

struct server_connection {
	struct connections *all;
	enum server_listener listener;
	enum connection_state state;
	uint64_t order, since; /* of those that wait; by now_ms() */
	bool spoke;            /* it has sent something */
	pthread_t thread;
	atomic_bool done; /* the thread is about to end */
	struct server_peer *peer;
	struct transport *t; /* RDMA, or NULL */
	int fd;              /* under the lock: to be shut down; -1 when closed */
	struct server_place place;
};

struct connections {
	const struct server_options *options;
	unsigned int most[LISTEN_COUNT]; /* that are served */
	unsigned int number[LISTEN_COUNT][CONNECTION_SERVED + 1];
	unsigned int room;         /* that may wait, for each listener */
	struct server_peer *peers; /* as many as connections */
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

/* All changes of a state are here. */
static void connection_enter(struct server_connection *c, enum connection_state state)
{
	struct connections *all = c->all;

	if (c->state != CONNECTION_FREE) {
		all->number[c->listener][c->state]--;
		c->peer->number[c->listener][c->state]--;
		c->peer->used--;
	}
	c->state = state;
	if (state == CONNECTION_FREE)
		return;
	all->number[c->listener][state]++;
	c->peer->number[c->listener][state]++;
	c->peer->used++;
}

/* Of a transport that is no socket it is not known. */
static bool connection_is_silent(struct server_connection *c)
{
	uint8_t first;

	c->spoke = c->spoke || recv(c->fd, &first, 1, MSG_PEEK | MSG_DONTWAIT) >= 0 ||
		   (errno != EAGAIN && errno != EINTR);
	return !c->spoke;
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

static unsigned int connections_served(const struct server_connection *c)
{
	return c->peer->number[c->listener][CONNECTION_SERVED];
}

/* -errno of pthread_create(3): EAGAIN when threads run out. The connection then waits. */
static int connection_start(struct server_connection *c)
{
	int rc;

	atomic_store(&c->done, false);
	atomic_store(&c->place.wanted, false);
	place_begin(&c->place, false);
	c->place.beside = connections_served(c) > 0;
	rc = pthread_create(&c->thread, NULL, connection_run, c);
	if (rc)
		return err_set(rc, "thread for a connection: %s", strerrordesc_np(rc));
	connection_enter(c, CONNECTION_SERVED);
	return 0;
}

static bool connections_peer_is_full(const struct server_connection *c)
{
	return connections_served(c) >= connections_per_peer(c->all, c->listener);
}

/* Of those that wait and may be served, the first of the peer that has the fewest served, silent
 * ones last; NULL: none. */
static struct server_connection *connections_next(struct connections *all,
						  enum server_listener which)
{
	struct server_connection *next = NULL;
	bool silent = false, is_silent;
	size_t i;

	if (all->number[which][CONNECTION_SERVED] >= all->most[which])
		return NULL;
	for (i = 0; i < all->count; i++) {
		struct server_connection *c = &all->list[i];

		if (!connection_is(c, which, CONNECTION_WAITS) || connections_peer_is_full(c))
			continue;
		is_silent = connection_is_silent(c);
		if (next &&
		    (is_silent > silent ||
		     (is_silent == silent && (connections_served(c) > connections_served(next) ||
					      (connections_served(c) == connections_served(next) &&
					       c->order > next->order)))))
			continue;
		next = c;
		silent = is_silent;
	}
	return next;
}

/* The connection in the way of @waits whose silence reaches the short limit first; NULL: none
 * is left to ask. */
static struct server_connection *connections_in_way(struct connections *all,
						    const struct server_connection *waits)
{
	bool peer_full = connections_peer_is_full(waits);
	struct server_connection *found = NULL;
	uint64_t limit, least = UINT64_MAX;
	size_t i;

	for (i = 0; i < all->count; i++) {
		struct server_connection *c = &all->list[i];

		if (!connection_is(c, waits->listener, CONNECTION_SERVED) ||
		    atomic_load(&c->place.wanted) || (peer_full && c->peer != waits->peer))
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
	const struct server_peer *none = NULL;
	struct server_connection *c;
	size_t i;

	for (i = 0; i < all->count; i++)
		if (all->list[i].listener == which)
			atomic_store(&all->list[i].place.wanted, false);
	for (i = 0; i < all->count && all->number[which][CONNECTION_WAITS]; i++) {
		const struct server_connection *waits = &all->list[i];

		if (!connection_is(waits, which, CONNECTION_WAITS) || none == waits->peer)
			continue;
		c = connections_in_way(all, waits);
		if (c)
			atomic_store(&c->place.wanted, true);
		else if (connections_peer_is_full(waits))
			none = waits->peer;
		else /* All of them are asked. */
			break;
	}
}

/* Closes one of those that wait: a silent one that had the time for a first call, the one that had
 * most; or the newest of the peer that has most of them. False: no peer has two. */
static bool connections_shed(struct connections *all, enum server_listener which)
{
	struct server_connection *shed = NULL, *silent = NULL;
	uint64_t now = now_ms();
	unsigned int n, most = 1;
	size_t i;

	for (i = 0; i < all->count; i++) {
		struct server_connection *c = &all->list[i];

		if (!connection_is(c, which, CONNECTION_WAITS))
			continue;
		if (now >= c->since + SERVER_FIRST_WANTED_MS &&
		    (!silent || c->order < silent->order) && connection_is_silent(c))
			silent = c;
		n = c->peer->number[which][CONNECTION_WAITS];
		if (n > most || (n == most && shed && c->order > shed->order)) {
			shed = c;
			most = n;
		}
	}
	shed = silent ? silent : shed;
	if (!shed)
		return false;
	debug(DEBUG_SERVER, "closed: %u connections of its host wait",
	      shed->peer->number[which][CONNECTION_WAITS]);
	connection_close(shed);
	connection_enter(shed, CONNECTION_FREE);
	return true;
}

bool connections_are_full(const struct connections *all, enum server_listener which)
{
	return all->number[which][CONNECTION_WAITS] > all->room;
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
		connection_enter(c, CONNECTION_FREE);
	}
	for (which = 0; which < LISTEN_COUNT; which++) {
		while (!rc && all->number[which][CONNECTION_WAITS] &&
		       (c = connections_next(all, which)) != NULL)
			rc = connection_start(c);
		while (connections_are_full(all, which) && connections_shed(all, which))
			;
		connections_ask(all, which);
	}
	return rc;
}

bool connections_wait(const struct connections *all)
{
	enum server_listener which;

	for (which = 0; which < LISTEN_COUNT; which++)
		if (all->number[which][CONNECTION_WAITS])
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
	struct server_peer *peers = c->all->peers, *peer = NULL;
	struct sockaddr_storage addr = { .ss_family = AF_UNSPEC };
	socklen_t len = sizeof(addr);
	size_t i;

	if (c->t)
		addr = c->t->peer.addr;
	else if (getpeername(c->fd, (struct sockaddr *)&addr, &len))
		addr.ss_family = AF_UNSPEC;
	for (i = 0; i < c->all->count; i++) {
		if (!peers[i].used)
			peer = peer ? peer : &peers[i];
		else if (transport_same_host((const struct sockaddr *)&peers[i].addr,
					     (const struct sockaddr *)&addr))
			break;
	}
	c->peer = i < c->all->count ? &peers[i] : peer;
	c->peer->addr = addr;
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
	if (!t && c->peer->addr.ss_family == AF_UNSPEC) {
		connection_close(c);
		return;
	}
	/* The peer is this host if its kernel connects to itself. */
	if (all->options->own_host &&
	    !transport_same_host((const struct sockaddr *)&c->peer->addr,
				 (const struct sockaddr *)&all->options->listen.addr)) {
		debug(DEBUG_SERVER, "closed: it is another host");
		connection_close(c);
		return;
	}
	c->order = all->taken++;
	c->since = now_ms();
	c->spoke = false;
	connection_enter(c, CONNECTION_WAITS);
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
		connection_enter(&all->list[i], CONNECTION_FREE);
	}
}

/* How many may wait with the descriptors of this process, of which it takes what it needs. If they
 * run out, nothing is accepted, and silent connections keep all others out. */
static unsigned int connections_find_room(size_t count)
{
	const rlim_t needed = count + SERVER_FILES;
	struct rlimit files;
	rlim_t less;

	if (getrlimit(RLIMIT_NOFILE, &files))
		return SERVER_WAITING;
	if (files.rlim_cur < needed) {
		files.rlim_cur = files.rlim_max < needed ? files.rlim_max : needed;
		if (setrlimit(RLIMIT_NOFILE, &files))
			getrlimit(RLIMIT_NOFILE, &files);
	}
	less = files.rlim_cur < needed ? (needed - files.rlim_cur) / LISTEN_COUNT + 1 : 0;
	return less < SERVER_WAITING ? (unsigned int)(SERVER_WAITING - less) : 0;
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
	pthread_mutex_init(&all->lock, NULL);
	all->peers = calloc(count, sizeof(*all->peers));
	if (!all->peers) {
		connections_free(all);
		return err_no_memory();
	}
	all->options = options;
	all->room = connections_find_room(count);
	all->most[LISTEN_RDMA] = all->most[LISTEN_MOUNT] = most;
	all->most[LISTEN_NFS] = 2 * most;
	all->count = count;
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
	free(all->peers);
	free(all);
}
