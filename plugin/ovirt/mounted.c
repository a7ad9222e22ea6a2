/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* What is mounted for a domain. VDSM asks whether something is mounted on its directory from its
 * source, and if so it is content: it compares no options and never remounts. So a domain that was
 * mounted over TCP stays so when its options change, until it is unmounted; and where the source
 * was another text, each attempt of VDSM's has put one more mount on top of the others, of which its
 * own unmounting takes the topmost alone. */
#include <stdio.h>

#include "plugin/ovirt/internal.h"

/* Texts of mounts are cut; ours are cut alike. */
static bool same_cut(const char *whole, const char *cut, size_t cap)
{
	size_t len = strlen(whole);

	return len < cap ? !strcmp(whole, cut) : !strncmp(whole, cut, cap - 1);
}

static bool is_rdma(enum mount_run run)
{
	return run == RUN_RDMA || run == RUN_CLAIMED;
}

static void collect(const struct nfs_mounts *mounts, const struct mount_verdict *verdicts,
		    const char *dir, const char *spec, struct ovirt_mounted *out)
{
	unsigned int i;

	*out = (struct ovirt_mounted){ .count = 0 };
	for (i = 0; i < mounts->count; i++) {
		const struct nfs_mount *mount = &mounts->list[i];

		if (!same_cut(dir, mount->target, sizeof(mount->target)))
			continue;
		out->count++;
		if (spec && !same_cut(spec, mount->fs_spec, sizeof(mount->fs_spec)))
			out->other_source = true;
		if (verdicts[i].covered)
			continue;
		out->top = mount;
		out->run = verdicts[i].run;
	}
	/* Each is covered only if the list makes no sense. */
	if (out->count && !out->top) {
		out->top = &mounts->list[0];
		out->run = RUN_UNKNOWN;
	}
}

static const char *run_word(const struct ovirt_mounted *mounted)
{
	return mounted->run == RUN_UNKNOWN ? "an unknown transport"
	       : mounted->run == RUN_MIXED ? "RDMA and TCP"
					   : mounted->top->proto;
}

#define MAINTENANCE \
	"put the storage domain into maintenance, which unmounts it on every host; "

static void tell(struct ovirt_mounted *out)
{
	const char *target = out->top ? out->top->target : "";

	if (out->count > 1) {
		snprintf(
			out->text, sizeof(out->text),
			"%u mounts lie on %.200s, one on top of the other, and the topmost goes over %s: VDSM's unmounting takes one of them",
			out->count, target, is_rdma(out->run) ? "RDMA" : run_word(out));
		snprintf(
			out->remedy, sizeof(out->remedy),
			MAINTENANCE
			"then repeat umount %.200s until nothing is mounted there, and activate it",
			target);
	} else if (out->count && !is_rdma(out->run)) {
		snprintf(
			out->text, sizeof(out->text),
			"%.200s is mounted over %s, and stays so whatever the options say: VDSM leaves alone what is mounted",
			target, run_word(out));
		snprintf(
			out->remedy, sizeof(out->remedy),
			MAINTENANCE
			"see with nfsrdma mounts that it is gone here (else umount %.200s), and activate it",
			target);
	}
}

void ovirt_mounted(const struct nfs_mounts *mounts, const struct mount_verdict *verdicts,
		   const struct ovirt_domain *domain, struct ovirt_mounted *out)
{
	collect(mounts, verdicts, domain->dir, domain->spec, out);
	tell(out);
}

/* --- all of a repository ------------------------------------------------------------------------------- */

/* REPOSITORY/mnt/NAME, and no deeper. */
static bool is_domain(const char *target, const char *top)
{
	size_t len = strlen(top);

	return !strncmp(target, top, len) && target[len] && !strchr(target + len, '/');
}

static bool came_before(const struct nfs_mounts *mounts, unsigned int index)
{
	unsigned int i;

	for (i = 0; i < index; i++)
		if (!strcmp(mounts->list[i].target, mounts->list[index].target))
			return true;
	return false;
}

/* Somebody wrote down that it is to be RDMA: the built-in default is no such thing. */
static bool is_required(const struct policies *policies, const struct nfs_mount *mount)
{
	struct policy policy;
	struct spec spec;

	if (spec_parse(mount->fs_spec, &spec))
		policy_get_dir(policies, mount->target, &policy);
	else
		policy_get(policies, &spec, mount->target, &policy);
	return policy.mode == POLICY_REQUIRE && policy.scope >= POLICY_OF_SERVER;
}

void ovirt_mounted_each(const struct nfs_mounts *mounts,
			const struct mount_verdict *verdicts,
			const struct policies *policies, const char *repository,
			ovirt_mounted_fn fn, void *arg)
{
	struct ovirt_mounted mounted;
	char top[PATH_MAX];
	unsigned int i;

	snprintf(top, sizeof(top), "%s/mnt/", repository ? repository : OVIRT_REPOSITORY);
	for (i = 0; i < mounts->count; i++) {
		if (!is_domain(mounts->list[i].target, top) || came_before(mounts, i))
			continue;
		collect(mounts, verdicts, mounts->list[i].target, NULL, &mounted);
		tell(&mounted);
		if (mounted.count > 1 ||
		    (mounted.text[0] && is_required(policies, mounted.top)))
			fn(arg, &mounted);
	}
}
