/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Between cmd-status.c, which collects, and status.c, which says what the host has. */
#ifndef PLUGIN_CLI_STATUS_H
#define PLUGIN_CLI_STATUS_H

#include "plugin/cli/options.h"
#include "plugin/guard/guard.h"
#include "plugin/libvirt/libvirt.h"
#include "plugin/report/words.h"

struct status_page {
	const struct host *host;
	uint64_t deadline;
	struct report_collector collector;
	struct host_platform platform;
	struct view_places pools;
	int pools_rc;                     /* of reading them */
	char pools_skipped[ERR_TEXT_MAX]; /* why they, or one, are not known; "" all are */
	struct view *view;      /* NULL: mounts could not be read, which is said elsewhere */
	struct finding finding; /* the one that is being filled in */
};

/* Adds what the host has, in findings of group Status. */
void status_facts(struct status_page *status);

#endif
