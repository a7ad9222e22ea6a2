/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Which finding of a report follows from which other one: by the finding that a check was
 * skipped for, and by the Follows of its meaning. Pure. */
#include "plugin/report/internal.h"

#define CHAIN_MAX 16

/* Lower values are more likely the cause of others. */
static const unsigned int because_weights[FINDING_STATUS_COUNT] = {
	[FINDING_FAIL] = 0, [FINDING_UNKNOWN] = 1, [FINDING_WARN] = 2,
	[FINDING_PASS] = 3, [FINDING_SKIP] = 3,
};

static bool because_is_same_object(const struct finding *a, const struct finding *b)
{
	static const char *const keys[] = { "target", "pool", "guest" };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(keys); i++) {
		const char *ours = finding_evidence(a, keys[i]);
		const char *theirs = finding_evidence(b, keys[i]);

		if (*ours && *theirs && strcmp(ours, theirs) != 0)
			return false;
	}
	return true;
}

/* @name: "ID" or "ID/REASON". */
static bool because_is_named(const struct finding *finding, const char *name)
{
	size_t len = strlen(finding->id);

	if (strncmp(finding->id, name, len) != 0)
		return false;
	return !name[len] || (name[len] == '/' && !strcmp(name + len + 1, finding->reason));
}

/* A check that was skipped may be about another object: a mount below that one. */
static const struct finding *because_find_skipped_for(const struct report *report,
						      const struct finding *finding, const char *id)
{
	const struct finding *any = NULL;
	unsigned int i;

	for (i = 0; i < report->nfindings; i++) {
		const struct finding *other = report->findings[i];

		if (other == finding || strcmp(other->id, id) != 0)
			continue;
		if (because_is_same_object(finding, other))
			return other;
		any = any ? any : other;
	}
	return any;
}

static const struct finding *because_find_named(const struct report *report,
						const struct finding *finding, const char *name)
{
	const struct finding *best = NULL;
	unsigned int i;

	for (i = 0; i < report->nfindings; i++) {
		const struct finding *other = report->findings[i];

		if (other == finding || !report_needs_care(other->status) ||
		    !because_is_named(other, name) || !because_is_same_object(finding, other))
			continue;
		if (!best || because_weights[other->status] < because_weights[best->status])
			best = other;
	}
	return best;
}

const struct finding *report_because(const struct report *report, const struct finding *finding)
{
	const struct meaning *meaning = meaning_find(finding->id);
	const struct reason *reason = meaning_reason(meaning, finding->reason);
	const char *const *name = reason ? reason->follows : meaning->follows;
	const char *skipped_for = finding_evidence(finding, "because");
	const struct finding *best = NULL, *other;

	if (finding->status == FINDING_SKIP)
		return *skipped_for ? because_find_skipped_for(report, finding, skipped_for) : NULL;
	if (!report_needs_care(finding->status))
		return NULL;
	for (; *name; name++) {
		other = because_find_named(report, finding, *name);
		if (other &&
		    (!best || because_weights[other->status] < because_weights[best->status]))
			best = other;
	}
	return best;
}

const struct finding *report_root(const struct report *report, const struct finding *finding)
{
	const struct finding *next;
	unsigned int i;

	/* make-table refuses cycles, but skips from a hostile worker may form one. */
	for (i = 0; i < CHAIN_MAX; i++) {
		next = report_because(report, finding);
		if (!next)
			break;
		finding = next;
	}
	return finding;
}
