/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The version of an installed package. dpkg's list is a text; rpm's is a database that rpm alone
 * reads, so a snapshot has what it said. */
#include "plugin/host/internal.h"

/* A paragraph a package; a full system's is some 5 MB. */
#define STATUS_MAX (32 * 1024 * 1024)

static bool has_key(const char *line, const char *key, const char **value)
{
	size_t len = strlen(key);

	if (strncmp(line, key, len) || line[len] != ':')
		return false;
	*value = line + len + 1 + strspn(line + len + 1, " ");
	return true;
}

static bool parse_status(char *text, const char *name, char *version, size_t cap)
{
	bool ours = false, installed = false;
	const char *value;
	char *line;

	version[0] = '\0';
	while ((line = line_next(&text))) {
		if (!*line && ours)
			break;
		if (has_key(line, "Package", &value)) {
			ours = !strcmp(value, name);
			installed = false;
		} else if (ours && has_key(line, "Status", &value)) {
			installed = text_ends_with(value, " installed");
		} else if (ours && has_key(line, "Version", &value)) {
			text_copy(version, cap, value);
		}
	}
	if (!ours || !installed)
		version[0] = '\0';
	return version[0];
}

static bool parse_list(char *text, const char *name, char *version, size_t cap)
{
	char *line, *word;

	version[0] = '\0';
	while ((line = line_next(&text)) && !version[0]) {
		word = word_next(&line);
		if (!word || strcmp(word, name))
			continue;
		word = word_next(&line);
		text_copy(version, cap, word ? word : "");
	}
	return version[0];
}

int host_package(const struct host *host, const char *name, char *version, size_t cap)
{
	_cleanup_(host_text_fini) struct host_text text = { NULL, 0 };
	int rc = host_read(host, "var/lib/dpkg/status", STATUS_MAX, &text);
	bool dpkg = !rc;

	version[0] = '\0';
	if (rc == -ENOENT)
		rc = host_read(host, ".nfsrdma/packages", HOST_FILE_MAX, &text);
	if (rc)
		return rc == -ENOENT
			       ? err_set(ENODATA, "the packages cannot be asked by files")
			       : rc;
	if (!(dpkg ? parse_status : parse_list)(text.text, name, version, cap))
		return err_set(ENOENT, "%.64s is not installed", name);
	return 0;
}
