/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The record of setup 0.2, which says what root writes and where: whatever it is, only paths of
 * setup's are in the undo. */
#include "plugin/setup/internal.h"
#include "tests/fuzz/fuzz.h"

static void check_step(const struct setup_step *step)
{
	FUZZ_CHECK(setup_has_path(step->kind));
	FUZZ_CHECK(!strncmp(step->path, "etc/", 4) && !strstr(step->path, ".."));
	FUZZ_CHECK(step->folders <= PLACE_MADE_MAX && step->before);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct setup_plan *plan = calloc(1, sizeof(*plan));
	struct setup_machine machine = { .host = NULL };
	char *copy = malloc(size + 1);
	struct host *host = NULL;
	unsigned int i;

	/* A machine that has none of the files: each is one that was removed since. */
	FUZZ_CHECK(plan && copy && !host_open(&host, NFSRDMA_TESTS "/fuzz/corpus/setup-state"));
	machine.host = host;
	if (size)
		memcpy(copy, data, size);
	copy[size] = '\0';
	if (!old_add_changes(plan, &machine, copy, size))
		for (i = 0; i < plan->nsteps; i++)
			check_step(&plan->steps[i]);
	setup_plan_free(plan);
	host_close(host);
	free(copy);
	return 0;
}
