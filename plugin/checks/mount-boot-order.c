/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Whether hypervisors start their guests after the mounts. systemd orders a mount with nofail before
 * nothing: systemd-fstab-generator(8) and the mount's default dependencies leave out
 * Before=remote-fs.target. A guest that starts at boot can then be first, and is refused, or without
 * a gate writes to the local disk. */
#include <stdio.h>

#include "plugin/checks/internal.h"

/* What starts guests at boot, or mounts and then lets them start. */
static const char *const boot_order_units[] = { "libvirtd.service", "virtqemud.service",
						"vdsmd.service", "pve-guests.service" };
#define BEFORE "x-systemd.before="

/* Whether a list, of options or of units, has this word. */
static bool boot_order_has(const char *list, const char *separators, const char *before,
			   const char *word)
{
	size_t start = strlen(before), len;

	for (; *list; list += len + (list[len] != '\0')) {
		len = strcspn(list, separators);
		if (len == start + strlen(word) && !strncmp(list, before, start) &&
		    !strncmp(list + start, word, len - start))
			return true;
	}
	return false;
}

/* Whether the unit itself waits: by After=, or by a path on or below the mount. */
static bool boot_order_waits(const struct host *host, const char *unit,
			     const struct view_place *place)
{
	char after[1024], paths[1024], *rest = paths, *path;
	const struct unit_setting settings[] = { { "After", after, sizeof(after), true },
						 { "RequiresMountsFor", paths, sizeof(paths),
						   true },
						 { NULL, NULL, 0, false } };
	size_t len = strlen(place->target);

	if (host_unit_read(host, unit, "Unit", settings))
		return false;
	if (place->name && boot_order_has(after, " \t", "", place->name))
		return true;
	while ((path = word_next(&rest)))
		if (!strncmp(path, place->target, len) && (!path[len] || path[len] == '/'))
			return true;
	return false;
}

/* The units of this host that start without waiting for the mount, "Before=" of its unit included. */
static bool boot_order_races(const struct host *host, const struct view_place *place,
			     struct words *units)
{
	char before[1024] = "";
	const struct unit_setting settings[] = { { "Before", before, sizeof(before), true },
						 { NULL, NULL, 0, false } };
	bool of_fstab = place->kind == PLACE_FSTAB;
	const char *list = of_fstab ? place->options : before;
	const char *between = of_fstab ? "," : " \t", *prefix = of_fstab ? BEFORE : "";
	enum unit_state state;
	size_t i;

	if (!boot_order_has(place->options, ",", "", "nofail"))
		return false;
	if (!of_fstab)
		host_unit_read(host, place->name, "Unit", settings);
	if (boot_order_has(list, between, prefix, "remote-fs.target"))
		return false;
	for (i = 0; i < ARRAY_SIZE(boot_order_units); i++)
		if (!host_unit_state(host, boot_order_units[i], &state) && state != UNIT_MISSING &&
		    state != UNIT_MASKED &&
		    !boot_order_has(list, between, prefix, boot_order_units[i]) &&
		    !boot_order_waits(host, boot_order_units[i], place))
			words_add(units, "%s", boot_order_units[i]);
	return units->count;
}

/* The options to write, with the units that are missing. */
static void boot_order_write(const struct view_place *place, char *buf, size_t cap)
{
	size_t used = (size_t)snprintf(buf, cap, "%s", place->options), i;

	if (!strstr(place->options, "x-systemd.mount-timeout=") && used < cap)
		used += (size_t)snprintf(buf + used, cap - used, ",x-systemd.mount-timeout=90s");
	for (i = 0; i < ARRAY_SIZE(boot_order_units) && used < cap; i++)
		if (!boot_order_has(place->options, ",", BEFORE, boot_order_units[i]))
			used += (size_t)snprintf(buf + used, cap - used, "," BEFORE "%s",
						 boot_order_units[i]);
}

static int boot_order_warn(struct check_run *run, const struct view_dir *dir, struct words *units)
{
	const struct view_place *place = dir->place;
	char options[1536];

	finding_text(&run->finding, "target", "%s", dir->path);
	finding_text(&run->finding, "file", "%s", place->by);
	if (place->kind == PLACE_UNIT) {
		finding_text(&run->finding, "unit", "%s", place->name);
	} else {
		boot_order_write(place, options, sizeof(options));
		finding_text(&run->finding, "line", "%s %s %s %s 0 0", place->fs_spec,
			     place->target, place->plain ? "nfs" : "nfsrdma", options);
	}
	return check_say_why(
		run, FINDING_WARN, place->kind == PLACE_UNIT ? "unit" : "fstab",
		"%s has nofail, so systemd does not order the mount of %.160s before %s", place->by,
		dir->path, words_text(units));
}

int check_mount_boot_order(struct check_run *run)
{
	const struct view *view;
	unsigned int ordered = 0;
	int rc = facts_view(run, &view);
	size_t i;

	if (rc)
		return rc;
	for (i = 0; i < view_ndirs(view); i++) {
		const struct view_dir *dir = view_dir(view, i);
		struct words units = { .separator = " and " };

		if ((dir->place->kind != PLACE_FSTAB && dir->place->kind != PLACE_UNIT) ||
		    !dir->place->expected || !dir->wanted.rdma || !dir->place->options)
			continue;
		if (boot_order_races(run->host, dir->place, &units))
			return boot_order_warn(run, dir, &units);
		ordered++;
	}
	if (!ordered)
		return check_say(run, FINDING_SKIP, "no mount over RDMA at boot");
	return check_say(run, FINDING_PASS, "%u mount%s before what starts guests", ordered,
			 ordered == 1 ? "" : "s");
}
