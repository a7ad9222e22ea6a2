/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* What NFS needs besides its RDMA connection. It passes the kernel's network whatever the adapter
 * is, so the packet filters of both hosts apply to it:
 *
 *	NFSv3      rpcbind, mountd and lockd of the server; the server calls the client's lockd when a
 *	           lock is released, and restarts are reported to statd, by UDP (sm-notify(8))
 *	NFSv4.0    the server calls the client back (fs/nfs/callback.c); later versions use the
 *	           existing connection
 *	Kerberos   rpc.gssd makes the context over TCP, at NFS's own port
 *
 * lockd's and statd's ports change with each start unless they are set; mountd uses that of
 * services(5), if there is one (getservport() in nfs-utils' svc_create.c). */
#include <netinet/in.h>

#include "plugin/checks/internal.h"
#include "plugin/host/text.h"
#include "rpcrdma/nfs/nfs.h"

#define LOCKD 100021
#define STATD 100024

/* --- ports ------------------------------------------------------------------------------- */

static uint16_t channel_conf_port(struct check_run *run, const char *section, const char *key)
{
	const struct conf_value *value;
	const struct conf *conf;
	uint64_t number;

	if (facts_nfs_conf(run, &conf))
		return 0;
	value = conf_get(conf, section, NULL, key);
	if (!value || !text_number(value->value, strlen(value->value), UINT16_MAX, &number))
		return 0;
	return (uint16_t)number;
}

static uint16_t channel_kernel_port(struct check_run *run, const char *path)
{
	int64_t number = 0;

	if (host_attr_number(run->host, path, &number) || number < 0 || number > UINT16_MAX)
		return 0;
	return (uint16_t)number;
}

static uint16_t channel_port_here(struct check_run *run, uint32_t program, uint32_t version)
{
	uint16_t port = 0;

	return facts_rpcbind(run, true, program, version, &port) ? 0 : port;
}

static uint16_t channel_port_rpcbind(struct check_run *run)
{
	(void)run;
	return RPCBIND_PORT;
}

static uint16_t channel_port_nfs(struct check_run *run)
{
	(void)run;
	return NFS_TCP_PORT;
}

static uint16_t channel_port_any(struct check_run *run)
{
	(void)run;
	return 0;
}

/* Of this host, as configured: what rpcbind reports holds until the next start. */
static uint16_t channel_port_mountd(struct check_run *run)
{
	uint16_t port = channel_conf_port(run, "mountd", "port");
	unsigned int service;

	if (!port && !host_service(run->host, "mountd", "tcp", &service))
		port = (uint16_t)service;
	return port ? port : channel_port_here(run, MOUNT_PROGRAM_NUMBER, 3);
}

static uint16_t channel_port_lockd(struct check_run *run)
{
	uint16_t port = channel_kernel_port(run, "proc/sys/fs/nfs/nlm_tcpport");

	port = port ? port : channel_conf_port(run, "lockd", "port");
	return port ? port : channel_port_here(run, LOCKD, 4);
}

static uint16_t channel_port_statd(struct check_run *run)
{
	uint16_t port = channel_conf_port(run, "statd", "port");

	return port ? port : channel_port_here(run, STATD, 1);
}

static uint16_t channel_port_callback(struct check_run *run)
{
	return channel_kernel_port(run, "sys/module/nfs/parameters/callback_tcpport");
}

static uint16_t channel_port_there(struct check_run *run, uint32_t program, uint32_t version)
{
	uint16_t port = 0;

	if (!run->target->naddresses || facts_rpcbind(run, false, program, version, &port))
		return 0;
	return port;
}

static uint16_t channel_port_server_mountd(struct check_run *run)
{
	return channel_port_there(run, MOUNT_PROGRAM_NUMBER, 3);
}

static uint16_t channel_port_server_lockd(struct check_run *run)
{
	return channel_port_there(run, LOCKD, 4);
}

uint16_t channel_rdma_port(struct check_run *run)
{
	const struct host_ganesha *ganesha;
	const struct host_nfsd *nfsd;
	struct nfsd_conf conf;

	/* With a server's name it is that server's port. */
	if (run->target->has_port && !run->target->server)
		return run->target->port;
	if (ganesha_serves(run) && !facts_ganesha(run, &ganesha))
		return (uint16_t)ganesha->port;
	if (!facts_nfsd(run, &nfsd) && host_nfsd_rdma_port(nfsd))
		return host_nfsd_rdma_port(nfsd);
	if (!nfsd_conf_read(run, &conf) && conf.port)
		return (uint16_t)conf.port;
	return NFS_RDMA_PORT;
}

/* --- what is wanted ------------------------------------------------------------------------ */

bool channel_is_asked(const struct check_run *run, enum channel_use use)
{
	const struct check_target *target = run->target;

	switch (use) {
	case USE_V3: return target->nfs_version == 3;
	case USE_V40: return target->nfs_version == 4 && !target->nfs_minor;
	default: return target->krb5;
	}
}

/* Whether a mount over RDMA uses it. */
static bool channel_is_mounted(struct check_run *run, enum channel_use use)
{
	const struct nfs_mounts *mounts;
	unsigned int i;
	bool uses;

	if (facts_mounts(run, &mounts))
		return false;
	for (i = 0; i < mounts->count; i++) {
		const struct nfs_mount *mount = &mounts->list[i];

		if (use == USE_KRB5)
			uses = !strncmp(mount->sec, "krb5", 4);
		else
			uses = !strcmp(mount->vers, use == USE_V3 ? "3" : "4.0");
		if (uses && view_is_rdma(mount->proto))
			return true;
	}
	return false;
}

/* The running nfsd, or nfs.conf; by default it has all versions. */
static bool channel_is_offered(struct check_run *run, enum channel_use use)
{
	static const char *const off[USE_COUNT] = { "-3", "-4.0", NULL };
	static const char *const keys[USE_COUNT] = { "vers3", "vers4.0", NULL };
	const struct host_nfsd *nfsd;
	const struct conf *conf;

	if (!off[use])
		return false;
	if (!facts_nfsd(run, &nfsd) && nfsd->present && nfsd->versions[0])
		return !strstr(nfsd->versions, off[use]);
	return facts_nfs_conf(run, &conf) || conf_bool(conf_get(conf, "nfsd", NULL, keys[use]), 1);
}

bool channel_is_wanted(struct check_run *run, enum check_role role, enum channel_use use)
{
	if (channel_is_asked(run, use))
		return true;
	/* Another version was asked for. */
	if (run->target->nfs_version && use != USE_KRB5)
		return false;
	return role == CHECK_SERVER ? channel_is_offered(run, use) : channel_is_mounted(run, use);
}

/* --- the table ---------------------------------------------------------------------------- */

#define C   CHECK_CLIENT
#define S   CHECK_SERVER
#define TCP IPPROTO_TCP
#define UDP IPPROTO_UDP

const struct channel channel_table[] = {
	{ "rpcbind", C, USE_V3, false, false, TCP, channel_port_rpcbind },
	{ "mountd", C, USE_V3, false, false, TCP, channel_port_server_mountd },
	{ "lockd", C, USE_V3, false, false, TCP, channel_port_server_lockd },
	{ "lockd's callback", C, USE_V3, true, true, TCP, channel_port_lockd },
	{ "statd", C, USE_V3, true, true, UDP, channel_port_statd },
	{ "NFSv4.0's callback", C, USE_V40, true, true, TCP, channel_port_callback },
	{ "rpc.gssd", C, USE_KRB5, false, false, TCP, channel_port_nfs },
	{ "rpcbind", S, USE_V3, true, false, TCP, channel_port_rpcbind },
	{ "mountd", S, USE_V3, true, false, TCP, channel_port_mountd },
	{ "lockd", S, USE_V3, true, false, TCP, channel_port_lockd },
	{ "lockd's callback", S, USE_V3, false, true, TCP, channel_port_any },
	{ "statd", S, USE_V3, true, true, UDP, channel_port_statd },
	{ "NFSv4.0's callback", S, USE_V40, false, true, TCP, channel_port_any },
	{ "rpc.gssd", S, USE_KRB5, true, false, TCP, channel_port_nfs },
	{ NULL, C, USE_V3, false, false, TCP, NULL },
};
