/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* What several checks need. Each fact is read on first use and remembered; so is the error of one
 * that could not be, with its words, because every check that wants it says them. */
#include <netdb.h>
#include <stdio.h>

#include "plugin/checks/internal.h"

#define PATHS_MAX ARRAY_SIZE(((struct check_target *)0)->addresses)

struct memo {
	bool read;
	struct err_kept err;
};

struct facts {
	struct memo system_memo, rdma_memo, mounts_memo, nfs_conf_memo,
		nfsmount_conf_memo, nfsd_memo, ganesha_memo, platform_memo, rpcrdma_memo,
		kconfig_memo, netdevs_memo, paths_memo, view_memo;
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
	struct path paths[PATHS_MAX];
	unsigned int npaths;
	struct filters filters;
	bool filters_known;
	struct memo listener_memo;
	struct remote listener;
	bool rpcbind_silent[2]; /* the server's, this host's */
};

struct facts *facts_new(void)
{
	return calloc(1, sizeof(struct facts));
}

void facts_free_p(struct facts **facts)
{
	struct facts *f = *facts;

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
	filters_fini(&f->filters);
	free(f);
	*facts = NULL;
}

static void memo_keep(struct memo *memo, int rc)
{
	memo->read = true;
	if (rc)
		err_keep(&memo->err, rc);
}

static int memo_tell(const struct memo *memo)
{
	return memo->err.rc ? err_again(&memo->err) : 0;
}

int facts_system(struct check_run *run, const struct host_system **out)
{
	struct facts *f = run->facts;

	if (!f->system_memo.read)
		memo_keep(&f->system_memo, host_system(run->host, &f->system));
	*out = &f->system;
	return memo_tell(&f->system_memo);
}

int facts_rdma(struct check_run *run, const struct rdma_devices **out)
{
	struct facts *f = run->facts;

	if (!f->rdma_memo.read)
		memo_keep(&f->rdma_memo, host_rdma(run->host, &f->rdma));
	*out = f->rdma;
	return memo_tell(&f->rdma_memo);
}

int facts_mounts(struct check_run *run, const struct nfs_mounts **out)
{
	struct facts *f = run->facts;

	if (!f->mounts_memo.read)
		memo_keep(&f->mounts_memo, host_nfs_mounts(run->host, &f->mounts));
	*out = &f->mounts;
	return memo_tell(&f->mounts_memo);
}

static int open_view(struct check_run *run, struct facts *f)
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

int facts_view(struct check_run *run, const struct view **out)
{
	struct facts *f = run->facts;

	if (!f->view_memo.read)
		memo_keep(&f->view_memo, open_view(run, f));
	*out = f->view;
	return memo_tell(&f->view_memo);
}

int facts_nfs_conf(struct check_run *run, const struct conf **out)
{
	struct facts *f = run->facts;

	if (!f->nfs_conf_memo.read)
		memo_keep(&f->nfs_conf_memo,
			  conf_open(&f->nfs_conf, run->host, "etc/nfs.conf"));
	*out = f->nfs_conf;
	return memo_tell(&f->nfs_conf_memo);
}

int facts_nfsmount_conf(struct check_run *run, const struct conf **out)
{
	struct facts *f = run->facts;

	if (!f->nfsmount_conf_memo.read)
		memo_keep(&f->nfsmount_conf_memo,
			  conf_open(&f->nfsmount_conf, run->host, "etc/nfsmount.conf"));
	*out = f->nfsmount_conf;
	return memo_tell(&f->nfsmount_conf_memo);
}

int facts_nfsd(struct check_run *run, const struct host_nfsd **out)
{
	struct facts *f = run->facts;

	if (!f->nfsd_memo.read)
		memo_keep(&f->nfsd_memo, host_nfsd(run->host, &f->nfsd));
	*out = &f->nfsd;
	return memo_tell(&f->nfsd_memo);
}

int facts_ganesha(struct check_run *run, const struct host_ganesha **out)
{
	struct facts *f = run->facts;

	if (!f->ganesha_memo.read)
		memo_keep(&f->ganesha_memo, host_ganesha(run->host, &f->ganesha));
	*out = &f->ganesha;
	return memo_tell(&f->ganesha_memo);
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

int facts_platform(struct check_run *run, const struct host_platform **out)
{
	struct facts *f = run->facts;

	if (!f->platform_memo.read)
		memo_keep(&f->platform_memo, host_platform(run->host, &f->platform));
	*out = &f->platform;
	return memo_tell(&f->platform_memo);
}

/* Before 4.2 the client is a module of its own, xprtrdma. */
static int read_rpcrdma(const struct host *host, struct host_module *out)
{
	struct host_module old;
	int rc = host_module(host, "rpcrdma", out);

	if (!rc && out->state == MODULE_MISSING && !host_module(host, "xprtrdma", &old) &&
	    old.state != MODULE_MISSING)
		*out = old;
	return rc;
}

int facts_rpcrdma(struct check_run *run, const struct host_module **out)
{
	struct facts *f = run->facts;

	if (!f->rpcrdma_memo.read)
		memo_keep(&f->rpcrdma_memo, read_rpcrdma(run->host, &f->rpcrdma));
	*out = &f->rpcrdma;
	return memo_tell(&f->rpcrdma_memo);
}

int facts_kconfig(struct check_run *run, const struct host_kconfig **out)
{
	struct facts *f = run->facts;

	if (!f->kconfig_memo.read)
		memo_keep(&f->kconfig_memo, host_kconfig(run->host, &f->kconfig));
	*out = &f->kconfig;
	return memo_tell(&f->kconfig_memo);
}

/* --- network interfaces -------------------------------------------------------------- */

static int read_netdevs(struct check_run *run, struct netdevs *out)
{
	_cleanup_(host_list_fini) struct host_list names = { NULL, 0, false };
	const struct rdma_devices *rdma;
	int rc = facts_rdma(run, &rdma);
	size_t i;

	rc = rc ? rc : host_list(run->host, "sys/class/net", &names);
	if (rc)
		return rc;
	out->list = calloc(names.count + 1, sizeof(*out->list));
	if (!out->list)
		return err_set(ENOMEM, "no memory");
	for (i = 0; i < names.count; i++) {
		/* One that has gone since, or that is a file ("bonding_masters"). */
		if (!host_netdev(run->host, names.names[i], rdma, &out->list[out->count]))
			out->count++;
	}
	return 0;
}

int facts_netdevs(struct check_run *run, const struct netdevs **out)
{
	struct facts *f = run->facts;

	if (!f->netdevs_memo.read)
		memo_keep(&f->netdevs_memo, read_netdevs(run, &f->netdevs));
	*out = &f->netdevs;
	return memo_tell(&f->netdevs_memo);
}

struct filters *facts_filters(struct check_run *run)
{
	struct facts *f = run->facts;

	if (!f->filters_known)
		filters_read(run, &f->filters);
	f->filters_known = true;
	return &f->filters;
}

int facts_listener(struct check_run *run, struct remote *out)
{
	struct facts *f = run->facts;

	if (!f->listener_memo.read)
		memo_keep(&f->listener_memo,
			  remote_rdma(run, run->target->port, &f->listener));
	*out = f->listener;
	return memo_tell(&f->listener_memo);
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

/* --- the way to the server ------------------------------------------------------------- */

static void find_port(const struct rdma_devices *rdma, struct path *path)
{
	const struct rdma_device *device = NULL;
	unsigned int i;

	for (i = 0; i < rdma->count && !device; i++)
		if (!strcmp(rdma->list[i].name, path->netdev.rdma_device))
			device = &rdma->list[i];
	for (i = 0; device && i < device->nports; i++) {
		if (device->ports[i].number != path->netdev.rdma_port)
			continue;
		path->device = device;
		path->port = &device->ports[i];
	}
}

/* To an address of this host itself, which RoCE has a GID for. */
static void find_local(const struct rdma_devices *rdma, struct path *path)
{
	char name[ADDRESS_NAME_MAX];
	unsigned int i, p;
	bool v2;

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

static int read_path(struct check_run *run, struct path *path)
{
	const struct rdma_devices *rdma;
	int rc = facts_rdma(run, &rdma);

	rc = rc ? rc : run->live->route(run->host, path->to, &path->route);
	if (rc)
		return rc;
	if (path->route.local) {
		find_local(rdma, path);
		return 0;
	}
	rc = host_netdev(run->host, path->route.netdev, rdma, &path->netdev);
	if (!rc && path->netdev.rdma_device[0])
		find_port(rdma, path);
	return rc;
}

static void read_paths(struct check_run *run, struct facts *f)
{
	const struct check_target *target = run->target;
	unsigned int i;

	for (i = 0; i < target->naddresses && i < PATHS_MAX; i++) {
		struct path *path = &f->paths[f->npaths++];

		path->to = &target->addresses[i];
		err_clear();
		path->rc = read_path(run, path);
		if (path->rc)
			snprintf(path->why, sizeof(path->why), "%s", err_text());
	}
}

int facts_paths(struct check_run *run, const struct path **out, unsigned int *count)
{
	struct facts *f = run->facts;

	if (!f->paths_memo.read) {
		read_paths(run, f);
		memo_keep(&f->paths_memo, 0);
	}
	*out = f->paths;
	*count = f->npaths;
	return 0;
}

int facts_route_port(struct check_run *run, const struct rdma_device **device,
		     const struct rdma_port **port)
{
	const struct path *paths;
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
