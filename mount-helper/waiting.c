/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* A slow mount: signals end it with a message, and on a terminal there is a line of progress, which
 * is erased before anything else is printed. A child draws it while this process is busy; while
 * this process waits for mount.nfs, it draws the line itself. */
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>

#include "mount-helper/internal.h"

/* A mount that succeeds at once shows no progress. */
#define PATIENCE_MS 2000
#define TICK_MS     1000

void waiting_begin(struct waiting *waiting)
{
	sigset_t set;
	int fd;

	if (waiting->signals)
		return;
	signals_that_end(&set);
	sigaddset(&set, SIGQUIT);
	fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	/* Without it the default action of the signals applies. */
	if (fd <= 0)
		return;
	sigprocmask(SIG_BLOCK, &set, NULL);
	waiting->signals = fd;
}

/* Not in a pipe, in the background or in a unit: its terminal, if any, belongs to others. */
static bool waiting_at_terminal(const struct waiting *waiting)
{
	return waiting->since_ms && !waiting->dumb && isatty(STDERR_FILENO) &&
	       tcgetpgrp(STDERR_FILENO) == getpgrp();
}

/* One write, so that a killed child leaves a whole line or none. */
static void waiting_draw(const struct waiting *waiting, const char *what)
{
	uint64_t from = waiting->since_ms, until = waiting->until_ms;
	unsigned long long elapsed = now_ms() - from;
	char line[512], out[640];
	struct winsize size;
	int columns = 79;

	/* Beyond retry= mount.nfs may still be busy with its last attempt. */
	if (from + elapsed < until)
		snprintf(line, sizeof(line), "%llu s of %llu s: %.400s", elapsed / 1000,
			 (unsigned long long)(until - from) / 1000, what);
	else
		snprintf(line, sizeof(line), "%llu s: %.400s", elapsed / 1000, what);
	/* A line that wraps could not be erased. */
	if (!ioctl(STDERR_FILENO, TIOCGWINSZ, &size) && size.ws_col >= 20)
		columns = size.ws_col - 1;
	snprintf(out, sizeof(out), "\r\033[K%.*s", columns, line);
	fd_write_all(STDERR_FILENO, out, strlen(out));
}

static bool waiting_is_early(const struct waiting *waiting)
{
	return now_ms() - waiting->since_ms < PATIENCE_MS;
}

void waiting_erase(struct waiting *waiting)
{
	if (waiting->ticker.pid) {
		child_finish(&waiting->ticker, 0, NULL);
		waiting->shown = !waiting_is_early(waiting);
	}
	if (waiting->shown)
		fd_write_all(STDERR_FILENO, "\r\033[K", 4);
	waiting->shown = false;
}

/* --- while this process is busy
 * ----------------------------------------------------------------- */

static int waiting_tick(void *arg, int channel)
{
	const struct waiting *waiting = arg;
	uint64_t now = now_ms(), first = waiting->since_ms + PATIENCE_MS;

	(void)channel;
	if (now < first)
		poll(NULL, 0, (int)(first - now));
	do
		waiting_draw(waiting, waiting->busy);
	while (!poll(NULL, 0, TICK_MS));
	return 0;
}

void waiting_busy(struct waiting *waiting, const char *fmt, ...)
{
	const struct child_function function = { .kind = CHILD_TICKER,
						 .name = "the line of progress",
						 .run = waiting_tick,
						 .arg = waiting };
	va_list ap;

	waiting_erase(waiting);
	if (!waiting_at_terminal(waiting))
		return;
	va_start(ap, fmt);
	vsnprintf(waiting->busy, sizeof(waiting->busy), fmt, ap);
	va_end(ap);
	finding_clean(waiting->busy);
	/* An error only means no progress. */
	child_start(&waiting->ticker, &function);
}

enum wait_end waiting_for(struct waiting *waiting, int fd, uint64_t deadline)
{
	struct pollfd pfds[] = {
		{ fd, POLLIN, 0 },
		{ waiting->signals ? waiting->signals : -1, POLLIN, 0 },
	};
	struct signalfd_siginfo info;
	int left;

	while ((left = deadline_left(deadline)) > 0) {
		if (!waiting_is_early(waiting) && waiting_at_terminal(waiting)) {
			waiting_draw(waiting,
				     waiting->what[0] ? waiting->what : "waiting for mount.nfs");
			waiting->shown = true;
		}
		if (poll(pfds, 2, left < TICK_MS ? left : TICK_MS) < 0 && errno != EINTR)
			return WAIT_OVER;
		if (pfds[1].revents &&
		    read(waiting->signals, &info, sizeof(info)) == sizeof(info)) {
			waiting->signal = (int)info.ssi_signo;
			return WAIT_SIGNAL;
		}
		if (pfds[0].revents)
			return WAIT_READY;
	}
	return WAIT_OVER;
}
