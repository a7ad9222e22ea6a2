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
struct ovirt_effect_lookup {
	bool lossy;
	const char *arg, *key;
	const struct conf_value *value;
};

/* conf_each() calls this in the order in which values were set. */
static int ovirt_effect_on_value(void *arg, const char *section_arg, const char *key,
				 const struct conf_value *value)
{
	struct ovirt_effect_lookup *lookup = arg;

	if (strcasecmp(key, lookup->key))
		return 0;
	if (section_arg && lookup->arg ? !strcasecmp(section_arg, lookup->arg)
				       : section_arg == lookup->arg)
		lookup->value = value;
	else if (lookup->lossy)
		lookup->value = NULL;
	return 0;
}

struct ovirt_effect_rules {
	const struct conf *conf;
	bool lossy;
	const struct conf_mount *mount;
};

static const struct conf_value *ovirt_effect_find(const struct ovirt_effect_rules *rules,
						  const char *key,
						  const struct conf_section **section)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rules->mount->sections); i++) {
		const struct conf_section *source = &rules->mount->sections[i];
		struct ovirt_effect_lookup lookup = { rules->lossy, source->arg, key, NULL };

		conf_each(rules->conf, source->section, ovirt_effect_on_value, &lookup);
		if (!lookup.value)
			continue;
		if (section)
			*section = source;
		return lookup.value;
	}
	return NULL;
}

/* These override any option string. */
static bool ovirt_effect_has_flag(const struct ovirt_effect_rules *rules, const struct opts *opts,
				  struct ovirt_effect *out)
{
	static const char *const flags[] = { "tcp", "udp" };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(flags); i++) {
		const struct conf_value *value = ovirt_effect_find(rules, flags[i], NULL);

		if (!value || conf_bool(value, 1) != 1 || opts_find(opts, flags[i]) >= 0)
			continue;
		snprintf(out->why, sizeof(out->why),
			 "/%.80s:%u has %s=%.20s, which applies last; remove that line",
			 value->file, value->line, flags[i], value->value);
		return true;
	}
	return false;
}

static void ovirt_effect_judge(const struct ovirt_effect_rules *rules,
			       const struct ovirt_entry *entry, struct ovirt_effect *out)
{
	const struct conf_section *section = NULL;
	const struct conf_value *proto = ovirt_effect_find(rules, "proto", &section),
				*port = ovirt_effect_find(rules, "port", NULL);
	char number[8];

	snprintf(number, sizeof(number), "%u", entry->port);
	if (!proto)
		snprintf(
			out->why, sizeof(out->why),
			"another section of its kind sets proto too, and this nfs-utils keeps only the last one");
	else if (strcmp(proto->value, entry->six ? "rdma6" : "rdma") != 0)
		snprintf(out->why, sizeof(out->why),
			 "/%.80s:%u says proto=%.20s for it (section %s)", proto->file, proto->line,
			 proto->value, section->section);
	else if (!port)
		snprintf(
			out->why, sizeof(out->why),
			"another section of its kind sets port too, and this nfs-utils keeps only the last one");
	else if (strcmp(port->value, number))
		snprintf(out->why, sizeof(out->why), "/%.80s:%u says port=%.20s for it", port->file,
			 port->line, port->value);
	else
		out->rdma = true;
}

/* Why a key is missing that would be present if every section were kept: the value found
 * instead is not the cause. */
static void ovirt_effect_note_lost(const struct ovirt_effect_rules *rules,
				   const struct ovirt_entry *entry, struct ovirt_effect *out)
{
	static const char *const keys[] = { "proto", "port" };
	const struct ovirt_effect_rules keeping = { rules->conf, false, rules->mount };
	struct ovirt_effect kept = { .rdma = false };
	size_t i = 0;

	ovirt_effect_judge(&keeping, entry, &kept);
	if (!kept.rdma)
		return;
	while (i + 1 < ARRAY_SIZE(keys) && ovirt_effect_find(rules, keys[i], NULL) ==
						   ovirt_effect_find(&keeping, keys[i], NULL))
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
	struct ovirt_effect_rules rules = { conf, false, &mount };

	*out = (struct ovirt_effect){ .rdma = false };
	conf_mount(&mount, domain->spec, domain->dir);
	if (opts_parse(&opts, options))
		return false;
	if (ovirt_effect_has_flag(&rules, opts, out))
		return true;
	rules.lossy = true;
	return ovirt_effect_has_flag(&rules, opts, out);
}

void ovirt_effect(const struct conf *conf, bool lossy, const struct ovirt_entry *entry,
		  const char *options, struct ovirt_effect *out)
{
	_cleanup_(opts_free_p) struct opts *opts = NULL;
	struct conf_mount mount;
	static const char *const names[] = { "proto", "port", "mountproto", "mountport" };
	const struct ovirt_effect_rules rules = { conf, lossy, &mount };
	size_t i;

	*out = (struct ovirt_effect){ .rdma = false };
	conf_mount(&mount, entry->spec, entry->dir);
	if (opts_parse(&opts, options)) {
		snprintf(out->why, sizeof(out->why), "%.300s", err_text());
		return;
	}
	/* The options of the command come first. */
	for (i = 0; i < ARRAY_SIZE(names); i++) {
		if (opts_find(opts, names[i]) < 0)
			continue;
		snprintf(
			out->why, sizeof(out->why),
			i < 2 ? "the engine's options have %s=, so mount.nfs ignores it in a file; remove it there"
			      : "the engine's options have %s=, in which older versions of mount.nfs see the option without \"mount\", and ignore it in a file; remove it there",
			names[i]);
		return;
	}
	if (ovirt_effect_has_flag(&rules, opts, out))
		return;
	ovirt_effect_judge(&rules, entry, out);
	if (!out->rdma && lossy)
		ovirt_effect_note_lost(&rules, entry, out);
}
