/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Directories where a mount is configured. fstab(5) is read with libmount one line at a
 * time, so that the line number is known and a malformed line does not affect the others. */
#include <stdio.h>

#include "plugin/host/mount-table.h"
#include "plugin/host/text.h"
#include "plugin/view/internal.h"
#include "rpcrdma/base/grow.h"

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

	if (!grow(places->list, places->count))
		return err_no_memory();
	added = &places->list[places->count];
	*added = (struct view_place){ .kind = place->kind,
				      .asked = place->asked,
				      .force = place->force,
				      .expected = place->expected,
				      .idle = place->idle,
				      .plain = place->plain };
	text_copy(added->by, sizeof(added->by), place->by);
	if (places_copy(&added->pool, place->pool) || places_copy(&added->target, place->target) ||
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
		[PLACE_PENDING] = "request",
		[PLACE_SECTION] = NULL,
	};

	return place->name ? keys[place->kind] : NULL;
}

const struct view_place *view_places_pool(const struct view_places *places, const char *name)
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

/* A bind mount of an NFS mount's directory, or of one below it, has its source; the last line that
 * has that directory is the one that is seen. */
static const struct view_place *places_bound(const struct view_places *places, const char *dir)
{
	const struct view_place *found = NULL;
	size_t i;

	for (i = 0; i < places->count; i++) {
		const struct view_place *place = &places->list[i];

		if (place->kind == PLACE_FSTAB && text_below(place->target, dir) &&
		    (!found || text_below(found->target, place->target)))
			found = place;
	}
	return found;
}

static int places_add_fs(struct view_places *places, struct libmnt_fs *fs, bool binds,
			 unsigned int number)
{
	const char *type = mnt_fs_get_fstype(fs), *target = mnt_fs_get_target(fs),
		   *source = mnt_fs_get_source(fs), *options = mnt_fs_get_options(fs);
	struct view_place place = { .kind = PLACE_FSTAB };
	const struct view_place *of;
	struct view_asks asks;
	bool on_demand;

	if (!target || *target != '/' || !source)
		return 0;
	options = options ? options : "";
	if (!binds && places_is_nfs(type)) {
		view_asks(type, options, &asks);
		place.asked = asks.asked;
		place.force = asks.force;
		place.plain = strcmp(type, "nfsrdma") != 0;
		place.fs_spec = (char *)source;
		place.options = (char *)options;
	} else if (binds &&
		   (places_has_option(options, "bind") || places_has_option(options, "rbind"))) {
		of = places_bound(places, source);
		if (!of)
			return 0;
		place.asked = of->asked;
		place.force = of->force;
		place.fs_spec = of->fs_spec;
	} else {
		return 0;
	}
	place.target = (char *)target;
	/* systemd sets up the automount of a line with noauto as well. */
	on_demand = places_has_option(options, "x-systemd.automount");
	place.idle = !on_demand && places_has_option(options, "noauto");
	place.expected = !on_demand && !place.idle;
	snprintf(place.by, sizeof(place.by), "/etc/fstab:%u", number);
	return view_places_add(places, &place);
}

static int places_add_line(struct view_places *places, char *line, bool binds, unsigned int number)
{
	_cleanup_(mount_table_unref_p) struct libmnt_table *table = NULL;
	struct libmnt_fs *fs = NULL;
	int rc = mount_table_parse(line, strlen(line), "fstab", NULL, &table);

	if (rc)
		return rc == -ENOMEM ? rc : 0;
	if (mnt_table_first_fs(table, &fs) || !fs)
		return 0;
	return places_add_fs(places, fs, binds, number);
}

/* @text is changed. */
static int places_add_lines(struct view_places *places, char *text, bool binds)
{
	unsigned int number = 0;
	char *line;
	int rc = 0;

	while (!rc && (line = line_next(&text))) {
		number++;
		line += strspn(line, " \t");
		if (*line && *line != '#' && strstr(line, binds ? "bind" : "nfs"))
			rc = places_add_line(places, line, binds, number);
	}
	return rc;
}

int view_places_fstab(const struct host *host, struct view_places *places)
{
	_cleanup_(host_text_fini) struct host_text text = { NULL, 0 };
	_cleanup_free_ char *again = NULL;
	int rc = host_read(host, "etc/fstab", HOST_FILE_MAX, &text);

	if (rc)
		return rc == -ENOENT ? 0 : rc;
	/* A bind mount may precede what it is of. */
	rc = places_copy(&again, text.text);
	rc = rc ? rc : places_add_lines(places, text.text, false);
	return rc ? rc : places_add_lines(places, again, true);
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
	return low < view->nplaces && !strcmp(view->dirs[low].path, dir) ? &view->dirs[low] : NULL;
}

const struct view_dir *places_next(const struct view *view, const struct view_dir *dir)
{
	const struct view_dir *next = dir + 1;

	return next < view->dirs + view->nplaces && !strcmp(next->path, dir->path) ? next : NULL;
}
