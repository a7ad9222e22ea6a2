/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* VDSM's repository: the option "repository" of section [irs], in etc/vdsm/vdsm.conf and
 * then in the files of vdsm.conf.d, of which the later wins
 * (lib/vdsm/common/config.py.in). */
#include <stdio.h>
#include <strings.h>

#include "plugin/host/internal.h"

#define BUILT_IN "/rhev/data-center"
#define DROPINS  "etc/vdsm/vdsm.conf.d"

/* "repository = /x", or with a colon, as Python's configparser accepts. Returns NULL for
 * other lines. */
static char *vdsm_repository_value(char *line)
{
	static const char key[] = "repository";
	char *value;

	if (strncasecmp(line, key, sizeof(key) - 1))
		return NULL;
	value = line + sizeof(key) - 1;
	value += strspn(value, " \t");
	if (*value != '=' && *value != ':')
		return NULL;
	value += 1 + strspn(value + 1, " \t");
	value[strcspn(value, " \t\r")] = '\0';
	return value;
}

static void vdsm_read_file(const struct host *host, const char *path, char out[HOST_REPOSITORY_MAX])
{
	_cleanup_(host_text_fini) struct host_text text = { NULL, 0 };
	bool irs = false;
	char *cursor, *line, *value;
	size_t len;

	if (host_read(host, path, HOST_FILE_MAX, &text))
		return;
	for (cursor = text.text; (line = line_next(&cursor));) {
		if (line[0] == '[')
			irs = !strncmp(line, "[irs]", 5);
		value = irs ? vdsm_repository_value(line) : NULL;
		len = value ? strlen(value) : 0;
		while (len > 1 && value[len - 1] == '/')
			value[--len] = '\0';
		/* VDSM could not use any other value. */
		if (len > 1 && len < HOST_REPOSITORY_MAX && value[0] == '/' &&
		    finding_is_clean(value))
			str_copy(out, HOST_REPOSITORY_MAX, value);
	}
}

void host_repository(const struct host *host, char out[HOST_REPOSITORY_MAX])
{
	_cleanup_(host_list_fini) struct host_list list = { NULL, 0, false };
	char path[sizeof(DROPINS) + NAME_MAX + 2];
	size_t i;

	str_copy(out, HOST_REPOSITORY_MAX, BUILT_IN);
	vdsm_read_file(host, "etc/vdsm/vdsm.conf", out);
	if (host_list(host, DROPINS, &list))
		return;
	for (i = 0; i < list.count; i++) {
		snprintf(path, sizeof(path), DROPINS "/%s", list.names[i]);
		if (text_ends_with(list.names[i], ".conf"))
			vdsm_read_file(host, path, out);
	}
}

void host_repository_real(const struct host *host, const struct host_mounts *mounts,
			  const char *repository, char out[PATH_MAX])
{
	char configured[HOST_REPOSITORY_MAX];
	struct host_path found;

	if (!repository) {
		host_repository(host, configured);
		repository = configured;
	}
	str_copy(out, PATH_MAX, repository);
	if (*repository == '/' && !host_path_resolve(host, mounts, repository, &found) &&
	    found.end == HOST_PATH_LOCAL)
		str_copy(out, PATH_MAX, found.path);
}

bool host_repository_not_nfs(const char *repository, const char *path)
{
	static const char *const folders[] = { "/mnt/blockSD", "/mnt/glusterSD" };
	size_t top = strlen(repository), i;

	for (i = 0; !strncmp(path, repository, top) && i < ARRAY_SIZE(folders); i++) {
		size_t len = strlen(folders[i]);

		if (!strncmp(path + top, folders[i], len) &&
		    (path[top + len] == '/' || !path[top + len]))
			return true;
	}
	return false;
}

/* VDSM doubles each "_" of a source and replaces each "/" by "_" (fileUtils.py:
 * transformPath()). A path has no two consecutive slashes, so two underscores are one
 * "_"; three are ambiguous. */
int host_repository_source(const char *dir, char *out, size_t cap)
{
	const char *slash = strrchr(dir, '/'), *from = slash ? slash + 1 : dir;
	size_t used = 0, run;

	if (!strstr(from, ":_"))
		return -ENOENT;
	for (; *from; from += run ? run : 1) {
		run = strspn(from, "_");
		if (run > 2 || used + 1 >= cap)
			return -ENOENT;
		out[used++] = run == 0 ? *from : run == 1 ? '/' : '_';
	}
	out[used] = '\0';
	return 0;
}
