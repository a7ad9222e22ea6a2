/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* What is read once for all disks: mounts, records' boot, policy, fstab, nfsmount.conf, and where the
 * directories lead on which somebody wants something mounted. Then the question, disk by disk. */
#include <stdio.h>

#include "plugin/guard/internal.h"

/* --- reading ---------------------------------------------------------------------------------- */

/* Where it cannot be followed it is as it was written. */
static int add_spot(struct guard *guard, const struct guard_place *place)
{
	struct guard_spot *spot = &guard->spots[guard->nspots];
	struct host_way way;

	if (!place->target || *place->target != '/')
		return 0;
	spot->place = place;
	spot->path = strdup(host_way(guard->host, &guard->mounts, place->target, &way)
				    ? place->target
				    : way.path);
	if (!spot->path)
		return err_set(ENOMEM, "no memory");
	guard->nspots++;
	return 0;
}

static int add_spots(struct guard *guard, const struct guard_places *places)
{
	size_t i;
	int rc = 0;

	for (i = 0; !rc && places && i < places->count; i++)
		rc = add_spot(guard, &places->list[i]);
	return rc;
}

static int find_spots(struct guard *guard)
{
	size_t count = guard->fstab.count + (guard->places ? guard->places->count : 0);
	int rc;

	guard->spots = calloc(count + 1, sizeof(*guard->spots));
	if (!guard->spots)
		return err_set(ENOMEM, "no memory");
	/* A pool says more of itself than the line by which it is mounted. */
	rc = add_spots(guard, guard->places);
	rc = rc ? rc : add_spots(guard, &guard->fstab);
	if (!rc)
		wish_sort(guard);
	return rc;
}

static bool follow(void *arg, const char *path, char out[PATH_MAX])
{
	const struct guard *guard = arg;
	struct host_way way;

	if (host_way(guard->host, &guard->mounts, path, &way))
		return false;
	strcpy(out, way.path);
	return true;
}

static int read_mounts(struct guard *guard)
{
	struct mounts_seen seen = { .now = &guard->nfs };
	int rc = host_mounts(guard->host, &guard->mounts);

	rc = rc ? rc : host_nfs_mounts(guard->host, &guard->nfs);
	if (rc)
		return err_context(rc, "mounts cannot be read");
	/* Without it less is known of what was wanted; check tells what is wrong with it. */
	if (conf_open(&guard->nfsmount_conf, guard->host, "etc/nfsmount.conf"))
		guard->nfsmount_conf = NULL;
	seen.nfsmount_conf = guard->nfsmount_conf;
	rc = mounts_audit(&seen, &guard->verdicts);
	guard->by_mount = calloc((size_t)guard->nfs.count + 1, sizeof(*guard->by_mount));
	guard->last = calloc(1, sizeof(*guard->last));
	if (!rc && (!guard->by_mount || !guard->last))
		rc = err_set(ENOMEM, "no memory");
	return rc;
}

/* Broken, it is no reason to ask nothing: mounts are known, and what others want. */
static int read_fstab(struct guard *guard)
{
	int rc = guard_places_fstab(guard->host, &guard->fstab);
	const char *pools = guard->places_unknown;

	if (rc == -ENOMEM)
		return rc;
	if (rc)
		text_copy(guard->fstab_unknown, sizeof(guard->fstab_unknown), err_text());
	if (rc || pools)
		snprintf(guard->unknown, sizeof(guard->unknown), "%s%.300s%s%s",
			 pools ? "pools could not be read: " : "", pools ? pools : "",
			 pools && rc ? "; " : "", guard->fstab_unknown);
	return 0;
}

const char *guard_unknown(const struct guard *guard)
{
	return *guard->unknown ? guard->unknown : NULL;
}

static void find_domains(struct guard *guard)
{
	host_repository_real(guard->host, &guard->mounts, NULL, guard->repository);
	snprintf(guard->domains, sizeof(guard->domains), "%s/mnt/", guard->repository);
}

int guard_open(struct guard **out, const struct guard_sources *sources)
{
	_cleanup_(guard_close_p) struct guard *guard = calloc(1, sizeof(*guard));
	int rc;

	if (!guard)
		return err_set(ENOMEM, "no memory");
	guard->host = sources->host;
	guard->now = sources->now;
	guard->places = sources->places;
	guard->places_unknown = sources->places_unknown;
	rc = policy_open(&guard->policies, guard->host);
	rc = rc ? rc : read_mounts(guard);
	rc = rc ? rc : read_fstab(guard);
	rc = rc ? rc : find_spots(guard);
	/* Paths are asked about as they are behind their links. */
	rc = rc ? rc : policy_follow(guard->policies, follow, guard);
	if (rc)
		return rc;
	find_domains(guard);
	if (record_boot_id(guard->host, guard->boot_id, sizeof(guard->boot_id)))
		*guard->boot_id = '\0';
	*out = take_ptr(guard);
	return 0;
}

void guard_close(struct guard *guard)
{
	unsigned int i;

	if (!guard)
		return;
	for (i = 0; guard->by_mount && i < guard->nfs.count; i++)
		free(guard->by_mount[i]);
	free(guard->by_mount);
	free(guard->last);
	while (guard->nspots)
		free(guard->spots[--guard->nspots].path);
	free(guard->spots);
	free(guard->verdicts);
	conf_close(guard->nfsmount_conf);
	policy_free(guard->policies);
	host_nfs_mounts_fini(&guard->nfs);
	host_mounts_fini(&guard->mounts);
	guard_places_fini(&guard->fstab);
	free(guard);
}

void guard_close_p(struct guard **guard)
{
	guard_close(*guard);
}

/* --- the question ------------------------------------------------------------------------------- */

static const struct guard_place *find_pool(const struct guard *guard, const char *pool)
{
	size_t i;

	for (i = 0; guard->places && i < guard->places->count; i++)
		if (guard->places->list[i].pool &&
		    !strcmp(guard->places->list[i].pool, pool))
			return &guard->places->list[i];
	return NULL;
}

/* libvirt's volumes lie in their pool's target, and nowhere else. */
static bool is_file_name(const char *volume)
{
	return *volume && !strchr(volume, '/') && strcmp(volume, ".") &&
	       strcmp(volume, "..");
}

/* The file of a volume; "": it is none of this host. -ENOENT with why it is not known. */
static int find_volume(const struct guard *guard, const struct guard_disk *disk,
		       char path[PATH_MAX])
{
	const struct guard_place *place;

	if (!disk->pool || !disk->volume)
		return err_set(ENOENT, "it names no file");
	place = find_pool(guard, disk->pool);
	if (!place && guard->places_unknown)
		return err_set(ENOENT, "pools could not be read: %.160s",
			       guard->places_unknown);
	if (!place)
		return err_set(ENOENT, "no pool of this host is called '%.80s'",
			       disk->pool);
	*path = '\0';
	if (!place->target)
		return 0;
	if (!is_file_name(disk->volume))
		return err_set(ENOENT, "'%.80s' is no name of a volume", disk->volume);
	if (snprintf(path, PATH_MAX, "%s/%s", place->target, disk->volume) >= PATH_MAX)
		return err_set(ENOENT, "its path has more than %d bytes", PATH_MAX - 1);
	return 0;
}

/* Who could not be read may be the one who wants it. */
static void doubt(const struct guard *guard, struct guard_seen *seen)
{
	if (!*guard->unknown || seen->wish.covered || seen->wish.wanted ||
	    seen->wish.mode == POLICY_OFF ||
	    (seen->ground != GROUND_OTHER && seen->ground != GROUND_DOUBTFUL))
		return;
	seen->ground = GROUND_LOST;
	text_copy(seen->why, sizeof(seen->why), guard->unknown);
	/* Even if it were wanted TCP would do. */
	if (seen->wish.mode == POLICY_PREFER)
		seen->wish.on_unknown = POLICY_UNKNOWN_ALLOW;
}

static void trace_answer(const struct guard_disk *disk,
			 const struct guard_verdict *verdict)
{
	static const char *const answers[] = { [GUARD_PASS] = "passes",
					       [GUARD_REFUSE] = "is refused",
					       [GUARD_UNKNOWN] = "is unknown" };

	debug(DEBUG_GATE, "disk %s (%s) %s [%s]: %s on %s over %s, wanted by %s",
	      disk->name, verdict->path, answers[verdict->answer], verdict->id,
	      *verdict->fs_spec ? verdict->fs_spec : "nothing",
	      *verdict->target ? verdict->target : "no mount",
	      *verdict->proto ? verdict->proto : "nothing known",
	      *verdict->by ? verdict->by : "nobody");
}

void guard_ask(const struct guard *guard, const struct guard_disk *disk,
	       struct guard_verdict *out)
{
	char file[PATH_MAX] = "", shown[256];
	int lost = disk->path ? 0 : find_volume(guard, disk, file);
	struct guard_seen seen = { .ground = GROUND_EMPTY };

	if (!disk->path && (lost || !*file)) {
		if (lost)
			ground_lost(guard, "/", err_text(), &seen);
		snprintf(shown, sizeof(shown), "volume '%.100s' of pool '%.100s'",
			 disk->volume ? disk->volume : "", disk->pool ? disk->pool : "");
		decide(&seen, disk, shown, out);
		*out->path = '\0';
		trace_answer(disk, out);
		return;
	}
	if (disk->path && snprintf(file, sizeof(file), "%s", disk->path) >= PATH_MAX)
		ground_lost(guard, "/", "the path is too long", &seen);
	else
		ground_of_path(guard, file, &seen);
	doubt(guard, &seen);
	decide(&seen, disk, file, out);
	trace_answer(disk, out);
}

void guard_finding(const struct guard_verdict *verdict, struct finding *out)
{
	static const enum finding_status statuses[] = {
		[GUARD_PASS] = FINDING_PASS,
		[GUARD_REFUSE] = FINDING_FAIL,
		[GUARD_UNKNOWN] = FINDING_UNKNOWN,
	};
	const struct {
		const char *key, *value;
	} evidence[] = {
		{ "file", verdict->path },       { "target", verdict->target },
		{ "fs_spec", verdict->fs_spec }, { "proto", verdict->proto },
		{ "wanted_by", verdict->by },    { "remedy", verdict->remedy },
	};
	enum finding_status status = statuses[verdict->answer];
	size_t i;

	if (status == FINDING_PASS && verdict->loud)
		status = FINDING_WARN;
	if (*verdict->text)
		finding_init(out, verdict->id, status, "%s", verdict->text);
	else if (verdict->wanted)
		finding_init(out, verdict->id, status, "%s is on %s, over %s",
			     verdict->path, verdict->fs_spec, verdict->proto);
	else
		finding_init(out, verdict->id, status,
			     "%s is not wanted over RDMA by anybody", verdict->path);
	for (i = 0; i < ARRAY_SIZE(evidence); i++)
		if (*evidence[i].value)
			finding_text(out, evidence[i].key, "%s", evidence[i].value);
}
