/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The steps of a whole report as one list. Pure. */
#include "plugin/report/internal.h"
#include "rpcrdma/base/grow.h"

struct todo_steps {
	unsigned int count;
	struct report_step *list;
	bool no_memory;
};

static void todo_add(struct todo_steps *steps, const struct report_step *step)
{
	unsigned int i;

	for (i = 0; i < steps->count; i++)
		if (!strcmp(steps->list[i].text, step->text) &&
		    !strcmp(steps->list[i].command, step->command))
			return;
	if (!grow(steps->list, steps->count)) {
		steps->no_memory = true;
		return;
	}
	steps->list[steps->count++] = *step;
}

unsigned int report_all_steps(const struct report *report, struct report_step **out)
{
	struct family families[REPORT_FINDINGS_MAX];
	unsigned int i, j, n, count = report_families(report, families);
	struct report_step steps[REPORT_STEPS_MAX];
	struct todo_steps all = { .count = 0 };
	char remedy[REPORT_REMEDY_MAX];

	for (i = 0; i < count; i++) {
		n = report_steps(report, families[i].root, steps);
		if (!n) {
			report_remedy(report, families[i].root, remedy);
			snprintf(steps[0].text, sizeof(steps[0].text), "%.*s",
				 (int)sizeof(steps[0].text) - 1, remedy);
			*steps[0].command = '\0';
			n = *remedy ? 1 : 0;
		}
		for (j = 0; j < n && !all.no_memory; j++)
			todo_add(&all, &steps[j]);
	}
	if (all.no_memory) {
		free(all.list);
		all = (struct todo_steps){ .count = 0 };
	}
	*out = all.list;
	return all.count;
}
