/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Finds what a path lies on, and what is requested there. An NFS mount is judged once,
 * however many disks are on it. For a path on no NFS mount the directories above it are
 * checked, the deepest first, down to its mount's root: a request for a directory does not
 * cover what is deliberately mounted below it. */
#include <stdio.h>

#include "plugin/guard/internal.h"

/* --- NFS mounts ------------------------------------------------------------------------------- */

static void backing_lost(const struct view_lost *lost, struct guard_seen *out)
{
	out->backing = BACKING_UNKNOWN;
	str_copy(out->why, sizeof(out->why), lost->why);
	str_copy(out->request, sizeof(out->request), lost->file);
}

static void backing_of_nfs(const struct view_mount *mount, const struct host_mount *on,
			   struct guard_seen *out)
{
	static const enum guard_backing backings[] = {
		[RUN_UNKNOWN] = BACKING_DOUBTFUL, [RUN_RDMA] = BACKING_RDMA,
		[RUN_CLAIMED] = BACKING_RDMA,     [RUN_MIXED] = BACKING_OTHER,
		[RUN_OTHER] = BACKING_OTHER,
	};

	*out = (struct guard_seen){ .mount = on, .wanted = mount->wanted };
	str_copy(out->dir, sizeof(out->dir), on->target);
	out->backing = backings[mount->run];
	str_copy(out->proto, sizeof(out->proto),
		 mount->run == RUN_UNKNOWN ? "" : view_run_name(mount->mount));
	if (out->backing == BACKING_DOUBTFUL)
		text_copy(out->why, sizeof(out->why), "mountinfo gives no transport");
	if (out->backing == BACKING_RDMA && mount->alias)
		out->backing = BACKING_ALIAS;
	/* What could not be read may request RDMA. */
	if (*mount->lost.why && !view_run_is_rdma(mount->run) && !out->wanted.covered &&
	    !out->wanted.rdma)
		backing_lost(&mount->lost, out);
}

static const struct guard_seen *backing_get_nfs(const struct guard *guard,
						const struct host_mount *mount)
{
	const struct nfs_mounts *nfs = view_nfs(guard->view);
	unsigned int i;

	for (i = 0; i < nfs->count; i++)
		if (nfs->list[i].id == mount->id)
			break;
	if (i == nfs->count)
		return NULL;
	if (!guard->by_mount[i]) {
		guard->by_mount[i] = malloc(sizeof(**guard->by_mount));
		if (guard->by_mount[i])
			backing_of_nfs(view_mount(guard->view, i), mount, guard->by_mount[i]);
	}
	return guard->by_mount[i];
}

/* --- paths
 * -------------------------------------------------------------------------------------- */

/* Moves to the parent directory; false: there is none, or it is above @floor. */
static bool backing_climb(char *dir, size_t floor)
{
	char *slash = strrchr(dir, '/');

	if (!slash || !dir[1])
		return false;
	slash[slash == dir] = '\0';
	return strlen(dir) >= floor;
}

static size_t backing_floor(const struct host_mount *mount)
{
	return mount ? strlen(mount->target) : 1;
}

/* The path's location is unknown; the strictest on-unknown of the directories above
 * it applies. */
void backing_unknown(const struct guard *guard, const char *path, const char *why,
		     struct guard_seen *out)
{
	struct policy policy;

	*out = (struct guard_seen){ .backing = BACKING_UNKNOWN };
	text_copy(out->why, sizeof(out->why), why);
	str_copy(out->dir, sizeof(out->dir), path);
	do {
		policy_get_dir(view_policies(guard->view), *out->dir ? out->dir : "/", &policy);
		if (policy.on_unknown == POLICY_UNKNOWN_REFUSE)
			out->wanted.on_unknown = POLICY_UNKNOWN_REFUSE;
	} while (backing_climb(out->dir, 1));
	*out->dir = '\0';
}

/* The deepest directory above the path for which something is requested. */
static bool backing_find_request(const struct guard *guard, const char *path, size_t floor,
				 struct guard_seen *out)
{
	str_copy(out->dir, sizeof(out->dir), path);
	while (backing_climb(out->dir, floor)) {
		view_wanted_at(guard->view, out->dir, &out->wanted);
		if (out->wanted.covered || out->wanted.rdma)
			return true;
	}
	*out->dir = '\0';
	return false;
}

/* Where nothing requests RDMA: the deepest directory of which it is unknown whether mount.nfsrdma
 * was to mount something there. @mounted: what is not known of all directories does not matter. */
static bool backing_find_lost(const struct guard *guard, const struct host_path *found,
			      bool mounted, struct guard_seen *out)
{
	size_t floor = *out->dir ? strlen(out->dir) + 1 : backing_floor(found->mount) + mounted;
	struct view_lost lost;
	char dir[PATH_MAX];

	str_copy(dir, sizeof(dir), found->path);
	while (!out->wanted.rdma && backing_climb(dir, floor)) {
		if (!view_lost(guard->view, dir, &lost) || (lost.all && mounted))
			continue;
		backing_unknown(guard, dir, "", out);
		out->mount = found->mount;
		str_copy(out->dir, sizeof(out->dir), dir);
		backing_lost(&lost, out);
		return true;
	}
	return false;
}

static void backing_local(const struct guard *guard, const struct host_path *found,
			  struct guard_seen *out)
{
	bool asked;

	*out = (struct guard_seen){ .mount = found->mount, .backing = BACKING_EMPTY };
	asked = backing_find_request(guard, found->path, backing_floor(found->mount), out);
	if (backing_find_lost(guard, found, false, out) || !asked)
		return;
	if (found->mount && !strcmp(out->dir, found->mount->target))
		out->backing = BACKING_FOREIGN;
}

static void backing_remote(const struct guard *guard, const struct host_path *found,
			   struct guard_seen *out)
{
	*out = (struct guard_seen){ .mount = found->mount, .backing = BACKING_FOREIGN };
	str_copy(out->dir, sizeof(out->dir), found->mount->target);
	view_wanted_at(guard->view, out->dir, &out->wanted);
}

static void backing_automount(const struct guard *guard, const struct host_path *found,
			      struct guard_seen *out)
{
	_cleanup_free_ struct view_demand *demand = malloc(sizeof(*demand));

	*out = (struct guard_seen){ .mount = found->mount, .backing = BACKING_AUTOMOUNT };
	backing_find_request(guard, found->path, backing_floor(found->mount), out);
	if (!demand)
		return;
	view_demand(guard->view, found->mount, found->path, demand);
	str_copy(out->why, sizeof(out->why), demand->why);
	if (!demand->known) {
		/* A section about a server may be about the one that will be mounted. */
		if (!demand->other && !out->wanted.rdma &&
		    policy_is_of_servers(view_policies(guard->view)))
			backing_unknown(guard, found->path, demand->why, out);
		return;
	}
	out->backing = demand->rdma ? BACKING_DEMAND : BACKING_DEMAND_OTHER;
	text_copy(out->source, sizeof(out->source), demand->source);
	/* What is requested of a directory precedes the mount's own request. */
	if (!out->wanted.rdma && !out->wanted.covered)
		out->wanted = demand->wanted;
}

/* A mount may be requested below its mount's directory, and be missing. */
static void backing_on_nfs(const struct guard *guard, const struct host_path *found,
			   struct guard_seen *out)
{
	const struct guard_seen *seen = backing_get_nfs(guard, found->mount);

	if (!seen) {
		backing_unknown(guard, found->path,
				"its mount is not among the NFS mounts that could be read", out);
		return;
	}
	*out = (struct guard_seen){ .mount = found->mount, .backing = BACKING_EMPTY };
	if (backing_find_request(guard, found->path, backing_floor(found->mount) + 1, out) &&
	    out->wanted.rdma && (out->wanted.place || seen->backing != BACKING_RDMA))
		return;
	if (backing_find_lost(guard, found, true, out))
		return;
	*out = *seen;
}

static void (*const backing_ends[])(const struct guard *guard, const struct host_path *found,
				    struct guard_seen *out) = {
	[HOST_PATH_LOCAL] = backing_local,
	[HOST_PATH_NFS] = backing_on_nfs,
	[HOST_PATH_REMOTE] = backing_remote,
	[HOST_PATH_AUTOMOUNT] = backing_automount,
};

/* A directory that a guest gets as a disk (type 'dir') is itself the location. A path that
 * host_path_resolve() did not examine is not examined here. */
static bool backing_is_directory(const struct guard *guard, const struct host_path *found)
{
	char path[PATH_MAX];

	if (found->end == HOST_PATH_AUTOMOUNT)
		return !strcmp(found->path, found->mount->target);
	return found->end == HOST_PATH_LOCAL && found->resolved &&
	       snprintf(path, sizeof(path), "%s/.", found->path + 1) < PATH_MAX &&
	       !host_exists(guard->host, path);
}

void backing_of_path(const struct guard *guard, const char *path, struct guard_seen *out)
{
	struct guard_memo *last = guard->last;
	struct host_path found;
	size_t len;

	if (host_path_resolve(guard->host, view_tree(guard->view), path, &found)) {
		backing_unknown(guard, *found.path ? found.path : "/", err_text(), out);
		return;
	}
	if (view_is_not_nfs(guard->view, found.path)) {
		*out = (struct guard_seen){ .mount = found.mount, .backing = BACKING_FOREIGN };
		return;
	}
	len = strlen(found.path);
	if (len > 1 && len < PATH_MAX - 1 && backing_is_directory(guard, &found))
		str_copy(found.path + len, sizeof(found.path) - len, "/");
	/* Disks of a guest usually share a directory. */
	len = (size_t)(strrchr(found.path, '/') - found.path);
	if (!last->mount || last->mount != found.mount || last->dir[len] ||
	    strncmp(last->dir, found.path, len) != 0) {
		backing_ends[found.end](guard, &found, &last->seen);
		last->mount = found.mount;
		snprintf(last->dir, sizeof(last->dir), "%.*s", (int)len, found.path);
	}
	*out = last->seen;
	out->domain = !strncmp(out->dir, view_domains(guard->view),
			       strlen(view_domains(guard->view)));
}
