/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* RoCE v1 and v2 do not understand each other: v1 is an ethertype (0x8915) within one Ethernet,
 * v2 is UDP port 4791. The connection manager uses v2 if the port has it, unless configfs says
 * otherwise until the next boot (drivers/infiniband/core/cma.c). */
#include "plugin/checks/internal.h"

enum roce_version_group { ROCE_V1_ONLY, ROCE_V1_SET, ROCE_V2, ROCE_GROUPS };

static int roce_version_judge(struct check_run *run, const struct port_at *at,
			      struct port_group *groups)
{
	enum roce_version_group group = ROCE_V1_ONLY;
	const struct rdma_port *port = at->port;
	char name[PORT_NAME_MAX];
	unsigned int i;

	(void)run;
	/* Without a GID the version is unknown. */
	if (at->device->kind != RDMA_ROCE || !port_is_up(port) || !port->ngids)
		return 0;
	for (i = 0; i < port->ngids; i++)
		if (port->gids[i].v2)
			group = strstr(port->default_roce_mode, "v1") ? ROCE_V1_SET : ROCE_V2;
	port_group_add(&groups[group], at, "%s", port_name(at->device, port, name));
	return 0;
}

int check_fabric_roce_version(struct check_run *run)
{
	struct port_group groups[ROCE_GROUPS] = { 0 };
	struct port_group *set = &groups[ROCE_V1_SET], *only = &groups[ROCE_V1_ONLY];
	struct port_list ports;
	int rc = ports_judge(run, &ports, roce_version_judge, groups);

	if (rc)
		return rc;
	if (set->first) {
		port_evidence(run, set->first);
		return check_say_why(run, FINDING_WARN, "set-to-v1",
				     "%s supports RoCE v2 and is set to v1 (default_roce_mode)",
				     words_text(&set->words));
	}
	if (only->first) {
		port_evidence(run, only->first);
		return check_say_why(run, FINDING_WARN, "v1-only", "%s supports RoCE v1 only",
				     words_text(&only->words));
	}
	if (!groups[ROCE_V2].first)
		return check_say(run, FINDING_SKIP, "there is no active RoCE port");
	return check_say(run, FINDING_PASS, "v2: %s", words_text(&groups[ROCE_V2].words));
}
