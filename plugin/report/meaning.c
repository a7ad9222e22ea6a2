/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Lookup in the table of findings, which findings/make-table generates from
 * findings/NAME.findings. */
#include "plugin/report/internal.h"

const struct meaning *meaning_next(const struct meaning *after)
{
	const struct meaning *row = after ? after + 1 : meaning_table;

	return row->id ? row : NULL;
}

const struct meaning *meaning_find(const char *id)
{
	const struct meaning *row;

	for (row = meaning_table; row->id; row++)
		if (!strcmp(row->id, id))
			return row;
	return NULL;
}

const char *meaning_cause(const struct meaning *meaning, const char *server,
			  char buf[MEANING_CAUSE_MAX])
{
	const struct {
		const char *server, *text;
	} kinds[] = {
		{ "linux", meaning->linux_cause },
		{ "ganesha", meaning->ganesha_cause },
	};
	bool any = !server || !*server || !strcmp(server, "unknown");
	size_t i, used;

	str_copy(buf, MEANING_CAUSE_MAX, meaning->cause);
	for (i = 0; i < ARRAY_SIZE(kinds); i++) {
		if (!kinds[i].text || (!any && strcmp(server, kinds[i].server) != 0))
			continue;
		used = strlen(buf);
		snprintf(buf + used, MEANING_CAUSE_MAX - used, " %s", kinds[i].text);
	}
	return buf;
}

const struct meaning *meaning_near(const char *id)
{
	const struct meaning *meaning = NULL;
	struct near near;

	near_init(&near, id);
	while ((meaning = meaning_next(meaning)))
		near_try(&near, meaning->id);
	return near_found(&near) ? meaning_find(near_found(&near)) : NULL;
}
