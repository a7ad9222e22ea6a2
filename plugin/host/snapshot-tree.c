/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The trees of a snapshot, and path resolution: every directory and link on a path goes
 * into the archive, so that the path resolves to the same file in it. */
#include <fcntl.h>
#include <limits.h>
#include <search.h>
#include <stdio.h>
#include <sys/stat.h>

#include "plugin/host/snapshot-internal.h"

/* The kernel's limit: MAXSYMLINKS. */
#define LINKS_MAX 40

/* Both types of nodes begin with their path. */
static int by_path(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static void free_entry(void *node)
{
	struct member *entry = node;

	free(entry->path);
	free(entry->target);
	host_text_fini(&entry->text);
	free(entry);
}

static void free_asked(void *node)
{
	struct asked *asked = node;

	free(asked->path);
	json_object_put(asked->error);
	free(asked);
}

static void *find(void *const *tree, const char *path)
{
	void **node = tfind(&path, tree, by_path);

	return node ? *node : NULL;
}

void *snapshot_tree_add(struct snapshot *snapshot, void **tree, const char *path,
			size_t size)
{
	void *node = find(tree, path);
	char *name;

	if (node)
		return node;
	node = calloc(1, size);
	name = strdup(path);
	if (!node || !name ||
	    (memcpy(node, &name, sizeof(name)), !tsearch(node, tree, by_path))) {
		snapshot_no_memory(snapshot);
		free(name);
		free(node);
		return NULL;
	}
	return node;
}

/* --- path resolution ------------------------------------------------------------------ */

struct member *snapshot_tree_look(struct snapshot *snapshot, const char *path)
{
	struct member *entry = find(&snapshot->entries, path);
	_cleanup_close_ int fd = -1;
	char target[PATH_MAX];
	struct stat st;
	ssize_t len;

	if (entry)
		return entry;
	fd = beneath_open(host_fd(snapshot->host), path, O_PATH | O_NOFOLLOW);
	if (fd < 0 || fstat(fd, &st))
		return NULL;
	entry = snapshot_tree_add(snapshot, &snapshot->entries, path, sizeof(*entry));
	if (!entry)
		return NULL;
	/* Of a FIFO or a device, only the name. */
	entry->type = S_ISDIR(st.st_mode)   ? MEMBER_FOLDER
		      : S_ISLNK(st.st_mode) ? MEMBER_LINK
					    : MEMBER_FILE;
	if (entry->type != MEMBER_LINK)
		return entry;
	len = readlinkat(fd, "", target, sizeof(target) - 1);
	entry->target = len < 0 ? NULL : strndup(target, (size_t)len);
	if (!entry->target)
		snapshot_no_memory(snapshot);
	return entry;
}

struct way {
	char here[HOST_PATH_MAX]; /* without links */
	char rest[PATH_MAX];
	unsigned int links;
};

/* Returns the first component of the rest; "" at the end. */
static const char *next_part(struct way *way, char part[NAME_MAX + 1])
{
	const char *start = way->rest + strspn(way->rest, "/");
	size_t len = strcspn(start, "/");

	part[0] = '\0';
	if (len > NAME_MAX)
		return NULL;
	memcpy(part, start, len);
	part[len] = '\0';
	start += len;
	start += strspn(start, "/");
	memmove(way->rest, start, strlen(start) + 1);
	return part;
}

static void go_up(struct way *way)
{
	char *slash = strrchr(way->here, '/');

	*(slash ? slash : way->here) = '\0';
}

static bool take_link(struct way *way, const char *target)
{
	char joined[PATH_MAX];

	if (++way->links > LINKS_MAX ||
	    (size_t)snprintf(joined, sizeof(joined), "%s/%s", target, way->rest) >=
		    sizeof(joined))
		return false;
	strcpy(way->rest, joined);
	if (target[0] == '/')
		way->here[0] = '\0';
	else
		go_up(way);
	return true;
}

struct member *snapshot_tree_place(struct snapshot *snapshot, const char *path,
				   bool follow)
{
	char part[NAME_MAX + 1];
	struct member *at = NULL;
	struct way way = { "", "", 0 };
	size_t used;

	if (strlen(path) >= sizeof(way.rest))
		return NULL;
	strcpy(way.rest, path);
	while (next_part(&way, part) && part[0]) {
		if (!strcmp(part, "."))
			continue;
		if (!strcmp(part, "..")) {
			go_up(&way);
			at = way.here[0] ? snapshot_tree_look(snapshot, way.here) : NULL;
			continue;
		}
		used = strlen(way.here);
		if (used + strlen(part) + 2 > sizeof(way.here))
			return NULL;
		snprintf(way.here + used, sizeof(way.here) - used, "%s%s",
			 used ? "/" : "", part);
		at = snapshot_tree_look(snapshot, way.here);
		if (!at)
			return NULL;
		if (at->type == MEMBER_LINK && (follow || way.rest[0])) {
			if (!at->target || !take_link(&way, at->target))
				return NULL;
		} else if (at->type != MEMBER_FOLDER && way.rest[0]) {
			return NULL;
		}
	}
	return at;
}

void snapshot_tree_free(struct snapshot *snapshot)
{
	tdestroy(snapshot->entries, free_entry);
	tdestroy(snapshot->asked, free_asked);
}
