/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The trees of a snapshot, and path resolution: every directory and link on a path goes
 * into the archive, so that the path resolves to the same file in it. */
#include <fcntl.h>
#include <limits.h>
#include <search.h>
#include <stdio.h>
#include <sys/stat.h>

#include "plugin/snapshot/internal.h"

/* Both types of nodes begin with their path. */
static int snapshot_tree_compare(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static void snapshot_tree_free_entry(void *node)
{
	struct snapshot_entry *entry = node;

	free(entry->path);
	free(entry->target);
	host_text_fini(&entry->text);
	free(entry);
}

static void snapshot_tree_free_query(void *node)
{
	struct snapshot_query *query = node;

	free(query->path);
	json_object_put(query->error);
	free(query);
}

static void *snapshot_tree_find(void *const *tree, const char *path)
{
	void **node = tfind(&path, tree, snapshot_tree_compare);

	return node ? *node : NULL;
}

void *snapshot_tree_add(struct snapshot *snapshot, void **tree, const char *path, size_t size)
{
	void *node = snapshot_tree_find(tree, path);
	char *name;

	if (node)
		return node;
	node = calloc(1, size);
	name = strdup(path);
	if (!node || !name ||
	    (memcpy(node, &name, sizeof(name)), !tsearch(node, tree, snapshot_tree_compare))) {
		snapshot_no_memory(snapshot);
		free(name);
		free(node);
		return NULL;
	}
	return node;
}

/* --- path resolution ------------------------------------------------------------------ */

struct snapshot_entry *snapshot_tree_lookup(struct snapshot *snapshot, const char *path)
{
	struct snapshot_entry *entry = snapshot_tree_find(&snapshot->entries, path);
	_cleanup_close_ int fd = -1;
	char target[PATH_MAX];
	struct stat st;
	ssize_t len;

	if (entry)
		return entry;
	fd = inroot_open(host_fd(snapshot->host), path, O_PATH | O_NOFOLLOW);
	if (fd < 0 || fstat(fd, &st))
		return NULL;
	entry = snapshot_tree_add(snapshot, &snapshot->entries, path, sizeof(*entry));
	if (!entry)
		return NULL;
	/* Of a FIFO or a device, only the name. */
	entry->type = S_ISDIR(st.st_mode)   ? SNAPSHOT_FOLDER
		      : S_ISLNK(st.st_mode) ? SNAPSHOT_LINK
					    : SNAPSHOT_FILE;
	if (entry->type != SNAPSHOT_LINK)
		return entry;
	len = readlinkat(fd, "", target, sizeof(target) - 1);
	entry->target = len < 0 ? NULL : strndup(target, (size_t)len);
	if (!entry->target)
		snapshot_no_memory(snapshot);
	return entry;
}

struct snapshot_path {
	char resolved[HOST_PATH_MAX]; /* without links */
	char rest[PATH_MAX];
	unsigned int links;
};

/* Returns the first component of the rest; "" at the end. */
static const char *snapshot_path_next(struct snapshot_path *walk, char name[NAME_MAX + 1])
{
	const char *start = walk->rest + strspn(walk->rest, "/");
	size_t len = strcspn(start, "/");

	name[0] = '\0';
	if (len > NAME_MAX)
		return NULL;
	memcpy(name, start, len);
	name[len] = '\0';
	start += len;
	start += strspn(start, "/");
	memmove(walk->rest, start, strlen(start) + 1);
	return name;
}

static void snapshot_path_go_up(struct snapshot_path *walk)
{
	char *slash = strrchr(walk->resolved, '/');

	*(slash ? slash : walk->resolved) = '\0';
}

static bool snapshot_path_follow_link(struct snapshot_path *walk, const char *target)
{
	char joined[PATH_MAX];

	if (++walk->links > HOST_LINKS_MAX ||
	    (size_t)snprintf(joined, sizeof(joined), "%s/%s", target, walk->rest) >= sizeof(joined))
		return false;
	str_copy(walk->rest, sizeof(walk->rest), joined);
	if (target[0] == '/')
		walk->resolved[0] = '\0';
	else
		snapshot_path_go_up(walk);
	return true;
}

struct snapshot_entry *snapshot_tree_resolve(struct snapshot *snapshot, const char *path,
					     bool follow)
{
	char name[NAME_MAX + 1];
	struct snapshot_entry *at = NULL;
	struct snapshot_path walk = { "", "", 0 };
	size_t used;

	if (!str_copy(walk.rest, sizeof(walk.rest), path))
		return NULL;
	while (snapshot_path_next(&walk, name) && name[0]) {
		if (!strcmp(name, "."))
			continue;
		if (!strcmp(name, "..")) {
			snapshot_path_go_up(&walk);
			at = walk.resolved[0] ? snapshot_tree_lookup(snapshot, walk.resolved)
					      : NULL;
			continue;
		}
		used = strlen(walk.resolved);
		if (used + strlen(name) + 2 > sizeof(walk.resolved))
			return NULL;
		snprintf(walk.resolved + used, sizeof(walk.resolved) - used, "%s%s",
			 used ? "/" : "", name);
		at = snapshot_tree_lookup(snapshot, walk.resolved);
		if (!at)
			return NULL;
		if (at->type == SNAPSHOT_LINK && (follow || walk.rest[0])) {
			if (!at->target || !snapshot_path_follow_link(&walk, at->target))
				return NULL;
		} else if (at->type != SNAPSHOT_FOLDER && walk.rest[0]) {
			return NULL;
		}
	}
	return at;
}

void snapshot_tree_free(struct snapshot *snapshot)
{
	tdestroy(snapshot->entries, snapshot_tree_free_entry);
	tdestroy(snapshot->queries, snapshot_tree_free_query);
}
