/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Directories of drop-in files, merged by name. */
#include "plugin/host/internal.h"
#include "rpcrdma/base/grow.h"

static int dropins_compare(const void *a, const void *b)
{
	return strcmp(text_base_name(*(char *const *)a), text_base_name(*(char *const *)b));
}

static bool dropins_has(const struct host_list *list, const char *name)
{
	size_t i;

	for (i = 0; i < list->count; i++)
		if (!strcmp(text_base_name(list->names[i]), name))
			return true;
	return false;
}

static int dropins_add_folder(const struct host *host, const char *dir, const char *suffix,
			      struct host_list *out)
{
	_cleanup_(host_list_fini) struct host_list list = { NULL, 0, false };
	size_t i;
	int rc = host_list(host, dir, &list);
	char path[HOST_PATH_MAX];

	if (rc)
		return rc == -ENOENT ? 0 : rc;
	out->cut |= list.cut;
	for (i = 0; i < list.count; i++) {
		if (list.names[i][0] == '.' || !text_ends_with(list.names[i], suffix) ||
		    dropins_has(out, list.names[i]))
			continue;
		rc = host_path(path, dir, list.names[i]);
		if (rc)
			return rc;
		if (!grow(out->names, out->count))
			return err_no_memory();
		out->names[out->count] = strdup(path);
		if (!out->names[out->count])
			return err_no_memory();
		out->count++;
	}
	return 0;
}

int dropins_list(const struct host *host, const char *const *dirs, const char *suffix,
		 struct host_list *out)
{
	struct host_list list = { NULL, 0, false };
	int rc = 0;

	for (; *dirs && !rc && list.count < HOST_LIST_MAX; dirs++)
		rc = dropins_add_folder(host, *dirs, suffix, &list);
	list.cut |= !rc && *dirs;
	if (rc) {
		host_list_fini(&list);
		return rc;
	}
	if (list.count)
		qsort(list.names, list.count, sizeof(*list.names), dropins_compare);
	*out = list;
	return 0;
}
