/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Whether the kernel's NFS server runs, by its control files; /proc/fs/nfsd exists, empty, on
 * every kernel (fs/proc/root.c). systemd reports nfs-server as active even after rpc.nfsd ended
 * all threads. */
#include "plugin/checks/internal.h"

/* nfs-utils starts 8, and 16 since 2.8. */
#define FEW_THREADS 4

static const char unit[] = "nfs-server.service";

static int server_threads_say_stopped(struct check_run *run)
{
	static const char *const reasons[][2] = {
		{ "masked", "masked" },
		{ "failed", "failed" },
		/* rpc.nfsd 0 ends all threads, and the unit stays active. */
		{ "active", "no-threads" },
	};
	const char *state, *reason = "not-started";
	const struct host_system *system;
	struct host_module module;
	enum unit_state file;
	char buf[32];
	size_t i;
	int rc = facts_system(run, &system);

	if (!rc)
		rc = host_unit_state(run->host, unit, &file);
	if (rc)
		return rc;
	finding_text(&run->finding, "kernel", "%s", system->release);
	if (!host_module(run->host, "nfsd", &module) && module.state == MODULE_MISSING)
		return check_say_why(run, FINDING_FAIL, "no-module",
				     "kernel %s has no NFS server: module nfsd is missing",
				     system->release);
	if (file == UNIT_MISSING)
		return check_say_why(run, FINDING_FAIL, "not-installed",
				     "the NFS server does not run, and there is no %s", unit);
	/* A snapshot may not record it, and not every system has systemd. */
	if (file == UNIT_MASKED)
		state = "masked";
	else if (!run->live->unit(run->host, unit, buf, sizeof(buf)))
		state = buf;
	else
		state = file == UNIT_ENABLED ? "enabled" : "disabled";
	for (i = 0; i < ARRAY_SIZE(reasons); i++)
		if (!strcmp(state, reasons[i][0]))
			reason = reasons[i][1];
	return check_say_why(run, FINDING_FAIL, reason, "the NFS server does not run; %s is %s",
			     unit, state);
}

int check_server_threads(struct check_run *run)
{
	const struct host_nfsd *nfsd;
	int rc;

	if (ganesha_serves(run))
		return check_skip(run, "server.ganesha");
	rc = nfsd_running(run, &nfsd);

	if (rc == -ESRCH)
		return server_threads_say_stopped(run);
	if (rc)
		return rc;
	if (!nfsd->threads_known)
		return check_say(run, FINDING_PASS, "the NFS server runs");
	finding_number(&run->finding, "threads", nfsd->threads);
	if (nfsd->threads < FEW_THREADS)
		return check_say_why(
			run, FINDING_WARN, "few-threads",
			"the NFS server has %u thread%s, and an RDMA client sends up to 64 calls at once",
			nfsd->threads, nfsd->threads == 1 ? "" : "s");
	return check_say(run, FINDING_PASS, "the NFS server runs %u threads", nfsd->threads);
}
