/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The mount on which a path lies, as by path_resolution(7), without contacting any
 * server. The path is walked by its names. Each is first looked up among the mounts on
 * the current mount, so names hidden below a later mount are not seen. Only on file
 * systems of this host is a name then looked up on disk, because it may be a link; from
 * the first network mount on, names are taken as written, and only the list of mounts is
 * consulted.
 *
 * The root is looked up in any case: if it is on a network, so is this program. */
#include <stdio.h>

#include "plugin/host/internal.h"

/* Names in a path; each has a slash before it. */
#define DEPTH_MAX (PATH_MAX / 2)

struct path_step {
	const struct host_mount *mount;
	size_t len; /* of the path so far */
	bool blind; /* no name in it may be looked up */
	bool sure;  /* not a link, so ".." is the previous step */
};

struct path_walk {
	const struct host *host;
	const struct host_mounts *mounts;
	struct host_path *out;
	size_t depth;
	unsigned int links;
	/* ".." follows a name that was not looked up and may be a link. */
	bool guessed;
	char rest[PATH_MAX];
	struct path_step steps[DEPTH_MAX + 1]; /* [0] is the root */
};

/* A file system that is not listed is local: on a disk, in memory, of the kernel. Cluster
 * file systems on shared disks (gfs2, ocfs2) have no server to wait for. "*": matches any
 * suffix. */
static const struct {
	const char *type;
	enum host_path_end end;
} path_types[] = {
	{ "nfs", HOST_PATH_NFS },          { "nfs4", HOST_PATH_NFS },
	{ "autofs", HOST_PATH_AUTOMOUNT }, { "cifs", HOST_PATH_REMOTE },
	{ "smb3", HOST_PATH_REMOTE },      { "smbfs", HOST_PATH_REMOTE },
	{ "ceph", HOST_PATH_REMOTE },      { "glusterfs", HOST_PATH_REMOTE },
	{ "9p", HOST_PATH_REMOTE },        { "virtiofs", HOST_PATH_REMOTE },
	{ "fusectl", HOST_PATH_LOCAL },    { "fuse*", HOST_PATH_REMOTE },
	{ "afs", HOST_PATH_REMOTE },       { "coda", HOST_PATH_REMOTE },
	{ "ncpfs", HOST_PATH_REMOTE },     { "lustre", HOST_PATH_REMOTE },
	{ "beegfs", HOST_PATH_REMOTE },    { "gpfs", HOST_PATH_REMOTE },
	{ "orangefs", HOST_PATH_REMOTE },  { "pvfs2", HOST_PATH_REMOTE },
	{ "panfs", HOST_PATH_REMOTE },     { "wekafs", HOST_PATH_REMOTE },
	{ "vboxsf", HOST_PATH_REMOTE },    { "vmhgfs", HOST_PATH_REMOTE },
};

/* Stacked file systems are local, too; but looking up a name in one does so in the lower
 * ones, which may be on a network. */
static const char *const path_stacked_types[] = { "overlay", "overlayfs", "aufs",
						  "unionfs", "shiftfs",   "ecryptfs" };

static enum host_path_end path_end(const struct host_mount *mount)
{
	size_t i, len;

	for (i = 0; mount && i < ARRAY_SIZE(path_types); i++) {
		len = strcspn(path_types[i].type, "*");
		if (!strncmp(mount->type, path_types[i].type,
			     path_types[i].type[len] ? len : len + 1))
			return path_types[i].end;
	}
	return HOST_PATH_LOCAL;
}

/* A stacked file system is looked up only if it is the root's own, as in a container or a
 * live system: this program is on it, too. */
static bool path_is_blind(const struct path_walk *walk, const struct host_mount *mount)
{
	const struct host_mount *root = walk->steps[0].mount;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(path_stacked_types); i++)
		if (!strcmp(mount->type, path_stacked_types[i]))
			return !root || strcmp(root->dev, mount->dev) != 0;
	return path_end(mount) != HOST_PATH_LOCAL;
}

/* --- cache of lookups ----------------------------------------------------------------- */

/* Guest images share few directories: results for the names on the way there are cached
 * for as long as the list of mounts exists. A new name replaces the one in its slot. */
struct path_cache {
	char *path; /* NULL: none */
	char *link; /* NULL: not a link */
};

#define CACHE_SLOTS 256

static struct path_cache *path_cache_slot(struct path_cache *cache, const char *path)
{
	return &cache[bytes_digest(path, strlen(path)) % CACHE_SLOTS];
}

static void path_cache_slot_fini(struct path_cache *slot)
{
	free(slot->path);
	free(slot->link);
	*slot = (struct path_cache){ NULL, NULL };
}

static void path_cache_set(struct path_cache *slot, const char *path, const char *link)
{
	path_cache_slot_fini(slot);
	slot->path = strdup(path);
	slot->link = link ? strdup(link) : NULL;
	if (!slot->path || (link && !slot->link))
		path_cache_slot_fini(slot);
}

int path_cache_new(struct path_cache **out)
{
	*out = calloc(CACHE_SLOTS, sizeof(**out));
	return *out ? 0 : err_no_memory();
}

void path_cache_free(struct path_cache *cache)
{
	size_t i;

	for (i = 0; cache && i < CACHE_SLOTS; i++)
		path_cache_slot_fini(&cache[i]);
	free(cache);
}

/* Like host_link(), but does not set err_text() if it is not a link. @passing: more names
 * follow. */
static int path_read_link(const struct path_walk *walk, const char *path, bool passing, char *link)
{
	struct path_cache *slot = path_cache_slot(walk->mounts->cache, path);
	int rc;

	if (slot->path && !strcmp(slot->path, path)) {
		if (slot->link)
			str_copy(link, PATH_MAX, slot->link);
		return slot->link ? 0 : -EINVAL;
	}
	rc = host_link(walk->host, path + 1, link, PATH_MAX);
	if (passing && (!rc || rc == -EINVAL))
		path_cache_set(slot, path, rc ? NULL : link);
	return rc;
}

/* --- walking ------------------------------------------------------------------------ */

static int path_too_long(void)
{
	return err_set(ENAMETOOLONG, "the path has more than %d bytes after its links are resolved",
		       PATH_MAX - 1);
}

/* Takes the next name from the rest; NULL: none. */
static const char *path_next_name(struct path_walk *walk, char name[PATH_MAX])
{
	const char *rest = walk->rest + strspn(walk->rest, "/");
	size_t len = strcspn(rest, "/");

	if (!len)
		return NULL;
	memcpy(name, rest, len);
	name[len] = '\0';
	memmove(walk->rest, rest + len, strlen(rest + len) + 1);
	return name;
}

static void path_cut_at(struct path_walk *walk, size_t depth)
{
	walk->depth = depth;
	walk->out->path[walk->steps[depth].len] = '\0';
}

static int path_go_up(struct path_walk *walk)
{
	const struct path_step *step = &walk->steps[walk->depth];

	if (!walk->depth)
		return 0;
	if (walk->guessed && step->mount != step[-1].mount)
		return err_set(EXDEV,
			       "the path leaves %.200s by '..', after names that were not "
			       "looked at",
			       walk->out->path);
	walk->guessed |= !step->sure;
	path_cut_at(walk, walk->depth - 1);
	return 0;
}

/* Replaces the name by the link's target. */
static int path_follow_link(struct path_walk *walk, const char *link)
{
	char joined[PATH_MAX];
	int n = snprintf(joined, sizeof(joined), "%s/%s", link, walk->rest);

	if (++walk->links > HOST_LINKS_MAX)
		return err_set(ELOOP, "the path goes through more than %d links", HOST_LINKS_MAX);
	if (n < 0 || (size_t)n >= sizeof(joined))
		return path_too_long();
	memcpy(walk->rest, joined, (size_t)n + 1);
	path_cut_at(walk, *link == '/' ? 0 : walk->depth);
	return 0;
}

static void path_push(struct path_walk *walk, const struct host_mount *mount, size_t len,
		      bool blind, bool sure)
{
	walk->steps[++walk->depth] =
		(struct path_step){ .mount = mount, .len = len, .blind = blind, .sure = sure };
}

static int path_bad_mount(const struct host_mount *mount)
{
	return err_set(EBADMSG, "invalid line of mountinfo for the mount on %.200s", mount->target);
}

/* A mount's target has no links in it. */
static int path_enter_mount(struct path_walk *walk, const struct host_mount *mount, size_t len)
{
	size_t i;

	if (!*mount->type)
		return path_bad_mount(mount);
	path_push(walk, mount, len, walk->steps[walk->depth].blind || path_is_blind(walk, mount),
		  true);
	for (i = 0; i < walk->depth; i++)
		walk->steps[i].sure = true;
	return 0;
}

static int path_step(struct path_walk *walk, const char *name)
{
	const struct path_step at = walk->steps[walk->depth];
	const struct host_mount *mount;
	char *path = walk->out->path, link[PATH_MAX];
	size_t len = at.len + 1 + strlen(name);
	int rc;

	if (!strcmp(name, "."))
		return 0;
	if (!strcmp(name, ".."))
		return path_go_up(walk);
	if (len >= PATH_MAX || walk->depth == DEPTH_MAX)
		return path_too_long();
	path[at.len] = '/';
	memcpy(path + at.len + 1, name, len - at.len);
	mount = mount_tree_on(walk->mounts, at.mount, path);
	if (mount)
		return path_enter_mount(walk, mount, len);
	if (at.blind) {
		path_push(walk, at.mount, len, true, false);
		return 0;
	}
	rc = path_read_link(walk, path, *walk->rest, link);
	if (!rc)
		return path_follow_link(walk, link);
	if (rc != -EINVAL && rc != -ENOENT)
		return rc;
	walk->out->missing |= rc == -ENOENT;
	path_push(walk, at.mount, len, rc == -ENOENT, rc == -EINVAL);
	return 0;
}

int host_path_resolve(const struct host *host, const struct host_mounts *mounts, const char *path,
		      struct host_path *out)
{
	_cleanup_free_ struct path_walk *walk = NULL;
	char name[PATH_MAX];
	size_t len;
	int rc = 0;

	*out = (struct host_path){ .end = HOST_PATH_LOCAL };
	if (*path != '/')
		return err_set(EINVAL, "'%.200s' does not begin with a slash", path);
	if (strlen(path) >= PATH_MAX)
		return path_too_long();
	if (mounts->cut)
		return err_set(EOVERFLOW, "not all mounts of this host are known");
	walk = malloc(sizeof(*walk));
	if (!walk)
		return err_no_memory();
	/* Not the whole struct: most paths have few steps. */
	memset(walk, 0, offsetof(struct path_walk, rest));
	walk->host = host;
	walk->mounts = mounts;
	walk->out = out;
	walk->steps[0] = (struct path_step){ .mount = mount_tree_on(mounts, NULL, "/"),
					     .sure = true };
	str_copy(walk->rest, sizeof(walk->rest), path);
	if (walk->steps[0].mount && !*walk->steps[0].mount->type)
		rc = path_bad_mount(walk->steps[0].mount);
	while (!rc && path_next_name(walk, name))
		rc = path_step(walk, name);
	out->mount = walk->steps[walk->depth].mount;
	out->end = path_end(out->mount);
	out->resolved = !rc && !walk->steps[walk->depth].blind;
	/* After an error, the whole path, so that the caller can show it. */
	len = strlen(out->path);
	if (rc)
		str_copy(out->path + len, sizeof(out->path) - len, walk->rest);
	if (!*out->path)
		str_copy(out->path, sizeof(out->path), "/");
	return rc;
}
