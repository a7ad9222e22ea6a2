/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The files of OpenSM. Their location depends on the distribution: RHEL etc/rdma and
 * etc/sysconfig, Debian etc/default and etc/opensm; opensm.conf.N is another instance. */
#include <ctype.h>
#include <stdio.h>
#include <strings.h>

#include "plugin/host/internal.h"

static const char *const opensm_folders[] = { "etc/rdma", "etc/opensm", NULL };
static const char *const opensm_shell_files[] = { "etc/sysconfig/opensm", "etc/default/opensm" };
static const char *const opensm_programs[] = { "usr/sbin/opensm", "usr/libexec/opensm-launch" };
static const char *const opensm_partition_files[] = { "etc/rdma/partitions.conf",
						      "etc/opensm/partitions.conf",
						      "etc/partitions.conf" };

/* "guid 0x...", "sm_priority 15" in opensm.conf; GUIDS="..." or PORTS=, PRIORITY=15 in
 * the others. */
static void opensm_parse_line(char *line, struct host_opensm *out)
{
	static const char *const priority[] = { "sm_priority", "PRIORITY" };
	static const char *const guids[] = { "guid", "GUIDS", "PORTS" };
	char *key, *value;
	size_t i, n = out->nfiles;

	line[strcspn(line, "#")] = '\0';
	key = text_trim(line);
	value = key + strcspn(key, "= \t");
	if (!*value)
		return;
	*value++ = '\0';
	value = text_trim(text_unquote(value));
	for (i = 0; i < ARRAY_SIZE(priority); i++)
		if (!strcmp(key, priority[i]))
			text_copy(out->files[n].priority, sizeof(out->files[n].priority), value);
	for (i = 0; i < ARRAY_SIZE(guids); i++)
		if (!strcmp(key, guids[i]))
			text_copy(out->files[n].guids, sizeof(out->files[n].guids), value);
}

static int opensm_read_file(const struct host *host, const char *file, struct host_opensm *out)
{
	_cleanup_(host_text_fini) struct host_text text = { NULL, 0 };
	int rc = host_read(host, file, HOST_FILE_MAX, &text);
	char *cursor, *line;

	if (rc)
		return rc == -ENOENT ? 0 : rc;
	if (out->nfiles == OPENSM_FILES_MAX)
		return 0;
	text_copy(out->files[out->nfiles].file, sizeof(out->files[0].file), file);
	for (cursor = text.text; (line = line_next(&cursor));)
		opensm_parse_line(line, out);
	out->nfiles++;
	return 0;
}

/* "opensm.conf", "opensm.conf.1"; not "opensm.conf.rpmnew". */
static bool opensm_is_instance(const char *name)
{
	if (strncmp(name, "opensm.conf", 11))
		return false;
	name += 11;
	return !*name || (*name == '.' && isdigit((unsigned char)name[1]));
}

static int opensm_read_folder(const struct host *host, const char *folder, struct host_opensm *out)
{
	_cleanup_(host_list_fini) struct host_list list = { NULL, 0, false };
	char path[HOST_PATH_MAX];
	int rc = host_list(host, folder, &list);
	size_t i;

	if (rc)
		return rc == -ENOENT ? 0 : rc;
	for (i = 0; !rc && i < list.count; i++) {
		if (!opensm_is_instance(list.names[i]))
			continue;
		rc = host_path(path, folder, list.names[i]);
		if (!rc)
			rc = opensm_read_file(host, path, out);
	}
	return rc;
}

static void opensm_parse_flag(char *flag, struct host_opensm *out)
{
	unsigned int n = out->npartitions;
	char *value = strchr(flag, '=');

	if (value)
		*value++ = '\0';
	flag = text_trim(flag);
	value = value ? text_trim(value) : NULL;
	if (!strcasecmp(flag, "ipoib"))
		out->partitions[n].ipoib = true;
	else if (value && !strcasecmp(flag, "rate"))
		text_copy(out->partitions[n].rate, sizeof(out->partitions[n].rate), value);
	else if (value && !strcasecmp(flag, "mtu"))
		text_copy(out->partitions[n].mtu, sizeof(out->partitions[n].mtu), value);
}

/* "Default=0x7fff, rate=3, mtu=4, ipoib : ALL=full;": name and key, flags, a colon, members. */
static void opensm_parse_partition(char *text, struct host_opensm *out)
{
	unsigned int n = out->npartitions;
	char *part, *value;

	text[strcspn(text, ":")] = '\0';
	part = strsep(&text, ",");
	value = strchr(part, '=');
	if (!value || n == PARTITIONS_MAX)
		return;
	*value++ = '\0';
	memset(&out->partitions[n], 0, sizeof(out->partitions[n]));
	text_copy(out->partitions[n].name, sizeof(out->partitions[n].name), text_trim(part));
	out->partitions[n].pkey = strtoul(text_trim(value), NULL, 0) & 0x7fff;
	while ((part = strsep(&text, ",")))
		opensm_parse_flag(part, out);
	out->npartitions++;
}

/* A comment extends to the end of the line, an entry to its semicolon. */
static int opensm_read_partitions(const struct host *host, const char *file,
				  struct host_opensm *out)
{
	_cleanup_(host_text_fini) struct host_text text = { NULL, 0 };
	int rc = host_read(host, file, HOST_FILE_MAX, &text);
	char *cursor, *hash, *entry;

	if (rc)
		return rc;
	text_copy(out->partitions_file, sizeof(out->partitions_file), file);
	cursor = text.text;
	for (hash = strchr(cursor, '#'); hash; hash = strchr(hash, '#'))
		memset(hash, ' ', strcspn(hash, "\n"));
	while ((entry = strsep(&cursor, ";")))
		if (*text_trim(entry))
			opensm_parse_partition(entry, out);
	return 0;
}

int host_opensm(const struct host *host, struct host_opensm *out)
{
	int rc = 0;
	size_t i;

	memset(out, 0, sizeof(*out));
	for (i = 0; i < ARRAY_SIZE(opensm_programs); i++)
		out->installed |= !host_exists(host, opensm_programs[i]);
	for (i = 0; !rc && opensm_folders[i]; i++)
		rc = opensm_read_folder(host, opensm_folders[i], out);
	for (i = 0; !rc && i < ARRAY_SIZE(opensm_shell_files); i++)
		rc = opensm_read_file(host, opensm_shell_files[i], out);
	for (i = 0; !rc && !out->npartitions && i < ARRAY_SIZE(opensm_partition_files); i++) {
		rc = opensm_read_partitions(host, opensm_partition_files[i], out);
		rc = rc == -ENOENT ? 0 : rc;
	}
	return rc;
}
