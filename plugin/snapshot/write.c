/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Writes a snapshot: the records that no reader read, the index (snapshot-index.c), and
 * the archive of all. */
#include <search.h>
#include <stdio.h>
#include <time.h>

#include "plugin/live/live.h"
#include "plugin/snapshot/internal.h"

/* The limit for files that a library reads: modules and their indexes. Of larger files
 * only the name is kept. */
#define OPENED_MAX   (64 * 1024 * 1024)
#define PACKAGES_MAX 32

/* --- generated files ------------------------------------------------------------------ */

/* @path has one directory. It replaces a file of that name from a machine below a --root. */
int snapshot_file(void *arg, const char *path, const char *text, size_t len)
{
	struct snapshot *snapshot = arg;
	struct snapshot_entry *folder, *entry;
	char name[HOST_PATH_MAX];

	snprintf(name, sizeof(name), "%.*s", (int)strcspn(path, "/"), path);
	folder = snapshot_tree_add(snapshot, &snapshot->entries, name, sizeof(*folder));
	entry = snapshot_tree_add(snapshot, &snapshot->entries, path, sizeof(*entry));
	if (!folder || !entry)
		return err_no_memory();
	folder->type = SNAPSHOT_FOLDER;
	entry->type = SNAPSHOT_FILE;
	return snapshot_copy(&entry->text, text, len) ? err_no_memory() : 0;
}

static int snapshot_add_json(struct snapshot *snapshot, const char *path, struct json_object *json)
{
	const char *text;
	size_t len;

	text = json_object_to_json_string_length(
		json, JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_NOSLASHESCAPE, &len);
	return text ? snapshot_file(snapshot, path, text, len) : err_no_memory();
}

/* "NAME VERSION", or only the name if not installed. No line: unknown. */
static int snapshot_add_packages(struct snapshot *snapshot)
{
	_cleanup_(host_text_fini) struct host_text rpm = { NULL, 0 };
	const char *names[PACKAGES_MAX + 1];
	unsigned int count = 0;
	_cleanup_free_ char *text = NULL;
	size_t len = 0;
	FILE *file = open_memstream(&text, &len);

	if (!file)
		return err_no_memory();
	/* Only rpm can read its database: it is queried for packages that no reader could
	 * find. Those that it does not print are not installed. */
	json_object_object_foreach(snapshot->packages, queried, known)
	{
		if (!known && count < PACKAGES_MAX)
			names[count++] = queried;
	}
	names[count] = NULL;
	if (count && host_is_live(snapshot->host) && !live_rpm(snapshot->host, names, &rpm))
		while (count--)
			json_object_object_add(snapshot->packages, names[count],
					       json_object_new_string(""));
	fputs(rpm.text ? rpm.text : "", file);
	json_object_object_foreach(snapshot->packages, name, version)
	{
		if (version)
			fprintf(file, "%s %s\n", name, json_object_get_string(version));
	}
	if (fclose(file))
		return err_no_memory();
	return len ? snapshot_file(snapshot, SNAPSHOT_PACKAGES, text, len) : 0;
}

static void snapshot_collect(const void *node, VISIT which, void *arg)
{
	const struct snapshot_query *query = *(struct snapshot_query *const *)node;
	struct snapshot *snapshot = arg;

	if (which != postorder && which != leaf)
		return;
	if (query->listed)
		json_object_array_add(snapshot->listed, json_object_new_string(query->path));
	if (query->absent)
		json_object_array_add(snapshot->absent, json_object_new_string(query->path));
	if (query->error) {
		json_object_object_add(snapshot->errors, query->path,
				       json_object_get(query->error));
		snapshot->summary->refused += !strcmp(
			json_object_get_string(json_object_object_get(query->error, "error")),
			"EACCES");
	}
}

static int snapshot_add_index(struct snapshot *snapshot, const struct tm *now)
{
	struct json_object *json = json_object_new_object();
	char taken[32];
	int rc;

	snapshot->listed = json_object_new_array();
	snapshot->absent = json_object_new_array();
	snapshot->errors = json_object_new_object();
	twalk_r(snapshot->queries, snapshot_collect, snapshot);
	strftime(taken, sizeof(taken), "%Y-%m-%dT%H:%M:%SZ", now);
	json_object_object_add(json, "schema", json_object_new_string(SNAPSHOT_INDEX_SCHEMA));
	json_object_object_add(json, "version", json_object_new_string(NFSRDMA_VERSION));
	json_object_object_add(json, "taken", json_object_new_string(taken));
	json_object_object_add(json, "listed", snapshot->listed);
	json_object_object_add(json, "absent", snapshot->absent);
	json_object_object_add(json, "errors", snapshot->errors);
	rc = snapshot_add_json(snapshot, SNAPSHOT_INDEX_PATH, json);
	json_object_put(json);
	return rc;
}

/* --- the archive ------------------------------------------------------------------------- */

static void snapshot_write_entry(const void *node, VISIT which, void *arg)
{
	struct snapshot_entry *entry = *(struct snapshot_entry *const *)node;
	struct snapshot *snapshot = arg;
	char path[HOST_PATH_MAX + 128];
	int rc;

	if (snapshot->rc || (which != postorder && which != leaf))
		return;
	snprintf(path, sizeof(path), "%s/%s", snapshot->summary->folder, entry->path);
	/* Read files that a library has read: indexes and modules. */
	if (entry->type == SNAPSHOT_FILE && entry->opened && !entry->text.text &&
	    host_read_bytes(snapshot->host, entry->path, OPENED_MAX, &entry->text))
		entry->text = (struct host_text){ NULL, 0 };
	if (entry->type == SNAPSHOT_FOLDER) {
		rc = tarball_folder(snapshot->archive, path);
	} else if (entry->type == SNAPSHOT_LINK) {
		rc = tarball_link(snapshot->archive, path, entry->target);
	} else if (entry->text.text) {
		rc = tarball_file(snapshot->archive, path, entry->text.text, entry->text.len);
		snapshot->summary->files++;
	} else {
		rc = tarball_file(snapshot->archive, path, snapshot_index_unread,
				  strlen(snapshot_index_unread));
	}
	snapshot->rc = rc;
}

/* "node1-20260101-120000": the host name up to the first character that is special in a
 * shell, and the date. */
static void snapshot_name_folder(struct snapshot *snapshot, const struct tm *now)
{
	static const char good[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-";
	char *name = snapshot->summary->folder;
	size_t len;

	if (host_attr(snapshot->host, "proc/sys/kernel/hostname", name, 65))
		host_attr(snapshot->host, "etc/hostname", name, 65);
	name[strspn(name, good)] = '\0';
	if (!*name || *name == '.' || *name == '-')
		str_copy(name, 65, "host");
	len = strlen(name);
	strftime(name + len, sizeof(snapshot->summary->folder) - len, "-%Y%m%d-%H%M%S", now);
}

static int snapshot_write_archive(struct snapshot *snapshot, int fd, time_t now)
{
	char folder[sizeof(snapshot->summary->folder) + 1];
	_cleanup_(tarball_close_p) struct tarball *archive = NULL;
	int rc = tarball_open(&archive, fd, now);

	if (rc)
		return rc;
	snapshot->archive = archive;
	str_copy(folder, sizeof(folder), snapshot->summary->folder);
	rc = tarball_folder(archive, folder);
	if (rc)
		return rc;
	twalk_r(snapshot->entries, snapshot_write_entry, snapshot);
	return snapshot->rc ? snapshot->rc : tarball_end(archive);
}

int snapshot_write(struct snapshot *snapshot, int fd, struct snapshot_summary *out)
{
	time_t now = time(NULL);
	struct tm tm;
	int rc;

	memset(out, 0, sizeof(*out));
	snapshot->summary = out;
	gmtime_r(&now, &tm);
	snapshot_name_folder(snapshot, &tm);
	host_watch(snapshot->host, NULL, NULL);
	if (snapshot->rc)
		return err_no_memory();
	rc = snapshot_add_packages(snapshot);
	if (!rc && json_object_object_length(snapshot->remote))
		rc = snapshot_add_json(snapshot, ".nfsrdma/remote.json", snapshot->remote);
	if (!rc)
		rc = snapshot_add_index(snapshot, &tm);
	return rc ? rc : snapshot_write_archive(snapshot, fd, now);
}
