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
#include "rpcrdma/nfs/nfs.h"

#define NFS_PORT  2049
#define RDMA_PORT 20049

#define MOUNTD 100005
#define LOCKD  100021
#define STATD  100024

/* --- ports ------------------------------------------------------------------------------- */

static uint16_t number_port(const char *text)
{
	unsigned long number;
	char *end;

	number = strtoul(text, &end, 10);
	return *text < '0' || *text > '9' || *end || number > UINT16_MAX
		       ? 0
		       : (uint16_t)number;
}

static uint16_t conf_port(struct check_run *run, const char *section, const char *key)
{
	const struct conf_value *value;
	const struct conf *conf;

	if (facts_nfs_conf(run, &conf))
		return 0;
	value = conf_get(conf, section, NULL, key);
	return value ? number_port(value->value) : 0;
}

static uint16_t kernel_port(struct check_run *run, const char *path)
{
	int64_t number = 0;

	if (host_attr_number(run->host, path, &number) || number < 0 ||
	    number > UINT16_MAX)
		return 0;
	return (uint16_t)number;
}

static uint16_t service_port(struct check_run *run, const char *name)
{
	unsigned int port;

	return host_service(run->host, name, "tcp", &port) ? 0 : (uint16_t)port;
}

static uint16_t here_port(struct check_run *run, uint32_t program, uint32_t version)
{
	uint16_t port = 0;

	return facts_rpcbind(run, true, program, version, &port) ? 0 : port;
}

static uint16_t rpcbind_port(struct check_run *run)
{
	(void)run;
	return RPCBIND_PORT;
}

static uint16_t nfs_port(struct check_run *run)
{
	(void)run;
	return NFS_PORT;
}

static uint16_t any_port(struct check_run *run)
{
	(void)run;
	return 0;
}

/* Of this host, as configured: what rpcbind reports holds until the next start. */
static uint16_t mountd_port(struct check_run *run)
{
	uint16_t port = conf_port(run, "mountd", "port");

	port = port ? port : service_port(run, "mountd");
	return port ? port : here_port(run, MOUNTD, 3);
}

static uint16_t lockd_port(struct check_run *run)
{
	uint16_t port = kernel_port(run, "proc/sys/fs/nfs/nlm_tcpport");

	port = port ? port : conf_port(run, "lockd", "port");
	return port ? port : here_port(run, LOCKD, 4);
}

static uint16_t statd_port(struct check_run *run)
{
	uint16_t port = conf_port(run, "statd", "port");

	return port ? port : here_port(run, STATD, 1);
}

static uint16_t callback_port(struct check_run *run)
{
	return kernel_port(run, "sys/module/nfs/parameters/callback_tcpport");
}

static uint16_t server_port(struct check_run *run, uint32_t program, uint32_t version)
{
	uint16_t port = 0;

	if (!run->target->naddresses ||
	    facts_rpcbind(run, false, program, version, &port))
		return 0;
	return port;
}

static uint16_t server_mountd_port(struct check_run *run)
{
	return server_port(run, MOUNTD, 3);
}

static uint16_t server_lockd_port(struct check_run *run)
{
	return server_port(run, LOCKD, 4);
}

uint16_t channel_rdma_port(struct check_run *run)
{
	const struct host_ganesha *ganesha;
	const struct host_nfsd *nfsd;
	struct nfsd_conf conf;
	unsigned int i;

	/* With a server's name it is that server's port. */
	if (run->target->has_port && !run->target->server)
		return run->target->port;
	if (ganesha_serves(run) && !facts_ganesha(run, &ganesha))
		return (uint16_t)ganesha->port;
	if (!facts_nfsd(run, &nfsd))
		for (i = 0; i < nfsd->nlisteners; i++)
			if (!strcmp(nfsd->listeners[i].proto, "rdma"))
				return (uint16_t)nfsd->listeners[i].port;
	if (!nfsd_conf_read(run, &conf) && conf.port)
		return (uint16_t)conf.port;
	return RDMA_PORT;
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

static bool mount_uses(const struct nfs_mount *mount, enum channel_use use)
{
	switch (use) {
	case USE_V3: return !strcmp(mount->vers, "3");
	case USE_V40: return !strcmp(mount->vers, "4.0");
	default: return !strncmp(mount->sec, "krb5", 4);
	}
}

static bool is_mounted(struct check_run *run, enum channel_use use)
{
	const struct nfs_mounts *mounts;
	unsigned int i;

	if (facts_mounts(run, &mounts))
		return false;
	for (i = 0; i < mounts->count; i++)
		if (!strncmp(mounts->list[i].proto, "rdma", 4) &&
		    mount_uses(&mounts->list[i], use))
			return true;
	return false;
}

/* The running nfsd, or nfs.conf; by default it has all versions. */
static bool is_offered(struct check_run *run, enum channel_use use)
{
	static const char *const off[USE_COUNT] = { "-3", "-4.0", NULL };
	static const char *const keys[USE_COUNT] = { "vers3", "vers4.0", NULL };
	const struct host_nfsd *nfsd;
	const struct conf *conf;

	if (!off[use])
		return false;
	if (!facts_nfsd(run, &nfsd) && nfsd->present && nfsd->versions[0])
		return !strstr(nfsd->versions, off[use]);
	return facts_nfs_conf(run, &conf) ||
	       conf_bool(conf_get(conf, "nfsd", NULL, keys[use]), 1);
}

bool channel_is_wanted(struct check_run *run, enum check_role role, enum channel_use use)
{
	if (channel_is_asked(run, use))
		return true;
	/* Another version was asked for. */
	if (run->target->nfs_version && use != USE_KRB5)
		return false;
	return role == CHECK_SERVER ? is_offered(run, use) : is_mounted(run, use);
}

/* --- the table ---------------------------------------------------------------------------- */

#define C   CHECK_CLIENT
#define S   CHECK_SERVER
#define TCP IPPROTO_TCP
#define UDP IPPROTO_UDP

const struct channel channel_table[] = {
	{ "rpcbind", C, USE_V3, false, false, TCP, rpcbind_port },
	{ "mountd", C, USE_V3, false, false, TCP, server_mountd_port },
	{ "lockd", C, USE_V3, false, false, TCP, server_lockd_port },
	{ "lockd's callback", C, USE_V3, true, true, TCP, lockd_port },
	{ "statd", C, USE_V3, true, true, UDP, statd_port },
	{ "NFSv4.0's callback", C, USE_V40, true, true, TCP, callback_port },
	{ "rpc.gssd", C, USE_KRB5, false, false, TCP, nfs_port },
	{ "rpcbind", S, USE_V3, true, false, TCP, rpcbind_port },
	{ "mountd", S, USE_V3, true, false, TCP, mountd_port },
	{ "lockd", S, USE_V3, true, false, TCP, lockd_port },
	{ "lockd's callback", S, USE_V3, false, true, TCP, any_port },
	{ "statd", S, USE_V3, true, true, UDP, statd_port },
	{ "NFSv4.0's callback", S, USE_V40, false, true, TCP, any_port },
	{ "rpc.gssd", S, USE_KRB5, true, false, TCP, nfs_port },
	{ NULL, C, USE_V3, false, false, TCP, NULL },
};
