/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* A thread for calls that may hang. libvirt's calls have no deadline: the daemon answers
 * when its mount(8) ends, which may be much later or never if a server is unreachable.
 * Keepalive would only show that the daemon is alive. So the caller waits here until its
 * deadline; the thread is then leaked, with everything that it was given. */
#include <pthread.h>

#include "plugin/libvirt/internal.h"

struct worker {
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	bool lost, end;
	worker_fn fn; /* NULL: nothing to do */
	void *arg;
	bool done;
	int rc;
	char text[ERR_TEXT_MAX]; /* of the thread's last error */
};

static void *worker_loop(void *arg)
{
	struct worker *worker = arg;
	int rc;

	pthread_mutex_lock(&worker->lock);
	while (!worker->end && !worker->lost) {
		if (!worker->fn) {
			pthread_cond_wait(&worker->changed, &worker->lock);
			continue;
		}
		pthread_mutex_unlock(&worker->lock);
		err_clear();
		rc = worker->fn(worker->arg);
		pthread_mutex_lock(&worker->lock);
		worker->rc = rc;
		str_copy(worker->text, sizeof(worker->text), err_text());
		worker->fn = NULL;
		worker->done = true;
		pthread_cond_broadcast(&worker->changed);
	}
	pthread_mutex_unlock(&worker->lock);
	return NULL;
}

static void worker_destroy(struct worker *worker)
{
	pthread_cond_destroy(&worker->changed);
	pthread_mutex_destroy(&worker->lock);
	free(worker);
}

int worker_new(struct worker **out)
{
	struct worker *worker = calloc(1, sizeof(*worker));
	pthread_condattr_t clock;
	int rc;

	if (!worker)
		return err_no_memory();
	pthread_condattr_init(&clock);
	pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
	pthread_cond_init(&worker->changed, &clock);
	pthread_condattr_destroy(&clock);
	pthread_mutex_init(&worker->lock, NULL);
	rc = pthread_create(&worker->thread, NULL, worker_loop, worker);
	if (rc) {
		worker_destroy(worker);
		return err_set(rc, "no thread for libvirt");
	}
	*out = worker;
	return 0;
}

int worker_call(struct worker *worker, worker_fn fn, void *arg, uint64_t deadline)
{
	const struct timespec until = deadline_timespec(deadline);
	int rc = 0;

	if (worker->lost)
		return err_set(ETIMEDOUT, "libvirt is still busy");
	pthread_mutex_lock(&worker->lock);
	worker->done = false;
	worker->arg = arg;
	worker->fn = fn;
	pthread_cond_broadcast(&worker->changed);
	while (!worker->done && !rc)
		rc = pthread_cond_timedwait(&worker->changed, &worker->lock, &until);
	rc = worker->rc;
	worker->lost = !worker->done;
	if (worker->lost)
		pthread_detach(worker->thread);
	else if (rc < 0)
		err_set(-rc, "%s", worker->text);
	pthread_mutex_unlock(&worker->lock);
	return worker->lost ? err_set(ETIMEDOUT, "libvirt did not answer in time") : rc;
}

bool worker_lost(const struct worker *worker)
{
	return worker->lost;
}

void worker_free(struct worker *worker)
{
	if (!worker || worker->lost)
		return;
	pthread_mutex_lock(&worker->lock);
	worker->end = true;
	pthread_cond_broadcast(&worker->changed);
	pthread_mutex_unlock(&worker->lock);
	pthread_join(worker->thread, NULL);
	worker_destroy(worker);
}
