/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* A snapshot of a machine. There is no list of its content: it watches the host (host.h)
 * while checks run, and stores what they query and the answers. So it contains exactly
 * what the checks of this program version read, as they saw it, and nothing else. */
#include "plugin/snapshot/internal.h"

void snapshot_no_memory(struct snapshot *snapshot)
{
	if (!snapshot->rc)
		snapshot->rc = -ENOMEM;
}

static struct snapshot_query *snapshot_query_of(struct snapshot *snapshot, const char *path)
{
	return snapshot_tree_add(snapshot, &snapshot->queries, path, sizeof(struct snapshot_query));
}

int snapshot_copy(struct host_text *to, const void *bytes, size_t len)
{
	char *text = malloc(len + 1);

	if (!text)
		return -ENOMEM;
	memcpy(text, bytes, len);
	text[len] = '\0';
	host_text_fini(to);
	*to = (struct host_text){ text, len };
	return 0;
}

static void snapshot_on_error(struct snapshot *snapshot, const struct host_event *event)
{
	struct snapshot_query *query = snapshot_query_of(snapshot, event->path);

	if (!query)
		return;
	if (event->rc == -ENOENT)
		query->absent = true;
	else if (!query->read && !query->error)
		query->error = answer_encode_error(event->rc);
}

/* The error may come from a reader with a smaller buffer, which gets it on replay too. */
static void snapshot_forget_error(struct snapshot *snapshot, const char *path)
{
	struct snapshot_query *query = snapshot_query_of(snapshot, path);

	if (!query)
		return;
	json_object_put(query->error);
	query->error = NULL;
	query->read = true;
}

/* Records an error in place of a secret. */
static void snapshot_refuse(struct snapshot *snapshot, const char *path)
{
	struct snapshot_query *query = snapshot_query_of(snapshot, path);

	err_set(EACCES, "/%s is left out of snapshots: it may hold secrets", path);
	if (query && !query->error)
		query->error = answer_encode_error(-EACCES);
}

/* A file is secret if any of its names is, regardless of the name it is read by first. */
static bool snapshot_may_hold(struct snapshot_entry *entry, const char *path)
{
	entry->secret |= secrets_is_secret(entry->path) || secrets_is_secret(path);
	if (entry->secret) {
		host_text_fini(&entry->text);
		entry->opened = false;
	}
	return !entry->secret;
}

static void snapshot_on_opened(struct snapshot *snapshot, const struct host_event *event)
{
	struct snapshot_entry *entry = snapshot_tree_resolve(snapshot, event->path, true);

	if (!entry || entry->type != SNAPSHOT_FILE)
		return;
	if (!snapshot_may_hold(entry, event->path))
		return snapshot_refuse(snapshot, event->path);
	entry->opened = secrets_is_kept_whole(entry->path);
	snapshot_forget_error(snapshot, event->path);
}

static void snapshot_on_text(struct snapshot *snapshot, const struct host_event *event)
{
	struct snapshot_entry *entry = snapshot_tree_resolve(snapshot, event->path, true);
	int rc;

	if (!entry || entry->type != SNAPSHOT_FILE)
		return;
	/* The full list of packages must not be in a snapshot; an extract is added by
	 * snapshot_add_packages(). */
	if (!strcmp(event->path, "var/lib/dpkg/status") || !strcmp(event->path, SNAPSHOT_PACKAGES))
		return;
	if (!snapshot_may_hold(entry, event->path))
		return snapshot_refuse(snapshot, event->path);
	snapshot_forget_error(snapshot, event->path);
	if (entry->text.text)
		return;
	rc = snapshot_copy(&entry->text, event->text->text, event->text->len);
	if (!rc)
		rc = secrets_strip(entry->path, event->path, event->by, &entry->text);
	if (rc)
		host_text_fini(&entry->text);
	if (rc == -ENOMEM)
		snapshot_no_memory(snapshot);
}

static void snapshot_on_names(struct snapshot *snapshot, const struct host_event *event)
{
	struct snapshot_query *query = snapshot_query_of(snapshot, event->path);
	struct snapshot_entry *folder = snapshot_tree_resolve(snapshot, event->path, true);
	char path[HOST_PATH_MAX];
	size_t i;

	if (!query || !folder)
		return;
	query->listed = true;
	for (i = 0; i < event->names->count; i++)
		if (!host_path(path, folder->path, event->names->names[i]))
			snapshot_tree_lookup(snapshot, path);
}

static void snapshot_on_answer(struct snapshot *snapshot, const struct host_event *event)
{
	bool package = !strcmp(event->path, SNAPSHOT_PACKAGES);
	struct json_object *value = NULL;

	if (event->value && event->words && *event->words) {
		value = json_object_new_object();
		json_object_object_add(value, "answer", json_object_new_string(event->value));
		json_object_object_add(value, "text", json_object_new_string(event->words));
	} else if (event->value) {
		value = json_object_new_string(event->value);
	}
	if (json_object_object_add(package ? snapshot->packages : snapshot->remote, event->key,
				   value))
		snapshot_no_memory(snapshot);
}

static void snapshot_on_event(void *arg, const struct host_event *event)
{
	struct snapshot *snapshot = arg;

	switch (event->type) {
	case HOST_EVENT_EXISTS: snapshot_tree_resolve(snapshot, event->path, true); break;
	case HOST_EVENT_LINK: snapshot_tree_resolve(snapshot, event->path, false); break;
	case HOST_EVENT_OPENED: snapshot_on_opened(snapshot, event); break;
	case HOST_EVENT_TEXT: snapshot_on_text(snapshot, event); break;
	case HOST_EVENT_NAMES: snapshot_on_names(snapshot, event); break;
	case HOST_EVENT_ERROR: snapshot_on_error(snapshot, event); break;
	case HOST_EVENT_ANSWER: snapshot_on_answer(snapshot, event); break;
	}
}

int snapshot_open(struct snapshot **out, struct host *host)
{
	struct snapshot *snapshot = calloc(1, sizeof(*snapshot));

	if (!snapshot)
		return err_no_memory();
	snapshot->host = host;
	snapshot->packages = json_object_new_object();
	snapshot->remote = json_object_new_object();
	if (!snapshot->packages || !snapshot->remote) {
		snapshot_close(snapshot);
		return err_no_memory();
	}
	host_watch(host, snapshot_on_event, snapshot);
	*out = snapshot;
	return 0;
}

void snapshot_close(struct snapshot *snapshot)
{
	if (!snapshot)
		return;
	host_watch(snapshot->host, NULL, NULL);
	snapshot_tree_free(snapshot);
	json_object_put(snapshot->packages);
	json_object_put(snapshot->remote);
	free(snapshot);
}

void snapshot_close_p(struct snapshot **snapshot)
{
	snapshot_close(*snapshot);
	*snapshot = NULL;
}
