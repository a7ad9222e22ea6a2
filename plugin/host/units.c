/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* systemd's unit files (systemd.unit(5)). A unit in an earlier directory hides one of the
 * same name; drop-ins of all directories apply after it, ordered by name. */
#include <stdio.h>

#include "plugin/host/internal.h"

/* NAME_MAX: names of mounts are escaped paths. */
#define UNIT_MAX 256

static const char *const unit_dirs[] = { "etc/systemd/system",           "run/systemd/system",
					 "usr/local/lib/systemd/system", "usr/lib/systemd/system",
					 "lib/systemd/system",           NULL };

/* "rdma-load-modules@rdma.service" is an instance of "rdma-load-modules@.service". */
static bool unit_template(const char *unit, char *buf, size_t cap)
{
	const char *at = strchr(unit, '@'), *dot = strrchr(unit, '.');

	if (!at || !dot || dot < at || dot == at + 1)
		return false;
	snprintf(buf, cap, "%.*s%s", (int)(at + 1 - unit), unit, dot);
	return true;
}

/* Returns 1 if masked; 0: @path is the unit's file. */
static int unit_find_file(const struct host *host, const char *unit, char *path)
{
	char link[HOST_PATH_MAX];
	const char *const *dir;
	int rc;

	for (dir = unit_dirs; *dir; dir++) {
		rc = host_path(path, *dir, unit);
		if (rc)
			return rc;
		if (!host_link(host, path, link, sizeof(link)) && !strcmp(link, "/dev/null"))
			return 1;
		rc = host_exists(host, path);
		if (rc != -ENOENT)
			return rc;
	}
	return err_set(ENOENT, "there is no unit %.64s", unit);
}

static int unit_find(const struct host *host, const char *unit, char *path)
{
	char template[UNIT_MAX];
	int rc;

	if (strlen(unit) >= UNIT_MAX || strchr(unit, '/'))
		return err_set(EINVAL, "%.64s is no name of a unit", unit);
	rc = unit_find_file(host, unit, path);
	if (rc == -ENOENT && unit_template(unit, template, sizeof(template)))
		rc = unit_find_file(host, template, path);
	return rc;
}

/* The settings to read. */
struct unit_reader {
	const struct host *host;
	const char *section;
	const struct unit_setting *settings;
};

static void unit_take(const struct unit_reader *reader, const char *key, const char *value)
{
	const struct unit_setting *to;
	size_t used;

	for (to = reader->settings; to->key; to++) {
		if (strcmp(to->key, key) != 0)
			continue;
		used = to->adds ? strlen(to->buf) : 0;
		if (used && used + 1 < to->cap)
			to->buf[used++] = ' ';
		text_copy(to->buf + used, to->cap - used, value);
	}
}

/* The last assignment wins, but of settings that add up. */
static int unit_parse_file(const struct unit_reader *to, const char *file)
{
	_cleanup_(host_text_fini) struct host_text text = { NULL, 0 };
	unsigned int number = 0;
	bool inside = false;
	int rc = host_read(to->host, file, HOST_FILE_MAX, &text);
	char *cursor, *line, *value;

	if (rc)
		return rc;
	for (cursor = text.text; (line = line_next_joined(&cursor, &number));) {
		line = text_trim(line);
		if (*line == '[') {
			line[strcspn(line, "]")] = '\0';
			inside = !strcmp(line + 1, to->section);
			continue;
		}
		value = strchr(line, '=');
		if (!inside || !value || *line == '#' || *line == ';')
			continue;
		*value++ = '\0';
		unit_take(to, text_trim(line), text_trim(value));
	}
	return 0;
}

static int unit_parse_dropins(const struct unit_reader *to, const char *unit)
{
	_cleanup_(host_list_fini) struct host_list files = { NULL, 0, false };
	char dirs[ARRAY_SIZE(unit_dirs)][256];
	const char *list[ARRAY_SIZE(unit_dirs)] = { NULL };
	size_t i;
	int rc;

	for (i = 0; unit_dirs[i]; i++) {
		snprintf(dirs[i], sizeof(dirs[i]), "%s/%s.d", unit_dirs[i], unit);
		list[i] = dirs[i];
	}
	rc = dropins_list(to->host, list, ".conf", &files);
	for (i = 0; !rc && i < files.count; i++) {
		rc = unit_parse_file(to, files.names[i]);
		/* A dangling link or one to /dev/null masks the file in a later
		 * directory. */
		rc = rc == -ENOENT || rc == -EINVAL ? 0 : rc;
	}
	return rc;
}

int host_unit_read(const struct host *host, const char *unit, const char *section,
		   const struct unit_setting *settings)
{
	const struct unit_reader to = { host, section, settings };
	char path[HOST_PATH_MAX], template[UNIT_MAX];
	const struct unit_setting *setting;
	int rc;

	for (setting = settings; setting->key; setting++)
		setting->buf[0] = '\0';
	rc = unit_find(host, unit, path);
	if (rc)
		return rc < 0 ? rc : 0;
	rc = unit_parse_file(&to, path);
	if (!rc && unit_template(unit, template, sizeof(template)))
		rc = unit_parse_dropins(&to, template);
	return rc ? rc : unit_parse_dropins(&to, unit);
}

int host_unit_get(const struct host *host, const char *unit, const char *key, char *buf, size_t cap)
{
	const struct unit_setting settings[] = { { key, buf, cap, false },
						 { NULL, NULL, 0, false } };

	return host_unit_read(host, unit, "Service", settings);
}

int host_units(const struct host *host, const char *suffix, struct host_list *out)
{
	return dropins_list(host, unit_dirs, suffix, out);
}

/* Whether FOLDER/SOMETHING.wants/UNIT exists, or that of another dependency of [Install]. */
static int unit_is_wanted(const struct host *host, const char *folder, const char *unit)
{
	_cleanup_(host_list_fini) struct host_list list = { NULL, 0, false };
	char path[HOST_PATH_MAX], link[HOST_PATH_MAX];
	int rc = host_list(host, folder, &list);
	size_t i;

	if (rc)
		return rc == -ENOENT ? 0 : rc;
	for (i = 0; i < list.count; i++) {
		if (!text_ends_with(list.names[i], ".wants") &&
		    !text_ends_with(list.names[i], ".requires") &&
		    !text_ends_with(list.names[i], ".upholds"))
			continue;
		if ((size_t)snprintf(path, sizeof(path), "%s/%s/%s", folder, list.names[i], unit) >=
		    sizeof(path))
			continue;
		rc = host_link(host, path, link, sizeof(link));
		/* A file in place of the link does it as well. */
		if (!rc || rc == -EINVAL)
			return 1;
		if (rc != -ENOENT)
			return rc;
	}
	return 0;
}

int host_unit_state(const struct host *host, const char *unit, enum unit_state *out)
{
	char path[HOST_PATH_MAX];
	const char *const *dir;
	int rc = unit_find(host, unit, path);

	*out = rc == -ENOENT ? UNIT_MISSING : rc == 1 ? UNIT_MASKED : UNIT_DISABLED;
	if (rc)
		return rc == -ENOENT || rc == 1 ? 0 : rc;
	/* Includes the distribution's directories: rdma-core has its links in
	 * rdma-hw.target.wants there. */
	for (dir = unit_dirs; *dir && !rc; dir++)
		rc = unit_is_wanted(host, *dir, unit);
	if (rc > 0)
		*out = UNIT_ENABLED;
	return rc < 0 ? rc : 0;
}
