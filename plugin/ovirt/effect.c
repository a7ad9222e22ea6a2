/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* What mount.nfs makes of VDSM's command and of nfsmount.conf (utils/mount/configfile.c): the first
 * of MountPoint, Server and the global section, in this order, that has an option adds it, unless
 * the command has one of that name. "proto", "tcp" and "rdma" are three names, and the last
 * transport applies, so a "tcp=true" anywhere overrides everything. */
#include <stdio.h>

#include "plugin/ovirt/internal.h"

/* These are added behind any option string. */
bool ovirt_effect_flag(const struct conf *conf, const char *spec, const char *dir,
		       const struct opts *opts, char why[OVIRT_WHY_MAX])
{
	static const char *const flags[] = { "tcp", "udp" };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(flags); i++) {
		const struct conf_value *value = conf_mount_get(conf, spec, dir, flags[i]);

		if (!value || !conf_bool(value, 1) || opts_find(opts, flags[i]) >= 0)
			continue;
		snprintf(why, OVIRT_WHY_MAX,
			 "/%.80s:%u has %s=%.20s, which applies last; remove that line",
			 value->file, value->line, flags[i], value->value);
		return true;
	}
	return false;
}

static bool ovirt_effect_is(const struct conf *conf, const struct ovirt_entry *entry,
			    const char *key, const char *expected, char why[OVIRT_WHY_MAX])
{
	const struct conf_value *value = conf_mount_get(conf, entry->spec, entry->dir, key);

	if (value && !strcmp(value->value, expected))
		return true;
	if (value)
		snprintf(why, OVIRT_WHY_MAX, "/%.80s:%u says %s=%.20s for it", value->file,
			 value->line, key, value->value);
	else
		snprintf(why, OVIRT_WHY_MAX, "nfs-utils would not read its %s", key);
	return false;
}

bool ovirt_effect(const struct conf *conf, const struct ovirt_entry *entry, const char *options,
		  char why[OVIRT_WHY_MAX])
{
	static const char *const names[] = { "proto", "port", "mountproto", "mountport" };
	_cleanup_(opts_free_p) struct opts *opts = NULL;
	char port[8];
	size_t i;

	snprintf(port, sizeof(port), "%u", entry->port);
	if (opts_parse(&opts, options)) {
		snprintf(why, OVIRT_WHY_MAX, "%.300s", err_text());
		return false;
	}
	/* The options of the command come first. */
	for (i = 0; i < ARRAY_SIZE(names); i++) {
		if (opts_find(opts, names[i]) < 0)
			continue;
		snprintf(
			why, OVIRT_WHY_MAX,
			i < 2 ? "the engine's options have %s=, so mount.nfs ignores it in a file; remove it there"
			      : "the engine's options have %s=, in which older versions of mount.nfs see the option without \"mount\", and ignore it in a file; remove it there",
			names[i]);
		return false;
	}
	return !ovirt_effect_flag(conf, entry->spec, entry->dir, opts, why) &&
	       ovirt_effect_is(conf, entry, "proto", entry->six ? "rdma6" : "rdma", why) &&
	       ovirt_effect_is(conf, entry, "port", port, why);
}
