/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

#ifndef PLUGIN_CLI_GUESTS_H
#define PLUGIN_CLI_GUESTS_H

#include "plugin/host/host.h"
#include "plugin/libvirt/libvirt.h"
#include "plugin/report/report.h"

/* Definitions of running guests. */
#define GUESTS_FOLDER "run/libvirt/qemu"

struct guests_one {
	int rc; /* -errno of reading it, with err_set() */
	char path[512];
	const char *name;          /* of the guest, else of its file */
	struct domain_disks disks; /* if it could be read */
};

typedef void guests_fn(void *arg, const struct guests_one *one);
/* Errors: of reading the folder, which may be absent; -ETIMEDOUT. */
int guests_each(const struct host *host, uint64_t deadline, guests_fn *fn, void *arg);
/* To findings with a step that interrupts guests adds those that use the finding's target or pool
 * now, as evidence "guests". */
void guests_name(struct report *report, const struct host *host);

#endif
