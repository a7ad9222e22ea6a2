/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* What an automounter mounts on first access. A trigger is a mount of type autofs, so nothing below
 * it is on a disk of this host. mountinfo names the daemon's map, and systemd's triggers are of a
 * line of fstab or a unit. Of maps only plain files are read (autofs(5)): an executable one would
 * have to be run, and one of LDAP, NIS or sss has its entries elsewhere. */
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/stat.h>

#include "plugin/host/files.h"
#include "plugin/host/text.h"
#include "plugin/view/internal.h"

#define MAP_MAX       (1024 * 1024)
#define MASTER_FOLDER "etc/auto.master.d"

PRINTF_LIKE(2, 3)
static void automount_lose(struct view_demand *out, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(out->why, sizeof(out->why), fmt, ap);
	va_end(ap);
	finding_clean(out->why);
}

/* mount.nfs takes the transport of nfsmount.conf where the options have none, else TCP. */
static bool automount_requests_rdma(const struct view *view, const struct view_place *place)
{
	if (place->asked != ASKED_ANY && place->asked != ASKED_UNKNOWN)
		return place->asked == ASKED_RDMA;
	return wanted_conf(view, place->fs_spec, place->target) != NULL;
}

static void automount_judge(const struct view *view, const struct view_place *place,
			    struct view_demand *out)
{
	out->known = true;
	out->rdma = automount_requests_rdma(view, place);
	str_copy(out->source, sizeof(out->source), place->fs_spec);
	view_wanted_of(view, place, &out->wanted);
	/* It ends with the caller. */
	if (place->kind == PLACE_AUTOFS)
		out->wanted.place = NULL;
}

/* --- file maps ------------------------------------------------------------------------- */

/* "-fstype=nfsrdma,vers=4.2": takes the type out, in place. */
static void automount_split_options(char *options, char type[32])
{
	char *word, *rest = options, *to = options;
	size_t len;

	str_copy(type, 32, "nfs");
	while ((word = strsep(&rest, ","))) {
		len = strlen(word);
		if (!strncmp(word, "fstype=", 7)) {
			str_copy(type, 32, word + 7);
			continue;
		}
		if (to != options)
			*to++ = ',';
		memmove(to, word, len);
		to += len;
	}
	*to = '\0';
}

/* The source with "&" replaced by the key. False: it is not known. */
static bool automount_source(const char *location, const char *key, char source[PATH_MAX])
{
	const char *mark = strchr(location, '&');
	int len = mark ? (int)(mark - location) : (int)strlen(location);
	int used = snprintf(source, PATH_MAX, "%.*s%s%s", len, location, mark ? key : "",
			    mark ? mark + 1 : "");

	return used < PATH_MAX && !strchr(location, '$') && (!mark || !strchr(mark + 1, '&'));
}

/* Where an entry is, and of what. */
struct automount_entry {
	const char *target, *key;
	char *defaults;           /* options of its map in auto.master; "" none */
	char by[POLICY_FROM_MAX]; /* "/etc/auto.vm:3" */
};

/* @line: what follows the key: options, and one location. */
static void automount_take_entry(const struct view *view, char *line,
				 const struct automount_entry *entry, struct view_demand *out)
{
	struct view_place place = { .kind = PLACE_AUTOFS, .target = (char *)entry->target };
	char *options = NULL, *word, *location = NULL, none[] = "", type[32];
	char source[PATH_MAX], map_type[32];
	struct view_asks asks;

	while ((word = word_next(&line)) && *word != '#') {
		if (*word == '-' && !location && !options)
			options = word + 1;
		else if (*word == '/' || location)
			break;
		else
			location = word;
	}
	if (!location || (word && *word != '#') ||
	    !automount_source(location, entry->key, source)) {
		automount_lose(out, "%s is no entry with one source", entry->by);
		return;
	}
	options = options ? options : none;
	automount_split_options(options, type);
	automount_split_options(entry->defaults, map_type);
	if (!strcmp(type, "nfs"))
		str_copy(type, sizeof(type), map_type);
	if (!places_is_nfs(type)) {
		automount_lose(out, "%s mounts type %s", entry->by, type);
		out->other = true;
		return;
	}
	view_asks(type, options, &asks);
	/* The map's options come first, and an entry's own transport outweighs them. */
	if (asks.asked == ASKED_ANY || asks.asked == ASKED_UNKNOWN)
		view_asks(type, entry->defaults, &asks);
	place.fs_spec = source;
	place.options = options;
	place.asked = asks.asked;
	place.force = asks.force;
	str_copy(place.by, sizeof(place.by), entry->by);
	automount_judge(view, &place, out);
}

/* The first entry of the key applies, and where there is none that of "*"; an included map, which
 * may have one, is not read. */
static void automount_read_map(const struct view *view, const char *map, char *text,
			       struct automount_entry *entry, struct view_demand *out)
{
	char *cursor = text, *line, *word, *found = NULL;
	unsigned int number = 0, at = 0;
	bool exact = false;

	while (!exact && (line = line_next_joined(&cursor, &number))) {
		word = word_next(&line);
		if (!word || *word == '#')
			continue;
		if (*word == '+') {
			found = NULL;
			break;
		}
		exact = !strcmp(word, entry->key);
		if (!exact && (found || strcmp(word, "*") != 0))
			continue;
		found = line;
		at = number;
	}
	if (found) {
		snprintf(entry->by, sizeof(entry->by), "%.280s:%u", map, at);
		automount_take_entry(view, found, entry, out);
		return;
	}
	automount_lose(out, "%s has no entry of its own for %.100s", map, entry->key);
}

/* --- auto.master(5) -------------------------------------------------------------------- */

/* "/srv/auto /etc/auto.vm --timeout=60 -fstype=nfs,proto=rdma": options for every entry of a
 * map. */
static void automount_read_master(const struct view *view, const char *file,
				  const struct host_mount *on, const char *map, FILE *out)
{
	_cleanup_(host_text_fini) struct host_text text = { NULL, 0 };
	const char *target = on->direct ? "/-" : on->target;
	unsigned int number = 0;
	char *cursor, *line, *word;

	if (host_read(view->host, file, MAP_MAX, &text))
		return;
	for (cursor = text.text; (line = line_next_joined(&cursor, &number));) {
		word = word_next(&line);
		if (!word || strcmp(word, target) != 0)
			continue;
		word = word_next(&line);
		if (!word || strcmp(word + (strncmp(word, "file:", 5) ? 0 : 5), map) != 0)
			continue;
		while ((word = word_next(&line)) && *word != '#')
			if (strncmp(word, "--", 2) != 0)
				fprintf(out, "%s,", word + (*word == '-'));
	}
}

/* -ENOMEM. */
static int automount_master(const struct view *view, const struct host_mount *on, const char *map,
			    char **options)
{
	_cleanup_(host_list_fini) struct host_list files = { NULL, 0, false };
	char path[sizeof(MASTER_FOLDER) + NAME_MAX + 2];
	size_t len = 0, i;
	FILE *out = open_memstream(options, &len);

	if (!out)
		return err_no_memory();
	automount_read_master(view, "etc/auto.master", on, map, out);
	if (host_list(view->host, MASTER_FOLDER, &files))
		files.count = 0;
	for (i = 0; i < files.count; i++) {
		snprintf(path, sizeof(path), MASTER_FOLDER "/%.255s", files.names[i]);
		if (text_ends_with(path, ".autofs"))
			automount_read_master(view, path, on, map, out);
	}
	return fclose(out) || !*options ? err_no_memory() : 0;
}

/* As the daemon decides: a map that can be executed is a program. */
static bool automount_is_program(const struct host *host, const char *map)
{
	_cleanup_close_ int fd = host_open_at(host, map + 1, O_PATH);
	struct stat st;

	return fd >= 0 && !fstat(fd, &st) && st.st_mode & 0111;
}

/* Reads a map that is a file of this host. */
static bool automount_open_map(const struct view *view, const char *map, struct host_text *text,
			       struct view_demand *out)
{
	struct host_path found;

	if (*map != '/')
		automount_lose(out, "the map %.100s is not a file", map);
	else if (host_path_resolve(view->host, &view->tree, map, &found) ||
		 found.end != HOST_PATH_LOCAL)
		automount_lose(out, "the map %.100s is not on a disk of this host", map);
	else if (automount_is_program(view->host, map))
		automount_lose(out, "the map %.100s is a program", map);
	else if (host_read(view->host, map + 1, MAP_MAX, text))
		automount_lose(out, "%.200s", err_text());
	else
		return true;
	return false;
}

static void automount_of_map(const struct view *view, const struct host_mount *on, const char *path,
			     struct view_demand *out)
{
	_cleanup_(host_text_fini) struct host_text text = { NULL, 0 };
	const char *map = on->source + (strncmp(on->source, "file:", 5) ? 0 : 5);
	char target[PATH_MAX], key[NAME_MAX + 1];
	_cleanup_free_ char *defaults = NULL;
	struct automount_entry entry = { on->target, on->target, NULL, "" };
	size_t top = strlen(on->target);
	const char *below = path + top;

	if (!automount_open_map(view, map, &text, out) ||
	    automount_master(view, on, map, &defaults))
		return;
	entry.defaults = defaults;
	/* A trigger of a direct map is the directory of its entry. */
	if (!on->direct) {
		below += strspn(below, "/");
		snprintf(key, sizeof(key), "%.*s", (int)strcspn(below, "/"), below);
		snprintf(target, sizeof(target), "%.*s/%s", (int)(top > 1 ? top : 0), on->target,
			 key);
		entry.target = target;
		entry.key = key;
	}
	automount_read_map(view, map, text.text, &entry, out);
}

void view_demand(const struct view *view, const struct host_mount *on, const char *path,
		 struct view_demand *out)
{
	const struct view_dir *dir = places_at(view, on->target);

	*out = (struct view_demand){ .known = false };
	if (strncmp(on->source, "systemd-", 8) != 0) {
		automount_of_map(view, on, path, out);
		return;
	}
	for (; dir && !out->known; dir = places_next(view, dir))
		if (dir->place->kind == PLACE_FSTAB || dir->place->kind == PLACE_UNIT)
			automount_judge(view, dir->place, out);
	if (!out->known)
		automount_lose(out, "neither fstab nor a unit of %.100s is known", on->target);
}
