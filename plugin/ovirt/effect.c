/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* What mount.nfs makes of VDSM's command and of nfsmount.conf (utils/mount/configfile.c): the first
 * of MountPoint, Server and the global section, in this order, that has an option adds it, unless
 * the command has one of that name. "proto", "tcp" and "rdma" are three names, and the last
 * transport applies, so a "tcp=true" anywhere overrides everything. */
#include <stdio.h>
#include <strings.h>

#include "plugin/ovirt/internal.h"

/* The value that mount.nfs finds in one section; NULL: none. */
struct lookup {
	bool lossy;
	const char *arg, *key;
	const struct conf_value *value;
};

static bool same_arg(const char *a, const char *b)
{
	return a && b ? !strcasecmp(a, b) : a == b;
}

/* conf_each() calls this in the order in which values were set. */
static int look_at(void *arg, const char *section_arg, const char *key,
		   const struct conf_value *value)
{
	struct lookup *lookup = arg;

	if (strcasecmp(key, lookup->key))
		return 0;
	if (same_arg(section_arg, lookup->arg))
		lookup->value = value;
	else if (lookup->lossy)
		lookup->value = NULL;
	return 0;
}

struct judge {
	const struct conf *conf;
	bool lossy;
	const struct conf_mount *mount;
};

static const struct conf_value *find(const struct judge *judge, const char *key,
				     const struct conf_section **where)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(judge->mount->sections); i++) {
		const struct conf_section *source = &judge->mount->sections[i];
		struct lookup lookup = { judge->lossy, source->arg, key, NULL };

		conf_each(judge->conf, source->section, look_at, &lookup);
		if (!lookup.value)
			continue;
		if (where)
			*where = source;
		return lookup.value;
	}
	return NULL;
}

static bool has(const struct opts *opts, const char *name)
{
	return opts_find(opts, name) >= 0;
}

/* These override any option string. */
static bool has_flag(const struct judge *judge, const struct opts *opts,
		     struct ovirt_effect *out)
{
	static const char *const flags[] = { "tcp", "udp" };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(flags); i++) {
		const struct conf_value *value = find(judge, flags[i], NULL);

		if (!value || conf_bool(value, 1) != 1 || has(opts, flags[i]))
			continue;
		snprintf(out->why, sizeof(out->why),
			 "/%.80s:%u has %s=%.20s, which applies last; remove that line",
			 value->file, value->line, flags[i], value->value);
		return true;
	}
	return false;
}

/* The options of the command come first. */
static bool says_otherwise(const struct opts *opts, struct ovirt_effect *out)
{
	static const char *const names[] = { "proto", "port", "mountproto", "mountport" };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(names); i++) {
		if (!has(opts, names[i]))
			continue;
		snprintf(
			out->why, sizeof(out->why),
			i < 2 ? "the engine's options have %s=, so mount.nfs ignores it in a file; remove it there"
			      : "the engine's options have %s=, in which older versions of mount.nfs see the option without \"mount\", and ignore it in a file; remove it there",
			names[i]);
		return true;
	}
	return false;
}

static bool says_rdma(const struct ovirt_entry *entry, const char *value)
{
	return !strcmp(value, entry->six ? "rdma6" : "rdma");
}

static void judge_values(const struct judge *judge, const struct ovirt_entry *entry,
			 struct ovirt_effect *out)
{
	const struct conf_section *where = NULL;
	const struct conf_value *proto = find(judge, "proto", &where),
				*port = find(judge, "port", NULL);
	char number[8];

	snprintf(number, sizeof(number), "%u", entry->port);
	if (!proto)
		snprintf(
			out->why, sizeof(out->why),
			"another section of its kind sets proto too, and this nfs-utils keeps only the last one");
	else if (!says_rdma(entry, proto->value))
		snprintf(out->why, sizeof(out->why),
			 "/%.80s:%u says proto=%.20s for it (section %s)", proto->file,
			 proto->line, proto->value, where->section);
	else if (!port)
		snprintf(
			out->why, sizeof(out->why),
			"another section of its kind sets port too, and this nfs-utils keeps only the last one");
	else if (strcmp(port->value, number))
		snprintf(out->why, sizeof(out->why), "/%.80s:%u says port=%.20s for it",
			 port->file, port->line, port->value);
	else
		out->rdma = true;
}

/* Why a key is missing that would be present if every section were kept: the value found
 * instead is not the cause. */
static void note_lost(const struct judge *judge, const struct ovirt_entry *entry,
		      struct ovirt_effect *out)
{
	static const char *const keys[] = { "proto", "port" };
	const struct judge keeping = { judge->conf, false, judge->mount };
	struct ovirt_effect kept = { .rdma = false };
	size_t i = 0;

	judge_values(&keeping, entry, &kept);
	if (!kept.rdma)
		return;
	while (i + 1 < ARRAY_SIZE(keys) &&
	       find(judge, keys[i], NULL) == find(&keeping, keys[i], NULL))
		i++;
	out->lost = true;
	snprintf(
		out->why, sizeof(out->why),
		"another section of its kind sets %s too, and this nfs-utils keeps only the last one",
		keys[i]);
}

bool ovirt_effect_flag(const struct conf *conf, const struct ovirt_domain *domain,
		       const char *options, struct ovirt_effect *out)
{
	_cleanup_(opts_free_p) struct opts *opts = NULL;
	struct conf_mount mount;
	struct judge judge = { conf, false, &mount };

	*out = (struct ovirt_effect){ .rdma = false };
	conf_mount(&mount, domain->spec, domain->dir);
	if (opts_parse(&opts, options))
		return false;
	if (has_flag(&judge, opts, out))
		return true;
	judge.lossy = true;
	return has_flag(&judge, opts, out);
}

void ovirt_effect(const struct conf *conf, bool lossy, const struct ovirt_entry *entry,
		  const char *options, struct ovirt_effect *out)
{
	_cleanup_(opts_free_p) struct opts *opts = NULL;
	struct conf_mount mount;
	const struct judge judge = { conf, lossy, &mount };

	*out = (struct ovirt_effect){ .rdma = false };
	conf_mount(&mount, entry->spec, entry->dir);
	if (opts_parse(&opts, options)) {
		snprintf(out->why, sizeof(out->why), "%.300s", err_text());
		return;
	}
	if (says_otherwise(opts, out) || has_flag(&judge, opts, out))
		return;
	judge_values(&judge, entry, out);
	if (!out->rdma && lossy)
		note_lost(&judge, entry, out);
}
