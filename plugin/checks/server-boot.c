/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Whether the server starts when this host boots. */
#include "plugin/checks/internal.h"

static const char unit[] = "nfs-server.service";

int check_server_boot(struct check_run *run)
{
	const struct host_nfsd *nfsd;
	enum unit_state state, cluster;
	int rc;

	if (nfsd_running(run, &nfsd))
		return check_skip(run, "server.threads");
	rc = host_unit_state(run->host, unit, &state);
	if (rc)
		return rc;
	if (state == UNIT_ENABLED)
		return check_say(run, FINDING_PASS, "%s is enabled", unit);
	if (state == UNIT_MISSING)
		return check_say(run, FINDING_SKIP,
				 "there is no %s: something else starts the server", unit);
	if (!host_unit_state(run->host, "pacemaker.service", &cluster) && cluster == UNIT_ENABLED)
		return check_say(run, FINDING_PASS, "the cluster (pacemaker) starts the server");
	return check_say_why(run, FINDING_WARN, state == UNIT_MASKED ? "masked" : "disabled",
			     "the server runs now, but does not start at boot: %s is %s", unit,
			     state == UNIT_MASKED ? "masked" : "disabled");
}
