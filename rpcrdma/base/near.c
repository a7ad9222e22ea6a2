/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Finds the word of a list that a misspelt word probably means. */
#include "rpcrdma/base/base.h"

/* Number of edits from one to the other (Levenshtein); @b is no longer than NEAR_WORD_MAX. */
static size_t near_edits(const char *a, const char *b)
{
	size_t row[NEAR_WORD_MAX + 1], diagonal, above, i, j, best;

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

void near_init(struct near *near, const char *word)
{
	size_t len = strnlen(word, NEAR_WORD_MAX + 1);

	*near = (struct near){ .word = word };
	/* Every word is near one of two letters. */
	if (len < 3 || len > NEAR_WORD_MAX)
		near->word = NULL;
}

void near_try(struct near *near, const char *candidate)
{
	size_t edits;

	if (!near->word || strlen(candidate) > NEAR_WORD_MAX)
		return;
	edits = strstr(candidate, near->word) ? 0 : near_edits(near->word, candidate);
	if (near->best && edits >= near->edits)
		return;
	near->best = candidate;
	near->edits = edits;
}

const char *near_found(const struct near *near)
{
	/* A word further away is a guess. */
	return near->best && near->edits <= 1 + strlen(near->word) / 3 ? near->best : NULL;
}
