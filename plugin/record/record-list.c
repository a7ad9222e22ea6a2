/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Reads all records, valid or not, for the watcher. */
#include <stdio.h>

#include "plugin/record/internal.h"

static bool is_record(const char *name)
{
	size_t len = strlen(name);

	return *name != '.' && len > 5 && !strcmp(name + len - 5, ".json");
}

/* A record must match its file's name. */
static int check_name(const char *name, const struct record *record)
{
	char right[RECORD_NAME_MAX];

	if (record->id)
		record_name(record->id, right);
	else
		record_pending_name(record->target, right);
	return strcmp(right, name) ? err_set(EBADMSG, "it belongs to %s", right) : 0;
}

static void add_broken(struct record_list *list, const char *name, int rc)
{
	struct record_broken *broken = &list->broken[list->nbroken++];

	snprintf(broken->name, sizeof(broken->name), "%s", name);
	broken->rc = rc;
	snprintf(broken->why, sizeof(broken->why), "%s%.48s%s%.140s",
		 rc == -EBADMSG ? "/" RECORD_FOLDER "/" : "", rc == -EBADMSG ? name : "",
		 rc == -EBADMSG ? ": " : "", err_text());
}

static void add(const struct host *host, const char *name, struct record_list *list)
{
	struct record *record = &list->list[list->count];
	char path[sizeof(RECORD_FOLDER) + NAME_MAX + 1];
	int rc;

	snprintf(path, sizeof(path), RECORD_FOLDER "/%.*s", NAME_MAX, name);
	rc = record_read(host, path, record);
	rc = rc ? rc : check_name(name, record);
	if (!rc)
		list->count++;
	/* Removed since the folder was listed. */
	else if (rc != -ENOENT)
		add_broken(list, name, rc);
}

int record_list(const struct host *host, struct record_list *out)
{
	_cleanup_(host_list_fini) struct host_list names = { NULL, 0, false };
	struct record_list list = { .count = 0 };
	int rc = host_list(host, RECORD_FOLDER, &names);
	size_t i;

	if (rc == -ENOENT) {
		*out = list;
		return 0;
	}
	if (rc)
		return rc;
	list.list = calloc(names.count + 1, sizeof(*list.list));
	list.broken = calloc(names.count + 1, sizeof(*list.broken));
	if (!list.list || !list.broken) {
		record_list_fini(&list);
		return err_set(ENOMEM, "no memory");
	}
	for (i = 0; i < names.count; i++)
		if (is_record(names.names[i]))
			add(host, names.names[i], &list);
	*out = list;
	return 0;
}

void record_list_fini(struct record_list *list)
{
	free(list->list);
	free(list->broken);
	*list = (struct record_list){ .count = 0 };
}

static bool is_named(const struct record *record, const char *name)
{
	char right[RECORD_NAME_MAX];

	/* Skip records of the other kind first: most are. */
	if (!record->id != !strncmp(name, "pending-", 8))
		return false;
	return !strcmp(record->id ? record_name(record->id, right)
				  : record_pending_name(record->target, right),
		       name);
}

int record_list_get(const struct record_list *list, const char *name, struct record *out)
{
	size_t i;

	for (i = 0; i < list->count; i++)
		if (is_named(&list->list[i], name)) {
			*out = list->list[i];
			return 0;
		}
	for (i = 0; i < list->nbroken; i++)
		if (!strcmp(list->broken[i].name, name))
			return err_set(-list->broken[i].rc, "%s", list->broken[i].why);
	return -ENOENT;
}

int record_list_find(const struct record_list *list, const char *boot_id,
		     const struct nfs_mount *mount, uint64_t now, uint64_t max_age_ms,
		     struct record *out)
{
	const struct record_source from = { .list = list, .boot_id = boot_id };

	return record_source_find(&from, mount, now, max_age_ms, out);
}

int record_list_find_pending(const struct record_list *list, const char *boot_id,
			     const char *target, struct record *out)
{
	const struct record_source from = { .list = list, .boot_id = boot_id };

	return record_source_pending(&from, target, out);
}
