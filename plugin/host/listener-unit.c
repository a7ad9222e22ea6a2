/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Units of the administrator that give the NFS server its RDMA listener after it started, as guides
 * of many vendors do: by the file portlist of nfsd, by nfsdctl(8), or by an argument of
 * rpc.nfsd(8). Where nfs.conf enables RDMA as well, the second listener is refused, the unit fails,
 * and some kernels crash (6.1 does). What a script does that a unit runs is not seen. */
#include <stdio.h>

#include "plugin/host/internal.h"

#define SERVER   "nfs-server.service"
#define COMMANDS 2048

bool host_adds_listener(const char *command)
{
	if (!strstr(command, "rdma"))
		return false;
	return strstr(command, "portlist") ||
	       (strstr(command, "nfsdctl") && strstr(command, "listener")) ||
	       (strstr(command, "rpc.nfsd") && strstr(command, "--rdma"));
}

/* Which commands of the unit add one, or NULL. */
static const char *listener_unit_key(const struct host *host, const char *unit)
{
	char start[COMMANDS], before[COMMANDS], after[COMMANDS];
	const struct unit_setting settings[] = {
		{ "ExecStart", start, sizeof(start), true },
		{ "ExecStartPre", before, sizeof(before), true },
		{ "ExecStartPost", after, sizeof(after), true },
		{ NULL, NULL, 0, false },
	};
	size_t i;

	if (host_unit_read(host, unit, "Service", settings))
		return NULL;
	/* That of the server is one of its arguments, which checks/nfsd-conf.c reads. */
	for (i = !strcmp(unit, SERVER); settings[i].key; i++)
		if (host_adds_listener(settings[i].buf))
			return settings[i].key;
	return NULL;
}

/* Units of packages enable RDMA by nfs.conf. */
static bool listener_unit_is_local(const char *path)
{
	return !strncmp(path, "etc/", 4) || !strncmp(path, "usr/local/", 10);
}

int host_listener_unit(const struct host *host, char *buf, size_t cap)
{
	_cleanup_(host_list_fini) struct host_list units = { NULL, 0, false };
	const char *key = listener_unit_key(host, SERVER), *name;
	enum unit_state state;
	size_t i;
	int rc;

	*buf = '\0';
	if (key) {
		snprintf(buf, cap, "%s= of " SERVER, key);
		return 0;
	}
	rc = host_units(host, ".service", &units);
	for (i = 0; !rc && !*buf && i < units.count; i++) {
		name = strrchr(units.names[i], '/');
		name = name ? name + 1 : units.names[i];
		if (!listener_unit_is_local(units.names[i]) || !listener_unit_key(host, name) ||
		    host_unit_state(host, name, &state) || state != UNIT_ENABLED)
			continue;
		snprintf(buf, cap, "%.200s", name);
	}
	return rc == -ENOENT ? 0 : rc;
}
