/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* A mount that takes its time: signals end it with a sentence, and who waits at a terminal sees a line
 * of progress, which is gone before anything else is said. */
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>

#include "mount-helper/internal.h"

/* A mount that succeeds at once shows nothing. */
#define PATIENCE_MS 2000
#define TICK_MS     1000

void waiting_begin(struct waiting *waiting)
{
	sigset_t set;
	int fd;

	if (waiting->signals)
		return;
	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	sigaddset(&set, SIGQUIT);
	fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	/* Without it they end us as ever. */
	if (fd <= 0)
		return;
	sigprocmask(SIG_BLOCK, &set, NULL);
	waiting->signals = fd;
}

/* A line that wraps could not be erased. */
static int columns(void)
{
	struct winsize size;

	if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) || size.ws_col < 20)
		return 79;
	return size.ws_col - 1;
}

static void show(struct waiting *waiting)
{
	uint64_t now = now_ms(), from = waiting->since_ms;
	char line[512];

	if (!from || now - from < PATIENCE_MS || !isatty(STDERR_FILENO))
		return;
	snprintf(line, sizeof(line), "%llu s of %llu s: %.400s",
		 (unsigned long long)(now - from) / 1000,
		 (unsigned long long)(waiting->until_ms - from) / 1000,
		 waiting->what[0] ? waiting->what : "waiting for mount.nfs");
	fprintf(stderr, "\r\033[K%.*s", columns(), line);
	fflush(stderr);
	waiting->shown = true;
}

void waiting_erase(struct waiting *waiting)
{
	if (waiting->shown)
		fputs("\r\033[K", stderr);
	waiting->shown = false;
}

static int take_signal(struct waiting *waiting)
{
	struct signalfd_siginfo info;

	if (!waiting->signals ||
	    read(waiting->signals, &info, sizeof(info)) != sizeof(info))
		return 0;
	waiting->signal = (int)info.ssi_signo;
	return waiting->signal;
}

enum wait_end waiting_for(struct waiting *waiting, int fd, uint64_t deadline)
{
	struct pollfd pfds[] = {
		{ fd, POLLIN, 0 },
		{ waiting->signals ? waiting->signals : -1, POLLIN, 0 },
	};
	int left;

	while ((left = deadline_left(deadline)) > 0) {
		show(waiting);
		if (poll(pfds, 2, left < TICK_MS ? left : TICK_MS) < 0 && errno != EINTR)
			return WAIT_OVER;
		if (pfds[1].revents && take_signal(waiting))
			return WAIT_SIGNAL;
		if (pfds[0].revents)
			return WAIT_READY;
	}
	return WAIT_OVER;
}
