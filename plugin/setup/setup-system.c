/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Actions on the running system: modules, and listeners of its NFS server. */
#include <fcntl.h>
#include <stdio.h>

#include "plugin/host/tool.h"
#include "plugin/setup/system.h"

#define LOAD_MS  20000
#define PORTLIST "/proc/fs/nfsd/portlist"

static int system_load_module(const char *module)
{
	static const char *const programs[] = { "/usr/sbin/modprobe", "/sbin/modprobe" };
	struct host_text out = { NULL, 0 };
	int rc = -ENOENT;
	size_t i;

	for (i = 0; rc == -ENOENT && i < ARRAY_SIZE(programs); i++) {
		const char *const argv[] = { programs[i], module, NULL };

		rc = tool_run(argv, 4096, deadline_in(LOAD_MS), &out);
	}
	if (rc)
		return err_context(rc, "modprobe %s", module);
	host_text_fini(&out);
	return 0;
}

static int system_listen(uint16_t port)
{
	_cleanup_(host_close_p) struct host *host = NULL;
	_cleanup_close_ int fd = -1;
	char line[32];
	bool there = false;
	int len, rc = host_open(&host, NULL);

	/* Right before it is written: see listener.c. */
	if (!rc)
		rc = listener_check(host, port, &there);
	if (rc || there)
		return rc;
	fd = open(PORTLIST, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return err_sys("open " PORTLIST);
	len = snprintf(line, sizeof(line), "rdma %u", port);
	if (write(fd, line, (size_t)len) != len)
		return err_sys("write \"%s\" to " PORTLIST, line);
	return 0;
}

const struct setup_actions setup_system = {
	.port_get = setup_firewalld_get,
	.port_set = setup_firewalld_set,
	.load = system_load_module,
	.listen = system_listen,
	.restart = setup_unit_restart,
	.link_add = setup_link_add,
	.link_delete = setup_link_delete,
	.link_users = setup_link_users,
};
