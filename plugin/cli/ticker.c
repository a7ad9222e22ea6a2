/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* A progress line that keeps moving while the command waits in one call. A thread prints it, with all
 * signals blocked, so that they interrupt what the command waits for. There is no thread without a terminal. */
#include <errno.h>
#include <pthread.h>
#include <signal.h>

#include "plugin/cli/cli.h"

#define TICK_MS 250

struct ticker {
	struct progress_line progress;
	pthread_t thread;
	pthread_mutex_t lock; /* of everything below, and of the line itself */
	pthread_cond_t stop;
	bool running;
	char what[128];
	unsigned int done, total;
};

static void *ticker_thread(void *arg)
{
	struct ticker *ticker = arg;
	struct timespec until;

	pthread_mutex_lock(&ticker->lock);
	while (ticker->running) {
		progress_show(&ticker->progress, ticker->what, ticker->done, ticker->total);
		until = deadline_timespec(deadline_in(TICK_MS));
		pthread_cond_clockwait(&ticker->stop, &ticker->lock, CLOCK_MONOTONIC, &until);
	}
	pthread_mutex_unlock(&ticker->lock);
	return NULL;
}

struct ticker *ticker_start(bool quiet, const char *what)
{
	struct ticker *ticker = calloc(1, sizeof(*ticker));
	sigset_t all, before;

	if (!ticker)
		return NULL;
	progress_init(&ticker->progress, quiet);
	pthread_mutex_init(&ticker->lock, NULL);
	pthread_cond_init(&ticker->stop, NULL);
	snprintf(ticker->what, sizeof(ticker->what), "%s", what);
	if (!ticker->progress.enabled)
		return ticker;
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &before);
	ticker->running = true;
	if (pthread_create(&ticker->thread, NULL, ticker_thread, ticker))
		ticker->running = false;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return ticker;
}

void ticker_set(struct ticker *ticker, const char *what, unsigned int done, unsigned int total)
{
	if (!ticker)
		return;
	pthread_mutex_lock(&ticker->lock);
	snprintf(ticker->what, sizeof(ticker->what), "%s", what);
	ticker->done = done;
	ticker->total = total;
	pthread_mutex_unlock(&ticker->lock);
}

void ticker_erase(struct ticker *ticker)
{
	if (!ticker)
		return;
	pthread_mutex_lock(&ticker->lock);
	progress_erase(&ticker->progress);
	pthread_mutex_unlock(&ticker->lock);
}

void ticker_stop(struct ticker *ticker)
{
	bool running;

	if (!ticker)
		return;
	pthread_mutex_lock(&ticker->lock);
	running = ticker->running;
	ticker->running = false;
	pthread_cond_signal(&ticker->stop);
	pthread_mutex_unlock(&ticker->lock);
	if (running)
		pthread_join(ticker->thread, NULL);
	ticker_erase(ticker);
}

void ticker_free(struct ticker *ticker)
{
	if (!ticker)
		return;
	ticker_stop(ticker);
	pthread_cond_destroy(&ticker->stop);
	pthread_mutex_destroy(&ticker->lock);
	free(ticker);
}
