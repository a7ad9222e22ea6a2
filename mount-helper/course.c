/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* What the result of the checks means for the mount. mount.nfs decides what a mount needs, and
 * retries for the time of retry=: after a power cut a client is up before its server. So a check
 * ends a mount only where waiting cannot help, or where there is no waiting (retry=0). Pure. */
#include "mount-helper/internal.h"

/* With a server that does not answer, mount.nfs takes minutes, whatever retry= says. A missing route it
 * reports at once. */
static enum course of_server(const struct situation *at)
{
	if (at->once)
		return COURSE_REFUSE;
	/* The probe before the mount needs a server that answers. */
	if (at->reads)
		return at->time_left ? COURSE_WAIT : COURSE_REFUSE;
	return COURSE_TRY;
}

static enum course of_path(const struct situation *at)
{
	return at->once || !at->reads ? COURSE_TRY : of_server(at);
}

static enum course of_device(const struct situation *at)
{
	return at->once || !at->device_time_left ? COURSE_REFUSE : COURSE_WAIT;
}

enum course course_of(enum look_says says, const struct situation *at)
{
	/* A silent server may still come: mount.nfs tries RDMA before TCP. */
	if (at->tcp && says != LOOK_NOTHING && says != LOOK_SILENT)
		return COURSE_TCP;
	switch (says) {
	case LOOK_NOTHING: return COURSE_TRY;
	case LOOK_PATH: return of_path(at);
	case LOOK_SILENT:
	case LOOK_REFUSED: return at->tcp ? COURSE_TRY : of_server(at);
	case LOOK_DEVICE: return of_device(at);
	default: return COURSE_REFUSE;
	}
}
