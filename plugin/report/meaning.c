/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Looking in the table of findings, which findings/make-table makes of findings/NAME.findings. */
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

	snprintf(buf, MEANING_CAUSE_MAX, "%s", meaning->cause);
	for (i = 0; i < ARRAY_SIZE(kinds); i++) {
		if (!kinds[i].text || (!any && strcmp(server, kinds[i].server) != 0))
			continue;
		used = strlen(buf);
		snprintf(buf + used, MEANING_CAUSE_MAX - used, " %s", kinds[i].text);
	}
	return buf;
}

/* Edits from one to the other (Levenshtein), for ids. */
static size_t distance(const char *a, const char *b)
{
	size_t row[FINDING_ID_MAX + 1], diagonal, above, i, j, best;

	for (j = 0; j <= strlen(b); j++)
		row[j] = j;
	for (i = 0; a[i]; i++) {
		diagonal = row[0];
		row[0] = i + 1;
		for (j = 0; b[j]; j++) {
			above = row[j + 1];
			best = above < row[j] ? above + 1 : row[j] + 1;
			diagonal += a[i] != b[j];
			row[j + 1] = diagonal < best ? diagonal : best;
			diagonal = above;
		}
	}
	return row[strlen(b)];
}

const struct meaning *meaning_near(const char *id)
{
	const struct meaning *meaning = NULL, *near = NULL;
	size_t least = 0, edits, len = strnlen(id, FINDING_ID_MAX);

	if (len < 3 || len == FINDING_ID_MAX)
		return NULL;
	while ((meaning = meaning_next(meaning))) {
		edits = strstr(meaning->id, id) ? 0 : distance(id, meaning->id);
		if (near && edits >= least)
			continue;
		near = meaning;
		least = edits;
	}
	/* Further away it is a guess, not a slip. */
	return least <= 1 + len / 3 ? near : NULL;
}
