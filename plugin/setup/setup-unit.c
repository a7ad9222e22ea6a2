/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Restarting a unit, by systemd over the system bus (org.freedesktop.systemd1(5)): a job, which is
 * waited for by asking for its object until that is gone; then the unit is up, or is not. */
#include <systemd/sd-bus.h>

#include <stdio.h>
#include <time.h>

#include "plugin/live/bus.h"
#include "plugin/live/live.h"
#include "plugin/setup/system.h"

#define SYSTEMD    "org.freedesktop.systemd1"
#define RESTART_MS 120000 /* a server ends its grace period first */
#define POLL_MS    100

#define PATH_MAX_BUS 256

static int unit_job_start(struct sd_bus *bus, const char *unit, uint64_t deadline,
			  char path[PATH_MAX_BUS])
{
	static const struct live_object manager = { SYSTEMD, "/org/freedesktop/systemd1",
						    SYSTEMD ".Manager" };
	_cleanup_(live_bus_message_p) struct sd_bus_message *reply = NULL;
	const char *args[LIVE_BUS_ARGS] = { unit, "replace" }, *job;
	int rc;

	rc = live_bus_call(bus, &manager, "RestartUnit", args, deadline, &reply);
	if (rc)
		return rc;
	rc = live_bus_check_reply(sd_bus_message_read_basic(reply, 'o', &job), "RestartUnit");
	if (!rc && !str_copy(path, PATH_MAX_BUS, job))
		rc = err_set(EIO, "the name of the job is too long");
	return rc;
}

/* 1: it is still there. */
static int unit_job_is_pending(struct sd_bus *bus, const char *path, uint64_t deadline)
{
	const struct live_object job = { SYSTEMD, path, "org.freedesktop.DBus.Properties" };
	_cleanup_(live_bus_message_p) struct sd_bus_message *reply = NULL;
	const char *args[LIVE_BUS_ARGS] = { SYSTEMD ".Job", "State" };
	int rc = live_bus_call(bus, &job, "Get", args, deadline, &reply);

	if (!rc)
		return 1;
	return rc == -EOPNOTSUPP || rc == -ENOENT ? 0 : rc;
}

int setup_unit_restart(const char *unit)
{
	uint64_t deadline = deadline_in(RESTART_MS);
	const struct timespec pause = { 0, POLL_MS * 1000000L };
	struct sd_bus *bus = NULL;
	char job[PATH_MAX_BUS];
	char state[32];
	int rc = live_bus_open(&bus, deadline);

	if (!rc)
		rc = unit_job_start(bus, unit, deadline, job);
	while (!rc && (rc = unit_job_is_pending(bus, job, deadline)) > 0) {
		nanosleep(&pause, NULL);
		rc = 0;
	}
	if (bus)
		live_bus_close_p(&bus);
	if (!rc)
		rc = live_system.unit(NULL, unit, state, sizeof(state));
	if (rc == -ESRCH)
		return err_set(EHOSTDOWN, "systemd does not run here");
	if (rc)
		return err_context(rc, "restart %s", unit);
	if (strcmp(state, "active") != 0)
		return err_set(EIO, "%s is %s after its restart: journalctl -u %s", unit, state,
			       unit);
	return 0;
}
