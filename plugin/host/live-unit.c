/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The state of a unit, from systemd over the system bus (org.freedesktop.systemd1(5)).
 * LoadUnit() reads the unit's file, whereas GetUnit() knows only loaded units; it starts
 * nothing. */
#include <systemd/sd-bus.h>

#include <stdio.h>

#include "plugin/host/live-internal.h"

#define UNIT_MS      1000
#define SYSTEMD      "org.freedesktop.systemd1"
#define PATH_MAX_BUS 256

static int load_unit(struct sd_bus *bus, const char *unit, uint64_t deadline,
		     char path[PATH_MAX_BUS])
{
	static const struct live_object manager = { SYSTEMD, "/org/freedesktop/systemd1",
						    SYSTEMD ".Manager" };
	_cleanup_(live_bus_message_p) struct sd_bus_message *reply = NULL;
	const char *args[LIVE_BUS_ARGS] = { unit }, *text;
	int rc;

	rc = live_bus_call(bus, &manager, "LoadUnit", args, deadline, &reply);
	if (rc)
		return rc;
	rc = live_bus_form(sd_bus_message_read_basic(reply, 'o', &text), "LoadUnit");
	if (rc)
		return rc;
	if (strlen(text) >= PATH_MAX_BUS)
		return err_set(EIO, "the name of unit %.40s is too long", unit);
	strcpy(path, text);
	return 0;
}

/* *@reply: the message, positioned in the variant. @type: of sd-bus. */
static int get_value(struct sd_bus *bus, const char *path, const char *name, char type,
		     uint64_t deadline, struct sd_bus_message **reply, void *value)
{
	const struct live_object object = { SYSTEMD, path,
					    "org.freedesktop.DBus.Properties" };
	const char *args[LIVE_BUS_ARGS] = { SYSTEMD ".Unit", name };
	const char contents[] = { type, '\0' };
	int rc;

	rc = live_bus_call(bus, &object, "Get", args, deadline, reply);
	if (rc)
		return rc;
	rc = sd_bus_message_enter_container(*reply, 'v', contents);
	if (rc > 0)
		rc = sd_bus_message_read_basic(*reply, type, value);
	return live_bus_form(rc, name);
}

static int get_property(struct sd_bus *bus, const char *path, const char *name,
			uint64_t deadline, char *buf, size_t cap)
{
	_cleanup_(live_bus_message_p) struct sd_bus_message *reply = NULL;
	const char *text;
	int rc = get_value(bus, path, name, 's', deadline, &reply, &text);

	if (!rc)
		text_copy(buf, cap, text);
	return rc;
}

/* Opens the bus and finds an existing unit. */
static int find_unit(const char *unit, uint64_t deadline, struct sd_bus **bus,
		     char path[PATH_MAX_BUS])
{
	char loaded[32];
	int rc = live_bus_open(bus, deadline);

	if (!rc)
		rc = load_unit(*bus, unit, deadline, path);
	if (!rc)
		rc = get_property(*bus, path, "LoadState", deadline, loaded,
				  sizeof(loaded));
	if (!rc && !strcmp(loaded, "not-found"))
		return err_set(ENOENT, "there is no unit %s", unit);
	return rc == -ESRCH ? err_set(EHOSTDOWN, "systemd does not run here") : rc;
}

int live_unit(const struct host *host, const char *unit, char *state, size_t cap)
{
	_cleanup_(live_bus_close_p) struct sd_bus *bus = NULL;
	uint64_t deadline = deadline_in(UNIT_MS);
	char path[PATH_MAX_BUS];
	int rc = find_unit(unit, deadline, &bus, path);

	(void)host;
	return rc ? rc : get_property(bus, path, "ActiveState", deadline, state, cap);
}

int live_unit_changed(const struct host *host, const char *unit, int64_t *seconds)
{
	_cleanup_(live_bus_message_p) struct sd_bus_message *reply = NULL;
	_cleanup_(live_bus_close_p) struct sd_bus *bus = NULL;
	uint64_t deadline = deadline_in(UNIT_MS), usec = 0;
	char path[PATH_MAX_BUS];
	int rc = find_unit(unit, deadline, &bus, path);

	(void)host;
	if (!rc)
		rc = get_value(bus, path, "StateChangeTimestamp", 't', deadline, &reply,
			       &usec);
	*seconds = (int64_t)(usec / 1000000);
	return rc;
}
