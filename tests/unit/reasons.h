/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Whether a finding that is not good has a reason, and all names that the texts of it need. */
#ifndef TESTS_REASONS_H
#define TESTS_REASONS_H

#include <stdio.h>
#include <string.h>

#include "plugin/report/report.h"
#include "suite.h"

/* The first "{key}" or "{!key}" of a text that is not in the evidence; NULL: all are. */
static inline const char *reasons_gap(const struct finding *finding, const char *text)
{
	static char key[FINDING_KEY_MAX];

	if (!text)
		return NULL;
	while ((text = strchr(text, '{')) != NULL) {
		text += strcspn(text + 1, "!") ? 1 : 2;
		snprintf(key, sizeof(key), "%.*s", (int)strcspn(text, "}"), text);
		if (!*finding_evidence(finding, key))
			return key;
	}
	return NULL;
}

static inline bool reasons_fit(const struct finding *finding)
{
	const struct meaning *meaning = meaning_find(finding->id);
	const struct reason *reason = meaning_reason(meaning, finding->reason);
	const struct step *step;
	const char *gap;

	if (finding->status == FINDING_PASS || finding->status == FINDING_SKIP)
		return !*finding->reason;
	suite_saw("%s/%s: %s", finding->id, finding->reason, finding->summary);
	if (!reason)
		return false;
	gap = reasons_gap(finding, reason->cause);
	for (step = reason->steps; !gap && step->text; step++) {
		gap = reasons_gap(finding, step->text);
		gap = gap ? gap : reasons_gap(finding, step->command);
	}
	if (gap)
		suite_saw("%s/%s has no {%s}", finding->id, finding->reason, gap);
	return !gap;
}

#endif
