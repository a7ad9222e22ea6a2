/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* /run/mount/utab, where libmount stores what the kernel does not: for an NFS mount, the
 * options given to mount.nfs, with those of nfsmount.conf (store_mount_options() in
 * nfs-utils' utils/mount/mount_libmount.c). They are the requested options where the
 * actual ones differ. libmount itself reads the file only together with the running
 * system's mounts.
 *
 * A line is "SRC=... TARGET=... ROOT=... ATTRS=... OPTS=...", in any order, blanks
 * escaped as in mountinfo. Unmounting without libmount leaves a stale line, so the last
 * one wins. */
#include "plugin/host/internal.h"

struct utab_line {
	char *source, *target, *attrs;
};

static void utab_take_word(struct utab_line *line, char *word)
{
	const struct {
		const char *key;
		char **value;
	} keys[] = {
		{ "SRC=", &line->source },
		{ "TARGET=", &line->target },
		{ "ATTRS=", &line->attrs },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(keys); i++) {
		if (strncmp(word, keys[i].key, strlen(keys[i].key)) != 0)
			continue;
		*keys[i].value = word + strlen(keys[i].key);
		mountinfo_unescape(*keys[i].value);
	}
}

void utab_parse(char *text, struct nfs_mounts *mounts)
{
	char source[sizeof(mounts->list->fs_spec)], target[sizeof(mounts->list->target)];
	struct nfs_mount *mount;
	char *cursor, *word;
	unsigned int i;

	while ((cursor = line_next(&text))) {
		struct utab_line line = { NULL, NULL, NULL };

		while ((word = word_next(&cursor)))
			utab_take_word(&line, word);
		if (!line.source || !line.target || !line.attrs)
			continue;
		text_copy(source, sizeof(source), line.source);
		text_copy(target, sizeof(target), line.target);
		for (i = 0; i < mounts->count; i++) {
			mount = &mounts->list[i];
			if (!strcmp(mount->target, target) && !strcmp(mount->fs_spec, source))
				text_copy(mount->asked, sizeof(mount->asked), line.attrs);
		}
	}
}
