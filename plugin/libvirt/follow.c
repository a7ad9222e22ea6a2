/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Follows libvirt's pools and guests. Two threads: one runs libvirt's event loop, which
 * events and keepalive require; the other one makes calls, and may block in them. If the
 * daemon does not answer, keepalive closes the connection, which ends a pending call. Only
 * opening a connection has no such limit: it lasts until the daemon answers or dies.
 *
 * An event only says what to query again, never its state: events are queued, and may be
 * outdated. Changes without an event (a block job removed a backing file) are seen when
 * everything is queried again, every two minutes. */
#include <pthread.h>
#include <sys/eventfd.h>

#include "plugin/libvirt/internal.h"
#include "plugin/libvirt/libvirt-calls.h"
#include "rpcrdma/base/grow.h"

#define BACKOFF_MIN_MS 1000
#define BACKOFF_MAX_MS 30000
#define RESYNC_MS      120000
#define CLOSE_MS       300

/* --- changes ------------------------------------------------------------------ */

static void follow_guests_fini(struct follow_changes *changes)
{
	while (changes->nguests)
		domain_disks_fini(&changes->guests[--changes->nguests].disks);
	free(changes->guests);
	changes->guests = NULL;
}

void follow_changes_fini(struct follow_changes *changes)
{
	pool_list_fini(&changes->pools);
	follow_guests_fini(changes);
	*changes = (struct follow_changes){ .connected = false };
}

/* With the lock held. */
static void follow_signal(struct follow *follow)
{
	uint64_t one = 1;

	follow->has_changes = true;
	/* A full pipe is readable too. */
	if (write(follow->fd, &one, sizeof(one)) < 0)
		return;
}

/* Takes @guest. */
static void follow_put_guest(struct follow *follow, struct follow_guest *guest)
{
	struct follow_changes *changes = &follow->changes;
	size_t i;

	for (i = 0; i < changes->nguests; i++)
		if (!strcmp(changes->guests[i].uuid, guest->uuid))
			break;
	if (i == changes->nguests) {
		if (!grow(changes->guests, i)) {
			domain_disks_fini(&guest->disks);
			return;
		}
		changes->nguests++;
	} else {
		domain_disks_fini(&changes->guests[i].disks);
	}
	changes->guests[i] = *guest;
	follow_signal(follow);
}

bool follow_take(struct follow *follow, struct follow_changes *out)
{
	struct follow_changes *changes = &follow->changes;
	uint64_t count;
	bool some;

	pthread_mutex_lock(&follow->lock);
	if (read(follow->fd, &count, sizeof(count)) < 0)
		count = 0;
	some = follow->has_changes;
	follow->has_changes = false;
	*out = (struct follow_changes){ .connected = false };
	if (some) {
		*out = *changes;
		changes->has_pools = changes->forget_guests = false;
		changes->pools = (struct pool_list){ .count = 0 };
		changes->guests = NULL;
		changes->nguests = 0;
	}
	pthread_mutex_unlock(&follow->lock);
	return some;
}

/* --- open and close ----------------------------------------------------------- */

void follow_unref(void *arg)
{
	struct follow *follow = arg;
	unsigned int left;

	pthread_mutex_lock(&follow->lock);
	left = --follow->refs;
	pthread_mutex_unlock(&follow->lock);
	if (left)
		return;
	pthread_cond_destroy(&follow->changed);
	pthread_mutex_destroy(&follow->lock);
	follow_changes_fini(&follow->changes);
	free(follow->requests.uuids);
	free(follow->uri);
	close(follow->fd);
	free(follow);
}

/* --- queries ------------------------------------------------------------------ */

void follow_request_pools(struct follow *follow)
{
	pthread_mutex_lock(&follow->lock);
	follow->requests.pools = true;
	pthread_cond_broadcast(&follow->changed);
	pthread_mutex_unlock(&follow->lock);
}

static int follow_query_pools(struct follow_link *link)
{
	struct follow *follow = link->follow;
	struct pool_list pools = { .count = 0 };
	uint64_t start = now_ms();
	int rc = pools_read(link->to.conn, &pools);

	if (rc) {
		pool_list_fini(&pools);
		return rc;
	}
	pthread_mutex_lock(&follow->lock);
	pool_list_fini(&follow->changes.pools);
	follow->changes.pools = pools;
	follow->changes.has_pools = true;
	follow->changes.pools_ms = start;
	follow_signal(follow);
	pthread_mutex_unlock(&follow->lock);
	return 0;
}

/* A guest that no longer runs is gone. After an error @out is empty. */
static int follow_read_guest(virDomainPtr domain, const char *uuid, struct follow_guest *out)
{
	const char *name;
	char *xml = NULL;

	*out = (struct follow_guest){ .gone = true };
	str_copy(out->uuid, sizeof(out->uuid), uuid);
	if (domain && libvirt->virDomainIsActive(domain) > 0)
		xml = libvirt->virDomainGetXMLDesc(domain, 0);
	if (!xml && libvirt->virGetLastErrorCode() != VIR_ERR_OK &&
	    libvirt->virGetLastErrorCode() != VIR_ERR_NO_DOMAIN)
		return pools_error();
	out->gone = !xml;
	if (xml && domain_disks_parse(&out->disks, xml, strlen(xml))) {
		/* Only the name is known of a guest whose XML cannot be read. */
		str_copy(out->broken, sizeof(out->broken), err_text());
		name = libvirt->virDomainGetName(domain);
		out->disks.name = name ? strdup(name) : NULL;
	}
	free(xml);
	return 0;
}

static int follow_query_guest(struct follow_link *link, const char *uuid)
{
	struct follow_guest guest;
	virDomainPtr domain;
	int rc;

	libvirt->virResetLastError();
	domain = libvirt->virDomainLookupByUUIDString(link->to.conn, uuid);
	rc = follow_read_guest(domain, uuid, &guest);
	if (domain)
		libvirt->virDomainFree(domain);
	if (rc)
		return rc;
	pthread_mutex_lock(&link->follow->lock);
	follow_put_guest(link->follow, &guest);
	pthread_mutex_unlock(&link->follow->lock);
	return 0;
}

/* All of them, or none. */
static int follow_read_guests(virDomainPtr *domains, size_t count, struct follow_changes *out)
{
	char uuid[VIR_UUID_STRING_BUFLEN];
	struct follow_guest guest;
	size_t i;
	int rc = 0;

	for (i = 0; !rc && i < count; i++) {
		libvirt->virResetLastError();
		rc = libvirt->virDomainGetUUIDString(domains[i], uuid) < 0
			     ? pools_error()
			     : follow_read_guest(domains[i], uuid, &guest);
		if (!rc && !grow(out->guests, out->nguests)) {
			domain_disks_fini(&guest.disks);
			rc = err_no_memory();
		}
		if (!rc)
			out->guests[out->nguests++] = guest;
	}
	if (rc)
		follow_guests_fini(out);
	return rc;
}

static int follow_query_all_guests(struct follow_link *link)
{
	struct follow_changes all = { .nguests = 0 }, *changes = &link->follow->changes;
	virDomainPtr *domains = NULL;
	int count = libvirt->virConnectListAllDomains(link->to.conn, &domains,
						      VIR_CONNECT_LIST_DOMAINS_ACTIVE);
	int rc = 0, i;

	if (count < 0) {
		rc = pools_error();
		link->no_guests = rc == -EOPNOTSUPP;
		return link->no_guests ? 0 : rc;
	}
	rc = follow_read_guests(domains, count < GUESTS_MAX ? (size_t)count : GUESTS_MAX, &all);
	for (i = 0; i < count; i++)
		libvirt->virDomainFree(domains[i]);
	free(domains);
	if (rc)
		return rc;
	/* In one step: otherwise a guest that runs all the time could be missing for a
	 * moment. */
	pthread_mutex_lock(&link->follow->lock);
	follow_guests_fini(changes);
	changes->guests = all.guests;
	changes->nguests = all.nguests;
	changes->forget_guests = true;
	follow_signal(link->follow);
	pthread_mutex_unlock(&link->follow->lock);
	return 0;
}

static int follow_query(struct follow_link *link, const struct follow_requests *requests)
{
	int rc = requests->pools ? follow_query_pools(link) : 0;
	size_t i;

	/* Guests of another host use that host's mounts. */
	if (link->no_guests || link->to.remote)
		return rc;
	if (!rc && requests->all_guests)
		return follow_query_all_guests(link);
	for (i = 0; !rc && i < requests->count; i++)
		rc = follow_query_guest(link, requests->uuids[i]);
	return rc;
}

/* False: the connection ended, or the thread is to end. */
static bool follow_wait(struct follow_link *link, struct follow_requests *out)
{
	struct follow *follow = link->follow;
	struct follow_requests *requests = &follow->requests;
	struct timespec deadline = deadline_timespec(link->resync);
	bool go;

	pthread_mutex_lock(&follow->lock);
	while (!follow->end && !follow->closed && !requests->pools && !requests->all_guests &&
	       !requests->count && now_ms() < link->resync)
		pthread_cond_timedwait(&follow->changed, &follow->lock, &deadline);
	if (now_ms() >= link->resync) {
		requests->pools = requests->all_guests = true;
		link->resync = deadline_in(RESYNC_MS);
	}
	go = !follow->end && !follow->closed;
	*out = *requests;
	*requests = (struct follow_requests){ .pools = false };
	pthread_mutex_unlock(&follow->lock);
	return go;
}

/* @why: NULL: it is connected. */
static void follow_report_link(struct follow_link *link, const char *why)
{
	struct follow *follow = link->follow;

	pthread_mutex_lock(&follow->lock);
	follow->changes.connected = !why;
	follow->changes.remote = link->to.remote;
	if (*link->to.uri)
		str_copy(follow->changes.uri, sizeof(follow->changes.uri), link->to.uri);
	str_copy(follow->changes.why, sizeof(follow->changes.why), why ? why : "");
	follow_signal(follow);
	pthread_mutex_unlock(&follow->lock);
}

/* True: there was a connection, and the daemon answered. */
static bool follow_connect(struct follow *follow)
{
	struct follow_link link = { .follow = follow, .resync = deadline_in(RESYNC_MS) };
	struct follow_requests requests = { .pools = true, .all_guests = true };
	uint64_t start = now_ms();
	bool reported = false;
	int rc = follow_events_start();

	if (!rc)
		rc = pools_connect(follow->uri, true, &link.to);
	if (rc) {
		follow_report_link(&link, err_text());
		return false;
	}
	pthread_mutex_lock(&follow->lock);
	follow->closed = false;
	free(follow->requests.uuids);
	follow->requests = (struct follow_requests){ .pools = false };
	pthread_mutex_unlock(&follow->lock);
	follow_events_register(&link);
	do {
		rc = follow_query(&link, &requests);
		free(requests.uuids);
		/* Report the connection only after the daemon has answered. */
		if (!rc && !reported)
			follow_report_link(&link, NULL);
		reported = true;
	} while (!rc && follow_wait(&link, &requests));
	if (!rc)
		free(requests.uuids);
	follow_report_link(&link, rc ? err_text() : "libvirt closed the connection");
	follow_events_unregister(&link);
	libvirt->virConnectClose(link.to.conn);
	return now_ms() - start >= BACKOFF_MAX_MS;
}

static void *follow_run(void *arg)
{
	unsigned int backoff = BACKOFF_MIN_MS;
	struct follow *follow = arg;
	struct timespec deadline;
	int rc;

	pthread_mutex_lock(&follow->lock);
	while (!follow->end) {
		pthread_mutex_unlock(&follow->lock);
		if (follow_connect(follow))
			backoff = BACKOFF_MIN_MS;
		deadline = deadline_timespec(deadline_in(backoff));
		pthread_mutex_lock(&follow->lock);
		for (rc = 0; !follow->end && !rc;)
			rc = pthread_cond_timedwait(&follow->changed, &follow->lock, &deadline);
		backoff = backoff * 2 < BACKOFF_MAX_MS ? backoff * 2 : BACKOFF_MAX_MS;
	}
	follow->ended = true;
	pthread_cond_broadcast(&follow->changed);
	pthread_mutex_unlock(&follow->lock);
	follow_unref(follow);
	return NULL;
}

static struct follow *follow_new(const char *uri)
{
	struct follow *follow = calloc(1, sizeof(*follow));
	pthread_condattr_t clock;

	if (!follow)
		return NULL;
	follow->refs = 1;
	pthread_condattr_init(&clock);
	pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
	pthread_cond_init(&follow->changed, &clock);
	pthread_condattr_destroy(&clock);
	pthread_mutex_init(&follow->lock, NULL);
	follow->uri = uri ? strdup(uri) : NULL;
	follow->fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (follow->fd >= 0 && (!uri || follow->uri))
		return follow;
	follow_unref(follow);
	return NULL;
}

int follow_open(struct follow **out, const char *uri)
{
	struct follow *follow = follow_new(uri);
	int rc;

	if (!follow)
		return err_no_memory();
	follow->refs++;
	rc = pthread_create(&follow->thread, NULL, follow_run, follow);
	if (rc) {
		follow->refs--;
		follow_unref(follow);
		return err_set(EAGAIN, "no thread for libvirt");
	}
	*out = follow;
	return 0;
}

int follow_fd(const struct follow *follow)
{
	return follow->fd;
}

void follow_close(struct follow *follow)
{
	struct timespec deadline = deadline_timespec(deadline_in(CLOSE_MS));
	int rc = 0;
	bool gone;

	if (!follow)
		return;
	pthread_mutex_lock(&follow->lock);
	follow->end = true;
	pthread_cond_broadcast(&follow->changed);
	while (!follow->ended && !rc)
		rc = pthread_cond_timedwait(&follow->changed, &follow->lock, &deadline);
	gone = follow->ended;
	pthread_mutex_unlock(&follow->lock);
	if (gone)
		pthread_join(follow->thread, NULL);
	else
		pthread_detach(follow->thread);
	follow_unref(follow);
}

void follow_close_p(struct follow **follow)
{
	follow_close(*follow);
}
