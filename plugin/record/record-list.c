/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* All records there are, believed or not: for who looks after them. */
#include <stdio.h>

#include "plugin/record/internal.h"

static bool is_record(const char *name)
{
	size_t len = strlen(name);

	return *name != '.' && len > 5 && !strcmp(name + len - 5, ".json");
}

/* What is in a file is of that file. */
static int check_name(const char *name, const struct record *record)
{
	char right[RECORD_NAME_MAX];

	if (record->id)
		record_name(record->id, right);
	else
		record_pending_name(record->target, right);
	return strcmp(right, name) ? err_set(EBADMSG, "it is that of %s", right) : 0;
}

static void add(const struct host *host, const char *name, struct record_list *list)
{
	struct record *record = &list->list[list->count];
	char path[sizeof(RECORD_FOLDER) + NAME_MAX + 1];
	int rc;

	snprintf(path, sizeof(path), RECORD_FOLDER "/%s", name);
	rc = record_read(host, path, record);
	rc = rc ? rc : check_name(name, record);
	if (!rc)
		list->count++;
	/* Somebody took it away since it was listed. */
	if (!rc || rc == -ENOENT)
		return;
	if (!list->nbroken++)
		snprintf(list->broken, sizeof(list->broken), "/%.80s: %.160s", path,
			 err_text());
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
	if (!list.list)
		return err_set(ENOMEM, "no memory");
	for (i = 0; i < names.count; i++)
		if (is_record(names.names[i]))
			add(host, names.names[i], &list);
	*out = list;
	return 0;
}

void record_list_fini(struct record_list *list)
{
	free(list->list);
	*list = (struct record_list){ .count = 0 };
}
