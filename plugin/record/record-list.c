/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Reads all records, valid or not, for the watcher. */
#include <stdio.h>

#include "plugin/record/internal.h"

static void record_list_add(const struct host *host, const char *name, struct record_list *list)
{
	struct record *record = &list->list[list->count];
	struct record_broken *broken = &list->broken[list->nbroken];
	char path[sizeof(RECORD_FOLDER) + NAME_MAX + 1], right[RECORD_NAME_MAX];
	int rc;

	snprintf(path, sizeof(path), RECORD_FOLDER "/%.*s", NAME_MAX, name);
	rc = record_read(host, path, record);
	if (!rc && strcmp(record_file_name(record, right), name) != 0)
		rc = err_set(EBADMSG, "it belongs to %s", right);
	if (!rc)
		list->count++;
	/* Removed since the folder was listed. */
	if (!rc || rc == -ENOENT)
		return;
	list->nbroken++;
	snprintf(broken->name, sizeof(broken->name), "%s", name);
	broken->rc = rc;
	snprintf(broken->why, sizeof(broken->why), "%s%.48s%s%.140s",
		 rc == -EBADMSG ? "/" RECORD_FOLDER "/" : "", rc == -EBADMSG ? name : "",
		 rc == -EBADMSG ? ": " : "", err_text());
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
		return err_no_memory();
	}
	for (i = 0; i < names.count; i++) {
		const char *name = names.names[i];
		size_t len = strlen(name);

		if (*name != '.' && len > 5 && !strcmp(name + len - 5, ".json"))
			record_list_add(host, name, &list);
	}
	*out = list;
	return 0;
}

void record_list_fini(struct record_list *list)
{
	free(list->list);
	free(list->broken);
	*list = (struct record_list){ .count = 0 };
}
