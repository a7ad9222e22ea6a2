/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* What several checks need. Each fact is read on first use and remembered; so is the error of one
 * that could not be, with its words, because every check that wants it says them. */
#include <netdb.h>

#include "plugin/checks/internal.h"

#define PATHS_MAX ARRAY_SIZE(((struct check_target *)0)->addresses)

enum fact {
	FACT_SYSTEM,
	FACT_RDMA,
	FACT_MOUNTS,
	FACT_VIEW,
	FACT_NFS_CONF,
	FACT_NFSMOUNT_CONF,
	FACT_NFSD,
	FACT_GANESHA,
	FACT_PLATFORM,
	FACT_RPCRDMA,
	FACT_KCONFIG,
	FACT_NETDEVS,
	FACT_LISTENER,
	FACT_PATHS,
	FACT_LOG,
	FACT_COUNT
};

struct check_facts {
	struct {
		bool read;
		struct err_kept err;
	} memo[FACT_COUNT];
	struct host_system system;
	struct rdma_devices *rdma;
	struct nfs_mounts mounts;
	struct view *view;
	struct view_places pools;
	struct conf *nfs_conf, *nfsmount_conf;
	struct host_nfsd nfsd;
	struct host_ganesha ganesha;
	struct host_platform platform;
	struct host_module rpcrdma;
	struct host_kconfig kconfig;
	struct netdevs netdevs;
	struct remote listener;
	struct server_path paths[PATHS_MAX];
	unsigned int npaths;
	struct log_facts log;
	struct filters filters;
	bool filters_known;
	bool rpcbind_silent[2]; /* the server's, this host's */
};

struct check_facts *facts_new(void)
{
	return calloc(1, sizeof(struct check_facts));
}

void facts_free_p(struct check_facts **facts)
{
	struct check_facts *f = *facts;

	if (!f)
		return;
	free(f->rdma);
	view_close(f->view);
	view_places_fini(&f->pools);
	host_nfs_mounts_fini(&f->mounts);
	conf_close(f->nfs_conf);
	conf_close(f->nfsmount_conf);
	host_kconfig_fini(&f->kconfig);
	free(f->netdevs.list);
	live_log_fini(&f->log.lines);
	filters_fini(&f->filters);
	free(f);
	*facts = NULL;
}

/* --- how each is read ----------------------------------------------------------------- */

static int facts_open_view(struct check_run *run, struct check_facts *f)
{
	struct view_sources sources = { .host = run->host, .now = now_ms() };
	const struct nfs_mounts *mounts;
	char why[ERR_TEXT_MAX];
	int rc = facts_mounts(run, &mounts);

	if (rc)
		return rc;
	/* What cannot be read there client.nfsmount-conf says. */
	if (facts_nfsmount_conf(run, &sources.nfsmount_conf))
		sources.nfsmount_conf = NULL;
	sources.mounts = mounts;
	sources.pools = &f->pools;
	if (run->target->pools)
		sources.pools_unknown = run->target->pools(run->host, &f->pools, why);
	return view_open(&f->view, &sources);
}

/* Before 4.2 the client is a module of its own, xprtrdma. */
static int facts_read_rpcrdma(const struct host *host, struct host_module *out)
{
	struct host_module old;
	int rc = host_module(host, "rpcrdma", out);

	if (!rc && out->state == MODULE_MISSING && !host_module(host, "xprtrdma", &old) &&
	    old.state != MODULE_MISSING)
		*out = old;
	return rc;
}

static int facts_read_netdevs(struct check_run *run, struct netdevs *out)
{
	_cleanup_(host_list_fini) struct host_list names = { NULL, 0, false };
	const struct rdma_devices *rdma;
	int rc = facts_rdma(run, &rdma);
	size_t i;

	if (!rc)
		rc = host_list(run->host, "sys/class/net", &names);
	if (rc)
		return rc;
	out->list = calloc(names.count + 1, sizeof(*out->list));
	if (!out->list)
		return err_no_memory();
	for (i = 0; i < names.count; i++) {
		rc = host_netdev(run->host, names.names[i], rdma, &out->list[out->count]);
		/* One that has gone since, or that is a file ("bonding_masters"). */
		if (rc && rc != -ENOENT && rc != -ENODEV && rc != -ENOTDIR)
			return rc;
		out->count += !rc;
	}
	return 0;
}

/* To an address of this host itself, which RoCE has a GID for. */
static void server_path_find_local(const struct rdma_devices *rdma, struct server_path *path)
{
	char name[ADDRESS_NAME_MAX];
	unsigned int i, p;
	bool v2 = false;

	words_address(path->to, name);
	for (i = 0; i < rdma->count; i++) {
		const struct rdma_device *device = &rdma->list[i];

		for (p = 0; device->kind == RDMA_ROCE && p < device->nports; p++) {
			if (!port_has_gid(&device->ports[p], name, &v2))
				continue;
			path->device = device;
			path->port = &device->ports[p];
			return;
		}
	}
}

static int server_path_read(struct check_run *run, struct server_path *path)
{
	const struct rdma_devices *rdma;
	const struct rdma_device *device;
	int rc = facts_rdma(run, &rdma);

	if (rc)
		return rc;
	rc = run->live->route(run->host, path->to, &path->route);
	if (rc)
		return rc;
	if (path->route.local) {
		server_path_find_local(rdma, path);
		return 0;
	}
	rc = host_netdev(run->host, path->route.netdev, rdma, &path->netdev);
	if (rc)
		return rc;
	device = rdma_device_find(rdma, path->netdev.rdma_device);
	path->port = rdma_port_find(device, path->netdev.rdma_port);
	path->device = path->port ? device : NULL;
	return 0;
}

static int facts_read_paths(struct check_run *run, struct check_facts *f)
{
	const struct check_target *target = run->target;
	unsigned int i;

	for (i = 0; i < target->naddresses && i < PATHS_MAX; i++) {
		struct server_path *path = &f->paths[f->npaths++];

		path->to = &target->addresses[i];
		err_clear();
		path->rc = server_path_read(run, path);
		if (path->rc)
			str_copy(path->why, sizeof(path->why), err_text());
	}
	return 0;
}

static int facts_read_log(struct check_run *run, struct log_facts *out)
{
	int rc = run->live->log ? run->live->log(run->host, &out->lines)
				: err_set(ENOSYS, "the kernel's log is not asked for here");

	if (!rc)
		log_facts_learn(out);
	return rc;
}

static int facts_read(struct check_run *run, struct check_facts *f, enum fact fact)
{
	const struct host *host = run->host;

	switch (fact) {
	case FACT_SYSTEM: return host_system(host, &f->system);
	case FACT_RDMA: return host_rdma(host, &f->rdma);
	case FACT_MOUNTS: return host_nfs_mounts(host, &f->mounts);
	case FACT_VIEW: return facts_open_view(run, f);
	case FACT_NFS_CONF: return conf_open(&f->nfs_conf, host, "etc/nfs.conf");
	case FACT_NFSMOUNT_CONF: return conf_open(&f->nfsmount_conf, host, "etc/nfsmount.conf");
	case FACT_NFSD: return host_nfsd(host, &f->nfsd);
	case FACT_GANESHA: return host_ganesha(host, &f->ganesha);
	case FACT_PLATFORM: return host_platform(host, &f->platform);
	case FACT_RPCRDMA: return facts_read_rpcrdma(host, &f->rpcrdma);
	case FACT_KCONFIG: return host_kconfig(host, &f->kconfig);
	case FACT_NETDEVS: return facts_read_netdevs(run, &f->netdevs);
	case FACT_LISTENER: return remote_rdma(run, run->target->port, &f->listener);
	case FACT_PATHS: return facts_read_paths(run, f);
	case FACT_LOG: return facts_read_log(run, &f->log);
	case FACT_COUNT: break;
	}
	return -EINVAL;
}

/* Reads it, the first time; then only its error is repeated, with its words. */
static int facts_need(struct check_run *run, enum fact fact)
{
	struct check_facts *f = run->facts;
	int rc;

	if (!f->memo[fact].read) {
		rc = facts_read(run, f, fact);
		f->memo[fact].read = true;
		if (rc)
			err_keep(&f->memo[fact].err, rc);
	}
	return f->memo[fact].err.rc ? err_again(&f->memo[fact].err) : 0;
}

/* --- what the checks ask --------------------------------------------------------------- */

int facts_system(struct check_run *run, const struct host_system **out)
{
	*out = &run->facts->system;
	return facts_need(run, FACT_SYSTEM);
}

int facts_rdma(struct check_run *run, const struct rdma_devices **out)
{
	int rc = facts_need(run, FACT_RDMA);

	*out = run->facts->rdma;
	return rc;
}

int facts_mounts(struct check_run *run, const struct nfs_mounts **out)
{
	*out = &run->facts->mounts;
	return facts_need(run, FACT_MOUNTS);
}

int facts_view(struct check_run *run, const struct view **out)
{
	int rc = facts_need(run, FACT_VIEW);

	*out = run->facts->view;
	return rc;
}

int facts_nfs_conf(struct check_run *run, const struct conf **out)
{
	int rc = facts_need(run, FACT_NFS_CONF);

	*out = run->facts->nfs_conf;
	return rc;
}

int facts_nfsmount_conf(struct check_run *run, const struct conf **out)
{
	int rc = facts_need(run, FACT_NFSMOUNT_CONF);

	*out = run->facts->nfsmount_conf;
	return rc;
}

int facts_nfsd(struct check_run *run, const struct host_nfsd **out)
{
	*out = &run->facts->nfsd;
	return facts_need(run, FACT_NFSD);
}

int facts_ganesha(struct check_run *run, const struct host_ganesha **out)
{
	*out = &run->facts->ganesha;
	return facts_need(run, FACT_GANESHA);
}

int facts_platform(struct check_run *run, const struct host_platform **out)
{
	*out = &run->facts->platform;
	return facts_need(run, FACT_PLATFORM);
}

int facts_rpcrdma(struct check_run *run, const struct host_module **out)
{
	*out = &run->facts->rpcrdma;
	return facts_need(run, FACT_RPCRDMA);
}

int facts_kconfig(struct check_run *run, const struct host_kconfig **out)
{
	*out = &run->facts->kconfig;
	return facts_need(run, FACT_KCONFIG);
}

int facts_netdevs(struct check_run *run, const struct netdevs **out)
{
	*out = &run->facts->netdevs;
	return facts_need(run, FACT_NETDEVS);
}

int facts_log(struct check_run *run, const struct log_facts **out)
{
	*out = &run->facts->log;
	return facts_need(run, FACT_LOG);
}

struct filters *facts_filters(struct check_run *run)
{
	struct check_facts *f = run->facts;

	if (!f->filters_known)
		filters_read(run, &f->filters);
	f->filters_known = true;
	return &f->filters;
}

int facts_listener(struct check_run *run, struct remote *out)
{
	int rc = facts_need(run, FACT_LISTENER);

	*out = run->facts->listener;
	return rc;
}

int facts_rpcbind(struct check_run *run, bool here, uint32_t program, uint32_t version,
		  uint16_t *port)
{
	bool *silent = &run->facts->rpcbind_silent[here];
	int rc;

	if (*silent)
		return err_set(ETIMEDOUT, "rpcbind does not answer");
	rc = here ? remote_rpcbind_here(run, program, version, port)
		  : remote_rpcbind(run, program, version, port);
	*silent = rc == -ETIMEDOUT;
	return rc;
}

int facts_paths(struct check_run *run, const struct server_path **out, unsigned int *count)
{
	int rc = facts_need(run, FACT_PATHS);

	*out = run->facts->paths;
	*count = run->facts->npaths;
	return rc;
}

int facts_route_port(struct check_run *run, const struct rdma_device **device,
		     const struct rdma_port **port)
{
	const struct server_path *paths;
	unsigned int count, i, known = 0;

	facts_paths(run, &paths, &count);
	for (i = 0; i < count; i++) {
		known += !paths[i].rc;
		if (!paths[i].port)
			continue;
		*device = paths[i].device;
		*port = paths[i].port;
		return 0;
	}
	return known ? err_set(ENODEV, "the route leads through no RDMA device")
		     : err_set(ENODATA, "the route to the server is not known");
}

const char *container_reason(struct check_run *run, const char *otherwise)
{
	char kind[HOST_CONTAINER_MAX];

	if (!host_container(run->host, kind))
		return otherwise;
	if (!*finding_evidence(&run->finding, "container"))
		finding_text(&run->finding, "container", "%s", kind);
	return "container";
}
