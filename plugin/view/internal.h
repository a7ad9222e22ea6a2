/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The map of plugin/view. Each file calls only those above it.
 *
 *	run.c      the actual transport of a mount; pure
 *	asks.c     what an option string requests; pure
 *	places.c   directories where a mount is configured, and their order
 *	configured.c  directories of units, storages of Proxmox VE, VDSM's domains
 *	requests.c what was requested of mount.nfsrdma
 *	wanted.c   what requests which transport, and whether it is binding; pure
 *	read.c     the sources, each read once
 *	view.c     the view: mounts and places, evaluated on first use
 *	automount.c   what an automounter will mount */
#ifndef PLUGIN_VIEW_INTERNAL_H
#define PLUGIN_VIEW_INTERNAL_H

#include "plugin/request/request.h"
#include "plugin/view/view.h"

struct view {
	const struct host *host;
	uint64_t now;
	char repository[PATH_MAX];  /* VDSM's; "" without a host */
	char domains[PATH_MAX + 8]; /* parent of its domains: REPOSITORY/mnt/ */
	/* The caller's, or our own. */
	const struct nfs_mounts *nfs;
	struct policies *policies;        /* NULL: built in */
	const struct conf *nfsmount_conf; /* NULL: not known */
	const struct request_list *requests;
	char requests_unknown[256];      /* why they could not be read; "" if they could */
	const struct view_places *pools; /* NULL: none */
	struct nfs_mounts own_nfs;
	struct policies *own_policies;
	struct conf *own_conf;
	struct request_list own_requests;
	struct host_mounts tree;
	/* By index of the mount: the same one in @tree, or NULL; and by index in @tree: the mount,
	 * or UINT_MAX. */
	const struct host_mount **whole;
	unsigned int *nfs_of;
	struct view_places fstab, configured, pending, sections;
	char fstab_unknown[256];      /* why it could not be read; "" if it could */
	char configured_unknown[256]; /* the same for units and storages */
	char lacks[900];              /* "": no source is missing */
	/* Results. */
	bool *known; /* by index of the mount */
	struct view_mount *mounts;
	size_t ndirs, nplaces; /* all; and those that are not sections, by path */
	struct view_dir *dirs;
};

/* places.c */

/* Sorts the directories of places into lookup order. */
void places_sort(struct view *view);
/* The first place at this path, and the next one there, or NULL. */
const struct view_dir *places_at(const struct view *view, const char *dir);
const struct view_dir *places_next(const struct view *view, const struct view_dir *dir);

/* Whether it is of NFS: "nfs", "nfs4", "nfsrdma". */
bool places_is_nfs(const char *type);

/* configured.c */

/* Adds .mount units, storages of Proxmox VE, and VDSM's domains. Errors: -ENOMEM; what cannot be
 * read is in @view->configured_unknown. */
int configured_places(struct view *view);

/* requests.c */

/* The whole directory of a mount: that of struct nfs_mount is cut, and clean. */
const char *requests_target(const struct view *view, const struct nfs_mount *mount);
/* The request that a mount is of; or NULL. */
const struct request *requests_of(const struct view *view, const struct nfs_mount *mount);
/* Whether the age of that mount may be that of another mount of its file system: then it may have
 * been made by hand after the one that the request is of. */
bool requests_is_shared(const struct view *view, const struct request *request,
			const struct nfs_mount *mount);
/* The nfsrdma.policy= of the call. */
enum view_force requests_force(const struct request *request);
/* The directories of pending requests; those with a mount are left out later. */
int requests_places(const struct view *view, struct view_places *out);

/* wanted.c */

/* A mount, or a place without one. */
struct wanted_input {
	const char *source, *dir;
	unsigned int mount;             /* index; UINT_MAX: there is none */
	const struct view_place *place; /* a place that is not in the view; NULL: none */
};

/* Whether a place says anything of its directory: it has a source, and is not idle there. */
bool wanted_counts(const struct view_dir *dir);
/* The setting of nfsmount.conf that requests RDMA for a mount of @source on @dir, or NULL. */
const struct conf_value *wanted_conf(const struct view *view, const char *source, const char *dir);
/* Rules 1 to 3 of view.h. */
void wanted_find(const struct view *view, const struct wanted_input *input,
		 struct view_wanted *out);
/* The mount below which the kernel made it, by mountinfo: an index, or UINT_MAX. */
unsigned int wanted_below(const struct nfs_mounts *mounts, unsigned int index);

/* read.c */

int read_sources(struct view *view, const struct view_sources *sources);

#endif
