/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* NFS mounts from a /proc/self/mountinfo, by libmount. It receives only the lines of NFS
 * mounts: for a root of "/dev/root" it would query the running system. */
#include <stdio.h>
#include <sys/sysmacros.h>

#include "plugin/host/internal.h"
#include "plugin/host/mount-table.h"

/* Most steps from a mount to the NFS mount it lies below. */
#define PARENTS_MAX 64

struct mountinfo_parent {
	unsigned int id, parent;
	unsigned int nfs; /* its index among the NFS mounts, or NOT_NFS */
};

#define NOT_NFS UINT32_MAX

struct mountinfo_parents {
	struct mountinfo_parent *list;
	size_t count;
};

static void mountinfo_iter_free(struct libmnt_iter **iter)
{
	mnt_free_iter(*iter);
}

static bool mountinfo_is_octal(char c)
{
	return c >= '0' && c <= '7';
}

void mountinfo_unescape(char *text)
{
	char *to = text;

	while (*text) {
		if (text[0] == '\\' && mountinfo_is_octal(text[1]) && mountinfo_is_octal(text[2]) &&
		    mountinfo_is_octal(text[3])) {
			*to++ = (char)((text[1] - '0') << 6 | (text[2] - '0') << 3 |
				       (text[3] - '0'));
			text += 4;
		} else {
			*to++ = *text++;
		}
	}
	*to = '\0';
}

static int mountinfo_by_id(const void *a, const void *b)
{
	const struct mountinfo_parent *x = a, *y = b;

	return x->id < y->id ? -1 : x->id > y->id;
}

/* The type follows the only " - ", because blanks in names are escaped as \040. */
static bool mountinfo_is_nfs(const char *line)
{
	const char *type = strstr(line, " - ");

	return type && (!strncmp(type, " - nfs ", 7) || !strncmp(type, " - nfs4 ", 8));
}

/* Keeps the lines of NFS mounts in @text, and records the parents of all mounts. A line
 * that is not valid in mountinfo is removed, because libmount would then parse the whole
 * text as an fstab. */
static int mountinfo_filter(char *text, struct mountinfo_parents *parents, unsigned int *unreadable)
{
	char *to = text, *line;
	struct mountinfo_parent *entry;

	parents->list = calloc(text_count_lines(text), sizeof(*parents->list));
	if (!parents->list)
		return err_no_memory();
	while ((line = line_next(&text))) {
		entry = &parents->list[parents->count];
		if (sscanf(line, "%9u %9u", &entry->id, &entry->parent) != 2) {
			memset(entry, 0, sizeof(*entry));
			*unreadable += mountinfo_is_nfs(line);
			continue;
		}
		entry->nfs = NOT_NFS;
		parents->count++;
		if (mountinfo_is_nfs(line)) {
			size_t len = strlen(line);
			bool ended = text > line + len;

			memmove(to, line, len);
			to += len;
			/* If the newline was missing, there is no room to add it. */
			if (ended)
				*to++ = '\n';
		}
	}
	*to = '\0';
	if (parents->count)
		qsort(parents->list, parents->count, sizeof(*parents->list), mountinfo_by_id);
	return 0;
}

static unsigned int mountinfo_option_number(const char *options, const char *name)
{
	char *value = NULL, text[16];
	size_t len = 0;

	if (mnt_optstr_get_option(options, name, &value, &len) || !value || !len ||
	    len >= sizeof(text))
		return 0;
	memcpy(text, value, len);
	text[len] = '\0';
	return (unsigned int)strtoul(text, NULL, 10);
}

static void mountinfo_option_text(const char *options, const char *name, char *buf, size_t cap)
{
	char *value = NULL, text[256];
	size_t len = 0;

	if (mnt_optstr_get_option(options, name, &value, &len) || !value)
		return;
	len = len < sizeof(text) ? len : sizeof(text) - 1;
	memcpy(text, value, len);
	text[len] = '\0';
	text_copy(buf, cap, text);
}

static bool mountinfo_has_option(const char *options, const char *name)
{
	char *value = NULL;
	size_t len = 0;

	return !mnt_optstr_get_option(options, name, &value, &len);
}

static const char *mountinfo_or_empty(const char *text)
{
	return text ? text : "";
}

static void mountinfo_take_mount(struct libmnt_fs *fs, struct nfs_mount *out)
{
	const char *options = mountinfo_or_empty(mnt_fs_get_fs_options(fs));
	dev_t dev = mnt_fs_get_devno(fs);

	out->id = (unsigned int)mnt_fs_get_id(fs);
	out->parent_id = (unsigned int)mnt_fs_get_parent_id(fs);
	out->parent = UINT32_MAX;
	snprintf(out->dev, sizeof(out->dev), "%u:%u", major(dev), minor(dev));
	text_copy(out->target, sizeof(out->target), mountinfo_or_empty(mnt_fs_get_target(fs)));
	text_copy(out->fs_spec, sizeof(out->fs_spec), mountinfo_or_empty(mnt_fs_get_source(fs)));
	text_copy(out->fs_root, sizeof(out->fs_root), mountinfo_or_empty(mnt_fs_get_root(fs)));
	text_copy(out->type, sizeof(out->type), mountinfo_or_empty(mnt_fs_get_fstype(fs)));
	text_copy(out->options, sizeof(out->options), options);
	mountinfo_option_text(options, "vers", out->vers, sizeof(out->vers));
	mountinfo_option_text(options, "proto", out->proto, sizeof(out->proto));
	mountinfo_option_text(options, "addr", out->addr, sizeof(out->addr));
	mountinfo_option_text(options, "sec", out->sec, sizeof(out->sec));
	out->port = mountinfo_option_number(options, "port");
	out->mountport = mountinfo_option_number(options, "mountport");
	out->rsize = mountinfo_option_number(options, "rsize");
	out->wsize = mountinfo_option_number(options, "wsize");
	out->timeo = mountinfo_option_number(options, "timeo");
	out->retrans = mountinfo_option_number(options, "retrans");
	out->nconnect = mountinfo_option_number(options, "nconnect");
	out->hard = mountinfo_has_option(options, "hard");
	out->nolock = mountinfo_has_option(options, "nolock");
}

static struct mountinfo_parent *mountinfo_find_id(const struct mountinfo_parents *parents,
						  unsigned int id)
{
	struct mountinfo_parent key = { id, 0, 0 };

	return bsearch(&key, parents->list, parents->count, sizeof(*parents->list),
		       mountinfo_by_id);
}

/* Submounts lie directly below; other mounts may have one in between. */
static unsigned int mountinfo_find_parent(const struct mountinfo_parents *parents, unsigned int id)
{
	const struct mountinfo_parent *entry = mountinfo_find_id(parents, id);
	unsigned int steps;

	for (steps = 0; entry && steps < PARENTS_MAX && entry->parent != id; steps++) {
		entry = mountinfo_find_id(parents, entry->parent);
		if (entry && entry->nfs != NOT_NFS)
			return entry->nfs;
	}
	return UINT32_MAX;
}

static void mountinfo_find_parents(struct nfs_mounts *mounts,
				   const struct mountinfo_parents *parents)
{
	struct mountinfo_parent *entry;
	unsigned int i;

	for (i = 0; i < mounts->count; i++) {
		entry = mountinfo_find_id(parents, mounts->list[i].id);
		if (entry)
			entry->nfs = i;
	}
	for (i = 0; i < mounts->count; i++)
		mounts->list[i].parent = mountinfo_find_parent(parents, mounts->list[i].id);
}

static int mountinfo_parse_nfs(char *text, struct nfs_mounts *out)
{
	_cleanup_(mount_table_unref_p) struct libmnt_table *table = NULL;
	_cleanup_(mountinfo_iter_free) struct libmnt_iter *iter = mnt_new_iter(MNT_ITER_FORWARD);
	struct libmnt_fs *fs;
	int rows, rc;

	rc = iter ? mount_table_parse(text, strlen(text), "mountinfo", &out->unreadable, &table)
		  : err_no_memory();
	if (rc)
		return rc;
	rows = mnt_table_get_nents(table);
	out->list = calloc(rows > 0 ? (size_t)rows : 1, sizeof(*out->list));
	if (!out->list)
		return err_no_memory();
	while (!mnt_table_next_fs(table, iter, &fs)) {
		if (out->count == NFS_MOUNTS_MAX) {
			out->cut = true;
			break;
		}
		mountinfo_take_mount(fs, &out->list[out->count++]);
	}
	return 0;
}

int mountinfo_parse(char *text, struct nfs_mounts *out)
{
	struct mountinfo_parents parents = { NULL, 0 };
	int rc;

	memset(out, 0, sizeof(*out));
	rc = mountinfo_filter(text, &parents, &out->unreadable);
	if (!rc)
		rc = mountinfo_parse_nfs(text, out);
	if (!rc)
		mountinfo_find_parents(out, &parents);
	free(parents.list);
	if (rc)
		host_nfs_mounts_fini(out);
	return rc;
}
