/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Directories on which somebody wants something mounted. Those of fstab(5) are read here, by libmount
 * a line at a time: so the number of the line is known, and one that makes no sense costs no
 * other. */
#include <stdio.h>
#include <strings.h>

#include <libmount/libmount.h>

#include "plugin/guard/internal.h"
#include "plugin/mounts/mounts.h"

static void unref_table(struct libmnt_table **table)
{
	mnt_unref_table(*table);
}

static void close_file(FILE **file)
{
	if (*file)
		fclose(*file);
}

static void place_fini(struct guard_place *place)
{
	free(place->pool);
	free(place->target);
	free(place->fs_spec);
	*place = (struct guard_place){ .wants_rdma = false };
}

static int copy(char **out, const char *text)
{
	if (!text)
		return 0;
	*out = strdup(text);
	return *out ? 0 : err_set(ENOMEM, "no memory");
}

int guard_places_add(struct guard_places *places, const struct guard_place *place)
{
	struct guard_place *added;
	int rc;

	/* A power of two: full. */
	if (!(places->count & (places->count - 1))) {
		size_t cap = places->count ? places->count * 2 : 1;

		added = realloc(places->list, cap * sizeof(*added));
		if (!added)
			return err_set(ENOMEM, "no memory");
		places->list = added;
	}
	added = &places->list[places->count];
	*added = (struct guard_place){ .wants_rdma = place->wants_rdma };
	text_copy(added->by, sizeof(added->by), place->by);
	rc = copy(&added->pool, place->pool);
	rc = rc ? rc : copy(&added->target, place->target);
	rc = rc ? rc : copy(&added->fs_spec, place->fs_spec);
	if (rc)
		place_fini(added);
	else
		places->count++;
	return rc;
}

void guard_places_fini(struct guard_places *places)
{
	while (places->count)
		place_fini(&places->list[--places->count]);
	free(places->list);
	*places = (struct guard_places){ .count = 0 };
}

/* --- fstab ---------------------------------------------------------------------------------- */

static bool is_nfs(const char *type)
{
	static const char *const types[] = { "nfs", "nfs4", "nfsrdma" };
	size_t i;

	for (i = 0; type && i < ARRAY_SIZE(types); i++)
		if (!strcmp(type, types[i]))
			return true;
	return false;
}

/* What is mounted by mount.nfsrdma wants RDMA, unless it says that it need not be. */
static bool asks_for_rdma(const char *type, const char *options)
{
	_cleanup_(opts_free_p) struct opts *opts = NULL;
	bool rdma = !strcmp(type, "nfsrdma");
	size_t i;

	/* One that nobody would take asks for what is written first in it. */
	if (opts_parse(&opts, options))
		return rdma || strstr(options, "rdma");
	for (i = 0; i < opts_count(opts); i++) {
		struct opt opt = opts_at(opts, i);

		if (!strcmp(opt.name, "nfsrdma.policy"))
			return opt.value && !strcmp(opt.value, "require");
		/* One that another overrules was wanted all the same. */
		rdma |= !strcmp(opt.name, "rdma") ||
			(!strcmp(opt.name, "proto") && opt.value &&
			 mounts_is_rdma(opt.value));
	}
	return rdma;
}

static int skip_line(struct libmnt_table *table, const char *filename, int line)
{
	(void)table, (void)filename, (void)line;
	return 1;
}

static int take_fs(struct guard_places *places, struct libmnt_fs *fs, unsigned int number)
{
	const char *type = mnt_fs_get_fstype(fs), *target = mnt_fs_get_target(fs);
	const char *source = mnt_fs_get_source(fs), *options = mnt_fs_get_options(fs);
	_cleanup_free_ char *dir = NULL, *spec = NULL;
	struct guard_place place = { .wants_rdma = false };
	int rc;

	if (!is_nfs(type) || !target || *target != '/' || !source)
		return 0;
	rc = copy(&dir, target);
	rc = rc ? rc : copy(&spec, source);
	if (rc)
		return rc;
	place.target = dir;
	place.fs_spec = spec;
	place.wants_rdma = asks_for_rdma(type, options ? options : "");
	snprintf(place.by, sizeof(place.by), "/etc/fstab:%u", number);
	return guard_places_add(places, &place);
}

static int take_line(struct guard_places *places, char *line, unsigned int number)
{
	_cleanup_(unref_table) struct libmnt_table *table = mnt_new_table();
	_cleanup_(close_file) FILE *file = fmemopen(line, strlen(line), "r");
	struct libmnt_fs *fs = NULL;

	if (!table || !file)
		return err_set(ENOMEM, "no memory");
	mnt_table_set_parser_errcb(table, skip_line);
	if (mnt_table_parse_stream(table, file, "fstab") ||
	    mnt_table_first_fs(table, &fs) || !fs)
		return 0;
	return take_fs(places, fs, number);
}

int guard_places_fstab(const struct host *host, struct guard_places *places)
{
	_cleanup_(host_text_fini) struct host_text text = { NULL, 0 };
	int rc = host_read(host, "etc/fstab", HOST_FILE_MAX, &text);
	char *cursor = text.text, *line;
	unsigned int number = 0;

	if (rc)
		return rc == -ENOENT ? 0 : rc;
	while (!rc && (line = line_next(&cursor))) {
		number++;
		line += strspn(line, " \t");
		if (*line && *line != '#' && strstr(line, "nfs"))
			rc = take_line(places, line, number);
	}
	return rc;
}
