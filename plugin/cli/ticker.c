/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The progress line: on a terminal only, after two seconds only, and gone before anything else is
 * printed. It keeps moving while the command waits in one call: a thread prints it, with all
 * signals blocked, so that they interrupt what the command waits for. There is no thread without a
 * terminal. */
#include <pthread.h>
#include <signal.h>
#include <sys/ioctl.h>

#include "plugin/cli/cli.h"

#define PATIENCE_MS 2000
#define TICK_MS     250

struct ticker {
	bool enabled, shown;
	uint64_t start_ms;
	pthread_t thread;
	pthread_mutex_t lock; /* of everything below, and of the line itself */
	pthread_cond_t stop;
	bool running;
	char what[128];
	unsigned int done, total;
};

/* With the lock held. */
static void ticker_draw(struct ticker *ticker)
{
	unsigned long long elapsed = now_ms() - ticker->start_ms;
	char clean[256], part[32] = "", line[320];
	struct winsize size;
	int columns = 79;

	if (elapsed < PATIENCE_MS)
		return;
	utf8_clean(clean, sizeof(clean), ticker->what, UTF8_ESCAPE);
	if (ticker->total)
		snprintf(part, sizeof(part), "%u of %u  ", ticker->done, ticker->total);
	snprintf(line, sizeof(line), "%3llu s  %s%s", elapsed / 1000, part, clean);
	/* A line that wraps could not be erased. */
	if (!ioctl(STDERR_FILENO, TIOCGWINSZ, &size) && size.ws_col >= 20)
		columns = size.ws_col - 1;
	fprintf(stderr, "\r\033[K%.*s", columns, line);
	fflush(stderr);
	ticker->shown = true;
}

static void *ticker_thread(void *arg)
{
	struct ticker *ticker = arg;
	struct timespec until;

	pthread_mutex_lock(&ticker->lock);
	while (ticker->running) {
		ticker_draw(ticker);
		until = deadline_timespec(deadline_in(TICK_MS));
		pthread_cond_clockwait(&ticker->stop, &ticker->lock, CLOCK_MONOTONIC, &until);
	}
	pthread_mutex_unlock(&ticker->lock);
	return NULL;
}

struct ticker *ticker_start(bool quiet, const char *what)
{
	struct ticker *ticker = calloc(1, sizeof(*ticker));
	const char *term = getenv("TERM");
	sigset_t all, before;

	if (!ticker)
		return NULL;
	ticker->start_ms = now_ms();
	ticker->enabled = !quiet && isatty(STDERR_FILENO) && term && strcmp(term, "dumb") != 0;
	pthread_mutex_init(&ticker->lock, NULL);
	pthread_cond_init(&ticker->stop, NULL);
	snprintf(ticker->what, sizeof(ticker->what), "%s", what);
	if (!ticker->enabled)
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
	if (ticker->shown)
		fputs("\r\033[K", stderr);
	ticker->shown = false;
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
