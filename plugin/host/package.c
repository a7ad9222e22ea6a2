/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The version of an installed package. dpkg's database is a text file; rpm's can only be
 * read by rpm, so a snapshot contains rpm's output. */
#include "plugin/host/internal.h"

#define LIST ".nfsrdma/packages"

/* One paragraph per package; some 5 MB on a full system. */
#define STATUS_MAX (32 * 1024 * 1024)

static bool package_has_key(const char *line, const char *key, const char **value)
{
	size_t len = strlen(key);

	if (strncmp(line, key, len) || line[len] != ':')
		return false;
	*value = line + len + 1 + strspn(line + len + 1, " ");
	return true;
}

/* Errors: -ENOENT: no such file; -ENODATA: the file does not have the answer; -ESRCH: not
 * installed. */
static int package_from_list(const struct host *host, const char *name, char *version, size_t cap)
{
	_cleanup_(host_text_fini) struct host_text text = { NULL, 0 };
	int rc = host_read(host, LIST, HOST_FILE_MAX, &text);
	char *cursor, *line, *word;

	if (rc)
		return rc;
	for (cursor = text.text; (line = line_next(&cursor));) {
		word = word_next(&line);
		if (!word || strcmp(word, name))
			continue;
		word = word_next(&line);
		text_copy(version, cap, word ? word : "");
		return word ? 0 : err_set(ESRCH, "%.64s is not installed", name);
	}
	if (host_is_snapshot(host))
		return err_set(ENODATA, "the snapshot does not hold the version of %.64s", name);
	return err_set(ESRCH, "%.64s is not installed", name);
}

static int package_from_status(const struct host *host, const char *name, char *version, size_t cap)
{
	_cleanup_(host_text_fini) struct host_text text = { NULL, 0 };
	int rc = host_read(host, "var/lib/dpkg/status", STATUS_MAX, &text);
	bool ours = false, installed = false;
	char *cursor, *line;
	const char *value;

	if (rc)
		return rc == -ENOENT ? err_set(ENODATA, "the packages cannot be asked by files")
				     : rc;
	for (cursor = text.text; (line = line_next(&cursor));) {
		if (!*line && ours)
			break;
		if (package_has_key(line, "Package", &value)) {
			ours = !strcmp(value, name);
			installed = false;
		} else if (ours && package_has_key(line, "Status", &value)) {
			installed = text_ends_with(value, " installed");
		} else if (ours && package_has_key(line, "Version", &value)) {
			text_copy(version, cap, value);
		}
	}
	if (!ours || !installed)
		version[0] = '\0';
	return version[0] ? 0 : err_set(ESRCH, "%.64s is not installed", name);
}

int host_package(const struct host *host, const char *name, char *version, size_t cap)
{
	int rc;

	version[0] = '\0';
	rc = host_is_live(host) ? -ENOENT : package_from_list(host, name, version, cap);
	if (rc == -ENOENT)
		rc = package_from_status(host, name, version, cap);
	/* A snapshot records this answer only: the whole list is private. */
	if (!rc || rc == -ESRCH || rc == -ENODATA)
		host_answer(host, LIST, name, rc == -ENODATA ? NULL : version, NULL);
	return rc == -ESRCH ? -ENOENT : rc;
}
