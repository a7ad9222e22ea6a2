/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Ports of firewalld's zones (firewalld.dbus(5)). What is in force is an interface of the one
 * object; what is in its files is an object for each zone, and neither changes the other. */
#include <systemd/sd-bus.h>

#include <netinet/in.h>
#include <stdio.h>

#include "plugin/live/bus.h"
#include "plugin/live/live.h"
#include "plugin/setup/system.h"

#define FIREWALLD    "org.fedoraproject.FirewallD1"
#define OBJECT       "/org/fedoraproject/FirewallD1"
#define FIREWALLD_MS 10000 /* it rewrites its rules before it answers */

struct firewalld_zone {
	struct sd_bus *bus;
	uint64_t deadline;
	const struct setup_port *port;
	char path[256];
	struct live_object object;
};

static int firewalld_zone_find(struct firewalld_zone *zone, const struct setup_port *port)
{
	static const struct live_object config = { FIREWALLD, OBJECT "/config",
						   FIREWALLD ".config" };
	_cleanup_(live_bus_message_p) struct sd_bus_message *reply = NULL;
	const char *args[LIVE_BUS_ARGS] = { port->zone }, *path;
	int rc;

	zone->port = port;
	zone->deadline = deadline_in(FIREWALLD_MS);
	rc = live_bus_open(&zone->bus, zone->deadline);
	if (rc)
		return rc;
	if (!port->permanent) {
		zone->object = (struct live_object){ FIREWALLD, OBJECT, FIREWALLD ".zone" };
		return 0;
	}
	/* The object of the zone's files. */
	rc = live_bus_call(zone->bus, &config, "getZoneByName", args, zone->deadline, &reply);
	if (rc)
		return rc;
	rc = live_bus_check_reply(sd_bus_message_read_basic(reply, 'o', &path), "getZoneByName");
	if (!rc && strlen(path) >= sizeof(zone->path))
		rc = err_set(EIO, "the path of zone %s is too long", port->zone);
	if (rc)
		return rc;
	str_copy(zone->path, sizeof(zone->path), path);
	zone->object = (struct live_object){ FIREWALLD, zone->path, FIREWALLD ".config.zone" };
	return 0;
}

/* The zone is an argument where its object does not say it; @timeout: 0 is forever. */
static int firewalld_zone_call(struct firewalld_zone *zone, const char *method, bool timeout,
			       struct sd_bus_message **reply)
{
	_cleanup_(live_bus_message_p) struct sd_bus_message *message = NULL;
	const struct setup_port *port = zone->port;
	char number[8];
	int rc;

	snprintf(number, sizeof(number), "%u", port->port);
	rc = sd_bus_message_new_method_call(zone->bus, &message, zone->object.name,
					    zone->object.path, zone->object.interface, method);
	if (rc >= 0 && !port->permanent)
		rc = sd_bus_message_append(message, "s", port->zone);
	if (rc >= 0)
		rc = sd_bus_message_append(message, "ss", number,
					   port->protocol == IPPROTO_UDP ? "udp" : "tcp");
	if (rc >= 0 && timeout && !port->permanent)
		rc = sd_bus_message_append(message, "i", 0);
	if (rc < 0)
		return err_set(-rc, "a call of %s", method);
	return live_bus_send(zone->bus, message, method, zone->deadline, reply);
}

int setup_firewalld_get(const struct setup_port *port, bool *open)
{
	_cleanup_(live_bus_message_p) struct sd_bus_message *reply = NULL;
	_cleanup_(live_bus_close_p) struct sd_bus *bus = NULL;
	struct firewalld_zone zone = { .bus = NULL };
	int rc = firewalld_zone_find(&zone, port), yes = 0;

	bus = zone.bus;
	if (!rc)
		rc = firewalld_zone_call(&zone, "queryPort", false, &reply);
	if (!rc)
		rc = live_bus_check_reply(sd_bus_message_read_basic(reply, 'b', &yes), "queryPort");
	*open = yes;
	return err_context(rc, "firewalld");
}

int setup_firewalld_set(const struct setup_port *port, bool open)
{
	_cleanup_(live_bus_message_p) struct sd_bus_message *reply = NULL;
	_cleanup_(live_bus_close_p) struct sd_bus *bus = NULL;
	struct firewalld_zone zone = { .bus = NULL };
	int rc = firewalld_zone_find(&zone, port);

	bus = zone.bus;
	rc = rc ? rc : firewalld_zone_call(&zone, open ? "addPort" : "removePort", open, &reply);
	return err_context(rc, "firewalld");
}
