/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Two settings make the NFS server listen for RDMA, and both are needed: rdma=y alone makes
 * rpc.nfsd look for a service "nfsrdma" in /etc/services, which Debian has not, and go on without
 * RDMA; a port as the value of rdma is not known to nfsdctl (nfs-utils 2.8). They stand in a
 * drop-in where nfs-utils reads such, else in nfs.conf itself. Where it reads no nfs.conf nothing
 * is set. */
#include <stdio.h>

#include "plugin/setup/internal.h"
#include "rpcrdma/nfs/nfs.h"

static bool nfs_conf_server_is_installed(const struct host *host)
{
	static const char *const paths[] = {
		"usr/sbin/rpc.nfsd",
		"sbin/rpc.nfsd",
		"usr/lib/systemd/system/nfs-server.service",
		"lib/systemd/system/nfs-server.service",
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(paths); i++)
		if (!host_exists(host, paths[i]))
			return true;
	return false;
}

/* 0: it is none. */
static uint16_t nfs_conf_port_of(const struct conf_value *value)
{
	char *end;
	unsigned long port = value ? strtoul(value->value, &end, 10) : 0;

	return value && value->value[0] >= '1' && value->value[0] <= '9' && !*end &&
			       port <= UINT16_MAX
		       ? (uint16_t)port
		       : 0;
}

/* What a configuration that is good makes the server listen on. */
static uint16_t nfs_conf_configured_port(const struct host *host, const struct conf *conf)
{
	const struct conf_value *rdma = conf_get(conf, "nfsd", NULL, "rdma"),
				*port = conf_get(conf, "nfsd", NULL, "rdma-port");
	unsigned int number;

	if (nfs_conf_port_of(port))
		return nfs_conf_port_of(port);
	if (port && !host_service(host, port->value, "tcp", &number))
		return (uint16_t)number;
	return nfs_conf_port_of(rdma);
}

/* Of nfs-utils; 0: not known. */
static unsigned int nfs_conf_version(const struct host *host)
{
	struct nfs_utils utils;

	return nfs_utils_read(host, &utils) ? 0 : utils.number;
}

/* Whether nfs-utils reads /etc/nfs.conf.d: that began with 2.5.3, and 2.5.4 is RHEL 9's. Who made
 * the folder knows. */
static bool nfs_conf_reads_dropins(struct planner *planner)
{
	unsigned int version = nfs_conf_version(planner->machine->host);

	if (!host_exists(planner->machine->host, PATH_NFS_D))
		return true;
	if (version)
		return version >= 20504;
	return planner->system.distro == DISTRO_RHEL &&
	       strtoul(planner->system.version_id, NULL, 10) >= 9;
}

/* Before 2.4.2 the port is the value of rdma; RHEL 8's 2.3.3 knows better. */
static bool nfs_conf_is_old(struct planner *planner)
{
	unsigned int version = nfs_conf_version(planner->machine->host);

	return version && version < 20402 && planner->system.distro != DISTRO_RHEL;
}

/* It need not be changed. Versions that are old know no rdma-port. */
static bool nfs_conf_is_wanted(struct planner *planner, const char *key,
			       const struct conf_value *value)
{
	bool is_port = !strcmp(key, "rdma-port");

	if (nfs_conf_is_old(planner))
		return is_port || nfs_conf_port_of(value) == planner->port;
	return is_port ? nfs_conf_port_of(value) == planner->port : conf_bool(value, 0) > 0;
}

/* A file that is read after the one that we write to overrides it. True: a note says so. */
static bool nfs_conf_is_overruled(struct planner *planner, const struct conf *conf,
				  const char *path, const char *key)
{
	const struct conf_value *value = conf_get(conf, "nfsd", NULL, key);
	bool later;

	if (!value || !strcmp(value->file, path) || nfs_conf_is_wanted(planner, key, value))
		return false;
	if (!strcmp(path, PATH_NFS))
		later = strcmp(value->file, PATH_NFS) != 0;
	else
		later = !strncmp(value->file, PATH_NFS_D "/", strlen(PATH_NFS_D "/")) &&
			strverscmp(strrchr(value->file, '/'), strrchr(path, '/')) > 0;
	if (later)
		plan_note(planner, true,
			  "/%s:%u sets %s=%s and is read last: change it there to %s%u",
			  value->file, value->line, key, value->value,
			  nfs_conf_is_old(planner) ? "rdma=" : "rdma=y and rdma-port=",
			  planner->port);
	return later;
}

/* Both settings, in a drop-in of our own; else the lines for nfs.conf are left to do, and what runs
 * is left alone. */
static int nfs_conf_set_both(struct planner *planner, const char *path)
{
	char lines[64];
	int rc = 1;

	snprintf(lines, sizeof(lines),
		 nfs_conf_is_old(planner) ? "[nfsd]\nrdma=%u\n" : "[nfsd]\nrdma=y\nrdma-port=%u\n",
		 planner->port);
	if (!strcmp(path, PATH_NFS_OURS))
		rc = plan_file(planner, path, lines, true,
			       "RDMA on port %u is not enabled in the NFS server", planner->port);
	else
		plan_lines(
			planner, lines,
			"nfs-utils of this host reads no drop-ins, and setup does not edit /" PATH_NFS
			". Add to it, in place of other values of these settings, then run setup again:");
	planner->left_alone |= rc == 1;
	return rc < 0 ? rc : 0;
}

/* The check skips a server that does not run and has no unit. */
static bool nfs_conf_is_good(struct planner *planner, const struct conf *conf,
			     const struct finding *finding)
{
	if (finding->status != FINDING_SKIP)
		return finding->status == FINDING_PASS;
	if (nfs_conf_is_old(planner))
		return nfs_conf_port_of(conf_get(conf, "nfsd", NULL, "rdma"));
	return conf_bool(conf_get(conf, "nfsd", NULL, "rdma"), 0) &&
	       nfs_conf_port_of(conf_get(conf, "nfsd", NULL, "rdma-port"));
}

/* Something else than nfs.conf adds the listener: nfs.conf would add a second one, which is
 * refused, and some kernels crash. A restart on request replaces one that was added by hand. */
static int nfs_conf_has_other(struct planner *planner, bool *out)
{
	const struct host *host = planner->machine->host;
	struct host_nfsd nfsd;
	char unit[256];
	int rc = host_listener_unit(host, unit, sizeof(unit));

	*out = false;
	if (rc)
		return rc;
	if (!*unit &&
	    (planner->request->restart || host_nfsd(host, &nfsd) || !host_nfsd_rdma_port(&nfsd)))
		return 0;
	*out = planner->left_alone = true;
	if (*unit)
		plan_note(
			planner, false,
			"%s adds the RDMA listener. nfs.conf stays as it is, because it would add a second one; take the command out of the unit first to let nfs.conf do it",
			unit);
	else
		plan_note(
			planner, true,
			"The server listens for RDMA, and nfs.conf does not enable that. If a script adds the listener (grep -rl portlist /etc /usr/local), nothing is to be done; if it was added by hand: nfsrdma setup server --restart");
	return 0;
}

/* Nothing that could be written to nfs.conf would do anything. A server that runs gets its
 * listener, unless by a restart. True: a note says so. */
static bool nfs_conf_is_ignored(struct planner *planner)
{
	char who[NFS_UTILS_WHO_MAX];
	enum nfs_utils_conf reads = nfs_utils_conf(planner->machine->host, who);

	if (reads == NFS_CONF_UNKNOWN)
		plan_note(
			planner, false,
			"The version of nfs-utils of this host is unknown: before 2.1.1 it does not read nfs.conf");
	if (reads != NFS_CONF_IGNORED)
		return false;
	planner->left_alone = planner->request->restart;
	plan_note(planner, true,
		  "%s does not read nfs.conf, and is not supported: install nfs-utils 2.3 or later",
		  who);
	return true;
}

static int nfs_conf_plan(struct planner *planner)
{
	_cleanup_(conf_close_p) struct conf *conf = NULL;
	const struct host *host = planner->machine->host;
	_cleanup_(finding_fini) struct finding finding = { 0 };
	unsigned int steps, notes;
	const char *path;
	uint16_t port;
	bool other;
	int rc;

	rc = plan_check(planner, "server.ganesha", &finding);
	if (rc)
		return rc;
	if (finding.status != FINDING_SKIP) {
		planner->left_alone = true;
		plan_note(planner, finding.status == FINDING_FAIL, "%.560s", finding.summary);
		return 0;
	}
	if (!nfs_conf_server_is_installed(host)) {
		plan_note(planner, true,
			  "The NFS server is not installed (nfs-kernel-server or nfs-utils)");
		return 0;
	}
	rc = conf_open(&conf, host, PATH_NFS);
	if (!rc)
		rc = plan_check(planner, "server.nfs-conf", &finding);
	if (rc)
		return rc;
	port = (uint16_t)strtoul(finding_evidence(&finding, "port"), NULL, 10);
	if (!port)
		port = nfs_conf_configured_port(host, conf);
	if (port && !planner->request->has_port)
		planner->port = port;
	if (nfs_conf_is_good(planner, conf, &finding) &&
	    planner->port == (port ? port : NFS_RDMA_PORT))
		return 0;
	if (modules_no_server(planner))
		return 0;
	rc = nfs_conf_has_other(planner, &other);
	if (rc || other || listener_is_taken(planner) || nfs_conf_is_ignored(planner))
		return rc;
	path = nfs_conf_reads_dropins(planner) ? PATH_NFS_OURS : PATH_NFS;
	if (nfs_conf_is_overruled(planner, conf, path, "rdma") ||
	    nfs_conf_is_overruled(planner, conf, path, "rdma-port"))
		return 0;
	steps = planner->plan->nsteps;
	notes = planner->plan->nnotes;
	rc = nfs_conf_set_both(planner, path);
	/* Both are set, and something else is wrong. */
	if (!rc && planner->plan->nsteps == steps && planner->plan->nnotes == notes)
		plan_note(planner, true, "nfs.conf: %.500s", finding.summary);
	return rc;
}

const struct remedy remedy_nfs_conf = {
	.name = "nfs.conf",
	.roles = CHECK_SERVER,
	.plan = nfs_conf_plan,
};
