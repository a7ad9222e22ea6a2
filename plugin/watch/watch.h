/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The watcher: follows this host's mounts, libvirt's pools and its guests, and reports at
 * once when one of them is no longer over RDMA. It writes
 *
 *	/run/nfsrdma/watch.json    its present state, as a report (schema nfsrdma-report/1)
 *	/run/nfsrdma/metrics.prom  the same for a metrics collector, with metrics of the watcher
 *
 * It reads files of the kernel and of this host, and queries libvirt in threads of its own.
 * It never touches a path at or below a network mount, so an unreachable server does not
 * block it. Needs root: for /run/nfsrdma, and for pools' files. */
#ifndef PLUGIN_WATCH_H
#define PLUGIN_WATCH_H

#include <stdio.h>

#include "plugin/host/host.h"
#include "plugin/report/report.h"

#define WATCH_METRICS "/run/nfsrdma/metrics.prom"

struct watch_options {
	const char *root; /* NULL: this machine */
	bool libvirt;
	const char *uri;          /* as in pools_open() */
	const char *textfile;     /* of the metrics; NULL: WATCH_METRICS */
	unsigned int interval_ms; /* 0: half a minute */
	FILE *lines;              /* a line for each event; NULL: none */
};

/* One scan, waiting for libvirt until @deadline at most. *@out is the caller's, also after
 * an error in writing it. Errors: -EBUSY another watcher is running; -EACCES, -EPERM not
 * root; of reading and writing. */
int watch_once(const struct watch_options *options, uint64_t deadline, struct report **out);
/* Runs until SIGTERM or SIGINT. Errors: as above, at the start; later ones are reported and
 * retried. */
int watch_run(const struct watch_options *options);

/* state.c: the state that a running watcher exports in watch.json */

struct watch_state {
	time_t looked_at, started_at;
	bool connected;                   /* to libvirt */
	unsigned int good, lost, unknown; /* of what it watches */
	/* 0: never since it started. */
	time_t lost_at, back_at;
	char lost_text[FINDING_VALUE_MAX], back_text[FINDING_VALUE_MAX];
};

/* The watcher's longest interval between scans. */
#define WATCH_PERIOD_S 30

/* @sink: gets the findings that need attention about the watcher itself and about servers that
 * do not answer. Errors: -ENOENT there is no watcher; -EBADMSG the file is malformed; of
 * reading it. */
int watch_state_read(const struct host *host, struct watch_state *out, finding_sink sink,
		     void *arg);

/* export.c: for others to read */

/* Replaces the file atomically. Errors: -ENOENT there is no such folder; -errno with a message. */
int export_text(const char *path, const char *text);

#endif
