/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* What is wrong, in the order in which to fix it: each cause with the findings that follow from it.
 * Pure. */
#include "plugin/report/internal.h"

/* In the order of the verdict: a warning never precedes what made the verdict worse. */
enum family_rank { RANK_FAIL, RANK_DECISIVE, RANK_WARN, RANK_UNKNOWN, RANK_GOOD };

static enum family_rank family_rank(const struct report *report, const struct finding *finding)
{
	switch (finding->status) {
	case FINDING_FAIL: return RANK_FAIL;
	case FINDING_WARN: return RANK_WARN;
	case FINDING_UNKNOWN:
		return report_is_undecided(report, finding) ? RANK_DECISIVE : RANK_UNKNOWN;
	default: return RANK_GOOD;
	}
}

bool report_is_alike(const struct finding *a, const struct finding *b)
{
	return a->status == b->status && !strcmp(a->id, b->id) && !strcmp(a->reason, b->reason);
}

bool family_has(const struct report *report, const struct family *family,
		const struct finding *finding)
{
	return report_is_alike(report_root(report, finding), family->root);
}

static bool family_has_defect(const struct family *family)
{
	return finding_is_defect(family->root) || finding_is_defect(family->worst);
}

static bool family_is_before(const struct report *report, const struct family *a,
			     const struct family *b)
{
	enum family_rank ours = family_rank(report, a->worst);
	enum family_rank theirs = family_rank(report, b->worst);

	if (ours != theirs)
		return ours < theirs;
	return family_has_defect(a) && !family_has_defect(b);
}

unsigned int report_families(const struct report *report,
			     struct family families[REPORT_FINDINGS_MAX])
{
	const struct finding *finding, *root;
	unsigned int i, j, count = 0;
	struct family family;

	for (i = 0; i < report->nfindings; i++) {
		finding = report->findings[i];
		if (!report_needs_care(finding->status))
			continue;
		root = report_root(report, finding);
		for (j = 0; j < count && !report_is_alike(families[j].root, root); j++)
			;
		if (j == count)
			families[count++] = (struct family){ .root = root, .worst = root };
		if (family_rank(report, finding) < family_rank(report, families[j].worst))
			families[j].worst = finding;
	}
	/* Stable: families of equal rank stay in the order of causes. */
	for (i = 1; i < count; i++) {
		family = families[i];
		for (j = i; j && family_is_before(report, &family, &families[j - 1]); j--)
			families[j] = families[j - 1];
		families[j] = family;
	}
	return count;
}

bool family_leads(const struct report *report, const struct family *families,
		  const struct family *family)
{
	/* A warning of what is serious may be the cause of what could not be found out. */
	return family_rank(report, family->worst) == family_rank(report, families->worst) ||
	       consequence_of(family->worst) >= CONSEQUENCE_NO_MOUNT;
}

/* The causes of one family, or what follows from them. */
static void family_each(const struct report *report, const struct family *family, bool causes,
			report_fn *fn, void *arg)
{
	const struct finding *finding, *because;
	unsigned int i;

	for (i = 0; i < report->nfindings; i++) {
		finding = report->findings[i];
		if (!report_needs_care(finding->status))
			continue;
		because = report_because(report, finding);
		if (!because == causes && family_has(report, family, finding))
			fn(arg, finding, because);
	}
}

void report_each(const struct report *report, report_fn *fn, void *arg)
{
	struct family families[REPORT_FINDINGS_MAX];
	unsigned int i, count = report_families(report, families);

	for (i = 0; i < count; i++) {
		family_each(report, &families[i], true, fn, arg);
		family_each(report, &families[i], false, fn, arg);
	}
}
