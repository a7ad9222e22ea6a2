/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* libvirt's events. An event only marks what to query again. Everything here but
 * registration runs in the thread of libvirt's event loop. */
#include <pthread.h>

#include "plugin/libvirt/internal.h"
#include "plugin/libvirt/libvirt-calls.h"
#include "rpcrdma/base/grow.h"

#define KEEPALIVE_S     5
#define KEEPALIVE_COUNT 3

/* With the lock held. */
static void follow_request_uuid(struct follow_requests *requests, const char *uuid)
{
	size_t i;

	for (i = 0; i < requests->count; i++)
		if (!strcmp(requests->uuids[i], uuid))
			return;
	if (requests->count == GUESTS_MAX || !grow(requests->uuids, requests->count)) {
		requests->all_guests = true;
		return;
	}
	str_copy(requests->uuids[requests->count++], sizeof(*requests->uuids), uuid);
}

static void follow_request_guest(struct follow *follow, virDomainPtr domain)
{
	char uuid[VIR_UUID_STRING_BUFLEN];
	bool known = !libvirt->virDomainGetUUIDString(domain, uuid);

	pthread_mutex_lock(&follow->lock);
	if (known)
		follow_request_uuid(&follow->requests, uuid);
	else
		follow->requests.all_guests = true;
	pthread_cond_broadcast(&follow->changed);
	pthread_mutex_unlock(&follow->lock);
}

static void event_pool_lifecycle(virConnectPtr conn, virStoragePoolPtr pool, int event, int detail,
				 void *arg)
{
	(void)conn, (void)pool, (void)event, (void)detail;
	follow_request_pools(arg);
}

static void event_pool_refresh(virConnectPtr conn, virStoragePoolPtr pool, void *arg)
{
	(void)conn, (void)pool;
	follow_request_pools(arg);
}

static int event_guest_lifecycle(virConnectPtr conn, virDomainPtr domain, int event, int detail,
				 void *arg)
{
	(void)conn, (void)event, (void)detail;
	follow_request_guest(arg, domain);
	return 0;
}

static void event_guest_device(virConnectPtr conn, virDomainPtr domain, const char *alias,
			       void *arg)
{
	(void)conn, (void)alias;
	follow_request_guest(arg, domain);
}

static void event_guest_disk(virConnectPtr conn, virDomainPtr domain, const char *before,
			     const char *after, const char *alias, int reason, void *arg)
{
	(void)conn, (void)before, (void)after, (void)alias, (void)reason;
	follow_request_guest(arg, domain);
}

static void event_guest_block_job(virConnectPtr conn, virDomainPtr domain, const char *disk,
				  int type, int status, void *arg)
{
	(void)conn, (void)disk, (void)type, (void)status;
	follow_request_guest(arg, domain);
}

static void event_connection_closed(virConnectPtr conn, int reason, void *arg)
{
	struct follow *follow = arg;

	(void)conn, (void)reason;
	pthread_mutex_lock(&follow->lock);
	follow->closed = true;
	pthread_cond_broadcast(&follow->changed);
	pthread_mutex_unlock(&follow->lock);
}

static const struct {
	int id;
	virConnectStoragePoolEventGenericCallback call;
} event_pool_rows[] = {
	{ VIR_STORAGE_POOL_EVENT_ID_LIFECYCLE,
	  VIR_STORAGE_POOL_EVENT_CALLBACK(event_pool_lifecycle) },
	{ VIR_STORAGE_POOL_EVENT_ID_REFRESH, VIR_STORAGE_POOL_EVENT_CALLBACK(event_pool_refresh) },
};

static const struct {
	int id;
	virConnectDomainEventGenericCallback call;
} event_guest_rows[] = {
	{ VIR_DOMAIN_EVENT_ID_LIFECYCLE, VIR_DOMAIN_EVENT_CALLBACK(event_guest_lifecycle) },
	{ VIR_DOMAIN_EVENT_ID_DEVICE_ADDED, VIR_DOMAIN_EVENT_CALLBACK(event_guest_device) },
	{ VIR_DOMAIN_EVENT_ID_DEVICE_REMOVED, VIR_DOMAIN_EVENT_CALLBACK(event_guest_device) },
	{ VIR_DOMAIN_EVENT_ID_DISK_CHANGE, VIR_DOMAIN_EVENT_CALLBACK(event_guest_disk) },
	{ VIR_DOMAIN_EVENT_ID_BLOCK_JOB_2, VIR_DOMAIN_EVENT_CALLBACK(event_guest_block_job) },
};

static void *event_loop_run(void *arg)
{
	(void)arg;
	while (libvirt->virEventRunDefaultImpl() >= 0)
		;
	return NULL;
}

/* Events that the driver does not support are not followed; the periodic query of
 * everything covers them. */
static int event_registered(struct follow *follow, int id)
{
	if (id < 0)
		follow_unref(follow);
	return id;
}

static void *follow_ref(struct follow *follow)
{
	pthread_mutex_lock(&follow->lock);
	follow->refs++;
	pthread_mutex_unlock(&follow->lock);
	return follow;
}

void follow_events_register(struct follow_link *link)
{
	struct follow *follow = link->follow;
	virConnectPtr conn = link->to.conn;
	size_t i;

	libvirt->virConnectSetKeepAlive(conn, KEEPALIVE_S, KEEPALIVE_COUNT);
	/* Without a reference of its own: a driver without such a callback would accept the
	 * reference and never release it. Unregistering waits for a callback that is
	 * running. */
	link->close_registered = libvirt->virConnectRegisterCloseCallback(
					 conn, event_connection_closed, follow, NULL) >= 0;
	for (i = 0; i < ARRAY_SIZE(event_pool_rows); i++)
		link->pool_ids[i] = event_registered(
			follow, libvirt->virConnectStoragePoolEventRegisterAny(
					conn, NULL, event_pool_rows[i].id, event_pool_rows[i].call,
					follow_ref(follow), follow_unref));
	for (i = 0; i < ARRAY_SIZE(event_guest_rows); i++)
		link->guest_ids[i] = event_registered(follow,
						      libvirt->virConnectDomainEventRegisterAny(
							      conn, NULL, event_guest_rows[i].id,
							      event_guest_rows[i].call,
							      follow_ref(follow), follow_unref));
}

void follow_events_unregister(struct follow_link *link)
{
	virConnectPtr conn = link->to.conn;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(event_pool_rows); i++)
		if (link->pool_ids[i] >= 0)
			libvirt->virConnectStoragePoolEventDeregisterAny(conn, link->pool_ids[i]);
	for (i = 0; i < ARRAY_SIZE(event_guest_rows); i++)
		if (link->guest_ids[i] >= 0)
			libvirt->virConnectDomainEventDeregisterAny(conn, link->guest_ids[i]);
	if (link->close_registered)
		libvirt->virConnectUnregisterCloseCallback(conn, event_connection_closed);
}

static int event_loop_rc;

static void event_loop_start(void)
{
	pthread_t thread;

	event_loop_rc = libvirt->virEventRegisterDefaultImpl();
	if (!event_loop_rc)
		event_loop_rc = pthread_create(&thread, NULL, event_loop_run, NULL);
	if (!event_loop_rc)
		pthread_detach(thread);
}

int follow_events_start(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	int rc = libvirt_load();

	if (rc)
		return rc;
	pthread_once(&once, event_loop_start);
	return event_loop_rc ? err_set(EAGAIN, "no event loop for libvirt") : 0;
}
