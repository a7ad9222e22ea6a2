/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The limit on locked memory, which programs that register memory through verbs need. The
 * kernel's NFS client does not. */
#include <inttypes.h>
#include <stdio.h>

#include "plugin/host/internal.h"

static const char *const limits_dirs[] = { "etc/security/limits.d", "usr/etc/security/limits.d",
					   NULL };

static uint64_t limits_number(const char *text)
{
	return text && strcmp(text, "unlimited") ? strtoumax(text, NULL, 10) : UINT64_MAX;
}

/* limits.conf(5): domain, type, item, value. */
static void limits_parse_line(const char *file, char *line, struct host_memlock *out)
{
	char *words[4];
	size_t i;

	line[strcspn(line, "#")] = '\0';
	for (i = 0; i < ARRAY_SIZE(words); i++) {
		words[i] = word_next(&line);
		if (!words[i])
			return;
	}
	if (strcmp(words[2], "memlock") || out->nlines == MEMLOCK_LINES_MAX)
		return;
	i = out->nlines++;
	text_copy(out->lines[i].domain, sizeof(out->lines[i].domain), words[0]);
	text_copy(out->lines[i].type, sizeof(out->lines[i].type), words[1]);
	text_copy(out->lines[i].value, sizeof(out->lines[i].value), words[3]);
	text_copy(out->lines[i].file, sizeof(out->lines[i].file), file);
}

static int limits_read_file(const struct host *host, const char *file, struct host_memlock *out)
{
	_cleanup_(host_text_fini) struct host_text text = { NULL, 0 };
	int rc = host_read(host, file, HOST_FILE_MAX, &text);
	char *cursor, *line;

	if (rc)
		return rc == -ENOENT ? 0 : rc;
	for (cursor = text.text; (line = line_next(&cursor));)
		limits_parse_line(file, line, out);
	return 0;
}

int host_memlock(const struct host *host, struct host_memlock *out)
{
	static const char name[] = "Max locked memory ";
	_cleanup_(host_text_fini) struct host_text own = { NULL, 0 };
	_cleanup_(host_list_fini) struct host_list files = { NULL, 0, false };
	char *cursor, *line;
	size_t i;
	int rc;

	memset(out, 0, sizeof(*out));
	rc = host_read(host, "proc/self/limits", 65536, &own);
	if (rc && rc != -ENOENT)
		return rc;
	/* "Max locked memory         8388608              8388608              bytes" */
	for (cursor = own.text; cursor && (line = line_next(&cursor));) {
		if (strncmp(line, name, sizeof(name) - 1))
			continue;
		line += sizeof(name) - 1;
		out->soft = limits_number(word_next(&line));
		out->hard = limits_number(word_next(&line));
		out->known = true;
	}
	rc = limits_read_file(host, "etc/security/limits.conf", out);
	if (!rc)
		rc = dropins_list(host, limits_dirs, ".conf", &files);
	for (i = 0; !rc && i < files.count; i++)
		rc = limits_read_file(host, files.names[i], out);
	return rc;
}
