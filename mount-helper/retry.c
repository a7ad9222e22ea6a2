/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* How long mount.nfs retries: retry= of the options, otherwise of nfsmount.conf in the order of its
 * sections, otherwise the defaults of mount.nfs (utils/mount/stropts.c). */
#include <stdio.h>

#include "mount-helper/internal.h"

#define FOREGROUND 2
#define BACKGROUND 10000
/* Four weeks, which still fit into a timeout in milliseconds. */
#define MINUTES_MAX 40000

static unsigned int parse(const char *text)
{
	unsigned long minutes = strtoul(text, NULL, 10);

	return (unsigned int)(minutes < MINUTES_MAX ? minutes : MINUTES_MAX);
}

static const struct conf_value *configured(const struct conf *conf, const char *source,
					   const char *dir)
{
	const struct conf_value *value = NULL;
	struct conf_mount mount;
	size_t i;

	conf_mount(&mount, source, dir);
	for (i = 0; !value && i < ARRAY_SIZE(mount.sections); i++)
		value = conf_get(conf, mount.sections[i].section, mount.sections[i].arg,
				 "retry");
	return value;
}

unsigned int retry_minutes(const struct host *host, const struct plan *plan,
			   const char *source, const char *dir)
{
	_cleanup_(opts_free_p) struct opts *opts = NULL;
	_cleanup_(conf_close_p) struct conf *conf = NULL;
	ssize_t at = opts_parse(&opts, plan->options) ? -1 : opts_find(opts, "retry");
	const struct conf_value *value = NULL;

	if (at >= 0 && opts_at(opts, (size_t)at).value)
		return parse(opts_at(opts, (size_t)at).value);
	if (!conf_open(&conf, host, "etc/nfsmount.conf"))
		value = configured(conf, source, dir);
	if (value)
		return parse(value->value);
	return plan->background ? BACKGROUND : FOREGROUND;
}

char *retry_options(const char *options, unsigned int minutes)
{
	_cleanup_(opts_free_p) struct opts *opts = NULL;
	char number[16], *out;
	ssize_t at;
	int rc = opts_parse(&opts, options);

	if (rc)
		return NULL;
	snprintf(number, sizeof(number), "%u", minutes);
	at = opts_find(opts, "retry");
	rc = at < 0 ? opts_append(opts, "retry", number)
		    : opts_replace(opts, (size_t)at, "retry", number);
	rc = rc ? rc : opts_format(opts, &out);
	return rc ? NULL : out;
}
