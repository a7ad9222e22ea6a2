/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* What is wrong, in the order in which to fix it: each cause with the findings that follow from it. Pure. */
#include "plugin/report/internal.h"

/* In the order of the verdict: a warning never precedes what made the verdict worse. */
enum rank { RANK_FAIL, RANK_DECISIVE, RANK_WARN, RANK_UNKNOWN, RANK_GOOD };

static enum rank rank_of(const struct report *report, const struct finding *finding)
{
	switch (finding->status) {
	case FINDING_FAIL: return RANK_FAIL;
	case FINDING_WARN: return RANK_WARN;
	case FINDING_UNKNOWN:
		return report_is_undecided(report, finding) ? RANK_DECISIVE
							    : RANK_UNKNOWN;
	default: return RANK_GOOD;
	}
}

bool report_is_alike(const struct finding *a, const struct finding *b)
{
	return a->status == b->status && !strcmp(a->id, b->id) &&
	       !strcmp(a->reason, b->reason);
}

bool family_has(const struct report *report, const struct family *family,
		const struct finding *finding)
{
	return report_is_alike(report_root(report, finding), family->root);
}

static bool has_defect(const struct family *family)
{
	return finding_is_defect(family->root) || finding_is_defect(family->worst);
}

static bool is_before(const struct report *report, const struct family *a,
		      const struct family *b)
{
	enum rank ours = rank_of(report, a->worst), theirs = rank_of(report, b->worst);

	return ours != theirs ? ours < theirs : has_defect(a) && !has_defect(b);
}

/* Stable: families of equal rank stay in the order of causes. */
static void sort(const struct report *report, struct family *families, unsigned int count)
{
	struct family family;
	unsigned int i, j;

	for (i = 1; i < count; i++) {
		family = families[i];
		for (j = i; j && is_before(report, &family, &families[j - 1]); j--)
			families[j] = families[j - 1];
		families[j] = family;
	}
}

static struct family *family_of(struct family *families, unsigned int *count,
				const struct finding *root)
{
	unsigned int i;

	for (i = 0; i < *count; i++)
		if (report_is_alike(families[i].root, root))
			return &families[i];
	families[*count] = (struct family){ .root = root, .worst = root };
	return &families[(*count)++];
}

unsigned int report_families(const struct report *report,
			     struct family families[REPORT_FINDINGS_MAX])
{
	const struct finding *finding;
	unsigned int i, count = 0;
	struct family *family;

	for (i = 0; i < report->nfindings; i++) {
		finding = report->findings[i];
		if (!report_needs_care(finding->status))
			continue;
		family = family_of(families, &count, report_root(report, finding));
		if (rank_of(report, finding) < rank_of(report, family->worst))
			family->worst = finding;
	}
	sort(report, families, count);
	return count;
}

bool family_leads(const struct report *report, const struct family *families,
		  const struct family *family)
{
	return rank_of(report, family->worst) == rank_of(report, families->worst);
}

static bool is_next(const struct report *report, const struct family *family,
		    const struct finding *finding, bool causes)
{
	return report_needs_care(finding->status) &&
	       !report_because(report, finding) == causes &&
	       family_has(report, family, finding);
}

void report_each(const struct report *report, report_fn *fn, void *arg)
{
	struct family families[REPORT_FINDINGS_MAX];
	unsigned int i, j, causes, count = report_families(report, families);

	for (i = 0; i < count; i++)
		for (causes = 2; causes--;)
			for (j = 0; j < report->nfindings; j++)
				if (is_next(report, &families[i], report->findings[j],
					    causes))
					fn(arg, report->findings[j],
					   report_because(report, report->findings[j]));
}
