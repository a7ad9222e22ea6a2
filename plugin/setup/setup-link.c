/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Software RDMA links of the running system, by rdma(8) of iproute2. */
#include <stdio.h>

#include "plugin/host/tool.h"
#include "plugin/setup/system.h"

#define RDMA_MS  20000
#define RDMA_MAX (1024 * 1024)

/* @argv: its first word is filled in. */
static int setup_link_rdma(const char *argv[], struct host_text *out)
{
	static const char *const programs[] = { "/usr/sbin/rdma", "/sbin/rdma", "/usr/bin/rdma" };
	int rc = -ENOENT;
	size_t i;

	for (i = 0; rc == -ENOENT && i < ARRAY_SIZE(programs); i++) {
		argv[0] = programs[i];
		rc = tool_run(argv, RDMA_MAX, deadline_in(RDMA_MS), out);
	}
	return rc;
}

int setup_link_add(const struct setup_link *link)
{
	const char *argv[] = { NULL,       "link",   "add",        link->name, "type",
			       link->type, "netdev", link->netdev, NULL };
	struct host_text out = { NULL, 0 };
	int rc = setup_link_rdma(argv, &out);

	host_text_fini(&out);
	return err_context(rc, "rdma link add");
}

int setup_link_delete(const char *name)
{
	const char *argv[] = { NULL, "link", "delete", name, NULL };
	struct host_text out = { NULL, 0 };
	int rc = setup_link_rdma(argv, &out);

	host_text_fini(&out);
	return err_context(rc, "rdma link delete");
}

/* "link siw0/1 lqpn 2 ... type RC state RTS ..." a line. The kernel's own of every InfiniBand and RoCE
 * port, for management, are of type SMI and GSI. */
unsigned int setup_link_count(char *text)
{
	unsigned int count = 0;
	char *line;

	while ((line = line_next(&text)))
		count += strstr(line, " lqpn ") && !strstr(line, " type GSI ") &&
			 !strstr(line, " type SMI ");
	return count;
}

int setup_link_users(const char *name, unsigned int *count)
{
	char port[80];
	const char *argv[] = { NULL, "resource", "show", "qp", "link", port, NULL };
	struct host_text out = { NULL, 0 };
	int rc;

	*count = 0;
	snprintf(port, sizeof(port), "%s/1", name);
	rc = setup_link_rdma(argv, &out);
	if (!rc)
		*count = setup_link_count(out.text);
	host_text_fini(&out);
	return err_context(rc, "rdma resource show qp");
}
