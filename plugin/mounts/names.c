/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The names used by the causes and steps of mount.*: the mount, its server, what mounts it,
 * and the options to mount it again. Pure. */
#include <stdio.h>

#include "plugin/mounts/internal.h"
#include "rpcrdma/nfs/nfs.h"

const struct conf_value *mounts_conf_proto(const struct view *view, const struct nfs_mount *mount)
{
	const struct conf *conf = view_nfsmount_conf(view);

	return conf ? conf_mount_get(conf, mount->fs_spec, mount->target, "proto") : NULL;
}

/* --- options -------------------------------------------------------------------------------- */

/* Options that are replaced, and those that mount.nfs determines itself. */
static bool mounts_names_is_dropped(const char *name)
{
	static const char *const names[] = { "proto", "tcp",  "udp",        "rdma",
					     "bg",    "addr", "clientaddr", "mountaddr" };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(names); i++)
		if (!strcmp(name, names[i]))
			return true;
	return false;
}

/* Its options, with RDMA as the transport. The caller's; NULL: they cannot be parsed. */
static char *mounts_names_rdma_options(const struct nfs_mount *mount)
{
	_cleanup_(opts_free_p) struct opts *opts = NULL;
	char former[sizeof(mount->asked)];
	/* If libmount has not kept the options of a mount, those shown by the kernel that must
	 * be preserved. */
	bool ro = !strncmp(mount->options, "ro", 2) &&
		  (!mount->options[2] || mount->options[2] == ',');
	struct view_asks asks;
	char *text = NULL;
	size_t i;
	int rc;

	if (*mount->asked)
		str_copy(former, sizeof(former), mount->asked);
	else
		snprintf(former, sizeof(former), "%svers=%s%s%s", ro ? "ro," : "",
			 *mount->vers ? mount->vers : "4.2", *mount->sec ? ",sec=" : "",
			 mount->sec);
	view_asks(NULL, former, &asks);
	rc = opts_parse(&opts, former);
	for (i = rc ? 0 : opts_count(opts); i > 0; i--) {
		const char *name = opts_at(opts, i - 1).name;

		if (mounts_names_is_dropped(name) ||
		    (!strcmp(name, "port") && asks.asked != ASKED_RDMA))
			opts_remove(opts, i - 1);
	}
	rc = rc ? rc : opts_append(opts, "proto", strchr(mount->addr, ':') ? "rdma6" : "rdma");
	if (!rc && opts_find(opts, "port") < 0)
		rc = opts_append(opts, "port", NFS_RDMA_PORT_TEXT);
	return rc || opts_format(opts, &text) ? NULL : text;
}

/* --- names ---------------------------------------------------------------------------------- */

/* For a transport that is not as requested. */
static void mounts_names_cause(struct finding *finding, const struct mount_verdict *verdict)
{
	const struct view_place *place = verdict->view->wanted.place;
	_cleanup_free_ char *options = mounts_names_rdma_options(verdict->mount);

	if (place && place->pool)
		finding_text(finding, "pool", "%s", place->pool);
	if (verdict->view->alias && place && place->fs_spec)
		finding_text(finding, "requested_source", "%s", place->fs_spec);
	if (verdict->sharer)
		finding_text(finding, "shares_with", "%s", verdict->sharer->target);
	if (verdict->proto)
		finding_text(finding, "overruled_by", "/%s:%u", verdict->proto->file,
			     verdict->proto->line);
	if (options)
		finding_text(finding, "rdma_options", "%s", options);
}

void mounts_names(struct finding *finding, const struct mount_verdict *verdict,
		  enum mount_aspect aspect)
{
	const struct nfs_mount *mount = verdict->mount;
	const struct view_wanted *wanted = &verdict->view->wanted;

	finding_text(finding, "target", "%s", mount->target);
	finding_text(finding, "source", "%s", mount->fs_spec);
	if (aspect == MOUNT_READS)
		return;
	if (*mount->addr)
		finding_text(finding, "server", "%s", mount->addr);
	else
		finding_text(finding, "server", "%.*s", (int)strcspn(mount->fs_spec, ":"),
			     mount->fs_spec);
	if (aspect == MOUNT_COUNTERS)
		return;
	finding_text(finding, "nfs_version", "%s", mount->vers);
	finding_text(finding, "effective", "%s", view_run_name(mount));
	if (*wanted->from)
		finding_text(finding, "wanted_by", "%s", wanted->from);
	if (aspect == MOUNT_TRANSPORT && verdict->opinions[aspect].reason)
		mounts_names_cause(finding, verdict);
}

void mounts_missing_names(struct finding *finding, const struct mount_missing *missing)
{
	const struct view_dir *dir = missing->dir;
	const struct view_place *by = missing->by;
	const char *source = by && by->fs_spec ? by->fs_spec : dir->place->fs_spec;
	_cleanup_free_ char *options = NULL;

	finding_text(finding, "target", "%s", dir->path);
	if (source)
		finding_text(finding, "source", "%s", source);
	finding_text(finding, "wanted_by", "%s", dir->wanted.from);
	if (by)
		finding_text(finding, "mounted_by", "%s", by->by);
	if (by && by->pool)
		finding_text(finding, "pool", "%s", by->pool);
	if (by && view_place_key(by))
		finding_text(finding, view_place_key(by), "%s", by->name);
	if (by && mounts_misfit(by, &options) && options)
		finding_text(finding, "rdma_options", "%s", options);
	if (dir->mounted == DIR_OTHER) {
		finding_text(finding, "mounted", "%s", dir->on->source);
		finding_text(finding, "mounted_type", "%s", dir->on->type);
	}
}
