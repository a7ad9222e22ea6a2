/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Whether the kernel's NFS server runs. Its control files say so; /proc/fs/nfsd is there, empty, on
 * every kernel (fs/proc/root.c). systemd calls nfs-server active also when rpc.nfsd was told to end
 * all threads since. */
#include "plugin/checks/internal.h"

/* nfs-utils starts 8, and 16 since 2.8. */
#define FEW_THREADS 4

static const char unit[] = "nfs-server.service";

static const char *state_of(struct check_run *run, enum unit_state file, char buf[32])
{
	if (file == UNIT_MASKED)
		return "masked";
	/* A snapshot may have no record of it, and not every system has systemd. */
	if (!run->live->unit(run->host, unit, buf, 32))
		return buf;
	return file == UNIT_ENABLED ? "enabled" : "disabled";
}

static int say_stopped(struct check_run *run)
{
	const struct host_system *system;
	struct host_module module;
	enum unit_state file;
	char buf[32];
	int rc = facts_system(run, &system);

	rc = rc ? rc : host_unit_state(run->host, unit, &file);
	if (rc)
		return rc;
	if (!host_module(run->host, "nfsd", &module) && module.state == MODULE_MISSING)
		return check_say(run, FINDING_FAIL,
				 "kernel %s has no NFS server: there is no module nfsd",
				 system->release);
	if (file == UNIT_MISSING)
		return check_say(
			run, FINDING_FAIL,
			"the NFS server does not run, and there is no %s that could start it",
			unit);
	return check_say(run, FINDING_FAIL, "the NFS server does not run; %s is %s", unit,
			 state_of(run, file, buf));
}

static int run_check(struct check_run *run)
{
	const struct host_nfsd *nfsd;
	int rc;

	if (ganesha_serves(run))
		return check_skip(run, "server.ganesha");
	rc = nfsd_running(run, &nfsd);

	if (rc == -ESRCH)
		return say_stopped(run);
	if (rc)
		return rc;
	if (!nfsd->threads_known)
		return check_say(run, FINDING_PASS, "the NFS server runs");
	finding_number(&run->finding, "threads", nfsd->threads);
	if (nfsd->threads < FEW_THREADS)
		return check_say(
			run, FINDING_WARN,
			"the NFS server has %u thread%s: so few calls are worked on at once, and a client over RDMA sends 64",
			nfsd->threads, nfsd->threads == 1 ? "" : "s");
	return check_say(run, FINDING_PASS, "the NFS server runs %u threads",
			 nfsd->threads);
}

const struct check check_server_threads = {
	.id = "server.threads",
	.roles = CHECK_SERVER,
	.needs = { "server.module", "server.device" },
	.run = run_check,
};
