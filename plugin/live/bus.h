/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The system bus, by sd-bus. In plugin-live-system. */
#ifndef PLUGIN_LIVE_BUS_H
#define PLUGIN_LIVE_BUS_H

#include <stdint.h>

struct sd_bus;
struct sd_bus_message;

/* Errors: -EHOSTDOWN there is no bus; -ETIMEDOUT. */
int live_bus_open(struct sd_bus **out, uint64_t deadline);
void live_bus_close_p(struct sd_bus **bus);
void live_bus_message_p(struct sd_bus_message **message);

/* The address of a method. */
struct live_object {
	const char *name, *path, *interface;
};

#define LIVE_BUS_ARGS 2

/* Calls a method with string arguments, NULL after the last; does not start a service.
 * Errors: -ESRCH: the name has no owner; -ENOENT: its owner has no such object; -EACCES;
 * -EOPNOTSUPP: no such method; -ETIMEDOUT; -EIO. */
int live_bus_call(struct sd_bus *bus, const struct live_object *object, const char *method,
		  const char *const args[LIVE_BUS_ARGS], uint64_t deadline,
		  struct sd_bus_message **reply);
/* The same for a message that the caller has built. */
int live_bus_send(struct sd_bus *bus, struct sd_bus_message *call, const char *method,
		  uint64_t deadline, struct sd_bus_message **reply);
/* Reports an sd-bus error for a message that does not have the form of its method. */
int live_bus_check_reply(int rc, const char *method);

#endif
