/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* A pool before its conversion: /var/lib/nfsrdma/pools/UUID.json. It cannot be stored in
 * the pool's XML: libvirt keeps no metadata of pools.
 *
 *	{"schema": "nfsrdma-pool/1", "name": "vms", "uri": "qemu:///system",
 *	 "active": true, "autostart": true, "before": "<pool ...", "after": "<pool ..." | null,
 *	 "reverting": {"active": true} | null}
 *
 * It is written before any change, with "after" null, and again when the change has
 * succeeded, so `nfsrdma pool revert` finds it wherever the change was interrupted. A
 * revert saves whether the pool must run, since an interrupted one may have left it
 * stopped. */
#include <dirent.h>
#include <fcntl.h>
#include <json.h>
#include <sys/file.h>
#include <sys/stat.h>

#include "plugin/host/json.h"
#include "plugin/host/text.h"
#include "plugin/libvirt/internal.h"

#define SCHEMA   "nfsrdma-pool/1"
#define JSON_MAX (8 * POOL_XML_MAX)
#define NAME_CAP 64
#define FRESH    ".new" /* while a file is written */

void pool_original_fini(struct pool_original *original)
{
	free(original->name);
	free(original->uri);
	free(original->before);
	free(original->after);
	*original = (struct pool_original){ .name = NULL };
}

/* --- JSON ------------------------------------------------------------------------------------ */

static int original_bad(const char *what)
{
	return err_set(EBADMSG, "%s", what);
}

/* *@out NULL: the value is null or absent. */
static int original_get_text(json_object *json, const char *key, char **out)
{
	json_object *value = NULL;

	if (!json_object_object_get_ex(json, key, &value) || !value)
		return 0;
	if (!json_object_is_type(value, json_type_string) ||
	    strlen(json_object_get_string(value)) != (size_t)json_object_get_string_len(value))
		return original_bad("a value is not text");
	*out = strdup(json_object_get_string(value));
	return *out ? 0 : err_no_memory();
}

static bool original_get_bool(json_object *json, const char *key)
{
	json_object *value = NULL;

	return json_object_object_get_ex(json, key, &value) && json_object_get_boolean(value);
}

static int original_decode(const char *text, size_t len, struct pool_original *out)
{
	_cleanup_(json_put_p) json_object *json = NULL;
	_cleanup_free_ char *schema = NULL;
	json_object *reverting = NULL;
	int rc;

	rc = json_parse_object(text, len, JSON_BYTES, &json);
	if (rc)
		return rc;
	rc = original_get_text(json, "schema", &schema);
	if (!rc && (!schema || strcmp(schema, SCHEMA)))
		return original_bad("not of schema " SCHEMA);
	rc = rc ? rc : original_get_text(json, "name", &out->name);
	rc = rc ? rc : original_get_text(json, "uri", &out->uri);
	rc = rc ? rc : original_get_text(json, "before", &out->before);
	rc = rc ? rc : original_get_text(json, "after", &out->after);
	out->active = original_get_bool(json, "active");
	out->autostart = original_get_bool(json, "autostart");
	out->reverting = json_object_object_get_ex(json, "reverting", &reverting) &&
			 json_object_is_type(reverting, json_type_object);
	out->runs_reverted = out->reverting && original_get_bool(reverting, "active");
	return rc || (out->name && out->before) ? rc : original_bad("it has no name or no XML");
}

static json_object *original_new_text(const char *text)
{
	return text ? json_object_new_string(text) : NULL;
}

static int original_encode(const struct pool_original *original, char **out)
{
	_cleanup_(json_put_p) json_object *json = json_object_new_object();
	json_object *reverting;
	const char *text;

	if (!json)
		return err_no_memory();
	json_object_object_add(json, "schema", json_object_new_string(SCHEMA));
	json_object_object_add(json, "name", original_new_text(original->name));
	json_object_object_add(json, "uri", original_new_text(original->uri));
	json_object_object_add(json, "active", json_object_new_boolean(original->active));
	json_object_object_add(json, "autostart", json_object_new_boolean(original->autostart));
	json_object_object_add(json, "before", original_new_text(original->before));
	json_object_object_add(json, "after", original_new_text(original->after));
	reverting = original->reverting ? json_object_new_object() : NULL;
	if (reverting)
		json_object_object_add(reverting, "active",
				       json_object_new_boolean(original->runs_reverted));
	json_object_object_add(json, "reverting", reverting);
	text = json_object_to_json_string_ext(json, JSON_C_TO_STRING_PRETTY |
							    JSON_C_TO_STRING_SPACED |
							    JSON_C_TO_STRING_NOSLASHESCAPE);
	if (!text || asprintf(out, "%s\n", text) < 0)
		return err_no_memory();
	return 0;
}

/* --- the folder ------------------------------------------------------------------------------- */

static int original_make_folder(const char *folder)
{
	_cleanup_free_ char *path = strdup(folder);
	char *slash = path;

	if (!path)
		return err_no_memory();
	while ((slash = strchr(slash + 1, '/'))) {
		*slash = '\0';
		if (mkdir(path, 0700) && errno != EEXIST)
			return err_sys("make %s", path);
		*slash = '/';
	}
	return mkdir(path, 0700) && errno != EEXIST ? err_sys("make %s", path) : 0;
}

/* libvirt mounts what these files contain, so only root may be able to write them. */
static int original_open_folder(const char *folder)
{
	_cleanup_close_ int fd = open(folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	struct stat st;

	if (fd < 0 || fstat(fd, &st))
		return err_sys("open %s", folder);
	if ((st.st_uid != geteuid() && st.st_uid != 0) || st.st_mode & 022)
		return err_set(EPERM, "others may write to %s: it is not trusted", folder);
	return take_fd(&fd);
}

/* Only libvirt's own form of a UUID may become a file name. */
static int original_file_name(const char *uuid, char name[NAME_CAP])
{
	if (strlen(uuid) != 36 || uuid[strspn(uuid, "0123456789abcdef-")])
		return err_set(EINVAL, "'%.40s' is not a UUID", uuid);
	snprintf(name, NAME_CAP, "%s.json", uuid);
	return 0;
}

/* A command that was killed while it wrote left a part; no other command writes while the folder is
 * locked. */
static void original_tidy(int folder)
{
	int fd = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *entry;

	if (!dir && fd >= 0)
		close(fd);
	while (dir && (entry = readdir(dir)))
		if (text_ends_with(entry->d_name, ".json" FRESH))
			unlinkat(folder, entry->d_name, 0);
	if (dir)
		closedir(dir);
}

int pool_original_lock(const char *folder)
{
	_cleanup_close_ int fd = -1;
	int rc = original_make_folder(folder);

	if (rc)
		return rc;
	fd = original_open_folder(folder);
	if (fd < 0)
		return fd;
	if (!flock(fd, LOCK_EX | LOCK_NB)) {
		original_tidy(fd);
		return take_fd(&fd);
	}
	if (errno == EWOULDBLOCK)
		return err_because(err_set(EBUSY, "another nfsrdma pool command is running"),
				   "busy");
	return err_sys("lock %s", folder);
}

/* --- files
 * -------------------------------------------------------------------------------------- */

static int original_read_all(int fd, char *buf, size_t cap, size_t *len)
{
	ssize_t n = 1;

	*len = 0;
	while (n && *len < cap) {
		n = read(fd, buf + *len, cap - *len);
		if (n < 0 && errno != EINTR)
			return err_sys("read");
		if (n > 0)
			*len += (size_t)n;
	}
	return *len < cap ? 0 : original_bad("too long");
}

int pool_original_read(const char *folder, const char *uuid, struct pool_original *out)
{
	_cleanup_(pool_original_fini) struct pool_original original = { .name = NULL };
	_cleanup_close_ int dir = original_open_folder(folder);
	_cleanup_close_ int fd = -1;
	_cleanup_free_ char *text = malloc(JSON_MAX);
	char name[NAME_CAP];
	size_t len;
	int rc = text ? original_file_name(uuid, name) : err_no_memory();

	if (dir < 0 || rc)
		return dir < 0 ? dir : rc;
	fd = openat(dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0)
		return err_sys("open %s/%s", folder, name);
	rc = original_read_all(fd, text, JSON_MAX, &len);
	if (!rc)
		rc = original_decode(text, len, &original);
	if (rc)
		return err_context(rc, "%s/%s", folder, name);
	*out = original;
	original = (struct pool_original){ .name = NULL };
	return 0;
}

int pool_original_write(const char *folder, const char *uuid, const struct pool_original *original)
{
	_cleanup_close_ int dir = original_open_folder(folder);
	_cleanup_free_ char *text = NULL;
	char name[NAME_CAP], fresh[NAME_CAP + 8];
	int rc = dir < 0 ? dir : original_file_name(uuid, name);
	struct fd_file file;

	if (!rc)
		rc = original_encode(original, &text);
	if (rc)
		return rc;
	file = (struct fd_file){ text, strlen(text), 0600, NULL, NULL, false };
	/* The folder is locked: no other process writes this name. */
	snprintf(fresh, sizeof(fresh), "%s" FRESH, name);
	return fd_replace(dir, fresh, name, &file) ? err_sys("write %s/%s", folder, name) : 0;
}

int pool_original_remove(const char *folder, const char *uuid)
{
	_cleanup_close_ int dir = original_open_folder(folder);
	char name[NAME_CAP];
	int rc = dir < 0 ? dir : original_file_name(uuid, name);

	if (rc)
		return rc;
	if ((unlinkat(dir, name, 0) && errno != ENOENT) || fsync(dir))
		return err_sys("remove %s/%s", folder, name);
	return 0;
}
