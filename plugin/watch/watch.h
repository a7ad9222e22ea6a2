/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The watcher: follows this host's mounts, libvirt's pools and its guests, and tells the moment one
 * of them is not over RDMA any more. Meanwhile it keeps the records young that gates read
 * (plugin/record), and writes beside them
 *
 *	/run/nfsrdma/watch.json    what it sees, as a report (schema nfsrdma-report/1)
 *	/run/nfsrdma/metrics.prom  the same for a collector of metrics, and how the watcher is
 *
 * What it looks at are files of the kernel and of this host, and libvirt, which is asked by threads of
 * its own. No path at or below a network mount is ever touched, so a server that is gone
 * costs nothing. Needs root: for /run/nfsrdma, and for pools' files. */
#ifndef PLUGIN_WATCH_H
#define PLUGIN_WATCH_H

#include <stdio.h>

#include "plugin/host/host.h"
#include "plugin/report/report.h"

#define WATCH_METRICS "/run/nfsrdma/metrics.prom"

struct watch_options {
	const char *root; /* NULL: this machine */
	bool libvirt;
	const char *uri;          /* as of pools_open() */
	const char *textfile;     /* of the metrics; NULL: WATCH_METRICS */
	unsigned int interval_ms; /* 0: RECORD_PERIOD_MS */
	FILE *lines;              /* a line for each event; NULL: none */
};

/* One look, with at most until @deadline for libvirt. *@out is the caller's; also with an error that
 * came later, when it could not be written. Errors: -EBUSY another watcher is at work; -EACCES,
 * -EPERM not root; of reading and writing. */
int watch_once(const struct watch_options *options, uint64_t deadline,
	       struct report **out);
/* Until SIGTERM or SIGINT. Errors: as above, of the beginning; later ones are told, and tried again. */
int watch_run(const struct watch_options *options);

/* state.c: what a watcher at work says of itself, in watch.json */

struct watch_state {
	time_t looked_at, started_at;
	bool connected;                   /* to libvirt */
	unsigned int good, lost, unknown; /* of what it watches */
	/* 0: never, since it started. */
	time_t lost_at, back_at;
	char lost_text[FINDING_VALUE_MAX], back_text[FINDING_VALUE_MAX];
};

/* A watcher looks at least this often. */
#define WATCH_PERIOD_S 30

/* @sink: gets the findings about the watcher itself, and about servers that do not answer, that need
 * care. Errors: -ENOENT there is no watcher; -EBADMSG the file makes no sense; of reading it. */
int watch_state_read(const struct host *host, struct watch_state *out, finding_sink sink,
		     void *arg);

#endif
