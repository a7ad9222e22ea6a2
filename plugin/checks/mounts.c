/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* This host's mounts: what the command mounts and some checks say of them. */
#include <netdb.h>
#include <stdio.h>

#include "plugin/checks/internal.h"
#include "plugin/host/text.h"

/* The checks of group mount: one finding about an aspect of all NFS mounts of this host, or of
 * those of the target's server. They look once and wake no mount, since a check takes a second at
 * most; `nfsrdma mounts` looks closer. */

bool check_target_has(const struct check_target *target, const char *source, const char *address)
{
	char name[ADDRESS_NAME_MAX], host[NI_MAXHOST];
	unsigned int i;

	if (!target->server)
		return true;
	text_host_of(source ? source : "", host, sizeof(host));
	if (*host && text_is_host(host, target->server))
		return true;
	for (i = 0; i < target->naddresses; i++) {
		words_address(&target->addresses[i], name);
		if ((address && !strcmp(name, address)) || text_is_host(host, name))
			return true;
	}
	return false;
}

struct mounts_tally {
	unsigned int count[FINDING_STATUS_COUNT];
	unsigned int seen;
	struct words words[FINDING_STATUS_COUNT], noted;
	/* Of each status the first: its reason is that of the finding. */
	const struct mount_verdict *first[FINDING_STATUS_COUNT];
};

/* Several mounts that are not good for several reasons are one finding, with the first one's steps.
 * False: none has that status. */
static bool mounts_say_bad(struct check_run *run, struct mounts_tally *tally,
			   enum mount_aspect aspect, enum finding_status status)
{
	const struct mount_verdict *first = tally->first[status];

	if (!tally->count[status])
		return false;
	if (first->opinions[aspect].reason)
		finding_reason(&run->finding, first->opinions[aspect].reason);
	mounts_names(&run->finding, first, aspect);
	if (tally->count[status] > 1)
		finding_number(&run->finding, "mounts", tally->count[status]);
	check_say(run, status, "%s", words_text(&tally->words[status]));
	return true;
}

static void mounts_count(struct mounts_tally *tally, const struct mount_verdict *verdict,
			 enum mount_aspect aspect)
{
	const struct mount_opinion *opinion = &verdict->opinions[aspect];

	tally->seen++;
	if (!tally->count[opinion->status]++)
		tally->first[opinion->status] = verdict;
	words_add(opinion->note ? &tally->noted : &tally->words[opinion->status], "%.120s: %s",
		  verdict->mount->target, opinion->text);
}

int mounts_check(struct check_run *run, enum mount_aspect aspect)
{
	_cleanup_free_ struct mount_verdict *verdicts = NULL;
	_cleanup_free_ struct mounts_tally *tally = calloc(1, sizeof(*tally));
	struct mounts_seen seen = { .view = NULL };
	const struct nfs_mounts *mounts;
	const char *lacks;
	unsigned int i, good;
	int rc = facts_view(run, &seen.view);

	if (!tally)
		return err_no_memory();
	if (rc)
		return rc;
	mounts = view_nfs(seen.view);
	rc = mounts_audit(&seen, &verdicts);
	if (rc)
		return rc;
	for (i = 0; i < FINDING_STATUS_COUNT; i++)
		tally->words[i].separator = "; ";
	tally->noted.separator = "; ";
	for (i = 0; i < mounts->count; i++)
		if (check_target_has(run->target, mounts->list[i].fs_spec, mounts->list[i].addr))
			mounts_count(tally, &verdicts[i], aspect);
	if (mounts->unreadable && aspect == MOUNT_TRANSPORT && !tally->count[FINDING_FAIL])
		return check_say_why(run, FINDING_UNKNOWN, "malformed",
				     "%u NFS mount%s whose line in mountinfo is malformed",
				     mounts->unreadable, mounts->unreadable == 1 ? "" : "s");
	if (mounts_say_bad(run, tally, aspect, FINDING_FAIL) ||
	    mounts_say_bad(run, tally, aspect, FINDING_UNKNOWN) ||
	    mounts_say_bad(run, tally, aspect, FINDING_WARN))
		return 0;
	good = tally->count[FINDING_PASS];
	if (!good)
		return check_say(run, FINDING_SKIP, "%s",
				 tally->seen           ? "applies to no mount"
				 : run->target->server ? "no mount of that server"
						       : "no NFS mount");
	/* Sources of requests that are not known. */
	lacks = aspect == MOUNT_TRANSPORT ? view_lacks(seen.view) : NULL;
	if (lacks)
		words_add(&tally->noted, "requested transports are not all known: %.200s", lacks);
	if (!tally->noted.count)
		return check_say(run, FINDING_PASS, "%u mount%s", good, good == 1 ? "" : "s");
	check_note(run);
	return check_say(run, FINDING_PASS, "%s", words_text(&tally->noted));
}

/* Whether everything that should be mounted over RDMA is mounted. */

struct missing_tally {
	const struct check_target *target;
	struct finding *finding;
	unsigned int failed, unknown, later;
	struct words words;
};

static void mount_missing_count(void *arg, const struct mount_missing *missing)
{
	struct missing_tally *tally = arg;
	bool failed = missing->status == FINDING_FAIL;

	if (!check_target_has(tally->target, missing->dir->place->fs_spec, NULL))
		return;
	tally->failed += failed;
	tally->unknown += missing->status == FINDING_UNKNOWN;
	tally->later += missing->status == FINDING_SKIP;
	if (missing->status == FINDING_SKIP)
		return;
	/* The reason is that of the first failure, or else of the first that is unknown. */
	if (failed ? tally->failed == 1 : !tally->failed && tally->unknown == 1) {
		tally->finding->nevidence = 0;
		finding_reason(tally->finding, missing->reason);
		mounts_missing_names(tally->finding, missing);
	}
	words_add(&tally->words, "%.120s: %s", missing->dir->path, missing->text);
}

int check_mount_missing(struct check_run *run)
{
	struct missing_tally tally = { .target = run->target,
				       .finding = &run->finding,
				       .words = { .separator = "; " } };
	const struct view *view;
	int rc = facts_view(run, &view);

	if (rc)
		return rc;
	mounts_missing(view, mount_missing_count, &tally);
	if (tally.failed || tally.unknown)
		return check_say(run, tally.failed ? FINDING_FAIL : FINDING_UNKNOWN, "%s",
				 words_text(&tally.words));
	if (mounts_missing_lost(view, &run->finding))
		return 0;
	if (tally.later)
		return check_say(run, FINDING_SKIP, "%u need not be mounted now", tally.later);
	return check_say(run, FINDING_SKIP, "none is missing");
}

/* Whether hypervisors start their guests after the mounts. systemd orders a mount with nofail
 * before nothing: systemd-fstab-generator(8) and the mount's default dependencies leave out
 * Before=remote-fs.target. A guest that starts at boot can then be first, and is refused, or
 * without a gate writes to the local disk. */

/* What starts guests at boot, or mounts and then lets them start. */
static const char *const boot_order_units[] = { "libvirtd.service", "virtqemud.service",
						"vdsmd.service", "pve-guests.service" };
#define BEFORE "x-systemd.before="

/* Whether a list, of options or of units, has this word. */
static bool boot_order_has(const char *list, const char *separators, const char *before,
			   const char *word)
{
	size_t start = strlen(before), len;

	for (; *list; list += len + (list[len] != '\0')) {
		len = strcspn(list, separators);
		if (len == start + strlen(word) && !strncmp(list, before, start) &&
		    !strncmp(list + start, word, len - start))
			return true;
	}
	return false;
}

/* Whether the unit itself waits: by After=, or by a path on or below the mount. */
static bool boot_order_waits(const struct host *host, const char *unit,
			     const struct view_place *place)
{
	char after[1024], paths[1024], *rest = paths, *path;
	const struct unit_setting settings[] = { { "After", after, sizeof(after), true },
						 { "RequiresMountsFor", paths, sizeof(paths),
						   true },
						 { NULL, NULL, 0, false } };
	size_t len = strlen(place->target);

	if (host_unit_read(host, unit, "Unit", settings))
		return false;
	if (place->name && boot_order_has(after, " \t", "", place->name))
		return true;
	while ((path = word_next(&rest)))
		if (!strncmp(path, place->target, len) && (!path[len] || path[len] == '/'))
			return true;
	return false;
}

/* The units of this host that start without waiting for the mount, "Before=" of its unit
 * included. */
static bool boot_order_races(const struct host *host, const struct view_place *place,
			     struct words *units)
{
	char before[1024] = "";
	const struct unit_setting settings[] = { { "Before", before, sizeof(before), true },
						 { NULL, NULL, 0, false } };
	bool of_fstab = place->kind == PLACE_FSTAB;
	const char *list = of_fstab ? place->options : before;
	const char *between = of_fstab ? "," : " \t", *prefix = of_fstab ? BEFORE : "";
	enum unit_state state;
	size_t i;

	if (!boot_order_has(place->options, ",", "", "nofail"))
		return false;
	if (!of_fstab)
		host_unit_read(host, place->name, "Unit", settings);
	if (boot_order_has(list, between, prefix, "remote-fs.target"))
		return false;
	for (i = 0; i < ARRAY_SIZE(boot_order_units); i++)
		if (!host_unit_state(host, boot_order_units[i], &state) && state != UNIT_MISSING &&
		    state != UNIT_MASKED &&
		    !boot_order_has(list, between, prefix, boot_order_units[i]) &&
		    !boot_order_waits(host, boot_order_units[i], place))
			words_add(units, "%s", boot_order_units[i]);
	return units->count;
}

/* The options to write, with the units that are missing. */
static void boot_order_write(const struct view_place *place, char *buf, size_t cap)
{
	size_t used = (size_t)snprintf(buf, cap, "%s", place->options), i;

	if (!strstr(place->options, "x-systemd.mount-timeout=") && used < cap)
		used += (size_t)snprintf(buf + used, cap - used, ",x-systemd.mount-timeout=90s");
	for (i = 0; i < ARRAY_SIZE(boot_order_units) && used < cap; i++)
		if (!boot_order_has(place->options, ",", BEFORE, boot_order_units[i]))
			used += (size_t)snprintf(buf + used, cap - used, "," BEFORE "%s",
						 boot_order_units[i]);
}

static int boot_order_warn(struct check_run *run, const struct view_dir *dir, struct words *units)
{
	const struct view_place *place = dir->place;
	char options[1536];

	finding_text(&run->finding, "target", "%s", dir->path);
	finding_text(&run->finding, "file", "%s", place->by);
	if (place->kind == PLACE_UNIT) {
		finding_text(&run->finding, "unit", "%s", place->name);
	} else {
		boot_order_write(place, options, sizeof(options));
		finding_text(&run->finding, "line", "%s %s %s %s 0 0", place->fs_spec,
			     place->target, place->plain ? "nfs" : "nfsrdma", options);
	}
	return check_say_why(
		run, FINDING_WARN, place->kind == PLACE_UNIT ? "unit" : "fstab",
		"%s has nofail, so systemd does not order the mount of %.160s before %s", place->by,
		dir->path, words_text(units));
}

int check_mount_boot_order(struct check_run *run)
{
	const struct view *view;
	unsigned int ordered = 0;
	int rc = facts_view(run, &view);
	size_t i;

	if (rc)
		return rc;
	for (i = 0; i < view_ndirs(view); i++) {
		const struct view_dir *dir = view_dir(view, i);
		struct words units = { .separator = " and " };

		if ((dir->place->kind != PLACE_FSTAB && dir->place->kind != PLACE_UNIT) ||
		    !dir->place->expected || !dir->wanted.rdma || !dir->place->options)
			continue;
		if (boot_order_races(run->host, dir->place, &units))
			return boot_order_warn(run, dir, &units);
		ordered++;
	}
	if (!ordered)
		return check_say(run, FINDING_SKIP, "no mount over RDMA at boot");
	return check_say(run, FINDING_PASS, "%u mount%s before what starts guests", ordered,
			 ordered == 1 ? "" : "s");
}

/* Whether mounts that requested RDMA use it. */
int check_mount_transport(struct check_run *run)
{
	return mounts_check(run, MOUNT_TRANSPORT);
}

/* Whether sub-mounts and referrals below a mount over RDMA use it, too. */
int check_mount_submount(struct check_run *run)
{
	return mounts_check(run, MOUNT_SUBMOUNT);
}

/* Whether the options of mounts over RDMA suit it. */
int check_mount_options(struct check_run *run)
{
	return mounts_check(run, MOUNT_OPTIONS);
}

/* Whether the counters of mounts over RDMA show errors. */
int check_mount_counters(struct check_run *run)
{
	return mounts_check(run, MOUNT_COUNTERS);
}
