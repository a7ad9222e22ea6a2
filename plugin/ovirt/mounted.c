/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The mounts of a domain. VDSM only checks whether its source is mounted on its directory: it
 * compares no options and never remounts. So a domain that was mounted over TCP keeps TCP when its
 * options change, until it is unmounted. If the kernel shows another text as the source, each
 * attempt of VDSM adds a mount on top of the others, and its unmount removes only the topmost one.
 * */
#include <stdio.h>

#include "plugin/report/shell.h"
#include "plugin/ovirt/internal.h"

/* Strings of mounts are truncated; ours are truncated alike. */
static bool ovirt_mounted_same(const char *whole, const char *cut, size_t cap)
{
	size_t len = strlen(whole);

	return len < cap ? !strcmp(whole, cut) : !strncmp(whole, cut, cap - 1);
}

static void ovirt_mounted_collect(const struct view *view, const char *dir, const char *spec,
				  struct ovirt_mounted *out)
{
	const struct nfs_mounts *mounts = view_nfs(view);
	unsigned int i;

	*out = (struct ovirt_mounted){ .count = 0 };
	for (i = 0; i < mounts->count; i++) {
		const struct nfs_mount *mount = &mounts->list[i];
		const struct view_mount *one;

		if (!ovirt_mounted_same(dir, mount->target, sizeof(mount->target)))
			continue;
		out->count++;
		if (spec && !ovirt_mounted_same(spec, mount->fs_spec, sizeof(mount->fs_spec)))
			out->other_source = true;
		one = view_mount(view, i);
		/* All are covered only if the list is inconsistent. */
		if (!one->covered || !out->top)
			out->top = one;
	}
}

static const char *ovirt_mounted_transport(const struct ovirt_mounted *mounted)
{
	const struct view_mount *top = mounted->top;

	return view_run_is_rdma(top->run) ? "RDMA"
	       : top->run == RUN_UNKNOWN  ? "an unknown transport"
	       : top->run == RUN_MIXED    ? "RDMA and TCP"
					  : top->mount->proto;
}

#define MAINTENANCE "put the storage domain into maintenance, which unmounts it on every host; "

static void ovirt_mounted_describe(struct ovirt_mounted *out)
{
	const char *target = out->top ? out->top->mount->target : "";

	if (out->count > 1) {
		snprintf(
			out->text, sizeof(out->text),
			"%u mounts are stacked on %.200s, the topmost over %s; VDSM unmounts only one",
			out->count, target, ovirt_mounted_transport(out));
		snprintf(out->remedy, sizeof(out->remedy),
			 MAINTENANCE
			 "then repeat umount %s until it is no longer mounted, and activate it",
			 SHELL_WORD(target));
	} else if (out->count && out->top->wanted.mode == POLICY_OFF && out->top->wanted.covered) {
		return;
	} else if (out->count && !view_run_is_rdma(out->top->run)) {
		snprintf(out->text, sizeof(out->text),
			 "%.200s is mounted over %s, and keeps that transport: VDSM never remounts",
			 target, ovirt_mounted_transport(out));
		snprintf(
			out->remedy, sizeof(out->remedy),
			MAINTENANCE
			"check with nfsrdma mounts that it is gone here (else umount %s), and activate it",
			SHELL_WORD(target));
	}
}

void ovirt_mounted(const struct view *view, const struct ovirt_domain *domain,
		   struct ovirt_mounted *out)
{
	ovirt_mounted_collect(view, domain->dir, domain->spec, out);
	ovirt_mounted_describe(out);
}

/* --- all of a repository ------------------------------------------------------------ */

static bool ovirt_mounted_seen_before(const struct nfs_mounts *mounts, unsigned int index)
{
	unsigned int i;

	for (i = 0; i < index; i++)
		if (!strcmp(mounts->list[i].target, mounts->list[index].target))
			return true;
	return false;
}

void ovirt_mounted_each(const struct view *view, ovirt_mounted_fn fn, void *arg)
{
	const struct nfs_mounts *mounts = view_nfs(view);
	const char *top = view_domains(view);
	struct ovirt_mounted mounted;
	size_t len = strlen(top);
	unsigned int i;

	for (i = 0; i < mounts->count; i++) {
		const char *target = mounts->list[i].target;

		/* REPOSITORY/mnt/NAME, and no deeper. */
		if (!len || strncmp(target, top, len) != 0 || !target[len] ||
		    strchr(target + len, '/') || ovirt_mounted_seen_before(mounts, i))
			continue;
		ovirt_mounted_collect(view, target, NULL, &mounted);
		ovirt_mounted_describe(&mounted);
		if (mounted.count > 1 || mounted.top->state == VIEW_BAD)
			fn(arg, &mounted);
	}
}
