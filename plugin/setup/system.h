/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The map of setup's actions on the running system; in plugin-setup-live. */
#ifndef PLUGIN_SETUP_SYSTEM_H
#define PLUGIN_SETUP_SYSTEM_H

#include "plugin/setup/setup.h"

/* setup-firewalld.c: firewalld.dbus(5). Errors: -ESRCH it does not run; -EACCES; -ETIMEDOUT; -EIO */

int setup_firewalld_get(const struct setup_port *port, bool *open);
int setup_firewalld_set(const struct setup_port *port, bool open);

/* setup-unit.c: org.freedesktop.systemd1(5) */

/* Errors: -EHOSTDOWN; -ENOENT; -ETIMEDOUT; -EIO it did not come up. */
int setup_unit_restart(const char *unit);

/* setup-link.c: rdma(8). Errors: as tool_run() */

int setup_link_add(const struct setup_link *link);
int setup_link_delete(const char *name);
int setup_link_users(const char *name, unsigned int *count);
/* Pure: of what `rdma resource show qp` prints; cuts the text. */
unsigned int setup_link_count(char *text);

#endif
