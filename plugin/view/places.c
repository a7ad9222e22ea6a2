/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Directories where a mount is configured. fstab(5) is read with libmount one line at a
 * time, so that the line number is known and a malformed line does not affect the others. */
#include <stdio.h>

#include <libmount/libmount.h>

#include "plugin/host/text.h"
#include "plugin/view/internal.h"

static void places_unref_table(struct libmnt_table **table)
{
	mnt_unref_table(*table);
}

static void places_close_file(FILE **file)
{
	if (*file)
		fclose(*file);
}

static void places_free_place(struct view_place *place)
{
	free(place->pool);
	free(place->target);
	free(place->fs_spec);
	free(place->options);
	free(place->name);
	*place = (struct view_place){ .kind = PLACE_POOL };
}

static int places_copy(char **out, const char *text)
{
	if (!text)
		return 0;
	*out = strdup(text);
	return *out ? 0 : err_no_memory();
}

int view_places_add(struct view_places *places, const struct view_place *place)
{
	struct view_place *added;

	/* Full at each power of two. */
	if (!(places->count & (places->count - 1))) {
		size_t cap = places->count ? places->count * 2 : 1;

		added = realloc(places->list, cap * sizeof(*added));
		if (!added)
			return err_no_memory();
		places->list = added;
	}
	added = &places->list[places->count];
	*added = (struct view_place){ .kind = place->kind,
				      .asked = place->asked,
				      .force = place->force,
				      .expected = place->expected,
				      .idle = place->idle,
				      .plain = place->plain };
	text_copy(added->by, sizeof(added->by), place->by);
	if (places_copy(&added->pool, place->pool) ||
	    places_copy(&added->target, place->target) ||
	    places_copy(&added->fs_spec, place->fs_spec) ||
	    places_copy(&added->options, place->options) ||
	    places_copy(&added->name, place->name)) {
		places_free_place(added);
		return -ENOMEM;
	}
	places->count++;
	return 0;
}

void view_places_fini(struct view_places *places)
{
	while (places->count)
		places_free_place(&places->list[--places->count]);
	free(places->list);
	*places = (struct view_places){ .count = 0 };
}

const char *view_place_key(const struct view_place *place)
{
	static const char *const keys[] = {
		[PLACE_UNIT] = "unit",
		[PLACE_STORAGE] = "storage",
		[PLACE_PENDING] = "record",
		[PLACE_SECTION] = NULL,
	};

	return place->name ? keys[place->kind] : NULL;
}

const struct view_place *view_places_pool(const struct view_places *places,
					  const char *name)
{
	size_t i;

	for (i = 0; places && i < places->count; i++)
		if (places->list[i].pool && !strcmp(places->list[i].pool, name))
			return &places->list[i];
	return NULL;
}

/* --- fstab ---------------------------------------------------------------------------------- */

bool places_is_nfs(const char *type)
{
	static const char *const types[] = { "nfs", "nfs4", "nfsrdma" };
	size_t i;

	for (i = 0; type && i < ARRAY_SIZE(types); i++)
		if (!strcmp(type, types[i]))
			return true;
	return false;
}

static bool places_has_option(const char *options, const char *name)
{
	size_t len, own = strlen(name);

	for (; *options; options += len + (options[len] == ',')) {
		len = strcspn(options, ",");
		if (len == own && !strncmp(options, name, len))
			return true;
	}
	return false;
}

static int places_skip_line(struct libmnt_table *table, const char *filename, int line)
{
	(void)table, (void)filename, (void)line;
	return 1;
}

static int places_add_line(struct view_places *places, char *line, unsigned int number)
{
	_cleanup_(places_unref_table) struct libmnt_table *table = mnt_new_table();
	_cleanup_(places_close_file) FILE *file = fmemopen(line, strlen(line), "r");
	_cleanup_free_ char *dir = NULL, *spec = NULL, *opts = NULL;
	struct view_place place = { .kind = PLACE_FSTAB };
	const char *type, *target, *source, *options;
	struct libmnt_fs *fs = NULL;
	struct view_asks asks;

	if (!table || !file)
		return err_no_memory();
	mnt_table_set_parser_errcb(table, places_skip_line);
	if (mnt_table_parse_stream(table, file, "fstab") ||
	    mnt_table_first_fs(table, &fs) || !fs)
		return 0;
	type = mnt_fs_get_fstype(fs);
	target = mnt_fs_get_target(fs);
	source = mnt_fs_get_source(fs);
	options = mnt_fs_get_options(fs);
	if (!places_is_nfs(type) || !target || *target != '/' || !source)
		return 0;
	if (places_copy(&dir, target) || places_copy(&spec, source) ||
	    places_copy(&opts, options ? options : ""))
		return -ENOMEM;
	view_asks(type, opts, &asks);
	place.target = dir;
	place.fs_spec = spec;
	place.options = opts;
	place.asked = asks.asked;
	place.force = asks.force;
	/* systemd sets up the automount of a line with noauto as well. */
	place.idle = places_has_option(opts, "noauto") &&
		     !places_has_option(opts, "x-systemd.automount");
	place.expected = !place.idle && !places_has_option(opts, "x-systemd.automount");
	place.plain = strcmp(type, "nfsrdma") != 0;
	snprintf(place.by, sizeof(place.by), "/etc/fstab:%u", number);
	return view_places_add(places, &place);
}

int view_places_fstab(const struct host *host, struct view_places *places)
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
			rc = places_add_line(places, line, number);
	}
	return rc;
}

/* --- by path -------------------------------------------------------------------------------- */

/* At one path a pool precedes the line of fstab that mounts it: it says more. */
static int places_compare(const void *a, const void *b)
{
	const struct view_dir *x = a, *y = b;
	int order = strcmp(x->path, y->path);

	if (order || x->place->kind != y->place->kind)
		return order ? order : (int)x->place->kind - (int)y->place->kind;
	return x->place < y->place ? -1 : x->place > y->place;
}

void places_sort(struct view *view)
{
	if (view->nplaces)
		qsort(view->dirs, view->nplaces, sizeof(*view->dirs), places_compare);
}

const struct view_dir *places_at(const struct view *view, const char *dir)
{
	size_t low = 0, high = view->nplaces, middle;

	while (low < high) {
		middle = low + (high - low) / 2;
		if (strcmp(view->dirs[middle].path, dir) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low < view->nplaces && !strcmp(view->dirs[low].path, dir)
		       ? &view->dirs[low]
		       : NULL;
}

const struct view_dir *places_next(const struct view *view, const struct view_dir *dir)
{
	const struct view_dir *next = dir + 1;

	return next < view->dirs + view->nplaces && !strcmp(next->path, dir->path) ? next
										   : NULL;
}
