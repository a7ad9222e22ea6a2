/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The index of a snapshot (see host.h for its format): what was queried when it was
 * taken, to distinguish absent from unknown. The file is untrusted: a malformed index
 * invalidates the snapshot, because without it unknown would be taken for absent. */
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>

#include "plugin/host/answer-json.h"
#include "plugin/host/internal.h"
#include "plugin/host/json.h"
#include "plugin/host/snapshot-index.h"

#define INDEX_MAX (64 * 1024 * 1024)

const char snapshot_index_unread[] =
	"nfsrdma snapshot: this file was there, and nothing reads it\n";

struct snapshot_index {
	struct json_object *json;
	struct json_object *listed, *absent; /* sorted */
	struct json_object *errors;
};

static int snapshot_index_compare(const void *a, const void *b)
{
	struct json_object *const *x = a, *const *y = b;

	return strcmp(json_object_get_string(*x), json_object_get_string(*y));
}

static bool snapshot_index_list_has(struct json_object *list, const char *path)
{
	struct json_object *key = json_object_new_string(path), *found;

	found = key ? json_object_array_bsearch(key, list, snapshot_index_compare) : NULL;
	json_object_put(key);
	return found;
}

/* Takes an array of strings, sorted for snapshot_index_list_has(). */
static struct json_object *snapshot_index_take_list(struct json_object *json, const char *key)
{
	struct json_object *list;
	size_t i;

	if (!json_object_object_get_ex(json, key, &list) ||
	    !json_object_is_type(list, json_type_array))
		return NULL;
	for (i = 0; i < json_object_array_length(list); i++)
		if (!json_object_is_type(json_object_array_get_idx(list, i), json_type_string))
			return NULL;
	json_object_array_sort(list, snapshot_index_compare);
	return list;
}

static int snapshot_index_check(struct snapshot_index *index)
{
	struct json_object *schema = NULL;

	if (!json_object_is_type(index->json, json_type_object) ||
	    !json_object_object_get_ex(index->json, "schema", &schema) ||
	    !json_object_is_type(schema, json_type_string))
		return err_set(EBADMSG, SNAPSHOT_INDEX_PATH " is not the index of a snapshot");
	if (strcmp(json_object_get_string(schema), SNAPSHOT_INDEX_SCHEMA))
		return err_set(EBADMSG,
			       "the snapshot has the form %.40s, and this program knows %s",
			       json_object_get_string(schema), SNAPSHOT_INDEX_SCHEMA);
	index->listed = snapshot_index_take_list(index->json, "listed");
	index->absent = snapshot_index_take_list(index->json, "absent");
	if (!index->listed || !index->absent ||
	    !json_object_object_get_ex(index->json, "errors", &index->errors) ||
	    !json_object_is_type(index->errors, json_type_object))
		return err_set(EBADMSG, SNAPSHOT_INDEX_PATH " is not complete");
	return 0;
}

int snapshot_index_open(struct snapshot_index **out, const struct host *host)
{
	_cleanup_(host_text_fini) struct host_text text = { NULL, 0 };
	struct snapshot_index *index;
	int rc = host_read(host, SNAPSHOT_INDEX_PATH, INDEX_MAX, &text);

	if (rc)
		return rc == -ENOENT ? 0 : rc;
	index = calloc(1, sizeof(*index));
	if (!index)
		return err_no_memory();
	rc = json_parse(text.text, text.len, JSON_BYTES, &index->json);
	rc = rc ? err_context(rc, SNAPSHOT_INDEX_PATH) : snapshot_index_check(index);
	if (rc)
		snapshot_index_close(index);
	else
		*out = index;
	return rc;
}

void snapshot_index_close(struct snapshot_index *index)
{
	if (!index)
		return;
	json_object_put(index->json);
	free(index);
}

int snapshot_index_error(const struct snapshot_index *index, const char *path)
{
	struct json_object *error;
	int rc;

	if (!json_object_object_get_ex(index->errors, path, &error))
		return 0;
	rc = answer_decode_error(error);
	return rc ? rc : err_set(EBADMSG, SNAPSHOT_INDEX_PATH ": an error without its name");
}

static int snapshot_index_not_held(const char *what, const char *path)
{
	return err_set(ENODATA, "the snapshot does not hold %s/%s", what, path);
}

/* Removes the last component; returns false if there was only one. */
static bool snapshot_index_cut_name(char *path)
{
	char *slash = strrchr(path, '/');

	if (slash)
		*slash = '\0';
	return slash;
}

static bool snapshot_index_is_absent(const struct snapshot_index *index, const char *path)
{
	char above[HOST_PATH_MAX];

	str_copy(above, sizeof(above), path);
	do {
		if (snapshot_index_list_has(index->absent, above))
			return true;
	} while (snapshot_index_cut_name(above));
	return false;
}

/* Whether the deepest existing directory has all its names, and the next component is not
 * among them. */
static bool snapshot_index_is_unlisted(const struct snapshot_index *index, int root,
				       const char *path)
{
	char above[HOST_PATH_MAX];
	int fd;

	str_copy(above, sizeof(above), path);
	do {
		fd = inroot_open(root, above, O_PATH | O_NOFOLLOW);
		if (fd < 0)
			continue;
		close(fd);
		return snapshot_index_list_has(index->listed, above);
	} while (snapshot_index_cut_name(above));
	return false;
}

int snapshot_index_missing(const struct snapshot_index *index, int root, const char *path)
{
	int rc = snapshot_index_error(index, path);

	if (rc)
		return rc;
	if (strlen(path) >= HOST_PATH_MAX)
		return snapshot_index_not_held("", path);
	/* Its own directory was written together with the index. */
	if (!strncmp(path, ".nfsrdma/", 9) || snapshot_index_is_absent(index, path) ||
	    snapshot_index_is_unlisted(index, root, path))
		return -ENOENT;
	return snapshot_index_not_held("", path);
}

int snapshot_index_listed(const struct snapshot_index *index, const char *path)
{
	return snapshot_index_list_has(index->listed, path)
		       ? 0
		       : snapshot_index_not_held("the names in ", path);
}

int snapshot_index_content(int fd, const char *path)
{
	char head[sizeof(snapshot_index_unread)];
	ssize_t got = pread(fd, head, sizeof(head), 0);

	if (got != sizeof(head) - 1 || memcmp(head, snapshot_index_unread, sizeof(head) - 1))
		return 0;
	return snapshot_index_not_held("the content of ", path);
}
