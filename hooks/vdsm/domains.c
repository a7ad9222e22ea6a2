/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Storage domains: VDSM mounts an export on REPOSITORY/mnt/NAME, and links the domains that it finds
 * there into the folder of their data center, REPOSITORY/POOL/DOMAIN -> REPOSITORY/mnt/NAME/DOMAIN
 * (lib/vdsm/storage/sp.py). So readlink(2) finds the names here, without access to the storage
 * itself, whose server may be gone. */
#include <stdio.h>

#include "hooks/vdsm/internal.h"

/* For one host, which has one data center, and leftovers of others. */
#define POOLS_MAX 64
#define LINKS_MAX 2048

struct domains_search {
	const struct host *host;
	const struct host_mounts *mounts;
	const char *repository;
	unsigned int links;
	struct vdsm_domains *out;
};

/* The part of @path after REPOSITORY/mnt/; NULL: it is elsewhere. */
static const char *domains_name_of(const char *repository, const char *path)
{
	size_t len = strlen(repository);

	if (strncmp(path, repository, len) || strncmp(path + len, "/mnt/", 5))
		return NULL;
	return path[len + 5] ? path + len + 5 : NULL;
}

static struct vdsm_domain *domains_find(struct vdsm_domains *domains, const char *target)
{
	size_t i;

	for (i = 0; i < domains->count; i++)
		if (!strcmp(domains->list[i].target, target))
			return &domains->list[i];
	return NULL;
}

/* NULL: no memory, or too many, which sets cut. */
static struct vdsm_domain *domains_add(struct vdsm_domains *domains, const char *target)
{
	struct vdsm_domain *domain, *grown;

	if (domains->count == VDSM_DOMAINS_MAX) {
		domains->cut = true;
		return NULL;
	}
	grown = realloc(domains->list, (domains->count + 1) * sizeof(*grown));
	if (!grown)
		return NULL;
	domains->list = grown;
	domain = &grown[domains->count];
	*domain = (struct vdsm_domain){ .target = strdup(target) };
	if (!domain->target)
		return NULL;
	domains->count++;
	return domain;
}

static int domains_not_added(const struct vdsm_domains *domains)
{
	return domains->cut ? 0 : err_no_memory();
}

/* --- mounts -------------------------------------------------------------------------------- */

/* Of several mounts on a directory the last one is visible. A mount below a domain's mount is
 * another export of its server, not a domain. */
static int domains_add_mounts(struct domains_search *search)
{
	size_t i;

	for (i = 0; i < search->mounts->count; i++) {
		const struct host_mount *mount = &search->mounts->list[i];
		const char *name = domains_name_of(search->repository, mount->target);
		struct vdsm_domain *domain;

		if (!name || strchr(name, '/') ||
		    (strcmp(mount->type, "nfs") && strcmp(mount->type, "nfs4")))
			continue;
		domain = domains_find(search->out, mount->target);
		domain = domain ? domain : domains_add(search->out, mount->target);
		if (!domain)
			return domains_not_added(search->out);
		domain->mount = mount;
	}
	return 0;
}

/* --- links --------------------------------------------------------------------------------- */

static int domains_add_uuid(struct vdsm_domain *domain, const char *uuid)
{
	char(*grown)[VDSM_UUID_MAX];
	size_t i;

	for (i = 0; i < domain->nuuids; i++)
		if (!strcmp(domain->uuids[i], uuid))
			return 0;
	grown = realloc(domain->uuids, (domain->nuuids + 1) * sizeof(*grown));
	if (!grown)
		return err_no_memory();
	domain->uuids = grown;
	memcpy(grown[domain->nuuids++], uuid, VDSM_UUID_MAX);
	return 0;
}

/* The target of a link: "REPOSITORY/mnt/NAME/DOMAIN". */
static int domains_add_link(struct domains_search *search, char *to, const char *uuid)
{
	char *slash = strrchr(to, '/');
	struct vdsm_domain *domain;
	const char *name;

	if (!slash || strcmp(slash + 1, uuid))
		return 0;
	*slash = '\0';
	name = domains_name_of(search->repository, to);
	if (!name)
		return 0;
	domain = domains_find(search->out, to);
	/* Only a name that looks like an NFS export, "server:_path": directories of this host have
	 * no server, and GlusterFS and block devices have their own directories, glusterSD/ and
	 * blockSD/. */
	if (!domain && (!strstr(name, ":_") || strchr(name, '/')))
		return 0;
	domain = domain ? domain : domains_add(search->out, to);
	return domain ? domains_add_uuid(domain, uuid) : domains_not_added(search->out);
}

/* A directory on a local file system, which is safe to read. */
static bool domains_is_local(const struct domains_search *search, const char *path)
{
	struct host_path *found = calloc(1, sizeof(*found));
	bool local = found &&
		     !host_path_resolve(search->host, search->mounts, path, found) &&
		     found->end == HOST_PATH_LOCAL && !found->missing &&
		     !strcmp(found->path, path);

	free(found);
	return local;
}

static bool domains_is_mount_point(const struct host_mounts *mounts, const char *path)
{
	size_t i;

	for (i = 0; i < mounts->count; i++)
		if (!strcmp(mounts->list[i].target, path))
			return true;
	return false;
}

static int domains_walk_pool(struct domains_search *search, const char *pool)
{
	_cleanup_(host_list_fini) struct host_list list = { NULL, 0, false };
	char path[PATH_MAX], to[PATH_MAX];
	size_t i;
	int rc = 0;

	if (!domains_is_local(search, pool) || host_list(search->host, pool, &list))
		return 0;
	for (i = 0; !rc && i < list.count; i++) {
		if (!hook_is_uuid(list.names[i]) || search->links++ >= LINKS_MAX)
			continue;
		snprintf(path, sizeof(path), "%s/%s", pool, list.names[i]);
		if (!domains_is_mount_point(search->mounts, path) &&
		    !host_link(search->host, path, to, sizeof(to)))
			rc = domains_add_link(search, to, list.names[i]);
	}
	return rc;
}

static int domains_add_links(struct domains_search *search)
{
	_cleanup_(host_list_fini) struct host_list list = { NULL, 0, false };
	char path[HOST_REPOSITORY_MAX + NAME_MAX + 2];
	unsigned int pools = 0;
	size_t i;
	int rc = 0;

	if (!domains_is_local(search, search->repository) ||
	    host_list(search->host, search->repository, &list))
		return 0;
	for (i = 0; !rc && i < list.count; i++) {
		if (!hook_is_uuid(list.names[i]) || pools++ >= POOLS_MAX)
			continue;
		snprintf(path, sizeof(path), "%s/%s", search->repository, list.names[i]);
		rc = domains_walk_pool(search, path);
	}
	return rc;
}

int vdsm_domains(const struct host *host, const struct host_mounts *mounts,
		 const char *repository, struct vdsm_domains *out)
{
	struct domains_search search = {
		.host = host, .mounts = mounts, .repository = repository, .out = out
	};
	int rc;

	*out = (struct vdsm_domains){ 0, false, NULL };
	rc = domains_add_mounts(&search);
	if (!rc)
		rc = domains_add_links(&search);
	if (rc)
		vdsm_domains_fini(out);
	return rc;
}

void vdsm_domains_fini(struct vdsm_domains *domains)
{
	size_t i;

	for (i = 0; i < domains->count; i++) {
		free(domains->list[i].target);
		free(domains->list[i].uuids);
	}
	free(domains->list);
	*domains = (struct vdsm_domains){ 0, false, NULL };
}
