/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Runs a program of the system for its output. */
#ifndef PLUGIN_HOST_TOOL_H
#define PLUGIN_HOST_TOOL_H

#include "plugin/host/host.h"

/* Runs argv[0], a path, with an empty environment and empty standard input, and captures
 * its output. No process of it survives the deadline. Errors: -ENOENT: no such program;
 * -EFBIG: it prints more than @max; -ETIMEDOUT; -EIO: it fails, and err_text() has the
 * first line of its message. */
int tool_run(const char *const argv[], size_t max, uint64_t deadline, struct host_text *out);

#endif
