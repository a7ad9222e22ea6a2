/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The sources of a view: those that the caller does not provide are read, once. Without
 * nfsmount.conf, fstab or the files of mount.nfsrdma, requests may be missing, and the view reports
 * that. Without mounts or policy there is no view. */
#include <stdio.h>

#include "plugin/view/internal.h"

/* For given mounts, their own fstab data is used. */
static int read_mounts(struct view *view, const struct view_sources *sources)
{
	int rc;

	view->nfs = sources->mounts ? sources->mounts : &view->own_nfs;
	if (!view->host)
		return 0;
	rc = sources->mounts ? host_mounts(view->host, &view->tree)
			     : host_all_mounts(view->host, &view->tree, &view->own_nfs);
	return rc ? err_context(rc, "mounts cannot be read") : 0;
}

/* An unreadable fstab is not fatal: mounts and other requests are known. */
static int read_fstab(struct view *view)
{
	int rc = view->host ? view_places_fstab(view->host, &view->fstab) : 0;
	struct nfs_mounts *mounts = &view->own_nfs;
	struct nfs_mount *mount;
	unsigned int i;
	size_t j;

	if (rc == -ENOMEM)
		return rc;
	if (rc)
		text_copy(view->fstab_unknown, sizeof(view->fstab_unknown), err_text());
	if (view->nfs != mounts)
		return 0;
	text_copy(mounts->fstab_unknown, sizeof(mounts->fstab_unknown), view->fstab_unknown);
	for (i = 0; i < mounts->count; i++) {
		mount = &mounts->list[i];
		/* The first matching line applies, as for mount(8); a bind mount has no options of
		 * its own. Strings of a mount are truncated. */
		for (j = 0; j < view->fstab.count; j++)
			if (view->fstab.list[j].options &&
			    !strncmp(mount->target, view->fstab.list[j].target,
				     sizeof(mount->target) - 1))
				break;
		if (j < view->fstab.count)
			text_copy(mount->fstab, sizeof(mount->fstab), view->fstab.list[j].options);
	}
	return 0;
}

static int read_requests(struct view *view, const struct view_sources *sources)
{
	int rc;

	view->requests = sources->requests ? sources->requests : &view->own_requests;
	if (!view->host || sources->requests)
		return 0;
	rc = request_list(view->host, &view->own_requests);
	if (rc && rc != -ENOMEM)
		text_copy(view->requests_unknown, sizeof(view->requests_unknown), err_text());
	return rc == -ENOMEM ? rc : 0;
}

/* --- where places are --------------------------------------------------------------- */

static bool read_resolve(void *arg, const char *path, char out[PATH_MAX])
{
	const struct view *view = arg;
	struct host_path found;

	if (host_path_resolve(view->host, &view->tree, path, &found))
		return false;
	str_copy(out, PATH_MAX, found.path);
	return true;
}

static enum view_dir_mounted read_dir_mounted(const struct host_path *found)
{
	bool on = found->mount && !strcmp(found->mount->target, found->path);

	switch (found->end) {
	case HOST_PATH_AUTOMOUNT: return DIR_AUTOMOUNT;
	case HOST_PATH_NFS: return on ? DIR_NFS : DIR_NOT_MOUNTED;
	case HOST_PATH_LOCAL:
	case HOST_PATH_REMOTE: break;
	}
	return on ? DIR_OTHER : DIR_NOT_MOUNTED;
}

/* Compares the path as text, and takes the last match: in a snapshot not all mounts are
 * known, so no symbolic link can be resolved. */
static enum view_dir_mounted read_dir_as_written(const struct view *view, const char *target,
						 const struct host_mount **on)
{
	size_t i;

	for (i = view->tree.count; i > 0; i--)
		if (!strcmp(view->tree.list[i - 1].target, target))
			break;
	if (!i)
		return DIR_UNKNOWN;
	*on = &view->tree.list[i - 1];
	if (!strcmp((*on)->type, "autofs"))
		return DIR_AUTOMOUNT;
	return !strcmp((*on)->type, "nfs") || !strcmp((*on)->type, "nfs4") ? DIR_NFS : DIR_OTHER;
}

/* What the kernel shows in place of an unfinished mount: another one of a network, or an
 * automounter. A disk of this host is what it was to cover. */
static bool read_is_there(const struct view_dir *dir, const struct host_path *found)
{
	switch (dir->mounted) {
	case DIR_NFS:
	case DIR_AUTOMOUNT: return true;
	case DIR_OTHER: return found && found->end != HOST_PATH_LOCAL;
	case DIR_NOT_MOUNTED:
	case DIR_UNKNOWN: break;
	}
	return false;
}

/* If the path cannot be resolved, it stays as configured. */
static int read_add_dir(struct view *view, const struct view_place *place)
{
	struct view_dir *dir = &view->dirs[view->ndirs];
	struct host_path found;
	int rc;

	if (!place->target || *place->target != '/' || !view->host)
		return 0;
	rc = host_path_resolve(view->host, &view->tree, place->target, &found);
	dir->place = place;
	dir->on = rc ? NULL : found.mount;
	dir->mounted = rc ? read_dir_as_written(view, place->target, &dir->on)
			  : read_dir_mounted(&found);
	if (place->kind == PLACE_PENDING && read_is_there(dir, rc ? NULL : &found))
		return 0;
	/* A POSIX domain has a directory of the same form: "192.0.2.1:6789:_" is CephFS. */
	if (place->kind == PLACE_DOMAIN && !rc && found.end == HOST_PATH_REMOTE)
		return 0;
	dir->path = strdup(rc ? place->target : found.path);
	if (!dir->path)
		return err_no_memory();
	view->ndirs++;
	return 0;
}

static int read_add_dirs(struct view *view, const struct view_places *places)
{
	size_t i;
	int rc = 0;

	for (i = 0; !rc && places && i < places->count; i++)
		rc = read_add_dir(view, &places->list[i]);
	return rc;
}

static int read_add_section(void *arg, const char *path, const struct policy *policy)
{
	struct view *view = arg;
	struct view_place place = { .kind = PLACE_SECTION };
	_cleanup_free_ char *target = strdup(path);

	if (!target)
		return err_no_memory();
	place.target = target;
	place.asked = policy->mode == POLICY_OFF ? ASKED_ANY : ASKED_RDMA;
	snprintf(place.by, sizeof(place.by), "%s", policy->mode_from);
	return view_places_add(&view->sections, &place);
}

static int read_dirs(struct view *view)
{
	size_t count = view->fstab.count + (view->pools ? view->pools->count : 0);
	int rc = view->host ? policy_each_dir(view->policies, read_add_section, view) : 0;

	if (!rc && view->host)
		rc = requests_places(view, &view->pending);
	if (rc)
		return rc;
	rc = view->host ? configured_places(view) : 0;
	if (rc)
		return rc;
	count += view->pending.count + view->configured.count;
	view->dirs = calloc(count + view->sections.count + 1, sizeof(*view->dirs));
	if (!view->dirs)
		return err_no_memory();
	rc = read_add_dirs(view, view->pools);
	if (rc)
		return rc;
	rc = read_add_dirs(view, &view->fstab);
	if (!rc)
		rc = read_add_dirs(view, &view->configured);
	if (!rc)
		rc = read_add_dirs(view, &view->pending);
	if (rc)
		return rc;
	view->nplaces = view->ndirs;
	places_sort(view);
	return read_add_dirs(view, &view->sections);
}

/* Names the sources that could not be read. */
static void read_lacks(struct view *view, const char *pools)
{
	const struct {
		const char *before, *why;
	} rows[] = {
		{ "pools could not be read: ", pools ? pools : "" },
		{ "", view->fstab_unknown },
		{ "", view->configured_unknown },
		{ "", view->requests_unknown },
	};
	size_t used = 0, i;

	for (i = 0; i < ARRAY_SIZE(rows); i++)
		if (*rows[i].why)
			used += (size_t)snprintf(view->lacks + used, sizeof(view->lacks) - used,
						 "%s%s%.250s", used ? "; " : "", rows[i].before,
						 rows[i].why);
}

int read_sources(struct view *view, const struct view_sources *sources)
{
	const char *pools = sources->pools_unknown;
	int rc = 0;

	view->host = sources->host;
	view->now = sources->now;
	view->pools = sources->pools;
	view->policies = sources->policies;
	if (!view->policies && view->host) {
		rc = policy_open(&view->own_policies, view->host);
		view->policies = view->own_policies;
	}
	/* Before the mounts: one that is missing when they are read later is gone. */
	if (!rc)
		rc = read_requests(view, sources);
	if (!rc)
		rc = read_mounts(view, sources);
	if (!rc)
		rc = read_fstab(view);
	if (rc)
		return rc;
	view->nfsmount_conf = sources->nfsmount_conf;
	if (!view->nfsmount_conf && view->host) {
		/* Without it some requests are unknown; check reports its errors. */
		if (conf_open(&view->own_conf, view->host, "etc/nfsmount.conf"))
			view->own_conf = NULL;
		view->nfsmount_conf = view->own_conf;
	}
	/* Paths are looked up with symbolic links resolved. */
	if (view->host && view->policies)
		rc = policy_follow(view->policies, read_resolve, view);
	if (!rc && view->host) {
		host_repository_real(view->host, &view->tree, NULL, view->repository);
		snprintf(view->domains, sizeof(view->domains), "%s/mnt/", view->repository);
	}
	if (!rc)
		rc = read_dirs(view);
	if (rc)
		return rc;
	read_lacks(view, pools);
	return 0;
}
