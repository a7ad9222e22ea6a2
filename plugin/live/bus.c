/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Calls over the system bus (sd-bus(3)). sd-bus waits 25 seconds for an unresponsive bus;
 * so the wait is done here, up to the deadline. */
#include <systemd/sd-bus.h>

#include <poll.h>
#include <stdio.h>

#include "plugin/live/internal.h"
#include "plugin/live/bus.h"

#define REASON_MAX 200

void live_bus_close_p(struct sd_bus **bus)
{
	sd_bus_close_unref(*bus);
}

void live_bus_message_p(struct sd_bus_message **message)
{
	sd_bus_message_unref(*message);
}

static uint64_t live_bus_left_us(uint64_t deadline)
{
	uint64_t ms = (uint64_t)deadline_left(deadline);

	return ms ? ms * 1000 : 1;
}

static int live_bus_timeout(void)
{
	return err_set(ETIMEDOUT, "the system bus does not answer");
}

static int live_bus_error(int rc)
{
	bool none = rc == -ENOENT || rc == -ECONNREFUSED;

	return err_set(none ? EHOSTDOWN : EIO, "the system bus: %s", strerror(-rc));
}

int live_bus_open(struct sd_bus **out, uint64_t deadline)
{
	_cleanup_(live_bus_close_p) struct sd_bus *bus = NULL;
	int rc;

	rc = sd_bus_open_system(&bus);
	if (rc < 0)
		return live_bus_error(rc);
	/* Wait until the connection is ready. */
	while (!(rc = sd_bus_is_ready(bus))) {
		rc = sd_bus_process(bus, NULL);
		if (rc < 0)
			break;
		if (!deadline_left(deadline))
			return live_bus_timeout();
		if (!rc)
			rc = sd_bus_wait(bus, live_bus_left_us(deadline));
		if (rc < 0 && rc != -EINTR)
			break;
	}
	if (rc < 0)
		return live_bus_error(rc);
	*out = take_ptr(bus);
	return 0;
}

/* D-Bus error names; firewalld's own are all org.fedoraproject.FirewallD1.Exception. */
static const struct {
	const char *name;
	int number;
} live_bus_errors[] = {
	{ "org.freedesktop.DBus.Error.ServiceUnknown", ESRCH },
	{ "org.freedesktop.DBus.Error.NameHasNoOwner", ESRCH },
	{ "org.freedesktop.DBus.Error.AccessDenied", EACCES },
	{ "org.freedesktop.DBus.Error.AuthFailed", EACCES },
	{ "org.freedesktop.DBus.Error.InteractiveAuthorizationRequired", EACCES },
	{ "org.fedoraproject.FirewallD1.NotAuthorizedException", EACCES },
	{ "org.freedesktop.DBus.Error.NoReply", ETIMEDOUT },
	{ "org.freedesktop.DBus.Error.Timeout", ETIMEDOUT },
	{ "org.freedesktop.DBus.Error.UnknownMethod", EOPNOTSUPP },
	{ "org.freedesktop.DBus.Error.UnknownInterface", EOPNOTSUPP },
	{ "org.freedesktop.DBus.Error.UnknownObject", EOPNOTSUPP },
	{ "org.freedesktop.systemd1.NoSuchUnit", ENOENT },
};

static int live_bus_call_error(const sd_bus_error *error, int rc, const char *method)
{
	char reason[REASON_MAX];
	int number = EIO;
	size_t i;

	str_copy(reason, sizeof(reason), error->message ? error->message : strerror(-rc));
	finding_clean(reason);
	for (i = 0; i < ARRAY_SIZE(live_bus_errors); i++)
		if (sd_bus_error_has_name(error, live_bus_errors[i].name))
			number = live_bus_errors[i].number;
	if (rc == -ETIMEDOUT)
		number = ETIMEDOUT;
	return err_set(number, "%s: %s", method, reason);
}

int live_bus_send(struct sd_bus *bus, struct sd_bus_message *call, const char *method,
		  uint64_t deadline, struct sd_bus_message **reply)
{
	sd_bus_error error = SD_BUS_ERROR_NULL;
	int rc;

	if (!deadline_left(deadline))
		return live_bus_timeout();
	rc = sd_bus_message_set_auto_start(call, 0);
	if (rc >= 0)
		rc = sd_bus_call(bus, call, live_bus_left_us(deadline), &error, reply);
	if (rc < 0)
		rc = live_bus_call_error(&error, rc, method);
	sd_bus_error_free(&error);
	return rc < 0 ? rc : 0;
}

int live_bus_call(struct sd_bus *bus, const struct live_object *object, const char *method,
		  const char *const args[LIVE_BUS_ARGS], uint64_t deadline,
		  struct sd_bus_message **reply)
{
	_cleanup_(live_bus_message_p) struct sd_bus_message *call = NULL;
	int rc, i;

	rc = sd_bus_message_new_method_call(bus, &call, object->name, object->path,
					    object->interface, method);
	for (i = 0; i < LIVE_BUS_ARGS && args[i] && rc >= 0; i++)
		rc = sd_bus_message_append_basic(call, 's', args[i]);
	if (rc < 0)
		return err_set(-rc, "a call of %s", method);
	return live_bus_send(bus, call, method, deadline, reply);
}

int live_bus_check_reply(int rc, const char *method)
{
	return rc < 0 ? err_set(EIO, "the answer to %s is not understood: %s", method,
				strerror(-rc))
		      : 0;
}
