/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Asks about each disk, over a view of this host. */
#include <stdio.h>

#include "plugin/guard/internal.h"

/* --- opening ---------------------------------------------------------------------------------- */

int guard_over(struct guard **out, const struct host *host, const struct view *view,
	       const struct view_places *places, const char *places_unknown)
{
	_cleanup_(guard_close_p) struct guard *guard = calloc(1, sizeof(*guard));

	if (!guard)
		return err_no_memory();
	guard->host = host;
	guard->view = view;
	guard->places = places;
	guard->places_unknown = places_unknown;
	guard->last = calloc(1, sizeof(*guard->last));
	guard->by_mount = calloc((size_t)view_nfs(view)->count + 1, sizeof(*guard->by_mount));
	if (!guard->by_mount || !guard->last)
		return err_no_memory();
	*out = take_ptr(guard);
	return 0;
}

int guard_open(struct guard **out, const struct guard_sources *sources)
{
	const struct view_sources all = { .host = sources->host,
					  .now = sources->now,
					  .pools = sources->places,
					  .pools_unknown = sources->places_unknown };
	_cleanup_(view_close_p) struct view *view = NULL;
	int rc = view_open(&view, &all);

	if (rc)
		return rc;
	rc = guard_over(out, sources->host, view, sources->places, sources->places_unknown);
	if (rc)
		return rc;
	if (host_is_live(sources->host) && !geteuid())
		view_settle(view, "/");
	(*out)->own = take_ptr(view);
	return 0;
}

const char *guard_unknown(const struct guard *guard)
{
	return view_lacks(guard->view);
}

void guard_close(struct guard *guard)
{
	unsigned int i;

	if (!guard)
		return;
	for (i = 0; guard->by_mount && i < view_nfs(guard->view)->count; i++)
		free(guard->by_mount[i]);
	free(guard->by_mount);
	free(guard->last);
	view_close(guard->own);
	free(guard);
}

void guard_close_p(struct guard **guard)
{
	guard_close(*guard);
}

/* --- the question
 * ------------------------------------------------------------------------------- */

/* The file of a volume; "": not a file of this host. -ENOENT with the reason if it is
 * unknown. */
static int guard_find_volume(const struct guard *guard, const struct guard_disk *disk,
			     char path[PATH_MAX])
{
	const char *volume = disk->volume;
	const struct view_place *place;

	if (!disk->pool || !volume)
		return err_set(ENOENT, "the disk names no file");
	place = view_places_pool(guard->places, disk->pool);
	if (!place && guard->places_unknown)
		return err_set(ENOENT, "pools could not be read: %.160s", guard->places_unknown);
	if (!place)
		return err_set(ENOENT, "this host has no pool '%.80s'", disk->pool);
	*path = '\0';
	if (!place->target)
		return 0;
	/* libvirt's volumes are directly in their pool's target. */
	if (!*volume || strchr(volume, '/') || !strcmp(volume, ".") || !strcmp(volume, ".."))
		return err_set(ENOENT, "'%.80s' is not a volume name", volume);
	if (snprintf(path, PATH_MAX, "%s/%s", place->target, volume) >= PATH_MAX)
		return err_set(ENOENT, "its path has more than %d bytes", PATH_MAX - 1);
	return 0;
}

static void guard_trace(const struct guard_disk *disk, const struct guard_verdict *verdict)
{
	static const char *const answers[] = { [GUARD_PASS] = "passes",
					       [GUARD_REFUSE] = "is refused",
					       [GUARD_UNKNOWN] = "is unknown" };

	debug(DEBUG_GATE, "disk %s (%s) %s [%s]: %s on %s over %s, wanted by %s", disk->name,
	      verdict->path, answers[verdict->answer], verdict->id,
	      *verdict->fs_spec ? verdict->fs_spec : "nothing",
	      *verdict->target ? verdict->target : "no mount",
	      *verdict->proto ? verdict->proto : "nothing known",
	      *verdict->by ? verdict->by : "nobody");
}

void guard_ask(const struct guard *guard, const struct guard_disk *disk, struct guard_verdict *out)
{
	char file[PATH_MAX] = "", shown[256];
	int lost = disk->path ? 0 : guard_find_volume(guard, disk, file);
	struct guard_seen seen = { .backing = BACKING_EMPTY };
	const char *lacks;

	if (!disk->path && (lost || !*file)) {
		if (lost)
			backing_unknown(guard, "/", err_text(), &seen);
		snprintf(shown, sizeof(shown), "volume '%.100s' of pool '%.100s'",
			 disk->volume ? disk->volume : "", disk->pool ? disk->pool : "");
		decide_disk(&seen, disk, shown, out);
		*out->path = '\0';
		guard_trace(disk, out);
		return;
	}
	if (disk->path && !str_copy(file, sizeof(file), disk->path))
		backing_unknown(guard, "/", "the path is too long", &seen);
	else
		backing_of_path(guard, file, &seen);
	/* A source that could not be read may request RDMA. */
	lacks = view_lacks(guard->view);
	if (lacks && !seen.wanted.covered && !seen.wanted.rdma && seen.wanted.mode != POLICY_OFF &&
	    (seen.backing == BACKING_OTHER || seen.backing == BACKING_DOUBTFUL)) {
		seen.backing = BACKING_UNKNOWN;
		text_copy(seen.why, sizeof(seen.why), lacks);
		/* Even if RDMA is requested, TCP is acceptable. */
		if (seen.wanted.mode == POLICY_PREFER)
			seen.wanted.on_unknown = POLICY_UNKNOWN_ALLOW;
	}
	decide_disk(&seen, disk, file, out);
	guard_trace(disk, out);
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
		{ "pool", verdict->pool },
	};
	enum finding_status status = statuses[verdict->answer];
	size_t i;

	if (status == FINDING_PASS && verdict->loud)
		status = FINDING_WARN;
	if (*verdict->text)
		finding_init(out, verdict->id, status, "%s", verdict->text);
	else if (verdict->wanted)
		finding_init(out, verdict->id, status, "%s is on %s, %s%s", verdict->path,
			     verdict->fs_spec, *verdict->proto ? "over " : "",
			     *verdict->proto ? verdict->proto : "mounted over RDMA on demand");
	else
		finding_init(out, verdict->id, status, "RDMA is not requested for %s",
			     verdict->path);
	if (status != FINDING_PASS)
		finding_reason(out, verdict->reason);
	if (verdict->key)
		finding_text(out, verdict->key, "%s", verdict->name);
	for (i = 0; i < ARRAY_SIZE(evidence); i++)
		if (*evidence[i].value)
			finding_text(out, evidence[i].key, "%s", evidence[i].value);
}
