/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* What a path lies on, and what is wanted there. Of an NFS mount that is found out once, however
 * many disks are on it. Of a path that is on none the directories above it are asked, the deepest
 * first, down to where its mount begins: what is mounted below a directory on purpose is not meant
 * by what is said of that directory. */
#include <stdio.h>

#include "plugin/guard/internal.h"

/* Steps from a sub-mount to what it lies below. */
#define DEPTH_MAX 64

/* --- NFS mounts ------------------------------------------------------------------------------- */

/* An option of the mount says that TCP would do, or it is a guess; and nobody else says anything. */
static void soften(struct guard_wish *wish)
{
	if (!wish->wanted && wish->mode == POLICY_REQUIRE)
		wish->mode = POLICY_PREFER;
}

static void ask_options(const struct mount_verdict *verdict, struct guard_wish *wish)
{
	static const struct {
		const char *by, *name;
		bool many;
	} names[] = {
		{ "its options", "its mount options", true },
		{ "fstab", "/etc/fstab", false },
		{ "its port", "its mount option port=", false },
		{ "nfsmount.conf", "/etc/nfsmount.conf", false },
		{ "the mount above", "the mount above it", false },
	};
	size_t i;

	if (verdict->wish != WISH_RDMA)
		return;
	if (verdict->lenient || verdict->guessed)
		soften(wish);
	for (i = 0; i < ARRAY_SIZE(names); i++)
		if (!strcmp(verdict->wish_by, names[i].by))
			wish_ask(wish, names[i].name, names[i].many);
	wish_ask(wish, verdict->wish_by, false);
}

static void ask_note(const struct guard_note *note, struct guard_wish *wish)
{
	if (!note->wanted)
		return;
	if (note->lenient)
		soften(wish);
	wish_ask(wish, "its record in /run/nfsrdma", false);
}

/* What of all sources is said of one mount. */
static void ask_mount(const struct guard *guard, unsigned int index, const char *target,
		      const char *source, const struct guard_note *note,
		      struct guard_wish *out)
{
	struct guard_wish place;

	wish_of_mount(guard, source, target, out);
	wish_of_dir(guard, target, &place);
	if (place.place && place.wanted) {
		wish_ask(out, place.by, false);
		out->place = place.place;
	}
	ask_note(note, out);
	ask_options(&guard->verdicts[index], out);
}

static void ask_other(const struct guard *guard, unsigned int index,
		      struct guard_wish *out)
{
	const struct nfs_mount *mount = &guard->nfs.list[index];
	struct guard_note note;

	note_of_mount(guard, index, &note);
	ask_mount(guard, index, mount->target, mount->fs_spec, &note, out);
}

/* What the kernel made below another mount is wanted as that one is. */
static void ask_above(const struct guard *guard, unsigned int index,
		      struct guard_wish *wish)
{
	unsigned int above = guard->verdicts[index].below, steps;

	for (steps = 0; above < guard->nfs.count && steps < DEPTH_MAX; steps++) {
		if (wish->covered || wish->wanted)
			return;
		ask_other(guard, above, wish);
		above = guard->verdicts[above].below;
	}
}

/* The same file system may be mounted elsewhere, too, as by a bind mount, which has no options of its
 * own: there it is wanted as here. */
static void ask_twin(const struct guard *guard, unsigned int index,
		     struct guard_wish *wish)
{
	const struct nfs_mount *list = guard->nfs.list;
	struct guard_wish twin;
	unsigned int i;

	for (i = 0; i < guard->nfs.count; i++) {
		if (wish->covered || wish->wanted)
			return;
		if (i == index || strcmp(list[i].dev, list[index].dev) != 0)
			continue;
		ask_other(guard, i, &twin);
		if (twin.wanted)
			*wish = twin;
	}
}

static void judge_run(const struct mount_verdict *verdict, const struct guard_note *note,
		      struct guard_seen *out)
{
	static const enum guard_ground grounds[] = {
		[RUN_UNKNOWN] = GROUND_DOUBTFUL, [RUN_RDMA] = GROUND_RDMA,
		[RUN_CLAIMED] = GROUND_RDMA,     [RUN_MIXED] = GROUND_OTHER,
		[RUN_OTHER] = GROUND_OTHER,
	};

	out->ground = grounds[verdict->run];
	snprintf(out->proto, sizeof(out->proto), "%s",
		 verdict->run == RUN_UNKNOWN ? "" : mounts_run_name(verdict));
	if (out->ground == GROUND_DOUBTFUL)
		note_why(out->why, "the kernel does not say it");
	if (out->ground == GROUND_RDMA && note->unproven)
		out->ground = GROUND_UNPROVEN;
	if (out->ground == GROUND_RDMA && note->doubtful)
		out->ground = GROUND_DOUBTFUL;
	if (note->unproven || note->doubtful)
		note_why(out->why, note->why);
}

/* The source is not the one that is wanted there. Of two spellings of one server, or a part of an
 * export, nobody knows that they are the same: what sections want of the one that is there counts,
 * else what is wanted of the place. */
static void judge_stranger(const struct guard_wish *place, struct guard_seen *out)
{
	if (!out->wish.covered || !out->wish.wanted)
		out->wish = *place;
	out->wish.place = place->place;
	if (out->ground == GROUND_RDMA)
		out->ground = GROUND_ALIAS;
}

static void ground_of_nfs(const struct guard *guard, unsigned int index,
			  const struct host_mount *mount, struct guard_seen *out)
{
	struct guard_wish place;
	struct guard_note note;

	*out = (struct guard_seen){ .mount = mount };
	snprintf(out->dir, sizeof(out->dir), "%s", mount->target);
	note_of_mount(guard, index, &note);
	ask_mount(guard, index, mount->target, mount->source, &note, &out->wish);
	ask_above(guard, index, &out->wish);
	ask_twin(guard, index, &out->wish);
	judge_run(&guard->verdicts[index], &note, out);
	wish_of_dir(guard, mount->target, &place);
	if (place.place && place.wanted &&
	    !wish_is_there(guard, mount->target, mount->source))
		judge_stranger(&place, out);
	/* Who knows what would have been in it. */
	if (note.doubtful && !out->wish.covered && !out->wish.wanted)
		out->ground = GROUND_LOST;
}

static const struct guard_seen *see_nfs(const struct guard *guard,
					const struct host_mount *mount)
{
	unsigned int i;

	for (i = 0; i < guard->nfs.count; i++)
		if (guard->nfs.list[i].id == mount->id)
			break;
	if (i == guard->nfs.count)
		return NULL;
	if (!guard->by_mount[i]) {
		guard->by_mount[i] = malloc(sizeof(**guard->by_mount));
		if (guard->by_mount[i])
			ground_of_nfs(guard, i, mount, guard->by_mount[i]);
	}
	return guard->by_mount[i];
}

/* --- paths -------------------------------------------------------------------------------------- */

/* To the directory above; false: there is none, or it is above @floor. */
static bool climb(char *dir, size_t floor)
{
	char *slash = strrchr(dir, '/');

	if (!slash || !dir[1])
		return false;
	slash[slash == dir] = '\0';
	return strlen(dir) >= floor;
}

static size_t floor_of(const struct host_mount *mount)
{
	return mount ? strlen(mount->target) : 1;
}

/* Nobody knows where it leads; the strictest of what is said of what is above it counts. */
void ground_lost(const struct guard *guard, const char *path, const char *why,
		 struct guard_seen *out)
{
	struct policy policy;

	*out = (struct guard_seen){ .ground = GROUND_LOST };
	note_why(out->why, why);
	snprintf(out->dir, sizeof(out->dir), "%s", path);
	do {
		policy_get_dir(guard->policies, *out->dir ? out->dir : "/", &policy);
		if (policy.on_unknown == POLICY_UNKNOWN_REFUSE)
			out->wish.on_unknown = POLICY_UNKNOWN_REFUSE;
	} while (climb(out->dir, 1));
	*out->dir = '\0';
}

/* The deepest directory above the path of which somebody wants something. */
static bool find_wish(const struct guard *guard, const char *path, size_t floor,
		      struct guard_seen *out)
{
	strcpy(out->dir, path);
	while (climb(out->dir, floor)) {
		wish_of_dir(guard, out->dir, &out->wish);
		if (out->wish.covered || out->wish.wanted)
			return true;
	}
	*out->dir = '\0';
	return false;
}

static void see_local(const struct guard *guard, const struct host_way *way,
		      struct guard_seen *out)
{
	*out = (struct guard_seen){ .mount = way->mount, .ground = GROUND_EMPTY };
	if (!find_wish(guard, way->path, floor_of(way->mount), out))
		return;
	if (way->mount && !strcmp(out->dir, way->mount->target))
		out->ground = GROUND_STRANGER;
}

static void see_remote(const struct guard *guard, const struct host_way *way,
		       struct guard_seen *out)
{
	*out = (struct guard_seen){ .mount = way->mount, .ground = GROUND_STRANGER };
	snprintf(out->dir, sizeof(out->dir), "%s", way->mount->target);
	wish_of_dir(guard, out->dir, &out->wish);
}

static void see_automount(const struct guard *guard, const struct host_way *way,
			  struct guard_seen *out)
{
	*out = (struct guard_seen){ .mount = way->mount, .ground = GROUND_AUTOMOUNT };
	find_wish(guard, way->path, floor_of(way->mount), out);
}

/* Below its mount's directory another mount may be wanted, which is not there. */
static void see_on_nfs(const struct guard *guard, const struct host_way *way,
		       struct guard_seen *out)
{
	const struct guard_seen *seen = see_nfs(guard, way->mount);

	if (!seen) {
		ground_lost(guard, way->path,
			    "its mount is not among the NFS mounts that could be read",
			    out);
		return;
	}
	*out = (struct guard_seen){ .mount = way->mount, .ground = GROUND_EMPTY };
	if (find_wish(guard, way->path, floor_of(way->mount) + 1, out) &&
	    out->wish.wanted && (out->wish.place || seen->ground != GROUND_RDMA))
		return;
	*out = *seen;
}

static void (*const ends[])(const struct guard *guard, const struct host_way *way,
			    struct guard_seen *out) = {
	[WAY_LOCAL] = see_local,
	[WAY_NFS] = see_on_nfs,
	[WAY_REMOTE] = see_remote,
	[WAY_AUTOMOUNT] = see_automount,
};

static bool is_same(const struct guard_memo *memo, const struct host_way *way, size_t len)
{
	return memo->mount && memo->mount == way->mount && !memo->dir[len] &&
	       !strncmp(memo->dir, way->path, len);
}

/* What is given to a guest as a directory (a disk of type 'dir') lies in itself. What host_way() did not
 * look at is not looked at here. */
static bool is_directory(const struct guard *guard, const struct host_way *way)
{
	char path[PATH_MAX];

	if (way->end == WAY_AUTOMOUNT)
		return !strcmp(way->path, way->mount->target);
	return way->end == WAY_LOCAL && way->looked &&
	       snprintf(path, sizeof(path), "%s/.", way->path + 1) < PATH_MAX &&
	       !host_exists(guard->host, path);
}

void ground_of_path(const struct guard *guard, const char *path, struct guard_seen *out)
{
	struct guard_memo *last = guard->last;
	struct host_way way;
	size_t len;

	if (host_way(guard->host, &guard->mounts, path, &way)) {
		ground_lost(guard, *way.path ? way.path : "/", err_text(), out);
		return;
	}
	if (host_repository_not_nfs(guard->repository, way.path)) {
		*out = (struct guard_seen){ .mount = way.mount,
					    .ground = GROUND_STRANGER };
		return;
	}
	len = strlen(way.path);
	if (len > 1 && len < PATH_MAX - 1 && is_directory(guard, &way))
		strcpy(way.path + len, "/");
	/* Disks of a guest lie beside each other. */
	len = (size_t)(strrchr(way.path, '/') - way.path);
	if (!is_same(last, &way, len)) {
		ends[way.end](guard, &way, &last->seen);
		last->mount = way.mount;
		snprintf(last->dir, sizeof(last->dir), "%.*s", (int)len, way.path);
	}
	*out = last->seen;
	out->domain = !strncmp(out->dir, guard->domains, strlen(guard->domains));
}
