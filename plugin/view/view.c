/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The view: requested transport, actual transport and state of each mount and each place. A
 * mount is evaluated on first use, and once: a host may have thousands, and a gate asks
 * about one. */
#include <limits.h>
#include <stdio.h>

#include "plugin/view/internal.h"

/* A mount is covered by a later one on top of it. */
static void view_find_covered(struct view *view)
{
	const struct nfs_mounts *nfs = view->nfs;
	unsigned int i;

	for (i = 0; i < nfs->count; i++) {
		const struct nfs_mount *mount = &nfs->list[i], *under;

		if (mount->parent >= nfs->count || mount->parent == i)
			continue;
		under = &nfs->list[mount->parent];
		if (mount->parent_id == under->id && !strcmp(mount->target, under->target))
			view->mounts[mount->parent].covered = true;
	}
}

/* --- the state ---------------------------------------------------------------------- */

enum view_state view_judge(const struct view_wanted *wanted, const struct view_mount *mount,
			   bool alias)
{
	if (!wanted->rdma)
		return VIEW_CALM;
	if (mount->run == RUN_UNKNOWN)
		return VIEW_UNKNOWN;
	if (!view_run_is_rdma(mount->run))
		return wanted->mode == POLICY_PREFER ? VIEW_TOLERATED : VIEW_BAD;
	return alias ? VIEW_TOLERATED : VIEW_GOOD;
}

enum finding_status view_status(enum view_state state)
{
	static const enum finding_status statuses[] = {
		[VIEW_CALM] = FINDING_PASS,       [VIEW_GOOD] = FINDING_PASS,
		[VIEW_TOLERATED] = FINDING_WARN,  [VIEW_BAD] = FINDING_FAIL,
		[VIEW_UNKNOWN] = FINDING_UNKNOWN,
	};

	return statuses[state];
}

bool view_same_source(const char *a, const char *b)
{
	for (;;) {
		while (*a == '/' && (a[1] == '/' || !a[1]))
			a++;
		while (*b == '/' && (b[1] == '/' || !b[1]))
			b++;
		if (*a != *b)
			return false;
		if (!*a)
			return true;
		a++;
		b++;
	}
}

/* --- mounts ------------------------------------------------------------------------- */

/* The source is not the one requested there. Two spellings of one server, or a part of an
 * export, cannot be recognised as the same: sections that cover the mounted source apply,
 * else what is requested of the place. */
static void view_judge_source(const struct view *view, struct view_mount *out)
{
	const struct view_dir *dir;
	struct view_wanted place;

	dir = places_at(view, out->mount->target);
	if (!dir)
		return;
	for (; dir; dir = places_next(view, dir))
		if (dir->place->fs_spec &&
		    view_same_source(dir->place->fs_spec, out->mount->fs_spec))
			return;
	view_wanted_at(view, out->mount->target, &place);
	if (!place.place || !place.rdma)
		return;
	if (!out->wanted.covered || !out->wanted.rdma)
		out->wanted = place;
	out->wanted.place = place.place;
	out->alias = true;
}

const struct view_mount *view_mount(const struct view *view, unsigned int index)
{
	const struct nfs_mount *mount = &view->nfs->list[index];
	const struct wanted_input input = { mount->fs_spec, mount->target, index, NULL };
	struct view_mount *out = &view->mounts[index];

	if (view->known[index])
		return out;
	out->mount = mount;
	out->domain = *view->domains &&
		      !strncmp(mount->target, view->domains, strlen(view->domains));
	out->run = view_run(mount);
	out->below = wanted_below(view->nfs, index);
	wanted_find(view, &input, &out->wanted);
	out->alias = false;
	view_lost(view, requests_target(view, mount), &out->lost);
	view_judge_source(view, out);
	out->state = view_judge(&out->wanted, out, out->alias);
	view->known[index] = true;
	return out;
}

/* --- places ------------------------------------------------------------------------- */

void view_wanted_at(const struct view *view, const char *path, struct view_wanted *out)
{
	struct wanted_input input = { NULL, path, UINT_MAX, NULL };
	const struct view_dir *dir;
	struct view_wanted one;

	wanted_find(view, &input, out);
	for (dir = places_at(view, path); dir; dir = places_next(view, dir)) {
		if (out->covered || out->rdma)
			return;
		if (!wanted_counts(dir))
			continue;
		input.source = dir->place->fs_spec;
		wanted_find(view, &input, &one);
		if (one.covered || one.rdma)
			*out = one;
	}
}

void view_wanted_of(const struct view *view, const struct view_place *place,
		    struct view_wanted *out)
{
	const struct wanted_input input = { place->fs_spec, place->target ? place->target : "",
					    UINT_MAX, place };

	wanted_find(view, &input, out);
}

static void view_find_dir(struct view *view, struct view_dir *dir)
{
	dir->mount = dir->mounted == DIR_NFS ? view->nfs_of[dir->on - view->tree.list] : UINT_MAX;
	if (dir->mounted == DIR_NFS && dir->mount == UINT_MAX)
		dir->mounted = DIR_UNKNOWN;
	dir->other_source = dir->mounted == DIR_NFS && dir->place->fs_spec &&
			    !view_same_source(dir->place->fs_spec,
					      view->nfs->list[dir->mount].fs_spec);
	if (dir->place->fs_spec) {
		const struct wanted_input input = { dir->place->fs_spec, dir->path, UINT_MAX,
						    dir->place };

		wanted_find(view, &input, &dir->wanted);
	} else if (dir->place->kind == PLACE_SECTION) {
		view_wanted_at(view, dir->path, &dir->wanted);
	}
	if (!dir->wanted.rdma)
		dir->state = VIEW_CALM;
	else if (dir->mounted == DIR_AUTOMOUNT || dir->mounted == DIR_UNKNOWN)
		dir->state = VIEW_UNKNOWN;
	else if (dir->mounted == DIR_NFS)
		dir->state = view_mount(view, dir->mount)->state;
	else /* No NFS mount, so not TCP either: "prefer" does not allow it. */
		dir->state = VIEW_BAD;
}

static void view_find_dirs(struct view *view)
{
	size_t i;

	for (i = 0; i < view->ndirs; i++)
		view_find_dir(view, &view->dirs[i]);
}

size_t view_ndirs(const struct view *view)
{
	return view->ndirs;
}

const struct view_dir *view_dir(const struct view *view, size_t index)
{
	return &view->dirs[index];
}

const struct view_dir *view_dir_of(const struct view *view, const struct view_place *place)
{
	size_t i;

	for (i = 0; i < view->ndirs; i++)
		if (view->dirs[i].place == place)
			return &view->dirs[i];
	return NULL;
}

/* --- the view ----------------------------------------------------------------------- */

/* Both are in the order of mountinfo, so that the next one is mostly the first that is looked at. */
static int view_find_whole(struct view *view)
{
	size_t count = view->tree.count, next = 0, step;
	unsigned int i;

	view->whole = calloc((size_t)view->nfs->count + 1, sizeof(view->whole[0]));
	view->nfs_of = malloc((count + 1) * sizeof(*view->nfs_of));
	if (!view->whole || !view->nfs_of)
		return err_no_memory();
	memset(view->nfs_of, 0xff, (count + 1) * sizeof(*view->nfs_of));
	for (i = 0; i < view->nfs->count; i++) {
		for (step = 0; step < count; step++)
			if (view->tree.list[(next + step) % count].id == view->nfs->list[i].id)
				break;
		if (step == count)
			continue;
		next = (next + step) % count;
		view->whole[i] = &view->tree.list[next];
		view->nfs_of[next++] = i;
	}
	return 0;
}

int view_open(struct view **out, const struct view_sources *sources)
{
	_cleanup_(view_close_p) struct view *view = calloc(1, sizeof(*view));
	int rc;

	if (!view)
		return err_no_memory();
	rc = read_sources(view, sources);
	if (rc)
		return rc;
	view->known = calloc((size_t)view->nfs->count + 1, sizeof(*view->known));
	view->mounts = calloc((size_t)view->nfs->count + 1, sizeof(*view->mounts));
	if (!view->known || !view->mounts)
		return err_no_memory();
	rc = view_find_whole(view);
	if (rc)
		return rc;
	view_find_covered(view);
	view_find_dirs(view);
	*out = take_ptr(view);
	return 0;
}

void view_close(struct view *view)
{
	if (!view)
		return;
	while (view->ndirs)
		free(view->dirs[--view->ndirs].path);
	free(view->dirs);
	free(view->whole);
	free(view->nfs_of);
	free(view->mounts);
	free(view->known);
	view_places_fini(&view->fstab);
	view_places_fini(&view->configured);
	view_places_fini(&view->pending);
	view_places_fini(&view->sections);
	request_list_fini(&view->own_requests);
	conf_close(view->own_conf);
	policy_free(view->own_policies);
	host_nfs_mounts_fini(&view->own_nfs);
	host_mounts_fini(&view->tree);
	free(view);
}

void view_close_p(struct view **view)
{
	view_close(*view);
}

const char *view_lacks(const struct view *view)
{
	return *view->lacks ? view->lacks : NULL;
}

const struct nfs_mounts *view_nfs(const struct view *view)
{
	return view->nfs;
}

const struct host_mounts *view_tree(const struct view *view)
{
	return &view->tree;
}

const struct policies *view_policies(const struct view *view)
{
	return view->policies;
}

const struct conf *view_nfsmount_conf(const struct view *view)
{
	return view->nfsmount_conf;
}

const struct request_list *view_requests(const struct view *view)
{
	return view->requests;
}

const char *view_domains(const struct view *view)
{
	return view->domains;
}

bool view_is_not_nfs(const struct view *view, const char *path)
{
	return *view->repository && host_repository_not_nfs(view->repository, path);
}
