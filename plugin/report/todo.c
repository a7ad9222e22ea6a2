/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The steps of a whole report as one list. Pure. */
#include "plugin/report/internal.h"

struct step_list {
	unsigned int count, room;
	struct report_step *list;
	bool no_memory;
};

static void steps_add(struct step_list *steps, const struct report_step *step)
{
	struct report_step *grown;
	unsigned int i;

	for (i = 0; i < steps->count; i++)
		if (!strcmp(steps->list[i].text, step->text) &&
		    !strcmp(steps->list[i].command, step->command))
			return;
	if (steps->count == steps->room) {
		grown = realloc(steps->list, (steps->room + 16) * sizeof(*grown));
		if (!grown) {
			steps->no_memory = true;
			return;
		}
		steps->list = grown;
		steps->room += 16;
	}
	steps->list[steps->count++] = *step;
}

static void add_cause(const struct report *report, const struct finding *root,
		      struct step_list *all)
{
	struct report_step steps[REPORT_STEPS_MAX];
	unsigned int i, n = report_steps(report, root, steps);
	char remedy[REPORT_REMEDY_MAX];

	if (!n) {
		report_remedy(report, root, remedy);
		snprintf(steps[0].text, sizeof(steps[0].text), "%.*s",
			 (int)sizeof(steps[0].text) - 1, remedy);
		*steps[0].command = '\0';
		n = *remedy ? 1 : 0;
	}
	for (i = 0; i < n && !all->no_memory; i++)
		steps_add(all, &steps[i]);
}

unsigned int report_all_steps(const struct report *report, struct report_step **out)
{
	struct family families[REPORT_FINDINGS_MAX];
	unsigned int i, n = report_families(report, families);
	struct step_list all = { .count = 0 };

	for (i = 0; i < n; i++)
		add_cause(report, families[i].root, &all);
	if (all.no_memory) {
		free(all.list);
		all = (struct step_list){ .count = 0 };
	}
	*out = all.list;
	return all.count;
}
