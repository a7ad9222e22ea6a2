/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Versions of packages from rpm's database. */
#include "plugin/live/internal.h"
#include "plugin/host/tool.h"

#define RPM_MS  5000
#define RPM_MAX 65536

/* Fixed arguments, and the names. */
#define ARGS_MAX 64

int live_rpm(const struct host *host, const char *const names[], struct host_text *out)
{
	/* -a: unknown names are then no error. */
	const char *argv[ARGS_MAX + 1] = {
		"/usr/bin/rpm",
		"-qa",
		"--queryformat",
		"%{NAME} %{VERSION}-%{RELEASE}\n",
	};
	unsigned int count = 4;

	while (*names && count < ARGS_MAX)
		argv[count++] = *names++;
	return tool_run(argv, RPM_MAX, host_deadline(host, RPM_MS), out);
}
