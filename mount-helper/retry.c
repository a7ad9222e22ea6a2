/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* What the result of the checks means for the mount, and how long mount.nfs retries.
 *
 * mount.nfs decides what a mount needs, and retries for the time of retry=: after a power cut a
 * client is up before its server. So a check ends a mount only where waiting cannot help, or where
 * there is no waiting (retry=0).
 *
 * The time: retry= of the options, otherwise of nfsmount.conf in the order of its
 * sections, otherwise the defaults of mount.nfs (utils/mount/stropts.c). */
#include <stdio.h>

#include "mount-helper/internal.h"

#define FOREGROUND 2
#define BACKGROUND 10000
/* Four weeks, which still fit into a timeout in milliseconds. */
#define MINUTES_MAX 40000

enum retry_action retry_decide(enum checks_result result, const struct retry_state *at)
{
	/* A silent server may still come: mount.nfs tries RDMA before TCP. */
	if (at->tcp && result != CHECKS_ALLOW && result != CHECKS_SILENT)
		return RETRY_TCP;
	switch (result) {
	case CHECKS_ALLOW: return RETRY_MOUNT;
	case CHECKS_DEVICE: return at->once || !at->device_time_left ? RETRY_REFUSE : RETRY_WAIT;
	case CHECKS_PATH:
		/* mount.nfs reports a missing route at once. */
		if (at->once || !at->reads)
			return RETRY_MOUNT;
		break;
	case CHECKS_SILENT:
	case CHECKS_REFUSED:
		if (at->tcp)
			return RETRY_MOUNT;
		/* With a server that does not answer, mount.nfs takes minutes, whatever retry=
		 * says. */
		if (at->once)
			return RETRY_REFUSE;
		if (!at->reads)
			return RETRY_MOUNT;
		break;
	default: return RETRY_REFUSE;
	}
	/* The probe before the mount needs a server that answers. */
	return at->time_left ? RETRY_WAIT : RETRY_REFUSE;
}

static unsigned int retry_parse(const char *text)
{
	unsigned long minutes = strtoul(text, NULL, 10);

	return (unsigned int)(minutes < MINUTES_MAX ? minutes : MINUTES_MAX);
}

unsigned int retry_minutes(const struct host *host, const struct plan *plan, const char *source,
			   const char *dir)
{
	_cleanup_(opts_free_p) struct opts *opts = NULL;
	_cleanup_(conf_close_p) struct conf *conf = NULL;
	ssize_t at = opts_parse(&opts, plan->options) ? -1 : opts_find(opts, "retry");
	const struct conf_value *value = NULL;

	if (at >= 0 && opts_at(opts, (size_t)at).value)
		return retry_parse(opts_at(opts, (size_t)at).value);
	if (!conf_open(&conf, host, "etc/nfsmount.conf"))
		value = conf_mount_get(conf, source, dir, "retry");
	if (value)
		return retry_parse(value->value);
	return plan->background ? BACKGROUND : FOREGROUND;
}

char *retry_options(const char *options, unsigned int minutes)
{
	_cleanup_(opts_free_p) struct opts *opts = NULL;
	char number[16], *out;
	ssize_t at;
	int rc;

	if (opts_parse(&opts, options))
		return NULL;
	snprintf(number, sizeof(number), "%u", minutes);
	at = opts_find(opts, "retry");
	rc = at < 0 ? opts_append(opts, "retry", number)
		    : opts_replace(opts, (size_t)at, "retry", number);
	return rc || opts_format(opts, &out) ? NULL : out;
}
