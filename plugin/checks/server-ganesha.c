/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* A host where NFS-Ganesha serves instead of the kernel: whether it was built with RDMA, as far
 * as that is known, and whether ganesha.conf enables it. Its listener belongs to the RDMA
 * connection manager, and no file shows it. */
#include "plugin/checks/internal.h"

#define UNIT "nfs-ganesha.service"

bool ganesha_serves(struct check_run *run)
{
	const struct host_ganesha *ganesha;
	const struct host_nfsd *nfsd;
	enum unit_state kernel;
	char state[32];

	facts_ganesha(run, &ganesha);
	if (!ganesha->installed || !nfsd_running(run, &nfsd))
		return false;
	if (ganesha->running || ganesha->enabled)
		return true;
	if (!run->live->unit(run->host, UNIT, state, sizeof(state)) && !strcmp(state, "active"))
		return true;
	return !host_unit_state(run->host, "nfs-server.service", &kernel) && kernel == UNIT_MISSING;
}

static int ganesha_say_without(struct check_run *run, const struct host_ganesha *ganesha)
{
	if (*ganesha->left_out) {
		finding_text(&run->finding, "included", "%s", ganesha->left_out);
		return check_say_why(
			run, FINDING_UNKNOWN, "included",
			"%s has no NFSRDMA in NFS_CORE_PARAM, and this check does not read %s, which it includes",
			ganesha->where, ganesha->left_out);
	}
	if (!ganesha->has_conf)
		return check_say_why(run, FINDING_FAIL, "no-config",
				     "NFS-Ganesha serves here, and there is no %s", ganesha->where);
	if (*ganesha->protocols)
		return check_say_why(run, FINDING_FAIL, "no-nfsrdma",
				     "%s has Protocols = %s, without NFSRDMA", ganesha->where,
				     ganesha->protocols);
	return check_say_why(run, FINDING_FAIL, "no-nfsrdma",
			     "%s sets no Protocols, and the default has no NFSRDMA",
			     ganesha->where);
}

int check_server_ganesha(struct check_run *run)
{
	const struct host_ganesha *ganesha;
	const struct host_system *system;
	char state[32];
	int rc = facts_ganesha(run, &ganesha);

	if (!ganesha_serves(run))
		return check_say(run, FINDING_SKIP, "NFS-Ganesha does not serve here");
	if (*ganesha->version)
		finding_text(&run->finding, "version", "%s", ganesha->version);
	/* The distribution's own package: versions of other builds have a tilde ("5.7-ubuntu1~jammy1").
	 * Debian's libntirpc needs no librdmacm. */
	if (*ganesha->version && !strchr(ganesha->version, '~') && !facts_system(run, &system) &&
	    (system->distro == DISTRO_DEBIAN || system->distro == DISTRO_UBUNTU))
		return check_say_why(
			run, FINDING_FAIL, "built-without",
			"the distribution's package nfs-ganesha %s is built without RDMA",
			ganesha->version);
	if (rc)
		return rc;
	finding_text(&run->finding, "file", "%s", ganesha->where);
	if (!ganesha->rdma)
		return ganesha_say_without(run, ganesha);
	finding_number(&run->finding, "port", ganesha->port);
	if (!ganesha->port || ganesha->port > UINT16_MAX)
		return check_say_why(run, FINDING_FAIL, "bad-port",
				     "%s has NFS_RDMA_Port = %u, which is not a port",
				     ganesha->where, ganesha->port);
	if (*ganesha->versions)
		finding_text(&run->finding, "versions", "%s", ganesha->versions);
	if (!ganesha->running && !run->live->unit(run->host, UNIT, state, sizeof(state)) &&
	    strcmp(state, "active") != 0) {
		finding_text(&run->finding, "state", "%s", state);
		return check_say_why(run, FINDING_FAIL, "not-running",
				     "NFS-Ganesha does not run: " UNIT " is %s", state);
	}
	return check_say_why(
		run, FINDING_UNKNOWN, "not-shown",
		"%s enables RDMA on port %u; no file shows whether NFS-Ganesha was built with RDMA and listens",
		ganesha->where, ganesha->port);
}
