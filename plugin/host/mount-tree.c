/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* All of /proc/self/mountinfo (proc(5)), as a tree of mounts. It is parsed here because libmount
 * would query the running system for a root of "/dev/root", and its tables for thousands of
 * mounts take longer than a gate may.
 *
 * A line is "ID PARENT MAJ:MIN ROOT TARGET OPTIONS [TAG...] - TYPE SOURCE SUPER", separated by
 * single blanks; blanks in names are \040. Other white space in names is not escaped. */
#include <stdio.h>

#include "plugin/host/internal.h"

static bool mount_tree_number(const char *word, unsigned int *out)
{
	uint64_t value;

	if (!word || !text_number(word, strlen(word), UINT_MAX - 1, &value))
		return false;
	*out = (unsigned int)value;
	return true;
}

static char *mount_tree_unescape(char *word)
{
	mountinfo_unescape(word);
	return strdup(word);
}

static void mount_tree_mount_fini(struct host_mount *mount)
{
	free(mount->target);
	free(mount->source);
	*mount = (struct host_mount){ 0 };
}

/* Splits the line in place. -EBADMSG without err_text(): its position is unknown. */
static int mount_tree_take_line(char *line, struct host_mount *out)
{
	char *id = strsep(&line, " "), *parent = strsep(&line, " ");
	char *dev = strsep(&line, " "), none[] = "";
	char *target, *word, *type, *source;

	strsep(&line, " ");
	target = strsep(&line, " ");
	if (!mount_tree_number(id, &out->id) || !mount_tree_number(parent, &out->parent_id) ||
	    !target || *target != '/')
		return -EBADMSG;
	while ((word = strsep(&line, " ")) && strcmp(word, "-") != 0)
		out->shared |= !strncmp(word, "shared:", 7);
	type = strsep(&line, " ");
	/* An empty source leaves nothing between the blanks. */
	source = strsep(&line, " ");
	out->direct = line && (strstr(line, ",direct") || strstr(line, ",offset"));
	if (type && source) {
		mountinfo_unescape(type);
		str_copy(out->type, sizeof(out->type), type);
	}
	str_copy(out->dev, sizeof(out->dev), dev);
	out->target = mount_tree_unescape(target);
	out->source = mount_tree_unescape(source ? source : none);
	return out->target && out->source ? 0 : err_no_memory();
}

/* @text is split in place. */
static int mount_tree_take_lines(char *text, struct host_mounts *out)
{
	char *line;
	int rc;

	while ((line = line_next(&text))) {
		if (!*line)
			continue;
		if (out->count == HOST_MOUNTS_MAX) {
			out->cut = true;
			return 0;
		}
		rc = mount_tree_take_line(line, &out->list[out->count]);
		if (rc)
			mount_tree_mount_fini(&out->list[out->count]);
		if (rc == -ENOMEM)
			return rc;
		out->cut |= rc != 0;
		out->count += !rc;
	}
	return 0;
}

/* --- by parent and target ----------------------------------------------------------------- */

struct mount_branch {
	/* ORPHAN: the parent is not in the list, or is the mount itself. */
	unsigned int parent;
	const struct host_mount *mount;
};

#define ORPHAN UINT_MAX

static int mount_tree_compare(const struct mount_branch *branch, unsigned int parent,
			      const char *target)
{
	if (branch->parent != parent)
		return branch->parent < parent ? -1 : 1;
	return strcmp(branch->mount->target, target);
}

/* Of two mounts on one target of one parent, the later is on top. */
static int mount_tree_by_target(const void *a, const void *b)
{
	const struct mount_branch *x = a, *y = b;
	int order = mount_tree_compare(x, y->parent, y->mount->target);

	if (order)
		return order;
	return x->mount < y->mount ? -1 : x->mount > y->mount;
}

static int mount_tree_by_id(const void *a, const void *b)
{
	unsigned int x = *(const unsigned int *)a, y = *(const unsigned int *)b;

	return x < y ? -1 : x > y;
}

static int mount_tree_sort(struct host_mounts *out)
{
	_cleanup_free_ unsigned int *ids = calloc(out->count + 1, sizeof(*ids));
	size_t i;

	out->branches = calloc(out->count + 1, sizeof(*out->branches));
	if (!ids || !out->branches)
		return err_no_memory();
	for (i = 0; i < out->count; i++)
		ids[i] = out->list[i].id;
	qsort(ids, out->count, sizeof(*ids), mount_tree_by_id);
	for (i = 0; i < out->count; i++) {
		const struct host_mount *mount = &out->list[i];
		bool has = mount->parent_id != mount->id &&
			   bsearch(&mount->parent_id, ids, out->count, sizeof(*ids),
				   mount_tree_by_id);

		out->branches[i].parent = has ? mount->parent_id : ORPHAN;
		out->branches[i].mount = mount;
	}
	qsort(out->branches, out->count, sizeof(*out->branches), mount_tree_by_target);
	return 0;
}

static const struct host_mount *mount_tree_find(const struct host_mounts *mounts,
						unsigned int parent, const char *target)
{
	size_t low = 0, high = mounts->count, middle;

	/* The first entry after it. */
	while (low < high) {
		middle = low + (high - low) / 2;
		if (mount_tree_compare(&mounts->branches[middle], parent, target) <= 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low && !mount_tree_compare(&mounts->branches[low - 1], parent, target)
		       ? mounts->branches[low - 1].mount
		       : NULL;
}

const struct host_mount *mount_tree_on(const struct host_mounts *mounts,
				       const struct host_mount *under, const char *target)
{
	const struct host_mount *top = NULL, *next;
	size_t steps;

	next = under ? mount_tree_find(mounts, under->id, target) : NULL;
	/* If the kernel shows no parent, because it is outside this process's root or was
	 * unmounted while the list was read, the path determines the position. */
	if (!next)
		next = mount_tree_find(mounts, ORPHAN, target);
	/* The kernel has no cycles of parents; do not loop on one. */
	for (steps = 0; next && steps < mounts->count; steps++) {
		top = next;
		next = mount_tree_find(mounts, top->id, target);
	}
	return top;
}

/* --- whole lists ---------------------------------------------------------------------- */

int mount_tree_parse(char *text, struct host_mounts *out)
{
	struct host_mounts mounts = { .count = 0 };
	size_t lines = text_count_lines(text);
	int rc;

	mounts.list = calloc(lines < HOST_MOUNTS_MAX ? lines : HOST_MOUNTS_MAX,
			     sizeof(*mounts.list));
	rc = mounts.list ? mount_tree_take_lines(text, &mounts) : err_no_memory();
	if (!rc)
		rc = mount_tree_sort(&mounts);
	if (!rc)
		rc = path_cache_new(&mounts.cache);
	if (rc)
		host_mounts_fini(&mounts);
	else
		*out = mounts;
	return rc;
}

int host_mounts(const struct host *host, struct host_mounts *out)
{
	_cleanup_(host_text_fini) struct host_text text = { NULL, 0 };
	int rc = host_read(host, "proc/self/mountinfo", MOUNTINFO_MAX, &text);

	return rc ? rc : mount_tree_parse(text.text, out);
}

void host_mounts_fini(struct host_mounts *mounts)
{
	while (mounts->count)
		mount_tree_mount_fini(&mounts->list[--mounts->count]);
	free(mounts->list);
	free(mounts->branches);
	path_cache_free(mounts->cache);
	*mounts = (struct host_mounts){ .count = 0 };
}
