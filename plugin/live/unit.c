/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The state of a unit, from systemd over the system bus (org.freedesktop.systemd1(5)).
 * LoadUnit() reads the unit's file, whereas GetUnit() knows only loaded units; it starts
 * nothing. */
#include <systemd/sd-bus.h>

#include <stdio.h>

#include "plugin/live/internal.h"
#include "plugin/live/bus.h"

#define UNIT_MS      1000
#define SYSTEMD      "org.freedesktop.systemd1"
#define PATH_MAX_BUS 256

struct live_unit_query {
	struct sd_bus *bus;
	uint64_t deadline;
	char path[PATH_MAX_BUS]; /* the unit's */
};

static void live_unit_query_fini(struct live_unit_query *query)
{
	live_bus_close_p(&query->bus);
}

static int live_unit_load(struct live_unit_query *query, const char *unit)
{
	static const struct live_object manager = { SYSTEMD, "/org/freedesktop/systemd1",
						    SYSTEMD ".Manager" };
	_cleanup_(live_bus_message_p) struct sd_bus_message *reply = NULL;
	const char *args[LIVE_BUS_ARGS] = { unit }, *text;
	int rc;

	rc = live_bus_call(query->bus, &manager, "LoadUnit", args, query->deadline, &reply);
	if (rc)
		return rc;
	rc = live_bus_check_reply(sd_bus_message_read_basic(reply, 'o', &text), "LoadUnit");
	if (rc)
		return rc;
	if (!str_copy(query->path, sizeof(query->path), text))
		return err_set(EIO, "the name of unit %.40s is too long", unit);
	return 0;
}

/* *@reply: the message, positioned in the variant. @type: of sd-bus. */
static int live_unit_get_value(struct live_unit_query *query, const char *name, char type,
			       struct sd_bus_message **reply, void *value)
{
	const struct live_object object = { SYSTEMD, query->path,
					    "org.freedesktop.DBus.Properties" };
	const char *args[LIVE_BUS_ARGS] = { SYSTEMD ".Unit", name };
	const char contents[] = { type, '\0' };
	int rc;

	rc = live_bus_call(query->bus, &object, "Get", args, query->deadline, reply);
	if (rc)
		return rc;
	rc = sd_bus_message_enter_container(*reply, 'v', contents);
	if (rc > 0)
		rc = sd_bus_message_read_basic(*reply, type, value);
	return live_bus_check_reply(rc, name);
}

static int live_unit_get_text(struct live_unit_query *query, const char *name, char *buf,
			      size_t cap)
{
	_cleanup_(live_bus_message_p) struct sd_bus_message *reply = NULL;
	const char *text;
	int rc = live_unit_get_value(query, name, 's', &reply, &text);

	if (!rc)
		text_copy(buf, cap, text);
	return rc;
}

/* Opens the bus and finds an existing unit. */
static int live_unit_open(struct live_unit_query *query, const struct host *host, const char *unit)
{
	char loaded[32];
	int rc;

	*query = (struct live_unit_query){ .deadline = host_deadline(host, UNIT_MS) };
	rc = live_bus_open(&query->bus, query->deadline);
	if (!rc)
		rc = live_unit_load(query, unit);
	if (!rc)
		rc = live_unit_get_text(query, "LoadState", loaded, sizeof(loaded));
	if (!rc && !strcmp(loaded, "not-found"))
		return err_set(ENOENT, "there is no unit %s", unit);
	return rc == -ESRCH ? err_set(EHOSTDOWN, "systemd does not run here") : rc;
}

int live_unit(const struct host *host, const char *unit, char *state, size_t cap)
{
	_cleanup_(live_unit_query_fini) struct live_unit_query query;
	int rc = live_unit_open(&query, host, unit);

	return rc ? rc : live_unit_get_text(&query, "ActiveState", state, cap);
}

int live_unit_changed(const struct host *host, const char *unit, int64_t *seconds)
{
	_cleanup_(live_bus_message_p) struct sd_bus_message *reply = NULL;
	_cleanup_(live_unit_query_fini) struct live_unit_query query;
	int rc = live_unit_open(&query, host, unit);
	uint64_t usec = 0;

	if (!rc)
		rc = live_unit_get_value(&query, "StateChangeTimestamp", 't', &reply, &usec);
	*seconds = (int64_t)(usec / 1000000);
	return rc;
}
